//! Advice on each kind, for chains made of one guard.

use super::*;
use crate::analysis::recompiles::chain::{Cause, Step};
use crate::analysis::recompiles::guard_kinds::classify;

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
    let all = chain.subjects();
    let subject = all.first().unwrap();
    advice_of(&Situation { model: &model, chain: &chain, subject })
}

fn advice(guards: &[&str]) -> String {
    advice_on(guards.iter().map(|guard| classify(guard)).collect())
}

fn dynamic(guard: &str) -> String {
    advice_on(vec![Change { became_dynamic: true, ..classify(guard) }])
}

#[test]
fn each_kind_of_guard_has_the_advice_of_its_row() {
    let keys = "tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU, AutogradCPU), actual";
    let rows: [(&str, &[&str]); 30] = [
        (
            "tensor 'x' size mismatch at index 1. expected 4, actual 6",
            &["mark_dynamic(x, 1)", "dynamic=False"],
        ),
        ("tensor 'x' rank mismatch. expected 1, actual 2", &["numbers of dimensions"]),
        ("2 <= x.size()[0]", &["expected", "one element"]),
        ("y.size()[0] == x.size()[0]", &["mark_dynamic(y, 0)", "use_duck_shape = False"]),
        ("(x.size()[0] % 8) == 0", &["multiple of 8", "torch._check(x.shape[0] % 8 == 0)"]),
        ("x.size()[0] == 2*y.size()[0]", &["torch._check"]),
        ("x.size()[0]*x.size()[1] <= 2147483647", &["32 bits"]),
        ("tensor 'x' stride mismatch at index 0. expected 4, actual 1", &[".contiguous()"]),
        ("L['x'].storage_offset() == 0", &[".clone()"]),
        (&format!("{keys} DispatchKeySet(CPU)"), &["inference mode", "subclass"]),
        (&format!("{keys} DispatchKeySet(CUDA, AutogradCUDA)"), &["one device"]),
        (&format!("{keys} DispatchKeySet(CPU, AutogradCPU, AutocastCPU)"), &["autocast"]),
        ("tensor 'x' dtype mismatch. expected Float, actual Double", &["One version per dtype is expected"]),
        ("tensor 'x' requires_grad mismatch. expected requires_grad=0", &["expected"]),
        ("GLOBAL_STATE changed: grad_mode ", &["training version beside the inference version is expected"]),
        ("GLOBAL_STATE changed: num_threads ", &["torch.set_num_threads"]),
        ("GLOBAL_STATE changed: deterministic_algorithms ", &["torch.use_deterministic_algorithms"]),
        ("GLOBAL_STATE changed: default_dtype ", &["torch.set_default_dtype"]),
        ("expected type of 'x' to be <class 'torch.Tensor'>, but found <class 'int'>", &["torch.tensor("]),
        ("___check_type_id(o, 140409414439424)", &["one type"]),
        ("___check_obj_id(m, 140409414439424)", &["create it once"]),
        ("___check_obj_id(f.__code__, 140409414439424)", &["Define it once"]),
        ("Duplicate tensors found: [\"x\", \"y\"]", &["`x` and `y`", ".clone()"]),
        ("hasattr(x, '_dynamo_dynamic_indices') == False", &["Mark each call the same way"]),
        ("mode == 'add'", &["one version per value is expected"]),
        ("flag == True", &["one version per value is expected"]),
        ("a.b is None", &["None in some calls", "expected"]),
        ("fn.training == True", &["training and one for evaluation is expected"]),
        ("___tuple_iterator_len(it) == 2", &["items left in `it`"]),
        ("Unexpected recompilation: runtime guards failed", &["threads", "report it"]),
    ];
    for (guard, parts) in rows {
        let text = advice(&[guard]);
        for part in parts {
            assert!(text.contains(part), "{guard}: {text}");
        }
    }
}

#[test]
fn a_size_that_was_never_dynamic_is_to_be_marked() {
    let size =
        |from: u32, to: u32| format!("tensor 'x' size mismatch at index 1. expected {from}, actual {to}");
    let text = advice(&[&size(4, 6), &size(6, 10)]);
    assert!(text.contains("took 3 sizes") && text.contains("mark_dynamic(x, 1)"), "{text}");
    let text = dynamic(&size(4, 6));
    assert!(
        text.contains("further sizes do not recompile") && text.contains("before the first call"),
        "{text}"
    );
}

#[test]
fn what_lives_in_a_module_is_neither_marked_nor_cast() {
    let remark = "Guard failed on a parameter, consider using \
                  torch._dynamo.config.force_parameter_static_shapes = False to allow dynamism on parameters.";
    let text = advice(&[&format!("tensor 'w' size mismatch at index 1. expected 3, actual 5. {remark}")]);
    assert!(text.contains("force_parameter_static_shapes") && text.contains("another shape"), "{text}");
    assert!(!text.contains("mark_dynamic"), "{text}");
    let text = advice(&[&format!("tensor 'w' dtype mismatch. expected Float, actual Double. {remark}")]);
    assert!(text.contains("Convert the module") && !text.contains("Cast the input"), "{text}");
    let text = advice(&["len(fn._modules) != 2"]);
    assert!(text.contains("each module by itself") && !text.contains("number of items"), "{text}");
}

#[test]
fn numbers_have_advice_by_where_they_come_from() {
    assert!(advice(&["k == 2"]).contains("Pass it as a tensor"));
    assert!(advice(&["k == 2", "k == 3"]).contains("dynamic=False"));
    assert!(dynamic("k == 2").contains("Nothing to do"));
    assert!(advice(&["fn.__closure__[0].cell_contents == 1"]).contains("closure of `fn`"));
    assert!(advice(&["make.__defaults__[0] == 1"]).contains("default argument of `make`"));
    assert!(advice(&["L['___stack0'] == -0.01"]).contains("graph break"));
    assert!(advice(&["cfg.scale == 2.0"]).contains("Set it once"));
    // 21_torch28_25_guards, 29/1 and 29/2: no record of side effects, but the numbers count.
    let text = advice(&["self.step == 0", "self.step == 1"]);
    assert!(
        text.contains("counts up `self.step` itself") && text.contains("allow_unspec_int_on_nn_module"),
        "{text}"
    );
}

#[test]
fn what_the_code_sets_itself_is_to_be_set_before_the_first_call() {
    let text =
        advice_on(vec![Change { is_own_effect: true, ..classify("self.config.problem_type is None") }]);
    assert!(text.contains("Set it before the first call"), "{text}");
    assert!(!text.contains("expected"), "{text}");
}
