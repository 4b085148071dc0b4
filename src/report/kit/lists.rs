//! Parts of lists and rows: counts of what is left out, optional links, cells with a number.

use crate::model::{Compile, CompileIndex};
use crate::report::kit::formats::{UNKNOWN, micros, short_path, whole};
use crate::report::kit::html::Html;
use crate::report::kit::measured::heat;
use crate::report::kit::tables::TableCell;
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

    /// The first `most` source lines, `x.py:19, 20`, linked by `href`.
    pub fn file_lines<'f>(
        &self,
        lines: impl ExactSizeIterator<Item = (&'f str, u64)>,
        most: usize,
        href: impl Fn(usize, (&'f str, u64)) -> Option<String>,
    ) -> Html {
        let more = lines.len().saturating_sub(most);
        let mut before = None;
        let shown = lines.take(most).enumerate().map(|(index, (file, line))| {
            let text = match before.replace(file) == Some(file) {
                true => line.to_string(),
                false => format!("{}:{line}", short_path(file)),
            };
            self.link_if(href(index, (file, line)).as_deref(), &text)
        });
        let mut links: Vec<Html> = shown.collect();
        links.extend((more > 0).then(|| format!("{} more", whole(more)).into()));
        if links.is_empty() { UNKNOWN.into() } else { Html::joined(links, ", ") }
    }
}

impl<'a> View<'a> {
    /// The compiles with these indices.
    pub fn compiles(&self, places: &[CompileIndex]) -> Vec<&'a Compile> {
        places.iter().filter_map(|place| self.report.model.compiles.get(*place)).collect()
    }
}

impl TableCell {
    pub fn count(number: impl TryInto<u64>) -> TableCell {
        let number = number.try_into().unwrap_or(u64::MAX);
        TableCell::number(number as f64, &whole(number))
    }

    /// A duration in microseconds.
    pub fn time(us: f64) -> TableCell {
        TableCell::number(us, &micros(us))
    }

    /// A duration with a bar behind it; `most` is its full length.
    pub fn heat(us: f64, most: f64) -> TableCell {
        heat(micros(us).into(), us, us, most)
    }
}
