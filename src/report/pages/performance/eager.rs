//! Operators that ran outside of compiled code.

use crate::analysis::performance::{Backend, MeasuredKernel, Performance};
use crate::model::short_kernel;
use crate::report::kit::links::{MOST_MEASURED, measured_kernel_anchor};
use crate::report::kit::prelude::*;
use indexmap::IndexMap;

/// Operators in the table.
const MOST_OPERATORS: usize = 500;
/// Characters of a name.
const LONGEST_NAME: usize = 80;

/// An operator with the time of its kernels.
#[derive(Default)]
pub(super) struct EagerOperator {
    runs: usize,
    us: f64,
    /// The place of its longest kernel.
    first: usize,
}

/// What ran outside of compiled code, the longest first; empty if nothing was compiled, as everything was eager then.
pub(super) fn operators(found: &Performance) -> IndexMap<&str, EagerOperator> {
    let mut all: IndexMap<&str, EagerOperator> = IndexMap::new();
    if found.time.compiled_us <= 0.0 {
        return all;
    }
    let eager = |(_, kernel): &(usize, &MeasuredKernel)| kernel.backend == Backend::Eager;
    for (place, kernel) in found.kernels.iter().enumerate().filter(eager) {
        let name = kernel.operator().unwrap_or(&kernel.name);
        let operator = all.entry(name).or_insert(EagerOperator { first: place, ..EagerOperator::default() });
        operator.runs += kernel.count;
        operator.us += kernel.sum_us;
    }
    all.sort_by(|_, left, _, right| right.us.total_cmp(&left.us));
    all
}

/// Writes the section.
pub(super) fn write(view: View<'_>, found: &Performance, out: &mut dyn Write) -> anyhow::Result<()> {
    let all = operators(found);
    if all.is_empty() {
        return Ok(());
    }
    let note = "what ran outside of compiled code: a loss, an optimizer, code at graph breaks";
    view.open_section(out, ("eager", "Eager operators", note), Some(whole(all.len())), Html::default())?;
    let columns = vec![
        TableColumn::text("Operator").mono(),
        TableColumn::number("Time"),
        TableColumn::number("Of busy time"),
        TableColumn::number("Runs").about("of its kernels"),
    ];
    let table = Table { id: "eager-table", label: "Eager operators", columns };
    let longest = all.values().next().map_or(0.0, |operator| operator.us);
    let rows = all.iter().take(MOST_OPERATORS).map(|(name, operator)| {
        let short = short_kernel(name, LONGEST_NAME);
        let row =
            (operator.first < MOST_MEASURED).then(|| format!("#{}", measured_kernel_anchor(operator.first)));
        let shown = view.link_if(row.as_deref(), &short);
        Row::of(vec![
            TableCell::html(Element::new("div").class("long-name").around(titled(name, shown))),
            TableCell::heat(operator.us, longest),
            TableCell::number(operator.us, &percent(operator.us, found.time.busy_us, true)),
            TableCell::count(operator.runs),
        ])
    });
    view.table(out, &table, rows)?;
    view.beyond(out, all.len(), all.len().min(MOST_OPERATORS), "operators")?;
    note_below(out, format!("{} in all.", micros(all.values().map(|operator| operator.us).sum())))?;
    Ok(close_section(out)?)
}
