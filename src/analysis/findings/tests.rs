use super::cost::CostKind;
use super::finding::{Fact, Finding, Severity, Value};
use super::{Basis, checked, kinds};
use crate::analysis::ledger::Ledger;
use crate::analysis::recompiles::recompile_chains;
use crate::analysis::{Split, break_costs, time};
use crate::model::{
    ArtifactIndex, BreakOccurrence, CompileIndex, Failure, Function, GraphBreak, Metrics, MetricsKind,
    MetricsRecord, Model, ProblemKind, Reason, Recompile, Restart, Status, TextFrame,
};
use crate::trace::{CompileId, Span};

/// A model with compiles of these ids and functions, each of which took a millisecond.
fn model(compiles: &[(&str, &str)]) -> Model {
    let mut model = Model::default();
    for (id, name) in compiles {
        let index = model.compile_index(CompileId::parse(id).as_ref());
        let compile = &mut model.compiles[index];
        compile.status = Status::Ok;
        compile.function =
            Some(Function { name: (*name).to_owned(), file: Some("/app/x.py".into()), line: Some(1) });
        compile.metrics.push(record(
            index.place() as u64 + 1,
            Metrics { dynamo_us: Some(1000.0), ..Metrics::default() },
        ));
    }
    model
}

fn of_log(model: &Model) -> Vec<Finding> {
    let ledger = Ledger::of(model, &Split::of(model), &[], time::of_log(model).total_s);
    super::of_log(Basis { model, chains: &recompile_chains(model) }, ledger)
}

fn record(line: u64, facts: Metrics) -> MetricsRecord {
    MetricsRecord {
        kind: MetricsKind::Forward,
        attempt: 0,
        line,
        header: Span { offset: 0, len: 0 },
        first_line: false,
        configs: Vec::new(),
        facts,
    }
}

fn frame(line: u64, name: &str) -> TextFrame {
    TextFrame {
        file: "/app/x.py".to_owned(),
        line,
        function: name.to_owned(),
        loc: Some(format!("line {line}")),
    }
}

fn break_in(ids: &[&str], line: u64, stack: Vec<TextFrame>) -> GraphBreak {
    // The tests give compiles numbers in order: that of `2/0` has the index 2.
    let index = |id: &&str| CompileIndex::new(id.split('/').next().unwrap().parse().unwrap());
    let one = |compile| BreakOccurrence {
        artifact: ArtifactIndex { compile, artifact: 0 },
        stack: stack.clone().into(),
    };
    let occurrences = ids.iter().map(index).map(one).collect();
    GraphBreak {
        reason: "Data-dependent branching".to_owned(),
        context: None,
        explanation: None,
        debug_context: None,
        hints: Vec::new(),
        gb_id: None,
        url: None,
        file: Some("/app/x.py".to_owned()),
        line: Some(line),
        compiles: ids.iter().map(|id| CompileId::parse(id)).collect(),
        occurrences,
        count: ids.len() as u64,
        stack,
    }
}

fn recompile(id: &str, guard: &str) -> Recompile {
    let reason = Reason { guard: guard.to_owned(), text: guard.to_owned(), ..Reason::default() };
    Recompile { compile: CompileId::parse(id), writer: 1, reasons: vec![reason] }
}

fn failure(id: &str, error: &str, reason: &str, record: u64) -> Failure {
    Failure {
        compile: CompileId::parse(id),
        kind: "forward",
        error: error.to_owned(),
        reason: Some(reason.to_owned()),
        file: None,
        line: None,
        record,
    }
}

fn only(model: &Model, kind: &str) -> Finding {
    let mut found: Vec<Finding> = of_log(model).into_iter().filter(|one| one.kind.word == kind).collect();
    assert_eq!(found.len(), 1, "{kind}");
    found.remove(0)
}

/// Microseconds and kind of its cost.
fn cost(found: &Finding) -> Option<(f64, CostKind)> {
    found.cost.as_ref().map(|cost| (cost.us, cost.kind))
}

/// What its facts say in sentences.
fn said(found: &Finding) -> Vec<String> {
    let text = |fact: &Fact| match &fact.value {
        Value::Prose(text) | Value::Change(text) => Some(text.clone()),
        _ => None,
    };
    found.facts.iter().filter_map(text).collect()
}

#[test]
fn a_log_without_trouble_has_no_finding() {
    assert!(of_log(&model(&[("0/0", "f")])).is_empty());
    assert!(of_log(&Model::default()).is_empty());
}

#[test]
fn a_break_costs_the_attempts_thrown_away_and_the_resume_functions_it_made() {
    let mut model = model(&[
        ("0/0", "outer"),
        ("1/0", "torch_dynamo_resume_in_inner_at_9"),
        ("2/0", "torch_dynamo_resume_in_outer_at_3"),
        ("3/0", "torch_dynamo_resume_in_other_at_3"),
    ]);
    model.compiles[0].metrics[0].facts.wasted_us = Some(500.0);
    model.graph_breaks.push(break_in(&["0/0"], 9, vec![frame(3, "outer"), frame(9, "inner")]));
    let found = only(&model, "graph_break");
    assert_eq!(cost(&found), Some((500.0, CostKind::Wasted)));
    assert!(
        said(&found)[0].starts_with("2 resume functions, 2.0 ms, of which most is needed anyway."),
        "{found:?}"
    );
    assert_eq!(found.place.loc.as_deref(), Some("line 9"));
}

#[test]
fn a_resume_function_belongs_to_the_last_break_before_it() {
    let resume = "torch_dynamo_resume_in_outer_at_3";
    let mut model = model(&[("0/0", "outer"), ("1/0", resume), ("2/0", "outer"), ("3/0", resume)]);
    model.graph_breaks.push(break_in(&["0/0"], 9, vec![frame(3, "outer"), frame(9, "a")]));
    model.graph_breaks.push(break_in(&["2/0"], 12, vec![frame(3, "outer"), frame(12, "b")]));
    let found = of_log(&model);
    assert_eq!(found.iter().map(|one| one.place.line).collect::<Vec<_>>(), [Some(9), Some(12)]);
    let costs = break_costs(&model);
    let resumed: Vec<_> = costs.iter().flatten().flat_map(|hit| &hit.resumes).copied().collect();
    assert_eq!(resumed, [1, 3]);
}

#[test]
fn a_break_that_made_its_compile_fail_is_told_once() {
    let mut model = model(&[("0/0", "f")]);
    model.graph_breaks.push(break_in(&["0/0"], 9, vec![frame(9, "f")]));
    let failed =
        Failure { file: Some("/app/x.py".into()), line: Some(9), ..failure("0/0", "Unsupported", "why", 1) };
    model.failures.push(failed);
    let found = of_log(&model);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].kind.word, cost(&found[0])), ("failure", Some((1000.0, CostKind::Wasted))));
    assert_eq!(found[0].stack, [frame(9, "f")]);
}

#[test]
fn failures_of_one_type_first_line_and_place_are_one() {
    let mut model = model(&[("0/0", "f"), ("0/1", "f"), ("1/0", "g")]);
    model.failures.push(failure("0/0", "a.KeyError", "'x'\nmore", 1));
    model.failures.push(failure("0/1", "a.KeyError", "'x'\nother", 2));
    model.failures.push(failure("1/0", "a.ValueError", "", 3));
    let found = of_log(&model);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].count, 2);
    assert_eq!(found[0].compiles, [0, 1]);
    assert_eq!(found[0].title, "`f` was not compiled: KeyError: 'x'");
    assert_eq!(found[1].title, "`g` was not compiled: ValueError: no reason recorded");
}

#[test]
fn a_chain_names_the_values_and_how_far_the_limit_is() {
    let mut model = model(&[("0/0", "f"), ("0/1", "f"), ("0/2", "f")]);
    model.recompile_limit = Some(4);
    model.recompiles.push(recompile("0/1", "tensor 'x' size mismatch at index 1. expected 4, actual 6"));
    model.recompiles.push(recompile("0/2", "tensor 'x' size mismatch at index 1. expected 6, actual 9"));
    model.dynamic_sources.push((CompileIndex::new(1), "\"L['x']\"".to_owned()));
    let found = only(&model, "recompilation");
    assert_eq!(found.title, "`f` was compiled 3 times: size `x.shape[1]`: 4 -> 6 -> 9");
    assert_eq!(cost(&found), Some((2000.0, CostKind::Avoidable)));
    assert_eq!(
        said(&found),
        ["size `x.shape[1]`: 4 → 6 → 9", "3 of 4 versions kept; 1 more until torch gives up"]
    );
    assert!(found.hints[0].contains("mark_dynamic(x, 1)"), "{:?}", found.hints);
    assert!(found.hints[1].contains("TORCH_COMPILE_DYNAMIC_SOURCES=\"L['x']\""), "{:?}", found.hints);
}

#[test]
fn a_function_over_the_limit_is_an_error_and_its_failure_is_told_with_it() {
    let mut model = model(&[("0/0", "f"), ("0/1", "f")]);
    model.recompiles.push(recompile("0/1", "k == 1"));
    model.failures.push(failure(
        "0/1",
        "torch._dynamo.exc.RecompileLimitExceeded",
        "recompile_limit reached",
        2,
    ));
    let found = of_log(&model);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].kind.word, found[0].severity), ("recompile_limit", Severity::Error));
}

#[test]
fn a_recompile_without_a_reason_says_so() {
    let mut model = model(&[("0/0", "f"), ("0/1", "f")]);
    model.recompiles.push(Recompile { compile: CompileId::parse("0/1"), writer: 1, reasons: Vec::new() });
    assert!(only(&model, "recompilation").title.ends_with("no reason recorded"));
}

#[test]
fn more_than_ten_of_one_reason_are_one_and_ten_are_ten() {
    for (count, entries) in [(10, 10), (11, 1)] {
        let names: Vec<(String, String)> = (0..count).map(|n| (format!("{n}/0"), format!("f{n}"))).collect();
        let names: Vec<(&str, &str)> = names.iter().map(|(id, name)| (id.as_str(), name.as_str())).collect();
        let mut model = model(&names);
        for (n, (id, _)) in names.iter().enumerate() {
            model.graph_breaks.push(break_in(&[id], n as u64, Vec::new()));
        }
        let found = of_log(&model);
        assert_eq!(found.len(), entries);
        assert_eq!(found.iter().map(|one| one.count).sum::<u64>(), count);
    }
}

#[test]
fn damage_stands_first_and_what_is_good_to_know_last() {
    let mut model = model(&[("0/0", "f")]);
    model.compiles[0].metrics[0].facts.guard_latency_us = Some(900.0);
    model.compiles[0].metrics[0].facts.cudagraph_skip_reason = Some("cpu device (x)".to_owned());
    model.compiles[0].metrics[0].facts.runtime_us = Some(5000.0);
    model.failures.push(failure("0/0", "E", "r", 1));
    model.integrity.add(ProblemKind::BadJson, 7, "broken");
    let kinds: Vec<&str> = of_log(&model).iter().map(|one| one.kind.word).collect();
    assert_eq!(kinds, ["damaged_log", "failure", "cudagraph_skip", "runtime_cost", "slow_guards"]);
}

#[test]
fn no_two_kinds_share_a_word_or_a_name() {
    let all: Vec<_> = kinds().collect();
    for names in
        [all.iter().map(|kind| kind.word).collect::<Vec<_>>(), all.iter().map(|kind| kind.label).collect()]
    {
        let distinct: std::collections::BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(distinct.len(), names.len(), "{names:?}");
    }
}

#[test]
fn a_clean_log_is_told_what_each_kind_checks() {
    let sentence = checked(&[]);
    assert!(sentence.starts_with("No ") && sentence.ends_with('.'), "{sentence}");
    assert_eq!(sentence.matches(" or ").count(), 1, "{sentence}");
    for kind in kinds() {
        assert!(kind.checked.is_none_or(|checks| sentence.contains(checks)), "{kind:?}: {sentence}");
    }
}

#[test]
fn a_log_with_an_expected_recompile_is_not_told_that_it_has_none() {
    let mut model = model(&[("0/0", "f"), ("0/1", "f")]);
    model.recompiles.push(recompile("0/1", "tensor 'x' dtype mismatch. expected Float, actual Double"));
    let found = of_log(&model);
    assert_eq!(found[0].severity, Severity::Info, "{}", found[0].title);
    let sentence = checked(&found);
    assert!(!sentence.contains("recompilation") && sentence.contains("graph break"), "{sentence}");
}

#[test]
fn an_attempt_is_charged_once_and_the_other_finding_names_the_first() {
    let mut model = model(&[("0/0", "f"), ("0/1", "f")]);
    model.compiles[1].metrics[0].facts.wasted_us = Some(400.0);
    model.recompiles.push(recompile("0/1", "tensor 'x' size mismatch at index 1. expected 4, actual 6"));
    model.failures.push(failure("0/1", "a.KeyError", "'x'", 2));
    let found = of_log(&model);
    assert_eq!(found.iter().map(|one| one.kind.word).collect::<Vec<_>>(), ["failure", "recompilation"]);
    assert_eq!(found[0].lost_us(), 1000.0);
    assert_eq!(cost(&found[1]), None);
    let elsewhere = found[1].facts.iter().find(|fact| fact.label == "Counted elsewhere").unwrap();
    let Value::Prose(words) = &elsewhere.value else { panic!("{elsewhere:?}") };
    assert_eq!(*words, format!("the time of 0/1 is counted with \"{}\"", found[0].title));
}

#[test]
fn a_break_takes_the_attempts_that_it_threw_away_and_the_recompile_the_rest() {
    let mut model = model(&[("0/0", "f"), ("0/1", "f")]);
    model.compiles[1].metrics[0].facts.wasted_us = Some(400.0);
    model.recompiles.push(recompile("0/1", "tensor 'x' size mismatch at index 1. expected 4, actual 6"));
    let mut broke = break_in(&["0/1"], 9, vec![frame(9, "f")]);
    broke.occurrences[0].artifact.compile = CompileIndex::new(1);
    model.graph_breaks.push(broke);
    assert_eq!(cost(&only(&model, "graph_break")), Some((400.0, CostKind::Wasted)));
    assert_eq!(cost(&only(&model, "recompilation")), Some((600.0, CostKind::Avoidable)));
}

#[test]
fn what_is_expected_is_information_and_stands_last_whatever_it_took() {
    let mut model = model(&[("0/0", "f"), ("0/1", "f"), ("1/0", "g"), ("1/1", "g")]);
    model.compiles[1].metrics[0].facts.dynamo_us = Some(1e6);
    model.recompiles.push(recompile("0/1", "tensor 'x' dtype mismatch. expected Float, actual Half"));
    model.recompiles.push(recompile("1/1", "tensor 'y' size mismatch at index 1. expected 4, actual 6"));
    let found = of_log(&model);
    assert_eq!(cost(&found[0]), Some((1000.0, CostKind::Avoidable)));
    assert_eq!(cost(&found[1]), Some((1e6, CostKind::Expected)));
    assert_eq!((found[1].severity, found[1].lost_us()), (Severity::Info, 0.0));
}

#[test]
fn findings_of_equal_cost_and_count_stand_in_the_order_of_the_log() {
    let mut model = model(&[("0/0", "f"), ("1/0", "g")]);
    model.restarts.push(Restart { compile: CompileId::parse("0/0"), reason: "r".to_owned() });
    model.graph_breaks.push(break_in(&["1/0"], 9, vec![frame(9, "g")]));
    // Breaks are looked for before restarts.
    let kinds: Vec<&str> = of_log(&model).iter().map(|one| one.kind.word).collect();
    assert_eq!(kinds, ["restart", "graph_break"]);
}
