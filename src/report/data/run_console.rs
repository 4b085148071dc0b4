//! What the console of a run says, as `report.json` has it.

use super::entries::{id, line};
use crate::analysis::run_console::{exceptions, place_of};
use crate::facts::{
    Console, ConsoleException, ConsoleGraphs, ConsoleHint, ConsoleObstacle, List, Text, maybe,
};
use crate::model::{self, Hint, SeenObstacle};
use crate::report::subject::Report;
use crate::trace::CompileId;

/// None where nothing was printed that this program reads.
pub(super) fn console(report: Report<'_>) -> Option<Console<'_>> {
    let console = report.model.console.as_ref()?;
    let says = !(console.exceptions.is_empty() && console.graphs.is_empty() && console.hints.is_empty());
    (says || console.of_others > 0).then(|| Console {
        exceptions: List::made(move || of_exceptions(report)),
        cuda_graphs: List::made(move || graphs(report)),
        hints: List::made(move || hints(report)),
        of_others: console.of_others,
    })
}

pub(crate) fn hints(report: Report<'_>) -> impl Iterator<Item = ConsoleHint<'_>> {
    report.model.console.iter().flat_map(|console| &console.hints).map(hint)
}

fn of_exceptions(report: Report<'_>) -> impl Iterator<Item = ConsoleException<'_>> {
    exceptions(report.model).map(move |one| {
        let compile = one.generated.and_then(|(index, _)| report.model.compiles.get(index));
        ConsoleException {
            error: (&*one.exception.error).into(),
            message: (&*one.exception.message).into(),
            file: one.place.file.clone().map(Into::into),
            line: line(one.place.line),
            function: one.place.function.clone().map(Into::into),
            compile_id: compile.and_then(|compile| id(&compile.id)),
            in_log: one.failure.is_some(),
            went_on: one.exception.went_on,
        }
    })
}

/// What is joined with a compile, then what is said of compiles that asked for no CUDA graph, and of none.
fn graphs(report: Report<'_>) -> impl Iterator<Item = ConsoleGraphs<'_>> {
    let on_device = &report.found.on_device;
    let joined = on_device.iter().filter_map(move |(index, of)| {
        let compile = report.model.compiles.get(index)?;
        Some(of_compile(&compile.id, of.cuda_graphs.as_ref()?.seen.as_ref()?))
    });
    let all = report.model.console.iter().flat_map(|console| &console.graphs);
    let unasked = all.filter(|one| !one.were_asked_for()).map(|one| of_compile(&one.compile, one));
    let apart = on_device.apart.were_asked_for().then(|| of_compile(&None, &on_device.apart));
    joined.chain(unasked).chain(apart)
}

fn of_compile<'m>(compile: &'m Option<CompileId>, seen: &'m model::ConsoleGraphs) -> ConsoleGraphs<'m> {
    ConsoleGraphs {
        compile_id: id(compile),
        parts: seen.parts,
        other_parts: seen.other_parts,
        recordings: seen.recordings,
        sizes: seen.sizes.len() as u64,
        outside: List::made(move || seen.outside.iter().map(obstacle)),
        skipped: List::made(move || seen.skipped.iter().map(obstacle)),
        again: List::made(move || seen.again.iter().map(Text::from)),
    }
}

fn obstacle(one: &SeenObstacle) -> ConsoleObstacle<'_> {
    let place = place_of(one);
    ConsoleObstacle {
        operator: maybe(Some(&*one.operator).filter(|operator| !operator.is_empty())),
        reason: (&*one.reason).into(),
        count: one.count,
        file: place.file.map(Into::into),
        line: line(place.line),
    }
}

fn hint(one: &Hint) -> ConsoleHint<'_> {
    ConsoleHint { compile_id: id(&one.compile), text: (&*one.text).into(), count: one.count }
}
