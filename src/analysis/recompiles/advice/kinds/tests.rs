//! Advice on each kind, for chains made of one guard.

use super::*;
use crate::analysis::guard_texts::GuardTexts;
use crate::analysis::recompiles::chain::Chain;
use crate::analysis::recompiles::chain::{Cause, Step};
use crate::analysis::recompiles::change::Change;
use crate::analysis::recompiles::guard_kinds::classify;
use crate::model::Model;

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
    let texts = GuardTexts::default();
    let advice = advice_of(&Situation { model: &model, texts: &texts, chain: &chain, subject });
    advice.iter().map(|one| format!("{} {}", one.text, one.code.as_deref().unwrap_or_default())).collect()
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
    let rows: [(&str, &[&str]); 31] = [
        ("tensor 'x' rank mismatch. expected 1, actual 2", &["numbers of dimensions", "expected"]),
        ("2 <= x.size()[0]", &["sizes 0 and 1", "expected"]),
        ("x.size()[0]*x.size()[1] <= 2147483647", &["32 bits"]),
        ("tensor 'x' stride mismatch at index 0. expected 4, actual 1", &["other strides"]),
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
        ("GLOBAL_STATE changed: allow_tf32 ", &["torch.backends.cuda.matmul.allow_tf32"]),
        ("GLOBAL_STATE changed: allow_bf16_reduce ", &["reduced precision"]),
        ("GLOBAL_STATE changed: torch_function ", &["Enable or disable torch functions"]),
        ("___check_torch_function_mode_stack()", &["Enter torch function modes"]),
        ("utils_device.CURRENT_DEVICE == None", &["torch.set_default_device"]),
        ("expected type of 'x' to be <class 'torch.Tensor'>, but found <class 'int'>", &["torch.tensor("]),
        ("___check_type_id(o, 140409414439424)", &["one type"]),
        ("___check_obj_id(m, 140409414439424)", &["create it once"]),
        ("___check_obj_id(f.__code__, 140409414439424)", &["Define it once"]),
        ("Duplicate tensors found: [\"x\", \"y\"]", &["`x` and `y`", ".clone()"]),
        ("hasattr(x, '_dynamo_dynamic_indices') == False", &["every call in the same way"]),
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
fn no_kind_of_size_is_marked_without_a_proof() {
    for guard in [
        "tensor 'x' size mismatch at index 1. expected 4, actual 6",
        "y.size()[0] == x.size()[0]",
        "(x.size()[0] % 8) == 0",
        "x.size()[0] == 2*y.size()[0]",
    ] {
        assert_eq!(advice(&[guard]).trim(), "", "{guard}");
    }
}

#[test]
fn what_lives_in_a_module_is_not_cast() {
    let remark = "Guard failed on a parameter, consider using \
                  torch._dynamo.config.force_parameter_static_shapes = False to allow dynamism on parameters.";
    let text = advice(&[&format!("tensor 'w' dtype mismatch. expected Float, actual Double. {remark}")]);
    assert!(text.contains("Convert the module") && !text.contains("Cast the input"), "{text}");
    let text = advice(&["len(fn._modules) != 2"]);
    assert!(text.contains("calls them all") && !text.contains("number of items"), "{text}");
}

#[test]
fn a_class_that_a_function_defines_is_to_be_defined_once() {
    let net = || {
        let changed = Change::new(ChangeKind::Type, Some("self"));
        changed.with_values(Some("__main__.make.<locals>.Net"), None)
    };
    let text = advice_on(vec![net(), net()]);
    assert!(text.contains("The class `Net` is defined in `make`") && !text.contains("Convert"), "{text}");
    // A single other type may be any.
    assert!(advice_on(vec![net()]).contains("one type"));
}

#[test]
fn a_number_has_no_advice_beyond_what_the_log_shows() {
    assert!(advice(&["k == 2"]).contains("one version per value"));
    assert!(dynamic("k == 2").contains("Nothing to do"));
    assert!(dynamic("self.param_groups[0]['lr'] == 0.1").contains("lr=torch.tensor"));
    // Values that count are also the numbers of layers: nothing says that the code counts.
    let text = advice(&["self.step == 0", "self.step == 1"]);
    assert!(!text.contains("counts up") && !text.contains("tensor ("), "{text}");
    assert!(advice(&["0 <= prev <= 999"]).contains("one version for each side is expected"));
}

#[test]
fn a_key_that_is_absent_is_no_failed_guard() {
    let text = advice(&["KeyError on batch['author']"]);
    assert!(text.contains("A key of `batch` comes and goes") && text.contains("neutral tensor"), "{text}");
}

#[test]
fn what_the_code_sets_itself_is_to_be_set_before_the_first_call() {
    let text =
        advice_on(vec![Change { is_own_effect: true, ..classify("self.config.problem_type is None") }]);
    assert!(text.contains("Set it before the first call"), "{text}");
    assert!(!text.contains("expected"), "{text}");
}
