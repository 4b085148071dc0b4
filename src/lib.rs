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
mod run;
pub mod trace;

pub use events::{Event, Flow, RankContext, Registry, StructuredLogParser};
pub use options::{Options, Progress, Told, Written};

use anyhow::Context;
use std::path::PathBuf;

/// Reads what `options.input` means (a log, the newest run of a folder, or all ranks of a job) and writes its report.
///
/// # Errors
/// Of the command line and the disk: no such input, nothing in it is a record, an output folder that may not be
/// replaced, a full disk. What is damaged in a log is in the report and in the [`Written`], never an error.
pub fn run(options: &Options, registry: &Registry, progress: &dyn Progress) -> anyhow::Result<Written> {
    let work = run::Work { options, registry, progress };
    let (input, mut notes) = run::find(options)?;
    let target = output::Target::prepare(&options.out, options.overwrite)?;
    let mut told = match &input {
        run::Input::Log(logs) => run::write_rank(work, logs, target.folder())?,
        run::Input::Job(job) => run::write_job(work, job, target.folder())?,
    };
    notes.append(&mut told.notes);
    told.notes = notes;
    Ok(Written { folder: target.place()?, told })
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
