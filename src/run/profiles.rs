//! Which trace of torch.profiler belongs to which log.

use super::task::{Work, is_trace};
use crate::analysis::performance::{DeviceOptions, DevicePeaks, Performance, performance};
use crate::model::Model;
use crate::profile;
use crate::trace::{self, PayloadRef, Source};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// How names of traces end. A folder may hold other JSON files, so each is looked into.
const ENDINGS: [&str; 3] = [".json", ".json.gz", ".json.zst"];

/// The traces of a run: those that were named, else those that lie beside the logs of the folder.
///
/// # Errors
/// A trace that was named cannot be found.
pub(super) fn traces(named: &[PathBuf], input: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in named {
        match path {
            folder if folder.is_dir() => found.extend(in_folder(folder)?),
            file if file.exists() => found.push(file.clone()),
            missing => {
                bail!("there is no trace {}; give the file that torch.profiler exported", missing.display())
            }
        }
    }
    if named.is_empty() && input.is_dir() {
        found = in_folder(input)?;
    }
    Ok(found)
}

fn in_folder(folder: &Path) -> Result<Vec<PathBuf>> {
    let about = || format!("cannot read the folder {}", folder.display());
    let mut found = trace::files_ending(folder, &ENDINGS).with_context(about)?;
    found.retain(|path| profile::is_trace(path));
    Ok(found)
}

/// The trace of a log: of several the one of its rank.
pub(super) fn trace_of(traces: &[PathBuf], rank: Option<u64>) -> Option<&Path> {
    match traces {
        [] => None,
        [only] if rank.is_none() => Some(only),
        several => several.iter().map(PathBuf::as_path).find(|path| profile::rank_of(path) == rank),
    }
}

/// Joins the log with its trace, where it has one.
///
/// # Errors
/// The trace cannot be read, or the figures of the device are of no known form.
pub(crate) fn measure(
    work: Work<'_>,
    log: &Path,
    model: &Model,
    source: &Source,
) -> Result<Option<Performance>> {
    let options = work.options;
    let alone = is_trace(log).then(|| log.to_owned());
    let traces = match &alone {
        Some(_) => Vec::new(),
        None => traces(&options.profiles, &options.input)?,
    };
    let trace = alone.as_deref().or_else(|| trace_of(&traces, model.log.rank));
    let Some(trace) = trace else { return Ok(None) };
    let facts = profile::read(trace)?;
    let given = options.device.as_deref();
    let peaks = given.map(|given| DevicePeaks::given(given, facts.device.as_deref()));
    let device = DeviceOptions { peaks: peaks.transpose()?, clock_mhz: options.clock_mhz };
    let read = |payload: &PayloadRef| {
        let mut bytes = Vec::new();
        source.read_payload(payload, &mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    performance(model, &facts, &device, &read).map(Some)
}
