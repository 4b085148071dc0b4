//! How much room each part of `report.md` has, and how long its texts may be.

/// Bytes of each part, 60 KB in all. What a part does not need, those behind it may take.
pub(super) const HEAD: usize = 4_000;
pub(super) const FINDINGS: usize = 24_000;
pub(super) const TIMES: usize = 8_000;
pub(super) const FAILURES: usize = 6_000;
pub(super) const RECOMPILES: usize = 6_000;
pub(super) const BREAKS: usize = 6_000;
pub(super) const LOST: usize = 6_000;

/// Characters of a name and of a path.
pub(super) const LONGEST_NAME: usize = 80;
pub(super) const LONGEST_PATH: usize = 160;
