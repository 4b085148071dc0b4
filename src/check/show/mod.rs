//! A verdict for its readers: a terminal, a pull request, a program, and the formats of other tools.

mod json;
mod markdown;
mod text;
mod words;

use super::verdict::{Check, Excess, Verdict};
use crate::report::formats::{self, Format, Notice, Suite, Test};
use crate::source_tree::SourceTree;
use indexmap::IndexSet;

impl Verdict {
    /// The verdict in a format; `tree` makes the paths of sources relative.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    pub fn show(&self, format: Format, tree: &SourceTree) -> anyhow::Result<String> {
        Ok(format.printable(match format {
            Format::Text => text::text(self),
            Format::Json => json::json(self, tree)?,
            Format::Markdown => markdown::markdown(self, tree),
            Format::Sarif => formats::sarif(&self.notices(), tree)?,
            Format::Junit => formats::junit(&self.suite()),
            Format::Github => formats::github(&self.notices(), tree),
        }))
    }

    /// Excesses, worst first and each once: a graph break may exceed the budgets of its log and of its function.
    fn notices(&self) -> Vec<Notice> {
        let exceeded = self.checks.iter().filter(|check| !check.holds());
        let mut excesses: Vec<(&Check, &Excess)> =
            exceeded.flat_map(|check| check.excesses.iter().map(move |excess| (check, excess))).collect();
        excesses.sort_by(|(_, a), (_, b)| a.order(b));
        let mut listed = IndexSet::new();
        excesses.retain(|(_, one)| listed.insert((&one.item.title, &one.item.file, one.item.line)));
        excesses.into_iter().map(|(check, excess)| notice(self, check, excess)).collect()
    }

    /// One test per budget.
    fn suite(&self) -> Suite {
        let test = |check: &Check| Test {
            name: words::limit(check),
            failure: (!check.holds()).then(|| words::sentence(check)),
            details: check.excesses.iter().map(|excess| words::line(self, excess)).collect(),
        };
        Suite { name: "tlparse check", tests: self.checks.iter().map(test).collect() }
    }
}

fn notice(verdict: &Verdict, check: &Check, excess: &Excess) -> Notice {
    let mut details = vec![words::sentence(check)];
    details.extend(excess.item.hint.clone());
    details.extend(words::ranks(verdict, excess));
    Notice {
        rule: excess.item.kind.clone(),
        // Whatever its severity, it fails the check.
        level: crate::analysis::Severity::Error,
        title: excess.item.title.clone(),
        details,
        file: excess.item.file.clone(),
        line: excess.item.line,
        cost: excess.item.cost.as_ref().map(words::cost),
        page: excess.item.page.clone(),
        fingerprint: excess.item.finding.as_ref().unwrap_or(&excess.fingerprint).clone(),
    }
}
