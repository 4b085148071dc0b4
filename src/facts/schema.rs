//! `report.schema.json` and `diff.schema.json` are written from the types.

use super::{Diff, JobReport, LogReport, SeveralReports};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};
use std::io::Write;

fn generator() -> SchemaGenerator {
    SchemaSettings::draft2020_12().for_serialize().into_generator()
}

fn report() -> Value {
    let mut all = generator();
    let log = all.subschema_for::<LogReport<'_>>();
    let job = all.subschema_for::<JobReport<'_>>();
    let several = all.subschema_for::<SeveralReports<'_>>();
    let is_kind = |kind: &str| json!({ "properties": { "kind": { "const": kind } }, "required": ["kind"] });
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "report.json of tlparse",
        "description": "The model and the findings of one log (kind log) or of a job of several ranks (kind job); or a list of \
            such reports (kind logs). Every key is always present, null or empty when unknown.",
        "type": "object",
        "required": ["schema", "kind"],
        "if": is_kind("job"),
        "then": job,
        "else": { "if": is_kind("logs"), "then": several, "else": log },
        "$defs": all.take_definitions(true),
    })
}

fn diff() -> Value {
    let mut schema = generator().into_root_schema_for::<Diff<'_>>();
    schema.insert("title".to_owned(), "diff.json of tlparse".into());
    let about = "What differs between two runs, or several runs per side: what `tlparse diff --json` prints. `rows` is empty \
        where nothing does. Every key is always present, null or empty when unknown.";
    schema.insert("description".to_owned(), about.into());
    schema.to_value()
}

/// Set to write the schemas anew.
const UPDATE: &str = "UPDATE_SCHEMAS";

#[test]
fn the_schemas_in_the_project_are_those_of_the_types() {
    for (name, schema) in [("report.schema.json", report()), ("diff.schema.json", diff())] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        let text = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
        if std::env::var_os(UPDATE).is_some() {
            let mut file = std::fs::OpenOptions::new().write(true).truncate(true).open(&path).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap();
        assert!(kept == text, "{name} is not what the types say: run the test again with {UPDATE}=1");
    }
}
