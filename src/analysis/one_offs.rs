//! Work that fell into a compile by chance: once per process whatever is compiled first, or waiting for others.

use crate::analysis::parts::owners;
use crate::model::{CompileIndex, Model, TraceSpan};
use fxhash::{FxHashMap, FxHashSet};

/// Why work has no cause within its compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OneOffKind {
    /// The C++ compiler was tried out and its headers were built, before the first kernel.
    Toolchain,
    /// The first compile of the process loaded the backend and its patterns, and hashed the sources of torch.
    FirstUse,
    /// The process waited: for a lock that another process holds, for workers.
    Waiting,
}

impl OneOffKind {
    /// What took the time.
    pub fn words(self) -> &'static str {
        match self {
            OneOffKind::Toolchain => {
                "trying the C++ compiler and building its headers, once per machine with a warm cache folder"
            }
            OneOffKind::FirstUse => "loading the backend and hashing its sources, once per process",
            OneOffKind::Waiting => "waiting for a lock or for workers",
        }
    }
}

/// Work of one kind in one compile.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OneOff {
    /// Why.
    pub kind: OneOffKind,
    /// The compile that it fell into.
    pub compile: CompileIndex,
    /// Microseconds.
    pub us: f64,
}

/// Phases within which kernels are built; a build elsewhere tries the compiler out.
const LOADERS: [&str; 4] = ["PyCodeCache.", "AotCodeCompiler.", "async_compile", "CppCodeCache"];

/// Phases that hash the sources of torch and triton, once per process.
const KEYS: [&str; 2] = ["CacheBase.get_system.triton_key", "inductor_codecache_torch_key"];

/// Phases that import or register what they need when they run for the first time in a process.
const LAZY: [&str; 3] = ["entire_frame_compile", "backend_compile", "_recursive_joint_graph_passes"];

/// The phase in which the compiler is tried out.
const TRIES_COMPILER: &str = "Scheduler.codegen";

/// Time of that phase itself, beyond what it takes otherwise, that means waiting for a lock: seconds, microseconds.
const LEAST_WAIT_US: f64 = 1e6;

/// One-off work and waiting of a log, from its spans, in the order of the log.
pub fn one_offs(model: &Model, selfs: &[f64]) -> Vec<OneOff> {
    let spans = Spans::of(model, selfs);
    let mut found = spans.toolchain();
    found.extend(spans.first_uses());
    found.extend(spans.waiting());
    found.retain(|one| one.us > 0.0 && one.us.is_finite());
    found.sort_by_key(|one| (one.compile, one.kind));
    found
}

/// The spans with what the rules read of them.
struct Spans<'m> {
    spans: &'m [TraceSpan],
    selfs: &'m [f64],
    compiles: Vec<Option<CompileIndex>>,
    /// Whether a kernel is loaded around a span, or by it.
    loading: Vec<bool>,
    is_rank: bool,
}

/// From the first build that tries the compiler out to the last.
struct Trial {
    compile: CompileIndex,
    start_us: f64,
    end_us: f64,
}

impl<'m> Spans<'m> {
    fn of(model: &'m Model, selfs: &'m [f64]) -> Spans<'m> {
        let mut loading: Vec<bool> = Vec::with_capacity(model.spans.len());
        for span in &model.spans {
            let within = span.parent.and_then(|parent| loading.get(parent).copied()).unwrap_or_default();
            loading.push(within || LOADERS.iter().any(|loader| span.name.starts_with(loader)));
        }
        let compiles = owners(&model.spans).into_iter().map(|owner| owner.compile).collect();
        Spans { spans: &model.spans, selfs, compiles, loading, is_rank: model.log.rank.is_some() }
    }

    fn builds(&self, loading: bool) -> impl Iterator<Item = (usize, &'m TraceSpan)> {
        let of = move |(index, span): &(usize, &TraceSpan)| {
            *span.name == *"compile_file" && self.loading.get(*index) == Some(&loading)
        };
        self.spans.iter().enumerate().filter(of)
    }

    fn compile(&self, index: usize) -> Option<CompileIndex> {
        self.compiles.get(index).copied().flatten()
    }

    fn own(&self, index: usize) -> f64 {
        self.selfs.get(index).copied().unwrap_or_default()
    }

    /// Builds outside of any loading, before the first kernel of their process, with what lies between them.
    fn toolchain(&self) -> Vec<OneOff> {
        let mut first_kernel: FxHashMap<u64, f64> = FxHashMap::default();
        for (_, span) in self.builds(true) {
            let first = first_kernel.entry(span.pid).or_insert(f64::INFINITY);
            *first = first.min(span.start_us);
        }
        let mut trials: FxHashMap<Option<usize>, Trial> = FxHashMap::default();
        for (index, span) in self.builds(false) {
            let Some(compile) = self.compile(index) else { continue };
            if first_kernel.get(&span.pid).is_some_and(|first| span.start_us >= *first) {
                continue;
            }
            let new = Trial { compile, start_us: span.start_us, end_us: span.end_us };
            let trial = trials.entry(span.parent).or_insert(new);
            trial.start_us = trial.start_us.min(span.start_us);
            trial.end_us = trial.end_us.max(span.end_us);
        }
        let one_off = |trial: Trial| OneOff {
            kind: OneOffKind::Toolchain,
            compile: trial.compile,
            us: trial.end_us - trial.start_us,
        };
        let mut found: Vec<OneOff> = trials.into_values().map(one_off).collect();
        // A header that is built ahead is none of the kernels that include it.
        let headers =
            self.spans.iter().enumerate().filter(|(_, span)| span.name.contains("precompile_header"));
        found.extend(headers.filter_map(|(index, span)| {
            let us = span.end_us - span.start_us;
            Some(OneOff { kind: OneOffKind::Toolchain, compile: self.compile(index)?, us })
        }));
        found
    }

    /// Hashing of sources, and what a phase took longer when it ran for the first time than it takes otherwise.
    fn first_uses(&self) -> Vec<OneOff> {
        let mut found = Vec::new();
        let one_off = |index: usize, us: f64| {
            self.compile(index).map(|compile| OneOff { kind: OneOffKind::FirstUse, compile, us })
        };
        let keys = self.spans.iter().enumerate().filter(|(_, span)| KEYS.contains(&&*span.name));
        found.extend(keys.filter_map(|(index, _)| one_off(index, self.own(index))));
        for name in LAZY {
            for (first, usual) in self.first_of_processes(name) {
                found.extend(one_off(first, self.own(first) - usual));
            }
        }
        found
    }

    /// For each process its first span of that name, with the time that later ones take themselves (the median).
    fn first_of_processes(&self, name: &str) -> Vec<(usize, f64)> {
        let mut processes: FxHashSet<u64> = FxHashSet::default();
        let named: Vec<usize> = self
            .spans
            .iter()
            .enumerate()
            .filter(|(_, span)| *span.name == *name)
            .map(|(index, _)| index)
            .collect();
        let pid = |index: usize| self.spans.get(index).map(|span| span.pid);
        let mut found = Vec::new();
        for &index in &named {
            let Some(process) = pid(index) else { continue };
            if !processes.insert(process) {
                continue;
            }
            let others = named.iter().filter(|&&other| other != index && pid(other) == Some(process));
            let mut times: Vec<f64> = others.map(|&other| self.own(other)).collect();
            times.sort_by(f64::total_cmp);
            found.push((index, times.get(times.len() / 2).copied().unwrap_or_default()));
        }
        found
    }

    /// Waiting for workers; and, in the log of a rank, seconds in which the compiler would have been tried out and was
    /// not: another rank held the lock and did it.
    fn waiting(&self) -> Vec<OneOff> {
        let one_off = |index: usize, us: f64| {
            self.compile(index).map(|compile| OneOff { kind: OneOffKind::Waiting, compile, us })
        };
        let waits = self.spans.iter().enumerate().filter(|(_, span)| *span.name == *"async_compile.wait");
        let mut found: Vec<OneOff> = waits.filter_map(|(index, _)| one_off(index, self.own(index))).collect();
        if self.is_rank {
            let tried: FxHashSet<Option<usize>> = self.builds(false).map(|(_, span)| span.parent).collect();
            for (first, usual) in self.first_of_processes(TRIES_COMPILER) {
                let us = self.own(first) - usual;
                if us >= LEAST_WAIT_US && !tried.contains(&Some(first)) {
                    found.extend(one_off(first, us));
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::time::self_times;

    /// A log with these spans, all of one compile; times are seconds.
    fn found(rank: Option<u64>, spans: &[(&str, f64, f64, Option<usize>)]) -> Vec<(OneOffKind, f64)> {
        let mut model = Model::default();
        let compile = model.compile_index(None);
        model.log.rank = rank;
        let span = |&(name, start, end, parent): &(&str, f64, f64, Option<usize>)| TraceSpan {
            name: name.into(),
            start_us: start * 1e6,
            end_us: end * 1e6,
            parent,
            compile: Some(compile),
            pid: 1,
            open: false,
        };
        model.spans = spans.iter().map(span).collect();
        let found = one_offs(&model, &self_times(&model.spans));
        found.into_iter().map(|one| (one.kind, one.us / 1e6)).collect()
    }

    #[test]
    fn trying_the_compiler_out_is_a_one_off_and_building_kernels_is_none() {
        let spans = [
            ("Scheduler.codegen", 0.0, 9.0, None),
            ("compile_file", 1.0, 3.0, Some(0)),
            ("compile_file", 4.0, 6.0, Some(0)),
            ("PyCodeCache.load_by_key_path", 10.0, 20.0, None),
            ("compile_file", 11.0, 19.0, Some(3)),
            ("Scheduler.codegen", 20.0, 24.0, None),
            ("compile_file", 21.0, 23.0, Some(5)),
        ];
        // From the first build that tries it to the last; what is built after the first kernel is no trial.
        assert_eq!(found(None, &spans), [(OneOffKind::Toolchain, 5.0)]);
    }

    #[test]
    fn a_precompiled_header_is_a_one_off() {
        let spans =
            [("AotCodeCompiler.compile", 0.0, 9.0, None), ("aoti_precompile_header", 1.0, 3.0, Some(0))];
        assert_eq!(found(None, &spans), [(OneOffKind::Toolchain, 2.0)]);
    }

    #[test]
    fn the_first_use_of_a_phase_costs_what_later_ones_do_not() {
        let joint = "_recursive_joint_graph_passes";
        let spans = [(joint, 0.0, 5.0, None), (joint, 6.0, 7.0, None), (joint, 8.0, 9.0, None)];
        assert_eq!(found(None, &spans), [(OneOffKind::FirstUse, 4.0)]);
        let keys = [
            ("CacheBase.get_system.triton_key", 0.0, 1.0, None),
            ("inductor_codecache_torch_key", 1.0, 3.0, None),
        ];
        assert_eq!(found(None, &keys), [(OneOffKind::FirstUse, 1.0), (OneOffKind::FirstUse, 2.0)]);
    }

    #[test]
    fn a_rank_that_generates_code_for_seconds_and_builds_nothing_waits_for_another() {
        let spans = [("Scheduler.codegen", 0.0, 5.3, None), ("Scheduler.codegen", 6.0, 6.3, None)];
        assert_eq!(found(Some(1), &spans), [(OneOffKind::Waiting, 5.0)]);
        assert_eq!(found(None, &spans), [], "without ranks nobody is known who could hold the lock");
        let tries = [("Scheduler.codegen", 0.0, 5.3, None), ("compile_file", 1.0, 2.0, Some(0))];
        assert_eq!(found(Some(1), &tries), [(OneOffKind::Toolchain, 1.0)]);
        let workers = [("async_compile.wait", 0.0, 2.0, None)];
        assert_eq!(found(None, &workers), [(OneOffKind::Waiting, 2.0)]);
    }
}
