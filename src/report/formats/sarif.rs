//! SARIF 2.1.0: what code scanning reads.

use super::notice::Notice;
use crate::analysis::Severity;
use crate::report::words::kinds;
use crate::source_tree::SourceTree;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Map, Value, json};

/// GitHub takes 5,000 results of a run and drops the others.
const MOST: usize = 5_000;

/// Where the sources begin: what relative addresses of files are relative to.
const ROOT: &str = "%SRCROOT%";

/// The version of the schema, and where it is.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The file.
pub(crate) fn sarif(notices: &[Notice], tree: &SourceTree) -> String {
    let told = || notices.iter().take(MOST);
    let mut words: Vec<&str> = told().map(|notice| notice.rule.as_str()).collect();
    words.sort_unstable();
    words.dedup();
    let rules: Vec<Value> = words.iter().map(|word| rule(word)).collect();
    let results: Vec<Value> = told().map(|notice| result(notice, &words, tree)).collect();
    let file = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "tlparse",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": "https://github.com/meta-pytorch/tlparse",
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{file:#}\n")
}

fn rule(word: &str) -> Value {
    let (label, about) = (kinds::label(word), kinds::about(word));
    json!({
        "id": word,
        "name": label,
        "shortDescription": { "text": label },
        "fullDescription": { "text": about },
        "help": { "text": about },
        "defaultConfiguration": { "level": "warning" },
    })
}

fn result(notice: &Notice, rules: &[&str], tree: &SourceTree) -> Value {
    let mut result = Map::new();
    result.insert("ruleId".to_owned(), notice.rule.clone().into());
    if let Ok(index) = rules.binary_search(&notice.rule.as_str()) {
        result.insert("ruleIndex".to_owned(), index.into());
    }
    let level = match notice.level {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    };
    result.insert("level".to_owned(), level.into());
    result.insert("message".to_owned(), json!({ "text": notice.message() }));
    if let Some(location) = location(notice, tree) {
        result.insert("locations".to_owned(), json!([location]));
    }
    result.insert("partialFingerprints".to_owned(), json!({ "tlparse/v1": notice.fingerprint }));
    result.into()
}

/// The place in the reader's sources. A file that is not among them, such as one of torch, has an absolute address, which
/// viewers show and code scanning ignores; anything that is not a path has no location.
fn location(notice: &Notice, tree: &SourceTree) -> Option<Value> {
    let file = notice.file.as_deref()?;
    let artifact = match tree.relative(file) {
        Some(path) => json!({ "uri": encoded(&path), "uriBaseId": ROOT }),
        None if file.starts_with('/') => json!({ "uri": format!("file://{}", encoded(file)) }),
        None => return None,
    };
    let mut place = json!({ "artifactLocation": artifact });
    if let (Some(line), Some(map)) = (notice.line, place.as_object_mut()) {
        map.insert("region".to_owned(), json!({ "startLine": line }));
    }
    Some(json!({ "physicalLocation": place }))
}

/// What a path in an address may not have as it is.
const ESCAPED: AsciiSet = CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}')
    .add(b':');

fn encoded(path: &str) -> String {
    utf8_percent_encode(path, &ESCAPED).to_string()
}
