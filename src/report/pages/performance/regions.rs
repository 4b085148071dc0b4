//! Calls of compiled code, and operators by the shapes of their inputs.

use crate::analysis::performance::Performance;
use crate::facts::{Operator, Region};
use crate::limits::LISTED;
use crate::model::input_words;
use crate::report::kit::prelude::*;
use crate::report::words::performance::figures;
use crate::trace::CompileId;

/// Writes the section on calls of compiled code.
pub(super) fn write(view: View<'_>, found: &Performance, out: &mut dyn Write) -> anyhow::Result<()> {
    if found.regions.is_empty() {
        return Ok(());
    }
    let note = "calls of compiled code, timed on the CPU: guards run before them, and device kernels may finish after them";
    let count = Some(whole(found.regions.len()));
    view.open_section(out, ("regions", "Compiled regions", note), count, Html::default())?;
    let all = &found.regions;
    let none = |known: fn(&Region<'_>) -> bool| !all.iter().any(known);
    let columns = vec![
        TableColumn::compiles("Compile"),
        TableColumn::number("Calls"),
        TableColumn::number("Sum"),
        TableColumn::number("First call"),
        TableColumn::number("Median of the others")
            .absent_if(none(|region| region.later_median_us.is_some())),
        TableColumn::number("Guards")
            .about("before the calls: searching for compiled code whose guards hold")
            .absent_if(none(|region| region.guards_us.is_some())),
        TableColumn::number("Graphs")
            .about("in graphs compiled by Inductor: kernels, or their launches on a GPU")
            .absent_if(none(|region| region.graphs_us.is_some())),
        TableColumn::number("Wrapper")
            .about("outside of graphs, operators and other compiled code")
            .absent_if(none(|region| region.wrapper_us.is_some())),
    ];
    let table = Table { id: "regions-table", label: "Calls of compiled code", columns };
    let longest = all.iter().map(|region| region.sum_us).fold(0.0, f64::max);
    let shown = all.iter().take(LISTED);
    view.table(out, &table, shown.map(|region| region_row(view, region, longest)))?;
    view.beyond(out, all.len(), LISTED, "regions")?;
    Ok(close_section(out)?)
}

fn region_row(view: View<'_>, region: &Region<'_>, longest: f64) -> Row {
    let id = CompileId::parse(&region.compile_id);
    let compile = match &id {
        Some(id) => TableCell::html(view.pill_of(Some(id))),
        None => TableCell::text(&region.compile_id),
    };
    let place = id.and_then(|id| view.report.model.by_id.get(&Some(id)));
    let compile = match place {
        Some(place) => compile.sorted(place),
        None => compile,
    };
    Row::of(vec![
        compile,
        TableCell::count(region.calls),
        TableCell::heat(region.sum_us, longest),
        TableCell::time(region.first_us),
        TableCell::maybe(region.later_median_us, micros),
        TableCell::maybe(region.guards_us, micros),
        TableCell::maybe(region.graphs_us, micros),
        TableCell::maybe(region.wrapper_us, micros),
    ])
}

/// The operators of a device. On a CPU each is its own kernel, so the table of kernels lists them.
pub(super) fn shown_operators(found: &Performance) -> &[Operator<'static>] {
    if found.on_device { &found.operators } else { &[] }
}

/// Writes the section on operators.
pub(super) fn operators(view: View<'_>, found: &Performance, out: &mut dyn Write) -> anyhow::Result<()> {
    let all = shown_operators(found);
    if all.is_empty() {
        return Ok(());
    }
    let note = "device time launched by each operator's calls, by input shapes";
    view.open_section(out, ("operators", "Operators", note), Some(whole(all.len())), Html::default())?;
    let none = |known: fn(&Operator<'_>) -> bool| !all.iter().any(known);
    let columns = vec![
        TableColumn::text("Operator").mono(),
        TableColumn::text("Inputs").mono().absent_if(none(|operator| !operator.input_dims.is_empty())),
        TableColumn::number("Calls"),
        TableColumn::number("Sum"),
        TableColumn::number("FLOPs")
            .about("of one call")
            .absent_if(none(|operator| operator.flops.is_some())),
        TableColumn::number("Bytes")
            .about("the minimum that one call moves")
            .absent_if(none(|operator| operator.bytes.is_some())),
        TableColumn::number("FLOP rate").absent_if(none(|operator| operator.flops.is_some())),
    ];
    let table = Table { id: "operators-table", label: "Operators", columns };
    let longest = all.first().map_or(0.0, |operator| operator.kernel_us_sum);
    let rows = all.iter().take(LISTED).map(|operator| operator_row(operator, longest));
    view.table(out, &table, rows)?;
    view.beyond(out, all.len(), LISTED, "operators")?;
    Ok(close_section(out)?)
}

fn operator_row(operator: &Operator<'_>, longest: f64) -> Row {
    Row::of(vec![
        TableCell::text(&operator.op).class("kernel-name"),
        TableCell::text(&input_words(&operator.input_dims)).class("kernel-name"),
        TableCell::number(operator.count as f64, &whole(operator.count)),
        TableCell::heat(operator.kernel_us_sum, longest),
        TableCell::maybe(operator.flops, figures::flop_count),
        TableCell::maybe(operator.bytes, figures::byte_count),
        TableCell::maybe(operator.tflops, figures::flop_rate),
    ])
}
