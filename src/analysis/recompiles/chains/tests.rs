//! Chains on models made by hand; the texts of guards are those of logs that are named.

use super::*;
use crate::analysis::break_costs;
use crate::analysis::recompiles::chain::Cause;
use crate::analysis::recompiles::words::{disagreement, what_changed};
use crate::model::{
    Failure, Frame, GuardFacts, GuardPrint, InputTensor, Recompile, Recorded, Sentence, SideEffect, Symbol,
    TensorDescription, TextFrame,
};
use crate::trace::FileRef;

/// Compiles with the reasons of each: the older version and the guard that failed.
fn model(compiles: &[(&str, &[(&str, &str)])]) -> Model {
    let mut model = Model::default();
    for (id, reasons) in compiles {
        let id = CompileId::parse(id);
        model.compile_index(id.as_ref());
        let reason = |(against, text): &(&str, &str)| Reason {
            against: Some((*against).to_owned()),
            text: (*text).to_owned(),
            ..Reason::default()
        };
        if !reasons.is_empty() {
            let reasons = reasons.iter().map(reason).collect();
            model.recompiles.push(Recompile { compile: id, writer: 1, reasons });
        }
    }
    model
}

fn only(model: &Model) -> Chain<'_> {
    let mut chains = recompile_chains(model, &break_costs(model), &GuardTexts::default());
    assert_eq!(chains.len(), 1);
    chains.remove(0)
}

/// What changed, as a title says it.
fn title(model: &Model) -> String {
    let chain = only(model);
    Sentence::joined(chain.subjects().iter().map(what_changed), "; ").text()
}

fn expected(model: &Model) -> Vec<bool> {
    only(model).steps.iter().filter_map(|step| step.cause).map(|cause| cause.expected).collect()
}

fn guards(model: &mut Model, place: usize, prints: &[(u64, u64)], values: &[&str]) {
    let prints = prints.iter().map(|&(place, condition)| GuardPrint { place, condition }).collect();
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    model.guards.insert(CompileIndex::new(place), GuardFacts { prints, values, ..GuardFacts::default() });
}

fn symbol(model: &mut Model, place: usize, source: &str, hint: &str) {
    model.shapes.symbols.push(Symbol {
        at: Recorded { compile: CompileIndex::new(place), ..Recorded::default() },
        source: Some(source.to_owned()),
        hint: Some(hint.to_owned()),
        ..Symbol::default()
    });
}

#[test]
fn the_guards_of_later_compiles_have_the_values_that_arrived() {
    let model = model(&[
        ("0/0", &[]),
        ("2/0", &[]),
        ("2/1", &[("2/0", "k == 1")]),
        ("2/2", &[("2/1", "k == 2"), ("2/0", "k == 1")]),
    ]);
    let chain = only(&model);
    assert_eq!(chain.values, ["1", "2"]);
    assert_eq!(chain.steps.iter().map(|step| step.compile.place()).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(chain.steps[1].change.as_ref().unwrap().new.as_deref(), Some("2"));
    assert_eq!(chain.steps[2].change.as_ref().unwrap().new, None);
    assert_eq!(chain.steps[2].against, Some(CompileIndex::new(2)));
}

#[test]
fn the_cause_is_what_separates_the_call_from_its_closest_version() {
    // 04_recompiles, 2/4: the oldest version has the same k; guards are on x, k and flag.
    let mut model = model(&[
        ("2/0", &[]),
        ("2/1", &[("2/0", "k == 1")]),
        ("2/2", &[("2/1", "k == 2"), ("2/0", "flag == True")]),
    ]);
    guards(&mut model, 0, &[(1, 1), (2, 21), (3, 31)], &[]);
    guards(&mut model, 1, &[(1, 1), (2, 22), (3, 31)], &["L['k'] == 2"]);
    guards(&mut model, 2, &[(1, 1), (2, 21), (3, 32)], &["L['k'] == 1", "L['flag'] == False"]);
    let chain = only(&model);
    assert_eq!(chain.steps[2].against, Some(CompileIndex::new(0)));
    assert_eq!(chain.steps[2].cause, Some(Cause { kind: ChangeKind::Flag, expected: true }));
    let words = disagreement(&chain.steps[2]).unwrap();
    assert_eq!(words, "no version fits: `flag` is True for 1, `k` is 2 for 1");
    assert_eq!(disagreement(&chain.steps[1]), None);
    assert_eq!(title(&model), "number `k`: 1 -> 2; flag `flag`: True -> False");
    assert_eq!(expected(&model), [false, true]);
}

#[test]
fn a_backend_is_expected_where_different_places_ask_for_it() {
    let backend = "BACKEND_MATCH failure: torch.compile detected different backend callables.";
    let mut model = model(&[("1/0", &[]), ("1/1", &[("1/0", backend)])]);
    let stack = |line| -> crate::model::Stack {
        let frame = |line| Frame { file: FileRef::NONE, line: Some(line), name: "f".into(), loc: None };
        vec![frame(line), frame(1)].into()
    };
    model.compiles[0].stack = Some(stack(7));
    model.compiles[1].stack = Some(stack(7));
    assert_eq!(expected(&model), [false]);
    model.compiles[1].stack = Some(stack(8));
    assert_eq!(expected(&model), [true]);
}

#[test]
fn what_became_symbolic_is_known() {
    let size = "tensor 'x' size mismatch at index 0. expected 4, actual 6";
    let mut sizes = model(&[("0/0", &[]), ("0/1", &[("0/0", size)])]);
    assert_eq!(title(&sizes), "size `x.shape[0]`: 4 -> 6");
    symbol(&mut sizes, 1, "L['x'].size()[0]", "6");
    assert_eq!(title(&sizes), "size `x.shape[0]`: 4 -> 6, then made dynamic");
    let mut number = model(&[("0/0", &[]), ("0/1", &[("0/0", "fn.__closure__[0].cell_contents == 1")])]);
    symbol(&mut number, 1, "L['fn'].__closure__[0].cell_contents", "2");
    assert_eq!(title(&number), "number `fn.__closure__[0].cell_contents`: 1 -> 2, then made dynamic");
}

#[test]
fn the_inputs_have_the_size_that_arrived() {
    // 25_guards, 41/1
    let mut model = model(&[("41/0", &[]), ("41/1", &[("41/0", "2 <= x.size()[0]")])]);
    let sizes = vec!["1".to_owned()];
    let compile = CompileIndex::new(1);
    let tensor = TensorDescription { sizes, ..TensorDescription::default() };
    let input = InputTensor { source: "L['x']".into(), tensor: tensor.into(), storage: None };
    model.compiles.get_mut(compile).unwrap().inputs.push(input);
    assert_eq!(title(&model), "size `x.shape[0]` is 1, and sizes 0 and 1 have versions of their own");
    assert_eq!(expected(&model), [true]);
}

#[test]
fn addresses_are_neither_in_a_title_nor_split_a_subject() {
    // 21_torch26_25_guards, 26/1 and 26/2
    let (first, second) =
        ("___check_obj_id(L['f'], 140644497356208)", "___check_obj_id(L['f'], 140644497346288)");
    let both = [("26/1", second), ("26/0", first)];
    let model = model(&[("26/0", &[]), ("26/1", &[("26/0", first)]), ("26/2", &both)]);
    assert_eq!(title(&model), "another object as `f`");
}

#[test]
fn code_that_changes_what_it_guards_on_is_recognized() {
    // 14_bert_train, 0/1
    let guard = "self.config.problem_type is None";
    let mut model = model(&[("0/0", &[]), ("0/1", &[("0/0", guard)])]);
    assert_eq!(expected(&model), [true]);
    let loc = Some("self.config.problem_type = \"regression\"".to_owned());
    let frame = TextFrame { file: "/b.py".to_owned(), line: 1, function: "forward".to_owned(), loc };
    model.side_effects.push(SideEffect {
        compile: CompileIndex::new(0),
        source: "L['self'].config".to_owned(),
        frames: vec![frame],
    });
    assert!(only(&model).steps[1].change.as_ref().unwrap().is_own_effect);
    assert_eq!(expected(&model), [false]);
}

#[test]
fn the_first_step_of_an_optimizer_is_expected() {
    let mut model = model(&[("0/0", &[]), ("0/1", &[("0/0", "len(self.state) != 0")])]);
    assert_eq!(expected(&model), [false]);
    let file = Some("/venv/lib/python3.11/site-packages/torch/optim/adam.py".to_owned());
    model.compiles[1].function =
        Some(crate::model::Function { name: "step".to_owned(), file, line: Some(1) }.into());
    assert_eq!(expected(&model), [true]);
}

#[test]
fn a_race_is_reported_and_names_the_threads_if_several_recorded_it() {
    let text = "Unexpected recompilation: runtime guards failed even though they passed during";
    let mut model = model(&[("0/0", &[]), ("0/1", &[("0/0", text)]), ("0/2", &[("0/0", text)])]);
    assert!(title(&model).contains("a race of threads, or a fault of torch"), "{}", title(&model));
    assert_eq!(expected(&model), [false, false]);
    let advice = |model: &Model| only(model).advice.iter().map(|one| one.text.clone()).collect::<String>();
    assert!(!advice(&model).contains("(here"), "{}", advice(&model));
    (model.recompiles[0].writer, model.recompiles[1].writer) = (4711, 815);
    assert!(advice(&model).contains("(here 815, 4711)"), "{}", advice(&model));
}

#[test]
fn a_backend_is_the_cause_only_if_no_version_has_the_same() {
    let backend = |new: &str| {
        format!(
            "BACKEND_MATCH failure: torch.compile detected different backend callables. Cached backend: \
             _TorchCompileWrapper(compiler='eager', dynamic=None) (id=0x1). New backend: \
             _TorchCompileWrapper(compiler={new}). If this is unexpected"
        )
    };
    let size = "tensor 'x' size mismatch at index 1. expected 4, actual 5";
    // Another backend, and another object of the same backend, as each thread makes one.
    for new in ["'inductor', dynamic=None) (id=0x2", "'eager', dynamic=None) (id=0x2"] {
        let backend = backend(new);
        let both = [("1/0", backend.as_str()), ("1/1", size)];
        let model = model(&[("1/0", &[]), ("1/1", &[("1/0", &backend)]), ("1/2", &both)]);
        let chain = only(&model);
        assert_eq!(chain.steps[1].cause.unwrap().kind, ChangeKind::Backend, "{new}");
        assert_eq!(chain.steps[2].cause.unwrap().kind, ChangeKind::Size, "{new}");
        let words = disagreement(&chain.steps[2]).unwrap();
        assert_eq!(words, "no version fits: `x.shape[1]` is 4 for 1, backend is eager for 1", "{new}");
    }
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
    let chains = recompile_chains(&model, &[], &GuardTexts::default());
    assert!(chains[0].limit_hit() && !chains[1].limit_hit());
    assert_eq!((chains[0].recompiles(), chains[0].cached_versions()), (1, 1));
    assert_eq!(chains[0].lead, Some((ChangeKind::Size, Some("x.shape[0]".to_owned()))));
    assert_eq!(chains[0].values, ["2", "3"]);
    assert_eq!(chains[1].lead, None);
    assert!(!chains[0].is_expected() && !chains[1].is_expected());
}
