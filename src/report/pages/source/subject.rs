//! What the page shows, from all its sources.

use super::operators::Operators;
use super::text::Text;
use crate::analysis::lines::{LineFacts, Lines};
use crate::analysis::performance::MeasuredLine;
use crate::report::kit::collect_kernels::kernels_of_log;
use crate::report::kit::inductor_runs;
use crate::report::kit::kernel_list::Kernels;
use crate::report::subject::Report;
use fxhash::{FxHashMap, FxHashSet};

/// What the page shows.
pub(super) struct ShownSource<'r> {
    pub(super) report: Report<'r>,
    pub(super) lines: &'r Lines,
    pub(super) texts: Vec<Text>,
    pub(super) operators: Operators,
    pub(super) kernels: &'r Kernels,
    /// Kernels of each line: places among `kernels`.
    of_line: FxHashMap<(usize, u64), Vec<usize>>,
}

impl<'r> ShownSource<'r> {
    pub(super) fn of(report: Report<'r>, texts: Vec<Text>) -> anyhow::Result<ShownSource<'r>> {
        let (lines, kernels) = (&report.found.lines, kernels_of_log(report)?);
        let of_line = kernels_by_line(report, lines, kernels);
        Ok(ShownSource { report, lines, texts, operators: Operators::read(report)?, kernels, of_line })
    }

    pub(super) fn kernels_of(&self, file: usize, line: u64) -> &[usize] {
        self.of_line.get(&(file, line)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn measured(&self, line: &LineFacts) -> Option<&'r MeasuredLine> {
        self.report.found.performance.as_ref()?.lines.get(line.measured?)
    }
}

/// Where a graph came from a cache, its comments name the lines of the compile that filled the cache: only lines that Dynamo
/// captured this time count.
fn kernels_by_line(
    report: Report<'_>,
    lines: &Lines,
    kernels: &Kernels,
) -> FxHashMap<(usize, u64), Vec<usize>> {
    let runs = inductor_runs::all(report);
    let cached: FxHashSet<usize> = (0..runs.len())
        .filter(|at| runs.get(*at).is_some_and(|run| run.run.is_from_cache(run.compile)))
        .collect();
    let mut of_line: FxHashMap<(usize, u64), Vec<usize>> = FxHashMap::default();
    for ((file, number), line) in &kernels.lines {
        let Some((file, facts)) = lines.find(file, *number) else { continue };
        let is_of_run = |run: usize| {
            let compile = runs.get(run).and_then(|run| report.model.by_id.get(&run.compile.id));
            !cached.contains(&run) || compile.is_some_and(|compile| facts.captured_in.contains(compile))
        };
        for one in &line.kernels {
            if kernels.kernels.get(one.kernel).is_some_and(|kernel| is_of_run(kernel.run)) {
                of_line.entry((file, *number)).or_default().push(one.kernel);
            }
        }
    }
    of_line
}
