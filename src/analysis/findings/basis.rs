//! What a family of findings is made of, and what it may read.

use super::finding::Finding;
use super::kind::KindOfFinding;
use crate::analysis::Chain;
use crate::analysis::builds::Builds;
#[cfg(test)]
use crate::analysis::one_offs::one_offs;
use crate::analysis::performance::Performance;
use crate::model::Model;

/// What findings are drawn from: the facts of a log, and what was already worked out from them.
#[derive(Clone, Copy)]
pub struct Basis<'m> {
    /// The facts.
    pub model: &'m Model,
    /// The functions that were compiled again.
    pub chains: &'m [Chain<'m>],
    /// What a trace of torch.profiler tells.
    pub performance: Option<&'m Performance>,
    /// What was built.
    pub builds: &'m Builds,
}

#[cfg(test)]
impl<'m> Basis<'m> {
    /// A log of which nothing but its model is known.
    pub(super) fn of_model(model: &'m Model) -> Basis<'m> {
        let builds = Box::leak(Box::new(Builds::of(model, &one_offs(model))));
        Basis { model, chains: &[], performance: None, builds }
    }
}

/// Kinds of findings that are found together.
pub(super) struct Family {
    /// Its kinds, in the order in which the sentence on what was checked names them.
    pub(super) kinds: &'static [&'static KindOfFinding],
    /// Its findings in the order of the log.
    pub(super) of_log: fn(Basis<'_>) -> Vec<Finding>,
}
