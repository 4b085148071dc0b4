//! The differences as notices and tests, for code scanning, build servers and GitHub's pages.

use super::rows::{kind_word, level, ranks, sentence, signed};
use crate::analysis::Severity;
use crate::compare::Comparison;
use crate::facts::{Aspect, DiffRow, RowKind};
use crate::model::words::plain;
use crate::report::formats::{Notice, Suite, Test};

/// Tests of the suite, with the aspects of the rows that fail them.
const TESTED: [(&str, &[Aspect]); 7] = [
    ("No new failure", &[Aspect::Failures, Aspect::Ends]),
    ("Ranks agree as before", &[Aspect::Ranks]),
    ("No new graph break", &[Aspect::GraphBreaks]),
    ("No new recompile", &[Aspect::Recompiles, Aspect::Compiles]),
    ("No new cache miss", &[Aspect::Cache]),
    ("No more compile time", &[Aspect::CompileTime, Aspect::Part, Aspect::FunctionTime, Aspect::Functions]),
    ("No slower kernel", &[Aspect::DeviceTime, Aspect::Measured]),
];

/// New and worse rows first; better rows are information.
pub fn notices(comparison: &Comparison) -> Vec<Notice> {
    let mut notices: Vec<Notice> = comparison.rows.iter().map(notice).collect();
    notices.sort_by_key(|notice| notice.level);
    notices
}

fn notice(row: &DiffRow) -> Notice {
    let title = format!("{}: {}", kind_word(row.kind), sentence(row));
    let details = [row.detail.clone(), ranks(row), row.guess().map(str::to_owned)];
    let difference = row.difference_s.filter(|difference| *difference != 0.0);
    let identity =
        [row.kind.word(), row.aspect.topic(), row.file.as_deref().unwrap_or_default(), &row.subject];
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
    match (row.kind, row.aspect) {
        (RowKind::New, Aspect::Failures) => "failure",
        (RowKind::New, Aspect::GraphBreaks) => "graph_break",
        (RowKind::New, Aspect::Recompiles) => "recompilation",
        (RowKind::New, _) => "diff_new",
        (RowKind::Gone, _) => "diff_gone",
        (RowKind::Worse, _) => "diff_worse",
        (RowKind::Better, _) => "diff_better",
        (RowKind::Changed, _) => "diff_changed",
    }
}

/// One test per thing that must not become worse.
pub fn suite(comparison: &Comparison) -> Suite {
    let test = |(name, topics): (&str, &[Aspect])| {
        let is_worse = |row: &&DiffRow| topics.contains(&row.aspect) && level(row) != Severity::Info;
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
