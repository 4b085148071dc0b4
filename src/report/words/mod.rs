//! Names and descriptions of files, metrics fields, phases, kinds of findings, statuses, and glossary words.

pub(crate) mod export;
pub(crate) mod failures;
pub(crate) mod files;
pub(crate) mod kinds;
pub(crate) mod metrics;
pub(crate) mod performance;
pub(crate) mod phases;
pub(crate) mod problems;
pub(crate) mod run_console;
pub(crate) mod verdict;
pub(crate) mod vllm;
