//! Views of pages, which render the building blocks: pills, places, cells, tables, stacks, facts, bars.

use crate::model::CompileIndex;
use crate::output::RelPath;
use crate::report::kit::formats::{UNKNOWN, micros, resumed, short_path};
use crate::report::kit::highlight::always_fits;
use crate::report::kit::html::Html;
use crate::report::kit::markup::{
    Element, push_close, push_element, push_open, resumed_function, write_line,
};
use crate::report::kit::paths;
use crate::report::kit::source_lines::source_line;
use crate::report::kit::templates::Worker;
use crate::report::kit::urls::{encoded, safe_link};
use crate::report::subject::Report;
use serde::Serialize;
use std::io::Write;
use std::ops::Deref;

/// Renders building blocks that do not depend on the log, with links relative to the page.
#[derive(Clone, Copy)]
pub(crate) struct Render<'a> {
    /// Holds the templates.
    pub worker: &'a Worker,
    /// Depth of the page's folder below the report's top: 0 or 1.
    pub depth: usize,
}

/// A page's view of the report on a log: [`Render`], and building blocks that depend on the log.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    /// What is shown.
    pub report: Report<'a>,
    render: Render<'a>,
}

/// Context of the template `section_head`.
#[derive(Serialize)]
struct SectionHead<'a> {
    id: &'a str,
    title: &'a str,
    about: &'a str,
    count: Option<String>,
    tools: Html,
}

impl<'a> Deref for View<'a> {
    type Target = Render<'a>;

    fn deref(&self) -> &Render<'a> {
        &self.render
    }
}

impl<'a> View<'a> {
    /// The view of a page `depth` folders below the report's top.
    pub fn new(report: Report<'a>, worker: &'a Worker, depth: usize) -> Self {
        View { report, render: Render { worker, depth } }
    }

    /// The short path of a file with the line; the full path on hover.
    pub fn place(&self, file: Option<&str>, line: Option<u64>) -> Html {
        let Some(file) = file else { return Html::escaped(UNKNOWN) };
        self.place_in(file, line, self.source_href(file, line))
    }

    /// How long an unfinished phase was open: `still open at the end of the log, at least 3.2 s`. The compile limits
    /// the search to its phases.
    pub fn still_open(&self, phase: &str, compile: Option<CompileIndex>) -> Option<String> {
        let model = self.report.model;
        let is_of =
            |span: usize| compile.is_none() || model.spans.get(span).and_then(|span| span.compile) == compile;
        let phases = &self.report.found.end.as_ref()?.phases;
        let open = phases.iter().find(|open| &*open.name == phase && is_of(open.span))?;
        // The log may end with the event that begins the phase.
        let least = match open.at_least_s > 0.0 {
            true => format!(", at least {}", micros(open.at_least_s * 1e6)),
            false => String::new(),
        };
        Some(format!("still open at the end of the log{least}"))
    }

    /// Link to a line of source: the page of a generated module, the reader's editor if configured, or what happened at that
    /// line.
    pub fn source_href(&self, file: &str, line: Option<u64>) -> Option<String> {
        let in_editor = || self.report.settings.editor.as_ref()?.href(file, line);
        let on_page = || Some(self.href_with_anchor(&source_line(self.report, file, line?)?));
        self.dump_file(file, line).or_else(in_editor).or_else(on_page)
    }

    /// The page of a generated module's source, for a frame's file such as `<eval_with_key>.7`.
    fn dump_file(&self, file: &str, line: Option<u64>) -> Option<String> {
        // Newer torch appends where the module was generated: `<eval_with_key>.7 from model.py:14 in f`.
        let key = file.split(" from ").next()?;
        let dump = self.report.module(key)?;
        let page = self.href(&paths::dump_file(&dump.stem));
        // The line may not exist, and texts of megabytes have no anchors.
        let has_anchor = |line: &u64| (1..=dump.lines).contains(line) && always_fits(dump.at.text_len);
        Some(match line.filter(has_anchor) {
            Some(line) => format!("{page}#L{line}"),
            None => page,
        })
    }
}

impl Render<'_> {
    pub fn render(&self, template: &'static str, context: &impl Serialize) -> anyhow::Result<Html> {
        Ok(Html::trusted(self.worker.render(template, context)?))
    }

    /// Link to a file of the report, relative to the page; not escaped yet.
    pub fn href(&self, path: &RelPath) -> String {
        self.href_of(path.as_str())
    }

    /// The same for a page in `folder`: only the name if the file is in the same folder.
    pub fn href_beside(&self, path: &RelPath, folder: &str) -> String {
        let below = path.as_str().strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
        below.map_or_else(|| self.href(path), encoded)
    }

    /// Link to a file at the report's top: `index.html`.
    pub fn href_of(&self, path: &str) -> String {
        match self.depth {
            0 => encoded(path),
            depth => ["../".repeat(depth), encoded(path)].concat(),
        }
    }

    /// The same for addresses with an anchor, or anchors of this page: `#log`.
    pub fn href_with_anchor(&self, path: &str) -> String {
        match path.split_once('#') {
            Some(("", anchor)) => format!("#{anchor}"),
            Some((path, anchor)) => format!("{}#{anchor}", self.href_of(path)),
            None => self.href_of(path),
        }
    }

    /// The short path of a file with the line; the full path on hover.
    pub fn place_in(&self, file: &str, line: Option<u64>, href: Option<String>) -> Html {
        let text = match line {
            Some(line) => format!("{}:{line}", short_path(file)),
            None => short_path(file).into_owned(),
        };
        // A link has its own color.
        let class = if href.is_some() { "nowrap" } else { "soft nowrap" };
        let place = href.map_or_else(|| Html::escaped(&text), |href| self.link(&href, &text));
        Element::new("span").class(class).title(file).around(place)
    }

    /// The name of a function; `f resumed at 9` for `torch_dynamo_resume_in_f_at_9`.
    pub fn function(&self, name: &str) -> Html {
        let Some((function, line)) = resumed(name) else { return self.code(name) };
        Element::new("code").around(resumed_function(function, line))
    }

    pub fn code(&self, text: &str) -> Html {
        Element::new("code").around(Html::escaped(text))
    }

    /// A link to a file of the report or to an anchor; `href` is ours, not the log's.
    pub fn link(&self, href: &str, text: &str) -> Html {
        Element::new("a").href(href).around(text)
    }

    /// A link of the log if it is http, https or within the report, else text.
    pub fn log_link(&self, text: &str, url: &str) -> Html {
        let shown = Html::escaped(if text.is_empty() { url } else { text });
        match safe_link(url, self.depth) {
            Some(href) => Element::new("a").attribute("rel", "noreferrer").href(&href).around(shown),
            None if text == url || text.is_empty() => shown,
            None => Html::joined([shown, self.code(url)], " "),
        }
    }

    /// Labels with their values.
    pub fn facts(&self, facts: impl IntoIterator<Item = (impl AsRef<str>, Html)>) -> Html {
        let mut html = String::new();
        push_open(&mut html, "dl", &[("class", Some("facts"))]);
        for (label, value) in facts {
            html.push_str("\n  ");
            push_element(&mut html, "dt", &[], label.as_ref());
            html.push_str("\n  ");
            push_open(&mut html, "dd", &[]);
            html.push_str(value.as_str());
            push_close(&mut html, "dd");
        }
        html.push('\n');
        push_close(&mut html, "dl");
        Html::trusted(html)
    }

    /// Begins a section of the page, with `tools` to the right of its head; `close_section` ends it.
    pub fn open_section(
        &self,
        out: &mut dyn Write,
        (id, title, about): (&str, &str, &str),
        count: Option<String>,
        tools: Html,
    ) -> anyhow::Result<()> {
        let head = SectionHead { id, title, about, count, tools };
        Ok(write_line(out, &self.render("section_head", &head)?)?)
    }
}
