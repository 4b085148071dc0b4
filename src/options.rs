//! What the library is given, and what it returns.

use crate::compare::Threshold;
use crate::output::{Files, Unfinished};
use crate::report::formats::{self, Format};
use crate::report::{Settings, SummaryLine};
use crate::source_tree::SourceTree;
use anyhow::Context;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What to read, where to write, and how the report is to look.
#[derive(Debug, Clone)]
pub struct Options {
    /// What to read, each a log (plain, gzip or zstd, told by its content), a folder of logs, an archive (zip or tar) that holds
    /// logs, a report, a pattern such as `trace/*.log`, or `-` for standard input. Logs of one job make one report; of others,
    /// each has a report of its own below a page that lists them.
    pub inputs: Vec<PathBuf>,
    /// Path of the report's folder. Missing parents are created.
    pub out: PathBuf,
    /// Whether a report that exists in `out` may be replaced. Anything but a report is never replaced.
    pub overwrite: bool,
    /// Whether to write a zip of the report beside its folder, `<out>.zip`. The same report gives the same bytes.
    pub zip: bool,
    /// Whether to write the redacted report: counts, times, ids and pseudonyms, and no text of the log.
    pub redact: bool,
    /// How many bytes an input may unpack to; None for the smaller of 64 GB and half of the free space for temporary files.
    pub max_unpacked: Option<u64>,
    /// Whether to read only the log of a folder that was changed last. By default the newest run is read.
    pub latest: bool,
    /// Whether to write the report of a distributed job although the folder holds the log of one rank only.
    pub all_ranks: bool,
    /// Which run to read of a folder that several runs were traced into: 1 is the oldest, None the newest.
    pub session: Option<usize>,
    /// Traces of torch.profiler, or folders of them, whose figures the report joins with the log. Where none is given, those
    /// that lie in a folder of logs.
    pub profiles: Vec<PathBuf>,
    /// What the traced device can do, where the project's table is not to be used: the name of a device, or JSON of the
    /// form of `devices.json`.
    pub device: Option<String>,
    /// The clock in MHz that the device ran at while it was traced.
    pub clock_mhz: Option<f64>,
    /// A file to write the trace to again, with the figures of each launch in its `args`: `.json`, `.json.gz` or `.json.zst`.
    /// [`run_in_memory`](crate::run_in_memory) does not write it.
    pub augment: Option<PathBuf>,
    /// How the report is to look.
    pub settings: Settings,
    /// How many threads to use: at least 1; None for as many as the machine has. The report is the same for any number.
    pub threads: Option<NonZeroUsize>,
}

impl Options {
    /// Reads `input` and writes to `out`, which must not exist yet. Everything else has its default.
    pub fn new(input: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Self {
        Options {
            inputs: vec![input.into()],
            out: out.into(),
            overwrite: false,
            zip: false,
            redact: false,
            max_unpacked: None,
            latest: false,
            all_ranks: false,
            session: None,
            profiles: Vec::new(),
            device: None,
            clock_mhz: None,
            augment: None,
            settings: Settings::default(),
            threads: None,
        }
    }
}

/// Learns how far the work is. Any thread may call any of its methods.
pub trait Progress: Sync {
    /// `done` of `total` bytes of the logs have been read, counted after unpacking.
    fn reading(&self, _done: u64, _total: u64) {}
    /// The reports of `done` of the `total` ranks of a job are written.
    fn ranks(&self, _done: usize, _total: usize) {}
    /// The log has been read, and `files` files are going to be written.
    fn writing(&self, _files: usize) {}
    /// From now on something is made on the disk that nobody could remove yet: a program that is told to end waits for
    /// [`begun`](Progress::begun), or for the error in its place.
    fn beginning(&self) {}
    /// From now on this stands on the disk, hidden, until the report is in place. A program that is told to end meanwhile
    /// removes it.
    fn begun(&self, _unfinished: Unfinished) {}
    /// From now on the report is being put in place, which takes a moment and must not be interrupted.
    fn placing(&self) {}
}

/// Ignores all progress.
impl Progress for () {}

/// What a report says, for the program that wrote it.
#[derive(Debug, Clone, Default)]
pub struct RunSummary {
    /// A few lines for a terminal: the verdict first, then what needs attention.
    pub lines: Vec<SummaryLine>,
    /// The findings as `report.json` has them, most important first.
    pub findings: Vec<serde_json::Value>,
    /// Things to know that are not about the content of the log, such as which of several logs was read.
    pub notes: Vec<String>,
    /// Whether no record is damaged, in any of the logs: what `--strict` checks.
    pub intact: bool,
    /// How many records carry a stack in place of a compile id: what `--strict-compile-id` checks.
    pub without_compile_id: u64,
    /// How many records each event has, in the order of the log; for a job, over all logs and by name.
    pub events: Vec<(String, u64)>,
}

impl RunSummary {
    /// This summary with what another log adds to it: its notes, its damage and its records without a compile id.
    pub(crate) fn with(mut self, other: RunSummary) -> Self {
        self.intact &= other.intact;
        self.without_compile_id += other.without_compile_id;
        self.notes.extend(other.notes);
        self
    }

    /// The summary of a page that lists so many reports.
    pub(crate) fn of_several(count: usize) -> RunSummary {
        let line = SummaryLine::plain(format!("{count} logs, each with a report of its own:"));
        RunSummary { lines: vec![line], intact: true, ..RunSummary::default() }
    }

    /// This summary with what the report of one of several logs adds to it: a line, its findings with the folder before
    /// their pages, its notes and its counts.
    pub(crate) fn with_report(
        mut self,
        name: &str,
        dir: &str,
        verdict: &Result<String, String>,
        mut other: RunSummary,
    ) -> Self {
        let said = verdict.as_ref().unwrap_or_else(|why| why);
        self.lines.push(SummaryLine::plain(format!("{name}: {said}")));
        for finding in &mut other.findings {
            if let Some(url) = finding.get_mut("url").filter(|url| url.is_string()) {
                *url = format!("{dir}/{}", url.as_str().unwrap_or_default()).into();
            }
        }
        self.findings.append(&mut other.findings);
        for (event, count) in std::mem::take(&mut other.events) {
            match self.events.iter_mut().find(|(known, _)| *known == event) {
                Some((_, sum)) => *sum += count,
                None => self.events.push((event, count)),
            }
        }
        self.intact &= verdict.is_ok();
        if verdict.is_ok() { self.with(other) } else { self }
    }

    /// The sentence that it begins with.
    pub(crate) fn verdict(&self) -> String {
        self.lines.first().map(|line| line.text.clone()).unwrap_or_default()
    }

    /// This summary with further notes before its own.
    pub(crate) fn noting_first(mut self, notes: Vec<String>) -> Self {
        self.notes.splice(0..0, notes);
        self
    }
}

/// A report that was written to disk.
#[derive(Debug, Clone)]
pub struct Written {
    /// Absolute path of its folder, links resolved.
    pub folder: PathBuf,
    /// Absolute path of its zip, where one was asked for.
    pub zip: Option<PathBuf>,
    /// What it says.
    pub summary: RunSummary,
}

impl Written {
    /// What the report says, in a form for another program; `tree` makes the paths of sources relative.
    ///
    /// # Errors
    /// A finding cannot be written as JSON, or `report.md` of the report is gone.
    pub fn show(&self, format: Format, tree: &SourceTree) -> anyhow::Result<String> {
        let notices = || formats::notices(&self.summary.findings, &self.folder);
        Ok(format.printable(match format {
            Format::Text => self.summary.lines.iter().map(|line| format!("{line}\n")).collect(),
            Format::Json => format!("{}\n", serde_json::to_string_pretty(&self.summary.findings)?),
            Format::Markdown => {
                let file = self.folder.join("report.md");
                std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?
            }
            Format::Sarif => formats::sarif(&notices(), tree),
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

/// Which runs to compare, and where the comparison is to stand.
#[derive(Debug, Clone)]
pub struct DiffOptions {
    /// The runs of A, the baseline: logs, folders of logs, or reports.
    pub a: Vec<PathBuf>,
    /// The runs of B.
    pub b: Vec<PathBuf>,
    /// Traces of torch.profiler of A: of its one run, which may be a job with one for each rank; else one for each run, in
    /// the order of the runs. Reports that are finished have theirs already.
    pub profiles_a: Vec<PathBuf>,
    /// The same of B.
    pub profiles_b: Vec<PathBuf>,
    /// Path of the folder of the comparison; None writes no file.
    pub out: Option<PathBuf>,
    /// Whether a comparison that exists in `out` may be replaced. Anything else is never replaced.
    pub overwrite: bool,
    /// Which differences of times are noise.
    pub threshold: Threshold,
    /// How many threads to use, as in [`Options::threads`].
    pub threads: Option<NonZeroUsize>,
}

/// A comparison of two sides.
#[derive(Debug, Clone)]
pub struct Compared {
    /// Absolute path of the page, where one was written.
    pub page: Option<PathBuf>,
    /// A few lines for a terminal: the verdict first.
    pub lines: Vec<SummaryLine>,
    /// All differences, as `diff.schema.json` describes them.
    pub json: serde_json::Value,
    /// The same as Markdown of at most 60 KB.
    pub markdown: String,
    /// Things to know about the inputs.
    pub notes: Vec<String>,
    /// The differences for other programs, as notices and as tests.
    pub(crate) notices: (Vec<formats::Notice>, formats::Suite),
}

impl Compared {
    /// What the comparison says, in a form for another program; `tree` makes the paths of sources relative.
    ///
    /// # Errors
    /// It cannot be written as JSON.
    pub fn show(&self, format: Format, tree: &SourceTree) -> anyhow::Result<String> {
        let (notices, suite) = &self.notices;
        Ok(format.printable(match format {
            Format::Text => self.lines.iter().map(|line| format!("{line}\n")).collect(),
            Format::Json => format!("{}\n", serde_json::to_string_pretty(&self.json)?),
            Format::Markdown => self.markdown.clone(),
            Format::Sarif => formats::sarif(notices, tree),
            Format::Junit => formats::junit(suite),
            Format::Github => formats::github(notices, tree),
        }))
    }
}
