//! Pills: a compile's id and status.

use crate::analysis::FunctionName;
use crate::model::{Compile, Status};
use crate::report::kit::formats::{UNKNOWN, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{push_close, push_open, span};
use crate::report::kit::view::View;
use crate::trace::CompileId;

/// A compile's id and status.
pub(crate) struct Pill<'a> {
    /// Its text.
    pub id: &'a str,
    /// The status, which is also a class of the style sheet.
    pub status: Option<&'a str>,
    /// Its address.
    pub href: Option<&'a str>,
    /// Its tooltip.
    pub title: Option<&'a str>,
}

/// The word of a status in a report, which is not trusted, and becomes part of a class.
pub(crate) fn known_status(word: &str) -> Option<&'static str> {
    Status::ALL.into_iter().map(Status::word).find(|known| *known == word)
}

impl Pill<'_> {
    /// The pill; a link if it has an address.
    pub fn html(&self) -> Html {
        let status = self.status.filter(|status| !status.is_empty());
        let class = status.map_or_else(|| "pill".to_owned(), |status| format!("pill status-{status}"));
        let href = self.href.filter(|href| !href.is_empty());
        let tag = if href.is_some() { "a" } else { "span" };
        let mut html = String::new();
        push_open(&mut html, tag, &[("class", Some(&class)), ("href", href), ("title", self.title)]);
        Html::push_escaped(self.id, &mut html);
        if let Some(status) = status {
            html.push(' ');
            html.push_str(span("word", status).as_str());
        }
        push_close(&mut html, tag);
        Html::trusted(html)
    }
}

impl View<'_> {
    /// A compile's id and status, linked to the compile.
    pub fn pill(&self, compile: &Compile) -> Html {
        self.pill_to(compile, Some(&self.compile_href(compile)))
    }

    /// The same without the function's name on hover, for use next to the name.
    pub fn pill_beside(&self, compile: &Compile) -> Html {
        self.render_pill(compile, Some(&self.compile_href(compile)), false)
    }

    /// A pill with another address, or without one: summaries must not contain links.
    pub fn pill_to(&self, compile: &Compile, href: Option<&str>) -> Html {
        self.render_pill(compile, href, true)
    }

    /// A pill with another address, next to the function's name.
    pub fn pill_beside_to(&self, compile: &Compile, href: &str) -> Html {
        self.render_pill(compile, Some(href), false)
    }

    /// A pill without a link, next to the function's name.
    pub fn plain_pill_beside(&self, compile: &Compile) -> Html {
        self.render_pill(compile, None, false)
    }

    /// The first `most` pills of a function, next to its name.
    pub fn some_pills_beside(&self, compiles: &[&Compile], most: usize) -> Html {
        beside(compiles, self.few(compiles, most, |compile| self.pill_beside(compile)))
    }

    fn render_pill(&self, compile: &Compile, href: Option<&str>, titled: bool) -> Html {
        let id = compile.id.as_ref().map_or_else(|| "no id".to_owned(), ToString::to_string);
        // Records without an id are not a compilation, so they have no status.
        let status = compile.id.as_ref().map(|_| compile.status.word());
        let title = self.function_name(compile).filter(|_| titled).map(FunctionName::plain);
        Pill { id: &id, status, href, title: title.as_deref() }.html()
    }

    /// The pill of an id; plain code if no compile has this id.
    pub fn pill_of(&self, id: Option<&CompileId>) -> Html {
        match (self.report.model.compile(id), id) {
            (Some(compile), _) => self.pill(compile),
            (None, Some(id)) => self.code(&id.to_string()),
            (None, None) => Html::escaped(UNKNOWN),
        }
    }

    /// The first `most` pills, and the number of further ones.
    pub fn some_pills(&self, compiles: &[&Compile], most: usize) -> Html {
        beside(compiles, self.few(compiles, most, |compile| self.pill(compile)))
    }

    /// The same without links, for a summary.
    pub fn plain_pills(&self, compiles: &[&Compile], most: usize) -> Html {
        span("pills", self.few(compiles, most, |compile| self.plain_pill_beside(compile)))
    }

    fn few(&self, compiles: &[&Compile], most: usize, pill: impl Fn(&Compile) -> Html) -> Html {
        let more = compiles.len().saturating_sub(most);
        let more = (more > 0).then(|| span("pill", format!("+{}", whole(more))));
        Html::joined(compiles.iter().take(most).map(|compile| pill(compile)).chain(more), "")
    }
}

/// A row of pills; a single one needs no frame.
fn beside(compiles: &[&Compile], pills: Html) -> Html {
    if compiles.len() == 1 { pills } else { span("pills", pills) }
}
