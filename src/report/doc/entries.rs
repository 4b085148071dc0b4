//! Lists as entries of the search: a new column of a list, and a new list of a page, are found without a change elsewhere.

use super::listing::{LeadsTo, Listing};
use crate::report::kit::search_index::Fact;

impl Listing<'_> {
    /// The rows that the search finds and a page shows.
    pub fn entries(&self, address: impl Fn(LeadsTo<'_>) -> String) -> impl Iterator<Item = Fact> {
        (0..self.count().min(self.most)).filter_map(move |at| {
            let found = self.found(at)?;
            let mut detail: Vec<String> = Vec::new();
            let cells = self.in_words(at).into_iter().map(|cell| match cell.is_number {
                true => format!("{} {}", cell.title.to_lowercase(), cell.shown),
                false => cell.shown,
            });
            for text in cells.chain(found.more.into_iter().map(String::from)) {
                // The name says it already, or begins it.
                let rest =
                    text.strip_prefix(&*found.name).filter(|rest| rest.is_empty() || rest.starts_with('\n'));
                let text = rest.map_or(&*text, str::trim).to_owned();
                if !text.is_empty() && !detail.contains(&text) {
                    detail.push(text);
                }
            }
            let name = found.name.into_owned();
            Some(Fact { main: name, detail: detail.join(" · "), href: address(found.leads_to) })
        })
    }
}
