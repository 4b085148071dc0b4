//! The lists of a job: its ranks, and what they are compared by.

use crate::facts::{Comparison, Divergence, Rank};
use crate::report::doc::{Cell, Listing, Rows, count, log, own, seconds};

pub(crate) fn ranks<'m>(all: Vec<&'m Rank<'m>>) -> Listing<'m> {
    Rows::of(all)
        .number("Rank", |one| count(Some(one.rank)))
        .text("State", |one| log(&*one.state))
        .number("Compiles", |one| count(one.compiles))
        .number("Breaks", |one| count(one.graph_breaks))
        .number("Recompiles", |one| count(one.recompiles))
        .number("Failures", |one| count(one.failures))
        .number("Compile time", |one| seconds(one.compile_time_s))
        .listing("ranks", "Ranks", "No ranks.")
}

/// A fact that ranks are compared by.
struct Compared<'m> {
    fact: &'static str,
    comparison: &'m Comparison<'m>,
}

pub(crate) fn compared<'m>(divergence: &'m Divergence<'m>) -> Listing<'m> {
    let compared = |(fact, comparison): (_, Option<&'m Comparison<'m>>)| {
        Some(Compared { fact, comparison: comparison? })
    };
    Rows::of(divergence.named().into_iter().filter_map(compared).collect::<Vec<_>>())
        .text("Fact", |one| own(one.fact.replace('_', " ")))
        .text("Ranks", |one| if one.comparison.differs { "differ".into() } else { "agree".into() })
        .text("First difference", |one| {
            Cell::maybe(one.comparison.first.as_ref(), |first| match &first.compile_id {
                Some(id) => log(format!("number {}, in {}", first.index + 1, &**id)),
                None => own(format!("number {}", first.index + 1)),
            })
        })
        .listing("compared", "What ranks are compared by", "Nothing was compared.")
}
