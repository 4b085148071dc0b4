//! Finds the logs that a path means, and distributes the work on them: one process with those that it forked, or the ranks
//! of a job on several threads. The caller says what to do with each log.

mod guard_texts;
mod input;
mod measure;
mod named;
mod process;
mod profiles;
mod ranks;
mod refused;
mod task;
mod watch;

pub(crate) use guard_texts::guard_texts;
pub(crate) use input::{Input, OneOfSeveral, find};
pub(crate) use measure::measure;
pub(crate) use process::for_each_process;
pub use profiles::traces_of;
pub(crate) use ranks::for_each_rank;
pub use refused::NOTHING_COMPILED;
pub(crate) use task::{LogOutcome, LogTask, Work, all_threads, notes, read};
pub use watch::{Appended, Watch};
