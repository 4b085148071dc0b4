//! The tables of a redacted report: lists of its facts, row by row.

use crate::facts::safe::{address, break_title};
use crate::facts::{self, Id, JobReport, LogReport};
use crate::model::Fields;
use crate::report::kit::formats::{self, micros};
use crate::report::kit::tables::{TableCell, TableColumn};
use crate::report::kit::view::Render;
use std::collections::BTreeMap;

/// The facts that a page shows.
#[derive(Clone, Copy)]
pub enum Shown<'r> {
    Log(&'r LogReport<'static>),
    Job(&'r JobReport<'static>),
}

/// A list of the facts as a section with a table.
pub struct Section {
    pub id: &'static str,
    pub title: &'static str,
    columns: &'static [Column],
    rows: Rows,
}

/// The rows of a section.
enum Rows {
    Log(fn(&LogReport<'static>) -> Vec<Vec<Cell>>),
    Job(fn(&JobReport<'static>) -> Vec<Vec<Cell>>),
    Any(fn(Shown<'_>) -> Vec<Vec<Cell>>),
}

/// A column.
enum Column {
    Text(&'static str),
    Number(&'static str),
}

use Column::{Number, Text};

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
}

impl Section {
    pub fn columns(&self) -> Vec<TableColumn> {
        self.columns
            .iter()
            .map(|column| match column {
                Text(title) => TableColumn::text(title),
                Number(title) => TableColumn::number(title),
            })
            .collect()
    }

    pub fn rows(&self, facts: Shown<'_>) -> Vec<Vec<Cell>> {
        match (&self.rows, facts) {
            (Rows::Log(rows), Shown::Log(log)) => rows(log),
            (Rows::Job(rows), Shown::Job(job)) => rows(job),
            (Rows::Any(rows), facts) => rows(facts),
            (Rows::Log(_), Shown::Job(_)) | (Rows::Job(_), Shown::Log(_)) => Vec::new(),
        }
    }
}

impl Cell {
    pub fn shown(&self, view: Render<'_>) -> TableCell {
        match self {
            Cell::Words(text) => TableCell::text(text),
            Cell::Figure(value, shown) => TableCell::maybe(*value, |_| shown.clone()),
            Cell::Prose(text) => TableCell::html(view.prose(text)),
            Cell::Function(Some(name)) => TableCell::html(view.function(name)),
            Cell::Break(None) | Cell::Function(None) => TableCell::text("-"),
            Cell::Break(Some(id)) => TableCell::html(view.log_link(id, &address(id))),
        }
    }
}

fn each<T>(list: &[T], cells: impl Fn(&T) -> Vec<Cell>) -> Vec<Vec<Cell>> {
    list.iter().map(cells).collect()
}

fn or_dash(text: Option<&str>) -> String {
    text.unwrap_or("-").to_owned()
}

fn words(text: Option<&str>) -> Cell {
    Cell::Words(or_dash(text))
}

fn text(text: &str) -> Cell {
    Cell::Words(text.to_owned())
}

fn prose(text: Option<&str>) -> Cell {
    Cell::Prose(or_dash(text))
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
    Cell::Words(ids.iter().map(|id| id.as_deref().unwrap_or("-")).collect::<Vec<_>>().join(", "))
}

fn joined(texts: &[facts::Text<'_>], between: &str) -> Cell {
    Cell::Words(texts.iter().map(|text| &**text).collect::<Vec<_>>().join(between))
}

pub const RANKS: Section = Section {
    id: "ranks",
    title: "Ranks",
    columns: &[
        Number("Rank"),
        Text("State"),
        Number("Compiles"),
        Number("Breaks"),
        Number("Recompiles"),
        Number("Failures"),
        Number("Compile time"),
    ],
    rows: Rows::Job(|job| {
        each(&job.ranks, |one| {
            vec![
                count(Some(one.rank)),
                text(&one.state),
                count(one.compiles),
                count(one.graph_breaks),
                count(one.recompiles),
                count(one.failures),
                seconds(one.compile_time_s),
            ]
        })
    }),
};

pub const COMPARED: Section = Section {
    id: "compared",
    title: "What ranks are compared by",
    columns: &[Text("Fact"), Text("Ranks"), Text("First difference")],
    rows: Rows::Job(|job| {
        let compared = job.divergence.named().into_iter().filter_map(|(fact, one)| Some((fact, one?)));
        let row = |(fact, one): (&str, &crate::facts::Comparison<'_>)| {
            let first = one.first.as_ref().map(|first| match &first.compile_id {
                Some(id) => format!("number {}, in {}", first.index + 1, &**id),
                None => format!("number {}", first.index + 1),
            });
            let says = if one.differs { "differ" } else { "agree" };
            vec![Cell::Words(fact.replace('_', " ")), text(says), words(first.as_deref())]
        };
        compared.map(row).collect()
    }),
};

pub const FINDINGS: Section = Section {
    id: "findings",
    title: "Findings",
    columns: &[
        Text("Severity"),
        Text("Finding"),
        Text("Place"),
        Text("Compiles"),
        Number("Cost"),
        Text("Kind of cost"),
    ],
    rows: Rows::Any(|shown| {
        let findings = match shown {
            Shown::Log(log) => &log.findings,
            Shown::Job(job) => &job.findings,
        };
        each(findings, |one| {
            let cost = one.cost.as_ref();
            vec![
                text(&one.severity),
                prose(Some(&one.title)),
                at(one.file.as_deref(), one.line),
                ids(&one.compile_ids),
                seconds(cost.map(|cost| cost.seconds)),
                words(cost.map(|cost| &*cost.kind)),
            ]
        })
    }),
};

pub const COMPILES: Section = Section {
    id: "compiles",
    title: "Compiles",
    columns: &[
        Text("Compile"),
        Text("Status"),
        Text("Function"),
        Text("Place"),
        Number("Operators"),
        Number("Guards"),
        Number("Breaks"),
        Number("Time"),
    ],
    rows: Rows::Log(|log| {
        each(&log.compiles, |one| {
            let (name, file, line) = one.function.as_ref().map_or((None, None, None), |function| {
                (function.name.as_deref(), function.file.as_deref(), function.line)
            });
            let last = one.metrics.iter().rfind(|record| *record.kind == *"forward");
            let fields = last.map(|record| record.fields.get()).and_then(|json| Fields::parse(json).ok());
            let metric = |name: &str| count(fields.as_ref().and_then(|fields| fields.count(name)));
            vec![
                words(one.id.as_deref()),
                text(&one.status),
                function(name),
                at(file, line),
                metric("graph_op_count"),
                metric("guard_count"),
                count(Some(one.graph_breaks)),
                seconds(one.time.seconds),
            ]
        })
    }),
};

pub const BREAKS: Section = Section {
    id: "breaks",
    title: "Graph breaks",
    columns: &[Number("Times"), Text("Number"), Text("In torch's catalog"), Text("Place"), Text("Compiles")],
    rows: Rows::Log(|log| {
        each(&log.graph_breaks, |one| {
            let id = one.gb_id.as_deref();
            let number = Cell::Break(id.map(str::to_owned));
            let place = at(one.file.as_deref(), one.line);
            vec![
                count(Some(one.count)),
                number,
                prose(id.and_then(break_title)),
                place,
                ids(&one.compile_ids),
            ]
        })
    }),
};

pub const RECOMPILES: Section = Section {
    id: "recompiles",
    title: "Recompilations",
    columns: &[Text("Compile"), Text("Function"), Text("What changed"), Text("Instead of")],
    rows: Rows::Log(|log| {
        each(&log.recompiles, |one| {
            let against: Vec<&str> =
                one.reasons.iter().map(|reason| reason.against.as_deref().unwrap_or("-")).collect();
            vec![
                words(one.compile_id.as_deref()),
                function(one.function.as_deref()),
                words(one.reasons.first().map(|first| &*first.text)),
                Cell::Words(against.join(", ")),
            ]
        })
    }),
};

pub const FAILURES: Section = Section {
    id: "failures",
    title: "Failures",
    columns: &[Text("Compile"), Text("Error"), Text("In torch's catalog"), Text("Place")],
    rows: Rows::Log(|log| {
        each(&log.failures, |one| {
            let place = at(one.file.as_deref(), one.line);
            vec![words(one.compile_id.as_deref()), text(&one.error), prose(one.reason.as_deref()), place]
        })
    }),
};

pub const RESTARTS: Section = Section {
    id: "restarts",
    title: "Restarts",
    columns: &[Text("Compile"), Text("Why")],
    rows: Rows::Log(|log| {
        each(&log.restarts, |one| vec![words(one.compile_id.as_deref()), prose(Some(&one.reason))])
    }),
};

pub const CACHES: Section = Section {
    id: "caches",
    title: "Lookups in caches",
    columns: &[Text("Compile"), Text("Cache"), Text("Outcome"), Text("Reason")],
    rows: Rows::Log(|log| {
        each(&log.caches, |one| {
            vec![
                words(one.compile_id.as_deref()),
                text(&one.cache),
                text(&one.outcome),
                words(one.reason.as_deref()),
            ]
        })
    }),
};

pub const PARTS: Section = Section {
    id: "parts",
    title: "Time by part of the compiler",
    columns: &[Text("Part"), Number("Time")],
    rows: Rows::Log(|log| {
        each(&log.compile_time.parts, |one| vec![words(one.name.as_deref()), seconds(Some(one.seconds))])
    }),
};

pub const PHASES: Section = Section {
    id: "phases",
    title: "Time by phase",
    columns: &[Text("Phase"), Number("Own time"), Number("Time"), Number("Times")],
    rows: Rows::Log(|log| {
        each(&log.compile_time.phases, |one| {
            vec![
                text(&one.name),
                seconds(Some(one.self_s)),
                seconds(Some(one.total_s)),
                count(Some(one.count)),
            ]
        })
    }),
};

pub const KERNELS: Section = Section {
    id: "kernels",
    title: "Kernels in the generated code",
    columns: &[Text("Kernel"), Number("Times"), Text("Compiles")],
    rows: Rows::Log(|log| {
        let mut kernels: BTreeMap<&str, (f64, Vec<&str>)> = BTreeMap::new();
        for compile in &log.compiles {
            for (name, times) in &compile.kernels {
                let (sum, compiles) = kernels.entry(name).or_default();
                *sum += *times as f64;
                compiles.push(compile.id.as_deref().unwrap_or("-"));
            }
        }
        let row = |(name, (sum, compiles)): (&str, (f64, Vec<&str>))| {
            vec![text(name), figure(Some(sum), formats::count), Cell::Words(compiles.join(", "))]
        };
        kernels.into_iter().map(row).collect()
    }),
};

pub const INPUTS: Section = Section {
    id: "inputs",
    title: "Input tensors",
    columns: &[Text("Compile"), Text("Tensor"), Text("Dtype"), Text("Sizes"), Text("Strides")],
    rows: Rows::Log(|log| {
        let inputs = log.cross_rank.inputs.iter().flatten().flat_map(|one| {
            one.tensors.iter().map(|tensor| {
                vec![
                    words(one.compile_id.as_deref()),
                    text(&tensor.name),
                    text(&tensor.dtype),
                    text(&tensor.sizes),
                    words(tensor.strides.as_deref()),
                ]
            })
        });
        inputs.collect()
    }),
};

pub const COLLECTIVES: Section = Section {
    id: "collectives",
    title: "Collectives in order",
    columns: &[Text("Graph"), Number("Number"), Text("Operator")],
    rows: Rows::Log(|log| {
        let calls = log.cross_rank.collectives.iter().flatten().flat_map(|graph| {
            graph.ops.iter().zip(1u32..).map(|(call, number)| {
                vec![text(&graph.graph), Cell::Figure(Some(number.into()), number.to_string()), text(call)]
            })
        });
        calls.collect()
    }),
};

pub const MEASURED: Section = Section {
    id: "measured",
    title: "Kernels as torch.profiler measured them",
    columns: &[
        Text("Kernel"),
        Text("From"),
        Number("Runs"),
        Number("Sum"),
        Number("Median"),
        Number("TFLOP/s"),
        Number("GB/s"),
        Text("Compiles"),
    ],
    rows: Rows::Log(|log| {
        let kernels = log.performance.as_ref().map(|measured| &*measured.kernels).unwrap_or_default();
        each(kernels, |one| {
            vec![
                text(&one.name),
                text(&one.backend),
                count(Some(one.count)),
                microseconds(one.sum_us),
                microseconds(one.median_us),
                rate(one.tflops),
                rate(one.gbps),
                joined(&one.compile_ids, ", "),
            ]
        })
    }),
};

pub const OPERATORS: Section = Section {
    id: "operators",
    title: "Operators as torch.profiler measured them",
    columns: &[
        Text("Operator"),
        Text("Shapes"),
        Text("Dtypes"),
        Number("Runs"),
        Number("Sum"),
        Number("Bytes"),
    ],
    rows: Rows::Log(|log| {
        let operators = log.performance.as_ref().map(|measured| &*measured.ops).unwrap_or_default();
        each(operators, |one| {
            let dims: Vec<&str> = one.input_dims.iter().map(|dims| dims.get()).collect();
            vec![
                text(&one.op),
                Cell::Words(dims.join(" ")),
                joined(&one.input_types, " "),
                count(Some(one.count)),
                microseconds(one.kernel_us_sum),
                figure(one.bytes, formats::bytes),
            ]
        })
    }),
};
