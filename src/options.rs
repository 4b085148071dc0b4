//! What the library takes and returns.

use crate::facts::{self, Threshold};
use crate::output::{Files, Unfinished};
use crate::report::formats::{self, Format};
use crate::report::{Settings, SummaryLine};
use crate::report_folder::ReportFolder;
use crate::source_tree::SourceTree;
use crate::trace::Limit;
use anyhow::Context;
use serde::Serialize;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What to read, where to write, and how the report looks.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// What to read: logs (plain, gzip or zstd, detected by content), folders of logs, archives (zip or tar) that contain
    /// logs, reports, patterns such as `trace/*.log`, or `-` for standard input. Logs of one job make one report; unrelated
    /// logs have a report each, below a page that lists them.
    pub inputs: Vec<PathBuf>,
    /// Path of the report's folder. Missing parents are created.
    pub out: PathBuf,
    /// Whether an existing report in `out` may be replaced. Anything but a report is never replaced.
    pub overwrite: bool,
    /// Whether to write a zip of the report beside its folder, `<out>.zip`. Equal reports give equal bytes.
    pub zip: bool,
    /// Whether to write the redacted report: counts, times, ids and pseudonyms, and no text of the log.
    pub redact: bool,
    /// Most bytes that an input may unpack to; None for 64 GB or half of the free space for temporary files, whichever is
    /// less.
    pub max_unpacked: Option<u64>,
    /// Whether to read only the newest log of a folder instead of its newest run.
    pub latest: bool,
    /// Whether to write the report of a distributed job even if the folder has the log of only one rank.
    pub all_ranks: bool,
    /// Which run of a folder to read: 1 is the oldest, None the newest.
    pub session: Option<usize>,
    /// Traces of torch.profiler, or folders of them, to join with the log. If empty, those in the folder of the logs.
    pub profiles: Vec<PathBuf>,
    /// What the same run printed, as torch and Python wrote it to standard error: plain, gzip or zstd.
    pub console: Option<PathBuf>,
    /// The traced device, if it is not the one that the trace names: the name of a device, or JSON in the form of
    /// `devices.json`.
    pub device: Option<String>,
    /// Clock of the device in MHz while it was traced.
    pub clock_mhz: Option<f64>,
    /// Whether the traced program allowed TF32 in products of float, where its log does not say.
    pub tf32: bool,
    /// Whether to read a trace of another run than its log by itself, instead of refusing it.
    pub force: bool,
    /// Where to write the trace again with the figures of each launch in its `args`: `.json`, `.json.gz` or `.json.zst`.
    /// [`run_in_memory`](crate::run_in_memory) does not write it.
    pub augment: Option<PathBuf>,
    /// Where the traces of several ranks are written as one.
    pub combine: Option<PathBuf>,
    /// Whether the program may still run: its log has no end yet, and no rank of a job has stopped.
    pub still_runs: bool,
    /// How the report looks.
    pub settings: Settings,
    /// Number of threads; None for one per processor. The report is the same for any number.
    pub threads: Option<NonZeroUsize>,
}

impl Options {
    /// Reads `input` and writes to `out`, which must not exist yet. Everything else has its default.
    pub fn new(input: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Self {
        Options { inputs: vec![input.into()], out: out.into(), ..Options::default() }
    }

    pub(crate) fn limit(&self) -> Limit {
        self.max_unpacked.map_or_else(Limit::default, |bytes| Limit { bytes })
    }
}

/// Receives progress. Any thread may call any method.
pub trait Progress: Sync {
    /// `done` of `total` unpacked bytes of the logs have been read.
    fn reading(&self, _done: u64, _total: u64) {}
    /// The reports of `done` of the `total` ranks of a job are written.
    fn ranks(&self, _done: usize, _total: usize) {}
    /// The log has been read, and `files` files will be written.
    fn writing(&self, _files: usize) {}
    /// Something is being created on disk that cannot be removed yet: a program that should end waits for
    /// [`begun`](Progress::begun) or an error.
    fn beginning(&self) {}
    /// This is on disk, hidden, until the report is in place. A program that ends meanwhile should remove it.
    fn begun(&self, _unfinished: Unfinished) {}
    /// The report is being moved into place, which takes a moment and must not be interrupted.
    fn placing(&self) {}
}

/// Ignores all progress.
impl Progress for () {}

/// A summary of a report.
#[derive(Debug, Clone, Default)]
pub struct RunSummary {
    /// A few lines for a terminal: the verdict, then what needs attention.
    pub lines: Vec<SummaryLine>,
    /// The findings as `report.json` has them, most important first.
    pub findings: Vec<Finding>,
    /// Notes that are not about the content of the log, such as which of several logs was read.
    pub notes: Vec<String>,
    /// Whether a trace was refused, because it is of another run than its log.
    pub refused: bool,
    /// Whether no record is damaged, in any of the logs: what `--strict` checks.
    pub intact: bool,
    /// How many records carry a stack in place of a compile id: what `--strict-compile-id` checks.
    pub without_compile_id: u64,
    /// Number of records per event, in the order of the log; for a job, over all logs and by name.
    pub events: Vec<(String, u64)>,
}

impl RunSummary {
    /// Adds notes, damage and records without a compile id of another log.
    pub(crate) fn with(mut self, other: RunSummary) -> Self {
        self.intact &= other.intact;
        self.refused |= other.refused;
        self.without_compile_id += other.without_compile_id;
        self.notes.extend(other.notes);
        self
    }

    /// Adds the report of one of several logs: a line, its findings with its folder before their pages, its notes and counts.
    pub(crate) fn with_report(mut self, log: &facts::OneOfSeveral<'_>, mut other: RunSummary) -> Self {
        self.lines.push(SummaryLine::plain(format!("{}: {}", &*log.name, log.said())));
        self.findings.extend(other.findings.drain(..).map(|finding| finding.below(&log.dir)));
        for (event, count) in std::mem::take(&mut other.events) {
            match self.events.iter_mut().find(|(known, _)| *known == event) {
                Some((_, sum)) => *sum += count,
                None => self.events.push((event, count)),
            }
        }
        self.intact &= log.error.is_none();
        if log.error.is_none() { self.with(other) } else { self }
    }

    /// Its first line.
    pub(crate) fn verdict(&self) -> String {
        self.lines.first().map(|line| line.text.clone()).unwrap_or_default()
    }

    /// Puts further notes first.
    pub(crate) fn noting_first(mut self, notes: Vec<String>) -> Self {
        self.notes.splice(0..0, notes);
        self
    }
}

/// Something to look at. With serde it is written as the object of `report.json`.
#[derive(Debug, Clone, Serialize)]
#[serde(transparent)]
pub struct Finding(pub(crate) facts::Finding<'static>);

impl Finding {
    /// The same in a report that is a folder of another.
    pub(crate) fn below(mut self, dir: &str) -> Finding {
        self.0.url = self.0.url.map(|url| format!("{dir}/{url}").into());
        self
    }

    /// What it is about, in one word: `graph_break`.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.0.kind
    }

    /// `error`, `warning` or `info`.
    #[must_use]
    pub fn severity(&self) -> &str {
        &self.0.severity
    }

    /// One sentence; code is between backquotes.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.0.title
    }

    /// File of the user's line.
    #[must_use]
    pub fn file(&self) -> Option<&str> {
        self.0.file.as_deref()
    }

    /// The user's line.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        facts::line_number(self.0.line)
    }

    /// What to do.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// Where the report says more: a path below its folder.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        self.0.url.as_deref()
    }
}

/// A report that was written to disk.
#[derive(Debug, Clone)]
pub struct Written {
    /// Absolute path of its folder, links resolved.
    pub folder: PathBuf,
    /// Absolute path of its zip, if one was requested.
    pub zip: Option<PathBuf>,
    /// What it says.
    pub summary: RunSummary,
}

impl Written {
    /// The findings in a format; `tree` makes source paths relative.
    ///
    /// # Errors
    /// `report.md` of the report cannot be read.
    pub fn show(&self, format: Format, tree: &SourceTree) -> anyhow::Result<String> {
        let findings = || self.summary.findings.iter().map(|finding| &finding.0);
        let notices = || formats::notices(findings(), &self.folder);
        Ok(format.printable(match format {
            Format::Text => self.summary.lines.iter().map(|line| format!("{line}\n")).collect(),
            Format::Json => format!("{}\n", serde_json::to_string_pretty(&self.summary.findings)?),
            Format::Markdown => {
                let summary = ReportFolder::at(&self.folder).summary();
                let lines = || self.summary.lines.iter().map(|line| format!("* {}\n", line.text)).collect();
                summary.with_context(|| self.folder.display().to_string())?.unwrap_or_else(lines)
            }
            Format::Sarif => formats::sarif(&notices(), tree)?,
            Format::Junit => formats::junit(&formats::suite(&notices())),
            Format::Github => formats::github(&notices(), tree),
        }))
    }
}

/// A report that was made in memory.
#[derive(Debug, Clone)]
pub struct InMemory {
    /// The bytes of each file by its path below the report's folder, parts separated by `/`.
    pub files: Files,
    /// What it says.
    pub summary: RunSummary,
}

/// Which runs to compare, and where to write the comparison.
#[derive(Debug, Clone, Default)]
pub struct DiffOptions {
    /// The runs of A, the baseline: logs, folders of logs, or reports.
    pub a: Vec<PathBuf>,
    /// The runs of B.
    pub b: Vec<PathBuf>,
    /// Traces of torch.profiler of A: those of its only run, which may be a job with one per rank, or else one per run in
    /// order. Finished reports have theirs already.
    pub profiles_a: Vec<PathBuf>,
    /// The same for B.
    pub profiles_b: Vec<PathBuf>,
    /// What the sides are called, A and B by default.
    pub names: [String; 2],
    /// Folder to write the comparison to; None writes no file.
    pub out: Option<PathBuf>,
    /// Whether an existing comparison in `out` may be replaced. Anything else is never replaced.
    pub overwrite: bool,
    /// Which differences in time are noise.
    pub threshold: Threshold,
    /// Number of threads, as in [`Options::threads`].
    pub threads: Option<NonZeroUsize>,
}

/// A comparison of two sides.
#[derive(Debug, Clone)]
pub struct Compared {
    /// Absolute path of the page, if one was written.
    pub page: Option<PathBuf>,
    /// A few lines for a terminal, the verdict first.
    pub lines: Vec<SummaryLine>,
    /// All differences as JSON, which `diff.schema.json` describes.
    pub json: String,
    /// The same as Markdown of at most 60 KB.
    pub markdown: String,
    /// Notes about the inputs.
    pub notes: Vec<String>,
    /// The differences as notices and as tests.
    pub(crate) notices: (Vec<formats::Notice>, formats::Suite),
}

impl Compared {
    /// The comparison in a format; `tree` makes source paths relative.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    pub fn show(&self, format: Format, tree: &SourceTree) -> anyhow::Result<String> {
        let (notices, suite) = &self.notices;
        Ok(format.printable(match format {
            Format::Text => self.lines.iter().map(|line| format!("{line}\n")).collect(),
            Format::Json => format!("{}\n", self.json),
            Format::Markdown => self.markdown.clone(),
            Format::Sarif => formats::sarif(notices, tree)?,
            Format::Junit => formats::junit(suite),
            Format::Github => formats::github(notices, tree),
        }))
    }
}
