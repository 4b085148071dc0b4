//! report.json keeps to report.schema.json.

use crate::support::{report, reports, source_text};
use jsonschema::Validator;
use serde_json::{Value, json};

fn schema() -> Validator {
    let schema: Value = serde_json::from_str(&source_text("report.schema.json")).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

fn errors(validator: &Validator, report: &Value) -> Vec<String> {
    validator.iter_errors(report).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn every_report_keeps_to_the_schema() {
    let schema = schema();
    for (name, report) in reports() {
        let errors = errors(&schema, &report.json);
        assert!(errors.is_empty(), "{name}: {:#?}", &errors[..errors.len().min(5)]);
    }
}

#[test]
fn the_schema_refuses_a_report_that_breaks_the_contract() {
    let schema = schema();
    let good = &report("03_graph_breaks").json;
    type Break = (&'static str, fn(&mut Value));
    let broken: [Break; 7] = [
        ("a key is missing", |r| drop(r.as_object_mut().unwrap().remove("restarts"))),
        ("a key of a compile is missing", |r| {
            drop(r["compiles"][0].as_object_mut().unwrap().remove("stack"))
        }),
        ("a key is unknown", |r| r["surprise"] = json!(1)),
        ("a status is unknown", |r| r["compiles"][0]["status"] = json!("fine")),
        ("a count is a text", |r| r["integrity"]["bad_json"] = json!("0")),
        ("a problem has an unknown kind", |r| {
            r["integrity"]["problems"] = json!([{"line": 1, "kind": "odd", "detail": ""}]);
        }),
        ("a cache outcome is an emoji", |r| r["caches"][0]["outcome"] = json!("✅")),
    ];
    for (what, breaks) in broken {
        let mut report = good.clone();
        breaks(&mut report);
        assert!(!errors(&schema, &report).is_empty(), "the schema takes a report in which {what}");
    }
}

#[test]
fn a_report_says_which_tool_in_which_version_wrote_it() {
    let tool = &report("01_inference").json["tool"];
    assert_eq!(*tool, json!({"name": "tlparse", "version": env!("CARGO_PKG_VERSION")}));
}
