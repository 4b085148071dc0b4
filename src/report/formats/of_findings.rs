//! Findings of a report as notices and as tests.

use super::junit::{Suite, Test};
use super::notice::{Notice, cost_words};
use crate::analysis::Severity;
use crate::analysis::findings::KindOfFinding;
use crate::facts::{Finding, line_number, owned};
use crate::report::words::kinds::label;
use std::path::Path;

/// The findings of a report in `folder`, the most important first.
pub(crate) fn notices<'f, 'a: 'f>(
    findings: impl Iterator<Item = &'f Finding<'a>>,
    folder: &Path,
) -> Vec<Notice> {
    findings.map(|one| notice(one, folder)).collect()
}

fn notice(finding: &Finding<'_>, folder: &Path) -> Notice {
    Notice {
        level: Severity::named(&finding.severity),
        details: owned(&finding.hint).into_iter().collect(),
        line: line_number(finding.line).filter(|line| *line > 0),
        cost: finding.cost.as_ref().map(|cost| cost_words(&cost.kind, cost.seconds)),
        page: finding.url.as_ref().map(|url| format!("{}/{url}", folder.display())),
        fingerprint: finding.fingerprint(),
        rule: finding.kind.owned(),
        title: finding.title.owned(),
        file: owned(&finding.file),
    }
}

/// One test per kind that a log is checked for: it fails where a finding of it is an error or a warning.
pub(crate) fn suite(notices: &[Notice]) -> Suite {
    let checked = KindOfFinding::of_logs().filter(|kind| kind.facts().checked.is_some());
    let mut words: Vec<&str> = checked.map(KindOfFinding::word).collect();
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
