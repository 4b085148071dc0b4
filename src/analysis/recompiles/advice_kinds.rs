//! Advice for each kind of change.

use super::cause::{is_another_module, is_one_call_site};
use super::chain::Chain;
use super::change::Change;
use super::kind::ChangeKind;
use super::limit::Limit;
use super::subject::Subject;
use super::words::is_left_by_break;
use crate::model::Model;

/// A change to give advice on.
pub(super) struct Situation<'s> {
    /// The log.
    pub model: &'s Model,
    /// The function and all its compiles.
    pub chain: &'s Chain<'s>,
    /// What changed.
    pub subject: &'s Subject<'s>,
}

impl Situation<'_> {
    /// The variable in backquotes, or other words.
    fn named(&self, otherwise: &str) -> String {
        self.subject.source().map_or_else(|| otherwise.to_owned(), |source| format!("`{source}`"))
    }

    /// The expression in backquotes, or other words.
    fn subject(&self, otherwise: &str) -> String {
        self.subject.name.as_deref().map_or_else(|| otherwise.to_owned(), |name| format!("`{name}`"))
    }

    fn change(&self) -> Option<&Change> {
        self.subject.changes.first().copied()
    }

    fn is_another_module(&self) -> bool {
        let first = self.chain.steps.first().map(|step| step.compile);
        first
            .zip(self.change())
            .is_some_and(|(compile, change)| is_another_module(self.model, compile, change))
    }

    fn condition(&self) -> &str {
        self.change().and_then(|change| change.condition.as_deref()).unwrap_or("the condition")
    }

    /// `torch._dynamo.mark_dynamic(x, 0)`
    fn mark(&self) -> String {
        let source = self.subject.source().unwrap_or("tensor");
        let dimension = self.change().and_then(|change| change.dimension).unwrap_or(0);
        format!("`torch._dynamo.mark_dynamic({source}, {dimension})`")
    }
}

/// What to do about one thing that changed.
pub(super) fn advice_of(at: &Situation<'_>) -> String {
    let Some(kind) = at.subject.kind else {
        return "The log has no reason for these compiles. torch writes none when its caches were reset between them, \
                and versions before 2.5 write none at all."
            .to_owned();
    };
    if at.change().is_some_and(|change| change.is_own_effect) {
        return own_effect(at);
    }
    if at.is_another_module() {
        return "torch compiles all modules that it wraps from outside through this one function, and each module takes one \
                of its versions. Expected; where more modules follow than the limit allows, raise \
                `torch._dynamo.config.recompile_limit`."
            .to_owned();
    }
    let advice = sizes(at, kind)
        .or_else(|| tensors(at, kind))
        .or_else(|| settings(at, kind))
        .or_else(|| containers(at, kind))
        .or_else(|| compiler(at, kind));
    advice.unwrap_or_else(|| values(at, kind))
}

fn sizes(at: &Situation<'_>, kind: ChangeKind) -> Option<String> {
    let (size, mark) = (at.subject("the size"), at.mark());
    Some(match kind {
        ChangeKind::Size => size_of_input(at),
        ChangeKind::ParameterSize => format!(
            "{} is a parameter or buffer of another shape, which is not marked as dynamic. Compile each module by \
             itself, pad them to one shape, or set `torch._dynamo.config.force_parameter_static_shapes = False`.",
            at.named("The tensor")
        ),
        ChangeKind::Rank => format!(
            "{} comes with different numbers of dimensions. Give it one, by `.reshape` or `.unsqueeze`, before the call.",
            at.named("The tensor")
        ),
        ChangeKind::ZeroOne => {
            "This version is expected. If it matters, avoid batches of one element: drop or pad the last batch."
                .to_owned()
        }
        ChangeKind::EqualSizes => format!(
            "Mark one of the two dynamic by itself, {mark}, or set `torch.fx.experimental._config.use_duck_shape = \
             False`, so that equal sizes do not share a symbol."
        ),
        ChangeKind::Relation => relation(at.condition(), &size),
        _ => return None,
    })
}

fn size_of_input(at: &Situation<'_>) -> String {
    let (size, mark) = (at.subject("The size"), at.mark());
    if at.subject.became_dynamic() {
        return format!(
            "{size} is dynamic since the last compile; further sizes do not recompile. To save that compile, mark the \
             dimension before the first call: {mark}."
        );
    }
    let until = match at.chain.limit {
        Limit::NotReached => "",
        Limit::RunsEagerly => " Until then, calls with a new size run in eager mode.",
        Limit::Raises => " Until then, calls with a new size raise.",
    };
    format!(
        "{size} took {} sizes and was not made dynamic, as torch does by default at the second size. Remove \
         `dynamic=False` from `torch.compile` if it is set, or mark the dimension: {mark}.{until}",
        at.subject.distinct_values()
    )
}

/// The largest 32-bit index: beyond it, kernels use 64-bit indices.
const LAST_32_BIT: f64 = 2_147_483_647.0;

/// How to make a relation hold that the code relies on.
fn relation(condition: &str, size: &str) -> String {
    let numbers =
        condition.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse::<f64>().ok());
    if numbers.into_iter().any(|number| number >= LAST_32_BIT) {
        return "Kernels index with 32 bits up to this bound and with 64 bits beyond it: one more version for larger \
                tensors is needed."
            .to_owned();
    }
    if let Some((_, rest)) = condition.split_once("% ") {
        let factor: String = rest.chars().take_while(char::is_ascii_digit).collect();
        return format!(
            "Pad the size to a multiple of {factor}, so that `{condition}` holds in every call; where it always does, \
             say so in the program: `torch._check({condition})`."
        );
    }
    format!(
        "The program branches on this relation, or an operation needs it. Make {size} hold in every call, by padding \
         for example, and say so in the program with `torch._check`; otherwise both sides need a version."
    )
}

fn tensors(at: &Situation<'_>, kind: ChangeKind) -> Option<String> {
    let tensor = at.named("The tensor");
    Some(match kind {
        ChangeKind::Stride if at.subject.became_dynamic() => format!(
            "The stride is dynamic since the last compile; further strides do not recompile. To save that compile, give \
             {tensor} the same layout in each call: `.contiguous()`."
        ),
        ChangeKind::Stride => format!(
            "The layout of {tensor} changes: some calls pass a view. If it does not matter, make it the same before \
             the call: `.contiguous()`."
        ),
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
        ChangeKind::Dtype => {
            "One version per dtype is expected. Cast the input before the call if one dtype is enough."
                .to_owned()
        }
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
            "Dimensions of {} are marked as dynamic in some calls only. Mark each call the same way: call \
             `torch._dynamo.mark_dynamic` before every call, or before none.",
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
            "One compiled function is called for modules of different structure, and each needs a version. Call \
             `torch.compile` on each module by itself."
                .to_owned(),
        );
    }
    Some(match kind {
        ChangeKind::Length => format!(
            "The number of items of {source} is part of the compiled code, as its loops are unrolled. Pass the same \
             number in each call, pad it, or stack the items into one tensor."
        ),
        ChangeKind::IteratorLength => format!(
            "The number of items left in {source} is part of the compiled code. Pass the same number in each call, or \
             compile the body of the loop only."
        ),
        ChangeKind::Keys => format!("Pass {source} with the same keys in the same order in each call."),
        ChangeKind::Member => format!(
            "The compiled code relies on which items {source} has. A version for each case is expected where the \
             program branches on it; otherwise pass the same set."
        ),
        _ => format!("Give the object {source} in every call or in none: set it before the first call."),
    })
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
        ChangeKind::Other => "The failed guard says what changed.".to_owned(),
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
    let name = at.subject("the value");
    if at.subject.kind == Some(ChangeKind::Number) {
        return counter(at);
    }
    format!(
        "The compiled code sets {name} itself, so its own guard fails in the next call. Set it before the first call: \
         then one version is enough."
    )
}

fn counter(at: &Situation<'_>) -> String {
    format!(
        "The code counts up {} itself in each call, so each call finds a new number. Keep the counter out of the \
         compiled code or in a tensor (`register_buffer`), or set \
         `torch._dynamo.config.allow_unspec_int_on_nn_module = True`.",
        at.subject("the number")
    )
}

fn values(at: &Situation<'_>, kind: ChangeKind) -> String {
    let name = at.named("the value");
    match kind {
        ChangeKind::Number => number(at),
        ChangeKind::Type => format!("{name} comes in several types. Convert it to one type before the call."),
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
            format!("{name} is None in some calls and set in others; a version for each is expected.")
        }
        _ => format!(
            "{name} is part of the compiled code. Use the same value in all calls, or set it before the first."
        ),
    }
}

fn number(at: &Situation<'_>) -> String {
    let (name, source) = (at.named("the number"), at.subject.source().unwrap_or_default());
    let is_dynamic = at.subject.became_dynamic();
    if is_left_by_break(source) {
        let after = if is_dynamic {
            " It is dynamic since the last compile, so further values do not recompile."
        } else {
            ""
        };
        return format!(
            "The value that a graph break left behind, such as the result of `.item()`, is part of the compiled code \
             after it. Keep it a tensor, or compute it outside of the compiled function.{after}"
        );
    }
    if is_dynamic {
        return format!(
            "Nothing to do: {name} is dynamic since the last compile, and further values do not recompile. Passing a tensor \
             from the first call on saves that compile."
        );
    }
    let is_attribute = source.contains('.') && !source.contains(".__");
    if is_attribute && counts_up(&at.subject.values()) {
        return counter(at);
    }
    if let Some((function, _)) = source.split_once(".__closure__") {
        return format!(
            "The number in the closure of `{function}` is part of the compiled code. Pass it as an argument, as a tensor."
        );
    }
    if let Some((function, _)) = source.split_once(".__defaults__") {
        return format!(
            "A default argument of `{function}` is part of the compiled code. Pass the number as a tensor instead of \
             making a function for each."
        );
    }
    if is_attribute {
        return format!(
            "{name} is part of the compiled code. Set it once before the first call, or keep it in a tensor."
        );
    }
    let many = at.subject.distinct_values() > 2 || at.subject.changes.len() > 1;
    let off = if many { ", or remove `dynamic=False` from `torch.compile` if it is set" } else { "" };
    format!("The number {name} is part of the compiled code. Pass it as a tensor{off}.")
}

/// Whether each number is one more than the previous one, like a counter.
fn counts_up(values: &[String]) -> bool {
    let numbers: Option<Vec<i64>> = values.iter().map(|value| value.parse().ok()).collect();
    numbers.is_some_and(|numbers| {
        numbers.len() > 1
            && numbers.windows(2).all(|two| matches!(two, [a, b] if a.checked_add(1) == Some(*b)))
    })
}

#[cfg(test)]
mod tests;
