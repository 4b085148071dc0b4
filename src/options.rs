//! What the library is told, and what it tells back.

use crate::report::{Settings, SummaryLine};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What to read, where to write, how it is to look.
#[derive(Debug, Clone)]
pub struct Options {
    /// A log (plain, `.gz`, `.zst`), a folder of logs, or `-` for standard input.
    pub input: PathBuf,
    /// The report's folder.
    pub out: PathBuf,
    /// Whether a report that stands there may be replaced.
    pub overwrite: bool,
    /// Of a folder, only the log that was changed last.
    pub latest: bool,
    /// Of a folder, all ranks, also where there is only one.
    pub all_ranks: bool,
    /// Which run of a folder that was traced into several times, 1 being the oldest; None is the newest.
    pub session: Option<usize>,
    /// How the report is to look.
    pub settings: Settings,
    /// Threads that write pages; as many as the machine has where it is None. The report is the same for any number.
    pub threads: Option<NonZeroUsize>,
}

impl Options {
    /// Reads `input` and writes to `out`, which must not exist yet; everything else is at its default.
    pub fn new(input: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Self {
        Options {
            input: input.into(),
            out: out.into(),
            overwrite: false,
            latest: false,
            all_ranks: false,
            session: None,
            settings: Settings::default(),
            threads: None,
        }
    }
}

/// Is told how far the work is. All calls may come from any thread.
pub trait Progress: Sync {
    /// `done` of `total` bytes of the log are read.
    fn reading(&self, _done: u64, _total: u64) {}
    /// That many ranks of a job are done.
    fn ranks(&self, _done: usize, _total: usize) {}
    /// The log is read; that many files are written now.
    fn writing(&self, _files: usize) {}
}

/// No progress.
impl Progress for () {}

/// What a report says, to the program that wrote it.
#[derive(Debug, Clone, Default)]
pub struct Told {
    /// A few lines: the verdict first, then what needs attention.
    pub summary: Vec<SummaryLine>,
    /// The findings as `report.json` has them, most important first.
    pub findings: Vec<serde_json::Value>,
    /// Things to know that are not about the log's content, such as which of several logs was read.
    pub notes: Vec<String>,
    /// Whether nothing of the log is damaged: what `--strict` asks. Of a job, of any log.
    pub intact: bool,
    /// Records that carry a stack in place of a compile id: what `--strict-compile-id` asks.
    pub without_compile_id: u64,
    /// Records by event, as the log has them; of a job, of all logs.
    pub events: Vec<(String, u64)>,
}

/// A report that was written.
#[derive(Debug, Clone)]
pub struct Written {
    /// Its folder.
    pub folder: PathBuf,
    /// What it says.
    pub told: Told,
}
