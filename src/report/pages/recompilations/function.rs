//! The compiles of a function in order.

use crate::analysis::{Chain, Step};
use crate::model::Compile;
use crate::report::kit::changes::{change_of, marked};
use crate::report::kit::prelude::*;
use crate::report::pages::recompilations::evidence;
use crate::report::pages::recompilations::subject::ShownChain;

/// Compiles listed per function: with a raised limit, a function can have thousands.
const LISTED: usize = 64;

#[derive(Serialize)]
struct Recompiled {
    id: String,
    name: Html,
    place: Html,
    compiles: String,
    kept: String,
    over: bool,
    time: Option<String>,
    advice: Html,
    guard_place: Option<String>,
    guard_code: String,
}

pub(crate) fn section(
    view: View<'_>,
    subject: &ShownChain<'_>,
    room: &mut u64,
    out: &mut Vec<u8>,
) -> anyhow::Result<()> {
    let chain = subject.chain;
    let function = chain.function;
    let mut reasons = chain.steps.iter().flat_map(|step| &step.reasons);
    let source = reasons.find_map(|reason| reason.source.as_ref());
    let cards = chain.advice.iter().map(|one| view.fix_card(one));
    let advice = stacked(cards.collect::<anyhow::Result<Vec<_>>>()?);
    let head = Recompiled {
        id: subject.anchor.clone(),
        name: function.map_or_else(
            || Html::escaped("function not recorded"),
            |function| view.named_together(&subject.chain.compiles(), function),
        ),
        place: view.place_of_all(&subject.chain.compiles(), function).unwrap_or_default(),
        compiles: counted(chain.steps.len(), "compile", "compiles"),
        kept: format!("{} of {} kept", whole(chain.cached_versions()), whole(subject.limit)),
        over: chain.limit_hit(),
        time: chain.us.map(micros),
        advice,
        guard_place: source.map(|s| format!("{}:{}", short_path(&s.file), s.line)),
        guard_code: source.map(|s| s.code.clone()).unwrap_or_default(),
    };
    write_line(out, &view.render("recompiled", &head)?)?;
    table(view, subject, out)?;
    for step in chain.steps.iter().skip(1).take(LISTED) {
        evidence::fold(view, step, room, out)?;
    }
    Ok(close_section(out)?)
}

fn table(view: View<'_>, subject: &ShownChain<'_>, out: &mut Vec<u8>) -> anyhow::Result<()> {
    let chain = subject.chain;
    let columns = vec![
        TableColumn::compiles("Compile"),
        TableColumn::text("Changed"),
        TableColumn::unsorted("Value").mono().about("the value that was compiled for, and the new one"),
        TableColumn::text("Failed guard").soft(),
        TableColumn::compiles("Guard of"),
        TableColumn::number("Time").absent_if(times(view, chain).all(|us| us.is_none())),
    ];
    let id = format!("{}-table", subject.anchor);
    let label = chain.function.map_or("Compiles", |f| f.name.as_str());
    let table = Table { id: &id, label, columns };
    let rows = chain.steps.iter().take(LISTED).enumerate();
    let rows = rows.map(|(index, step)| row(view, chain, index, step));
    view.table(out, &table, rows)?;
    view.left_out(out, chain.steps.len(), LISTED, "compiles of this function are left out")
}

fn times(view: View<'_>, chain: &Chain<'_>) -> impl Iterator<Item = Option<f64>> {
    let model = view.report.model;
    chain.steps.iter().map(move |step| model.compiles.get(step.compile).and_then(Compile::compile_us))
}

fn row(view: View<'_>, chain: &Chain<'_>, index: usize, step: &Step<'_>) -> Row {
    let compiles = &view.report.model.compiles;
    let Some(compile) = compiles.get(step.compile) else { return Row::default() };
    let against = step.against.and_then(|against| Some((against, compiles.get(against)?)));
    let (changed, value, guard) = match (&step.change, index) {
        (Some(change), _) => {
            let guard = step.reason().map_or("", |reason| reason.guard.as_str());
            let changed = change.subject().unwrap_or_else(|| change.kind.word().to_owned());
            (view.folded(&changed, true), change_of(change), view.folded(guard, true))
        }
        (None, 0) => {
            let lead = chain.lead.as_ref().and_then(|(_, subject)| subject.as_deref());
            let value = chain.values.first().map(|value| marked("new", value));
            (
                soft(view.folded(lead.unwrap_or_default(), lead.is_some())),
                value.unwrap_or_default(),
                "first compile".into(),
            )
        }
        (None, _) => (UNKNOWN.into(), Html::default(), "no reason recorded".into()),
    };
    let limit = span("kind error", "limit reached, not compiled");
    let mut parts = vec![value];
    parts.extend(step.cause.is_some_and(|cause| cause.expected).then(|| soft("(expected)")));
    parts.extend(step.over_limit.then_some(limit));
    let value = Html::joined(parts, " ");
    Row::of(vec![
        TableCell::html(view.pill_beside(compile)).sorted(step.compile),
        TableCell::html(changed),
        TableCell::html(value),
        TableCell::html(guard).class("soft"),
        match against {
            Some((order, against)) => TableCell::html(view.pill_beside(against)).sorted(order),
            None => TableCell::default(),
        },
        TableCell::maybe(compile.compile_us(), micros),
    ])
    .anchored(format!("c{}", compile.folder(0)))
}
