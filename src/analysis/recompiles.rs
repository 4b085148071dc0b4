//! The compiles of a function in a row: what changed from each to the next.

use super::functions::{frame_of, is_capture};
use super::{Change, ChangeKind, classify};
use crate::model::{Compile, Function, Model, Reason};
use crate::trace::CompileId;
use fxhash::FxHashMap;
use indexmap::IndexMap;

/// A function that was compiled more than once, with its compiles.
#[derive(Debug)]
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
}

/// A compile of a chain.
#[derive(Debug)]
pub struct Step<'m> {
    /// Index of the compile in the model.
    pub compile: usize,
    /// Guards of older compiles that failed, latest first; empty for a first compile and where none is recorded.
    pub reasons: Vec<&'m Reason>,
    /// What the first of the reasons says.
    pub change: Option<Change>,
    /// The older compile of that reason.
    pub against: Option<usize>,
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
        mut tell: impl FnMut(usize, &str) -> Result<Option<String>, E>,
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
        self.values = self.lead.as_ref().map(|lead| values(&self.steps, lead)).unwrap_or_default();
        Ok(())
    }

    /// Compiles that gave code.
    pub fn kept(&self) -> usize {
        self.steps.iter().filter(|step| !step.over_limit).count()
    }
}

/// The functions that were compiled again: those over the limit first, then by time.
pub fn recompile_chains(model: &Model) -> Vec<Chain<'_>> {
    let mut frames: IndexMap<String, Vec<usize>> = IndexMap::new();
    for (index, compile) in model.compiles.iter().enumerate() {
        let label = compile.label();
        if compile.id.is_some() && label.contains('/') && !is_capture(compile) {
            frames.entry(frame_of(&label).to_owned()).or_default().push(index);
        }
    }
    let mut reasons: FxHashMap<usize, Vec<&Reason>> = FxHashMap::default();
    for one in &model.recompiles {
        if let Some(index) = model.by_id.get(&one.compile) {
            reasons.entry(*index).or_default().extend(&one.reasons);
        }
    }
    let again = |compiles: &[usize]| compiles.len() > 1 || compiles.iter().any(|c| reasons.contains_key(c));
    let over = over_limit(model);
    let rows = frames.into_values().filter(|compiles| again(compiles));
    let mut chains: Vec<Chain<'_>> = rows.map(|compiles| chain(model, &compiles, &reasons, &over)).collect();
    chains.sort_by(|a, b| {
        let us = |chain: &Chain<'_>| chain.us.unwrap_or(0.0);
        b.limit_hit.cmp(&a.limit_hit).then(us(b).total_cmp(&us(a)))
    });
    chains
}

/// Compiles that torch refused because their function has too many already. Since 2.15 the failure says so; before,
/// the name of the exception does.
fn over_limit(model: &Model) -> Vec<usize> {
    let is_limit = |text: &str| text.contains("recompile_limit") || text.contains("cache_size_limit");
    let failed = model.failures.iter().filter(|failure| {
        failure.error.contains("RecompileLimit") || failure.reason.as_deref().is_some_and(is_limit)
    });
    failed.filter_map(|failure| model.by_id.get(&failure.compile).copied()).collect()
}

fn chain<'m>(
    model: &'m Model,
    compiles: &[usize],
    reasons: &FxHashMap<usize, Vec<&'m Reason>>,
    over: &[usize],
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
    let of = |index: &usize| model.compiles.get(*index);
    let again = compiles.iter().skip(1).filter_map(of).filter_map(Compile::compile_us);
    let lead = lead(&steps);
    Chain {
        function: compiles.iter().filter_map(of).find_map(|compile| compile.function.as_ref()),
        values: lead.as_ref().map(|lead| values(&steps, lead)).unwrap_or_default(),
        us: again.fold(None, |sum: Option<f64>, us| Some(sum.unwrap_or(0.0) + us)),
        limit_hit: steps.iter().any(|step| step.over_limit),
        lead,
        steps,
    }
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

/// What changed most often; of several the first.
fn lead(steps: &[Step<'_>]) -> Option<(ChangeKind, Option<String>)> {
    let mut counts: IndexMap<(ChangeKind, Option<String>), usize> = IndexMap::new();
    for change in steps.iter().filter_map(|step| step.change.as_ref()) {
        *counts.entry((change.kind, change.subject())).or_default() += 1;
    }
    let most = counts.values().copied().max()?;
    counts.into_iter().find(|(_, count)| *count == most).map(|(lead, _)| lead)
}

fn values(steps: &[Step<'_>], (kind, subject): &(ChangeKind, Option<String>)) -> Vec<String> {
    let changes = steps.iter().filter_map(|step| step.change.as_ref());
    let mut changes = changes.filter(|c| c.kind == *kind && c.subject() == *subject).peekable();
    let first = changes.peek().and_then(|change| change.old.clone());
    first.into_iter().chain(changes.filter_map(|change| change.new.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Failure, Recompile};

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
        assert_eq!(chains[0].steps[2].against, Some(2));
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
