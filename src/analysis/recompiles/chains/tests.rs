//! Chains of small logs: `cases.txt`.

use super::*;
use crate::analysis::recompiles::words::{disagreement, what_changed};
use crate::analysis::sketch::Sketch;
use crate::model::Sentence;

/// A chain and its compiles, a line each.
fn told(model: &Model, chain: &Chain<'_>) -> Vec<String> {
    let label = |index: CompileIndex| model.compiles[index.place()].label();
    let title = Sentence::joined(chain.subjects().iter().map(what_changed), "; ");
    let limit = if chain.limit_hit() { ", over the limit" } else { "" };
    let lead = chain.lead.as_ref().map_or("nothing", |(_, name)| name.as_deref().unwrap_or("no name"));
    let values = Some(chain.values.join(", ")).filter(|values| !values.is_empty());
    let values = values.map(|values| format!(", values {values}")).unwrap_or_default();
    let versions = (chain.recompiles(), chain.cached_versions());
    let step = |step: &Step<'_>| {
        let Some((change, cause)) = step.change.as_ref().zip(step.cause) else {
            return format!("> {}: first", label(step.compile));
        };
        let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "?".to_owned());
        format!(
            "> {}: {:?}, {}, {} -> {} against {}{}{}",
            label(step.compile),
            cause.kind,
            if cause.expected { "expected" } else { "not expected" },
            value(&change.old),
            value(&change.new),
            step.against.map_or_else(|| "?".to_owned(), label),
            if change.is_own_effect { ", set by the code itself" } else { "" },
            disagreement(step).map(|words| format!(", {words}")).unwrap_or_default()
        )
    };
    let first = format!("= {versions:?}{limit}, {lead}: {title}{values}");
    std::iter::once(first).chain(chain.steps.iter().map(step)).collect()
}

#[test]
fn each_log_has_the_chains_of_its_case() {
    for case in include_str!("cases.txt").split("\n\n").skip(1) {
        let sketch = Sketch::parse(case);
        let texts = sketch.texts();
        let chains = sketch.chains(&texts);
        let signed = |signs: &'static [char]| case.lines().filter(move |line| line.starts_with(signs));
        let found: Vec<String> = chains.iter().flat_map(|chain| told(&sketch.model, chain)).collect();
        assert_eq!(found, signed(&['=', '>']).collect::<Vec<_>>(), "{case}");
        let advice: String =
            chains.iter().flat_map(|chain| &chain.advice).map(|one| one.text.as_str()).collect();
        for line in signed(&['+', '!']) {
            let (sign, text) = line.split_once(' ').unwrap();
            assert_eq!(advice.contains(text), sign == "+", "{line}: {advice}");
        }
    }
}
