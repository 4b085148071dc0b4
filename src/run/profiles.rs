//! Which trace of torch.profiler belongs to which log.

use super::input::{Gathered, Input};
use crate::model::words::counted;
use crate::options::Options;
use crate::output;
use crate::profile::{self, is_trace};
use crate::trace::{self, Attachment};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// How names of traces end. A folder may hold other JSON files, so each is looked into.
const ENDINGS: [&str; 3] = [".json", ".json.gz", ".json.zst"];

/// Traces that are named in a note.
const NAMED: usize = 8;

/// The traces of a run.
#[derive(Default)]
pub(crate) struct Traces(Vec<ProfilerTrace>);

struct ProfilerTrace {
    file: Attachment,
    /// The rank of its process, where its name or its head tells it.
    rank: Option<u64>,
}

/// Which traces a log may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profiled {
    /// The only log that was given: of several traces that of its rank, else the only trace there is.
    OnlyLog,
    /// The log of a rank of a job: the trace of that rank.
    Rank,
    /// A further process of either: a trace is of the first process.
    FurtherProcess,
}

impl Traces {
    /// Those that were named, else those that lie beside the logs of the folder.
    ///
    /// # Errors
    /// A trace that was named cannot be found, or is none.
    pub fn find(options: &Options, gathered: &Gathered) -> Result<Traces> {
        if matches!(gathered.input, Input::Several(_)) {
            if !options.profiles.is_empty() {
                bail!(
                    "--profile joins a trace with the log of its program, and logs of several are given; run tlparse for each \
                     of them"
                );
            }
            return Ok(Traces::default());
        }
        let mut files = gathered.traces.clone();
        let mut paths: Vec<PathBuf> = Vec::new();
        for path in &options.profiles {
            match path {
                folder if folder.is_dir() => paths.extend(in_folder(folder)?),
                file if is_trace(file) => paths.push(file.clone()),
                file if file.exists() => {
                    bail!("{} is no trace; give the file that torch.profiler exported", file.display())
                }
                missing => {
                    bail!(
                        "there is no trace {}; give the file that torch.profiler exported",
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
        let with_rank = |file: Attachment| ProfilerTrace { rank: profile::rank_of(&file), file };
        Ok(Traces(files.into_iter().map(with_rank).collect()))
    }

    /// What to say about traces that belong to no log of the input.
    pub fn notes(&self, input: &Input) -> Vec<String> {
        let Input::Job(job) = input else { return Vec::new() };
        let is_known = |rank: u64| job.ranks.iter().any(|logs| logs.rank == Some(rank));
        let left: Vec<&ProfilerTrace> =
            self.0.iter().filter(|trace| !trace.rank.is_some_and(is_known)).collect();
        if left.is_empty() {
            return Vec::new();
        }
        let names: Vec<String> =
            left.iter().take(NAMED).map(|trace| trace.file.path().display().to_string()).collect();
        vec![format!(
            "{} not read, as neither name nor distributedInfo tells a rank of the job: {}",
            counted(left.len(), "trace", "traces"),
            names.join(", ")
        )]
    }

    /// Whether the trace can be written again as the options ask for.
    ///
    /// # Errors
    /// There is no trace, or more than one, or the file may not be written.
    pub fn check_augment(&self, options: &Options) -> Result<()> {
        let Some(to) = &options.augment else { return Ok(()) };
        let trace = match self.0.as_slice() {
            [] if options.inputs.first().is_some_and(|input| is_trace(input)) => {
                options.inputs.first().map_or(Path::new(""), PathBuf::as_path)
            }
            [only] => only.file.path(),
            [] => bail!("--augment writes a trace again, and there is none; give it with --profile"),
            several => {
                bail!("--augment writes one trace, and there are {}; give one with --profile", several.len())
            }
        };
        let same = |left: &Path, right: &Path| {
            left.canonicalize().ok().zip(right.canonicalize().ok()).is_some_and(|(left, right)| left == right)
        };
        if same(trace, to) {
            bail!("--augment cannot write over the trace that it reads; give another file");
        }
        output::check_single_file(to, options.overwrite)
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
                    "there are {} traces, and nothing says which of them is of this log; give one with --profile",
                    several.len()
                ),
            },
        };
        Ok(found.map(|trace| &trace.file))
    }
}

/// The traces that stand in a folder, by name; none where it cannot be read.
pub(crate) fn traces_of(folder: &Path) -> Vec<PathBuf> {
    in_folder(folder).unwrap_or_default()
}

fn in_folder(folder: &Path) -> Result<Vec<PathBuf>> {
    let about = || format!("cannot read the folder {}", folder.display());
    let mut found = trace::files_ending(folder, &ENDINGS).with_context(about)?;
    found.retain(|path| is_trace(path));
    Ok(found)
}
