//! `--format` of `tlparse check` and of the ordinary run: each is what the tools that read it expect.

use crate::check::excesses;
use crate::diff::diff;
use crate::support::check::scripts;
use crate::support::{Check, Log, Run, combine, input, inputs, rank_reports, report, source_text};
use jsonschema::Validator;
use serde_json::Value;
use std::collections::BTreeSet;

fn sarif_schema() -> Validator {
    let schema = source_text("tests/schemas/sarif-schema-2.1.0.json");
    // Two patterns of the official file have a bracket too many, which strict readers of regular expressions refuse.
    let language = "-[a-zA-Z]{2}]?$";
    assert_eq!(schema.matches(language).count(), 2);
    let schema: Value = serde_json::from_str(&schema.replace(language, "-[a-zA-Z]{2}$")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// A SARIF file that keeps to the schema.
fn sarif(text: &str) -> Value {
    let file: Value = serde_json::from_str(text).unwrap();
    let errors: Vec<String> = sarif_schema().iter_errors(&file).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    file
}

fn results(file: &Value) -> &Vec<Value> {
    file["runs"][0]["results"].as_array().unwrap()
}

const EVERYTHING: &str = "graph_breaks = 0\nrecompiles_per_function = 0\nfailures = 0\ncompile_seconds = 0\n\
                          cache_misses = 0\nfallback_ops = 0\nfindings = 0\n";

/// A check of a stored report against a budget that allows nothing.
fn check(name: &str, format: &str) -> String {
    let root = scripts();
    let check = Check::of([&report(name).folder]).budget(EVERYTHING);
    check.args(["--format", format, "--root", root.to_str().unwrap()]).go().ends_with(3).stdout
}

/// What the ordinary run prints.
fn run(name: &str, format: &str) -> String {
    let root = scripts();
    Run::from(input(name)).args(["--format", format, "--root", root.to_str().unwrap()]).ok().stdout
}

#[test]
fn sarif_keeps_to_the_official_schema_for_checks_and_runs() {
    for name in ["03_graph_breaks", "04_recompiles", "06_errors", "08_cache_miss", "01_inference"] {
        let file = sarif(&check(name, "sarif"));
        assert!(!results(&file).is_empty(), "{name}");
        let of_run = sarif(&run(name, "sarif"));
        assert_eq!(results(&of_run).len(), report(name).list("findings").len(), "{name}");
        for file in [file, of_run] {
            let rules = file["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
            let ids: BTreeSet<&str> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
            assert_eq!(ids.len(), rules.len(), "one rule per kind");
            for rule in rules {
                assert!(rule["help"]["text"].as_str().unwrap().len() > 20, "{rule}");
            }
            for result in results(&file) {
                let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
                assert_eq!(rule["id"], result["ruleId"]);
            }
        }
    }
}

#[test]
fn sarif_has_paths_relative_to_the_root_and_absolute_ones_outside_of_it() {
    let file = sarif(&check("03_graph_breaks", "sarif"));
    let place = |result: &Value| result["locations"][0]["physicalLocation"].clone();
    let of_kind =
        |kind: &str| results(&file).iter().filter(|one| one["ruleId"] == kind).map(place).collect::<Vec<_>>();
    let breaks = of_kind("graph_break");
    assert_eq!(breaks.len(), 7);
    assert_eq!(breaks[0]["artifactLocation"]["uri"], "s03_graph_breaks.py");
    assert_eq!(breaks[0]["artifactLocation"]["uriBaseId"], "%SRCROOT%");
    assert_eq!(breaks[0]["region"]["startLine"], 11);
    let errors = sarif(&check("06_errors", "sarif"));
    let uris: Vec<String> = results(&errors)
        .iter()
        .filter_map(|one| Some(place(one)["artifactLocation"]["uri"].as_str()?.to_owned()))
        .collect();
    for uri in &uris {
        assert!(uri == "s06_errors.py" || uri.starts_with("file:///"), "{uri}");
    }
    assert!(uris.iter().any(|uri| uri == "s06_errors.py"), "{uris:?}");
}

#[test]
fn sarif_takes_at_most_5000_results() {
    let log = report("03_graph_breaks");
    let mut many = log.json.clone();
    let one = many["graph_breaks"][0].clone();
    let breaks = (0..6_000).map(|line| {
        let mut one = one.clone();
        one["line"] = line.into();
        one
    });
    many["graph_breaks"] = breaks.collect();
    let check = Check::of(["many"]).budget("graph_breaks = 0").args(["--format", "sarif"]);
    check.write("many/report.json", many.to_string().as_bytes());
    let file = sarif(&check.go().ends_with(3).stdout);
    assert_eq!(results(&file).len(), 5_000);
}

#[test]
fn junit_has_one_test_per_budget_and_is_xml() {
    let text = check("03_graph_breaks", "junit");
    let document = roxmltree::Document::parse(&text).unwrap();
    let cases: Vec<_> = document.descendants().filter(|node| node.has_tag_name("testcase")).collect();
    assert_eq!(cases.len(), 7);
    let failed = |case: &roxmltree::Node<'_, '_>| case.children().any(|node| node.has_tag_name("failure"));
    let names: Vec<&str> =
        cases.iter().filter(|case| failed(case)).filter_map(|case| case.attribute("name")).collect();
    assert!(names.contains(&"graph_breaks <= 0") && names.contains(&"failures <= 0"), "{names:?}");
    assert!(!names.contains(&"findings <= 0"), "{names:?}");
    let suite = document.root_element();
    assert_eq!(suite.attribute("tests"), Some("7"));
    assert_eq!(suite.attribute("failures"), Some(names.len().to_string().as_str()));

    let of_run = run("03_graph_breaks", "junit");
    let document = roxmltree::Document::parse(&of_run).unwrap();
    let failures = document.descendants().filter(|node| node.has_tag_name("failure"));
    let failed: Vec<&str> = failures.filter_map(|node| node.parent().unwrap().attribute("name")).collect();
    assert_eq!(failed, ["Recompile", "Failure", "Graph break"]);
}

#[test]
fn github_shows_at_most_ten_annotations_of_a_level_each_at_its_line() {
    for text in [check("03_graph_breaks", "github"), run("03_graph_breaks", "github")] {
        for level in ["error", "warning", "notice"] {
            let of_level = text.lines().filter(|line| line.starts_with(&format!("::{level} "))).count();
            assert!(of_level <= 10, "{level}: {of_level}");
        }
        assert!(text.lines().all(|line| line.starts_with("::")), "{text}");
        assert!(text.contains("::error file=s03_graph_breaks.py,line=65,title=torch.compile%3A"), "{text}");
    }
    let many = check("04_recompiles", "github");
    assert_eq!(many.lines().count(), 10, "there are more excesses than GitHub shows");
}

#[test]
fn markdown_has_at_most_60_kb_and_leads_to_what_is_exceeded() {
    for input in inputs().iter().filter(|input| !input.name.contains('#')) {
        let root = scripts();
        let check = Check::of([&report(&input.name).folder]).budget(EVERYTHING);
        let text = check.args(["--format", "markdown", "--root", root.to_str().unwrap()]).go().stdout;
        assert!(text.len() <= 60_000, "{}: {}", input.name, text.len());
        assert!(text.starts_with("## torch.compile: "), "{}: {text:.80}", input.name);
    }
    let text = check("03_graph_breaks", "markdown");
    assert!(text.contains("| `graph_breaks` | 0 | 7 distinct graph breaks | **exceeded** |"), "{text}");
    assert!(text.contains("at `s03_graph_breaks.py:11` in `inner_print`, 146 ms wasted"), "{text}");
    assert!(text.contains("index.html#finding-"), "{text}");
    assert_eq!(run("03_graph_breaks", "markdown"), report("03_graph_breaks").read("report.md"));
}

#[test]
fn json_of_a_run_is_the_findings_as_with_json() {
    let of = |args: &[&str]| -> Value {
        serde_json::from_str(&Run::from(input("06_errors")).args(args).ok().stdout).unwrap()
    };
    assert_eq!(of(&["--format", "json"]), of(&["--json"]));
    let both = Run::from(input("06_errors")).args(["--format", "json", "--json"]).go();
    assert_eq!(both.code, Some(2));
    let text = Run::from(input("06_errors")).args(["--format", "text"]).ok().stdout;
    assert!(text.contains("Report: "), "{text}");
}

/// A log whose graph breaks say what no format may take as it is.
fn hostile() -> Vec<u8> {
    let mut log = Log::of(input("03_graph_breaks"));
    let reason = "100% ::error file=x::y <b>&\u{1}\u{1b}[31m | @everyone [a](http://x) %0A ]]>";
    for record in &mut log.records {
        let text = String::from_utf8_lossy(&record.text()).into_owned();
        if text.starts_with("Graph break in user code at") {
            // Of a break whose cause is known, titles have the cause in place of torch's words.
            let text = text.replace("`print`", "`show`").replace("builtin print", "builtin show");
            let text = text.replace("Failed to trace builtin operator", reason);
            record.set_payload(text.as_bytes());
        }
    }
    log.bytes()
}

#[test]
fn no_format_prints_a_control_character_of_a_file_name() {
    let mut log = Log::of(input("03_graph_breaks"));
    for record in &mut log.records {
        let text = String::from_utf8_lossy(&record.text()).into_owned();
        if text.starts_with("Graph break in user code at") {
            record.set_payload(text.replacen(".py:", "\u{1b}[31m\u{7f}\u{9b}2J.py:", 1).as_bytes());
        }
    }
    let log = log.bytes();
    for format in ["text", "json", "markdown", "sarif", "junit", "github"] {
        let check = Check::of_bytes(&log).budget("graph_breaks = 0").args(["--format", format]);
        let report = Run::of_bytes("steering.log", &log).args(["--format", format]);
        for printed in [check.go().ends_with(3).stdout, report.ok().stdout] {
            let odd = printed.chars().find(|letter| letter.is_control() && *letter != '\n');
            assert_eq!(odd, None, "{format}: {printed:?}");
        }
    }
}

#[test]
fn hostile_texts_stay_texts_in_every_format() {
    let log = hostile();
    let of = |format: &str| {
        let check = Check::of_bytes(&log).budget("graph_breaks = 0").args(["--format", format]);
        check.go().ends_with(3).stdout
    };
    let github = of("github");
    assert_eq!(github.lines().count(), 7, "{github}");
    assert!(github.contains("::100%25 ::error file=x::y <b>&\\u{1}\\u{1b}[31m"), "{github}");
    let junit = of("junit");
    let document = roxmltree::Document::parse(&junit).unwrap();
    let failure = document.descendants().find(|node| node.has_tag_name("failure")).unwrap();
    assert!(failure.text().unwrap().contains("100% ::error file=x::y <b>&"), "{junit}");
    assert_eq!(results(&sarif(&of("sarif"))).len(), 7);
    let text = of("text");
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
    let markdown = of("markdown");
    // Everything that would be markup stands between backquotes.
    let entry = markdown.lines().find(|line| line.contains("100%")).unwrap();
    let outside: String = entry.split('`').step_by(2).collect();
    for markup in ["<b>", "@everyone", "](http"] {
        assert!(!outside.contains(markup), "{markup}: {entry}");
    }
    let json: Value = serde_json::from_str(&of("json")).unwrap();
    assert_eq!(excesses(&json).count(), 7);
}

#[test]
fn combine_prints_the_findings_of_a_job_in_every_form() {
    let ranks = rank_reports("13_div_break");
    let of = |format: &str| {
        let combined = combine(ranks.path(), &["--overwrite", "--format", format]);
        assert_eq!(combined.0.code, Some(0), "{}", combined.0.stderr);
        combined.0.stdout
    };
    let findings: Value = serde_json::from_str(&of("json")).unwrap();
    let count = findings.as_array().unwrap().len();
    assert!(count > 0);
    assert_eq!(results(&sarif(&of("sarif"))).len(), count);
    let junit = of("junit");
    let document = roxmltree::Document::parse(&junit).unwrap();
    assert!(document.descendants().any(|node| node.has_tag_name("failure")), "{junit}");
    let github = of("github");
    assert!(github.lines().all(|line| line.starts_with("::")) && !github.is_empty(), "{github}");
    assert_eq!(of("markdown"), std::fs::read_to_string(ranks.path().join("report.md")).unwrap());
    assert!(of("text").contains("Report: "));
    let both = combine(ranks.path(), &["--overwrite", "--format", "json", "--json"]);
    assert_eq!(both.0.code, Some(2), "{}", both.0.stderr);
}

/// What a comparison prints.
fn compared(a: &str, b: &str, format: &str) -> String {
    let root = scripts();
    let (a, b) = (&report(a).folder, &report(b).folder);
    let root = ["--format", format, "--root", root.to_str().unwrap()].map(std::ffi::OsStr::new);
    let done = diff(&[&[a.as_os_str(), b.as_os_str()], &root[..]].concat());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    done.stdout
}

#[test]
fn a_comparison_has_a_result_a_test_and_an_annotation_of_what_became_worse() {
    let (a, b) = ("21_torch26_03_graph_breaks", "03_graph_breaks");
    let json: Value = serde_json::from_str(&compared(a, b, "json")).unwrap();
    let rows = json["rows"].as_array().unwrap();
    let file = sarif(&compared(a, b, "sarif"));
    assert_eq!(results(&file).len(), rows.len(), "one result for each difference");
    let first = &results(&file)[0];
    assert_eq!((&first["ruleId"], &first["level"]), (&Value::from("failure"), &Value::from("error")));
    let place = &first["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "s03_graph_breaks.py");
    assert_eq!(place["region"]["startLine"], 65);
    let junit = compared(a, b, "junit");
    let document = roxmltree::Document::parse(&junit).unwrap();
    let failed = document.descendants().filter(|node| node.has_tag_name("failure"));
    let failed: Vec<&str> = failed.filter_map(|node| node.parent().unwrap().attribute("name")).collect();
    assert_eq!(failed, ["No new failure", "No more compile time"]);
    assert_eq!(document.descendants().filter(|node| node.has_tag_name("testcase")).count(), 7);
    let github = compared(a, b, "github");
    assert!(
        github.starts_with("::error file=s03_graph_breaks.py,line=65,title=torch.compile%3A"),
        "{github}"
    );
    for level in ["error", "warning", "notice"] {
        assert!(github.lines().filter(|line| line.starts_with(&format!("::{level} "))).count() <= 10);
    }
    // Nothing differs: no result, no failure, no annotation.
    assert!(results(&sarif(&compared(b, b, "sarif"))).is_empty());
    assert!(!compared(b, b, "junit").contains("<failure"));
    assert_eq!(compared(b, b, "github"), "");
}

#[test]
fn a_finding_has_the_same_fingerprint_from_the_plain_command_and_from_check() {
    let fingerprints = |text: &str| -> std::collections::BTreeMap<String, String> {
        let file: serde_json::Value = serde_json::from_str(text).unwrap();
        let results = file["runs"][0]["results"].as_array().unwrap().clone();
        let of = |one: &serde_json::Value| {
            let first = one["message"]["text"].as_str().unwrap().lines().next().unwrap().to_owned();
            let line = &one["locations"][0]["physicalLocation"]["region"]["startLine"];
            (format!("{first}:{line}"), one["partialFingerprints"]["tlparse/v1"].as_str().unwrap().to_owned())
        };
        results.iter().map(of).collect()
    };
    let log = crate::support::input("03_graph_breaks");
    let plain = crate::support::Run::of(&log.path).args(["--format", "sarif"]).go();
    let budget = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(budget.path(), "graph_breaks = 0\nfindings = 0\n").unwrap();
    let (path, rules) = (log.path.display().to_string(), budget.path().display().to_string());
    let done =
        crate::support::Run::bare().go_with(&["check", &path, "--budget", &rules, "--format", "sarif"]);
    let (of_report, of_check) = (fingerprints(&plain.stdout), fingerprints(&done.stdout));
    let breaks: Vec<&String> = of_check.keys().filter(|key| of_report.contains_key(*key)).collect();
    assert!(breaks.len() >= 5, "{of_report:#?}\n{of_check:#?}");
    for key in breaks {
        assert_eq!(of_report[key], of_check[key], "{key}");
    }
}
