//! Records to model: one parser per kind of event, one file per family.
//!
//! To add an event, write its function in the family's file, name it in `families.rs` and describe it in `parsers.txt`.
//! Nothing else lists events.
#![deny(clippy::indexing_slicing)]

mod artifact;
mod break_forms;
mod breaks;
mod budget;
mod caches;
mod chromium;
mod console_output;
mod context;
mod distributed;
mod dynamo;
mod event;
mod export;
mod fallback;
mod families;
mod finish;
mod follow;
mod graphs;
mod guard_facts;
mod guards;
mod inductor;
mod kernel_names;
mod links;
mod metrics;
mod parser;
mod placed;
mod program_lines;
mod read;
mod registry;
mod repeats;
mod run_console;
mod sections;
mod side_effects;
mod stacks;
mod symbols;
mod tensors;
#[cfg(test)]
mod tests;
mod troubles;
mod unrecorded;
mod values;
mod vllm;
mod workers;

pub use context::{ArtifactId, RankContext};
pub use event::Event;
pub use follow::Follower;
use parser::ParseEvents;
pub use parser::{Flow, StructuredLogParser};
pub use read::{RankPart, check_is_log, read_log};
pub use registry::{ParserFactory, Registry};
pub use run_console::{add_failure, console_of};
pub use sections::{PageTables, SectionRows};
