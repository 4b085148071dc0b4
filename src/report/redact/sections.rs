//! The tables of a redacted report: lists of its facts, row by row.

use super::catalog;
use super::words::{catalog_number, list};
use crate::report::kit::formats::{self, micros};
use crate::report::kit::tables::{Head, Td};
use crate::report::kit::view::Pieces;
use serde_json::Value;
use std::collections::BTreeMap;

/// A list of the facts as a section with a table.
pub struct Section {
    pub id: &'static str,
    pub title: &'static str,
    heads: &'static [Column],
    rows: fn(&Value) -> Vec<Vec<Cell>>,
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
    pub fn heads(&self) -> Vec<Head> {
        self.heads
            .iter()
            .map(|column| match column {
                Text(title) => Head::text(title),
                Number(title) => Head::number(title),
            })
            .collect()
    }

    pub fn rows(&self, facts: &Value) -> Vec<Vec<Cell>> {
        (self.rows)(facts)
    }
}

impl Cell {
    pub fn shown(&self, view: Pieces<'_>) -> Td {
        match self {
            Cell::Words(text) => Td::text(text),
            Cell::Figure(value, shown) => Td::maybe(*value, |_| shown.clone()),
            Cell::Prose(text) => Td::html(view.prose(text)),
            Cell::Function(Some(name)) => Td::html(view.function(name)),
            Cell::Break(None) | Cell::Function(None) => Td::text("-"),
            Cell::Break(Some(id)) => Td::html(view.log_link(id, &catalog::address(id))),
        }
    }
}

fn each(facts: &Value, key: &str, cells: impl Fn(&Value) -> Vec<Cell>) -> Vec<Vec<Cell>> {
    list(facts, key).iter().map(cells).collect()
}

fn words(value: &Value) -> Cell {
    Cell::Words(text(value))
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn prose(value: &Value) -> Cell {
    Cell::Prose(text(value))
}

fn function(value: &Value) -> Cell {
    Cell::Function(value.as_str().map(str::to_owned))
}

fn count(value: &Value) -> Cell {
    Cell::Figure(value.as_f64(), value.as_f64().map(formats::count).unwrap_or_default())
}

fn seconds(value: &Value) -> Cell {
    Cell::Figure(value.as_f64(), value.as_f64().map(|seconds| micros(seconds * 1e6)).unwrap_or_default())
}

fn microseconds(value: &Value) -> Cell {
    Cell::Figure(value.as_f64(), value.as_f64().map(micros).unwrap_or_default())
}

fn bytes(value: &Value) -> Cell {
    Cell::Figure(value.as_f64(), value.as_f64().map(formats::bytes).unwrap_or_default())
}

/// `file1:81`
pub fn place(one: &Value) -> Option<String> {
    let file = one["file"].as_str()?;
    Some(one["line"].as_u64().map_or_else(|| file.to_owned(), |line| format!("{file}:{line}")))
}

fn at(one: &Value) -> Cell {
    Cell::Words(place(one).unwrap_or_else(|| "-".to_owned()))
}

fn ids(one: &Value) -> Cell {
    Cell::Words(list(one, "compile_ids").iter().map(text).collect::<Vec<_>>().join(", "))
}

pub const RANKS: Section = Section {
    id: "ranks",
    title: "Ranks",
    heads: &[
        Number("Rank"),
        Text("State"),
        Number("Compiles"),
        Number("Breaks"),
        Number("Recompiles"),
        Number("Failures"),
        Number("Compile time"),
    ],
    rows: |facts| {
        each(facts, "ranks", |one| {
            let mut cells = vec![count(&one["rank"]), words(&one["state"])];
            cells.extend(["compiles", "graph_breaks", "recompiles", "failures"].map(|key| count(&one[key])));
            cells.push(seconds(&one["compile_time_s"]));
            cells
        })
    },
};

pub const COMPARED: Section = Section {
    id: "compared",
    title: "What ranks are compared by",
    heads: &[Text("Fact"), Text("Ranks"), Text("First difference")],
    rows: |facts| {
        let compared = facts["divergence"].as_object().into_iter().flatten();
        compared
            .filter(|(_, one)| one.is_object())
            .map(|(fact, one)| {
                let says = if one["differs"] == true { "differ" } else { "agree" };
                let first = &one["first"];
                let first = match (first["index"].as_u64(), first["compile_id"].as_str()) {
                    (Some(index), Some(id)) => format!("number {}, in {id}", index + 1),
                    (Some(index), None) => format!("number {}", index + 1),
                    (None, _) => "-".to_owned(),
                };
                vec![Cell::Words(fact.replace('_', " ")), Cell::Words(says.to_owned()), Cell::Words(first)]
            })
            .collect()
    },
};

pub const FINDINGS: Section = Section {
    id: "findings",
    title: "Findings",
    heads: &[
        Text("Severity"),
        Text("Finding"),
        Text("Place"),
        Text("Compiles"),
        Number("Cost"),
        Text("Kind of cost"),
    ],
    rows: |facts| {
        each(facts, "findings", |one| {
            let cost = &one["cost"];
            vec![
                words(&one["severity"]),
                prose(&one["title"]),
                at(one),
                ids(one),
                seconds(&cost["seconds"]),
                words(&cost["kind"]),
            ]
        })
    },
};

pub const COMPILES: Section = Section {
    id: "compiles",
    title: "Compiles",
    heads: &[
        Text("Compile"),
        Text("Status"),
        Text("Function"),
        Text("Place"),
        Number("Operators"),
        Number("Guards"),
        Number("Breaks"),
        Number("Time"),
    ],
    rows: |facts| {
        each(facts, "compiles", |one| {
            let (function, last) =
                (&one["function"], list(one, "metrics").iter().rfind(|one| one["kind"] == "forward"));
            let metric = |name: &str| last.map_or(&Value::Null, |last| &last["fields"][name]);
            vec![
                words(&one["id"]),
                words(&one["status"]),
                self::function(&function["name"]),
                at(function),
                count(metric("graph_op_count")),
                count(metric("guard_count")),
                count(&one["graph_breaks"]),
                seconds(&one["time"]["seconds"]),
            ]
        })
    },
};

pub const BREAKS: Section = Section {
    id: "breaks",
    title: "Graph breaks",
    heads: &[Number("Times"), Text("Number"), Text("In torch's catalog"), Text("Place"), Text("Compiles")],
    rows: |facts| {
        each(facts, "graph_breaks", |one| {
            let id = catalog_number(&one["gb_id"]);
            let title = id.and_then(catalog::title).unwrap_or("-");
            let number = Cell::Break(id.map(str::to_owned));
            vec![count(&one["count"]), number, Cell::Prose(title.to_owned()), at(one), ids(one)]
        })
    },
};

pub const RECOMPILES: Section = Section {
    id: "recompiles",
    title: "Recompilations",
    heads: &[Text("Compile"), Text("Function"), Text("What changed"), Text("Instead of")],
    rows: |facts| {
        each(facts, "recompiles", |one| {
            let reasons = list(one, "reasons");
            let of = |key: &str| reasons.iter().map(|one| text(&one[key])).collect::<Vec<_>>();
            let changed = reasons.first().map_or("-".to_owned(), |first| text(&first["text"]));
            vec![
                words(&one["compile_id"]),
                function(&one["function"]),
                Cell::Words(changed),
                Cell::Words(of("against").join(", ")),
            ]
        })
    },
};

pub const FAILURES: Section = Section {
    id: "failures",
    title: "Failures",
    heads: &[Text("Compile"), Text("Error"), Text("In torch's catalog"), Text("Place")],
    rows: |facts| {
        each(facts, "failures", |one| {
            vec![words(&one["compile_id"]), words(&one["type"]), prose(&one["reason"]), at(one)]
        })
    },
};

pub const RESTARTS: Section = Section {
    id: "restarts",
    title: "Restarts",
    heads: &[Text("Compile"), Text("Why")],
    rows: |facts| each(facts, "restarts", |one| vec![words(&one["compile_id"]), prose(&one["reason"])]),
};

pub const CACHES: Section = Section {
    id: "caches",
    title: "Lookups in caches",
    heads: &[Text("Compile"), Text("Cache"), Text("Outcome"), Text("Reason")],
    rows: |facts| {
        each(facts, "caches", |one| {
            ["compile_id", "cache", "outcome", "reason"].map(|key| words(&one[key])).into()
        })
    },
};

pub const PARTS: Section = Section {
    id: "parts",
    title: "Time by part of the compiler",
    heads: &[Text("Part"), Number("Time")],
    rows: |facts| {
        each(&facts["compile_time"], "parts", |one| vec![words(&one["name"]), seconds(&one["seconds"])])
    },
};

pub const PHASES: Section = Section {
    id: "phases",
    title: "Time by phase",
    heads: &[Text("Phase"), Number("Own time"), Number("Time"), Number("Times")],
    rows: |facts| {
        each(&facts["compile_time"], "phases", |one| {
            vec![words(&one["name"]), seconds(&one["self_s"]), seconds(&one["total_s"]), count(&one["count"])]
        })
    },
};

pub const KERNELS: Section = Section {
    id: "kernels",
    title: "Kernels in the generated code",
    heads: &[Text("Kernel"), Number("Times"), Text("Compiles")],
    rows: |facts| {
        let mut kernels: BTreeMap<&str, (f64, Vec<String>)> = BTreeMap::new();
        for compile in list(facts, "compiles") {
            for (name, times) in compile["kernels"].as_object().into_iter().flatten() {
                let (sum, compiles) = kernels.entry(name).or_default();
                *sum += times.as_f64().unwrap_or_default();
                compiles.push(text(&compile["id"]));
            }
        }
        let row = |(name, (sum, compiles)): (&str, (f64, Vec<String>))| {
            vec![
                Cell::Words(name.to_owned()),
                Cell::Figure(Some(sum), formats::count(sum)),
                Cell::Words(compiles.join(", ")),
            ]
        };
        kernels.into_iter().map(row).collect()
    },
};

pub const INPUTS: Section = Section {
    id: "inputs",
    title: "Input tensors",
    heads: &[Text("Compile"), Text("Tensor"), Text("Dtype"), Text("Sizes"), Text("Strides")],
    rows: |facts| {
        let inputs = list(&facts["cross_rank"], "inputs").iter().flat_map(|one| {
            let row = |tensor: &Value| {
                let mut cells = vec![words(&one["compile_id"])];
                cells.extend((0..4).map(|at| words(&tensor[at])));
                cells
            };
            list(one, "tensors").iter().map(row).collect::<Vec<_>>()
        });
        inputs.collect()
    },
};

pub const COLLECTIVES: Section = Section {
    id: "collectives",
    title: "Collectives in order",
    heads: &[Text("Graph"), Number("Number"), Text("Operator")],
    rows: |facts| {
        let calls = list(&facts["cross_rank"], "collectives").iter().flat_map(|graph| {
            let row = |(call, number): (&Value, u32)| {
                vec![
                    words(&graph["graph"]),
                    Cell::Figure(Some(number.into()), number.to_string()),
                    words(call),
                ]
            };
            list(graph, "ops").iter().zip(1..).map(row).collect::<Vec<_>>()
        });
        calls.collect()
    },
};

pub const MEASURED: Section = Section {
    id: "measured",
    title: "Kernels as torch.profiler measured them",
    heads: &[
        Text("Kernel"),
        Text("From"),
        Number("Runs"),
        Number("Sum"),
        Number("Median"),
        Number("TFLOP/s"),
        Number("GB/s"),
        Text("Compiles"),
    ],
    rows: |facts| {
        each(&facts["performance"], "kernels", |one| {
            vec![
                words(&one["name"]),
                words(&one["backend"]),
                count(&one["count"]),
                microseconds(&one["sum_us"]),
                microseconds(&one["median_us"]),
                rate(&one["tflops"]),
                rate(&one["gbps"]),
                ids(one),
            ]
        })
    },
};

pub const OPERATORS: Section = Section {
    id: "operators",
    title: "Operators as torch.profiler measured them",
    heads: &[
        Text("Operator"),
        Text("Shapes"),
        Text("Dtypes"),
        Number("Runs"),
        Number("Sum"),
        Number("Bytes"),
    ],
    rows: |facts| {
        each(&facts["performance"], "ops", |one| {
            let list_of = |key: &str| list(one, key).iter().map(text).collect::<Vec<_>>().join(" ");
            vec![
                words(&one["op"]),
                Cell::Words(list_of("input_dims")),
                Cell::Words(list_of("input_types")),
                count(&one["count"]),
                microseconds(&one["kernel_us_sum"]),
                bytes(&one["bytes"]),
            ]
        })
    },
};

fn rate(value: &Value) -> Cell {
    Cell::Figure(value.as_f64(), value.as_f64().map(|rate| format!("{rate:.2}")).unwrap_or_default())
}
