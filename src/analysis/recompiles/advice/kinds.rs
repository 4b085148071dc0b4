//! Advice for each kind of change.

use super::super::cause::is_one_call_site;
use super::super::kind::ChangeKind;
use super::situation::Situation;
use super::words::tried;
use super::{layouts, numbers};
use crate::analysis::findings::Advice;

/// What to do about one thing that changed. Sizes of which the guards say what helps are not among them.
pub(super) fn advice_of(at: &Situation<'_>) -> Vec<Advice> {
    let Some(kind) = at.subject.kind else {
        return vec![
            "The log has no reason for these compiles. torch writes none when its caches were reset between them, and \
             versions before 2.5 write none at all."
                .into(),
        ];
    };
    if kind == ChangeKind::Number {
        return numbers::of_number(at);
    }
    if kind == ChangeKind::NumberRelation {
        return vec![numbers::of_relation(at)];
    }
    if kind == ChangeKind::Stride {
        return vec![layouts::of_stride(at)];
    }
    if at.change().is_some_and(|change| change.is_own_effect) {
        return vec![own_effect(at).into()];
    }
    if at.is_another_module() {
        return vec![
            "torch compiles all modules that it wraps from outside through this one function, and each module takes one \
             of its versions. Expected; where more modules follow than the limit allows, raise \
             `torch._dynamo.config.recompile_limit`."
                .into(),
        ];
    }
    let experiment = experiment(at, kind);
    let text = sizes(at, kind)
        .or_else(|| tensors(at, kind))
        .or_else(|| settings(at, kind))
        .or_else(|| containers(at, kind))
        .or_else(|| compiler(at, kind));
    let text = text.unwrap_or_else(|| values(at, kind));
    let first = match experiment {
        Some(experiment) => tried(experiment, text, None, None),
        None => Advice::from(text),
    };
    let mut advice = vec![first];
    advice.extend(limit(at, kind));
    advice
}

/// The program of the lab that follows the sentence for such a change.
fn experiment(at: &Situation<'_>, kind: ChangeKind) -> Option<&'static str> {
    let setting = at.subject.source().unwrap_or_default();
    Some(match kind {
        ChangeKind::Alias => "same_tensor_twice.1",
        ChangeKind::Autocast => "autocast.1",
        ChangeKind::Setting if setting.contains("num_threads") => "num_threads.1",
        ChangeKind::Setting if setting.contains("default_dtype") => "default_dtype.1",
        ChangeKind::Setting if setting.contains("deterministic") => "deterministic.1",
        ChangeKind::Type if class_made_anew(at).is_some() => "local_class.1",
        ChangeKind::Type => "argument_type.1",
        ChangeKind::NoneOrNot => "optional_tensor.1",
        ChangeKind::Device => "device.1",
        ChangeKind::Marks => "marks_differ.1",
        ChangeKind::DispatchKeys => "inference_mode.1",
        ChangeKind::Race => "threads.1",
        ChangeKind::Backend => "backend_each_call.1",
        ChangeKind::IteratorLength => "iterator_length.1",
        ChangeKind::Length if grows(at) => "growing_list.1",
        ChangeKind::Length => "list_length.4",
        ChangeKind::Keys if is_object(at) => "late_attribute.1",
        ChangeKind::Keys => "dict_keys.1",
        _ => return None,
    })
}

/// Whether what has keys are the attributes of an object.
fn is_object(at: &Situation<'_>) -> bool {
    at.subject.source().is_some_and(|name| name.ends_with(".__dict__"))
}

/// A limit that holds all values: torch keeps so many versions.
fn limit(at: &Situation<'_>, kind: ChangeKind) -> Option<Advice> {
    let is_value = matches!(kind, ChangeKind::Text | ChangeKind::EnumMember | ChangeKind::Value);
    (is_value && at.chain.limit_hit()).then(|| {
        let text = "Where the values are few and known, let torch keep a version of each.";
        tried("recompile_limit.1", text, Some("torch._dynamo.config.recompile_limit = 16".to_owned()), None)
    })
}

/// What a change of a size means, beside what the proof by guards says.
fn sizes(at: &Situation<'_>, kind: ChangeKind) -> Option<String> {
    let text = match kind {
        ChangeKind::Rank => format!(
            "{} comes with different numbers of dimensions; a version for each is expected.",
            at.named("The tensor")
        ),
        ChangeKind::ZeroOne => "torch compiles sizes 0 and 1 by themselves: a version of its own is expected.".to_owned(),
        ChangeKind::Relation if is_32_bit(at.condition()) => {
            "Kernels index with 32 bits up to this bound and with 64 bits beyond it: one more version for larger tensors \
             is needed."
                .to_owned()
        }
        ChangeKind::Size | ChangeKind::ParameterSize | ChangeKind::EqualSizes | ChangeKind::Relation => {
            String::new()
        }
        _ => return None,
    };
    Some(text)
}

/// The largest 32-bit index: beyond it, kernels use 64-bit indices.
const LAST_32_BIT: f64 = 2_147_483_647.0;

fn is_32_bit(condition: &str) -> bool {
    let mut numbers =
        condition.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse::<f64>().ok());
    numbers.any(|number| number >= LAST_32_BIT)
}

fn tensors(at: &Situation<'_>, kind: ChangeKind) -> Option<String> {
    let tensor = at.named("The tensor");
    Some(match kind {
        ChangeKind::StorageOffset => format!(
            "{tensor} starts elsewhere in its memory in some calls, as a view does. Pass a copy: `.clone()`."
        ),
        ChangeKind::DispatchKeys => format!(
            "{tensor} is another kind of tensor in some calls: made in inference mode, or a subclass of tensor. Do not \
             mix them; `.clone()` outside of inference mode makes a plain tensor."
        ),
        ChangeKind::Dtype if at.change().is_some_and(|change| change.of_parameter) => format!(
            "{tensor} is a parameter or buffer. Convert the module, by `.to(..)`, before its first call."
        ),
        ChangeKind::Dtype => "One version per dtype is expected.".to_owned(),
        ChangeKind::Device => {
            format!("Each device needs a version. Move {tensor} to one device before the call.")
        }
        ChangeKind::RequiresGrad => format!(
            "{tensor} requires a gradient in some calls only; a version with and one without it is expected."
        ),
        ChangeKind::Alias => alias(at),
        ChangeKind::NotATensor => format!(
            "{tensor} is a tensor in some calls and something else in others. Pass a tensor in every call: \
             `torch.tensor(..)`."
        ),
        ChangeKind::Marks => format!(
            "Dimensions of {} are marked as dynamic in some calls only. Mark the tensors of every call in the same way, or of \
             none.",
            at.named("an input")
        ),
        _ => return None,
    })
}

fn alias(at: &Situation<'_>) -> String {
    let names = at.subject.source().unwrap_or("the inputs").replace(", ", "` and `");
    format!(
        "In some calls `{names}` are the same tensor, in others not. Pass a copy, `.clone()`, where they would be the \
         same."
    )
}

fn settings(at: &Situation<'_>, kind: ChangeKind) -> Option<String> {
    let name = at.subject.source().unwrap_or("a setting of torch");
    Some(match kind {
        ChangeKind::GradMode => {
            "The function runs with gradients and without, under `torch.no_grad()` or `torch.inference_mode()`. The \
             training version beside the inference version is expected."
                .to_owned()
        }
        ChangeKind::Training => {
            "`.train()` and `.eval()` switch this flag. A version for training and one for evaluation is expected."
                .to_owned()
        }
        ChangeKind::Autocast => {
            "Some calls run under `torch.autocast` and others do not, or with another dtype. Enter the same autocast \
             context for each call."
                .to_owned()
        }
        ChangeKind::Setting => format!("{} before the first call, and leave it.", how_to_set(name)),
        _ => return None,
    })
}

/// The call that sets a global setting.
fn how_to_set(name: &str) -> String {
    let calls = [
        ("num_threads", "Call `torch.set_num_threads`"),
        ("deterministic", "Call `torch.use_deterministic_algorithms`"),
        ("default_dtype", "Call `torch.set_default_dtype`"),
        ("default device", "Call `torch.set_default_device`, or enter `with torch.device(..)`,"),
        ("allow_tf32", "Set `torch.backends.cuda.matmul.allow_tf32`"),
        ("reduce", "Set `torch.backends.cuda.matmul`'s reduced precision"),
        ("torch_function", "Enable or disable torch functions"),
        ("torch function", "Enter torch function modes"),
        ("saved tensor hooks", "Install the hooks for saved tensors"),
    ];
    let call = calls.iter().find(|(mark, _)| name.contains(mark)).map(|(_, call)| (*call).to_owned());
    call.unwrap_or_else(|| format!("Set `{name}`"))
}

fn containers(at: &Situation<'_>, kind: ChangeKind) -> Option<String> {
    if !kind.is_state() && kind != ChangeKind::IteratorLength {
        return None;
    }
    let source = at.named("the container");
    if at.subject.expected {
        return Some(
            "The first step of an optimizer makes its state; the version without it is needed once. Expected."
                .to_owned(),
        );
    }
    let is_module = at.subject.source().is_some_and(|source| {
        ["._modules", "._parameters", "._buffers"].iter().any(|part| source.ends_with(part))
    });
    if is_module {
        return Some(
            "One compiled function is called for modules of different structure: a version for each is expected. Where the \
             modules follow each other, one compile of the function that calls them all serves them."
                .to_owned(),
        );
    }
    Some(match kind {
        ChangeKind::Length if grows(at) => format!(
            "{source} grows from call to call, so that each call needs a version until the limit. If the compiled code needs \
             only how many items there are, pass that number as an argument: torch makes it dynamic. Otherwise change {source} \
             outside, and pass a tensor of fixed size."
        ),
        ChangeKind::Length => format!(
            "The number of items of {source} is part of the compiled code, as its loops are unrolled: one version per length \
             is expected. For one version, stack tensors into one outside, or pad the list."
        ),
        ChangeKind::IteratorLength => format!(
            "The number of items left in {source} is part of the compiled code. Pass the same number in each call, or \
             compile the body of the loop only."
        ),
        ChangeKind::Keys if is_object(at) => {
            let object = source.trim_matches('`').trim_end_matches(".__dict__");
            format!(
                "An attribute of `{object}` is set only after the first call. Set it before, as in `__init__`: then all calls \
                 find the same attributes."
            )
        }
        ChangeKind::Keys => format!(
            "A key of {source} comes and goes: a version with and one without it is expected. For one version, pass the \
             same keys in the same order in each call, with a neutral tensor where there is none."
        ),
        ChangeKind::Member => format!(
            "The compiled code relies on which items {source} has. A version for each case is expected where the \
             program branches on it; otherwise pass the same set."
        ),
        _ => format!("Give the object {source} in every call or in none: set it before the first call."),
    })
}

/// Whether a container had one item more in each version than in the one before, until torch gave up.
fn grows(at: &Situation<'_>) -> bool {
    let values: Vec<u64> = at.subject.values().iter().filter_map(|value| value.parse().ok()).collect();
    at.chain.limit_hit() && values.len() > 2 && values.is_sorted_by(|one, next| one < next)
}

fn compiler(at: &Situation<'_>, kind: ChangeKind) -> Option<String> {
    Some(match kind {
        ChangeKind::Backend => backend(at),
        ChangeKind::Race => {
            format!(
                "If several threads call the function{}, call it once before they start, so that it is \
                 compiled already. With only one thread it is a bug in torch: report it.",
                threads(at)
            )
        }
        ChangeKind::Unnamed => {
            "Call `torch.compile` once and keep what it returns, with one backend; where several threads call the \
             function, call it once before they start."
                .to_owned()
        }
        ChangeKind::Other => String::new(),
        _ => return None,
    })
}

/// The threads that recorded the recompiles, where they differ.
fn threads(at: &Situation<'_>) -> String {
    let mut threads: Vec<u64> = at.chain.steps.iter().filter_map(|step| step.writer).collect();
    threads.sort_unstable();
    threads.dedup();
    match threads.len() {
        0 | 1 => String::new(),
        _ => {
            let ids: Vec<String> = threads.iter().map(u64::to_string).collect();
            format!(" (here {})", ids.join(", "))
        }
    }
}

fn backend(at: &Situation<'_>) -> String {
    let count = at.subject.changes.len() + 1;
    let steps = at
        .chain
        .steps
        .iter()
        .filter(|step| step.change.as_ref().is_some_and(|c| c.kind == ChangeKind::Backend));
    let mut one_site = steps.filter(|step| is_one_call_site(at.model, step));
    match one_site.next() {
        Some(_) => format!(
            "One place in the program compiles it with {count} backends, or creates a new backend for each call. Call \
             `torch.compile` once with one backend object, and keep what it returns."
        ),
        None => format!(
            "Different places compile it with {count} backends; each needs a version. Use one backend if one is \
             enough."
        ),
    }
}

/// The compiled code changes what it guards on.
fn own_effect(at: &Situation<'_>) -> String {
    format!(
        "The compiled code sets {} itself, so its own guard fails in the next call. Set it before the first call: then one \
         version is enough.",
        at.subject("the value")
    )
}

/// Where versions differ in a class of one name that a function defines: `__main__.make.<locals>.Net`.
fn class_made_anew(at: &Situation<'_>) -> Option<String> {
    let values = at.subject.values();
    let [class] = values.as_slice() else { return None };
    let (function, class) = class.rsplit_once(".<locals>.")?;
    let function = function.rsplit('.').next().unwrap_or(function);
    (at.subject.changes.len() > 1).then(|| {
        format!(
            "The class `{class}` is defined in `{function}`, so each call of `{function}` makes another class, and each needs \
             a version. Define it once, at the top of a module."
        )
    })
}

fn values(at: &Situation<'_>, kind: ChangeKind) -> String {
    let name = at.named("the value");
    match kind {
        ChangeKind::Type => class_made_anew(at).unwrap_or_else(|| {
            format!("{name} comes in several types. Convert it to one type before the call.")
        }),
        ChangeKind::Object => format!(
            "{name} is another object than the code was compiled for. If each call creates a new one, create it once, \
             outside of the compiled function, and pass the same one. Constants, such as the members of an enum, need a \
             version each."
        ),
        ChangeKind::Function => format!(
            "{name} is another function than the code was compiled for; a function defined in the caller is a new one in \
             each call. Define it once, at the top of a module, and pass the same one. Each further function needs a \
             version."
        ),
        ChangeKind::EnumMember => format!("{name} selects a branch; one version per member is expected."),
        ChangeKind::Text => format!("The string {name} selects a branch; one version per value is expected."),
        ChangeKind::Flag => format!("The flag {name} selects a branch; one version per value is expected."),
        ChangeKind::NoneOrNot => {
            format!(
                "{name} is None in some calls and set in others; a version for each is expected. For one version, pass a \
                 neutral tensor in place of None."
            )
        }
        _ => format!(
            "{name} is part of the compiled code. Use the same value in all calls, or set it before the first."
        ),
    }
}

#[cfg(test)]
mod tests;
