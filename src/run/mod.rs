//! From logs to folders: which logs are meant, and the report of each; for a job, its ranks on several threads.

mod input;
mod log;
mod ranks;

pub(crate) use input::{Input, find};
pub(crate) use log::write_rank;
pub(crate) use ranks::write_job;

use crate::{Options, Progress, Registry};
use std::num::NonZeroUsize;

/// What all parts of a run are given.
#[derive(Clone, Copy)]
pub(crate) struct Work<'a> {
    pub options: &'a Options,
    pub registry: &'a Registry,
    pub progress: &'a dyn Progress,
}

impl Work<'_> {
    /// Threads that may work at the same time.
    pub fn threads(&self) -> NonZeroUsize {
        let asked = self.options.threads;
        asked.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
    }
}
