//! `kernels.html`: every kernel of the log with its graph, its lines of the program, and what tuning said.

pub(super) fn tab(_: super::Report<'_>) -> Option<super::shell::Tab> {
    None
}

pub(super) fn page(_: super::Report<'_>) -> Option<crate::output::Page<'_, super::Worker>> {
    None
}
