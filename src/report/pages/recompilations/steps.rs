//! The compiles of a function in order.

use super::function::Recompiled;
use crate::analysis::Step;
use crate::limits::LONG_LIST;
use crate::report::doc::{Cell, Listing, Others, Rows, micros};
use crate::report::kit::changes::{change_of, marked};
use crate::report::subject::Report;

pub(super) fn table<'m>(report: Report<'m>, one: &'m Recompiled<'m>) -> Listing<'m> {
    let chain = one.chain;
    let compiles = &report.model.compiles;
    let beside = |compile| Cell::maybe(compile, Cell::CompileBeside);
    let is_first = |step: &Step<'_>| chain.steps.first().is_some_and(|first| first.compile == step.compile);
    Rows::of(chain.steps.as_slice())
        .compile("Compile", move |step| beside(compiles.get(step.compile)))
        .text("Changed", move |step| match (&step.change, &chain.lead) {
            (Some(change), _) => {
                Cell::Code(change.subject().unwrap_or_else(|| change.kind.word().to_owned()).into())
            }
            (None, Some((_, Some(subject)))) if is_first(step) => Cell::Code(subject.into()).class("soft"),
            _ => Cell::Unknown,
        })
        .unsorted("Value", move |step| {
            let mut pieces = match (&step.change, chain.values.first()) {
                (Some(change), _) => vec![change_of(change)],
                (None, Some(value)) if is_first(step) => vec![marked("new", value)],
                _ => Vec::new(),
            };
            pieces.extend(step.cause.is_some_and(|cause| cause.expected).then(|| "(expected)".into()));
            let limit = Cell::from("limit reached, not compiled").class("kind error");
            pieces.extend(step.over_limit.then_some(limit));
            if pieces.is_empty() { Cell::Unknown } else { Cell::Beside(pieces, " ") }
        })
        .explained("the value that was compiled for, and the new one")
        .mono()
        .text("Failed guard", move |step| match (step.reason(), &step.change) {
            (Some(reason), Some(_)) => Cell::Code(reason.guard.as_str().into()).class("soft"),
            _ if is_first(step) => Cell::from("first compile").class("soft"),
            _ => Cell::from("no reason recorded").class("soft"),
        })
        .compile("Guard of", move |step| beside(step.against.and_then(|against| compiles.get(against))))
        .number("Time", move |step| micros(compiles.get(step.compile).and_then(|one| one.compile_us())))
        .anchored(move |_, step| Some(format!("c{}", compiles.get(step.compile)?.folder(0))))
        .first(LONG_LIST, Others::Elsewhere("compiles of this function are left out"))
        .listing(one.anchor.clone(), chain.function.map_or("Compiles", |function| &function.name), "")
}
