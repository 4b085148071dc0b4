//! The facts of a report: `report.json` of a log, of a job and of several logs, as one set of types.
//!
//! The same types are filled from model and analysis and written, are read back by `job`, `compare`, `check` and `show`,
//! describe themselves in `report.schema.json`, and say beside each field what a redacted report shows of it. [`ranks`] has
//! what is kept of the reports of a job's ranks.

mod aspect;
mod cross_rank;
mod define;
mod devices;
mod diff;
mod files;
mod findings;
mod functions;
mod identity;
mod job;
mod log;
mod performance;
pub(crate) mod ranks;
mod read;
mod recompiles;
mod run_console;
pub(crate) mod safe;
#[cfg(test)]
mod schema;
mod settings;
mod stack;
mod text;

pub use aspect::Aspect;
pub(crate) use cross_rank::*;
pub(crate) use define::Redact;
pub(crate) use devices::{CudaGraphObstacle, CudaGraphs};
pub use diff::Threshold;
pub(crate) use diff::{Diff, DiffRow, DiffRun, DiffSide, Match, Per, RowKind};
pub(crate) use files::{is_compared, text_of};
pub(crate) use findings::{Advice, Finding, FindingCost, Member, Tried};
pub(crate) use functions::{FunctionName, NamedCompile, named_compiles};
pub(crate) use identity::{Identity, file_of, function_of, line_of, reason_of, without_numbers};
pub(crate) use job::{
    Comparison, Divergence, FirstDifference, GraphRuntimes, Group, JobReport, OneOfSeveral, Process, Rank,
    RankParity, RankTime, RuntimeComparison, SeveralReports,
};
pub(crate) use log::*;
pub(crate) use performance::*;
pub(crate) use read::{
    FILE, IN_MEMORY, PartReport, ReportKind, Reports, SCHEMA, TITLES, each_report, job_report, kind, load,
    log_report, part_reports, wants_one_of,
};
pub(crate) use recompiles::*;
pub(crate) use run_console::{Console, ConsoleException, ConsoleGraphs, ConsoleHint, ConsoleObstacle};
pub(crate) use safe::Names;
pub(crate) use settings::setting_value;
pub(crate) use stack::StackFrame;
pub(crate) use text::{Id, Json, List, Map, Text, line_number, maybe, owned};
