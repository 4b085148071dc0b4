//! What other tools read: SARIF for code scanning, JUnit for test reports, annotations for GitHub's pages.
//!
//! They know nothing of pages or budgets: the caller passes [`Notice`]s or a [`Suite`] of tests.

mod format;
mod github;
mod junit;
mod notice;
mod of_findings;
mod sarif;

pub use format::Format;
pub(crate) use github::github;
pub(crate) use junit::{Suite, Test, junit};
pub(crate) use notice::{Notice, cost_words};
pub(crate) use of_findings::{notices, suite};
pub(crate) use sarif::sarif;
