//! A change to give advice on.

use super::super::chain::{Chain, Step};
use super::super::subject::ChangedThing;
use crate::analysis::guard_texts::GuardTexts;
use crate::model::{Model, Reason};

/// A change to give advice on.
#[derive(Clone, Copy)]
pub(super) struct Situation<'s> {
    /// The log.
    pub model: &'s Model,
    /// Guard trees and graphs of the function.
    pub texts: &'s GuardTexts,
    /// The function and all its compiles.
    pub chain: &'s Chain<'s>,
    /// What changed.
    pub subject: &'s ChangedThing<'s>,
}

impl<'s> Situation<'s> {
    /// The steps of the chain that this compiled again.
    pub fn steps(&self) -> impl Iterator<Item = &'s Step<'s>> + use<'s> {
        let subject = self.subject;
        let steps = self.chain.steps.iter();
        steps.filter(|step| step.change.as_ref().is_some_and(|change| subject.is_of(change)))
    }

    /// Why they were compiled.
    pub fn reasons(&self) -> impl Iterator<Item = &'s Reason> + use<'s> {
        self.steps().filter_map(Step::reason)
    }
}
