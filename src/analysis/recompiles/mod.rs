//! Why functions were recompiled: what changed, compared with which version, what it means and what to do.

mod advice;
mod arrivals;
mod cause;
mod chain;
mod chains;
mod change;
mod closest;
mod guard_kinds;
mod kind;
mod limit;
mod proof;
mod subject;
mod words;

pub use advice::Fact;
pub use chain::{Cause, Chain, Step};
pub use change::Change;
pub use guard_kinds::{change_of, classify};
pub use kind::ChangeKind;
pub use limit::{Limit, recompile_limit};
pub use subject::ChangedThing;
pub use words::{disagreement, kind_and_sizes};

pub(super) use advice::fixed;
pub(super) use chains::recompile_chains;
pub(super) use limit::{is_limit, unrecorded};
pub(super) use words::{LEFT_BY_BREAK, is_left_by_break, what_changed, without_stack_values};
