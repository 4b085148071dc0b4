//! What changed, read from the text of a failed guard.
//!
//! torch words a failed guard in two ways: checks made in C++ speak (`tensor 'x' size mismatch at index 0. expected 4,
//! actual 6`), all others are the condition that used to hold (`k == 2`).

/// The kind of thing that changed between two compiles of one function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// A dimension of a tensor, or how many it has.
    Size,
    /// The layout of a tensor: stride or storage offset.
    Stride,
    /// The element type of a tensor.
    Dtype,
    /// Where a tensor lives, or what kind of tensor it is for the dispatcher.
    Device,
    /// A number, string, length, key or attribute of Python that is part of the compiled code.
    PythonValue,
    /// Another object, or an object of another type, where one was expected.
    ObjectIdentity,
    /// Grad mode, autocast and the like, and whether a tensor needs a gradient.
    GlobalState,
    /// The backend given to `torch.compile`.
    Backend,
    /// Nothing of the above.
    Other,
}

impl ChangeKind {
    /// In words, as a list of kinds would name it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Stride => "stride",
            Self::Dtype => "dtype",
            Self::Device => "device",
            Self::PythonValue => "Python value",
            Self::ObjectIdentity => "object identity",
            Self::GlobalState => "global or grad state",
            Self::Backend => "backend",
            Self::Other => "other",
        }
    }
}

/// What a failed guard says about the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What kind of thing changed.
    pub kind: ChangeKind,
    /// The expression whose value changed, without the property that the kind names: `x` of a size or a dtype,
    /// `cfg.mode`, `grad_mode`.
    pub source: Option<String>,
    /// The dimension, for sizes and strides.
    pub dimension: Option<u64>,
    /// The value that the failed entry was compiled for.
    pub old: Option<String>,
    /// The value that arrived, where the text has it. A guard of Python has not: the next compile's guard tells.
    pub new: Option<String>,
}

impl Change {
    fn new(kind: ChangeKind, source: Option<&str>) -> Self {
        let source = source.map(local).filter(|s| !s.is_empty());
        Self { kind, source, dimension: None, old: None, new: None }
    }

    fn values(mut self, old: Option<&str>, new: Option<&str>) -> Self {
        let tidy = |value: &str| value.trim().trim_end_matches('.').to_owned();
        self.old = old.map(tidy).filter(|v| !v.is_empty());
        self.new = new.map(tidy).filter(|v| !v.is_empty());
        self
    }

    /// The expression in full, as one would write it in Python: `x.shape[1]`, `x.dtype`, `k`.
    pub fn subject(&self) -> Option<String> {
        let source = self.source.as_deref()?;
        Some(match (self.kind, self.dimension) {
            (ChangeKind::Size, Some(dimension)) => format!("{source}.shape[{dimension}]"),
            (ChangeKind::Size, None) => format!("{source}.ndim"),
            (ChangeKind::Stride, Some(dimension)) => format!("{source}.stride({dimension})"),
            (ChangeKind::Dtype, _) => format!("{source}.dtype"),
            (ChangeKind::Device, _) => format!("{source}.device"),
            _ => source.to_owned(),
        })
    }
}

/// Reads a reason, as torch wrote it but without the id of the older compile in front; a comment with the source line
/// may follow (`k == 2   # return x + k  # a.py:18 in f`). Total: a text that nobody knows is [`ChangeKind::Other`].
pub fn classify(reason: &str) -> Change {
    let text = reason.lines().next().unwrap_or_default();
    let text = text.split("  # ").next().unwrap_or_default();
    // Several guards of one entry are joined; the first says enough.
    let text = text.split("; ").next().unwrap_or_default().trim();
    backend(text)
        .or_else(|| global_state(text))
        .or_else(|| tensor(text))
        .or_else(|| symbolic(text))
        .or_else(|| identity(text))
        .or_else(|| python_value(text))
        .unwrap_or_else(|| Change::new(ChangeKind::Other, None))
}

fn backend(text: &str) -> Option<Change> {
    (text.starts_with("BACKEND_MATCH")
        || text.contains("___lookup_backend")
        || text.contains("___current_backend"))
    .then(|| Change::new(ChangeKind::Backend, None))
}

/// `GLOBAL_STATE changed: grad_mode `, `utils_device.CURRENT_DEVICE == None`.
fn global_state(text: &str) -> Option<Change> {
    if let Some(what) = text.strip_prefix("GLOBAL_STATE changed:") {
        let what = what.split_whitespace().collect::<Vec<_>>().join(", ");
        return Some(Change::new(ChangeKind::GlobalState, Some(&what)));
    }
    let marks = [
        "___check_global_state",
        "CURRENT_DEVICE",
        "torch_function_mode_stack",
        "___check_torch_function_mode",
    ];
    if !marks.iter().any(|mark| text.contains(mark)) {
        return None;
    }
    let compared = text.split_once(" == ");
    Some(
        Change::new(ChangeKind::GlobalState, compared.map(|(left, _)| left))
            .values(compared.map(|(_, v)| v), None),
    )
}

/// What the check of a tensor says: `tensor 'x' size mismatch at index 0. expected 4, actual 6`.
fn tensor(text: &str) -> Option<Change> {
    if let Some(rest) = text.strip_prefix("expected type of '") {
        let (source, rest) = rest.split_once("' to be ")?;
        let (old, new) = rest.split_once(" but found ").unzip();
        let old = old.map(|old| old.trim_end_matches(['\'', ',', ' ']));
        return Some(Change::new(ChangeKind::ObjectIdentity, Some(source)).values(old, new));
    }
    let (source, rest) = split_any(text.strip_prefix("tensor '")?, &["' ", "'. "])?;
    let (what, values) = rest.split_once("mismatch").unwrap_or((rest, ""));
    let (at, values) = values.split_once(". ").unwrap_or(("", values));
    let (old, new) = expected_and_actual(values);
    let kind = match what.trim() {
        "size" | "rank" => ChangeKind::Size,
        "stride" | "storage offset" => ChangeKind::Stride,
        "dtype" => ChangeKind::Dtype,
        "requires_grad" => return Some(requires_grad(source, old)),
        "dispatch key set" => ChangeKind::Device,
        what if what.contains("device") => ChangeKind::Device,
        _ => ChangeKind::Other,
    };
    let mut change = Change::new(kind, Some(source)).values(old, new);
    change.dimension = at.trim().strip_prefix("at index ").and_then(|n| n.trim().parse().ok());
    Some(change)
}

/// `expected 4, actual 6`; older torch also says `Expected device index to be 0, got 1`.
fn expected_and_actual(text: &str) -> (Option<&str>, Option<&str>) {
    let (old, new) =
        split_any(text, &[", actual ", ", got "]).map_or((text, None), |(old, new)| (old, Some(new)));
    let old = ["expected ", "Expected "].iter().find_map(|word| old.trim().strip_prefix(word));
    (old.map(|old| old.rsplit_once(" to be ").map_or(old, |(_, value)| value)), new)
}

/// torch writes the expected flag only, as 0 or 1; the other one arrived.
fn requires_grad(source: &str, old: Option<&str>) -> Change {
    let (old, new) = match old.map(|old| old.trim_start_matches("requires_grad=")) {
        Some("0") => (Some("False"), Some("True")),
        Some("1") => (Some("True"), Some("False")),
        _ => (None, None),
    };
    Change::new(ChangeKind::GlobalState, Some(&format!("{source}.requires_grad"))).values(old, new)
}

/// A condition on a symbol: `2 <= L['x'].size()[0] <= 4`, `L['x'].stride()[1] == 1`.
fn symbolic(text: &str) -> Option<Change> {
    let forms = [
        (".size()[", ChangeKind::Size),
        (".shape[", ChangeKind::Size),
        (".stride()[", ChangeKind::Stride),
        (".storage_offset()", ChangeKind::Stride),
    ];
    let (kind, at, mark) = forms.iter().find_map(|(mark, kind)| Some((*kind, text.find(mark)?, *mark)))?;
    let source = text.get(..at)?;
    let start = source.rfind([' ', '(', ',', '*', '+', '-', '/', '%']).map_or(0, |i| i + 1);
    let rest = text.get(at + mark.len()..)?;
    let mut change = Change::new(kind, source.get(start..));
    change.dimension = rest.split(']').next().and_then(|n| n.parse().ok());
    let is_whole = start == 0 && rest.split_once(']').is_some_and(|(_, after)| after.starts_with(" == "));
    let value = rest.split_once(" == ").map(|(_, value)| value).filter(|_| is_whole);
    Some(change.values(value, None))
}

/// Checks of an object or of its type: `___check_type_id(L['x'], 94506458411648)`, `x is y`.
fn identity(text: &str) -> Option<Change> {
    for check in ["___check_type_id(", "___check_obj_id("] {
        let Some((_, rest)) = text.split_once(check) else { continue };
        let source = rest.rsplit_once(", ").map_or(rest, |(source, _)| source);
        return Some(Change::new(ChangeKind::ObjectIdentity, Some(source)));
    }
    let duplicate = text.starts_with("Duplicate tensor found") || text.contains("check_no_aliasing");
    if duplicate {
        return Some(Change::new(ChangeKind::ObjectIdentity, None));
    }
    let (source, other) = split_any(text, &[" is not ", " is "])?;
    let is_code = !source.contains(' ');
    let is_value = matches!(other, "None" | "True" | "False" | "Ellipsis");
    (is_code && !is_value).then(|| Change::new(ChangeKind::ObjectIdentity, Some(source)))
}

/// Conditions of Python: `k == 2`, `len(xs) != 2`, `not xs`, `self.y is None`, `'a' in d`.
fn python_value(text: &str) -> Option<Change> {
    let value = |source: &str| Change::new(ChangeKind::PythonValue, Some(source));
    if let Some((source, old)) = text.split_once(" == ") {
        return Some(value(source).values(Some(old), None));
    }
    // The check of a dictionary's length words the failure, not the condition: two is what was expected.
    if let Some((source, old)) = text.split_once(" != ") {
        let old = source.starts_with("len(").then_some(old);
        return Some(value(source).values(old, None));
    }
    if let Some((source, old)) = split_any(text, &[" is not ", " is "]) {
        let is_not = text.contains(" is not ");
        return Some(value(source).values((!is_not).then_some(old), None));
    }
    if let Some(source) = text.strip_prefix("not ") {
        return Some(value(source));
    }
    let asks = ["___dict_contains(", "hasattr(", "___dict_version(", "math.isnan(", "str("];
    if asks.iter().any(|ask| text.starts_with(ask)) {
        return Some(value(text));
    }
    let (_, container) = split_any(text, &[" not in ", " in "])?;
    (!container.contains(' ')).then(|| value(container))
}

/// Splits at whichever mark is found first in the list.
fn split_any<'t>(text: &'t str, marks: &[&str]) -> Option<(&'t str, &'t str)> {
    marks.iter().find_map(|mark| text.split_once(mark))
}

/// `L['x'].y` as the user wrote it: `x.y`. Torch 2.8 and later do so themselves.
pub(super) fn local(source: &str) -> String {
    let mut text = source.trim().to_owned();
    while let Some(at) = text.find("L['") {
        let is_word =
            text.get(..at).is_some_and(|head| head.ends_with(|c: char| c.is_alphanumeric() || c == '_'));
        let rest = text.get(at + 3..).unwrap_or_default();
        let Some((name, after)) = rest.split_once("']") else { break };
        if is_word || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            break;
        }
        text = format!("{}{name}{after}", text.get(..at).unwrap_or_default());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kind, subject, dimension, old and new value, as one line.
    fn read(reason: &str) -> String {
        let change = classify(reason);
        let or = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        let dimension = change.dimension.map(|d| d.to_string());
        let parts = [or(change.subject()), or(dimension), or(change.old), or(change.new)];
        format!("{} | {}", change.kind.word(), parts.join(" | "))
    }

    #[test]
    fn sizes_name_the_dimension_and_both_values() {
        let text = "tensor 'x' size mismatch at index 1. expected 4, actual 6";
        assert_eq!(read(text), "size | x.shape[1] | 1 | 4 | 6");
        let text = "tensor 'L['x']' size mismatch at index 0. expected 12, actual 13";
        assert_eq!(read(text), "size | x.shape[0] | 0 | 12 | 13");
        let text = "tensor 'args[0]' size mismatch at index 0. expected 4, actual 6";
        assert_eq!(read(text), "size | args[0].shape[0] | 0 | 4 | 6");
        assert_eq!(read("tensor 'x' rank mismatch. expected 2, actual 3"), "size | x.ndim | - | 2 | 3");
        assert_eq!(read("L['x'].size()[0] == 8"), "size | x.shape[0] | 0 | 8 | -");
        assert_eq!(read("2 <= L['x'].size()[1] <= 4"), "size | x.shape[1] | 1 | - | -");
        assert_eq!(read("Eq(Mod(L['x'].size()[0], 8), 0)"), "size | x.shape[0] | 0 | - | -");
    }

    #[test]
    fn other_properties_of_tensors_are_told_apart() {
        let text = "tensor 'x' dtype mismatch. expected Float, actual Double";
        assert_eq!(read(text), "dtype | x.dtype | - | Float | Double");
        let text = "tensor 'x' dtype mismatch. expected Long, actual BFloat16";
        assert_eq!(read(text), "dtype | x.dtype | - | Long | BFloat16");
        let text = "tensor 'x' stride mismatch at index 0. expected 4, actual 1";
        assert_eq!(read(text), "stride | x.stride(0) | 0 | 4 | 1");
        let text = "tensor 'x' Tensor device index mismatch. Expected device index to be 0, got 1";
        assert_eq!(read(text), "device | x.device | - | 0 | 1");
        let text =
            "tensor 'x' dispatch key set mismatch. expected DispatchKeySet(CPU), actual DispatchKeySet(CUDA)";
        assert_eq!(read(text), "device | x.device | - | DispatchKeySet(CPU) | DispatchKeySet(CUDA)");
    }

    #[test]
    fn grad_and_global_state_are_one_kind() {
        let text = "tensor 'x' requires_grad mismatch. expected requires_grad=0";
        assert_eq!(read(text), "global or grad state | x.requires_grad | - | False | True");
        assert_eq!(read("GLOBAL_STATE changed: grad_mode "), "global or grad state | grad_mode | - | - | -");
        let text = "utils_device.CURRENT_DEVICE == None";
        assert_eq!(read(text), "global or grad state | utils_device.CURRENT_DEVICE | - | None | -");
    }

    #[test]
    fn conditions_of_python_give_the_value_that_was_compiled_for() {
        let tail = "       # return x + k if flag else x - k  # scripts/s04.py:18 in by_python_scalar";
        assert_eq!(read(&format!("k == 2.5{tail}")), "Python value | k | - | 2.5 | -");
        assert_eq!(read("k == 1                         "), "Python value | k | - | 1 | -");
        assert_eq!(read(&format!("flag == True{tail}")), "Python value | flag | - | True | -");
        let text = "fn.__closure__[0].cell_contents == 1     # return x * n  # s04.py:28 in closure (HINT: guard on \"n\")";
        assert_eq!(read(text), "Python value | fn.__closure__[0].cell_contents | - | 1 | -");
        let text =
            "cfg.mode == 'add'      # return x + 1 if cfg.mode == \"add\" else x * 2  # s04.py:44 in f";
        assert_eq!(read(text), "Python value | cfg.mode | - | 'add' | -");
        let text = "L['___stack0'] == -0.018349945545196533                     ";
        assert_eq!(read(text), "Python value | ___stack0 | - | -0.018349945545196533 | -");
        let text =
            "___stack0 == -0.018349945545196533   # if y.mean().item() > 1e9:  # s.py:81 in resume_at_81";
        assert_eq!(read(text), "Python value | ___stack0 | - | -0.018349945545196533 | -");
        let text = "self.config.problem_type is None      # if self.config.problem_type is None:  # b.py:1110 in forward";
        assert_eq!(read(text), "Python value | self.config.problem_type | - | None | -");
        assert_eq!(read("len(fn._modules) != 2"), "Python value | len(fn._modules) | - | 2 | -");
        assert_eq!(read("not L['xs']"), "Python value | xs | - | - | -");
        assert_eq!(read("'a' in kwargs"), "Python value | kwargs | - | - | -");
    }

    #[test]
    fn objects_types_and_backends_have_kinds_of_their_own() {
        assert_eq!(read("___check_type_id(L['x'], 94506458411648)"), "object identity | x | - | - | -");
        assert_eq!(read("___check_obj_id(L['self'].f, 7)"), "object identity | self.f | - | - | -");
        assert_eq!(read("x is y"), "object identity | x | - | - | -");
        let text = "BACKEND_MATCH failure: torch.compile detected different backend callables";
        assert_eq!(read(text), "backend | - | - | - | -");
        assert_eq!(read("Unexpected recompilation: the cache says so"), "other | - | - | - | -");
        assert_eq!(read(""), "other | - | - | - | -");
    }
}
