//! Parts of lists and rows: counts of what is left out, and optional links.

use crate::model::{Compile, CompileIndex};
use crate::report::kit::formats::whole;
use crate::report::kit::html::Html;
use crate::report::kit::view::{Render, View};

/// ` and 3 more`; empty if all are shown.
pub(crate) fn and_more(all: usize, shown: usize) -> String {
    match all.saturating_sub(shown) {
        0 => String::new(),
        more => format!(" and {} more", whole(more)),
    }
}

impl Render<'_> {
    /// A link, or only the text if there is no address.
    pub fn link_if(&self, href: Option<&str>, text: &str) -> Html {
        href.map_or_else(|| Html::escaped(text), |href| self.link(href, text))
    }
}

impl<'a> View<'a> {
    /// The compiles with these indices.
    pub fn compiles(&self, places: &[CompileIndex]) -> Vec<&'a Compile> {
        places.iter().filter_map(|place| self.report.model.compiles.get(*place)).collect()
    }
}
