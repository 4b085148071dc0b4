//! Reads TORCH_TRACE logs, the structured logs of `torch.compile`, and writes a report: what was compiled, what went
//! wrong, where the time went.
//!
//! [`run`] does what the program does: it finds the logs that a path means and writes their report into a folder.
//! [`run_in_memory`] gives the files of one log's report in a map, and [`combine`] makes the report of a distributed job
//! from reports of its ranks that exist already.
//!
//! To make events of your own part of the report, write a [`StructuredLogParser`] and register it:
//!
//! ```no_run
//! # use tlparse::{Event, Flow, Options, RankContext, Registry, StructuredLogParser};
//! # struct MyParser;
//! # impl StructuredLogParser for MyParser {
//! #     fn name(&self) -> &'static str { "mine" }
//! #     fn about(&self) -> &'static str { "Counts events of my own." }
//! #     fn keys(&self) -> &'static [&'static str] { &["my_event"] }
//! #     fn parse(&mut self, _: &Event<'_>, _: &mut RankContext<'_>) -> anyhow::Result<Flow> { Ok(Flow::Handled) }
//! # }
//! let registry = Registry::default().with(|| Box::new(MyParser));
//! let written = tlparse::run(&Options::new("trace.log", "tl_out"), &registry, &())?;
//! println!("{}", written.folder.display());
//! # Ok::<(), anyhow::Error>(())
//! ```

mod analysis;
#[cfg(test)]
mod cases;
mod check;
mod compare;
#[cfg(feature = "upstream")]
mod drop_in;
mod events;
mod facts;
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
#[path = "../fuzz/parsers.rs"]
pub mod fuzzing;
mod hidden;
mod job;
mod limits;
mod model;
mod options;
mod output;
mod profile;
mod read;
mod rel_path;
mod report;
mod report_folder;
mod run;
mod show;
mod source_tree;
#[doc(hidden)]
pub mod system;
mod trace;

pub use analysis::Severity;
pub use check::{Baseline, Budget, Checkable, Checked, Verdict};
#[cfg(feature = "upstream")]
pub use drop_in::{ParseConfig, parsers};
pub use events::{
    ArtifactId, Event, Flow, PageTables, ParserFactory, RankContext, Registry, SectionRows,
    StructuredLogParser,
};
pub use facts::Threshold;
#[doc(hidden)]
pub use hidden::visible;
#[doc(hidden)]
pub use model::words::most_similar;
pub use model::{
    Cell, Column, CompileNews, Failure, Fields, Form, Frame, Function, Language, Metrics, MetricsKind,
    ProblemKind, Stack, Unit,
};
pub use options::{Compared, DiffOptions, Finding, InMemory, Options, Progress, RunSummary, Written};
#[doc(hidden)]
pub use output::Scratch;
pub use output::{Unfinished, check_single_file, make_empty_folder, write_text};
pub use rel_path::RelPath;
pub use report::{Editor, Format, Settings, SummaryLine};
#[doc(hidden)]
pub use report_folder::ReportFolder;
#[doc(hidden)]
pub use run::NOTHING_COMPILED;
pub use run::{Appended, Watch, traces_of};
pub use show::{ReportFile, Showing, Shown, ShownList, Subject};
pub use source_tree::SourceTree;
#[doc(hidden)]
pub use trace::{CONSOLE_FILE, expanded};
pub use trace::{CompileId, FileRef, LocalTime, Md5, Payload, PayloadRef, Span, Stamp, log_files as logs_of};

use crate::compare::Recording;
use crate::model::JobFacts;
use crate::output::{RankFolder, Sink, Target, ZipTarget};
use crate::report::{Around, Cached, JobReport, PageAround, Redacted, WholeRank, Worker};
use crate::run::{Input, LogOutcome, LogTask, OneOfSeveral, Work};
use anyhow::{Context, bail};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Reads what `options.inputs` mean (a log, the newest run of a folder, all ranks of a job, or several logs) and writes its
/// report into the folder `options.out`. `registry` holds the parsers, `progress` is told how far the work is.
///
/// # Errors
/// Errors come from the command line and the disk: the input does not exist, none of its lines is a record, the output
/// folder may not be replaced, the disk is full. Damage in a log is never an error: it is listed in the report and
/// counts in [`RunSummary::intact`].
pub fn run(options: &Options, registry: &Registry, progress: &dyn Progress) -> anyhow::Result<Written> {
    let found = run::find(options)?; // paths -> the logs that they mean
    found.traces.check_augment(options)?;
    let mut notes = found.notes.clone();
    if let Input::Job(job) = &found.input {
        notes.extend(found.traces.note(&job.ranks));
    }
    notes.extend(found.traces.combine(options)?);
    let work = Work { augment: options.augment.as_deref(), ..found.work(options, registry, progress) };
    progress.beginning();
    let target = Target::prepare(&options.out, options.overwrite, report::entries())?;
    let zip = options.zip.then(|| ZipTarget::prepare(target.goal(), options.overwrite)).transpose()?;
    progress.begun(target.unfinished());
    zip.iter().for_each(|zip| progress.begun(zip.unfinished()));
    let summary = match options.redact {
        true => write_redacted(work, &found.input, target.folder())?,
        false => write(work, &found.input, &Sink::on_disk(target.folder()), target.folder())?,
    };
    notes.extend(options.settings.sources.iter().flat_map(|tree| tree.notes()));
    zip.iter().try_for_each(|zip| zip.pack(target.folder()))?;
    progress.placing();
    let folder = target.place()?;
    let zip = zip.map(ZipTarget::place).transpose()?;
    Ok(Written { folder, zip, summary: summary.noting_first(notes) })
}

/// As [`run`], but nothing is kept: only `report.json` of each log is made, and `options.out` is not used. `read` is given
/// the folder that they stand in; it is removed afterwards.
///
/// # Errors
/// As [`run`], and those of `read`.
pub fn run_for_facts<T>(
    options: &Options,
    registry: &Registry,
    progress: &dyn Progress,
    read: impl FnOnce(&Path, RunSummary) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    progress.beginning();
    let folder = Scratch::temporary(|made| progress.begun(made))?;
    let summary = write_found(options, registry, progress, (folder.path(), Around::nothing()), true)?;
    read(folder.path(), summary)
}

/// Writes the report of what the options mean into a folder; only its facts, if it is thrown away.
fn write_found(
    options: &Options,
    registry: &Registry,
    progress: &dyn Progress,
    (folder, around): (&Path, &Around),
    only_facts: bool,
) -> anyhow::Result<RunSummary> {
    let found = run::find(options)?;
    let all = Sink::on_disk(folder);
    let sink = if only_facts { all.only(facts::is_compared) } else { all };
    let work = Work { around, ..found.work(options, registry, progress) };
    let summary = write(work, &found.input, &sink, folder)?;
    Ok(summary.noting_first(found.notes))
}

/// Writes the report of a log, or of a job and its ranks, into `sink`, whose files stand in `folder`.
fn write(work: Work<'_>, input: &Input, sink: &Sink, folder: &Path) -> anyhow::Result<RunSummary> {
    match input {
        Input::Log(logs) => run::for_each_process(work, logs, sink, write_log),
        Input::Job(job) => {
            let (ranks, facts) = run::for_each_rank(work, job, sink, write_log)?;
            let folders = output::rank_folders(folder)?;
            let settings = &work.options.settings;
            Ok(write_job(&folders, facts, sink, (settings, work.around), work.threads(), &())?.with(ranks))
        }
        Input::Several(several) => write_several(work, several, sink, folder),
    }
}

/// Writes the redacted report into `folder`. The whole facts are never on the disk: `report.json` of each log is made in
/// memory, and what is safe of it becomes pages.
fn write_redacted(work: Work<'_>, input: &Input, folder: &Path) -> anyhow::Result<RunSummary> {
    let mut redacted = Redacted::default();
    let summary = match input {
        Input::Several(several) => {
            let (summary, _) = each_of_several(several, |one, dir| {
                let folder = format!("{dir}/");
                let read = redact(work, &one.input, &folder, &mut redacted);
                read.inspect_err(|_| redacted.add_unread(&folder))
            })?;
            summary
        }
        Input::Log(_) | Input::Job(_) => redact(work, input, "", &mut redacted)?,
    };
    output::write(report::redacted_pages(&redacted), &Sink::on_disk(folder), NonZeroUsize::MIN, Worker::new)?;
    let findings = redacted.findings().map(Finding).collect();
    Ok(RunSummary { lines: report::redacted_summary(&redacted), findings, ..summary })
}

/// Adds what is safe of a log or a job; `folder` is where its redacted report is going to be.
fn redact(
    work: Work<'_>,
    input: &Input,
    folder: &str,
    redacted: &mut Redacted,
) -> anyhow::Result<RunSummary> {
    let kept = Sink::in_memory();
    let sink = kept.below(facts::IN_MEMORY);
    let (summary, job_facts) = match input {
        Input::Log(logs) => (run::for_each_process(work, logs, &sink, write_log)?, None),
        Input::Job(job) => {
            let (summary, facts) = run::for_each_rank(work, job, &sink, write_log)?;
            (summary, Some(facts))
        }
        Input::Several(_) => bail!("several logs within several logs have no redacted report"),
    };
    drop(sink);
    let files = kept.into_files();
    let reports = facts::Reports::Memory(&files);
    let Some(job_facts) = job_facts else {
        let whole = Path::new(facts::IN_MEMORY);
        redacted.add_log(folder, &facts::log_report(reports.bytes(whole)?)?, &reports.titles(whole)?);
        return Ok(summary);
    };
    let ranks = output::ranks_in(&files, facts::IN_MEMORY);
    let job = job::read(&ranks, reports, job_facts, work.threads(), &())?;
    let found = analysis::of_job(&job, &|_, _| None, &|_, _| None);
    let evidence = facts::ranks::JobEvidence::default();
    let (settings, around) = (&work.options.settings, work.around);
    let report = JobReport { job: &job, found: &found, evidence: &evidence, settings, around };
    let own = report::job_facts(report)?;
    let read = |rank: &RankFolder| {
        let report = facts::log_report(reports.bytes(&rank.path).ok()?).ok()?;
        Some(WholeRank { rank: rank.rank, report, titles: reports.titles(&rank.path).ok()? })
    };
    let whole: Vec<WholeRank<'_>> = ranks.iter().filter_map(read).collect();
    let titles: Vec<_> = found.findings.iter().map(|one| one.sentence()).collect();
    redacted.add_job(folder, &facts::job_report(&own)?, &titles, &whole);
    let events = job.events.into_iter().collect();
    let intact = job.ranks.iter().all(facts::ranks::RankSummary::is_intact);
    Ok(RunSummary { events, intact, ..RunSummary::default() }.with(summary))
}

/// Writes a report of each log or job into a folder of its own, and the page that lists them.
fn write_several(
    work: Work<'_>,
    several: &[OneOfSeveral],
    sink: &Sink,
    folder: &Path,
) -> anyhow::Result<RunSummary> {
    let (summary, logs) =
        each_of_several(several, |one, dir| write(work, &one.input, &sink.below(dir), &folder.join(dir)))?;
    let pages = report::collection_pages(&logs, &work.options.settings);
    output::write(pages, sink, NonZeroUsize::MIN, Worker::new)?;
    Ok(summary)
}

/// Sums up the reports that `report` makes of several logs or jobs, given the folder of each. Only if none of them can be
/// read, the first error is one.
fn each_of_several(
    several: &[OneOfSeveral],
    mut report: impl FnMut(&OneOfSeveral, &str) -> anyhow::Result<RunSummary>,
) -> anyhow::Result<(RunSummary, Vec<facts::OneOfSeveral<'static>>)> {
    let line = SummaryLine::plain(format!("{} logs, each with a report of its own:", several.len()));
    let mut all = RunSummary { lines: vec![line], intact: true, ..RunSummary::default() };
    let (mut logs, mut first_error) = (Vec::new(), None);
    for (number, one) in (1..).zip(several) {
        let dir = report::folder_of_log(number);
        let (verdict, error, summary) = match report(one, &dir) {
            Ok(summary) => (Some(summary.verdict().into()), None, summary),
            Err(error) => {
                let why = format!("{error:#}");
                first_error.get_or_insert(error);
                (None, Some(why.into()), RunSummary::default())
            }
        };
        let kind = if matches!(one.input, Input::Job(_)) { "job" } else { "log" }.into();
        let (name, intact) = (one.name.clone().into(), summary.intact);
        let log =
            facts::OneOfSeveral { name, kind, dir: dir.into(), verdict, error, intact, ..Default::default() };
        let log = report::with_counts(log, summary.findings.iter().map(|finding| &finding.0));
        all = all.with_report(&log, summary);
        logs.push(log);
    }
    match first_error.filter(|_| logs.iter().all(|log| log.error.is_some())) {
        Some(error) => Err(error),
        None => Ok((all, logs)),
    }
}

/// Reads one log and gives the files of its report in memory, byte for byte those that [`run`] writes. Nothing is
/// written to disk; `options.out` and `options.overwrite` are not used.
///
/// # Errors
/// As [`run`]; and `options.inputs` mean the ranks of a distributed job, whose report is made of the folders of its
/// ranks.
///
/// ```
/// # use tlparse::{Options, Registry};
/// let log = "tests/inputs/01_inference/dedicated_log_torch_trace_0d5xvg8u.log";
/// let report = tlparse::run_in_memory(&Options::new(log, ""), &Registry::default(), &())?;
/// let page = &report.files["index.html"];
/// assert!(page.starts_with(b"<!doctype html>"));
/// assert!(report.summary.intact);
/// # Ok::<(), anyhow::Error>(())
/// ```
pub fn run_in_memory(
    options: &Options,
    registry: &Registry,
    progress: &dyn Progress,
) -> anyhow::Result<InMemory> {
    let found = run::find(options)?;
    let Input::Log(logs) = &found.input else {
        bail!(
            "the logs of several ranks or programs have reports in folders, which are not made in memory; give one log"
        );
    };
    let sink = Sink::in_memory();
    let work = found.work(options, registry, progress);
    let summary = run::for_each_process(work, logs, &sink, write_log)?;
    Ok(InMemory { files: sink.into_files(), summary: summary.noting_first(found.notes) })
}

/// Writes the report of a distributed job into `folder`, which holds a finished report of each rank in `rank_<n>/`, such
/// as [`run`] wrote them, possibly on several machines. `overwrite` says whether the files of an earlier call may be
/// replaced; the reports of the ranks are never changed.
///
/// # Errors
/// `folder` holds no report of a rank, or something that no report contains, or the files of an earlier call although
/// `overwrite` is false; or the disk refuses. A rank that cannot be read is part of the report, never an error.
pub fn combine(
    folder: &Path,
    overwrite: bool,
    settings: &Settings,
    progress: &dyn Progress,
) -> anyhow::Result<Written> {
    progress.beginning();
    let (target, ranks) = output::job_target(folder, overwrite)?;
    progress.begun(target.unfinished());
    let (sink, facts) = (Sink::on_disk(target.folder()), JobFacts::default());
    let settings = (settings, Around::nothing());
    let summary = write_job(&ranks, facts, &sink, settings, run::all_threads(), progress)?;
    progress.placing();
    Ok(Written { folder: target.place()?, zip: None, summary })
}

/// Compares two sides of one run or several. A run that is no finished report is read first; its report is written beside
/// the page, into `a` or `b` of the folder (`a1`, `a2` of several), so that the page can lead into it.
///
/// # Errors
/// As [`run`] for each log; and when a report has no `report.json` that this version reads.
pub fn diff(options: &DiffOptions, registry: &Registry, progress: &dyn Progress) -> anyhow::Result<Compared> {
    let entries = || report::diff_entries(report::entries());
    let prepare = |out: &PathBuf| Target::prepare(out, options.overwrite, entries());
    progress.beginning();
    let target = options.out.as_ref().map(prepare).transpose()?;
    let scratch = match &target {
        None => Some(Scratch::temporary(|made| progress.begun(made))?),
        Some(target) => {
            progress.begun(target.unfinished());
            None
        }
    };
    let folder = scratch.as_ref().map_or(Path::new(""), Scratch::path);
    let folder = target.as_ref().map_or(folder, Target::folder);
    let reports = Reports { options, registry, progress, folder, goal: target.as_ref().map(Target::goal) };
    let mut notes = Vec::new();
    let a = reports.of_side("a", (&options.a, &options.profiles_a), &mut notes)?;
    let b = reports.of_side("b", (&options.b, &options.profiles_b), &mut notes)?;
    let comparison = compare::compare(a, b, options.threshold, &options.names); // recordings -> rows
    if let Some(target) = &target {
        let changed = compare::ChangedFunctions::of(&comparison); // what has another graph or other code
        let pages = report::diff_pages(&comparison, &changed);
        progress.writing(pages.len());
        output::write(pages, &Sink::on_disk(target.folder()), NonZeroUsize::MIN, Worker::new)?;
    }
    progress.placing();
    let folder = target.map(Target::place).transpose()?;
    Ok(Compared {
        page: folder.map(|folder| folder.join(report::DIFF_PAGE)),
        lines: report::diff_summary(&comparison),
        json: serde_json::to_string_pretty(&report::diff_json(&comparison))?,
        markdown: report::diff_markdown(&comparison),
        notices: (report::diff_notices(&comparison), report::diff_suite(&comparison)),
        notes,
    })
}

/// Where the reports of the runs that are compared stand.
struct Reports<'a> {
    options: &'a DiffOptions,
    registry: &'a Registry,
    progress: &'a dyn Progress,
    /// Receives the reports of runs that have none.
    folder: &'a Path,
    /// Where that folder is going to stand; None where it is thrown away.
    goal: Option<&'a Path>,
}

impl Reports<'_> {
    /// The runs of a side.
    fn of_side(
        &self,
        side: &str,
        (runs, profiles): (&[PathBuf], &[PathBuf]),
        notes: &mut Vec<String>,
    ) -> anyhow::Result<Vec<Recording>> {
        if runs.len() > 1 && !profiles.is_empty() && profiles.len() != runs.len() {
            let traces = model::words::counted(profiles.len(), "trace", "traces");
            bail!(
                "--profile-{side} gives {traces} for {} runs; give one for each, in their order",
                runs.len()
            );
        }
        let of = |(at, path): (usize, &PathBuf)| {
            let below = if runs.len() == 1 { side.to_owned() } else { format!("{side}{}", at + 1) };
            let name = compare::name_of(path, [&self.options.a, &self.options.b]);
            let profiles = if runs.len() > 1 { profiles.get(at..=at).unwrap_or_default() } else { profiles };
            if let Some(report) = compare::finished_report(path) {
                if !profiles.is_empty() {
                    bail!(
                        "{} is a report that is finished, so --profile-{side} comes too late: give the log, or write the report \
                         again with --profile",
                        path.display()
                    );
                }
                let mut recording = compare::read_recording(&report, &name)?;
                recording.report = self.goal.and_then(|goal| output::relative(goal, &report));
                return Ok(recording);
            }
            let (threads, profiles) = (self.options.threads, profiles.to_vec());
            let options = Options { threads, profiles, ..Options::new(path, "") };
            let folder = self.folder.join(&below);
            let is_thrown_away = self.goal.is_none();
            let comparison = PageAround::new("comparison", format!("../{}", report::DIFF_PAGE));
            let around = Around { above: vec![comparison], ..Around::default() };
            let folder_of_side = (folder.as_path(), &around);
            let written =
                write_found(&options, self.registry, self.progress, folder_of_side, is_thrown_away)?;
            notes.extend(written.notes);
            let mut recording = compare::read_recording(&folder, &name)?;
            recording.report = self.goal.map(|_| below);
            Ok(recording)
        };
        runs.iter().enumerate().map(of).collect()
    }
}

/// One log, or the part of it that one rank wrote: log bytes -> records -> model -> findings -> pages -> files.
fn write_log(work: Work<'_>, task: &LogTask<'_>) -> anyhow::Result<LogOutcome> {
    let (source, model) = match run::read(work, task) {
        Ok(read) => read,
        Err(error) => return Ok(LogOutcome::Unreadable(error)),
    };
    if let Some(parts) = task.parts_to_split(&model) {
        return Ok(LogOutcome::Parts(parts));
    }
    let measured = run::measure(work, task, &model, &source)?;
    let texts = run::guard_texts(&model, &source)?;
    let found = analysis::of_log(&model, measured, &texts, task.threads);
    let settings = &work.options.settings;
    let cached = Cached::default();
    let report = report::on(&model, &found, &source, (settings, &task.around), task.processes, &cached);
    let pages = if work.options.redact { report::pages_to_redact(report) } else { report::pages(report) };
    work.progress.writing(pages.len());
    let left_out = output::write(pages, task.sink, task.threads, || Worker::sharing(work.highlighters))?;
    Ok(LogOutcome::Written(RunSummary {
        lines: report::summary(report),
        findings: report::findings(report).map(Finding).collect(),
        notes: run::notes(&source, &model, &left_out),
        refused: found.performance.as_ref().is_some_and(analysis::performance::Performance::is_refused),
        intact: model.integrity.ok(),
        without_compile_id: model.integrity.stacks_without_id,
        events: model.integrity.events.clone().into_iter().collect(),
    }))
}

/// The ranks of a job: their reports -> summaries -> findings -> pages -> files.
fn write_job(
    ranks: &[RankFolder],
    known: JobFacts,
    sink: &Sink,
    (settings, around): (&Settings, &Around),
    threads: NonZeroUsize,
    progress: &dyn Progress,
) -> anyhow::Result<RunSummary> {
    let are_own = known.of_own_reports;
    let job = job::read(ranks, facts::Reports::Disk, known, threads, progress)?;
    let found =
        analysis::of_job(&job, &|rank, call| job::call_line(ranks, &job, rank, call), &|compile, text| {
            Some(job::code_text(ranks, &job, compile, text)?.text)
        });
    let mut evidence = job::read_evidence(ranks, &job, &found);
    // Before the other pages: while the events are copied, it is noted from them when the ranks compiled. One thread writes:
    // the files are few, and several make the longest.
    let events = job::chromium_events(ranks, are_own, threads, job::timelines(&job, &found, &mut evidence));
    output::write(vec![events], sink, NonZeroUsize::MIN, Worker::new)?;
    let report = JobReport { job: &job, found: &found, evidence: &evidence, settings, around };
    let pages = report::job_pages(report);
    progress.writing(pages.len());
    output::write(pages, sink, NonZeroUsize::MIN, Worker::new)?;
    Ok(RunSummary {
        lines: report::job_summary(report),
        findings: report::job_findings(report).map(Finding).collect(),
        intact: job.ranks.iter().all(facts::ranks::RankSummary::is_intact),
        events: job.events.into_iter().collect(),
        // The ranks say of their own traces that one was refused; their report.json does not count records without an id.
        ..RunSummary::default()
    })
}

/// The path that is read when the command line names none: the value of `TORCH_TRACE`.
///
/// # Errors
/// The variable is not set, or is empty.
pub fn default_input() -> anyhow::Result<PathBuf> {
    std::env::var_os("TORCH_TRACE")
        .filter(|dir| !dir.is_empty())
        .map(PathBuf::from)
        .context("give a log or a folder of logs, or set TORCH_TRACE to the folder")
}

/// Whether [`run`] could write a report there, for programs that want to know before a long work begins.
///
/// # Errors
/// It could not; the error says why.
pub fn check_out(out: &Path, overwrite: bool) -> anyhow::Result<()> {
    output::check_target(out, overwrite, &report::entries())
}

/// Upstream's interface: what programs that were written against tlparse 0.4.8 use.
#[cfg(feature = "upstream")]
pub mod upstream {
    pub use crate::drop_in::parsers::{
        self, CompileId, Envelope, Metadata, ParserOutput, StructuredLogParser,
    };
    pub use crate::drop_in::{ParseConfig, ParseOutput};
    pub use crate::parse_path;
}

/// The files of a log's report, as upstream's function of this name gives them.
///
/// # Errors
/// As [`run_in_memory`]; or the log is damaged, and the configuration is strict.
#[cfg(feature = "upstream")]
#[allow(clippy::ptr_arg, reason = "upstream's signature")]
pub fn parse_path(path: &PathBuf, config: &ParseConfig) -> anyhow::Result<upstream::ParseOutput> {
    let settings = Settings {
        plain_text: config.plain_text,
        provenance: config.inductor_provenance,
        export: config.export,
        custom_header: Some(config.custom_header_html.clone()).filter(|html| !html.is_empty()),
        ..Settings::default()
    };
    let report = run_in_memory(&Options { settings, ..Options::new(path, "") }, &Registry::default(), &())?;
    if config.strict && !report.summary.intact {
        bail!("{} is damaged: {}", path.display(), report.summary.verdict());
    }
    if config.strict_compile_id && report.summary.without_compile_id > 0 {
        bail!("{} has records without a compile id: {}", path.display(), report.summary.without_compile_id);
    }
    drop_in::with_own_files(report.files, path, config)
}
