//! Assigns traces of torch.profiler to logs.

use crate::limits::NAMED;
use crate::model::words::counted;
use crate::options::Options;
use crate::output;
use crate::profile::{self, Combined, RankTrace, is_trace};
use crate::trace::{self, Attachment, RankLogs, packed};
use anyhow::{Context, Result, bail};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Extensions of traces. A folder may contain other JSON files, so each file is checked.
const ENDINGS: [&str; 3] = [".json", ".json.gz", ".json.zst"];

#[derive(Default)]
pub(crate) struct Traces(Vec<ProfilerTrace>);

struct ProfilerTrace {
    file: Attachment,
    /// The rank of its process, from its name or its header.
    rank: Option<u64>,
}

impl ProfilerTrace {
    fn of(file: Attachment) -> ProfilerTrace {
        ProfilerTrace { rank: profile::rank_of(&file), file }
    }
}

/// Which traces may belong to a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profiled {
    /// The only log: the trace of its rank, or the only trace.
    OnlyLog,
    /// The log of a rank: the trace of that rank.
    Rank,
    /// A further process of either: none, since traces are of the first process.
    FurtherProcess,
}

impl Traces {
    /// The traces given with `--profile`, or else those in the folder of the logs; and `files`, which were found with the logs.
    ///
    /// # Errors
    /// A given file does not exist or is not a trace.
    pub fn find(options: &Options, are_several: bool, mut files: Vec<Attachment>) -> Result<Traces> {
        if are_several {
            if !options.profiles.is_empty() {
                bail!(
                    "--profile joins a trace with the log of its program, but the given logs are of several programs; run tlparse \
                     once for each of them"
                );
            }
            return Ok(Traces::default());
        }
        let mut paths: Vec<PathBuf> = Vec::new();
        for path in &options.profiles {
            match path {
                folder if folder.is_dir() => paths.extend(in_folder(folder)?),
                file if is_trace(file) => paths.push(file.clone()),
                file if file.exists() => {
                    bail!("{} is not a trace; pass the file that torch.profiler exported", file.display())
                }
                missing => {
                    bail!(
                        "there is no trace {}; pass the file that torch.profiler exported",
                        missing.display()
                    )
                }
            }
        }
        if options.profiles.is_empty() {
            for folder in options.inputs.iter().filter(|input| input.is_dir()) {
                paths.extend(in_folder(folder)?);
            }
        }
        files.extend(paths.into_iter().map(Attachment::on_disk));
        Ok(Traces(files.into_iter().map(ProfilerTrace::of).collect()))
    }

    /// A note about traces that belong to none of the ranks of a job.
    pub fn note(&self, ranks: &[RankLogs]) -> Option<String> {
        let is_known = |rank: u64| ranks.iter().any(|logs| logs.rank == Some(rank));
        let left: Vec<&ProfilerTrace> =
            self.0.iter().filter(|trace| !trace.rank.is_some_and(is_known)).collect();
        let names = left.iter().take(NAMED).map(|trace| trace.file.path().display().to_string());
        (!left.is_empty()).then(|| {
            format!(
                "{} not read, because neither name nor distributedInfo has a rank of the job: {}",
                counted(left.len(), "trace", "traces"),
                names.collect::<Vec<_>>().join(", ")
            )
        })
    }

    /// Checks that `--augment` can write the trace.
    ///
    /// # Errors
    /// There is no trace, or more than one, or the file may not be written.
    pub fn check_augment(&self, options: &Options) -> Result<()> {
        let Some(to) = &options.augment else { return Ok(()) };
        let trace = match self.0.as_slice() {
            [only] => only.file.path(),
            [] => match options.inputs.first().filter(|input| is_trace(input)) {
                Some(alone) => alone,
                None => bail!("--augment needs a trace to write again; pass one with --profile"),
            },
            several => {
                bail!(
                    "--augment writes one trace, but there are {}; choose one with --profile",
                    several.len()
                )
            }
        };
        if is_same_file(trace, to) {
            bail!("--augment cannot overwrite the trace that it reads; choose another file");
        }
        output::check_single_file(to, options.overwrite)
    }

    /// Writes the traces of all ranks into the file that `--combine` names, with a process per rank: those of the logs, and
    /// those that were given in place of logs. The result is what the user should know of it.
    ///
    /// # Errors
    /// There are no two traces, the file may not be written, or a trace cannot be read.
    pub fn combine(&self, options: &Options) -> Result<Vec<String>> {
        let Some(to) = &options.combine else { return Ok(Vec::new()) };
        let alone = options.inputs.iter().filter(|input| is_trace(input));
        let alone: Vec<ProfilerTrace> =
            alone.map(|path| ProfilerTrace::of(Attachment::on_disk(path))).collect();
        let mut traces: Vec<&ProfilerTrace> = Vec::new();
        for trace in self.0.iter().chain(&alone) {
            if !traces.iter().any(|known| is_same_file(known.file.path(), trace.file.path())) {
                traces.push(trace);
            }
        }
        if traces.len() < 2 {
            bail!(
                "--combine needs the traces of several ranks, but there {}; pass them with --profile",
                if traces.is_empty() { "is none" } else { "is only one" }
            );
        }
        traces.sort_by_key(|trace| trace.rank.unwrap_or(u64::MAX));
        if traces.iter().any(|trace| is_same_file(trace.file.path(), to)) {
            bail!("--combine cannot overwrite a trace that it reads; choose another file");
        }
        output::check_single_file(to, options.overwrite)?;
        let processes = processes_of(&traces);
        let mut combined = Combined::default();
        output::write_single_file(to, |file| {
            packed(file, to, |out| {
                combined = profile::combine(&processes, out)?;
                Ok(())
            })
        })?;
        Ok(notes_of(&combined, to, traces.len()))
    }

    /// The trace of a log.
    pub fn of_log(&self, profiled: Profiled, rank: Option<u64>) -> Result<Option<&Attachment>> {
        let of_rank = || self.0.iter().find(|trace| rank.is_some() && trace.rank == rank);
        let found = match (profiled, self.0.as_slice()) {
            (Profiled::FurtherProcess, _) | (_, []) => None,
            (Profiled::Rank, _) => of_rank(),
            (Profiled::OnlyLog, [only]) => Some(only),
            (Profiled::OnlyLog, several) => match of_rank() {
                Some(trace) => Some(trace),
                None => bail!(
                    "there are {} traces, and nothing says which of them belongs to this log; choose one with --profile",
                    several.len()
                ),
            },
        };
        Ok(found.map(|trace| &trace.file))
    }
}

fn is_same_file(left: &Path, right: &Path) -> bool {
    left.canonicalize().ok().zip(right.canonicalize().ok()).is_some_and(|(left, right)| left == right)
}

/// Each trace as a process with the number of its rank; where ranks are unknown or not distinct, they are counted.
fn processes_of<'t>(traces: &[&'t ProfilerTrace]) -> Vec<RankTrace<'t>> {
    let ranks: HashSet<u64> = traces.iter().filter_map(|trace| trace.rank).collect();
    let distinct = ranks.len() == traces.len();
    let process = |(place, trace): (usize, &&'t ProfilerTrace)| {
        let file = trace.file.path().file_name().unwrap_or_default().to_string_lossy();
        let name =
            trace.rank.map_or_else(|| file.clone().into_owned(), |rank| format!("rank {rank} ({file})"));
        RankTrace {
            file: &trace.file,
            process: trace.rank.filter(|_| distinct).unwrap_or(place as u64),
            name,
        }
    };
    traces.iter().enumerate().map(process).collect()
}

/// The traces of torch.profiler that stand in a folder, by name; empty if it cannot be read.
#[must_use]
pub fn traces_of(folder: &Path) -> Vec<PathBuf> {
    in_folder(folder).unwrap_or_default()
}

fn in_folder(folder: &Path) -> Result<Vec<PathBuf>> {
    let about = || format!("cannot read the folder {}", folder.display());
    let mut found = trace::files_ending(folder, &ENDINGS).with_context(about)?;
    found.retain(|path| is_trace(path));
    Ok(found)
}

/// What became of the traces that `--combine` joined.
fn notes_of(combined: &Combined, to: &Path, traces: usize) -> Vec<String> {
    let mut notes = vec![format!("{traces} traces are in {}, with a process each", to.display())];
    if combined.without_clock > 0 {
        notes.push(format!(
            "{} of them {} not say what times count from (baseTimeNanoseconds), so none was moved to the clock of the others",
            combined.without_clock,
            if combined.without_clock == 1 { "does" } else { "do" }
        ));
    }
    if combined.left_out > 0 {
        notes.push(format!(
            "{} of the traces could not be read and {} left out",
            counted(usize::try_from(combined.left_out).unwrap_or(usize::MAX), "event", "events"),
            if combined.left_out == 1 { "was" } else { "were" }
        ));
    }
    notes
}
