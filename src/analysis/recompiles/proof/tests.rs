//! Verdicts on functions with two versions, from guards as torch 2.15 writes them.

use super::*;
use crate::analysis::recompiles::chains::recompile_chains;
use crate::model::{
    Function, InputTensor, Metrics, MetricsKind, MetricsRecord, Reason, Recompile, Recorded,
    TensorDescription,
};
use crate::trace::{CompileId, Span};

/// A version: the sizes of its inputs, and its guards.
struct Compiled<'t> {
    inputs: &'t [(&'t str, &'t [i64])],
    guards: &'t [&'t str],
}

fn numbers(sizes: &[i64]) -> Vec<String> {
    sizes.iter().map(i64::to_string).collect()
}

/// A log of a function `f`, of which the guards of each version but the first failed for the size `why`.
fn log(versions: &[Compiled<'_>], why: &str) -> (Model, GuardTexts) {
    let mut model = Model::default();
    let mut trees = Vec::new();
    for (number, version) in versions.iter().enumerate() {
        let id = CompileId::parse(&format!("0/{number}"));
        let index = model.compile_index(id.as_ref());
        let compile = &mut model.compiles[index];
        compile.function = Some(Function { name: "f".to_owned(), file: None, line: None }.into());
        compile.metrics.push(MetricsRecord {
            kind: MetricsKind::Forward,
            attempt: 0,
            line: 1,
            header: Span { offset: 0, len: 0 },
            first_line: false,
            configs: [].into(),
            config_places: [].into(),
            facts: Metrics::default(),
        });
        for (source, sizes) in version.inputs {
            let tensor = TensorDescription {
                sizes: numbers(sizes),
                shape: format!("{sizes:?}"),
                strides: Some(vec!["1".to_owned(); sizes.len()]),
                parameter: source.contains("_parameters"),
                ..TensorDescription::default()
            };
            compile.inputs.push(InputTensor {
                source: (*source).into(),
                tensor: tensor.into(),
                storage: None,
            });
        }
        let lines = version.guards.iter().map(|guard| format!("| +- {guard}  # return x  # a.py:8 in f\n"));
        trees.push((index, lines.collect::<String>()));
        if number > 0 {
            let reasons = (0..number).map(|older| Reason {
                against: Some(format!("0/{older}")),
                text: why.to_owned(),
                guard: why.to_owned(),
                ..Reason::default()
            });
            model.recompiles.push(Recompile { compile: id, writer: 1, reasons: reasons.collect() });
        }
    }
    (model, GuardTexts::of_trees(trees))
}

fn tensor(source: &str, size: &str) -> String {
    format!(
        "TENSOR_MATCH: check_tensor({source}, Tensor, DispatchKeySet(CPU), torch.float32, device=None, \
         requires_grad=False, size=[{size}], stride=[1])"
    )
}

const SIZE: &str = "tensor 'x' size mismatch at index 0. expected 4, actual 6";

fn verdict_on<T>((model, texts): &(Model, GuardTexts), look: impl Fn(Option<Verdict<'_>>) -> T) -> T {
    let chains = recompile_chains(model, &[], texts);
    look(verdict(model, texts, &chains[0], Callers::of(model).elsewhere(&chains[0])))
}

/// The set that is marked with the number of compiles it saves, or why nothing is.
fn said(log: &(Model, GuardTexts)) -> String {
    verdict_on(log, |verdict| match verdict {
        Some(Verdict::Marks(marks)) => {
            let set = marks.dimensions.iter().map(|one| format!("{} {}", one.source, one.dimension));
            format!("{}: saves {}", set.collect::<Vec<_>>().join(", "), marks.saved.len())
        }
        other => format!("{other:?}"),
    })
}

/// A first version for sizes `first`, and a second whose guards leave `x` and `y` open but for `relation`.
fn related(first: [i64; 2], relation: &str) -> (Model, GuardTexts) {
    let [x, y] = first;
    let (one, two) = ([x], [y]);
    let before = [tensor("L['x']", &x.to_string()), tensor("L['y']", &y.to_string())];
    let before: Vec<&str> = before.iter().map(String::as_str).collect();
    let after = [tensor("L['x']", "None"), tensor("L['y']", "None"), format!("LAMBDA_GUARD: {relation}")];
    let after: Vec<&str> = after.iter().map(String::as_str).collect();
    let versions = [
        Compiled { inputs: &[("L['x']", &one), ("L['y']", &two)], guards: &before },
        Compiled { inputs: &[("L['x']", &[6]), ("L['y']", &[12])], guards: &after },
    ];
    log(&versions, SIZE)
}

#[test]
fn a_version_whose_guards_hold_for_an_earlier_call_proves_its_whole_set() {
    let log = related([4, 8], "L['y'].size()[0] == 2*L['x'].size()[0]");
    assert_eq!(said(&log), "L['x'] 0, L['y'] 0: saves 1");
}

#[test]
fn a_relation_that_fails_or_cannot_be_evaluated_proves_nothing() {
    let failed = said(&related([4, 9], "L['y'].size()[0] == 2*L['x'].size()[0]"));
    assert!(failed.contains("NotServed") && failed.contains("does not hold there"), "{failed}");
    let unknown = said(&related([4, 8], "strange(L['y'].size()[0]) == 2"));
    assert!(unknown.contains("NotServed") && unknown.contains("it requires"), "{unknown}");
    let one = said(&related([1, 2], "2 <= L['x'].size()[0]"));
    assert!(one.contains("FirstHasOne"), "{one}");
    let bound = said(&related([200, 2], "2 <= L['x'].size()[0] <= 100"));
    assert!(bound.contains("NotServed"), "{bound}");
}

#[test]
fn another_guard_that_differs_means_that_more_than_a_size_changed() {
    let x = |size: &str| tensor("L['x']", size);
    let (fixed, open) = (x("4"), x("None"));
    let with = |mode: &str| {
        let guard = format!("EQUALS_MATCH: L['mode'] == '{mode}'");
        let versions = [
            Compiled { inputs: &[("L['x']", &[4])], guards: &[&fixed, "EQUALS_MATCH: L['mode'] == 'a'"] },
            Compiled { inputs: &[("L['x']", &[6])], guards: &[&open, &guard] },
        ];
        said(&log(&versions, SIZE))
    };
    assert_eq!(with("a"), "L['x'] 0: saves 1");
    assert!(with("b").contains("NotServed"), "{}", with("b"));
}

#[test]
fn a_number_that_the_dynamic_version_takes_as_a_symbol_is_named_and_dictionaries_of_builtins_are_one() {
    let x = |size: &str| tensor("L['x']", size);
    let (fixed, open) = (x("4"), x("None"));
    let number = "TYPE_MATCH: ___check_type_id(L['n'], 107), type=<class 'int'>";
    let builtin = |at: u8| format!("ID_MATCH: ___check_obj_id(G['__builtins_dict___{at}']['len'], 1398)");
    let with = |value: &'static str, after: &str| {
        let (first, second) = (builtin(1), builtin(3));
        let versions = [
            Compiled { inputs: &[("L['x']", &[4])], guards: &[&fixed, &first, value] },
            Compiled { inputs: &[("L['x']", &[6])], guards: &[&open, &second, after] },
        ];
        said(&log(&versions, SIZE))
    };
    assert!(with("EQUALS_MATCH: L['n'] == 4", number).contains("NumberToo"));
    assert!(with("EQUALS_MATCH: L['n'] == 4", "EQUALS_MATCH: L['n'] == 6").contains("NotServed"));
    assert_eq!(with(number, number), "L['x'] 0: saves 1");
}

#[test]
fn a_relation_that_fails_is_named_before_other_guards_that_differ() {
    let (x, y) = (tensor("L['x']", "None"), tensor("L['y']", "None"));
    let guards =
        [&*x, &*y, "LAMBDA_GUARD: L['x'].size()[0] == L['y'].size()[0]", "EQUALS_MATCH: L['mode'] == 'b'"];
    let versions = [
        Compiled {
            inputs: &[("L['x']", &[4]), ("L['y']", &[5])],
            guards: &["EQUALS_MATCH: L['mode'] == 'a'"],
        },
        Compiled { inputs: &[("L['x']", &[6]), ("L['y']", &[6])], guards: &guards },
    ];
    let said = said(&log(&versions, SIZE));
    assert!(said.contains("does not hold there"), "{said}");
}

#[test]
fn what_nobody_can_name_or_mark_is_not_advised() {
    let verdict_of = |source: &str| {
        let (fixed, open) = (tensor(source, "4"), tensor(source, "None"));
        let versions = [
            Compiled { inputs: &[(source, &[4])], guards: &[&fixed] },
            Compiled { inputs: &[(source, &[6])], guards: &[&open] },
        ];
        said(&log(&versions, SIZE))
    };
    assert!(verdict_of("L['___stack0']").contains("NoName"));
    assert!(verdict_of("L['self'].bank").contains("saves 1"));
    let parameter = "L['self']._parameters['weight']";
    let (small, large) = (tensor(parameter, "4"), tensor(parameter, "6"));
    let versions = [
        Compiled { inputs: &[(parameter, &[4])], guards: &[&small] },
        Compiled { inputs: &[(parameter, &[6])], guards: &[&large] },
    ];
    assert!(said(&log(&versions, SIZE)).contains("ParameterShapes"));
}

#[test]
fn a_constant_and_a_resumed_function_are_named_as_the_cause() {
    let fixed = [tensor("L['x']", "4"), tensor("L['x']", "6")];
    let versions = [
        Compiled { inputs: &[("L['x']", &[4])], guards: &[&fixed[0]] },
        Compiled { inputs: &[("L['x']", &[6])], guards: &[&fixed[1]] },
    ];
    let (model, _) = log(&versions, SIZE);
    assert!(said(&(model, GuardTexts::default())).contains("NothingDynamic"));
    let (mut model, texts) = log(&versions, SIZE);
    model.shapes.add_specialization(Specialization {
        at: Recorded { compile: CompileIndex::new(1), ..Recorded::default() },
        sources: vec!["L['x'].size()[0]".to_owned()],
        value: "6".to_owned(),
        reason: Some("range_refined_to_singleton".to_owned()),
        ..Specialization::default()
    });
    let log = (model, texts);
    assert!(said(&log).contains("Constant"), "{}", said(&log));
    let (mut model, texts) = log;
    let name = "torch_dynamo_resume_in_f_at_14".to_owned();
    model.compiles[CompileIndex::new(0)].function = Some(Function { name, file: None, line: None }.into());
    assert!(said(&(model, texts)).contains("BeforeBreak"));
}

#[test]
fn many_versions_and_long_lists_are_bounded() {
    let open = tensor("L['x']", "None");
    let guards = [open.as_str()];
    let version = |_| Compiled { inputs: &[("L['x']", &[4])], guards: &guards };
    let versions: Vec<Compiled<'_>> = (0..200).map(version).collect();
    assert!(said(&log(&versions, SIZE)).contains("saves 39"));
}
