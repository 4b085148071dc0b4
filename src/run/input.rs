//! The logs that a path means.

use super::profiles::Traces;
use super::task::Work;
use super::{named, refused};
use crate::events::Registry;
use crate::limits::NAMED;
use crate::model::words::{counted, first_of};
use crate::model::{self, JobFacts, SkippedFile};
use crate::options::{Options, Progress};
use crate::profile::{begins_trace, is_trace};
use crate::report::{Around, Highlighters};
use crate::trace::{self, Attachment, Folder, Limit, LocalTime, Log, Opener, Printed, RankLogs, Run};
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The logs to read.
pub(crate) enum Input {
    /// One process, with those that it forked.
    Log(Box<RankLogs>),
    /// The ranks of a distributed job.
    Job(JobInput),
    Several(Vec<OneOfSeveral>),
}

/// One of several unrelated logs or jobs.
pub(crate) struct OneOfSeveral {
    /// The name of its first log.
    pub name: String,
    pub input: Input,
}

pub(crate) struct JobInput {
    /// The ranks of the reported run; each has a number.
    pub ranks: Vec<RankLogs>,
    /// What is known of the job besides its logs.
    pub facts: JobFacts,
}

/// The logs that were found, and what reads them.
pub(crate) struct Found {
    pub input: Input,
    /// Notes about logs that are not read.
    pub notes: Vec<String>,
    /// Traces of torch.profiler to join with the logs: those of the options, those among the given paths, and those in
    /// archives beside logs.
    pub traces: Traces,
    /// What the program printed.
    console: Option<Printed>,
    opener: Opener,
    highlighters: Arc<Highlighters>,
}

impl Found {
    /// What all steps of a run share.
    pub fn work<'a>(
        &'a self,
        options: &'a Options,
        registry: &'a Registry,
        progress: &'a dyn Progress,
    ) -> Work<'a> {
        let Found { opener, traces, console, highlighters, .. } = self;
        let (around, console) = (Around::nothing(), console.as_ref());
        Work { options, registry, opener, traces, console, augment: None, progress, around, highlighters }
    }
}

/// Finds the logs that `options.inputs` mean, and their traces.
///
/// # Errors
/// There is no log or trace, a folder or an archive cannot be read, or the options ask for a run or ranks that do not exist.
pub(crate) fn find(options: &Options) -> anyhow::Result<Found> {
    let limit = options.limit();
    let mut opener = Opener::new(limit, begins_trace);
    let mut notes = Vec::new();
    let (paths, traces) = paths(&options.inputs, &mut notes)?;
    let input = match paths.as_slice() {
        [folder] if folder.is_dir() && trace::logs_of_report(folder).is_empty() => {
            folder_input(options, folder, &opener, &mut notes)?
        }
        paths => several_paths(options, paths, &mut opener, &mut notes)?,
    };
    if opener.left_out() > 0 {
        notes.push(format!(
            "{} between records, output of the program, left out",
            counted(opener.left_out(), "line", "lines")
        ));
    }
    let mut traces: Vec<Attachment> = traces.into_iter().map(Attachment::on_disk).collect();
    traces.extend_from_slice(opener.attachments());
    let are_several = matches!(input, Input::Several(_));
    let traces = Traces::find(options, are_several, traces)?;
    let console = console(options, limit, are_several, &mut notes)?;
    Ok(Found { input, notes, traces, console, opener, highlighters: Arc::default() })
}

/// Reads the console that is given beside the logs.
fn console(
    options: &Options,
    limit: Limit,
    are_several: bool,
    notes: &mut Vec<String>,
) -> anyhow::Result<Option<Printed>> {
    let Some(path) = &options.console else { return Ok(None) };
    if are_several {
        bail!(
            "--console joins what a program printed with its log, but the given logs are of several programs; run tlparse once \
             for each of them"
        );
    }
    let read = trace::printed(path, limit);
    let mut read = read.with_context(|| format!("cannot read the console {}", path.display()))?;
    // `tlparse run` puts it beside the logs, whatever the program prints.
    read.is_of_the_run = options.inputs.iter().any(|input| path.starts_with(input));
    if !read.is_of_the_run && read.lines.is_empty() && read.tracebacks.is_empty() {
        notes.push(format!(
            "{} holds no traceback and no message of torch that tlparse reads; TORCH_LOGS=cudagraphs,perf_hints shows some",
            path.display()
        ));
    }
    Ok(Some(read))
}

/// The paths of logs, and of traces among them. Traces without any log are reported in place of one.
fn paths(inputs: &[PathBuf], notes: &mut Vec<String>) -> anyhow::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let mut paths = Vec::new();
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
    if !logs.is_empty() {
        return Ok((logs, traces));
    }
    notes.extend(traces.first().map(|trace| {
        format!(
            "{} is a trace of torch.profiler: without its log, the report has kernels and no compiles; tlparse LOG --profile {} \
             joins both",
            trace.display(),
            trace.display()
        )
    }));
    Ok((paths, Vec::new()))
}

/// A file, an archive, a report, or several paths: all their logs are reported.
fn several_paths(
    options: &Options,
    paths: &[PathBuf],
    opener: &mut Opener,
    notes: &mut Vec<String>,
) -> anyhow::Result<Input> {
    let logs = pool(options, paths, opener, notes)?;
    match (logs.as_slice(), options.all_ranks) {
        ([log], _) if options.session.is_some_and(|number| number != 1) => bail!(
            "--session {}: {} is one log, which is one run; give the folder that holds the runs",
            options.session.unwrap_or_default(),
            log.display()
        ),
        ([log], false) => return Ok(alone(log)),
        ([log], true) => bail!(
            "--all-ranks-html needs the logs of all ranks, or their folder; {} is a single log",
            log.display()
        ),
        _ => {}
    }
    let mut groups = named::groups(trace::named_logs(&logs, opener));
    if let Some(number) = options.session {
        let chosen = chosen(groups.len(), number, "the given logs are of")?;
        groups = vec![groups.swap_remove(chosen)];
    }
    if options.all_ranks && groups.iter().all(|run| run.ranked().count() == 0) {
        bail!(
            "--all-ranks-html needs the logs of all ranks, or their folder; none of the given logs belongs to a rank"
        );
    }
    let one = |run: Run| OneOfSeveral {
        name: name_of(&run),
        input: of_run(run, options.all_ranks, Vec::new(), Vec::new(), notes),
    };
    let mut several: Vec<OneOfSeveral> = groups.into_iter().map(one).collect();
    Ok(if several.len() == 1 { several.remove(0).input } else { Input::Several(several) })
}

/// The logs of several paths: all those of an archive or a report, and the newest run of a folder.
fn pool(
    options: &Options,
    paths: &[PathBuf],
    opener: &mut Opener,
    notes: &mut Vec<String>,
) -> anyhow::Result<Vec<PathBuf>> {
    let mut logs = Vec::new();
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
    Ok(logs)
}

/// A log that the user named: its rank and run do not matter.
fn alone(path: &Path) -> Input {
    Input::Log(Box::new(RankLogs::alone(Log::unread(path.to_owned(), None))))
}

/// One folder: its newest run, or the one that was chosen.
fn folder_input(
    options: &Options,
    dir: &Path,
    opener: &Opener,
    notes: &mut Vec<String>,
) -> anyhow::Result<Input> {
    if options.latest {
        let (newest, others) = trace::newest_log(dir)?;
        notes.extend(latest_note(dir, &newest, &others));
        return Ok(alone(&newest));
    }
    let Folder { mut runs, skipped } = trace::logs_in(dir, opener)?;
    let chosen = match options.session {
        None => runs.len().saturating_sub(1),
        Some(number) => chosen(runs.len(), number, &format!("{} contains", dir.display()))?,
    };
    notes.extend(runs_note(dir, &runs, chosen, "--session N chooses another"));
    let run = runs.remove(chosen);
    if options.all_ranks && run.ranked().count() == 0 {
        bail!(
            "no log in {} belongs to a rank: torch records ranks once torch.distributed is initialized; omit --all-ranks-html",
            dir.display()
        );
    }
    Ok(of_run(run, options.all_ranks, runs, skipped, notes))
}

/// The place of the run that `--session` selects; `what` says where the runs are.
fn chosen(runs: usize, number: usize, what: &str) -> anyhow::Result<usize> {
    if !(1..=runs).contains(&number) {
        bail!("--session {number}: {what} {}; 1 is the oldest", counted(runs, "run", "runs"));
    }
    Ok(number - 1)
}

/// One run: a job of several ranks, or one process with those that it forked.
fn of_run(
    run: Run,
    all_ranks: bool,
    other_runs: Vec<Run>,
    mut skipped: Vec<(String, &'static str)>,
    notes: &mut Vec<String>,
) -> Input {
    if !all_ranks && run.ranked().count() < 2 {
        return one_process(run, notes);
    }
    let (ranks, rankless): (Vec<_>, Vec<_>) = run.ranks.into_iter().partition(|logs| logs.rank.is_some());
    let rankless = rankless.iter().flat_map(RankLogs::logs);
    skipped.extend(rankless.map(|log| (log.name(), "a process without a rank; report on it separately")));
    skipped.sort();
    let skipped = skipped.into_iter().map(|(name, reason)| SkippedFile { name, reason }).collect();
    let other_runs = other_runs.iter().map(model_run).collect();
    let facts = JobFacts { other_runs, skipped_files: skipped, of_own_reports: true, ..JobFacts::default() };
    Input::Job(JobInput { ranks, facts })
}

/// A run that the report only names. Its logs were not read, so its times have neither year nor time zone.
fn model_run(run: &Run) -> model::Run {
    let times = || run.logs().filter_map(|log| log.peek.span);
    let text = |time: Option<LocalTime>| time.map(|time| time.to_string());
    model::Run {
        first_time: text(times().map(|(first, _)| first).min()),
        last_time: text(times().map(|(_, last)| last).max()),
        logs: run.logs().map(Log::name).collect(),
    }
}

/// A run of at most one rank. If a process without a rank, such as a launcher, also wrote a log, the rank's log is read.
fn one_process(run: Run, notes: &mut Vec<String>) -> Input {
    let mut ranks = run.ranks;
    let main = ranks.iter().position(|logs| logs.rank.is_some()).unwrap_or(0);
    let chosen = ranks.swap_remove(main);
    let others: Vec<String> = ranks.iter().map(|logs| logs.main.name()).collect();
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
    Input::Log(Box::new(chosen))
}

/// The name of the first log of a run.
fn name_of(run: &Run) -> String {
    run.ranks.first().map(|logs| logs.main.name()).unwrap_or_default()
}

fn runs_note(dir: &Path, runs: &[Run], chosen: usize, how: &str) -> Option<String> {
    let others = runs.iter().enumerate().filter(|(at, _)| *at != chosen);
    let others: Vec<String> = others.map(|(at, run)| format!("{} ({})", at + 1, name_of(run))).collect();
    let which = if chosen + 1 == runs.len() { ", the newest," } else { "" };
    (!others.is_empty()).then(|| {
        format!(
            "{} contains {}; this report is on run {}{which} ({}); {how}: {}",
            dir.display(),
            counted(runs.len(), "run", "runs"),
            chosen + 1,
            runs.get(chosen).map(name_of).unwrap_or_default(),
            first_of(&others, NAMED),
        )
    })
}

fn latest_note(dir: &Path, newest: &Path, others: &[PathBuf]) -> Option<String> {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let names: Vec<String> = others.iter().map(|path| name(path)).collect();
    (!names.is_empty()).then(|| {
        format!(
            "{} is the newest of {} logs in {}; the others: {}",
            name(newest),
            names.len() + 1,
            dir.display(),
            first_of(&names, NAMED),
        )
    })
}
