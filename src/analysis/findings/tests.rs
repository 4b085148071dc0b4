//! What is found in small logs: `cases.txt`.

use super::failures::why;
use super::finding::{Finding, Value};
use super::kind::KindFacts;
use super::rules::Told;
use super::{Basis, KindOfFinding, checked, prose};
use crate::analysis::ledger::Ledger;
use crate::analysis::sketch::Sketch;
use crate::analysis::{Spans, Split, time};
use crate::cases::hold;
use crate::model::{CompileIndex, Model};

pub(super) fn of_log(sketch: &Sketch) -> Vec<Finding> {
    let model = &sketch.model;
    let spans = Spans::of(model);
    let ledger = Ledger::new(model, &Split::of(&spans), &[], time::of_log(&spans).total_s);
    let chains = sketch.chains(&sketch.texts());
    super::of_log(Basis { chains: &chains, ..Basis::of_model(model) }, ledger)
}

/// A finding in a line.
fn told(model: &Model, one: &Finding) -> String {
    let cost = one.cost.as_ref().map(|cost| format!(" | {} us {}", cost.us, cost.kind.word()));
    let place =
        one.place.file.as_ref().map(|file| format!(" | {file}:{}", one.place.line.unwrap_or_default()));
    let id = |index: &CompileIndex| format!(" {}", model.compiles[index.place()].label());
    format!(
        "{} {}: {} | {} times | in{}{}{}",
        one.severity.word(),
        one.kind.word(),
        one.title,
        one.count,
        one.compiles.iter().map(id).collect::<String>(),
        cost.unwrap_or_default(),
        place.unwrap_or_default()
    )
}

/// All that it says beyond that, a line each.
fn said(one: &Finding) -> Vec<String> {
    let fact = |value: &Value| match value {
        Value::Prose(text) | Value::Change(text) => text.clone(),
        Value::Code(lines) => lines.join("; "),
        Value::Chain(steps) => format!("{steps:?}"),
    };
    let facts = one.facts.iter().map(|one| format!("{}: {}", one.label, fact(&one.value)));
    let costs =
        one.cost_parts.iter().map(|part| format!("cost: {} us {}, {}", part.us, part.kind.word(), part.what));
    let advice = one.advice.iter().map(|one| format!("advice: {}", one.text));
    let stack = one.stack.iter().map(|frame| format!("stack: {}:{}", frame.function, frame.line));
    let detail = one.detail.iter().map(|detail| format!("detail: {detail}"));
    let place = one.place.loc.iter().map(|loc| format!("place: {loc}"));
    detail.chain(facts).chain(costs).chain(advice).chain(stack).chain(place).collect()
}

#[test]
fn each_log_has_the_findings_of_its_case() {
    for case in include_str!("cases.txt").split("\n\n").skip(1) {
        let sketch = Sketch::parse(case);
        let all = of_log(&sketch);
        let mut found = all.iter();
        let mut says = Vec::new();
        for line in case.lines().filter(|line| line.starts_with(['=', '+', '!'])) {
            let (sign, text) = line.split_once(' ').unwrap();
            let is_said = says.iter().any(|said: &String| said.contains(text));
            match (sign, found.as_slice().first()) {
                ("=", Some(next)) => {
                    assert_eq!(told(&sketch.model, next), text, "{case}");
                    says = said(next);
                    found.next();
                }
                ("+", _) => assert!(is_said, "{line}: {says:?}"),
                ("!", _) => assert!(!is_said, "{line}: {says:?}"),
                _ => panic!("{case}: not found: {text}"),
            }
        }
        let more: Vec<String> = found.map(|one| told(&sketch.model, one)).collect();
        assert!(more.is_empty(), "{case}: also found: {more:?}");
    }
}

#[test]
fn texts_of_torch_are_read_as_their_rows_say() {
    hold(include_str!("texts.txt"), |reader, text| {
        let text = &text.replace("\\n", "\n");
        let found = match reader {
            "short reason" => Some(prose::short_reason(text)),
            "failure" => Told::of_compile("TorchRuntimeError", text).plain(),
            "another failure" => Told::of_compile("InductorError", text).plain(),
            error => Some(why(error, text)),
        };
        Some(found?.text().to_string())
    });
}

#[test]
fn more_than_ten_of_one_reason_are_one_and_ten_are_ten() {
    for (count, entries) in [(10, 10), (11, 1)] {
        let line = |n: u64| format!("compile {n}/0 f{n}\nbreak {n}/0 {n}\n");
        let found = of_log(&Sketch::parse(&(0..count).map(line).collect::<String>()));
        assert_eq!(found.len(), entries);
        assert_eq!(found.iter().map(|one| one.count).sum::<u64>(), count);
    }
}

#[test]
fn each_kind_has_its_entry_and_a_name_of_its_own() {
    let entries: std::collections::BTreeMap<String, KindFacts> =
        toml::from_str(include_str!("kinds.toml")).unwrap();
    assert_eq!(entries.len(), KindOfFinding::ALL.len());
    let names: std::collections::BTreeSet<_> = KindOfFinding::of_logs().map(KindOfFinding::label).collect();
    assert_eq!(names.len(), KindOfFinding::of_logs().count(), "{names:?}");
    assert!(
        KindOfFinding::ALL.iter().all(|kind| entries.contains_key(kind.word()) && !kind.label().is_empty())
    );
}

#[test]
fn a_clean_log_is_told_what_each_kind_checks_that_it_could_show() {
    let model = Model::default();
    let sentence = checked(&[], &model);
    assert!(sentence.starts_with("No ") && sentence.ends_with('.'), "{sentence}");
    assert_eq!(sentence.matches(" or ").count(), 1, "{sentence}");
    for kind in KindOfFinding::of_logs() {
        let says = |checks| sentence.contains(checks) == kind.would_show(&model);
        assert!(kind.facts().checked.as_deref().is_none_or(says), "{kind:?}: {sentence}");
    }
}

#[test]
fn a_log_with_an_expected_recompile_is_not_told_that_it_has_none() {
    let sketch = Sketch::parse(
        "compile 0/0 f\ncompile 0/1 f\nagain 0/1 tensor 'x' dtype mismatch. expected Float, actual Double",
    );
    let sentence = checked(&of_log(&sketch), &sketch.model);
    assert!(!sentence.contains("recompilation") && sentence.contains("graph break"), "{sentence}");
}
