use super::cost::CostKind;
use super::finding::{Fact, Finding, Severity, Value};
use super::{Basis, checked, kinds};
use crate::analysis::guard_texts::GuardTexts;
use crate::analysis::ledger::Ledger;
use crate::analysis::recompiles::recompile_chains;
use crate::analysis::{Spans, Split, break_costs, time};
use crate::model::{
    ArtifactIndex, BreakOccurrence, Compile, CompileIndex, Failure, Frame, Function, GraphBreak, Metrics,
    MetricsKind, MetricsRecord, Model, ProblemKind, Reason, Recompile, Recorded, Restart, Specialization,
    Status, TextFrame,
};
use crate::trace::{CompileId, Span};
use std::sync::Arc;

/// A model with compiles of these ids and functions, each of which took a millisecond.
fn model(compiles: &[(&str, &str)]) -> Model {
    let mut model = Model::default();
    for (id, name) in compiles {
        let index = model.compile_index(CompileId::parse(id).as_ref());
        let compile = &mut model.compiles[index];
        compile.status = Status::Ok;
        compile.function =
            Some(Function { name: (*name).to_owned(), file: Some("/app/x.py".into()), line: Some(1) }.into());
        compile.metrics.push(record(
            index.place() as u64 + 1,
            Metrics { dynamo_us: Some(1000.0), ..Metrics::default() },
        ));
    }
    model
}

/// The function of a compile, to change it.
fn function_of(compile: &mut Compile) -> &mut Function {
    compile.function.as_mut().and_then(Arc::get_mut).unwrap()
}

fn of_log(model: &Model) -> Vec<Finding> {
    let spans = Spans::of(model);
    let ledger = Ledger::of(model, &Split::of(&spans), &[], time::of_log(&spans).total_s);
    super::of_log(
        Basis {
            chains: &recompile_chains(model, &break_costs(model), &GuardTexts::default()),
            ..Basis::of_model(model)
        },
        ledger,
    )
}

fn record(line: u64, facts: Metrics) -> MetricsRecord {
    MetricsRecord {
        kind: MetricsKind::Forward,
        attempt: 0,
        line,
        header: Span { offset: 0, len: 0 },
        first_line: false,
        configs: [].into(),
        config_places: [].into(),
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
    let one =
        |compile| BreakOccurrence { artifact: ArtifactIndex::new(compile, 0), stack: stack.clone().into() };
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
    // torch's own list of what it made dynamic proves no number of compiles.
    let texts: Vec<&str> = found.hints().collect();
    assert_eq!(
        texts,
        [
            "No version has a dynamic size in its guards, so the log does not show whether marking it would help."
        ]
    );
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
    assert!(only(&model, "recompilation").title.text().ends_with("no reason recorded"));
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
    model.compiles[0].metrics[0].facts.cudagraph_skip_reason = Some("cpu device (x)".into());
    let facts = Metrics { runtime_tuning_us: Some(5000.0), ..Metrics::default() };
    model.compiles[0].metrics.push(MetricsRecord { kind: MetricsKind::Runtime, ..record(9, facts) });
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
fn a_clean_log_is_told_what_each_kind_checks_that_it_could_show() {
    let model = Model::default();
    let sentence = checked(&[], &model);
    assert!(sentence.starts_with("No ") && sentence.ends_with('.'), "{sentence}");
    assert_eq!(sentence.matches(" or ").count(), 1, "{sentence}");
    for kind in kinds() {
        let says = |checks| sentence.contains(checks) == (kind.would_show)(&model);
        assert!(kind.checked.is_none_or(says), "{kind:?}: {sentence}");
    }
}

#[test]
fn a_log_with_an_expected_recompile_is_not_told_that_it_has_none() {
    let mut model = model(&[("0/0", "f"), ("0/1", "f")]);
    model.recompiles.push(recompile("0/1", "tensor 'x' dtype mismatch. expected Float, actual Double"));
    let found = of_log(&model);
    assert_eq!(found[0].severity, Severity::Info, "{}", found[0].title);
    let sentence = checked(&found, &model);
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

#[test]
fn versions_beyond_the_limit_are_wasted_and_those_before_it_could_be_avoided() {
    let mut model = model(&[("0/0", "f"), ("0/1", "f"), ("0/2", "f")]);
    model.recompiles.push(recompile("0/1", "k == 1"));
    model.recompiles.push(recompile("0/2", "k == 2"));
    let error = "torch._dynamo.exc.RecompileLimitExceeded";
    model.failures.push(failure("0/2", error, "recompile_limit reached", 3));
    let found = only(&model, "recompile_limit");
    let parts: Vec<_> = found.cost_parts.iter().map(|part| (part.kind, part.us)).collect();
    assert_eq!(parts, [(CostKind::Avoidable, 1000.0), (CostKind::Wasted, 1000.0)]);
    assert_eq!(cost(&found), Some((2000.0, CostKind::Avoidable)), "the sum is an upper bound");
}

#[test]
fn work_at_run_time_is_no_compile_time_and_no_loss() {
    let mut model = model(&[("0/0", "f")]);
    let tuning = |us| Metrics { runtime_tuning_us: Some(us), ..Metrics::default() };
    let at_run_time = MetricsRecord { kind: MetricsKind::Runtime, ..record(9, tuning(5e6)) };
    model.compiles[0].metrics.extend([record(8, tuning(1e6)), at_run_time]);
    let found = only(&model, "runtime_cost");
    assert_eq!(cost(&found), Some((5e6, CostKind::Expected)));
    assert_eq!((found.severity, found.lost_us()), (Severity::Info, 0.0));
}

/// A frame of torch that runs inside an installed package.
fn torch_frame(line: u64, name: &str) -> TextFrame {
    TextFrame { file: "/venv/lib/python3.11/site-packages/torch/nn/x.py".to_owned(), ..frame(line, name) }
}

#[test]
fn a_break_in_torchs_own_code_that_torch_calls_is_information_and_no_loss() {
    let mut model = model(&[("0/0", "inner")]);
    let torch = torch_frame(9, "inner");
    function_of(&mut model.compiles[0]).file = Some(torch.file.clone());
    model.compiles[0].metrics[0].facts.wasted_us = Some(500.0);
    let mut broke = break_in(&["0/0"], 9, vec![frame(1, "main"), torch_frame(5, "caller"), torch.clone()]);
    broke.file = Some(torch.file.clone());
    model.graph_breaks.push(broke);
    let found = only(&model, "graph_break");
    assert_eq!((found.severity, cost(&found)), (Severity::Info, Some((500.0, CostKind::Expected))));
    // Code of the user between the compiled function and the break is where they can act.
    let mut own =
        break_in(&["0/0"], 9, vec![torch_frame(5, "caller"), torch.clone(), frame(7, "hook"), torch]);
    own.file.clone_from(&model.graph_breaks[0].file);
    own.occurrences[0].stack = own.stack[..3].to_vec().into();
    model.graph_breaks = vec![own];
    let found = only(&model, "graph_break");
    assert_eq!((found.severity, cost(&found)), (Severity::Warning, Some((500.0, CostKind::Wasted))));
}

#[test]
fn what_a_break_costs_when_the_model_runs_is_told_in_words() {
    let mut model = model(&[("0/0", "outer"), ("1/0", "torch_dynamo_resume_in_outer_at_9")]);
    model.graph_breaks.push(break_in(&["0/0"], 9, vec![frame(9, "outer")]));
    let found = only(&model, "graph_break");
    assert_eq!(cost(&found), None, "the resume function would be compiled without the break, too");
    assert!(said(&found)[0].contains("nothing is fused across the break"), "{found:?}");
}

#[test]
fn the_debug_context_of_a_break_is_kept_and_the_sentence_in_it_is_told() {
    let mut model = model(&[("0/0", "f")]);
    let mut broke = break_in(&["0/0"], 9, vec![frame(9, "f")]);
    let context = "module: logging, qualname: warning, args: [ConstantVariable(str: '`loss_type=None` was set in the \
                   config but it is unrecognized.')]";
    broke.debug_context = Some(context.to_owned());
    model.graph_breaks.push(broke);
    let found = only(&model, "graph_break");
    let told = "The call says: \"`loss_type=None` was set in the config but it is unrecognized.\"";
    assert!(found.detail.as_deref().is_some_and(|text| text.contains(told)), "{:?}", found.detail);
    let kept = found.facts.iter().find(|fact| fact.label == "Debug context").unwrap();
    assert!(matches!(&kept.value, Value::Code(lines) if *lines == [context]), "{kept:?}");
}

#[test]
fn a_recompile_of_library_code_is_told_with_the_readers_own_call() {
    let mut model = model(&[("0/0", "step"), ("0/1", "step")]);
    let library = "/venv/lib/python3.11/site-packages/torch/optim/adam.py";
    let names = [library, "/app/train.py"].map(|name| model.strings.literal(name));
    for index in 0..2 {
        let compile = &mut model.compiles[index];
        function_of(compile).file = Some(library.to_owned());
        let frame = |file, line| Frame { file, line: Some(line), name: "step".into(), loc: None };
        compile.stack = Some(vec![frame(names[1], 31), frame(names[0], 200)].into());
    }
    model.recompiles.push(recompile("0/1", "tensor 'x' size mismatch at index 1. expected 4, actual 6"));
    let found = only(&model, "recompilation");
    assert_eq!((found.place.file.as_deref(), found.place.line), (Some("/app/train.py"), Some(31)));
    // The reader's own function is told where its guard stands or it is defined.
    function_of(&mut model.compiles[0]).file = Some("/app/x.py".to_owned());
    let found = only(&model, "recompilation");
    assert_eq!((found.place.file.as_deref(), found.place.line), (Some("/app/x.py"), Some(1)));
}

#[test]
fn what_is_only_good_to_know_stands_behind_problems_however_often_it_happened() {
    let mut model = model(&[("0/0", "f"), ("1/0", "f"), ("2/0", "f")]);
    for index in 0..3 {
        model.compiles[index].metrics[0].facts.guard_latency_us = Some(900.0);
    }
    model.compiles[2].metrics[0].facts.cudagraph_skip_reason = Some("cpu device (x)".into());
    let found: Vec<(&str, u64)> = of_log(&model).iter().map(|one| (one.kind.word, one.count)).collect();
    assert_eq!(found, [("cudagraph_skip", 1), ("slow_guards", 3)]);
}

#[test]
fn a_failure_costs_its_own_record_and_not_what_the_same_id_compiled_before() {
    let mut model = model(&[("0/0", "f")]);
    model.compiles[0].metrics.push(record(2, Metrics { dynamo_us: Some(300.0), ..Metrics::default() }));
    model.failures.push(failure("0/0", "a.KeyError", "'x'", 2));
    assert_eq!(cost(&only(&model, "failure")), Some((300.0, CostKind::Wasted)));
}

#[test]
fn problems_stand_by_the_seconds_they_cost_whichever_came_first() {
    let mut model = model(&[("0/0", "f"), ("1/0", "g"), ("2/0", "h")]);
    for (index, us) in [200.0, 900.0, 500.0].into_iter().enumerate() {
        model.compiles[index].metrics[0].facts.wasted_us = Some(us);
        let id = format!("{index}/0");
        model.graph_breaks.push(break_in(&[&id], index as u64, Vec::new()));
        model.graph_breaks[index].reason = format!("reason {index}");
    }
    let found: Vec<_> = of_log(&model).iter().map(|one| (one.title.text(), one.lost_us())).collect();
    let expected = [("reason 1", 900.0), ("reason 2", 500.0), ("reason 0", 200.0)];
    assert_eq!(found, expected.map(|(title, us)| (title.to_owned(), us)));
}

#[test]
fn a_restart_without_a_break_wasted_what_was_traced_until_then() {
    let mut model = model(&[("0/0", "f")]);
    model.compiles[0].metrics[0].facts.wasted_us = Some(400.0);
    model.restarts.push(Restart { compile: CompileId::parse("0/0"), reason: "r".to_owned() });
    assert_eq!(cost(&only(&model, "restart")), Some((400.0, CostKind::Wasted)));
}

#[test]
fn what_was_fixed_is_named_unless_a_graph_break_left_it_behind() {
    let fixed = |model: &mut Model, source: &str| {
        let line = Frame {
            file: model.strings.literal("/app/x.py"),
            line: Some(2),
            name: "f".into(),
            loc: Some("y[: n]".into()),
        };
        model.shapes.add_specialization(Specialization {
            at: Recorded { compile: CompileIndex::new(0), ..Recorded::default() },
            sources: vec![source.to_owned()],
            value: "6".to_owned(),
            user_stack: Some([line].into()),
            ..Specialization::default()
        });
    };
    let mut named = model(&[("1/0", "f")]);
    fixed(&mut named, "L['n']");
    let found = of_log(&named);
    assert_eq!(found[0].title.text(), "`n` was fixed to 6");
    assert!(found[0].hint().is_some_and(|hint| hint.contains("`n`")));
    let mut left = model(&[("1/0", "f")]);
    fixed(&mut left, "L['___stack0'][1]");
    let found = of_log(&left);
    assert_eq!(found[0].title.text(), "A value from before the graph break was fixed to 6");
    assert!(!format!("{:?}", found[0]).contains("___stack"), "{:?}", found[0]);
}
