//! Problems of a log.

use crate::model::ProblemKind;
use crate::report::subject::Report;

/// Records that are damaged or of another rank.
pub(crate) fn damaged(report: Report<'_>) -> u64 {
    let integrity = &report.model.integrity;
    ProblemKind::ALL.iter().filter(|kind| kind.is_damage()).map(|kind| integrity.records(*kind)).sum()
}

/// Name of a kind of problem, and its effect on the report.
pub(crate) fn problem_words(kind: ProblemKind) -> (&'static str, &'static str) {
    match kind {
        ProblemKind::BadPrefix => ("no record", "the line is neither a record nor a payload; raw.log has it"),
        ProblemKind::BadJson => ("bad JSON", "the record is lost; raw.log has its text"),
        ProblemKind::BadPayloadMd5 => (
            "payload hash",
            "its file is shown, but differs from what torch \
            wrote",
        ),
        ProblemKind::Truncated => ("cut short", "the log begins or ends within this record"),
        ProblemKind::NonUtf8 => ("not UTF-8", "the bytes are shown as �; nothing else is lost"),
        ProblemKind::OtherRank => ("other rank", "counted and kept, but not part of the compiles here"),
        ProblemKind::ParserErrors => ("not understood", "kept unchanged; the pages lack its contents"),
        ProblemKind::UnresolvedStrings => ("unknown string id", "a stack shows an unknown file there"),
    }
}
