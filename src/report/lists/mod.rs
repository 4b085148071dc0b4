//! The lists of report.json: which columns each has, once for `tlparse show` and for redacted reports.
//!
//! Where a list is shown, its last column is the longest, since a terminal gives it the rest of the line.

mod job;
mod measured;

pub(crate) use job::{RankOnPage, RankRow, compared, ranks, ranks_of_facts};
pub(crate) use measured::{
    figures_of_kernels, measured_kernels, measured_lines, measured_operators, stands_out, summary,
};

use crate::facts::{
    CacheLookup, Compile, ConsoleHint, CrossRank, Failure, Finding, GraphBreak, Input, Part, Phase, Reason,
    Recompile, Restart, parts_us,
};
use crate::model::words::duration;
use crate::report::doc::{Cell, Listing, Rows, code, count, log, own, place, prose, seconds, text};
use crate::report::kit::formats::micros_with_work;
use std::borrow::Cow;

/// What went wrong, most important first.
pub(crate) fn findings<'m>(all: Vec<&'m Finding<'m>>) -> Listing<'m> {
    Rows::of(all)
        .text("Severity", |one| log(&*one.severity))
        .number("Cost", |one| {
            Cell::maybe(one.cost.as_ref(), |cost| Cell::Figure {
                value: cost.seconds,
                shown: format!("{} {}", duration(cost.seconds * 1e6), &*cost.kind),
            })
        })
        .text("Place", |one| place(one.file.as_deref(), one.line))
        .text("Compiles", |one| Cell::compiles(&one.compile_ids))
        .text("Finding", |one| prose(Some(&one.title)))
        .anchored(|at, _| Some(format!("finding-{}", at + 1)))
        .listing("findings", "Findings", "No findings.")
}

/// What to do about the findings that say it.
pub(crate) fn to_do<'m>(all: &'m [Finding<'m>]) -> Listing<'m> {
    let said = all.iter().filter(|one| one.hint.is_some());
    Rows::of(said.collect::<Vec<_>>())
        .text("Finding", |one| prose(Some(&one.title)))
        .text("What to do", |one| {
            Cell::Stacked(
                one.hint.iter().flat_map(|hint| hint.lines()).map(|line| prose(Some(line))).collect(),
            )
        })
        .listing("to-do", "What to do", "")
}

/// The anchor of a compile's row.
pub(crate) fn compile_anchor(id: &str) -> String {
    format!("compile-{}", id.replace('/', "-"))
}

pub(crate) fn compiles<'m>(all: Vec<&'m Compile<'m>>) -> Listing<'m> {
    Rows::of(all)
        .text("Compile", |one| Cell::compile(one.id.as_deref()))
        .text("Status", |one| log(&*one.status))
        .number("Time", |one| seconds(one.time.seconds))
        .number("Operators", |one| count(one.counts().operators))
        .number("Guards", |one| count(one.counts().guards))
        .number("Breaks", |one| count(Some(one.graph_breaks)))
        .text("Place", |one| {
            let function = one.function.as_ref();
            place(function.and_then(|of| of.file.as_deref()), function.and_then(|of| of.line))
        })
        .text("Function", |one| Cell::function(one.function.as_ref().and_then(|of| of.name.as_deref())))
        .unsorted("Parts, share of its time", |one| match one.time.parts.is_empty() {
            true => Cell::Unknown,
            false => Cell::Parts { times: parts_us(&one.time.parts), once_us: 0.0 },
        })
        .anchored(|_, one| one.id.as_deref().map(compile_anchor))
        .listing("compiles", "Compiles", "No compiles.")
}

pub(crate) fn graph_breaks<'m>(all: Vec<&'m GraphBreak<'m>>) -> Listing<'m> {
    Rows::of(all)
        .number("Times", |one| count(Some(one.count)))
        .text("Number", |one| Cell::maybe(one.gb_id.as_deref(), |id| Cell::CatalogEntry(id.into())))
        .text("Place", |one| place(one.file.as_deref(), one.line))
        .text("Compiles", |one| Cell::compiles(&one.compile_ids))
        .text("Cause", |one| {
            prose(one.title.as_deref().or(Some(&*one.reason)).filter(|cause| !cause.is_empty()))
        })
        .listing("breaks", "Graph breaks", "No graph breaks.")
}

/// A recompile with one of its failed guards; None if it has none.
struct FailedGuard<'m> {
    recompile: &'m Recompile<'m>,
    reason: Option<&'m Reason<'m>>,
}

/// A row per older version whose guard failed.
pub(crate) fn recompiles<'m>(all: Vec<&'m Recompile<'m>>) -> Listing<'m> {
    let rows = all.into_iter().flat_map(|recompile| {
        let reasons = recompile.reasons.iter().map(Some);
        let none = recompile.reasons.is_empty().then_some(None);
        reasons.chain(none).map(move |reason| FailedGuard { recompile, reason })
    });
    Rows::of(rows.collect::<Vec<_>>())
        .text("Compile", |row| Cell::compile(row.recompile.compile_id.as_deref()))
        .text("Function", |row| Cell::function(row.recompile.function.as_deref()))
        .text("Instead of", |row| Cell::compile(row.reason.and_then(|reason| reason.against.as_deref())))
        .text("Guard that failed", |row| row.reason.map_or(Cell::Unknown, |reason| code(&reason.guard)))
        .listing("recompiles", "Recompilations", "No recompilations.")
}

pub(crate) fn failures<'m>(all: Vec<&'m Failure<'m>>) -> Listing<'m> {
    Rows::of(all)
        .text("Compile", |one| Cell::compile(one.compile_id.as_deref()))
        .text("Error", |one| log(&*one.error))
        .text("Place", |one| place(one.file.as_deref(), one.line))
        .text("Cause", |one| prose(one.title.as_deref().or(one.reason.as_deref())))
        .listing("failures", "Failures", "No failures.")
}

pub(crate) fn restarts<'m>(all: Vec<&'m Restart<'m>>) -> Listing<'m> {
    Rows::of(all)
        .text("Compile", |one| Cell::compile(one.compile_id.as_deref()))
        .text("Reason", |one| prose(Some(&one.reason)))
        .listing("restarts", "Restarts", "No restarts.")
}

pub(crate) fn cache_lookups<'m>(all: Vec<&'m CacheLookup<'m>>) -> Listing<'m> {
    Rows::of(all)
        .text("Compile", |one| Cell::compile(one.compile_id.as_deref()))
        .text("Cache", |one| log(&*one.cache))
        .text("Outcome", |one| log(&*one.outcome))
        .text("Reason", |one| text(&one.reason))
        .listing("caches", "Cache lookups", "No cache lookups.")
}

/// What torch says on the console about performance.
pub(crate) fn hints<'m>(all: Vec<&'m ConsoleHint<'m>>) -> Listing<'m> {
    Rows::of(all)
        .text("Compile", |one| Cell::compile(one.compile_id.as_deref()))
        .number("Times", |one| count(Some(one.count)))
        .text("Hint", |one| prose(Some(&one.text)))
        .listing("hints", "Hints on performance", "")
}

/// Where the time of all compiles went, with their sum.
pub(crate) fn parts<'m>(all: &'m [Part<'m>], total_s: Option<f64>) -> Listing<'m> {
    struct Row<'m> {
        name: Option<&'m str>,
        seconds: Option<f64>,
        work_s: Option<f64>,
    }
    let row = |part: &'m Part<'m>| Row {
        name: part.name.as_deref(),
        seconds: Some(part.seconds),
        work_s: part.work_s,
    };
    let sum = (!all.is_empty() || total_s.is_some()).then_some(Row {
        name: Some("all"),
        seconds: total_s,
        work_s: None,
    });
    Rows::of(all.iter().map(row).chain(sum).collect::<Vec<_>>())
        .text("Part", |row| Cell::maybe(row.name, log))
        .number("Time", |row| {
            let work_us = row.work_s.map(|work_s| work_s * 1e6);
            Cell::figure(row.seconds.map(|seconds| seconds * 1e6), |us| micros_with_work(us, work_us))
        })
        .listing("parts", "Compile time", "The log does not time its compiles.")
}

/// A phase, with what only a page says of it.
pub(crate) struct PhaseRow<'m> {
    pub phase: &'m Phase<'m>,
    pub name: Cell<'m>,
    pub anchor: Option<String>,
    /// Seconds without nested phases, and with them.
    pub self_s: f64,
    pub total_s: f64,
    /// Its share of the time of all.
    pub share: Cell<'m>,
    /// What the compiler does in it.
    pub meaning: &'static str,
}

impl<'m> PhaseRow<'m> {
    /// Only what its facts say.
    pub fn of(phase: &'m Phase<'m>) -> PhaseRow<'m> {
        let (self_s, total_s) = (phase.self_s, phase.total_s);
        PhaseRow {
            phase,
            name: log(&*phase.name),
            anchor: None,
            self_s,
            total_s,
            share: Cell::Unknown,
            meaning: "",
        }
    }
}

/// Phases or passes: `title` says which. Pages, `tlparse show`, Markdown and redacted reports have these columns.
pub(crate) fn phase_rows<'m>(
    title: &'static str,
    all: Vec<PhaseRow<'m>>,
) -> Rows<'m, PhaseRow<'m>, Vec<PhaseRow<'m>>> {
    Rows::of(all)
        .text(title, |one| one.name.clone())
        .mono()
        .wide()
        .number("Self", |one| seconds(Some(one.self_s)))
        .number("Share", |one| one.share.clone())
        .explained("self time over the time covered by any phase")
        .optional()
        .number("Total", |one| seconds(Some(one.total_s)))
        .number("Times", |one| count(Some(one.phase.count)))
        .text("What the compiler does", |one| match one.meaning {
            "" => Cell::Blank,
            meaning => meaning.into(),
        })
        .optional()
        .anchored(|_, one| one.anchor.clone())
}

pub(crate) fn phases<'m>(all: &'m [Phase<'m>]) -> Listing<'m> {
    phase_rows("Phase", all.iter().map(PhaseRow::of).collect()).listing(
        "phases",
        "Phases",
        "The log does not time the phases of the compiler.",
    )
}

/// A kernel of the code that compiles generated.
pub(crate) struct GeneratedKernel<'m> {
    pub name: &'m str,
    /// How often it is defined or called.
    pub times: u64,
    pub compiles: Vec<&'m str>,
}

pub(crate) fn generated_kernels(all: Vec<GeneratedKernel<'_>>) -> Listing<'_> {
    Rows::of(all)
        .text("Compiles", |one| Cell::known_ids(one.compiles.iter().copied()))
        .number("Times", |one| count(Some(one.times)))
        .text("Kernel", |one| log(one.name))
        .listing("kernels", "Kernels in the generated code", "No kernels.")
}

/// An input tensor of a compile.
pub(crate) struct InputOf<'m> {
    pub compile_id: Option<&'m str>,
    pub tensor: &'m Input<'m>,
}

pub(crate) fn inputs<'m>(all: Vec<InputOf<'m>>) -> Listing<'m> {
    Rows::of(all)
        .text("Compile", |one| Cell::compile(one.compile_id))
        .text("Tensor", |one| log(&*one.tensor.name))
        .text("Dtype", |one| log(&*one.tensor.dtype))
        .text("Sizes", |one| log(&*one.tensor.sizes))
        .text("Strides", |one| text(&one.tensor.strides))
        .listing("inputs", "Input tensors", "No input tensors.")
}

/// A call of a collective in a graph.
struct CollectiveCall<'m> {
    graph: &'m str,
    /// Its place in the graph, counted from 1.
    number: u64,
    operator: &'m str,
}

/// Collectives in the order in which each graph calls them.
pub(crate) fn collectives<'m>(facts: &'m CrossRank<'m>) -> Listing<'m> {
    let calls = facts.collectives.iter().flatten().flat_map(|graph| {
        let calls = (1..).zip(&graph.ops);
        calls.map(|(number, operator)| CollectiveCall { graph: &graph.graph, number, operator })
    });
    Rows::of(calls.collect::<Vec<_>>())
        .text("Graph", |one| log(one.graph))
        .number("Number", |one| count(Some(one.number)))
        .text("Operator", |one| log(one.operator))
        .listing("collectives", "Collectives in order", "No collectives.")
}

/// A file of a compile.
pub(crate) struct FileOf<'m> {
    pub compile_id: Option<&'m str>,
    pub path: &'m str,
}

pub(crate) fn files(all: Vec<FileOf<'_>>) -> Listing<'_> {
    Rows::of(all)
        .text("Compile", |one| Cell::compile(one.compile_id))
        .text("File", |one| log(one.path))
        .listing("files", "Files", "No files.")
}

/// How many entries a report has of something.
pub(crate) struct CountOf {
    pub what: &'static str,
    pub shown: String,
}

pub(crate) fn overview(all: Vec<CountOf>) -> Listing<'static> {
    Rows::of(all)
        .text("What", |one| Cell::Words(Cow::Borrowed(one.what)))
        .text("Count", |one| own(one.shown.clone()))
        .listing("overview", "Overview", "")
}
