//! Calls of compiled code, and operators by the shapes of their inputs.

use super::{figures, names};
use crate::analysis::performance::{MeasuredOperator, Performance};
use crate::report::kit::formats::{bytes, micros, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{close_section, note_below};
use crate::report::kit::measured::heat;
use crate::report::kit::tables::{Head, Row, Table, Td};
use crate::report::kit::view::View;
use crate::trace::CompileId;
use std::io::Write;

/// Operators in the table, the longest first.
const MOST_OPERATORS: usize = 1_000;

/// Writes the section on calls of compiled code.
pub(super) fn write(view: View<'_>, found: &Performance, out: &mut dyn Write) -> anyhow::Result<()> {
    if found.regions.is_empty() {
        return Ok(());
    }
    let note = "calls of compiled code, timed on the CPU: guards are checked before, kernels of a device may run on after";
    let count = Some(whole(found.regions.len()));
    view.open_section(out, ("regions", "Compiled regions", note), count, Html::default())?;
    let heads = vec![
        Head::compiles("Compile"),
        Head::number("Calls"),
        Head::number("Sum"),
        Head::number("First call"),
        Head::number("Median call"),
    ];
    let table = Table { id: "regions-table", label: "Calls of compiled code", heads };
    let rows = found.regions.iter().map(|region| {
        let compile = match CompileId::parse(&region.compile_id) {
            Some(id) => Td::html(view.pill_of(Some(&id))?),
            None => Td::text(&region.compile_id),
        };
        Ok(Row::of(vec![
            compile,
            Td::number(region.calls as f64, &whole(region.calls)),
            Td::number(region.sum_us, &micros(region.sum_us)),
            Td::number(region.first_us, &micros(region.first_us)),
            Td::number(region.median_us, &micros(region.median_us)),
        ]))
    });
    view.table(out, &table, rows)?;
    let slow =
        found.regions.iter().any(|region| region.calls > 2 && region.first_us > 1.5 * region.median_us);
    if slow {
        note_below(
            out,
            "A first call that is much slower than the others pays for the start of the recorder, or for memory that is allocated once: judge by the median.",
        )?;
    }
    Ok(close_section(out)?)
}

/// Writes the section on operators.
pub(super) fn operators(view: View<'_>, found: &Performance, out: &mut dyn Write) -> anyhow::Result<()> {
    let all = &found.operators;
    if all.is_empty() {
        return Ok(());
    }
    let note = "all device time that an operator's calls launched, by the shapes of its inputs";
    view.open_section(out, ("operators", "Operators", note), Some(whole(all.len())), Html::default())?;
    let none = |known: fn(&MeasuredOperator) -> bool| !all.iter().any(known);
    let heads = vec![
        Head::text("Operator").mono(),
        Head::text("Inputs").mono().absent_if(none(|operator| !operator.dims.is_empty())),
        Head::number("Calls"),
        Head::number("Sum"),
        Head::number("FLOPs").about("of one call").absent_if(none(|operator| operator.flops.is_some())),
        Head::number("Bytes")
            .about("that one call must move at least")
            .absent_if(none(|operator| operator.bytes.is_some())),
        Head::number("FLOP rate").absent_if(none(|operator| operator.flops.is_some())),
    ];
    let table = Table { id: "operators-table", label: "Operators", heads };
    let shown: Vec<&MeasuredOperator> = all.iter().take(MOST_OPERATORS).collect();
    let count = shown.len();
    let longest = all.first().map_or(0.0, |operator| operator.sum_us);
    let rows = shown.into_iter().map(|operator| Ok(operator_row(operator, longest)));
    view.table(out, &table, rows)?;
    view.beyond(out, all.len(), count, "operators")?;
    Ok(close_section(out)?)
}

fn operator_row(operator: &MeasuredOperator, longest: f64) -> Row {
    let calls = operator.count as f64;
    let rate =
        operator.flops.filter(|_| operator.sum_us > 0.0).map(|flops| flops * calls / operator.sum_us / 1e6);
    Row::of(vec![
        Td::text(&operator.name),
        Td::text(&names::inputs(&operator.dims)),
        Td::number(calls, &whole(operator.count)),
        heat(micros(operator.sum_us).into(), operator.sum_us, operator.sum_us, longest),
        Td::maybe(operator.flops, figures::flop_count),
        Td::maybe(operator.bytes, bytes),
        Td::maybe(rate, figures::flop_rate),
    ])
}
