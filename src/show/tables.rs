//! The lists of `report.json` as tables: which columns each has.

use super::select::list;
use serde_json::{Map, Value};

/// A table.
pub struct Table {
    pub title: &'static str,
    pub columns: &'static [&'static str],
    pub rows: Vec<Vec<String>>,
    /// Shown instead of an empty table.
    pub empty: &'static str,
}

/// All tables of what was asked for.
pub fn of(facts: &Map<String, Value>) -> Vec<Table> {
    facts.iter().flat_map(|(key, value)| tables(key, value)).collect()
}

fn tables(key: &str, value: &Value) -> Vec<Table> {
    let rows = value.as_array().map(Vec::as_slice).unwrap_or_default();
    match key {
        "counts" => vec![counts(value)],
        "compile_time" => compile_time(value),
        "measured_kernels" if rows.is_empty() => Vec::new(),
        _ => LISTS.iter().filter(|list| list.key == key).map(|list| list.table(rows)).collect(),
    }
}

/// A list of `report.json` as a table.
struct List {
    key: &'static str,
    title: &'static str,
    columns: &'static [&'static str],
    /// The rows of an entry.
    rows: fn(&Value) -> Vec<Vec<String>>,
    empty: &'static str,
}

impl List {
    fn table(&self, entries: &[Value]) -> Table {
        let rows = entries.iter().flat_map(self.rows).collect();
        Table { title: self.title, columns: self.columns, rows, empty: self.empty }
    }
}

const LISTS: [List; 10] = [
    List {
        key: "ranks",
        title: "Ranks",
        columns: &["Rank", "State", "Compiles", "Breaks", "Recompiles", "Failures", "Seconds"],
        rows: |one| vec![rank(one)],
        empty: "There is no rank.",
    },
    List {
        key: "compiles",
        title: "Compiles",
        columns: &["Compile", "Status", "Seconds", "Breaks", "Place", "Function"],
        rows: |one| vec![compile(one)],
        empty: "There is no compile.",
    },
    List {
        key: "findings",
        title: "Findings",
        columns: &["Severity", "Cost", "Place", "Finding"],
        rows: |one| vec![finding(one)],
        empty: "There is no finding.",
    },
    List {
        key: "graph_breaks",
        title: "Graph breaks",
        columns: &["Count", "Id", "Place", "Reason"],
        rows: |one| vec![vec![text(&one["count"]), text(&one["gb_id"]), place(one), text(&one["reason"])]],
        empty: "There is no graph break.",
    },
    List {
        key: "recompiles",
        title: "Recompilations",
        columns: &["Compile", "Function", "Instead of", "Guard that failed"],
        rows: recompile,
        empty: "There is no recompilation.",
    },
    List {
        key: "failures",
        title: "Failures",
        columns: &["Compile", "Error", "Place", "Reason"],
        rows: |one| {
            vec![vec![text(&one["compile_id"]), text(&one["type"]), place(one), text(&one["reason"])]]
        },
        empty: "There is no failure.",
    },
    List {
        key: "restarts",
        title: "Restarts",
        columns: &["Compile", "Reason"],
        rows: |one| texts(one, &["compile_id", "reason"]),
        empty: "There is no restart.",
    },
    List {
        key: "caches",
        title: "Lookups in caches",
        columns: &["Compile", "Cache", "Outcome", "Reason"],
        rows: |one| texts(one, &["compile_id", "cache", "outcome", "reason"]),
        empty: "There is no lookup in a cache.",
    },
    List {
        key: "kernels",
        title: "Kernels",
        columns: &["Compile", "Count", "Kernel"],
        rows: |one| texts(one, &["compile_id", "count", "name"]),
        empty: "There is no kernel.",
    },
    List {
        key: "measured_kernels",
        title: "Measured kernels",
        columns: &["Runs", "Sum in us", "Kernel"],
        rows: |one| texts(one, &["count", "sum_us", "name"]),
        empty: "",
    },
];

/// A row of these values.
fn texts(one: &Value, keys: &[&str]) -> Vec<Vec<String>> {
    vec![keys.iter().map(|key| text(&one[*key])).collect()]
}

fn rank(one: &Value) -> Vec<String> {
    let keys = ["rank", "state", "compiles", "graph_breaks", "recompiles", "failures", "compile_time_s"];
    keys.map(|key| text(&one[key])).to_vec()
}

fn compile(one: &Value) -> Vec<String> {
    let function = &one["function"];
    vec![
        text(&one["id"]),
        text(&one["status"]),
        seconds(&one["time"]["seconds"]),
        text(&one["graph_breaks"]),
        place(function),
        text(&function["name"]),
    ]
}

fn finding(one: &Value) -> Vec<String> {
    let cost = &one["cost"];
    let cost = match cost["seconds"].as_f64() {
        Some(_) => format!("{} s {}", seconds(&cost["seconds"]), text(&cost["kind"])),
        None => DASH.to_owned(),
    };
    vec![text(&one["severity"]), cost, place(one), text(&one["title"])]
}

/// A row for each older compile whose guard failed.
fn recompile(one: &Value) -> Vec<Vec<String>> {
    let row = |against: &Value, guard: &Value| {
        vec![text(&one["compile_id"]), text(&one["function"]), text(against), text(guard)]
    };
    match list(one, "reasons") {
        [] => vec![row(&Value::Null, &Value::Null)],
        reasons => reasons.iter().map(|reason| row(&reason["against"], &reason["guard"])).collect(),
    }
}

fn counts(value: &Value) -> Table {
    let rows = value.as_object().into_iter().flatten();
    Table {
        title: "Overview",
        columns: &["What", "Count"],
        rows: rows.map(|(key, count)| vec![key.replace('_', " "), text(count)]).collect(),
        empty: "",
    }
}

fn compile_time(value: &Value) -> Vec<Table> {
    let whole = vec!["all".to_owned(), seconds(&value["total_s"])];
    let parts = list(value, "parts").iter().map(|part| vec![text(&part["name"]), seconds(&part["seconds"])]);
    let phase = |one: &Value| {
        vec![seconds(&one["self_s"]), seconds(&one["total_s"]), text(&one["count"]), text(&one["name"])]
    };
    vec![
        Table {
            title: "Compile time",
            columns: &["Part", "Seconds"],
            rows: parts.chain([whole]).collect(),
            empty: "",
        },
        Table {
            title: "Phases",
            columns: &["Own seconds", "Seconds", "Count", "Phase"],
            rows: list(value, "phases").iter().map(phase).collect(),
            empty: "The log does not time the phases of the compiler.",
        },
    ]
}

/// What is unknown.
const DASH: &str = "-";

/// A value as the text of a cell.
fn text(value: &Value) -> String {
    match value {
        Value::Null => DASH.to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Seconds with milliseconds.
fn seconds(value: &Value) -> String {
    value.as_f64().map_or_else(|| DASH.to_owned(), |seconds| format!("{seconds:.3}"))
}

/// `model.py:12`
fn place(one: &Value) -> String {
    let Some(file) = one["file"].as_str() else { return DASH.to_owned() };
    let name = file.rsplit('/').next().unwrap_or(file);
    one["line"].as_u64().map_or_else(|| name.to_owned(), |line| format!("{name}:{line}"))
}
