//! A change to give advice on, with what the log says about it.

use super::super::cause::is_another_module;
use super::super::chain::{Chain, Step};
use super::super::change::Change;
use super::super::subject::ChangedThing;
use super::words::compiles_become;
use crate::analysis::guard_texts::GuardTexts;
use crate::model::Model;

/// A change to give advice on.
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
    /// The variable in backquotes, or other words.
    pub fn named(&self, otherwise: &str) -> String {
        self.subject.source().map_or_else(|| otherwise.to_owned(), |source| format!("`{source}`"))
    }

    /// The expression in backquotes, or other words.
    pub fn subject(&self, otherwise: &str) -> String {
        self.subject.name.as_deref().map_or_else(|| otherwise.to_owned(), |name| format!("`{name}`"))
    }

    /// The steps of the chain that this compiled again.
    pub fn steps(&self) -> impl Iterator<Item = &Step<'s>> {
        self.chain.steps.iter().filter(|step| {
            let change = step.change.as_ref();
            change.is_some_and(|change| {
                Some(change.kind) == self.subject.kind && change.subject() == self.subject.name
            })
        })
    }

    pub fn change(&self) -> Option<&Change> {
        self.subject.changes.first().copied()
    }

    pub fn is_another_module(&self) -> bool {
        let first = self.chain.steps.first().map(|step| step.compile);
        first
            .zip(self.change())
            .is_some_and(|(compile, change)| is_another_module(self.model, compile, change))
    }

    pub fn condition(&self) -> &str {
        self.change().and_then(|change| change.condition.as_deref()).unwrap_or("the condition")
    }

    /// What becomes of the compiles if this is the only thing that changed and nothing broke, so that one change of the
    /// program leaves `after` of them.
    pub fn alone_becomes(&self, after: usize) -> Option<String> {
        let mut changes = self.chain.steps.iter().filter_map(|step| step.change.as_ref());
        let is_alone = changes
            .all(|change| Some(change.kind) == self.subject.kind && change.subject() == self.subject.name);
        let broke = !self.model.graph_breaks.is_empty();
        let before = self.chain.versions;
        (is_alone && !broke && before > after).then(|| compiles_become(before, after))
    }
}
