//! Reads TORCH_TRACE logs, the structured logs of `torch.compile`, and writes a report: what was compiled, what went
//! wrong, where the time went.
//!
//! [`run`] is the whole program: log bytes become records ([`trace`]), records become a model ([`events`],
//! [`model`]), the model leads to findings ([`analysis`]), both become pages ([`report`]), pages become files
//! ([`output`]).
//!
//! To understand events of your own, write a [`StructuredLogParser`] and register it:
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
//! let outcome = tlparse::run(&Options::new("trace.log", "tl_out"), &registry, &())?;
//! println!("{}", outcome.folder.display());
//! # Ok::<(), anyhow::Error>(())
//! ```

pub mod analysis;
pub mod events;
pub mod job;
pub mod model;
pub mod options;
pub mod output;
pub mod report;
pub mod trace;

pub use events::{Event, Flow, RankContext, Registry, StructuredLogParser};
pub use options::{Options, Progress, Written};

use anyhow::Context;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Reads one log and writes its report.
///
/// # Errors
/// Of the command line and the disk: no such input, nothing in it is a record, an output folder that may not be
/// replaced, a full disk. What is damaged in a log is in the report and in the [`Written`], never an error.
pub fn run(options: &Options, registry: &Registry, progress: &dyn Progress) -> anyhow::Result<Written> {
    let (log, mut notes) = find_log(options)?;
    let source = trace::Source::open(&log)?;
    let target = output::Target::prepare(&options.out, options.overwrite)?;

    let total = source.len();
    let model = events::read_log(&source, registry, &|done| progress.reading(done, total))?;
    let found = analysis::of_log(&model);
    let settings = &options.settings;
    let report = report::Report { model: &model, found: &found, source: &source, settings };

    let pages = report::pages(report);
    progress.writing(pages.len());
    output::write(pages, target.folder(), threads(options), report::Worker::new)?;
    if source.changed() {
        notes.push(format!(
            "{} was rewritten while it was read: files may hold other texts than were counted",
            source.name()
        ));
    }
    let folder = target.place()?;

    Ok(Written {
        folder,
        summary: report::summary(report),
        findings: report::findings(report),
        notes,
        intact: model.integrity.ok(),
        without_compile_id: model.integrity.stacks_without_id,
        events: model.integrity.events.clone().into_iter().collect(),
    })
}

/// The log itself, or the newest of a folder.
fn find_log(options: &Options) -> anyhow::Result<(PathBuf, Vec<String>)> {
    let input = &options.input;
    if !input.is_dir() {
        return Ok((input.clone(), Vec::new()));
    }
    let found = trace::newest_log(input)?;
    let mut notes = Vec::new();
    if !found.others.is_empty() {
        let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let listed: Vec<String> = found.others.iter().take(OTHERS_NAMED).map(name).collect();
        let more = found.others.len().saturating_sub(OTHERS_NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        notes.push(format!(
            "{} is the newest of {} logs in {}; the others are {}{more}",
            name(&found.log),
            found.others.len() + 1,
            input.display(),
            listed.join(", "),
        ));
    }
    Ok((found.log, notes))
}

/// Other logs of a folder that are named; a job's folder may hold a thousand.
const OTHERS_NAMED: usize = 8;

fn threads(options: &Options) -> NonZeroUsize {
    options.threads.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}

/// The path that an empty command line means: `$TORCH_TRACE`.
///
/// # Errors
/// When it is not set.
pub fn default_input() -> anyhow::Result<PathBuf> {
    std::env::var_os("TORCH_TRACE")
        .filter(|dir| !dir.is_empty())
        .map(PathBuf::from)
        .context("give a log or a folder of logs, or set TORCH_TRACE to the folder")
}
