//! The part of a `report.json` that a subject selects.

use super::subject::Subject;
use crate::facts::{
    Artifact, CacheLookup, Compile, CompileTime, ConsoleHint, Failure, Finding, FunctionName, GraphBreak, Id,
    Kernel, LogReport, Performance, ReaderName, Recompile, Restart, Torch, line_number,
};
use crate::model::RankLog;
use crate::report::lists::{self, OfCompiles};
use serde::Serialize;
use std::collections::HashMap;

/// The selected part of one log. As JSON it has the lists and objects of `report.json`.
#[derive(Default, Serialize)]
pub(super) struct Selection<'r> {
    /// `rank 3`; empty for a single log.
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub torch: Option<&'r Option<Torch<'r>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<&'r RankLog>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<Vec<&'r Finding<'r>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph_breaks: Option<Vec<&'r GraphBreak<'r>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recompiles: Option<Vec<&'r Recompile<'r>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failures: Option<Vec<&'r Failure<'r>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restarts: Option<Vec<&'r Restart<'r>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caches: Option<Vec<&'r CacheLookup<'r>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compiles: Option<Vec<&'r Compile<'r>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compile_time: Option<&'r CompileTime<'r>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernels: Option<Vec<KernelOfCompile<'r>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured_kernels: Option<Option<Vec<&'r Kernel<'r>>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<FileOfCompile<'r>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub performance: Option<&'r Option<Performance<'r>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hints: Option<Vec<&'r ConsoleHint<'r>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// What lists say of compiles besides their own facts.
    #[serde(skip)]
    pub of_compiles: OfCompiles,
}

/// A kernel of a compile's generated code.
#[derive(Serialize)]
pub(super) struct KernelOfCompile<'r> {
    pub compile_id: Option<&'r Id<'r>>,
    pub name: &'r str,
    /// How often it is defined or called.
    pub count: u64,
}

#[derive(Serialize)]
pub(super) struct FileOfCompile<'r> {
    pub compile_id: Option<&'r Id<'r>>,
    pub name: &'r str,
    pub path: &'r str,
    pub number: u64,
    pub line: u64,
    pub attempt: Option<u64>,
    pub subgraph: Option<&'r str>,
    pub cache: Option<&'r str>,
}

/// The length of each list, and the compile time.
#[derive(Serialize)]
pub(super) struct Counts {
    pub compiles: usize,
    pub graph_breaks: usize,
    pub recompiles: usize,
    pub failures: usize,
    pub restarts: usize,
    pub caches: usize,
    pub compile_seconds: Option<f64>,
}

/// The part of a log's report.
pub(super) fn select<'r>(name: String, subject: &Subject, report: &'r LogReport<'r>) -> Selection<'r> {
    let mut selected = Selection { name, ..Selection::default() };
    match subject {
        Subject::Overview | Subject::Rank(_) => {
            selected.torch = Some(&report.torch);
            selected.log = Some(&report.log);
            selected.findings = Some(report.findings.iter().collect());
            selected.counts = Some(counts(report));
        }
        Subject::Findings => selected.findings = Some(report.findings.iter().collect()),
        Subject::Compiles => {
            selected.compiles = Some(report.compiles.iter().filter(|one| one.id.is_some()).collect())
        }
        Subject::Files => selected.files = Some(report.compiles.iter().flat_map(files).collect()),
        Subject::Breaks => selected.graph_breaks = Some(report.graph_breaks.iter().collect()),
        Subject::Recompiles => selected.recompiles = Some(report.recompiles.iter().collect()),
        Subject::Failures => {
            selected.failures = Some(report.failures.iter().collect());
            selected.restarts = Some(report.restarts.iter().collect());
        }
        Subject::Caches => selected.caches = Some(report.caches.iter().collect()),
        Subject::Time => selected.compile_time = Some(&report.compile_time),
        Subject::Kernels => {
            selected.kernels = Some(report.compiles.iter().flat_map(kernels).collect());
            let measured = report.performance.as_ref();
            selected.measured_kernels = Some(measured.map(|measured| measured.kernels.iter().collect()));
        }
        Subject::Performance => {
            selected.performance = Some(&report.performance);
            let hints = report.console.as_ref().map(|console| console.hints.iter().collect::<Vec<_>>());
            selected.hints = hints.filter(|hints| !hints.is_empty());
        }
        Subject::Compile(id) => {
            of_compiles(&mut selected, report, |compile| compile.id.as_deref() == Some(id))
        }
        Subject::Function(name) => {
            let readers = readers(report);
            let is_called = |compile: &Compile<'r>| {
                function_name(compile, &readers).is_some_and(|function| function.is_called(name))
            };
            if report.compiles.iter().any(is_called) {
                of_compiles(&mut selected, report, is_called);
            } else {
                of_compiles(&mut selected, report, |compile| {
                    let own = function_name(compile, &readers);
                    own.is_some_and(|own| own.name.contains(name.as_str()))
                });
            }
        }
    }
    if selected.compiles.is_some() || selected.recompiles.is_some() {
        selected.of_compiles = lists::of_compiles(&report.compiles, readers(report).into_values());
    }
    selected
}

type Readers<'r> = HashMap<&'r str, &'r ReaderName<'r>>;

/// What the pages call functions, by compile.
fn readers<'r>(report: &'r LogReport<'r>) -> Readers<'r> {
    let names = report.cross_rank.names.iter().flat_map(|all| all.iter());
    names.map(|one| (&*one.id, one)).collect()
}

fn function_name<'r>(compile: &'r Compile<'r>, readers: &Readers<'r>) -> Option<FunctionName<'r>> {
    let function = compile.function.as_ref()?;
    let reader = compile.id.as_deref().and_then(|id| readers.get(id)).copied();
    let own_file = reader.and_then(|reader| reader.file.as_deref());
    Some(FunctionName {
        name: function.name.as_deref()?,
        title: reader.map(|reader| &*reader.title),
        file: own_file.or(function.file.as_deref()),
        lines: [line_number(function.line), reader.and_then(|reader| line_number(reader.line))],
    })
}

/// The names of all functions, as the pages print them.
pub(super) fn names<'r>(report: &'r LogReport<'r>) -> impl Iterator<Item = String> + 'r {
    let readers = readers(report);
    report.compiles.iter().filter_map(move |compile| {
        let function = function_name(compile, &readers)?;
        Some(function.title.unwrap_or(function.name).to_owned())
    })
}

/// Adds some compiles, and the entries of all lists that belong to them.
fn of_compiles<'r>(
    selected: &mut Selection<'r>,
    report: &'r LogReport<'r>,
    wanted: impl Fn(&Compile<'r>) -> bool,
) {
    let compiles: Vec<&Compile<'_>> = report.compiles.iter().filter(|one| wanted(one)).collect();
    let ids: Vec<&str> = compiles.iter().filter_map(|compile| compile.id.as_deref()).collect();
    let is_of = |id: &Option<Id<'_>>| id.as_deref().is_some_and(|id| ids.contains(&id));
    let any_of = |all: &[Option<Id<'_>>]| all.iter().any(is_of);
    selected.findings = Some(report.findings.iter().filter(|one| any_of(&one.compile_ids)).collect());
    selected.graph_breaks = Some(report.graph_breaks.iter().filter(|one| any_of(&one.compile_ids)).collect());
    selected.recompiles = Some(report.recompiles.iter().filter(|one| is_of(&one.compile_id)).collect());
    selected.failures = Some(report.failures.iter().filter(|one| is_of(&one.compile_id)).collect());
    selected.restarts = Some(report.restarts.iter().filter(|one| is_of(&one.compile_id)).collect());
    selected.caches = Some(report.caches.iter().filter(|one| is_of(&one.compile_id)).collect());
    selected.compiles = Some(compiles);
}

fn counts(report: &LogReport<'_>) -> Counts {
    Counts {
        // The entry for records without a compile id does not count.
        compiles: report.compiles.iter().filter(|one| one.id.is_some()).count(),
        graph_breaks: report.graph_breaks.len(),
        recompiles: report.recompiles.len(),
        failures: report.failures.len(),
        restarts: report.restarts.len(),
        caches: report.caches.len(),
        compile_seconds: report.compile_time.total_s,
    }
}

fn files<'r>(compile: &'r Compile<'r>) -> impl Iterator<Item = FileOfCompile<'r>> {
    let of = |file: &'r Artifact<'r>| FileOfCompile {
        compile_id: compile.id.as_ref(),
        name: &file.name,
        path: &file.path,
        number: file.number,
        line: file.line,
        attempt: file.attempt,
        subgraph: file.subgraph.as_deref(),
        cache: file.cache.as_deref(),
    };
    compile.artifacts.iter().map(of)
}

fn kernels<'r>(compile: &'r Compile<'r>) -> impl Iterator<Item = KernelOfCompile<'r>> {
    let of = |(name, count): (&'r crate::facts::Text<'r>, &u64)| KernelOfCompile {
        compile_id: compile.id.as_ref(),
        name,
        count: *count,
    };
    compile.kernels.iter().map(of)
}
