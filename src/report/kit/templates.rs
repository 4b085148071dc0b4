//! The template engine of one worker. TinyTemplate is neither Send nor Sync, so each worker has its own.

use crate::limits::LARGEST_PAGE;
use crate::report::kit::highlight::{Highlighter, Highlighters};
use crate::trace::TextSet;
use anyhow::Context;
use serde::Serialize;
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::Arc;
use tinytemplate::TinyTemplate;

/// Each template once: its name is its file's.
macro_rules! templates {
    ($($name:ident),* $(,)?) => {
        /// Names and texts of all templates.
        pub(crate) const TEMPLATES: &[(&str, &str)] =
            &[$((stringify!($name), include_str!(concat!("templates/", stringify!($name), ".html")))),*];
    };
}

templates! {
    code_head,
    code_side,
    compile_head,
    diff_change,
    diff_sides,
    directory_entry,
    drawn_stage,
    dump_file_head,
    empty,
    finding,
    fix_card,
    glossary,
    guard_diff,
    graphs_head,
    guards_head,
    hero,
    job_files,
    job_numbers,
    job_sides,
    job_timeline,
    kernel_stacks_head,
    legend,
    narrow,
    order,
    page_head,
    page_top,
    provenance_head,
    provenance_keys,
    provenance_pane_head,
    provenance_tools,
    recompile_reason,
    search_foot,
    search_head,
    section_head,
    time_chart,
    trie_line,
    verdict,
}

/// What one worker needs to render pages.
pub struct Worker {
    templates: RefCell<Templates>,
    highlighter: Option<Highlighter>,
    /// Where it comes from, and goes in the end.
    highlighters: Arc<Highlighters>,
    /// Bytes of the page that is being written, and how many it may have before its tables end.
    written: Rc<Cell<usize>>,
    most: Cell<usize>,
}

impl Worker {
    /// A worker without a highlighter of its own.
    pub fn new() -> Self {
        Worker::sharing(&Arc::default())
    }

    /// The same with a highlighter that an earlier worker used, and for workers to come.
    pub fn sharing(highlighters: &Arc<Highlighters>) -> Self {
        Worker {
            templates: RefCell::new(Templates::new()),
            highlighter: None,
            highlighters: Arc::clone(highlighters),
            written: Rc::default(),
            most: Cell::new(LARGEST_PAGE),
        }
    }

    /// The worker's highlighter, made on first use: reports without code do not pay for it.
    pub(crate) fn highlighter(&mut self) -> anyhow::Result<&mut Highlighter> {
        match &mut self.highlighter {
            Some(known) => Ok(known),
            none => Ok(none.insert(self.highlighters.take()?)),
        }
    }

    /// Begins a page of at most so many bytes, more or less: what is written to it is counted.
    pub(crate) fn counted<'o>(&self, out: &'o mut dyn Write, most: usize) -> Counted<'o> {
        self.written.set(0);
        self.most.set(most);
        Counted { out, written: Rc::clone(&self.written) }
    }

    /// Whether the page may still grow.
    pub(crate) fn has_room(&self) -> bool {
        self.written.get() <= self.most.get()
    }

    /// By how many bytes the page may still grow.
    pub(crate) fn room(&self) -> usize {
        self.most.get().saturating_sub(self.written.get())
    }

    /// Renders a template.
    pub(crate) fn render(&self, name: &'static str, context: &impl Serialize) -> anyhow::Result<String> {
        self.templates.borrow_mut().render(name, context).with_context(|| format!("template {name}"))
    }
}

/// The templates that were needed so far. Compiling all of them for each worker took a twentieth of the time of a short log.
struct Templates {
    engine: TinyTemplate<'static>,
    /// Names of those that are compiled.
    compiled: TextSet<&'static str>,
}

impl Templates {
    fn new() -> Templates {
        let mut engine = TinyTemplate::new();
        engine.set_default_formatter(&escaped);
        engine.add_formatter("html", html);
        Templates { engine, compiled: TextSet::default() }
    }

    /// Renders a template, which is compiled if it is not yet.
    fn render(
        &mut self,
        name: &'static str,
        context: &impl Serialize,
    ) -> tinytemplate::error::Result<String> {
        if self.compiled.insert(name)
            && let Some((_, text)) = TEMPLATES.iter().find(|(of, _)| *of == name)
        {
            self.engine.add_template(name, text.trim_end())?;
        }
        self.engine.render(name, context)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(highlighter) = self.highlighter.take() {
            self.highlighters.give_back(highlighter);
        }
    }
}

/// A page whose bytes are counted.
pub(crate) struct Counted<'o> {
    out: &'o mut dyn Write,
    written: Rc<Cell<usize>>,
}

impl Write for Counted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.written.set(self.written.get().saturating_add(written));
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// TinyTemplate hands its formatters a `Value`. Shows it as [`Html::escaped`](crate::report::kit::html::Html::escaped) does.
fn escaped(value: &Value, out: &mut String) -> tinytemplate::error::Result<()> {
    match value {
        Value::String(text) => crate::report::kit::html::Html::push_escaped(text, out),
        Value::Null => {}
        Value::Bool(_) | Value::Number(_) => out.push_str(&value.to_string()),
        Value::Array(_) | Value::Object(_) => {
            return Err(tinytemplate::error::Error::GenericError {
                msg: "a list or an object has no text".to_owned(),
            });
        }
    }
    Ok(())
}

/// Shows an [`Html`](crate::report::kit::html::Html) as it is, and refuses anything else: text of a log cannot pass here.
fn html(value: &Value, out: &mut String) -> tinytemplate::error::Result<()> {
    match value.as_array().map(Vec::as_slice) {
        Some([Value::Null, Value::String(text)]) => {
            out.push_str(text);
            Ok(())
        }
        _ => Err(tinytemplate::error::Error::GenericError {
            msg: "the formatter `html` shows Html only".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::kit::html::Html;
    use serde_json::json;

    #[test]
    fn every_template_can_be_compiled() {
        let mut templates = Templates::new();
        for (name, text) in TEMPLATES {
            assert!(templates.engine.add_template(name, text.trim_end()).is_ok(), "{name}");
        }
    }

    #[test]
    fn the_formatter_for_html_shows_html_and_refuses_texts_however_they_are_wrapped() {
        let mut templates = Templates::new();
        templates.engine.add_template("shown", "{ value | html }").unwrap();
        let shown = |value: Value| templates.engine.render("shown", &json!({ "value": value })).ok();
        let html = Html::trusted("<b>1</b>");
        assert_eq!(shown(json!(html)).as_deref(), Some("<b>1</b>"));
        let text = "<script>";
        for refused in [
            json!(text),
            json!([text]),
            json!([text, text]),
            json!({ "html!": text }),
            json!({ "text": text }),
        ] {
            assert_eq!(shown(refused.clone()), None, "{refused}");
        }
    }
}
