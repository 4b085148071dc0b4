//! What a call of compiled code consists of: its first calls one by one, and the kernels that ran within it.

use super::names;
use crate::analysis::performance::{MeasuredKernel, MeasuredRegion, Performance};
use crate::report::kit::measured::heat;
use crate::report::kit::prelude::*;
use crate::trace::CompileId;

/// Regions whose calls and kernels are told, the longest first.
const MOST_REGIONS: usize = 8;
/// Calls that are told one by one; the others have one row.
const SINGLE_CALLS: usize = 8;
/// Kernels of a region, the longest first; the others have one row.
const MOST_KERNELS: usize = 8;
/// Characters of a kernel's name.
const LONGEST_NAME: usize = 64;

/// Writes the first calls of each region with a bar for the time of each, to hold the first against the later ones.
pub(super) fn single_calls(
    view: View<'_>,
    regions: &[MeasuredRegion],
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let told: Vec<&MeasuredRegion> =
        regions.iter().filter(|region| region.calls > 1).take(MOST_REGIONS).collect();
    if told.is_empty() {
        return Ok(());
    }
    heading(out, "Single calls: the first against later ones")?;
    let heads = vec![Head::compiles("Compile"), Head::number("Call"), Head::number("Time of a call")];
    let table = Table { id: "region-calls", label: "Single calls of compiled code", heads };
    let mut rows = Vec::new();
    for region in told {
        let shown = region.first_calls_us.iter().take(SINGLE_CALLS);
        let longest = shown.clone().copied().fold(0.0, f64::max);
        for (place, us) in (1_usize..).zip(shown) {
            rows.push(Row::of(vec![
                compile_cell(view, region)?,
                Td::number(place as f64, &whole(place)),
                heat(micros(*us).into(), *us, *us, longest),
            ]));
        }
        let single: f64 = region.first_calls_us.iter().take(SINGLE_CALLS).sum();
        let others = region.calls.saturating_sub(SINGLE_CALLS);
        if others > 0 {
            let mean = ((region.sum_us - single) / others as f64).max(0.0);
            rows.push(Row::of(vec![
                compile_cell(view, region)?,
                Td::number((SINGLE_CALLS + 1) as f64, &format!("mean of {} others", whole(others))),
                heat(micros(mean).into(), mean, mean, longest.max(mean)),
            ]));
        }
    }
    view.table(out, &table, rows.into_iter().map(Ok))
}

/// Writes the kernels that ran within each region.
pub(super) fn kernels(view: View<'_>, found: &Performance, out: &mut dyn Write) -> anyhow::Result<()> {
    let told = found.regions.iter().filter(|region| !region.kernels.is_empty()).take(MOST_REGIONS);
    let mut rows = Vec::new();
    for region in told {
        let longest = region.kernels.first().map_or(0.0, |kernel| kernel.sum_us);
        for part in region.kernels.iter().take(MOST_KERNELS) {
            let Some(kernel) = found.kernels.get(part.kernel) else { continue };
            rows.push(Row::of(vec![
                compile_cell(view, region)?,
                kernel_cell(view, part.kernel, kernel),
                Td::number(part.count as f64, &whole(part.count)),
                heat(micros(part.sum_us).into(), part.sum_us, part.sum_us, longest),
            ]));
        }
        let others = region.kernels.get(MOST_KERNELS..).unwrap_or_default();
        if !others.is_empty() {
            let sum_us: f64 = others.iter().map(|part| part.sum_us).sum();
            let count: usize = others.iter().map(|part| part.count).sum();
            rows.push(Row::of(vec![
                compile_cell(view, region)?,
                Td::text(&format!("{} other kernels together", whole(others.len()))),
                Td::number(count as f64, &whole(count)),
                heat(micros(sum_us).into(), sum_us, sum_us, longest.max(sum_us)),
            ]));
        }
    }
    if rows.is_empty() {
        return Ok(());
    }
    heading(out, "Kernels within a region")?;
    let heads = vec![
        Head::compiles("Compile"),
        Head::text("Kernel").mono(),
        Head::number("Runs"),
        Head::number("Sum"),
    ];
    let table = Table { id: "region-kernels", label: "Kernels within compiled regions", heads };
    view.table(out, &table, rows.into_iter().map(Ok))
}

/// A kernel with the shapes of its inputs, which tell it from others of its name.
fn kernel_cell(view: View<'_>, place: usize, kernel: &MeasuredKernel) -> Td {
    let name = names::short(&kernel.name, LONGEST_NAME);
    let shown = match links::measured_kernel(view, place) {
        Some(href) => view.link(&href, &name),
        None => Html::escaped(&name),
    };
    let mut pieces = vec![titled(&kernel.name, shown)];
    let inputs = names::inputs(&kernel.inputs);
    if !inputs.is_empty() {
        pieces.push(soft(inputs));
    }
    Td::html(Element::new("div").class("long-name").around(Html::joined(pieces, " ")))
}

/// The compile whose code a region runs.
pub(super) fn compile_cell(view: View<'_>, region: &MeasuredRegion) -> anyhow::Result<Td> {
    let id = CompileId::parse(&region.compile_id);
    let compile = match &id {
        Some(id) => Td::html(view.pill_of(Some(id))?),
        None => Td::text(&region.compile_id),
    };
    let place = id.and_then(|id| view.report.model.by_id.get(&Some(id)));
    Ok(match place {
        Some(place) => compile.sorted(place),
        None => compile,
    })
}
