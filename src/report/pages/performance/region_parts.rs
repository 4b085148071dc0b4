//! The first calls of a compiled region one by one, and the kernels that ran in it.

use crate::analysis::performance::{MeasuredKernel, MeasuredRegion, Performance};
use crate::model::{input_words, short_kernel};
use crate::report::kit::prelude::*;
use crate::trace::CompileId;

/// Regions whose calls and kernels are listed, the longest first.
const MOST_REGIONS: usize = 8;
/// Calls that are listed one by one; the others share a row.
const SINGLE_CALLS: usize = 8;
/// Kernels of a region, the longest first; the others share a row.
const MOST_KERNELS: usize = 8;
/// Characters of a kernel's name.
const LONGEST_NAME: usize = 64;

/// Writes the first calls of each region with their times as bars, to compare the first with later ones.
pub(super) fn single_calls(
    view: View<'_>,
    regions: &[MeasuredRegion],
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for region in regions.iter().filter(|region| region.calls > 1).take(MOST_REGIONS) {
        let shown = region.first_calls_us.iter().take(SINGLE_CALLS);
        let longest = shown.clone().copied().fold(0.0, f64::max);
        for (place, us) in (1_usize..).zip(shown) {
            rows.push(Row::of(vec![
                compile_cell(view, region),
                TableCell::count(place),
                TableCell::heat(*us, longest),
            ]));
        }
        let single: f64 = region.first_calls_us.iter().take(SINGLE_CALLS).sum();
        let others = region.calls.saturating_sub(SINGLE_CALLS);
        if others > 0 {
            let mean = ((region.sum_us - single) / others as f64).max(0.0);
            rows.push(Row::of(vec![
                compile_cell(view, region),
                TableCell::number((SINGLE_CALLS + 1) as f64, &format!("mean of {} others", whole(others))),
                TableCell::heat(mean, longest.max(mean)),
            ]));
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    heading(out, "Single calls: the first against later ones")?;
    let columns = vec![
        TableColumn::compiles("Compile"),
        TableColumn::number("Call"),
        TableColumn::number("Time of a call"),
    ];
    let table = Table { id: "region-calls", label: "Single calls of compiled code", columns };
    view.table(out, &table, rows.into_iter())
}

/// Writes the kernels that ran within each region.
pub(super) fn kernels(view: View<'_>, found: &Performance, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    for region in found.regions.iter().filter(|region| !region.kernels.is_empty()).take(MOST_REGIONS) {
        let longest = region.kernels.first().map_or(0.0, |kernel| kernel.sum_us);
        for part in region.kernels.iter().take(MOST_KERNELS) {
            let Some(kernel) = found.kernels.get(part.kernel) else { continue };
            rows.push(Row::of(vec![
                compile_cell(view, region),
                kernel_cell(view, part.kernel, kernel),
                TableCell::count(part.count),
                TableCell::heat(part.sum_us, longest),
            ]));
        }
        let others = region.kernels.get(MOST_KERNELS..).unwrap_or_default();
        if !others.is_empty() {
            let sum_us: f64 = others.iter().map(|part| part.sum_us).sum();
            let count: usize = others.iter().map(|part| part.count).sum();
            rows.push(Row::of(vec![
                compile_cell(view, region),
                TableCell::text(&format!("{} other kernels together", whole(others.len()))),
                TableCell::count(count),
                TableCell::heat(sum_us, longest.max(sum_us)),
            ]));
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    heading(out, "Kernels within a region")?;
    let columns = vec![
        TableColumn::compiles("Compile"),
        TableColumn::text("Kernel").mono(),
        TableColumn::number("Runs"),
        TableColumn::number("Sum"),
    ];
    let table = Table { id: "region-kernels", label: "Kernels within compiled regions", columns };
    view.table(out, &table, rows.into_iter())
}

/// A kernel with the shapes of its inputs, which distinguish it from others with the same name.
fn kernel_cell(view: View<'_>, place: usize, kernel: &MeasuredKernel) -> TableCell {
    let name = short_kernel(kernel.shown_name(), LONGEST_NAME);
    let shown = view.link_if(links::measured_kernel(view, place).as_deref(), &name);
    let mut pieces = vec![titled(&kernel.name, shown)];
    let inputs = input_words(&kernel.inputs);
    pieces.extend((!inputs.is_empty()).then(|| soft(inputs)));
    TableCell::html(Element::new("div").class("long-name").around(Html::joined(pieces, " ")))
}

/// The compile whose code a region runs.
pub(super) fn compile_cell(view: View<'_>, region: &MeasuredRegion) -> TableCell {
    let id = CompileId::parse(&region.compile_id);
    let compile = match &id {
        Some(id) => TableCell::html(view.pill_of(Some(id))),
        None => TableCell::text(&region.compile_id),
    };
    let place = id.and_then(|id| view.report.model.by_id.get(&Some(id)));
    match place {
        Some(place) => compile.sorted(place),
        None => compile,
    }
}
