//! Advice for a function that is recompiled.

use super::advice_kinds::{Situation, advice_of};
use super::chain::Chain;
use super::kind::ChangeKind;
use super::limit::Limit;
use super::sizes::size_condition;
use super::subject::Subject;
use crate::analysis::user_place::UserPlace;
use crate::model::words::file_name;
use crate::model::{CompileIndex, Model, Specialization};
use fxhash::FxHashSet;

/// Changed things that get advice.
const SUBJECTS: usize = 4;

/// What to do, most relevant first; code is in backquotes.
pub(super) fn recompile_advice(model: &Model, chain: &Chain<'_>) -> Vec<String> {
    let mut advice: Vec<String> = Vec::new();
    let compiles = chain.compiles();
    let subjects = chain.subjects();
    for subject in subjects.iter().take(SUBJECTS) {
        match fixed(model, &compiles, subject) {
            Some(one) => advice.push(keep_dynamic(model, one)),
            None => advice.push(advice_of(&Situation { model, chain, subject })),
        }
    }
    let is_size =
        |subject: &&Subject<'_>| matches!(subject.kind, Some(ChangeKind::Size | ChangeKind::Number));
    let sources = model.dynamic_sources.iter().rfind(|(at, _)| compiles.binary_search(at).is_ok());
    if let Some((_, sources)) = sources.filter(|_| subjects.iter().any(|subject| is_size(&subject))) {
        let sources = format!("`TORCH_COMPILE_DYNAMIC_SOURCES={sources}`");
        advice.push(format!("Without a change of the program: set {sources} before it starts."));
    }
    if chain.limit == Limit::Raises {
        advice.push(
            "`fail_on_recompile_limit_hit` is set, so reaching the limit raises instead of running in eager mode."
                .to_owned(),
        );
    }
    let mut seen = FxHashSet::default();
    advice.retain(|line| !line.is_empty() && seen.insert(line.clone()));
    advice
}

/// The specialization that made a dynamic size of these compiles a constant. The compiles must be sorted.
pub(in crate::analysis) fn fixed<'m>(
    model: &'m Model,
    compiles: &[CompileIndex],
    subject: &Subject<'_>,
) -> Option<&'m Specialization> {
    let name = subject.name.as_deref()?;
    let specializations = model.shapes.specializations.iter();
    let mut mine = specializations.filter(|one| compiles.binary_search(&one.at.compile).is_ok());
    mine.find(|one| one.sources.iter().any(|source| size_as_written(source) == name))
}

/// `L['x'].size()[0]` as `x.shape[0]`.
pub(in crate::analysis) fn size_as_written(source: &str) -> String {
    size_condition(source).written
}

fn keep_dynamic(model: &Model, one: &Specialization) -> String {
    let place = UserPlace::of_specialization(model, one);
    let line = place.line.map_or_else(String::new, |line| format!(":{line}"));
    let file = place.file.as_deref().map_or("?", file_name);
    let code = place.loc.map_or_else(String::new, |loc| format!(", `{}`", loc.trim()));
    format!("To keep it dynamic, change the line that needs the number: {file}{line}{code}.")
}
