//! The tables of a redacted report: lists of its facts, row by row.

use crate::facts::safe::{address, break_title};
use crate::facts::{self, Compile, Finding, Id, JobReport, LogReport, parts_us};
use crate::limits::SHORT_LIST;
use crate::model::Parts;
use crate::report::kit::formats::{self, micros};
use crate::report::kit::html::Html;
use crate::report::kit::lists::and_more;
use crate::report::kit::pills::Pill;
use crate::report::kit::tables::{TableCell, TableColumn};
use crate::report::kit::view::Render;
use crate::report::words::performance::figures;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Deref;

/// A list of the facts as a section with a table.
pub struct Section<'r> {
    pub id: &'static str,
    pub title: &'static str,
    /// How many rows it has.
    pub count: usize,
    pub columns: Vec<TableColumn>,
    /// The row at a place.
    pub row: Box<dyn Fn(usize) -> Vec<Cell> + 'r>,
}

/// A column: its head, and its cell in the row of a fact.
struct Column<Fact> {
    head: TableColumn,
    cell: fn(&Fact) -> Cell,
}

/// What stands in a row.
pub enum Cell {
    Words(String),
    /// With what it is sorted by.
    Figure(Option<f64>, String),
    /// A sentence, in which code may stand between backquotes.
    Prose(String),
    /// The name of a function.
    Function(Option<String>),
    /// A number of torch's catalog of graph breaks.
    Break(Option<String>),
    /// Ids of compiles.
    Compiles(Vec<String>),
    /// Seconds by part of the compiler.
    Parts(Parts),
}

/// The compiles of a page by id, each with its status: ids lead to their rows.
#[derive(Default)]
pub struct Statuses<'r>(BTreeMap<&'r str, &'r str>);

impl<'r> Statuses<'r> {
    pub fn of(log: &'r LogReport<'static>) -> Statuses<'r> {
        let known = log.compiles.iter().filter_map(|one| Some((one.id.as_deref()?, &*one.status)));
        Statuses(known.collect())
    }

    /// An id as on the pages of a whole report.
    fn pill(&self, id: &str) -> Html {
        let status = self.0.get(id).copied();
        let href = status.map(|_| format!("#{}", anchor_of(id)));
        Pill { id, status, href: href.as_deref(), title: None }.html()
    }
}

/// The anchor of a compile's row.
pub fn anchor_of(id: &str) -> String {
    format!("compile-{}", id.replace('/', "-"))
}

impl Cell {
    /// The id of the compile that the row is about, if it begins with one.
    pub fn only_id(&self) -> Option<&str> {
        match self {
            Cell::Compiles(ids) => ids.first().map(String::as_str).filter(|_| ids.len() == 1),
            _ => None,
        }
    }

    pub fn shown(&self, view: Render<'_>, statuses: &Statuses<'_>) -> TableCell {
        match self {
            Cell::Words(text) => TableCell::text(text),
            Cell::Figure(value, shown) => TableCell::maybe(*value, |_| shown.clone()),
            Cell::Prose(text) => TableCell::html(view.prose(text)),
            Cell::Function(Some(name)) => TableCell::html(view.function(name)),
            Cell::Compiles(ids) if !ids.is_empty() => {
                let more = and_more(ids.len(), SHORT_LIST);
                let pills = ids.iter().take(SHORT_LIST).map(|id| statuses.pill(id));
                let pills = Html::joined(pills.collect::<Vec<_>>().into_iter().chain([more.into()]), " ");
                TableCell::html(pills)
            }
            Cell::Parts(parts) => TableCell::html(view.bar(parts, false)),
            Cell::Break(None) | Cell::Function(None) | Cell::Compiles(_) => TableCell::text("-"),
            Cell::Break(Some(id)) => TableCell::html(view.log_link(id, &address(id))),
        }
    }
}

fn section<'r, Fact: 'r>(
    (id, title): (&'static str, &'static str),
    facts: impl Deref<Target = [Fact]> + 'r,
    columns: Vec<Column<Fact>>,
) -> Section<'r> {
    let count = facts.len();
    let (heads, cells): (Vec<_>, Vec<_>) =
        columns.into_iter().map(|column| (column.head, column.cell)).unzip();
    let row = move |at: usize| {
        let fact = facts.get(at);
        fact.map(|fact| cells.iter().map(|cell| cell(fact)).collect()).unwrap_or_default()
    };
    Section { id, title, count, columns: heads, row: Box::new(row) }
}

fn text<Fact>(title: &'static str, cell: fn(&Fact) -> Cell) -> Column<Fact> {
    Column { head: TableColumn::text(title), cell }
}

fn number<Fact>(title: &'static str, cell: fn(&Fact) -> Cell) -> Column<Fact> {
    Column { head: TableColumn::number(title), cell }
}

fn word(text: &str) -> Cell {
    Cell::Words(text.to_owned())
}

fn words(text: Option<&str>) -> Cell {
    word(text.unwrap_or("-"))
}

fn prose(text: Option<&str>) -> Cell {
    Cell::Prose(text.unwrap_or("-").to_owned())
}

fn function(name: Option<&str>) -> Cell {
    Cell::Function(name.map(str::to_owned))
}

fn figure(value: Option<f64>, show: impl Fn(f64) -> String) -> Cell {
    Cell::Figure(value, value.map(show).unwrap_or_default())
}

fn count(value: Option<u64>) -> Cell {
    figure(value.map(|value| value as f64), formats::count)
}

fn seconds(value: Option<f64>) -> Cell {
    figure(value, |seconds| micros(seconds * 1e6))
}

fn microseconds(value: f64) -> Cell {
    figure(Some(value), micros)
}

fn rate(value: Option<f64>) -> Cell {
    figure(value, |rate| format!("{rate:.2}"))
}

/// `file1:81`
pub fn place(file: Option<&str>, line: Option<i64>) -> Option<String> {
    let file = file?;
    let line = line.filter(|line| *line >= 0);
    Some(line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}")))
}

fn at(file: Option<&str>, line: Option<i64>) -> Cell {
    words(place(file, line).as_deref())
}

fn ids(ids: &[Option<Id<'_>>]) -> Cell {
    Cell::Compiles(ids.iter().filter_map(|id| id.as_deref().map(str::to_owned)).collect())
}

fn id(id: Option<&str>) -> Cell {
    Cell::Compiles(id.map(str::to_owned).into_iter().collect())
}

fn joined(texts: &[facts::Text<'_>], between: &str) -> Cell {
    Cell::Words(texts.iter().map(|text| &**text).collect::<Vec<_>>().join(between))
}

/// Times of all compiles by part of the compiler.
pub fn sum_of_parts(log: &LogReport<'_>) -> Parts {
    log.compiles.iter().map(|one| parts_us(&one.time.parts)).fold(Parts::default(), Parts::plus)
}

/// What the page of a log shows, in this order.
pub fn of_log<'r>(log: &'r LogReport<'static>) -> Vec<Section<'r>> {
    let mut sections = vec![findings(&log.findings), compiles(log)];
    sections.extend(breaks_and_failures(log));
    sections.extend(times(log));
    sections.extend(measured(log));
    sections.extend([kernels(log), collectives(log), inputs(log)]);
    sections
}

/// What the page of a job shows.
pub fn of_job<'r>(job: &'r JobReport<'static>) -> Vec<Section<'r>> {
    vec![ranks(job), findings(&job.findings), compared(job)]
}

fn ranks<'r>(job: &'r JobReport<'static>) -> Section<'r> {
    let columns = vec![
        number("Rank", |one: &facts::Rank<'_>| count(Some(one.rank))),
        text("State", |one| word(&one.state)),
        number("Compiles", |one| count(one.compiles)),
        number("Breaks", |one| count(one.graph_breaks)),
        number("Recompiles", |one| count(one.recompiles)),
        number("Failures", |one| count(one.failures)),
        number("Compile time", |one| seconds(one.compile_time_s)),
    ];
    section(("ranks", "Ranks"), &*job.ranks, columns)
}

fn compared<'r>(job: &'r JobReport<'static>) -> Section<'r> {
    type Compared<'r> = (&'static str, &'r facts::Comparison<'static>);
    let compared = job.divergence.named().into_iter().filter_map(|(fact, one)| Some((fact, one?)));
    let columns = vec![
        text("Fact", |(fact, _): &Compared<'_>| Cell::Words(fact.replace('_', " "))),
        text("Ranks", |(_, one)| word(if one.differs { "differ" } else { "agree" })),
        text("First difference", |(_, one)| {
            let first = one.first.as_ref().map(|first| match &first.compile_id {
                Some(id) => format!("number {}, in {}", first.index + 1, &**id),
                None => format!("number {}", first.index + 1),
            });
            words(first.as_deref())
        }),
    ];
    section(("compared", "What ranks are compared by"), compared.collect::<Vec<_>>(), columns)
}

/// The anchor of the section of findings.
pub const FINDINGS: &str = "findings";

/// The anchor of the section of compiles.
pub const COMPILES: &str = "compiles";

fn findings<'r>(findings: &'r [Finding<'static>]) -> Section<'r> {
    let columns = vec![
        text("Severity", |one: &Finding<'_>| word(&one.severity)),
        text("Finding", |one| prose(Some(&one.title))),
        text("Place", |one| at(one.file.as_deref(), one.line)),
        text("Compiles", |one| ids(&one.compile_ids)),
        number("Cost", |one| seconds(one.cost.as_ref().map(|cost| cost.seconds))),
        text("Kind of cost", |one| words(one.cost.as_ref().map(|cost| &*cost.kind))),
    ];
    section((FINDINGS, "Findings"), findings, columns)
}

fn compiles<'r>(log: &'r LogReport<'static>) -> Section<'r> {
    let columns = vec![
        text("Compile", |one: &Compile<'_>| id(one.id.as_deref())),
        text("Function", |one| function(one.function.as_ref().and_then(|function| function.name.as_deref()))),
        text("Place", |one| {
            let function = one.function.as_ref();
            at(function.and_then(|one| one.file.as_deref()), function.and_then(|one| one.line))
        }),
        number("Operators", |one| count(one.counts().operators)),
        number("Guards", |one| count(one.counts().guards)),
        number("Breaks", |one| count(Some(one.graph_breaks))),
        number("Time", |one| seconds(one.time.seconds)),
        Column {
            head: TableColumn::unsorted("Parts, share of its time"),
            cell: |one| Cell::Parts(parts_us(&one.time.parts)),
        },
    ];
    section((COMPILES, "Compiles"), &*log.compiles, columns)
}

/// What went wrong, and what the caches had.
fn breaks_and_failures<'r>(log: &'r LogReport<'static>) -> [Section<'r>; 5] {
    let breaks = vec![
        number("Times", |one: &facts::GraphBreak<'_>| count(Some(one.count))),
        text("Number", |one| Cell::Break(one.gb_id.as_ref().map(facts::Text::owned))),
        text("In torch's catalog", |one| prose(one.gb_id.as_deref().and_then(break_title))),
        text("Place", |one| at(one.file.as_deref(), one.line)),
        text("Compiles", |one| ids(&one.compile_ids)),
    ];
    let recompiles = vec![
        text("Compile", |one: &facts::Recompile<'_>| id(one.compile_id.as_deref())),
        text("Function", |one| function(one.function.as_deref())),
        text("What changed", |one| words(one.reasons.first().map(|first| &*first.text))),
        text("Instead of", |one| {
            let against = one.reasons.iter().map(|reason| reason.against.as_deref().unwrap_or("-"));
            Cell::Words(against.collect::<Vec<_>>().join(", "))
        }),
    ];
    let failures = vec![
        text("Compile", |one: &facts::Failure<'_>| id(one.compile_id.as_deref())),
        text("Error", |one| word(&one.error)),
        text("In torch's catalog", |one| prose(one.reason.as_deref())),
        text("Place", |one| at(one.file.as_deref(), one.line)),
    ];
    let restarts = vec![
        text("Compile", |one: &facts::Restart<'_>| id(one.compile_id.as_deref())),
        text("Why", |one| prose(Some(&one.reason))),
    ];
    let caches = vec![
        text("Compile", |one: &facts::CacheLookup<'_>| id(one.compile_id.as_deref())),
        text("Cache", |one| word(&one.cache)),
        text("Outcome", |one| word(&one.outcome)),
        text("Reason", |one| words(one.reason.as_deref())),
    ];
    [
        section(("breaks", "Graph breaks"), &*log.graph_breaks, breaks),
        section(("recompiles", "Recompilations"), &*log.recompiles, recompiles),
        section(("failures", "Failures"), &*log.failures, failures),
        section(("restarts", "Restarts"), &*log.restarts, restarts),
        section(("caches", "Lookups in caches"), &*log.caches, caches),
    ]
}

fn times<'r>(log: &'r LogReport<'static>) -> [Section<'r>; 2] {
    let parts = vec![
        text("Part", |one: &facts::Part<'_>| words(one.name.as_deref())),
        number("Time", |one| seconds(Some(one.seconds))),
    ];
    let phases = vec![
        text("Phase", |one: &facts::Phase<'_>| word(&one.name)),
        number("Own time", |one| seconds(Some(one.self_s))),
        number("Time", |one| seconds(Some(one.total_s))),
        number("Times", |one| count(Some(one.count))),
    ];
    [
        section(("parts", "Time by part of the compiler"), &*log.compile_time.parts, parts),
        section(("phases", "Time by phase"), &*log.compile_time.phases, phases),
    ]
}

/// A word or a list as report.json has it.
fn in_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default().trim_matches('"').to_owned()
}

/// What torch.profiler measured.
fn measured<'r>(log: &'r LogReport<'static>) -> [Section<'r>; 2] {
    let kernels = vec![
        text("Kernel", |one: &facts::Kernel<'_>| word(&one.name)),
        text("From", |one| Cell::Words(one.backend.as_ref().map(in_json).unwrap_or_default())),
        number("Runs", |one| count(Some(one.count))),
        number("Sum", |one| microseconds(one.sum_us)),
        number("Median", |one| microseconds(one.median_us)),
        number("TFLOP/s", |one| rate(one.tflops)),
        number("GB/s", |one| rate(one.gbps)),
        text("Compiles", |one| Cell::Compiles(one.compile_ids.iter().map(|id| (**id).to_owned()).collect())),
    ];
    let operators = vec![
        text("Operator", |one: &facts::Operator<'_>| word(&one.op)),
        text("Shapes", |one| Cell::Words(one.input_dims.iter().map(in_json).collect::<Vec<_>>().join(" "))),
        text("Dtypes", |one| joined(&one.input_types, " ")),
        number("Runs", |one| count(Some(one.count))),
        number("Sum", |one| microseconds(one.kernel_us_sum)),
        number("Bytes", |one| figure(one.bytes, figures::byte_count)),
    ];
    let found = log.performance.as_ref().map(|found| (&*found.kernels, &*found.ops));
    let (measured_kernels, measured_operators) = found.unwrap_or_default();
    [
        section(("measured", "Kernels as torch.profiler measured them"), measured_kernels, kernels),
        section(("operators", "Operators as torch.profiler measured them"), measured_operators, operators),
    ]
}

/// A kernel with what the generated code has of it.
#[derive(Default)]
struct Generated<'r> {
    name: &'r str,
    times: f64,
    compiles: Vec<&'r str>,
}

fn kernels<'r>(log: &'r LogReport<'static>) -> Section<'r> {
    let mut kernels: BTreeMap<&str, Generated<'_>> = BTreeMap::new();
    for compile in &log.compiles {
        for (name, times) in &compile.kernels {
            let kernel = kernels.entry(name).or_insert_with(|| Generated { name, ..Generated::default() });
            kernel.times += *times as f64;
            kernel.compiles.push(compile.id.as_deref().unwrap_or("-"));
        }
    }
    let columns = vec![
        text("Kernel", |one: &Generated<'_>| word(one.name)),
        number("Times", |one| figure(Some(one.times), formats::count)),
        text("Compiles", |one| Cell::Compiles(one.compiles.iter().map(|id| (*id).to_owned()).collect())),
    ];
    section(("kernels", "Kernels in the generated code"), kernels.into_values().collect::<Vec<_>>(), columns)
}

fn inputs<'r>(log: &'r LogReport<'static>) -> Section<'r> {
    type Input<'r> = (Option<&'r Id<'static>>, &'r facts::Input<'static>);
    let inputs = log.cross_rank.inputs.iter().flatten();
    let inputs = inputs.flat_map(|one| one.tensors.iter().map(|tensor| (one.compile_id.as_ref(), tensor)));
    let columns = vec![
        text("Compile", |(of, _): &Input<'_>| id(of.map(|of| &**of))),
        text("Tensor", |(_, one)| word(&one.name)),
        text("Dtype", |(_, one)| word(&one.dtype)),
        text("Sizes", |(_, one)| word(&one.sizes)),
        text("Strides", |(_, one)| words(one.strides.as_deref())),
    ];
    section(("inputs", "Input tensors"), inputs.collect::<Vec<_>>(), columns)
}

/// A call of a collective.
struct Call<'r> {
    graph: &'r str,
    number: u32,
    operator: &'r str,
}

fn collectives<'r>(log: &'r LogReport<'static>) -> Section<'r> {
    let calls = log.cross_rank.collectives.iter().flatten().flat_map(|graph| {
        let calls = (1..).zip(&graph.ops);
        calls.map(|(number, operator)| Call { graph: &graph.graph, number, operator })
    });
    let columns = vec![
        text("Graph", |one: &Call<'_>| word(one.graph)),
        number("Number", |one| Cell::Figure(Some(one.number.into()), one.number.to_string())),
        text("Operator", |one| word(one.operator)),
    ];
    section(("collectives", "Collectives in order"), calls.collect::<Vec<_>>(), columns)
}
