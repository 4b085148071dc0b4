//! Parts of lists and rows: optional links, and compiles.

use crate::model::{Compile, CompileIndex};
use crate::report::kit::html::Html;
use crate::report::kit::view::{Render, View};

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
