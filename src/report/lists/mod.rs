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
    CacheLookup, Change, Compile, ConsoleHint, CrossRank, Failure, Finding, FindingCost, FunctionName,
    GraphBreak, Input, Member, NamedCompile, Part, Phase, Reason, Recompile, Restart, parts_us,
};
use crate::model::words::duration;
use crate::report::doc::{Cell, FoundRow, Listing, Rows, code, count, log, own, place, prose, seconds, text};
use crate::report::kit::formats::{micros_with_work, short_path};
use crate::report::kit::links;
use crate::trace::TextMap;
use indexmap::{IndexMap, IndexSet};
use std::borrow::Cow;
use std::rc::Rc;

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

/// What lists say of compiles besides their own facts, by id.
pub(crate) type OfCompiles<'m> = TextMap<&'m str, Rc<OfCompile<'m>>>;

/// What other lists say of a compile.
#[derive(Debug, Default)]
pub(crate) struct OfCompile<'m> {
    /// Its function; without a name for one that the log does not name.
    function: FunctionName<'m>,
    seconds: Option<f64>,
}

impl<'m> OfCompile<'m> {
    /// The function, as the log's reader knows it.
    fn name(&self) -> Cell<'m> {
        Cell::maybe(Some(self.function.words()).filter(|name| !name.is_empty()), Cell::Function)
    }

    /// The reader's line that calls it, or where it begins.
    fn place(&self) -> Cell<'m> {
        let [defined, called] = self.function.lines;
        place(self.function.file, called.or(defined).and_then(|line| line.try_into().ok()))
    }
}

/// What lists say of these compiles, by id.
pub(crate) fn of_compiles<'m>(all: impl Iterator<Item = NamedCompile<'m>>) -> OfCompiles<'m> {
    let of = |NamedCompile { compile, function }: NamedCompile<'m>| {
        Some((compile.id.as_deref()?, Rc::new(OfCompile { function, seconds: compile.time.seconds })))
    };
    all.filter_map(of).collect()
}

/// Facts with what other lists say of their compile.
struct WithCompile<'m, F> {
    facts: &'m F,
    of: Rc<OfCompile<'m>>,
}

impl<'m, F> WithCompile<'m, F> {
    fn all(all: Vec<&'m F>, known: &OfCompiles<'m>, id: impl Fn(&F) -> Option<&str>) -> Vec<Self> {
        let of = |facts| id(facts).and_then(|id| known.get(id)).cloned().unwrap_or_default();
        all.into_iter().map(|facts| WithCompile { facts, of: of(facts) }).collect()
    }
}

pub(crate) fn compiles<'m>(all: Vec<&'m Compile<'m>>, known: &OfCompiles<'m>) -> Listing<'m> {
    Rows::of(WithCompile::all(all, known, |one| one.id.as_deref()))
        .text("Compile", |one| Cell::compile(one.facts.id.as_deref()))
        .text("Status", |one| log(&*one.facts.status))
        .number("Time", |one| seconds(one.facts.time.seconds))
        .number("Operators", |one| count(one.facts.counts().operators))
        .number("Guards", |one| count(one.facts.counts().guards))
        .number("Breaks", |one| count(Some(one.facts.graph_breaks)))
        .text("Place", |one| one.of.place())
        .text("Function", |one| one.of.name())
        .unsorted("Parts, share of its time", |one| match one.facts.time.parts.is_empty() {
            true => Cell::Unknown,
            false => Cell::Parts { times: parts_us(&one.facts.time.parts), once_us: 0.0 },
        })
        .anchored(|_, one| one.facts.id.as_deref().map(compile_anchor))
        .found(|_, one| {
            let id = one.facts.id.as_deref();
            let name = one.facts.function.as_ref().and_then(|of| of.name.as_deref());
            FoundRow::of_compile(id.unwrap_or_default(), id, "").more(name)
        })
        .listing("compiles", "Compiles", "No compiles.")
}

/// A break with its number in the report.
struct BreakRow<'m> {
    number: usize,
    facts: &'m GraphBreak<'m>,
}

/// Graph breaks, most time lost first, then the most frequent.
pub(crate) fn graph_breaks<'m>(all: Vec<&'m GraphBreak<'m>>) -> Listing<'m> {
    let mut rows: Vec<BreakRow<'m>> =
        all.into_iter().enumerate().map(|(number, facts)| BreakRow { number, facts }).collect();
    let lost = |one: &BreakRow<'_>| one.facts.cost.as_ref().map_or(0.0, FindingCost::lost_s);
    rows.sort_by(|one, other| {
        lost(other).total_cmp(&lost(one)).then(other.facts.count.cmp(&one.facts.count))
    });
    Rows::of(rows)
        .number("Times", |one| count(Some(one.facts.count)))
        .number("Cost", |one| cost(one.facts.cost.as_ref()))
        .text("Number", |one| Cell::maybe(one.facts.gb_id.as_deref(), |id| Cell::CatalogEntry(id.into())))
        .text("Place", |one| place(one.facts.file.as_deref(), one.facts.line))
        .text("Compiles", |one| Cell::compiles(&one.facts.compile_ids))
        .text("Cause", |one| prose(Some(cause(one.facts)).filter(|cause| !cause.is_empty())))
        .found(|_, BreakRow { number, facts }| {
            let texts = [&facts.context, &facts.explanation].into_iter().flatten().chain(facts.hints.iter());
            let address = format!("{}#{}", links::GRAPH_BREAKS, links::graph_break_anchor(*number));
            let texts = std::iter::once(&*facts.reason).chain(texts.map(|text| &**text));
            FoundRow::at(cause(facts), address).more(texts)
        })
        .listing("breaks", "Graph breaks", "No graph breaks.")
}

/// What a break is called: as its finding, or in torch's words.
fn cause<'m>(one: &'m GraphBreak<'_>) -> &'m str {
    one.title.as_deref().unwrap_or(&one.reason)
}

/// Compiles of functions that had been compiled before, each with what is not as in the closest version.
pub(crate) fn recompiles<'m>(all: Vec<&'m Recompile<'m>>, known: &OfCompiles<'m>) -> Listing<'m> {
    Rows::of(WithCompile::all(all, known, |one| one.compile_id.as_deref()))
        .text("Compile", |one| Cell::compile(one.facts.compile_id.as_deref()))
        .text("Function", |one| one.of.name())
        .number("Time", |one| seconds(one.of.seconds))
        .text("Changed", |one| match &one.facts.change {
            Some(change) => code(change.subject.as_deref().or(Some(&change.kind))),
            None => Cell::Unknown,
        })
        .text("Value", |one| value(one.facts))
        .text("Instead of", |one| {
            Cell::compile(closest(one.facts).and_then(|reason| reason.against.as_deref()))
        })
        .text("Guard that failed", |one| code(closest(one.facts).and_then(|reason| reason.guard.as_deref())))
        .found(|_, one| {
            let guards =
                one.facts.reasons.iter().flat_map(|reason| [reason.guard.as_deref(), Some(&*reason.text)]);
            let sources = one.facts.reasons.iter().filter_map(|reason| reason.source.as_ref());
            let places =
                sources.clone().map(|of| format!("{}:{} · {}", short_path(&of.file), of.line, &*of.file));
            FoundRow::of_compile(guard_name(one.facts), one.facts.compile_id.as_deref(), "#recompilation")
                .or_at(links::RECOMPILATIONS)
                .more(one.facts.change.as_ref().map(|change| &*change.kind))
                .more(guards.flatten())
                .more(sources.map(|source| &*source.code))
                .more(places)
                .more(one.facts.reasons.iter().filter_map(|reason| reason.hint.as_deref()))
        })
        .listing("recompiles", "Recompilations", "No recompilations.")
}

/// The guard of the closest version: the one whose change is known, else the first.
fn closest<'m>(one: &'m Recompile<'m>) -> Option<&'m Reason<'m>> {
    let against = one.change.as_ref().and_then(|change| change.against.as_deref());
    let known = one.reasons.iter().find(|reason| against.is_some() && reason.against.as_deref() == against);
    known.or(one.reasons.first())
}

/// The values before and after, and what became of the compile.
fn value<'m>(one: &'m Recompile<'m>) -> Cell<'m> {
    let values = one.change.as_ref().and_then(|change| match (&change.old, &change.new) {
        (Some(old), Some(new)) => Some(Cell::Beside(vec![code(Some(old)), code(Some(new))], " → ")),
        (None, Some(new)) => Some(Cell::Beside(vec![code(Some(new)), "now".into()], " ")),
        (Some(old), None) => Some(Cell::Beside(vec!["no longer".into(), code(Some(old))], " ")),
        (None, None) => None,
    });
    let is = |what: fn(&Change<'_>) -> bool| one.change.as_ref().is_some_and(what);
    let notes = [
        (is(|change| change.became_dynamic), "then dynamic"),
        (is(|change| change.expected), "expected"),
        (one.at_limit, "limit reached, not compiled"),
    ];
    let notes = notes.into_iter().filter(|(holds, _)| *holds).map(|(_, words)| words.into());
    let pieces: Vec<Cell<'m>> = values.into_iter().chain(notes).collect();
    if pieces.is_empty() { Cell::Unknown } else { Cell::Beside(pieces, ", ") }
}

/// The guard, behind the expression whose value changed: `x.dtype: tensor 'x' dtype mismatch`.
fn guard_name(one: &Recompile<'_>) -> String {
    let texts = closest(one).into_iter().flat_map(|reason| [reason.guard.as_deref(), Some(&*reason.text)]);
    let guard = texts.flatten().find(|text| !text.is_empty()).unwrap_or("no reason recorded");
    let subject = one.change.as_ref().and_then(|change| change.subject.as_deref());
    subject.map_or_else(|| guard.to_owned(), |subject| format!("{subject}: {guard}"))
}

pub(crate) fn failures<'m>(all: Vec<&'m Failure<'m>>) -> Listing<'m> {
    Rows::of(all)
        .text("Compile", |one| Cell::compile(one.compile_id.as_deref()))
        .text("Error", |one| log(&*one.error))
        .text("Place", |one| place(one.file.as_deref(), one.line))
        .text("Cause", |one| prose(one.title.as_deref().or(one.reason.as_deref().map(first_line))))
        .found(|_, one| {
            FoundRow::of_compile(&*one.error, one.compile_id.as_deref(), "#failures")
                .or_at("failures_and_restarts.html#failures")
        })
        .listing("failures", "Failures", "No failures.")
}

/// The first line of a message of torch, which says what happened; the others explain it.
fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default()
}

/// Restarts for one reason.
#[derive(Default)]
struct Restarted<'m> {
    reason: &'m str,
    times: u64,
    compiles: IndexSet<&'m str>,
}

/// Reasons why Dynamo began compiles again.
pub(crate) fn restarts<'m>(all: Vec<&'m Restart<'m>>) -> Listing<'m> {
    let mut reasons: IndexMap<&str, Restarted<'m>> = IndexMap::new();
    for restart in all {
        let one = reasons.entry(&restart.reason).or_default();
        one.reason = &restart.reason;
        one.times += 1;
        one.compiles.extend(restart.compile_id.as_deref());
    }
    Rows::of(reasons.into_values().collect::<Vec<_>>())
        .number("Times", |one| count(Some(one.times)))
        .text("Compiles", |one| Cell::known_ids(one.compiles.iter().copied()))
        .text("Reason", |one| prose(Some(first_line(one.reason))))
        .found(|_, one| {
            FoundRow::of_compile(first_line(one.reason), one.compiles.first().copied(), "#restarts")
                .or_at("failures_and_restarts.html#restarts")
                .more(["restart", one.reason])
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
    let whole: f64 = all.iter().map(|part| part.seconds).sum();
    Rows::of(all.iter().map(row).chain(sum).collect::<Vec<_>>())
        .text("Part", |row| row.name.map_or_else(|| "Other phases".into(), log))
        .number("Time", |row| {
            let work_us = row.work_s.map(|work_s| work_s * 1e6);
            Cell::figure(row.seconds.map(|seconds| seconds * 1e6), |us| micros_with_work(us, work_us))
        })
        .number("Share", move |row| Cell::maybe(row.seconds, |part| Cell::Share { part, whole, class: "" }))
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
