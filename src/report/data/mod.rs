//! Files for programs: report.json, raw.jsonl, chromium_events.json, compile_directory.json, raw.log; and report.md, for
//! issues and assistants.

mod cross_rank;
mod entries;
mod execution;
mod facts;
pub(crate) mod files;
mod findings;
mod markdown;
mod measured;
mod raw;
mod run_console;
mod times;

pub(crate) use crate::report::data::cross_rank::{name, names};
pub(crate) use crate::report::data::facts::{
    caches, compile, compiles, failures, graph_breaks, recompiles, restarts,
};
pub(crate) use crate::report::data::findings::ENTRIES;
pub(crate) use crate::report::data::findings::all as findings;
pub(crate) use crate::report::data::findings::{place, place_words, said, saves, times};
pub(crate) use crate::report::data::markdown::markdown;
pub(crate) use crate::report::data::measured::{figures_of_call, figures_of_run};
pub(crate) use crate::report::data::run_console::hints;

use crate::analysis::Parity;
use crate::model::{Artifact, Compile, CompileIndex, Content, Outcome, Readable};
use crate::output::{NewFile, Page, RelPath};
use crate::report::kit::paths;
use crate::report::kit::templates::Worker;
use crate::report::subject::{Report, Settings};
use crate::trace::{Md5, OrderedMap};
use serde::Serialize;
use std::io::Write;

fn file<'m>(
    name: &str,
    write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()> + Send + 'm,
) -> Page<'m, Worker> {
    Page::rendered(RelPath::of_parts(&[name]), move |_, out| write(out))
}

/// `raw.log`
pub(crate) fn log(report: Report<'_>) -> Page<'_, Worker> {
    Page::file(RelPath::of_parts(&["raw.log"]), move |to| {
        match to {
            NewFile::Disk(file) => report.source.copy_to(file)?,
            NewFile::Memory(bytes) => std::io::copy(&mut report.source.reader(), bytes)?,
        };
        Ok(())
    })
}

/// `report.json`
pub(crate) fn facts(report: Report<'_>) -> Page<'_, Worker> {
    file("report.json", move |out| facts::write(report, out))
}

/// The titles of the findings in parts, for a redacted report that is made in memory.
pub(crate) fn titles(report: Report<'_>) -> Page<'_, Worker> {
    file(crate::facts::TITLES, move |out| {
        let titles: Vec<_> = report.found.findings.iter().map(|one| &one.title).collect();
        Ok(serde_json::to_writer(out, &titles)?)
    })
}

/// `raw.jsonl`
pub(crate) fn records(report: Report<'_>) -> Page<'_, Worker> {
    file("raw.jsonl", move |out| raw::write_records(report, out))
}

/// `chromium_events.json`
pub(crate) fn chromium_events(report: Report<'_>) -> Page<'_, Worker> {
    file("chromium_events.json", move |out| raw::write_chromium(report, out))
}

/// `compile_directory.json`
pub(crate) fn directory(report: Report<'_>) -> Page<'_, Worker> {
    file("compile_directory.json", move |out| write_directory(report, out))
}

/// `collectives_parity.json`
pub(crate) fn parity(report: Report<'_>) -> Page<'_, Worker> {
    file("collectives_parity.json", move |out| write_parity(report, out))
}

/// Whether a report has `collectives_parity.json`. Upstream writes it for every rank of a job, and a rank's report is
/// the same whether it is read alone or in its job.
pub(crate) fn has_parity(report: Report<'_>) -> bool {
    !report.model.cross_rank.collectives.is_empty() || report.model.log.rank.is_some()
}

/// `{"[0/0]": {"artifacts": [..]}}`, one key per attempt, in order of first appearance, one line each. A log may have a
/// hundred thousand of them, so none is kept once it is written.
fn write_directory(report: Report<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let compiles = &report.model.compiles;
    let mut attempts = Vec::new();
    let mut files = Vec::new();
    for (index, compile) in compiles.indexed() {
        attempts.extend(compile.attempts.iter().map(|attempt| (attempt.order, index, attempt.number)));
        let numbered = compile.artifacts.iter().enumerate();
        files.extend(numbered.map(|(place, artifact)| (index, artifact.attempt, place)));
    }
    attempts.sort_unstable();
    files.sort_unstable();
    // Odd ids may read alike: the last one has the place of the first. Keys are told apart by their hashes, which are short.
    let mut listed: OrderedMap<Md5, (CompileIndex, u32)> = OrderedMap::default();
    for (_, index, attempt) in attempts {
        let Some(compile) = compiles.get(index) else { continue };
        listed.insert(Md5::of(compile.bracketed(attempt).as_bytes()), (index, attempt));
    }
    let mut before = "{\n";
    for (index, attempt) in listed.into_values() {
        let Some(compile) = compiles.get(index) else { continue };
        let start = files.partition_point(|(of, number, _)| (*of, *number) < (index, attempt));
        let own = files.iter().skip(start).take_while(|(of, number, _)| (*of, *number) == (index, attempt));
        let own = own.filter_map(|(_, _, place)| compile.artifacts.get(*place));
        let artifacts = own.flat_map(|artifact| entries(report, compile, artifact)).collect();
        out.write_all(before.as_bytes())?;
        serde_json::to_writer(&mut *out, &compile.bracketed(attempt))?;
        out.write_all(b":")?;
        serde_json::to_writer(&mut *out, &Listed { artifacts })?;
        before = ",\n";
    }
    Ok(out.write_all(if before == "{\n" { b"{}\n" } else { b"\n}\n" })?)
}

/// The files of an attempt.
#[derive(Serialize)]
struct Listed {
    artifacts: Vec<DataEntry>,
}

/// An artifact in the directory.
#[derive(Clone, Serialize)]
struct DataEntry {
    url: String,
    name: String,
    number: u32,
    suffix: &'static str,
    readable_url: Option<String>,
}

/// The entries of an artifact: one, but for the kind of which upstream has two.
fn entries(report: Report<'_>, compile: &Compile, artifact: &Artifact) -> impl Iterator<Item = DataEntry> {
    let url = match &artifact.content {
        Content::Link(url) => url.clone(),
        _ => paths::artifact(compile, artifact, report.settings).into_string(),
    };
    let entry = DataEntry {
        url,
        name: paths::listed_name(artifact, report.settings),
        number: artifact.number,
        suffix: artifact.cache.map_or("", cache_mark),
        readable_url: readable_url(compile, artifact, report.settings),
    };
    std::iter::repeat_n(entry, if &*artifact.name == LISTED_TWICE { 2 } else { 1 })
}

/// Upstream lists this artifact twice. So does this program, so that a comparison of the two finds no difference.
const LISTED_TWICE: &str = "vllm_compilation_config";

/// The readable page of kernel stacks; an empty text where the record had no payload, as upstream has it.
fn readable_url(compile: &Compile, artifact: &Artifact, settings: &Settings) -> Option<String> {
    match (&artifact.content, artifact.readable) {
        (_, Some(Readable::KernelStacks)) => {
            paths::readable(compile, artifact, settings).map(RelPath::into_string)
        }
        (Content::Empty(_), None) if &*artifact.name == KERNEL_STACKS => Some(String::new()),
        _ => None,
    }
}

const KERNEL_STACKS: &str = "inductor_provenance_tracking_kernel_stack_traces";

/// The sign that upstream uses for the result of a cache lookup.
pub(crate) fn cache_mark(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Hit => "✅",
        Outcome::Miss => "❌",
        Outcome::Bypass => "❓",
    }
}

/// The description that upstream's file has of itself, so that a comparison of the two finds no difference.
const PARITY_IS: &str =
    "Difference of # of collectives in scheduler and inductor output code and missing wait collectives";

/// Graphs whose generated code does not make the collectives that were scheduled.
#[derive(Serialize)]
struct ParityFile<'m> {
    description: &'static str,
    graphs: Vec<&'m Parity>,
}

fn write_parity(report: Report<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let graphs = report.found.parity.iter().filter(|graph| graph.differs()).collect();
    serde_json::to_writer_pretty(&mut *out, &ParityFile { description: PARITY_IS, graphs })?;
    Ok(out.write_all(b"\n")?)
}
