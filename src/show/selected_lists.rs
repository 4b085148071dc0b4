//! The lists of a selection.

use super::select::{Counts, Selection};
use crate::facts::Performance;
use crate::report::doc::Listing;
use crate::report::doc::terminal::Table;
use crate::report::lists::{self, CountOf, FileOf, GeneratedKernel};

/// The lists in the order in which they are shown. A compile has lists of all kinds: those that are empty are named together,
/// in one sentence.
pub(super) fn selected_lists(selected: &Selection<'_>) -> (Vec<Table>, Option<String>) {
    let mut all: Vec<Listing<'_>> = Vec::new();
    let known = &selected.of_compiles;
    all.extend(selected.findings.clone().map(lists::findings));
    all.extend(selected.graph_breaks.clone().map(lists::graph_breaks));
    all.extend(selected.recompiles.clone().map(|rows| lists::recompiles(rows, known)));
    all.extend(selected.failures.clone().map(lists::failures));
    all.extend(selected.restarts.clone().map(lists::restarts));
    all.extend(selected.caches.clone().map(lists::cache_lookups));
    all.extend(selected.compiles.clone().map(|rows| lists::compiles(rows, known)));
    if let Some(time) = selected.compile_time {
        all.push(lists::parts(&time.parts, time.total_s));
        all.push(lists::phases(&time.phases));
    }
    all.extend(selected.files.as_deref().map(|files| {
        let file =
            files.iter().map(|one| FileOf { compile_id: one.compile_id.map(|id| &**id), path: one.path });
        lists::files(file.collect())
    }));
    all.extend(selected.kernels.as_deref().map(|kernels| {
        let kernel = kernels.iter().map(|one| GeneratedKernel {
            name: one.name,
            times: one.count,
            compiles: one.compile_id.iter().map(|id| &***id).collect(),
        });
        lists::generated_kernels(kernel.collect())
    }));
    let measured = selected.measured_kernels.clone().flatten().filter(|all| !all.is_empty());
    all.extend(measured.map(lists::measured_kernels));
    all.extend(selected.performance.into_iter().flat_map(|found| performance(found.as_ref())));
    all.extend(selected.hints.clone().map(lists::hints));
    all.extend(selected.counts.as_ref().map(|counts| lists::overview(overview(counts))));
    let is_of_compiles = selected.compiles.is_some() && selected.findings.is_some();
    let (empty, shown): (Vec<_>, Vec<_>) = all.iter().partition(|list| is_of_compiles && list.count() == 0);
    let names = empty.iter().map(|list| list.empty.trim_start_matches("No ").trim_end_matches('.'));
    let missing = match names.collect::<Vec<_>>().as_slice() {
        [] => None,
        [one] => Some(format!("No {one}.")),
        [before @ .., last] => Some(format!("No {} or {last}.", before.join(", "))),
    };
    (shown.into_iter().map(Table::of).collect(), missing)
}

fn performance<'m>(found: Option<&'m Performance<'m>>) -> Vec<Listing<'m>> {
    let mut all = vec![lists::summary(found)];
    if let Some(found) = found {
        all.push(lists::stands_out(&found.stands_out));
        all.push(lists::measured_lines(&found.lines));
        all.push(lists::measured_kernels(found.kernels.iter().collect()));
    }
    all
}

fn overview(counts: &Counts) -> Vec<CountOf> {
    let of = |what, count: usize| CountOf { what, shown: count.to_string() };
    let seconds = counts.compile_seconds.map_or_else(|| "-".to_owned(), |all| format!("{all:?}"));
    vec![
        of("compiles", counts.compiles),
        of("graph breaks", counts.graph_breaks),
        of("recompiles", counts.recompiles),
        of("failures", counts.failures),
        of("restarts", counts.restarts),
        of("caches", counts.caches),
        CountOf { what: "compile seconds", shown: seconds },
    ]
}
