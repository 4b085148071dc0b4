//! From a path to its logs, and from one log after the other to the work on each: one process with those that it
//! forked, or the ranks of a job on several threads. What is done with a log, the caller says.

mod input;
mod process;
mod profiles;
mod ranks;
mod task;

pub(crate) use input::{Input, find};
pub(crate) use process::for_each_process;
pub(crate) use profiles::measure;
pub(crate) use ranks::for_each_rank;
pub(crate) use task::{LogOutcome, LogTask, Work, notes, read};
