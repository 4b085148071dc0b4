//! The differences as notices and tests, for code scanning, build servers and GitHub's pages.

use super::rows::{kind_word, ranks, sentence, signed};
use crate::analysis::Severity;
use crate::compare::Comparison;
use crate::facts::{DiffRow, RowKind, RowTopic};
use crate::model::words::plain;
use crate::report::formats::{Notice, Suite, Test};

/// Tests of the suite, with the topics of the rows that fail them.
const TESTED: [(&str, &[RowTopic]); 7] = [
    ("No new failure", &[RowTopic::Failure, RowTopic::Ended]),
    ("Ranks agree as before", &[RowTopic::Ranks]),
    ("No new graph break", &[RowTopic::GraphBreak]),
    ("No new recompile", &[RowTopic::Recompile, RowTopic::Compiles]),
    ("No new cache miss", &[RowTopic::Cache]),
    (
        "No more compile time",
        &[RowTopic::CompileTime, RowTopic::Part, RowTopic::FunctionTime, RowTopic::Function],
    ),
    ("No slower kernel", &[RowTopic::DeviceTime, RowTopic::Measured]),
];

/// New and worse rows first; better rows are information.
pub fn notices(comparison: &Comparison) -> Vec<Notice> {
    let mut notices: Vec<Notice> = comparison.rows.iter().map(notice).collect();
    notices.sort_by_key(|notice| match notice.level {
        Severity::Error => 0,
        Severity::Warning => 1,
        Severity::Info => 2,
    });
    notices
}

fn notice(row: &DiffRow) -> Notice {
    let title = format!("{}: {}", kind_word(row.kind), sentence(row));
    let details = [row.detail.clone(), ranks(row), row.guess().map(str::to_owned)];
    let difference = row.difference_s.filter(|difference| *difference != 0.0);
    let identity = [row.kind.word(), row.topic.word(), row.file.as_deref().unwrap_or_default(), &row.subject];
    Notice {
        rule: rule(row).to_owned(),
        level: level(row),
        title: plain(&title),
        details: details.into_iter().flatten().collect(),
        file: row.file.clone(),
        line: row.line.filter(|line| *line > 0),
        cost: difference.map(|difference| plain(&signed(difference))),
        page: None,
        fingerprint: format!("{:x}", md5::compute(identity.join("\0"))),
    }
}

/// The rule of a row; new problems have the rule of the corresponding finding.
fn rule(row: &DiffRow) -> &'static str {
    match (row.kind, row.topic) {
        (RowKind::New, RowTopic::Failure) => "failure",
        (RowKind::New, RowTopic::GraphBreak) => "graph_break",
        (RowKind::New, RowTopic::Recompile) => "recompilation",
        (RowKind::New, _) => "diff_new",
        (RowKind::Gone, _) => "diff_gone",
        (RowKind::Worse, _) => "diff_worse",
        (RowKind::Better, _) => "diff_better",
        (RowKind::Changed, _) => "diff_changed",
    }
}

/// How serious a row is.
pub(super) fn level(row: &DiffRow) -> Severity {
    match (row.kind, row.topic) {
        (RowKind::New, RowTopic::Failure | RowTopic::Ended) => Severity::Error,
        (RowKind::New, RowTopic::Ranks) if row.is_error => Severity::Error,
        (RowKind::New, RowTopic::Ranks | RowTopic::GraphBreak | RowTopic::Recompile | RowTopic::Compiles) => {
            Severity::Warning
        }
        (RowKind::Worse, _) => Severity::Warning,
        _ => Severity::Info,
    }
}

/// One test per thing that must not become worse.
pub fn suite(comparison: &Comparison) -> Suite {
    let test = |(name, topics): (&str, &[RowTopic])| {
        let is_worse = |row: &&DiffRow| topics.contains(&row.topic) && level(row) != Severity::Info;
        let worse: Vec<String> =
            comparison.rows.iter().filter(is_worse).map(|row| notice(row).message_line()).collect();
        let more = worse.len().saturating_sub(1);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let failure = worse.first().map(|first| format!("{first}{more}"));
        Test { name: name.to_owned(), failure, details: worse }
    };
    Suite { name: "tlparse diff", tests: TESTED.into_iter().map(test).collect() }
}

#[cfg(test)]
mod tests {
    use crate::report::words::kinds::{about, label};

    #[test]
    fn each_rule_of_a_difference_has_a_name_and_an_explanation() {
        for word in ["diff_better", "diff_changed", "diff_gone", "diff_new", "diff_worse"] {
            let about = about(word);
            assert!(
                about.contains(" B ") || about.contains(" B.") || about.starts_with("B "),
                "{word}: {about}"
            );
            assert!(!label(word).is_empty());
        }
    }
}
