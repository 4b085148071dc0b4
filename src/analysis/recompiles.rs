//! The compiles of a function in a row: what changed from each to the next.

use super::{Change, ChangeKind, classify};
use crate::model::{Compile, CompileIndex, Failure, Function, Model, Reason};
use crate::trace::{CompileId, FrameId};
use fxhash::{FxHashMap, FxHashSet};
use indexmap::IndexMap;

/// A function that was compiled more than once, with its compiles.
#[derive(Debug, Clone)]
pub struct Chain<'m> {
    /// What the log says of the function.
    pub function: Option<&'m Function>,
    /// Its compiles in the order of the log, the first one among them.
    pub steps: Vec<Step<'m>>,
    /// What changed most often: the kind, and the expression where the guards name one.
    pub lead: Option<(ChangeKind, Option<String>)>,
    /// The values of that expression in order, as far as guards tell them.
    pub values: Vec<String>,
    /// Microseconds of all compiles but the first; None where no record tells any.
    pub us: Option<f64>,
    /// Whether the function reached the limit of recompilations.
    pub limit_hit: bool,
    /// Versions that were compiled. The first may stand in another log: that of the process which forked this one.
    pub versions: usize,
}

/// A thing that changed between compiles of a function.
#[derive(Debug)]
pub struct Subject<'c> {
    /// What kind of thing; None where the log gives no reason.
    pub kind: Option<ChangeKind>,
    /// Its expression, where the guards name one.
    pub name: Option<String>,
    /// Its changes, in order.
    pub changes: Vec<&'c Change>,
}

impl Subject<'_> {
    /// Its values, first to last, as far as guards tell them.
    pub fn values(&self) -> Vec<String> {
        let mut values: Vec<String> = Vec::new();
        for change in &self.changes {
            values.extend(change.old.clone().filter(|old| !values.contains(old)));
            values.extend(change.new.clone().filter(|new| values.last() != Some(new)));
        }
        values
    }

    /// The tensor or value, without the property that changed.
    pub fn source(&self) -> Option<&str> {
        self.changes.first()?.source.as_deref()
    }
}

/// A compile of a chain.
#[derive(Debug, Clone)]
pub struct Step<'m> {
    /// The compile.
    pub compile: CompileIndex,
    /// Guards of older compiles that failed, latest first; empty for a first compile and where none is recorded.
    pub reasons: Vec<&'m Reason>,
    /// What the first of the reasons says.
    pub change: Option<Change>,
    /// The older compile of that reason.
    pub against: Option<CompileIndex>,
    /// Whether this is the compile that the limit stopped.
    pub over_limit: bool,
}

impl Chain<'_> {
    /// Compiles beyond the first.
    pub fn recompiles(&self) -> usize {
        self.steps.len().saturating_sub(1)
    }

    /// Asks `tell` for the values that arrived where no reason has them, with the compile and the expression: its own
    /// guards may.
    ///
    /// # Errors
    /// Those of `tell`.
    pub fn complete<E>(
        &mut self,
        mut tell: impl FnMut(CompileIndex, &str) -> Result<Option<String>, E>,
    ) -> Result<(), E> {
        for step in &mut self.steps {
            let Some(change) = step.change.as_mut().filter(|change| change.kind == ChangeKind::PythonValue)
            else {
                continue;
            };
            if let (None, Some(source)) = (&change.new, change.source.as_deref()) {
                let new = tell(step.compile, source)?;
                change.new = new.filter(|new| Some(new) != change.old.as_ref());
            }
        }
        self.values = self.lead_values();
        Ok(())
    }

    /// Versions that torch keeps.
    pub fn kept(&self) -> usize {
        self.versions - self.steps.iter().filter(|step| step.over_limit).count().min(self.versions)
    }

    /// Its compiles.
    pub fn compiles(&self) -> Vec<CompileIndex> {
        self.steps.iter().map(|step| step.compile).collect()
    }

    /// The distinct things that changed, what changed most often first.
    pub fn subjects(&self) -> Vec<Subject<'_>> {
        let mut subjects: IndexMap<(Option<ChangeKind>, Option<String>), Vec<&Change>> = IndexMap::new();
        for (at, step) in self.steps.iter().enumerate() {
            match &step.change {
                Some(change) => {
                    subjects.entry((Some(change.kind), change.subject())).or_default().push(change);
                }
                None if at > 0 && !step.over_limit => {
                    subjects.entry((None, None)).or_default();
                }
                None => {}
            }
        }
        let all = subjects.into_iter();
        let mut all: Vec<Subject<'_>> =
            all.map(|((kind, name), changes)| Subject { kind, name, changes }).collect();
        all.sort_by_key(|subject| (subject.kind.is_none(), std::cmp::Reverse(subject.changes.len())));
        all
    }

    fn lead(&self) -> Option<(ChangeKind, Option<String>)> {
        self.subjects().into_iter().find_map(|subject| Some((subject.kind?, subject.name)))
    }

    fn lead_values(&self) -> Vec<String> {
        self.subjects().first().map(Subject::values).unwrap_or_default()
    }
}

/// Versions of a function that torch keeps unless the log says otherwise: `torch._dynamo.config.recompile_limit`.
const USUAL_LIMIT: u64 = 8;

/// Versions of a function that torch keeps before it gives up.
pub fn recompile_limit(model: &Model) -> u64 {
    model.recompile_limit.unwrap_or(USUAL_LIMIT).max(1)
}

/// Whether a failure says that a function was compiled too often. Since 2.15 its text does; before, the name of the
/// exception.
pub(super) fn is_limit(failure: &Failure) -> bool {
    let first = failure.reason.as_deref().and_then(|reason| reason.lines().next()).unwrap_or_default();
    let words = ["recompile_limit", "recompile limit", "cache_size_limit"];
    failure.error.contains("RecompileLimit") || words.iter().any(|word| first.contains(word))
}

/// The functions that were compiled again: those over the limit first, then by time.
pub(super) fn recompile_chains(model: &Model) -> Vec<Chain<'_>> {
    let mut frames: IndexMap<FrameId, Vec<CompileIndex>> = IndexMap::new();
    for (index, compile) in model.compiles.indexed() {
        if let Some(id) = compile.id.as_ref().filter(|id| id.has_frame()) {
            frames.entry(id.frame()).or_default().push(index);
        }
    }
    let mut reasons: FxHashMap<CompileIndex, Vec<&Reason>> = FxHashMap::default();
    for one in &model.recompiles {
        if let Some(index) = model.by_id.get(&one.compile) {
            reasons.entry(*index).or_default().extend(&one.reasons);
        }
    }
    let over = over_limit(model);
    let again = |compiles: &[CompileIndex]| {
        compiles.len() > 1 || compiles.iter().any(|c| reasons.contains_key(c) || over.contains(c))
    };
    let rows = frames.into_values().filter(|compiles| again(compiles));
    let mut chains: Vec<Chain<'_>> = rows.map(|compiles| chain(model, &compiles, &reasons, &over)).collect();
    chains.sort_by(|a, b| {
        let us = |chain: &Chain<'_>| chain.us.unwrap_or(0.0);
        b.limit_hit.cmp(&a.limit_hit).then(us(b).total_cmp(&us(a)))
    });
    chains
}

/// Compiles that torch refused because their function has too many already.
fn over_limit(model: &Model) -> FxHashSet<CompileIndex> {
    let failed = model.failures.iter().filter(|failure| is_limit(failure));
    failed.filter_map(|failure| model.by_id.get(&failure.compile).copied()).collect()
}

fn chain<'m>(
    model: &'m Model,
    compiles: &[CompileIndex],
    reasons: &FxHashMap<CompileIndex, Vec<&'m Reason>>,
    over: &FxHashSet<CompileIndex>,
) -> Chain<'m> {
    let steps = compiles.iter().map(|&compile| {
        let reasons = reasons.get(&compile).cloned().unwrap_or_default();
        let first = reasons.first();
        let against = first.and_then(|reason| CompileId::parse(reason.against.as_deref()?));
        Step {
            compile,
            change: first.map(|reason| classify(&reason.text)),
            against: against.and_then(|id| model.by_id.get(&Some(id)).copied()),
            over_limit: over.contains(&compile),
            reasons,
        }
    });
    let mut steps: Vec<Step<'_>> = steps.collect();
    fill_new_values(model, &mut steps);
    let of = |index: &CompileIndex| model.compiles.get(*index);
    let again = compiles.iter().skip(1).filter_map(of).filter_map(Compile::compile_us);
    let mut chain = Chain {
        function: compiles.iter().filter_map(of).find_map(|compile| compile.function.as_ref()),
        values: Vec::new(),
        us: again.fold(None, |sum: Option<f64>, us| Some(sum.unwrap_or(0.0) + us)),
        limit_hit: steps.iter().any(|step| step.over_limit),
        lead: None,
        versions: versions(model, compiles),
        steps,
    };
    chain.lead = chain.lead();
    chain.values = chain.lead_values();
    chain
}

/// Compiled versions by the number in the ids. A damaged id may name any number.
fn versions(model: &Model, compiles: &[CompileIndex]) -> usize {
    let number = |index: &CompileIndex| model.compiles.get(*index)?.id.as_ref()?.version()?.try_into().ok();
    let by_id = compiles.iter().filter_map(number).max().map_or(0, |last: usize| last.saturating_add(1));
    by_id.min(compiles.len() * 2).max(compiles.len())
}

/// A guard of Python names the value it wanted, not the one that came. The new compile guards on that one: where its
/// guard failed in turn, the log has it.
fn fill_new_values(model: &Model, steps: &mut [Step<'_>]) {
    let mut guarded: FxHashMap<&str, Vec<Change>> = FxHashMap::default();
    for reason in steps.iter().flat_map(|step| &step.reasons) {
        let Some(against) = reason.against.as_deref() else { continue };
        guarded.entry(against).or_default().push(classify(&reason.text));
    }
    for step in steps {
        let Some(change) = step.change.as_mut().filter(|change| change.new.is_none()) else { continue };
        let Some(label) = model.compiles.get(step.compile).map(Compile::label) else { continue };
        let later = guarded.get(label.as_str()).into_iter().flatten();
        let mut same = later
            .filter(|c| (c.kind, &c.source, c.dimension) == (change.kind, &change.source, change.dimension));
        change.new = same.find_map(|c| c.old.clone()).filter(|new| Some(new) != change.old.as_ref());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Recompile;

    fn model(reasons: &[(&str, &[(&str, &str)])]) -> Model {
        let mut model = Model::default();
        for (id, reasons) in reasons {
            let id = CompileId::parse(id);
            model.compile_index(id.as_ref());
            let reason = |(against, text): &(&str, &str)| Reason {
                against: Some((*against).to_owned()),
                text: (*text).to_owned(),
                ..Reason::default()
            };
            if !reasons.is_empty() {
                model
                    .recompiles
                    .push(Recompile { compile: id, reasons: reasons.iter().map(reason).collect() });
            }
        }
        model
    }

    #[test]
    fn the_guards_of_later_compiles_tell_the_values_that_arrived() {
        let model = model(&[
            ("0/0", &[]),
            ("2/0", &[]),
            ("2/1", &[("2/0", "k == 1")]),
            ("2/2", &[("2/1", "k == 2"), ("2/0", "k == 1")]),
        ]);
        let chains = recompile_chains(&model);
        assert_eq!(chains.len(), 1);
        assert_eq!(chains[0].values, ["1", "2"]);
        assert_eq!(chains[0].steps.iter().map(|s| s.compile).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(chains[0].steps[1].change.as_ref().unwrap().new.as_deref(), Some("2"));
        assert_eq!(chains[0].steps[2].change.as_ref().unwrap().new, None);
        assert_eq!(chains[0].steps[2].against, Some(CompileIndex::new(2)));
    }

    #[test]
    fn a_function_over_the_limit_comes_first_and_one_without_a_reason_is_listed() {
        let size = "tensor 'x' size mismatch at index 0. expected 2, actual 3";
        let mut model = model(&[("0/0", &[]), ("0/1", &[]), ("1/0", &[]), ("1/1", &[("1/0", size)])]);
        model.failures.push(Failure {
            compile: CompileId::parse("1/1"),
            kind: "forward",
            error: "Unsupported".to_owned(),
            reason: Some("exceeding the recompile_limit cache size limit (currently set to 8)".to_owned()),
            file: None,
            line: None,
            record: 1,
        });
        let chains = recompile_chains(&model);
        assert!(chains[0].limit_hit && !chains[1].limit_hit);
        assert_eq!((chains[0].recompiles(), chains[0].kept()), (1, 1));
        assert_eq!(chains[0].lead, Some((ChangeKind::Size, Some("x.shape[0]".to_owned()))));
        assert_eq!(chains[0].values, ["2", "3"]);
        assert_eq!(chains[1].lead, None);
    }
}
