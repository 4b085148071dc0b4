//! Findings of a report as notices and as tests.

use super::junit::{Suite, Test};
use super::notice::{Notice, cost_words};
use crate::analysis::Severity;
use crate::analysis::findings::kinds;
use crate::report::words::kinds::label;
use serde::Deserialize;
use serde_json::Value;
use std::path::Path;

/// What a notice needs of a finding as `report.json` has it.
#[derive(Deserialize)]
struct Finding {
    kind: String,
    severity: String,
    title: String,
    file: Option<String>,
    line: Option<i64>,
    cost: Option<Cost>,
    hint: Option<String>,
    url: Option<String>,
}

#[derive(Deserialize)]
struct Cost {
    seconds: f64,
    kind: String,
}

/// The findings of a report in `folder`, the most important first.
pub(crate) fn notices(findings: &[Value], folder: &Path) -> Vec<Notice> {
    findings
        .iter()
        .filter_map(|value| Finding::deserialize(value).ok())
        .map(|one| notice(one, folder))
        .collect()
}

fn notice(finding: Finding, folder: &Path) -> Notice {
    let identity = [&finding.kind, finding.file.as_deref().unwrap_or_default(), &finding.title].join("\0");
    Notice {
        level: severity(&finding.severity),
        details: finding.hint.into_iter().collect(),
        line: finding.line.and_then(|line| u64::try_from(line).ok()).filter(|line| *line > 0),
        cost: finding.cost.map(|cost| cost_words(&cost.kind, cost.seconds)),
        page: finding.url.map(|url| format!("{}/{url}", folder.display())),
        fingerprint: format!("{:x}", md5::compute(identity)),
        rule: finding.kind,
        title: finding.title,
        file: finding.file,
    }
}

fn severity(word: &str) -> Severity {
    let all = [Severity::Error, Severity::Warning];
    all.into_iter().find(|one| one.word() == word).unwrap_or(Severity::Info)
}

/// One test per kind that a log is checked for: it fails where a finding of it is an error or a warning.
pub(crate) fn suite(notices: &[Notice]) -> Suite {
    let mut words: Vec<&str> = kinds().filter(|kind| kind.checked.is_some()).map(|kind| kind.word).collect();
    for notice in notices.iter().filter(|notice| notice.level != Severity::Info) {
        if !words.contains(&notice.rule.as_str()) {
            words.push(&notice.rule);
        }
    }
    let test = |word: &str| {
        let own = notices.iter().filter(|one| one.rule == word && one.level != Severity::Info);
        let titles: Vec<String> = own.map(Notice::message_line).collect();
        let more = titles.len().saturating_sub(1);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let failure = titles.first().map(|first| format!("{first}{more}"));
        Test { name: label(word), failure, details: titles }
    };
    Suite { name: "tlparse", tests: words.iter().map(|word| test(word)).collect() }
}
