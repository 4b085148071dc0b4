//! The part of a `report.json` that a subject selects: as JSON, and as lists for a terminal.

use super::rows::Selection;
use super::subject::{ShownList, Subject};
use crate::facts::{Compile, Id, LogReport, Performance};
use crate::report::doc::Listing;
use crate::report::lists::{self, CountOf, FileOf, GeneratedKernel};
use serde::Serialize;

/// A kernel of a compile's generated code.
#[derive(Serialize)]
struct KernelOfCompile<'r> {
    compile_id: Option<&'r Id<'r>>,
    name: &'r str,
    /// How often it is defined or called.
    count: u64,
}

#[derive(Serialize)]
struct FileOfCompile<'r> {
    compile_id: Option<&'r Id<'r>>,
    name: &'r str,
    path: &'r str,
    number: u64,
    line: u64,
    attempt: Option<u64>,
    subgraph: Option<&'r str>,
    cache: Option<&'r str>,
}

/// The length of each list, and the compile time.
#[derive(Serialize)]
struct Counts {
    compiles: usize,
    graph_breaks: usize,
    recompiles: usize,
    failures: usize,
    restarts: usize,
    caches: usize,
    compile_seconds: Option<f64>,
}

/// The part of a log's report.
pub(super) fn select<'r>(
    name: &str,
    subject: &Subject,
    report: &'r LogReport<'r>,
) -> serde_json::Result<Selection<'r>> {
    let mut part = Selection::default();
    part.object("name", name)?;
    match subject {
        Subject::Overview | Subject::Rank(_) => {
            part.object("torch", &report.torch)?;
            part.object("log", &report.log)?;
            part.list("findings", report.findings.iter().collect(), lists::findings)?;
            part.counts(report)?;
        }
        Subject::List(list) => part.whole_list(*list, report)?,
        Subject::Compile(id) => {
            let own = report.compiles.iter().filter(|compile| compile.id.as_deref() == Some(id));
            part.of_compiles(report, own.collect())?;
        }
        Subject::Function(name) => {
            let mut own: Vec<_> =
                report.named_compiles().filter(|one| one.function.is_called(name)).collect();
            if own.is_empty() {
                own.extend(report.named_compiles().filter(|one| one.function.name.contains(name.as_str())));
            }
            part.of_compiles(report, own.into_iter().map(|one| one.compile).collect())?;
        }
    }
    Ok(part)
}

impl<'r> Selection<'r> {
    fn whole_list(&mut self, list: ShownList, report: &'r LogReport<'r>) -> serde_json::Result<()> {
        match list {
            ShownList::Findings => self.list("findings", report.findings.iter().collect(), lists::findings),
            ShownList::Compiles => {
                let known = report.compiles.iter().filter(|one| one.id.is_some());
                self.list("compiles", known.collect(), |all| {
                    lists::compiles(all, &lists::of_compiles(report.named_compiles()))
                })
            }
            ShownList::Breaks => {
                self.list("graph_breaks", report.graph_breaks.iter().collect(), lists::graph_breaks)
            }
            ShownList::Recompiles => {
                let all = report.recompiles.iter().collect();
                self.list("recompiles", all, |all| {
                    lists::recompiles(all, &lists::of_compiles(report.named_compiles()))
                })
            }
            ShownList::Failures => {
                self.list("failures", report.failures.iter().collect(), lists::failures)?;
                self.list("restarts", report.restarts.iter().collect(), lists::restarts)
            }
            ShownList::Caches => self.list("caches", report.caches.iter().collect(), lists::cache_lookups),
            ShownList::Time => {
                let time = &report.compile_time;
                self.lists.extend([lists::parts(&time.parts, time.total_s), lists::phases(&time.phases)]);
                self.object("compile_time", time)
            }
            ShownList::Kernels => self.kernels(report),
            ShownList::Performance => {
                self.object("performance", &report.performance)?;
                self.lists.extend(performance(report.performance.as_ref()));
                let hints = report.console.iter().flat_map(|console| console.hints.iter());
                let hints: Vec<_> = hints.collect();
                if hints.is_empty() { Ok(()) } else { self.list("hints", hints, lists::hints) }
            }
            ShownList::Files => self.files(report),
        }
    }

    /// Adds the kernels of generated code, and those that a trace measured.
    fn kernels(&mut self, report: &'r LogReport<'r>) -> serde_json::Result<()> {
        let of_compile = |compile: &'r Compile<'r>| {
            let kernels = compile.kernels.iter();
            kernels.map(|(name, count)| KernelOfCompile {
                compile_id: compile.id.as_ref(),
                name,
                count: *count,
            })
        };
        let kernels: Vec<_> = report.compiles.iter().flat_map(of_compile).collect();
        self.object("kernels", &kernels)?;
        let kernel = |one: KernelOfCompile<'r>| {
            let compiles = one.compile_id.iter().map(|id| &***id).collect();
            GeneratedKernel { name: one.name, times: one.count, compiles }
        };
        self.lists.push(lists::generated_kernels(kernels.into_iter().map(kernel).collect()));
        let measured =
            report.performance.as_ref().map(|measured| measured.kernels.iter().collect::<Vec<_>>());
        self.object("measured_kernels", &measured)?;
        self.lists.extend(measured.filter(|all| !all.is_empty()).map(lists::measured_kernels));
        Ok(())
    }

    fn files(&mut self, report: &'r LogReport<'r>) -> serde_json::Result<()> {
        let of_compile = |compile: &'r Compile<'r>| {
            compile.artifacts.iter().map(|file| FileOfCompile {
                compile_id: compile.id.as_ref(),
                name: &file.name,
                path: &file.path,
                number: file.number,
                line: file.line,
                attempt: file.attempt,
                subgraph: file.subgraph.as_deref(),
                cache: file.cache.as_deref(),
            })
        };
        let files: Vec<_> = report.compiles.iter().flat_map(of_compile).collect();
        self.object("files", &files)?;
        let file =
            |one: FileOfCompile<'r>| FileOf { compile_id: one.compile_id.map(|id| &**id), path: one.path };
        self.lists.push(lists::files(files.into_iter().map(file).collect()));
        Ok(())
    }

    /// Adds some compiles, and the entries of all lists that belong to them.
    fn of_compiles(
        &mut self,
        report: &'r LogReport<'r>,
        compiles: Vec<&'r Compile<'r>>,
    ) -> serde_json::Result<()> {
        let ids: Vec<&str> = compiles.iter().filter_map(|compile| compile.id.as_deref()).collect();
        let is_of = |id: &Option<Id<'_>>| id.as_deref().is_some_and(|id| ids.contains(&id));
        let any_of = |all: &[Option<Id<'_>>]| all.iter().any(is_of);
        let findings = report.findings.iter().filter(|one| any_of(&one.compile_ids));
        self.list("findings", findings.collect(), lists::findings)?;
        let breaks = report.graph_breaks.iter().filter(|one| any_of(&one.compile_ids));
        self.list("graph_breaks", breaks.collect(), lists::graph_breaks)?;
        let recompiles = report.recompiles.iter().filter(|one| is_of(&one.compile_id));
        let known = lists::of_compiles(report.named_compiles());
        self.list("recompiles", recompiles.collect(), |all| lists::recompiles(all, &known))?;
        let failures = report.failures.iter().filter(|one| is_of(&one.compile_id));
        self.list("failures", failures.collect(), lists::failures)?;
        let restarts = report.restarts.iter().filter(|one| is_of(&one.compile_id));
        self.list("restarts", restarts.collect(), lists::restarts)?;
        let caches = report.caches.iter().filter(|one| is_of(&one.compile_id));
        self.list("caches", caches.collect(), lists::cache_lookups)?;
        self.list("compiles", compiles, |all| lists::compiles(all, &known))
    }

    /// Adds the length of each list, and the compile time.
    fn counts(&mut self, report: &LogReport<'_>) -> serde_json::Result<()> {
        let counts = Counts {
            // The entry for records without a compile id does not count.
            compiles: report.compiles.iter().filter(|one| one.id.is_some()).count(),
            graph_breaks: report.graph_breaks.len(),
            recompiles: report.recompiles.len(),
            failures: report.failures.len(),
            restarts: report.restarts.len(),
            caches: report.caches.len(),
            compile_seconds: report.compile_time.total_s,
        };
        self.object("counts", &counts)?;
        let of = |what, count: usize| CountOf { what, shown: count.to_string() };
        let seconds = counts.compile_seconds.map_or_else(|| "-".to_owned(), |all| format!("{all:?}"));
        self.lists.push(lists::overview(vec![
            of("compiles", counts.compiles),
            of("graph breaks", counts.graph_breaks),
            of("recompiles", counts.recompiles),
            of("failures", counts.failures),
            of("restarts", counts.restarts),
            of("caches", counts.caches),
            CountOf { what: "compile seconds", shown: seconds },
        ]));
        Ok(())
    }
}

/// What a trace measured.
fn performance<'m>(found: Option<&'m Performance<'m>>) -> Vec<Listing<'m>> {
    let mut all = vec![lists::summary(found)];
    if let Some(found) = found {
        all.push(lists::stands_out(&found.stands_out));
        all.push(lists::measured_lines(&found.lines));
        all.push(lists::measured_kernels(found.kernels.iter().collect()));
    }
    all
}
