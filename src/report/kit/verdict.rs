//! The beginning of a landing page: findings, and the verdict as a sentence whose numbers link to the evidence.

use crate::report::kit::html::Html;
use crate::report::kit::markup::Element;
use crate::report::kit::view::Render;
use serde::Serialize;
use std::borrow::Cow;

/// The head of a landing page.
#[derive(Serialize)]
pub(crate) struct Hero {
    /// The sentence.
    pub pieces: Vec<Words>,
    /// Sentences below it.
    pub notes: Vec<Html>,
    /// A bar below those.
    pub bar: Html,
}

/// The head of a page with a verdict of one sentence.
#[derive(Serialize)]
struct Verdict {
    sentence: Html,
    notes: Vec<Html>,
}

/// Words of a verdict, followed by linked words.
#[derive(Serialize)]
pub(crate) struct Words {
    before: Cow<'static, str>,
    text: String,
    href: Option<&'static str>,
    class: Option<&'static str>,
}

impl Words {
    /// Words only.
    pub fn plain(text: impl Into<Cow<'static, str>>) -> Words {
        Words { before: text.into(), text: String::new(), href: None, class: None }
    }

    /// Words, followed by words linked to `href`; the class may be empty.
    pub fn linked(
        before: &'static str,
        text: impl Into<String>,
        href: &'static str,
        class: &'static str,
    ) -> Words {
        let class = (!class.is_empty()).then_some(class);
        Words { before: before.into(), text: text.into(), href: Some(href), class }
    }

    /// Both as HTML.
    pub fn html(&self) -> Html {
        let linked = self.href.map(|href| {
            Element::new("a").class(self.class.unwrap_or_default()).href(href).around(self.text.as_str())
        });
        Html::joined([Html::escaped(&self.before)].into_iter().chain(linked), "")
    }

    /// Words, followed by words that stand out.
    pub fn strong(before: &'static str, text: impl Into<String>) -> Words {
        Words { before: before.into(), text: text.into(), href: None, class: None }
    }

    /// Both as plain text.
    pub fn text(&self) -> String {
        format!("{}{}", self.before, self.text)
    }
}

/// A finding, as a fold. Its template leaves the body open for additions of the page.
#[derive(Default, Serialize)]
pub(crate) struct FindingEntry {
    /// Anchor.
    pub id: String,
    /// Whether it is unfolded.
    pub open: bool,
    /// Its severity as a class.
    pub class: &'static str,
    /// Its kind in a word.
    pub kind: &'static str,
    /// One sentence.
    pub title: Html,
    /// Its place in the user's program.
    pub place: Html,
    /// Compiles or ranks.
    pub pills: Html,
    /// Its cost, or the ranks concerned.
    pub cost: String,
    /// How often.
    pub count: String,
    /// A stack.
    pub trace: Html,
    /// Whether there is a `detail`.
    pub explained: bool,
    /// What it means.
    pub detail: Html,
    /// Labels and values.
    pub facts: Html,
}

impl Render<'_> {
    /// The head of a landing page.
    pub fn hero(&self, hero: &Hero) -> anyhow::Result<Html> {
        self.render("hero", hero)
    }

    /// The head of a page with a verdict of one sentence, and notes below it.
    pub fn verdict(&self, sentence: Html, notes: Vec<Html>) -> anyhow::Result<Html> {
        self.render("verdict", &Verdict { sentence, notes })
    }

    /// A finding up to its open body.
    pub fn finding(&self, entry: &FindingEntry) -> anyhow::Result<Html> {
        self.render("finding", entry)
    }
}
