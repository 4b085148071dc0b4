//! Advice on each kind, for chains made of one guard.

use super::literals::{Operations, Values};
use super::*;
use crate::analysis::guard_texts::GuardTexts;
use crate::analysis::recompiles::chain::Cause;
use crate::analysis::recompiles::change::Change;
use crate::analysis::recompiles::guard_kinds::classify;
use crate::analysis::recompiles::limit::{Limit, is_limit, limit_of};
use crate::cases::hold_parts;
use crate::model::{Failure, TensorDescription};

fn advice_on(changes: Vec<Change>) -> String {
    let steps = changes.into_iter().map(|change| Step {
        changes: vec![change.clone()],
        closest: Some(0),
        cause: Some(Cause { kind: change.kind, expected: change.kind.is_expected() }),
        change: Some(change),
        ..Step::default()
    });
    let steps: Vec<Step<'_>> = steps.collect();
    let chain = Chain { versions: steps.len() + 1, steps, ..Chain::default() };
    let model = Model::default();
    // Where nothing tells that a version was refused, no version has sizes.
    let advice = recompile_advice(&Callers::of(&model), &GuardTexts::default(), &chain);
    advice.iter().map(|one| format!("{} {}", one.text, one.code.as_deref().unwrap_or_default())).collect()
}

#[test]
fn each_failed_guard_has_the_advice_of_its_row() {
    let rows = include_str!("cases.txt").lines().filter(|row| !row.is_empty() && !row.starts_with('#'));
    for row in rows {
        let (guards, parts) = row.split_once(" => ").expect(row);
        let became_dynamic = guards.starts_with("dynamic: ");
        let is_own_effect = guards.starts_with("sets itself: ");
        let guards = guards.trim_start_matches("dynamic: ").trim_start_matches("sets itself: ");
        let changes =
            guards.split(" ¦ ").map(|guard| Change { became_dynamic, is_own_effect, ..classify(guard) });
        let text = advice_on(changes.collect());
        for part in parts.split(" ¦ ") {
            match part.strip_prefix('!') {
                Some(absent) => assert!(!text.contains(absent), "{row}: {text}"),
                None if part == "nothing" => assert_eq!(text.trim(), "", "{row}"),
                None => assert!(text.contains(part), "{row}: {text}"),
            }
        }
    }
}

#[test]
fn texts_and_numbers_are_read_as_their_rows_say() {
    hold_parts(include_str!("texts.txt"), |query, parts| {
        let [one, two] = [0, 1].map(|at| parts.get(at).map_or("", |part| part.trim_end_matches(" ¦")));
        vec![match query {
            "limit" => {
                let failure = Failure { error: one.into(), reason: Some(two.into()), ..Failure::default() };
                format!("{:?}", if is_limit(&failure) { limit_of(&failure) } else { Limit::NotReached })
            }
            "likeness" => {
                let graph =
                    |text: &str| Operations::parse(&format!("  # File: a.py:{}\n  {text}\n", text.len()));
                let values = Values { one: "1", other: "2", is_shifted: false };
                format!("{:?}", graph(one).unwrap().likeness(&graph(two).unwrap(), values))
            }
            _ => {
                let numbers = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
                let (sizes, strides) = (numbers(one), Some(numbers(two)));
                let tensor = TensorDescription { sizes, strides, ..TensorDescription::default() };
                format!("{:?}", layouts::layout(&tensor).unwrap())
            }
        }]
    });
}
