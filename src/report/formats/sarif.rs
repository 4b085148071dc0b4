//! SARIF 2.1.0: what code scanning reads.

use super::notice::Notice;
use crate::analysis::Severity;
use crate::report::words::kinds;
use crate::source_tree::SourceTree;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde::Serialize;

/// GitHub takes 5,000 results of a run and drops the others.
const MOST: usize = 5_000;

/// Where the sources begin: what relative addresses of files are relative to.
const ROOT: &str = "%SRCROOT%";

/// The version of the schema, and where it is.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

#[derive(Serialize)]
struct SarifLog<'n> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [SarifRun<'n>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifRun<'n> {
    tool: Tool<'n>,
    column_kind: &'static str,
    results: Vec<SarifResult<'n>>,
}

#[derive(Serialize)]
struct Tool<'n> {
    driver: Driver<'n>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'n> {
    name: &'static str,
    version: &'static str,
    information_uri: &'static str,
    rules: Vec<Rule<'n>>,
}

/// A kind of findings.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule<'n> {
    id: &'n str,
    name: String,
    short_description: Message,
    full_description: Message,
    help: Message,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

/// One finding: a result, as SARIF calls it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult<'n> {
    rule_id: &'n str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    level: &'static str,
    message: Message,
    #[serde(skip_serializing_if = "Option::is_none")]
    locations: Option<[Location; 1]>,
    partial_fingerprints: Fingerprints<'n>,
}

#[derive(Serialize)]
struct Fingerprints<'n> {
    #[serde(rename = "tlparse/v1")]
    own: &'n str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: SarifPlace,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifPlace {
    artifact_location: Address,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

/// The address of a file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Address {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri_base_id: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u64,
}

/// The text of the file.
///
/// # Errors
/// It cannot be written as JSON.
pub(crate) fn sarif(notices: &[Notice], tree: &SourceTree) -> serde_json::Result<String> {
    let listed = || notices.iter().take(MOST);
    let mut words: Vec<&str> = listed().map(|notice| notice.rule.as_str()).collect();
    words.sort_unstable();
    words.dedup();
    let driver = Driver {
        name: "tlparse",
        version: env!("CARGO_PKG_VERSION"),
        information_uri: "https://github.com/meta-pytorch/tlparse",
        rules: words.iter().map(|word| rule(word)).collect(),
    };
    let results = listed().map(|notice| finding(notice, &words, tree)).collect();
    let run = SarifRun { tool: Tool { driver }, column_kind: "unicodeCodePoints", results };
    let file = SarifLog { schema: SCHEMA, version: "2.1.0", runs: [run] };
    Ok(format!("{}\n", serde_json::to_string_pretty(&file)?))
}

fn rule(word: &str) -> Rule<'_> {
    let (label, about) = (kinds::label(word), kinds::about(word));
    let message = |text: &str| Message { text: text.to_owned() };
    Rule {
        id: word,
        short_description: message(&label),
        name: label,
        full_description: message(about),
        help: message(about),
        default_configuration: Configuration { level: "warning" },
    }
}

fn finding<'n>(notice: &'n Notice, rules: &[&str], tree: &SourceTree) -> SarifResult<'n> {
    SarifResult {
        rule_id: &notice.rule,
        rule_index: rules.binary_search(&notice.rule.as_str()).ok(),
        level: match notice.level {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "note",
        },
        message: Message { text: notice.message() },
        locations: location(notice, tree).map(|location| [location]),
        partial_fingerprints: Fingerprints { own: &notice.fingerprint },
    }
}

/// The place in the reader's sources. A file that is not among them, such as one of torch, has an absolute address, which
/// viewers show and code scanning ignores; anything that is not a path has no location.
fn location(notice: &Notice, tree: &SourceTree) -> Option<Location> {
    let file = notice.file.as_deref()?;
    let artifact_location = match tree.relative(file) {
        Some(path) => Address { uri: encoded(&path), uri_base_id: Some(ROOT) },
        None if file.starts_with('/') => {
            Address { uri: format!("file://{}", encoded(file)), uri_base_id: None }
        }
        None => return None,
    };
    let region = notice.line.map(|start_line| Region { start_line });
    Some(Location { physical_location: SarifPlace { artifact_location, region } })
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
