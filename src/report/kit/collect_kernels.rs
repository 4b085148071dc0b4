//! Collects the kernels of all Inductor runs; each run is read from the log once, for all pages that show kernels.

use crate::analysis::performance::estimated_runtimes;
use crate::analysis::provenance::{KernelCall, Provenance};
use crate::model::{Compile, TritonKernel};
use crate::report::kit::formats::is_library;
use crate::report::kit::inductor_runs::{self, Run, texts_of};
use crate::report::kit::kernel_list::{CallPlace, CallsTime, Kernel, Kernels, LineKernel};
use crate::report::kit::measured::calls_of;
use crate::report::kit::provenance_anchors::{kernel_anchors, source_anchors};
use crate::report::subject::Report;
use crate::trace::TextMap;
use anyhow::anyhow;
use fxhash::FxHashSet;

/// The kernels of the log. They refer to its runs by their place among [`inductor_runs::all`].
pub(crate) fn kernels_of_log(report: Report<'_>) -> anyhow::Result<&Kernels> {
    let collect =
        || Kernels::collect(report, &inductor_runs::all(report)).map_err(|error| format!("{error:#}"));
    report.cached.kernels.get_or_init(collect).as_ref().map_err(|why| anyhow!("{why}"))
}

impl Kernels {
    fn collect(report: Report<'_>, runs: &[Run<'_>]) -> anyhow::Result<Kernels> {
        let mut found = Kernels::default();
        for (index, run) in runs.iter().enumerate().filter(|(_, run)| !run.run.code.is_empty()) {
            found.add_run(report, (index, run))?;
            found.without_data += usize::from(!run.run.has_data(run.compile));
        }
        found.sort_lines();
        Ok(found)
    }

    fn add_run(&mut self, report: Report<'_>, (index, run): (usize, &Run<'_>)) -> anyhow::Result<()> {
        let known = texts_of(report, run)?.provenance();
        let tuning = tuning(run.compile);
        let runtimes = estimated_runtimes(run.compile, &run.run, &|at| report.payload(at))?;
        let mut places: TextMap<&str, usize> = TextMap::default();
        let mut seen: FxHashSet<(usize, usize)> = FxHashSet::default();
        let sources = source_anchors(&known);
        let mut measured = calls_of(report, run).iter().peekable();
        for ((at, call), anchor) in known.kernels.iter().enumerate().zip(kernel_anchors(&known)) {
            let called = CallPlace { anchor, file: call.file, line: call.line };
            let place = *places.entry(&call.kernel).or_insert_with(|| {
                let tuning = tuning.get(call.kernel.as_str()).map(|kernel| Box::new((*kernel).clone()));
                let runtime_ns = runtimes.get(&call.kernel).map(|estimate| estimate.ns);
                self.kernels.push(Kernel {
                    tuning,
                    runtime_ns,
                    ..Kernel::new((index, at), called.clone(), call)
                });
                self.kernels.len() - 1
            });
            let Some(kernel) = self.kernels.get_mut(place) else { continue };
            kernel.calls += 1;
            while let Some(timed) = measured.next_if(|timed| timed.place <= at) {
                kernel.measured.add(timed);
            }
            kernel.nodes += call.nodes.len();
            let lines = call.source.iter().filter_map(|at| Some((known.source.get(*at)?, sources.get(*at)?)));
            for (source, anchor) in lines {
                let entry = self.lines.entry((source.file.clone(), source.line));
                let at = entry.index();
                let line = entry.or_default();
                if line.code.is_none() {
                    line.code.clone_from(&source.code);
                }
                if seen.insert((place, at)) {
                    let (call, source) = (called.clone(), anchor.clone());
                    line.kernels.push(LineKernel { kernel: place, call, source });
                    kernel.lines.push(at);
                }
            }
        }
        if !known.has_map && !known.has_stacks {
            self.add_perhaps(index, &known);
        }
        Ok(())
    }

    /// Lines of a graph without recorded provenance: comments name them, but not for kernels in C++.
    fn add_perhaps(&mut self, run: usize, known: &Provenance) {
        let of_run = self.kernels.iter().rev().take_while(|kernel| kernel.run == run);
        let without_lines = of_run.filter(|kernel| kernel.lines.is_empty()).count();
        if without_lines == 0 {
            return;
        }
        for source in known.source.iter().filter(|source| !source.post.is_empty()) {
            let line = self.lines.entry((source.file.clone(), source.line)).or_default();
            if line.code.is_none() {
                line.code.clone_from(&source.code);
            }
            line.perhaps.push((run, without_lines));
        }
    }

    fn sort_lines(&mut self) {
        let mut order: Vec<usize> = (0..self.lines.len()).collect();
        let key = |at: &usize| self.lines.get_index(*at).map(|(key, _)| (is_library(&key.0), key.clone()));
        order.sort_by_cached_key(key);
        let mut places: Vec<(usize, usize)> = order.iter().copied().zip(0..).collect();
        places.sort_unstable();
        self.places = places.into_iter().map(|(_, place)| place).collect();
        for kernel in &mut self.kernels {
            kernel.lines.sort_by_key(|at| self.places.get(*at).copied());
        }
        self.order = order;
    }
}

impl Kernel {
    fn new((run, first_place): (usize, usize), first: CallPlace, call: &KernelCall) -> Kernel {
        Kernel {
            run,
            name: call.kernel.clone(),
            language: call.language,
            calls: 0,
            first,
            body: call.definition,
            nodes: 0,
            lines: Vec::new(),
            tuning: None,
            runtime_ns: None,
            first_place,
            measured: CallsTime::default(),
        }
    }
}

/// What `triton_kernel_info` says about the kernels of a compile; the last entry of a kernel wins.
fn tuning(compile: &Compile) -> TextMap<&str, &TritonKernel> {
    compile.triton_kernels.iter().map(|kernel| (kernel.name.as_str(), kernel)).collect()
}
