//! The lists of a job: its ranks, and what they are compared by.

use crate::facts::{Aspect, Comparison, Divergence, Rank};
use crate::report::doc::{Cell, Listing, Rows, count, log, own, seconds};
use std::borrow::Cow;

/// What a redacted report calls each log.
const LEFT_OUT: &str = "log";

/// A rank as a list shows it.
pub(crate) struct RankRow<'m> {
    pub facts: Cow<'m, Rank<'m>>,
    /// What only the page of a job knows.
    pub page: Option<Box<RankOnPage<'m>>>,
}

/// What a page says of a rank in its own way, with links to the rank's report, and what else it says.
#[derive(Default)]
pub(crate) struct RankOnPage<'m> {
    pub name: Option<Cell<'m>>,
    pub state: Option<Cell<'m>>,
    pub time: Option<Cell<'m>>,
    pub log: Option<Cell<'m>>,
    pub last: Cell<'m>,
    pub differs_in: Cell<'m>,
    pub processes: Cell<'m>,
    pub provenance: Cell<'m>,
    /// By these words a filter selects it.
    pub words: String,
}

impl<'m> RankRow<'m> {
    /// Only what its facts say.
    pub fn of(facts: &'m Rank<'m>) -> RankRow<'m> {
        RankRow { facts: Cow::Borrowed(facts), page: None }
    }

    /// What the page says, if it does.
    fn said<'r>(&'r self, of: impl Fn(&'r RankOnPage<'m>) -> Option<&'r Cell<'m>>) -> Option<Cell<'r>> {
        self.page.as_ref().and_then(|page| of(page)).cloned()
    }

    fn log(&self) -> Cell<'_> {
        let file =
            self.facts.log.as_ref().map(|log| &*log.file).filter(|file| !matches!(*file, "" | LEFT_OUT));
        Cell::maybe(file, log)
    }
}

/// The ranks of a job. Their report, `tlparse show`, Markdown and redacted reports have these columns, as far as they know
/// them.
pub(crate) fn ranks(all: Vec<RankRow<'_>>) -> Rows<'_, RankRow<'_>, Vec<RankRow<'_>>> {
    Rows::of(all)
        .compile("Rank", |row| {
            row.said(|page| page.name.as_ref()).unwrap_or_else(|| count(Some(row.facts.rank)))
        })
        .text("State", |row| row.said(|page| page.state.as_ref()).unwrap_or_else(|| log(&*row.facts.state)))
        .number("Compiles", |row| count(row.facts.compiles))
        .number("Breaks", |row| count(row.facts.graph_breaks))
        .number("Recompiles", |row| count(row.facts.recompiles))
        .number("Failures", |row| count(row.facts.failures))
        .number("Compile time", |row| {
            row.said(|page| page.time.as_ref()).unwrap_or_else(|| seconds(row.facts.compile_time_s))
        })
        .text("Log", |row| row.said(|page| page.log.as_ref()).unwrap_or_else(|| row.log()))
        .mono()
        .optional()
        .text("Last record", |row| row.said(|page| Some(&page.last)).unwrap_or_default())
        .optional()
        .text("Differs in", |row| row.said(|page| Some(&page.differs_in)).unwrap_or_default())
        .optional()
        .unsorted("Further processes", |row| row.said(|page| Some(&page.processes)).unwrap_or_default())
        .optional()
        .unsorted("Lines and kernels", |row| row.said(|page| Some(&page.provenance)).unwrap_or_default())
        .optional()
        .anchored(|_, row| Some(format!("rank-{}", row.facts.rank)))
}

/// The same of what the ranks' facts say.
pub(crate) fn ranks_of_facts<'m>(all: &'m [Rank<'m>]) -> Listing<'m> {
    ranks(all.iter().map(RankRow::of).collect()).listing("ranks", "Ranks", "No ranks.")
}

/// In what ranks are compared.
struct Compared<'m> {
    aspect: Aspect,
    comparison: &'m Comparison<'m>,
}

pub(crate) fn compared<'m>(divergence: &'m Divergence<'m>) -> Listing<'m> {
    let compared = divergence.named().map(|(aspect, comparison)| Compared { aspect, comparison });
    Rows::of(compared.collect::<Vec<_>>())
        .text("Fact", |one| own(one.aspect.key().replace('_', " ")))
        .text("Ranks", |one| if one.comparison.differs { "differ".into() } else { "agree".into() })
        .text("First difference", |one| {
            Cell::maybe(one.comparison.first.as_ref(), |first| match &first.compile_id {
                Some(id) => log(format!("number {}, in {}", first.index + 1, &**id)),
                None => own(format!("number {}", first.index + 1)),
            })
        })
        .listing("compared", "What ranks are compared by", "Nothing was compared.")
}
