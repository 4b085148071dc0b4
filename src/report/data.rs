//! The machine-readable files.
use super::{Report, Worker};
use crate::output::Page;
pub(super) fn pages(_report: Report<'_>) -> Vec<Page<'_, Worker>> {
    Vec::new()
}
