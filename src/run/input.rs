//! The logs that a path means.

use super::{named, refused};
use crate::model::SkippedFile;
use crate::model::words::{counted, first_of};
use crate::options::Options;
use crate::profile::{begins_trace, is_trace};
use crate::trace::{self, Attachment, Folder, Limit, Log, Opener, Peek, RankLogs, Run};
use anyhow::bail;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Most logs or runs that a note names; the folder of a job may hold a thousand.
const NAMED: usize = 8;

/// The logs to read.
pub(crate) enum Input {
    /// One process, with those that it forked.
    Log(Box<RankLogs>),
    /// The ranks of a distributed job.
    Job(JobInput),
    /// Unrelated logs.
    Several(Vec<OneOfSeveral>),
}

/// One of several unrelated logs or jobs.
pub(crate) struct OneOfSeveral {
    /// The name of its first log.
    pub name: String,
    /// A log or a job.
    pub input: Input,
}

/// A job's logs.
pub(crate) struct JobInput {
    /// The ranks of the reported run; each has a number.
    pub ranks: Vec<RankLogs>,
    /// The folder's other runs, oldest first.
    pub other_runs: Vec<Run>,
    /// Files that are not read, with reasons.
    pub skipped: Vec<SkippedFile>,
}

/// The logs that were found, and what opens them.
pub(crate) struct Gathered {
    pub input: Input,
    /// Notes about logs that are not read.
    pub notes: Vec<String>,
    pub opener: Opener,
    /// Traces of torch.profiler among the given paths, or in archives beside logs.
    pub traces: Vec<Attachment>,
}

/// Finds the logs that `options.inputs` mean.
///
/// # Errors
/// There is no log, a folder or an archive cannot be read, or the options ask for a run or ranks that do not exist.
pub(crate) fn find(options: &Options) -> anyhow::Result<Gathered> {
    let limit = options.max_unpacked.map_or_else(Limit::default, |bytes| Limit { bytes });
    let mut opener = Opener::new(limit).keeping(begins_trace);
    let (paths, traces, twice) = paths(&options.inputs)?;
    let (input, notes) = match paths.as_slice() {
        [folder] if folder.is_dir() && trace::logs_of_report(folder).is_empty() => {
            folder_input(options, folder, &opener)?
        }
        paths => several_paths(options, paths, &mut opener)?,
    };
    let notes = twice.into_iter().chain(notes).collect();
    let mut traces: Vec<Attachment> = traces.into_iter().map(Attachment::on_disk).collect();
    traces.extend_from_slice(opener.attachments());
    Ok(Gathered { input, notes, opener, traces })
}

/// The paths of logs, and of traces among them; then notes. Traces without any log are reported in place of one.
fn paths(inputs: &[PathBuf]) -> anyhow::Result<(Vec<PathBuf>, Vec<PathBuf>, Vec<String>)> {
    let (mut paths, mut notes) = (Vec::new(), Vec::new());
    for input in inputs {
        let found = trace::expanded(input);
        if found.is_empty() {
            bail!(
                "no file matches {}; pass a log that torch wrote with TORCH_TRACE=DIR, or its folder",
                input.display()
            );
        }
        for path in found {
            if paths.contains(&path) {
                notes.push(format!("{} is given twice, and read once", path.display()));
            } else {
                paths.push(path);
            }
        }
    }
    paths.iter().try_for_each(|path| refused::check(path))?;
    let (traces, logs): (Vec<_>, Vec<_>) = paths.iter().cloned().partition(|path| is_trace(path));
    notes.extend(logs.is_empty().then(|| traces.first()).flatten().map(|trace| {
        format!(
            "{} is a trace of torch.profiler: without its log, the report has kernels and no compiles; tlparse LOG --profile {} \
             joins both",
            trace.display(),
            trace.display()
        )
    }));
    Ok(if logs.is_empty() { (paths, Vec::new(), notes) } else { (logs, traces, notes) })
}

/// One folder: its newest run.
fn folder_input(options: &Options, folder: &Path, opener: &Opener) -> anyhow::Result<(Input, Vec<String>)> {
    if options.latest {
        let found = trace::newest_log(folder)?;
        let note = latest_note(folder, &found);
        return Ok((Input::Log(Box::new(alone(&found.log))), note));
    }
    of_folder(options, folder, trace::logs_in(folder, opener)?)
}

/// A file, an archive, a report, or several paths: all their logs are reported.
fn several_paths(
    options: &Options,
    paths: &[PathBuf],
    opener: &mut Opener,
) -> anyhow::Result<(Input, Vec<String>)> {
    let (logs, notes) = pool(options, paths, opener)?;
    match (logs.as_slice(), options.all_ranks) {
        ([log], _) if options.session.is_some_and(|number| number != 1) => bail!(
            "--session {}: {} is one log, which is one run; give the folder that holds the runs",
            options.session.unwrap_or_default(),
            log.display()
        ),
        ([log], false) => return Ok((Input::Log(Box::new(alone(log))), notes)),
        ([log], true) => bail!(
            "--all-ranks-html needs the logs of all ranks, or their folder; {} is a single log",
            log.display()
        ),
        _ => {}
    }
    let groups = named::groups(trace::named_logs(&logs, opener));
    let mut groups = named::chosen(groups, options.session)?;
    let ranks = groups.iter().map(|run| run.ranked().count()).max().unwrap_or_default();
    if options.all_ranks && ranks == 0 {
        bail!(
            "--all-ranks-html needs the logs of all ranks, or their folder; none of the given logs belongs to a rank"
        );
    }
    let of_run = |run: Run| of_run(run, options.all_ranks, Vec::new(), Vec::new());
    if groups.len() == 1 {
        let (input, others) = of_run(groups.remove(0));
        return Ok((input, notes.into_iter().chain(others).collect()));
    }
    let mut notes = notes;
    let mut several = Vec::new();
    for run in groups {
        let name = named::name_of(&run);
        let (input, others) = of_run(run);
        notes.extend(others);
        several.push(OneOfSeveral { name, input });
    }
    Ok((Input::Several(several), notes))
}

/// The logs of several paths: all those of an archive or a report, and the newest run of a folder.
fn pool(
    options: &Options,
    paths: &[PathBuf],
    opener: &mut Opener,
) -> anyhow::Result<(Vec<PathBuf>, Vec<String>)> {
    let (mut logs, mut notes) = (Vec::new(), Vec::new());
    for path in paths {
        if !path.is_dir() {
            match opener.unpack(path)? {
                Some(found) => logs.extend(found),
                None => logs.push(path.clone()),
            }
            continue;
        }
        let of_report = trace::logs_of_report(path);
        if !of_report.is_empty() {
            logs.extend(of_report);
            continue;
        }
        let Folder { runs, .. } = trace::logs_in(path, opener)?;
        let newest = runs.len().saturating_sub(1);
        notes.extend(runs_note(path, &runs, newest, "pass it alone with --session N to choose another"));
        logs.extend(runs.get(newest).into_iter().flat_map(Run::logs).map(|log| log.path.clone()));
    }
    if options.latest {
        bail!("--latest needs one folder of logs; without it, all given logs are read");
    }
    Ok((logs, notes))
}

/// A log that the user named: its rank and run do not matter.
fn alone(path: &Path) -> RankLogs {
    let log =
        Log { path: path.to_owned(), rank: None, changed: SystemTime::UNIX_EPOCH, peek: Peek::default() };
    RankLogs { rank: None, main: log, others: Vec::new() }
}

fn of_folder(options: &Options, dir: &Path, folder: Folder) -> anyhow::Result<(Input, Vec<String>)> {
    let Folder { mut runs, skipped } = folder;
    let chosen = match options.session {
        None => runs.len().saturating_sub(1),
        Some(number) if (1..=runs.len()).contains(&number) => number - 1,
        Some(number) => bail!(
            "--session {number}: {} contains {}; 1 is the oldest",
            dir.display(),
            counted(runs.len(), "run", "runs")
        ),
    };
    let mut notes = runs_note(dir, &runs, chosen, "--session N chooses another");
    let run = runs.remove(chosen);
    let ranks = run.ranked().count();
    if options.all_ranks && ranks == 0 {
        bail!(
            "no log in {} belongs to a rank: torch records ranks once torch.distributed is initialized; omit --all-ranks-html",
            dir.display()
        );
    }
    let (input, others) = of_run(run, options.all_ranks, runs, skipped);
    notes.extend(others);
    Ok((input, notes))
}

/// One run: a job of several ranks, or one process with those that it forked.
fn of_run(
    run: Run,
    all_ranks: bool,
    other_runs: Vec<Run>,
    mut skipped: Vec<(String, &'static str)>,
) -> (Input, Vec<String>) {
    if !all_ranks && run.ranked().count() < 2 {
        return one_process(run);
    }
    let (ranks, rankless): (Vec<_>, Vec<_>) = run.ranks.into_iter().partition(|logs| logs.rank.is_some());
    for logs in rankless {
        let all = std::iter::once(&logs.main).chain(&logs.others);
        skipped.extend(all.map(|log| (log.name(), "a process without a rank; report on it separately")));
    }
    skipped.sort();
    let skipped = skipped.into_iter().map(|(name, reason)| SkippedFile { name, reason }).collect();
    (Input::Job(JobInput { ranks, other_runs, skipped }), Vec::new())
}

/// A run of at most one rank. If a process without a rank, such as a launcher, also wrote a log, the rank's log is read.
fn one_process(run: Run) -> (Input, Vec<String>) {
    let mut ranks = run.ranks;
    let main = ranks.iter().position(|logs| logs.rank.is_some()).unwrap_or(0);
    let chosen = ranks.swap_remove(main);
    let others: Vec<String> = ranks.iter().map(|logs| logs.main.name()).collect();
    let mut notes = Vec::new();
    if !others.is_empty() {
        notes.push(format!("not read, because they have no rank: {}", first_of(&others, NAMED)));
    }
    if !chosen.others.is_empty() {
        let names: Vec<String> = chosen.others.iter().map(Log::name).collect();
        notes.push(format!(
            "{} is read with {}, each in a report of its own below it: {}",
            chosen.main.name(),
            counted(names.len(), "further process", "further processes"),
            first_of(&names, NAMED)
        ));
    }
    (Input::Log(Box::new(chosen)), notes)
}

fn runs_note(dir: &Path, runs: &[Run], chosen: usize, how: &str) -> Vec<String> {
    if runs.len() < 2 {
        return Vec::new();
    }
    let name = |run: &Run| run.ranks.first().map(|logs| logs.main.name()).unwrap_or_default();
    let others = runs.iter().enumerate().filter(|(at, _)| *at != chosen);
    let others: Vec<String> = others.map(|(at, run)| format!("{} ({})", at + 1, name(run))).collect();
    let which = if chosen + 1 == runs.len() { ", the newest," } else { "" };
    vec![format!(
        "{} contains {}; this report is on run {}{which} ({}); {how}: {}",
        dir.display(),
        counted(runs.len(), "run", "runs"),
        chosen + 1,
        runs.get(chosen).map(name).unwrap_or_default(),
        first_of(&others, NAMED),
    )]
}

fn latest_note(dir: &Path, found: &trace::NewestLog) -> Vec<String> {
    if found.others.is_empty() {
        return Vec::new();
    }
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let others: Vec<String> = found.others.iter().map(|path| name(path)).collect();
    vec![format!(
        "{} is the newest of {} logs in {}; the others: {}",
        name(&found.log),
        found.others.len() + 1,
        dir.display(),
        first_of(&others, NAMED),
    )]
}
