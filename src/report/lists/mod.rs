//! The lists of report.json: which columns each has, once for `tlparse show` and for redacted reports.
//!
//! Where a list is shown, its last column is the longest, since a terminal gives it the rest of the line. The search finds
//! rows by their cells, and by what a list says besides.

mod job;
mod measured;

pub(crate) use job::{RankOnPage, RankRow, compared, ranks, ranks_of_facts};
pub(crate) use measured::{
    figures_of_kernels, measured_kernels, measured_lines, measured_operators, stands_out, summary,
};

use crate::analysis::findings::KindOfFinding;
use crate::facts::{
    CacheLookup, Compile, ConsoleHint, CrossRank, Failure, Finding, FindingCost, GraphBreak, Input, Member,
    Part, Phase, Reason, Recompile, Restart, parts_us,
};
use crate::model::words::duration;
use crate::report::doc::{Cell, FoundRow, Listing, Rows, code, count, log, own, place, prose, seconds, text};
use crate::report::kit::formats::{micros_with_work, short_path};
use crate::report::kit::links;
use indexmap::IndexMap;
use std::borrow::Cow;

/// What went wrong, most important first.
pub(crate) fn findings<'m>(all: Vec<&'m Finding<'m>>) -> Listing<'m> {
    Rows::of(all)
        .text("Severity", |one| log(&*one.severity))
        .text("Finding", |one| prose(Some(&one.title)))
        .wide()
        .number("Cost", |one| cost(one.cost.as_ref()))
        .text("Place", |one| place(one.file.as_deref(), one.line))
        .text("Compiles", |one| Cell::compiles(&one.compile_ids))
        .anchored(|at, _| Some(finding_anchor(at + 1)))
        .found(|_, one| {
            let texts = [Some(label(one)), Some(&*one.kind), one.hint.as_deref(), one.detail.as_deref()];
            found_finding(&one.title, one).more(texts.into_iter().flatten().map(without_marks))
        })
        .listing("findings", "Findings", "No findings.")
}

fn cost(cost: Option<&FindingCost<'_>>) -> Cell<'static> {
    Cell::maybe(cost, |cost| Cell::Figure {
        value: cost.seconds,
        shown: format!("{} {}", duration(cost.seconds * 1e6), &*cost.kind),
    })
}

/// What people call findings of its kind.
fn label<'m>(one: &Finding<'m>) -> &'static str {
    KindOfFinding::of_log(&one.kind).map_or("Ranks", KindOfFinding::label)
}

/// A finding, or one of a group, leads to the entry on the landing page.
fn found_finding<'r>(title: &str, entry: &'r Finding<'_>) -> FoundRow<'r> {
    FoundRow::at(without_marks(title), entry.url.as_deref().unwrap_or_default())
}

/// A text without the marks of code.
fn without_marks(text: &str) -> String {
    text.replace('`', "")
}

/// A finding of a group.
struct MemberOf<'m> {
    group: &'m Finding<'m>,
    member: &'m Member<'m>,
}

/// The findings of groups, each of which leads to its group.
pub(crate) fn members<'m>(all: &'m [Finding<'m>]) -> Listing<'m> {
    let members =
        all.iter().flat_map(|group| group.members.iter().map(move |member| MemberOf { group, member }));
    Rows::of(members.collect::<Vec<_>>())
        .number("Cost", |one| cost(one.member.cost.as_ref()))
        .text("Place", |one| place(one.member.file.as_deref(), one.member.line))
        .text("Compiles", |one| Cell::compiles(&one.member.compile_ids))
        .text("Finding", |one| prose(Some(&one.member.title)))
        .found(|_, one| {
            found_finding(&one.member.title, one.group).more([label(one.group), &*one.group.kind])
        })
        .listing("members", "Findings of groups", "")
}

/// Something to do, and the numbers of the findings that say it.
struct ToDo<'m> {
    text: &'m str,
    findings: Vec<usize>,
}

/// What to do, each once.
pub(crate) fn to_do<'m>(all: &'m [Finding<'m>]) -> Listing<'m> {
    let mut said: IndexMap<&str, Vec<usize>> = IndexMap::new();
    for (number, one) in (1..).zip(all) {
        one.hint
            .iter()
            .flat_map(|hint| hint.lines())
            .for_each(|text| said.entry(text).or_default().push(number));
    }
    let link = |number: &usize| own(number.to_string()).linked(format!("#{}", finding_anchor(*number)));
    Rows::of(said.into_iter().map(|(text, findings)| ToDo { text, findings }).collect::<Vec<_>>())
        .text("Findings", move |one| Cell::Beside(one.findings.iter().map(link).collect(), ", "))
        .text("What to do", |one| prose(Some(one.text)))
        .listing("to-do", "What to do", "")
}

fn finding_anchor(number: usize) -> String {
    format!("finding-{number}")
}

/// The anchor of a compile's row.
pub(crate) fn compile_anchor(id: &str) -> String {
    format!("compile-{}", id.replace('/', "-"))
}

/// A compile, with what the log's reader calls its function, where that is known.
pub(crate) struct CompileRow<'m> {
    pub facts: &'m Compile<'m>,
    pub called: Vec<String>,
}

pub(crate) fn compiles<'m>(all: Vec<&'m Compile<'m>>) -> Listing<'m> {
    called_compiles(all.into_iter().map(|facts| CompileRow { facts, called: Vec::new() }).collect())
}

/// The same with what the search says of functions.
pub(crate) fn called_compiles(all: Vec<CompileRow<'_>>) -> Listing<'_> {
    Rows::of(all)
        .text("Compile", |one| Cell::compile(one.facts.id.as_deref()))
        .text("Status", |one| log(&*one.facts.status))
        .number("Time", |one| seconds(one.facts.time.seconds))
        .number("Operators", |one| count(one.facts.counts().operators))
        .number("Guards", |one| count(one.facts.counts().guards))
        .number("Breaks", |one| count(Some(one.facts.graph_breaks)))
        .text("Place", |one| {
            let function = one.facts.function.as_ref();
            place(function.and_then(|of| of.file.as_deref()), function.and_then(|of| of.line))
        })
        .text("Function", |one| Cell::function(one.facts.function.as_ref().and_then(|of| of.name.as_deref())))
        .unsorted("Parts, share of its time", |one| match one.facts.time.parts.is_empty() {
            true => Cell::Unknown,
            false => Cell::Parts { times: parts_us(&one.facts.time.parts), once_us: 0.0 },
        })
        .anchored(|_, one| one.facts.id.as_deref().map(compile_anchor))
        .found(|_, one| {
            let id = one.facts.id.as_deref();
            FoundRow::of_compile(id.unwrap_or_default(), id, "").more(&one.called)
        })
        .listing("compiles", "Compiles", "No compiles.")
}

pub(crate) fn graph_breaks<'m>(all: Vec<&'m GraphBreak<'m>>) -> Listing<'m> {
    Rows::of(all)
        .number("Times", |one| count(Some(one.count)))
        .text("Number", |one| Cell::maybe(one.gb_id.as_deref(), |id| Cell::CatalogEntry(id.into())))
        .text("Place", |one| place(one.file.as_deref(), one.line))
        .text("Compiles", |one| Cell::compiles(&one.compile_ids))
        .text("Cause", |one| prose(Some(cause(one)).filter(|cause| !cause.is_empty())))
        .found(|at, one| {
            let texts = [&one.context, &one.explanation].into_iter().flatten().chain(one.hints.iter());
            let address = format!("{}#{}", links::GRAPH_BREAKS, links::graph_break_anchor(at));
            let texts = std::iter::once(&*one.reason).chain(texts.map(|text| &**text));
            FoundRow::at(cause(one), address).more(texts)
        })
        .listing("breaks", "Graph breaks", "No graph breaks.")
}

/// What a break is called: as its finding, or in torch's words.
fn cause<'m>(one: &'m GraphBreak<'_>) -> &'m str {
    one.title.as_deref().unwrap_or(&one.reason)
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
        .found(|_, row| {
            let source = row.reason.and_then(|reason| reason.source.as_ref());
            let place = source.map(|of| format!("{}:{} · {}", short_path(&of.file), of.line, &*of.file));
            let hint = row.reason.and_then(|reason| reason.hint.as_deref());
            FoundRow::of_compile(row.name(), row.recompile.compile_id.as_deref(), "#recompilation")
                .or_at(links::RECOMPILATIONS)
                .more(row.recompile.change.as_ref().map(|change| &*change.kind))
                .more(source.map(|source| &*source.code))
                .more(place)
                .more(hint)
        })
        .listing("recompiles", "Recompilations", "No recompilations.")
}

impl FailedGuard<'_> {
    /// The guard, behind the expression whose value changed: `x.dtype: tensor 'x' dtype mismatch`.
    fn name(&self) -> String {
        let texts = self.reason.into_iter().flat_map(|one| [one.guard.as_deref(), Some(&*one.text)]);
        let guard = texts.flatten().find(|text| !text.is_empty()).unwrap_or("no reason recorded");
        let change = self.recompile.change.as_ref();
        let change = change.filter(|change| {
            self.reason.is_some_and(|reason| reason.against.is_none() || reason.against == change.against)
        });
        let subject = change.and_then(|change| change.subject.as_deref());
        subject.map_or_else(|| guard.to_owned(), |subject| format!("{subject}: {guard}"))
    }
}

pub(crate) fn failures<'m>(all: Vec<&'m Failure<'m>>) -> Listing<'m> {
    Rows::of(all)
        .text("Compile", |one| Cell::compile(one.compile_id.as_deref()))
        .text("Error", |one| log(&*one.error))
        .text("Place", |one| place(one.file.as_deref(), one.line))
        .text("Cause", |one| prose(one.title.as_deref().or(one.reason.as_deref())))
        .found(|_, one| {
            FoundRow::of_compile(&*one.error, one.compile_id.as_deref(), "#failures")
                .or_at("failures_and_restarts.html#failures")
        })
        .listing("failures", "Failures", "No failures.")
}

pub(crate) fn restarts<'m>(all: Vec<&'m Restart<'m>>) -> Listing<'m> {
    Rows::of(all)
        .text("Compile", |one| Cell::compile(one.compile_id.as_deref()))
        .text("Reason", |one| prose(Some(&one.reason)))
        .found(|_, one| {
            let first = one.reason.trim().lines().next().unwrap_or_default();
            FoundRow::of_compile(first, one.compile_id.as_deref(), "#restarts")
                .or_at("failures_and_restarts.html#restarts")
                .more(["restart"])
        })
        .listing("restarts", "Restarts", "No restarts.")
}

pub(crate) fn cache_lookups<'m>(all: Vec<&'m CacheLookup<'m>>) -> Listing<'m> {
    Rows::of(all)
        .text("Compile", |one| Cell::compile(one.compile_id.as_deref()))
        .text("Cache", |one| log(&*one.cache))
        .text("Outcome", |one| log(&*one.outcome))
        .text("Reason", |one| text(&one.reason))
        .found(|_, one| {
            let name = format!("{} cache {}", &*one.cache, &*one.outcome);
            FoundRow::at(name, "caches.html").more(one.key.as_deref())
        })
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
