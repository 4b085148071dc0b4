//! The lists of a job: its ranks, and what they are compared by.

use crate::facts::{Comparison, Divergence, Rank};
use crate::report::doc::{Cell, Listing, Rows, count, log, own, seconds};
use std::ops::Deref;

pub(crate) fn ranks<'m>(all: Vec<&'m Rank<'m>>) -> Listing<'m> {
    rank_columns(Rows::of(all), |one| one).listing("ranks", "Ranks", "No ranks.")
}

/// Adds the columns of a rank.
pub(crate) fn rank_columns<'m, R: 'm, L: Deref<Target = [R]>>(
    rows: Rows<'m, R, L>,
    rank: for<'r> fn(&'r R) -> &'r Rank<'m>,
) -> Rows<'m, R, L> {
    rows.number("Rank", move |one| count(Some(rank(one).rank)))
        .text("State", move |one| log(rank(one).state.to_string()))
        .number("Compiles", move |one| count(rank(one).compiles))
        .number("Breaks", move |one| count(rank(one).graph_breaks))
        .number("Recompiles", move |one| count(rank(one).recompiles))
        .number("Failures", move |one| count(rank(one).failures))
        .number("Compile time", move |one| seconds(rank(one).compile_time_s))
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
