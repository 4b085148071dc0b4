//! report.json of two logs equals what was derived from the contract by other means (see tests/golden/README.md).

use crate::check::excesses;
use crate::support::{Check, Report, report, source, source_text};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};

/// Times of `compile_time` are sums of floats, rounded to six decimals: how far two of them may lie apart.
const TOLERANCE_S: f64 = 0.000_002;

#[test]
fn the_report_of_graph_breaks_is_what_the_contract_says() {
    compare("03_graph_breaks");
}

#[test]
fn the_report_of_recompiles_is_what_the_contract_says() {
    compare("04_recompiles");
}

/// Logs whose known items and fingerprints are stored as an earlier version wrote them.
const KNOWN: [&str; 4] = ["03_graph_breaks", "04_recompiles", "05_dynamic_shapes", "06_errors"];

#[test]
fn a_baseline_that_an_earlier_version_wrote_knows_all_that_it_knew() {
    let known = source("tests/golden/baseline.toml");
    for name in KNOWN {
        let check = Check::of([&report(name).folder]).args(["--baseline"]).args([&known]);
        let verdict = check.json(0);
        assert!(verdict["known"].as_u64().unwrap() > 0, "{name}: {verdict:#}");
    }
    let check = Check::of(KNOWN.map(|name| &report(name).folder));
    let file = check.write("written.toml", b"");
    let written = check.args(["--update-baseline", "--baseline"]).args([&file]).go().ends_with(0);
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        source_text("tests/golden/baseline.toml"),
        "{}",
        written.stdout
    );
}

#[test]
fn fingerprints_are_those_of_an_earlier_version() {
    let budget: String =
        ["graph_breaks", "recompiles_per_function", "failures", "cache_misses", "fallback_ops", "findings"]
            .map(|budget| format!("{budget} = 0\n"))
            .concat();
    let mut found = BTreeSet::new();
    for name in KNOWN {
        let verdict = Check::of([&report(name).folder]).budget(&budget).json(3);
        found.extend(excesses(&verdict).map(|one| {
            let text = |key: &str| one[key].as_str().unwrap().to_owned();
            format!("{name} {} {}", text("kind"), text("fingerprint"))
        }));
    }
    let stored = source_text("tests/golden/fingerprints.txt");
    let stored: BTreeSet<String> = stored.lines().map(str::to_owned).collect();
    assert_eq!(found, stored);
}

#[test]
fn every_path_of_upstreams_report_is_a_path_of_ours() {
    let mut missing = Vec::new();
    let mut checked = 0;
    for line in source_text("tests/golden/upstream_paths.txt").lines() {
        let (scenario, path) = line.split_once(' ').unwrap();
        checked += 1;
        if !report(scenario).has(path) {
            missing.push(line.to_owned());
        }
    }
    assert!(
        checked > 4_000 && missing.is_empty(),
        "{} of {checked} are missing: {missing:#?}",
        missing.len()
    );
}

fn compare(scenario: &str) {
    let expected = source_text(&format!("tests/golden/{scenario}.report.json"));
    let found: &Report = report(scenario);
    let mut differences = Vec::new();
    differ("", &Json::parse(&expected), &Json::parse(&found.read("report.json")), &mut differences);
    assert!(
        differences.is_empty(),
        "{} differences:\n{}",
        differences.len(),
        differences[..differences.len().min(20)].join("\n")
    );
}

/// JSON whose numbers keep their text: reading them into floats could make two numbers one.
enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    fn parse(text: &str) -> Json {
        match text.trim_start().as_bytes()[0] {
            b'{' => {
                let fields: BTreeMap<String, Box<RawValue>> = serde_json::from_str(text).unwrap();
                Json::Object(fields.into_iter().map(|(key, value)| (key, Json::parse(value.get()))).collect())
            }
            b'[' => {
                let items: Vec<Box<RawValue>> = serde_json::from_str(text).unwrap();
                Json::List(items.iter().map(|item| Json::parse(item.get())).collect())
            }
            b'"' => Json::Text(serde_json::from_str(text).unwrap()),
            b't' | b'f' => Json::Bool(serde_json::from_str(text).unwrap()),
            b'n' => Json::Null,
            _ => Json::Number(text.trim().to_owned()),
        }
    }

    fn show(&self) -> String {
        match self {
            Json::Null => "null".to_owned(),
            Json::Bool(value) => value.to_string(),
            Json::Number(text) => text.clone(),
            Json::Text(text) => format!("{text:?}"),
            Json::List(items) => format!("a list of {}", items.len()),
            Json::Object(fields) => format!("an object of {:?}", fields.keys().collect::<Vec<_>>()),
        }
    }
}

/// Lists what differs below `path`.
fn differ(path: &str, expected: &Json, found: &Json, differences: &mut Vec<String>) {
    match (expected, found) {
        _ if [
            ".tool.version",
            ".findings",
            ".compile_time.one_offs",
            ".cross_rank.names",
            ".cross_rank.code",
        ]
        .contains(&path) => {}
        _ if path.starts_with(".compiles[") && path.ends_with("].time") => {}
        (Json::Object(expected), Json::Object(found))
            if expected.keys().eq(found.keys().filter(|key| !is_conclusion(path, key))) =>
        {
            for (key, value) in expected {
                differ(&format!("{path}.{key}"), value, &found[key], differences);
            }
        }
        (Json::List(expected), Json::List(found)) if expected.len() == found.len() => {
            for (index, (expected, found)) in expected.iter().zip(found).enumerate() {
                differ(&format!("{path}[{index}]"), expected, found, differences);
            }
        }
        (Json::Number(a), Json::Number(b)) if same_number(path, a, b) => {}
        (Json::Text(a), Json::Text(b)) if a == b => {}
        (Json::Bool(a), Json::Bool(b)) if a == b => {}
        (Json::Null, Json::Null) => {}
        _ => differences.push(format!("{path}: expected {}, found {}", expected.show(), found.show())),
    }
}

/// What analysis adds to what the log says.
fn is_conclusion(path: &str, key: &str) -> bool {
    let is_entry = path.starts_with(".graph_breaks[") || path.starts_with(".failures[");
    let is_of_recompile = path.starts_with(".recompiles[") && ["change", "at_limit"].contains(&key);
    is_of_recompile || is_entry && ["title", "cost"].contains(&key)
}

fn same_number(path: &str, expected: &str, found: &str) -> bool {
    let integers = (expected.parse::<i128>(), found.parse::<i128>());
    if let (Ok(expected), Ok(found)) = integers {
        return expected == found;
    }
    let (expected, found): (f64, f64) = (expected.parse().unwrap(), found.parse().unwrap());
    let tolerance = if path.starts_with(".compile_time.") { TOLERANCE_S } else { 0.0 };
    (expected - found).abs() <= tolerance
}
