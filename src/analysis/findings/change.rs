//! What changed between two compiles of a function, read from the guard that failed.

use crate::model::Reason;

/// What kind of thing changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Changed {
    /// A tensor's size or number of dimensions.
    Size,
    /// A tensor's dtype.
    Dtype,
    /// A tensor's device.
    Device,
    /// A tensor's strides.
    Stride,
    /// A number, text or other plain value of Python.
    Value,
    /// Which object it is, or its type.
    Identity,
    /// Grad mode, a tensor's `requires_grad` or other state of torch.
    State,
    /// The backend of `torch.compile`.
    Backend,
    /// Something else.
    Other,
    /// The log gives no reason.
    Unrecorded,
}

impl Changed {
    /// What people read.
    pub fn words(self) -> &'static str {
        match self {
            Changed::Size => "size",
            Changed::Dtype => "dtype",
            Changed::Device => "device",
            Changed::Stride => "stride",
            Changed::Value => "Python value",
            Changed::Identity => "object identity",
            Changed::State => "global or grad state",
            Changed::Backend => "backend",
            Changed::Other => "other",
            Changed::Unrecorded => "no reason recorded",
        }
    }
}

/// A change: of what, and from which value to which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What kind of thing.
    pub changed: Changed,
    /// What it is in the user's program: `x.shape[0]`, `cfg.mode`, `grad_mode`; empty where the guard does not tell.
    pub subject: String,
    /// The tensor or value, as torch names it: `x`.
    pub source: String,
    /// Dimension of a size or stride.
    pub dim: Option<u64>,
    /// The value that the older compile is for.
    pub from: Option<String>,
    /// The value that came.
    pub to: Option<String>,
}

impl Change {
    fn new(changed: Changed, source: &str) -> Change {
        Change {
            changed,
            subject: source.to_owned(),
            source: source.to_owned(),
            dim: None,
            from: None,
            to: None,
        }
    }

    /// Reads the guard of a reason.
    pub fn of(reason: &Reason) -> Change {
        let guard = if reason.guard.is_empty() { &reason.text } else { &reason.guard };
        // Several guards of one entry are joined; the first says enough.
        let guard = guard.split("; ").next().unwrap_or(guard).trim();
        let readers: [fn(&str) -> Option<Change>; 5] = [tensor, state, identity, size, value];
        let read = readers.iter().find_map(|read| read(guard));
        match read {
            Some(change) => change,
            None if guard.is_empty() => Change::new(Changed::Unrecorded, ""),
            None => Change::new(Changed::Other, ""),
        }
    }
}

/// `L['x']` as `x`; other sources as they are.
pub(super) fn plain(source: &str) -> String {
    let inner = source.strip_prefix("L['").and_then(|rest| rest.split_once("']"));
    inner.map_or_else(|| source.to_owned(), |(name, rest)| format!("{name}{rest}"))
}

/// `tensor 'x' size mismatch at index 0. expected 4, actual 6`
fn tensor(guard: &str) -> Option<Change> {
    let rest = guard.strip_prefix("tensor '")?;
    // The name may hold quotes itself: `L['x']`.
    let (name, rest) = rest.split_once("' ")?;
    let source = plain(name);
    let lower = rest.to_ascii_lowercase();
    let mut change = if lower.starts_with("size") {
        Change::new(Changed::Size, &source)
    } else if lower.starts_with("rank") {
        Change { subject: format!("{source}.ndim"), ..Change::new(Changed::Size, &source) }
    } else if lower.starts_with("stride") {
        Change::new(Changed::Stride, &source)
    } else if lower.starts_with("dtype") {
        Change { subject: format!("{source}.dtype"), ..Change::new(Changed::Dtype, &source) }
    } else if lower.contains("device") || lower.contains("dispatch key") {
        Change { subject: format!("{source}.device"), ..Change::new(Changed::Device, &source) }
    } else if lower.contains("requires_grad") {
        Change { subject: format!("{source}.requires_grad"), ..Change::new(Changed::State, &source) }
    } else {
        Change::new(Changed::Other, &source)
    };
    let number =
        |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<u64>().ok();
    change.dim = rest.split_once("at index ").and_then(|(_, at)| number(at));
    if let Some(dim) = change.dim {
        let of = if change.changed == Changed::Stride { "stride()" } else { "shape" };
        change.subject = format!("{source}.{of}[{dim}]");
    }
    if let Some((_, values)) = rest.split_once("xpected ") {
        let (from, to) = match values.split_once(", actual ") {
            Some((from, to)) => (from, Some(to)),
            None => (values, None),
        };
        let value = |text: &str| text.trim().trim_start_matches("requires_grad=").to_owned();
        change.from = Some(value(from)).filter(|from| from.len() <= LONGEST_VALUE);
        change.to = to.map(value).filter(|to| to.len() <= LONGEST_VALUE);
    }
    Some(change)
}

/// Characters of a value; a longer one is not a value that people compare.
const LONGEST_VALUE: usize = 80;

fn state(guard: &str) -> Option<Change> {
    if let Some(what) = guard.strip_prefix("GLOBAL_STATE changed: ") {
        return Some(Change::new(Changed::State, what.trim()));
    }
    if guard.contains("BACKEND_MATCH") || guard.contains("check_current_backend") {
        return Some(Change::new(Changed::Backend, ""));
    }
    let global = ["___check_global_state", "___check_torch_function_mode_stack", "torch_function_mode"];
    global.iter().any(|name| guard.contains(name)).then(|| Change::new(Changed::State, ""))
}

/// `___check_obj_id(L['f'], 140..)`, `___check_type_id(..)`, `utils_device.CURRENT_DEVICE == None`
fn identity(guard: &str) -> Option<Change> {
    for call in ["___check_obj_id(", "___check_type_id(", "check_obj_id(", "check_type_id("] {
        if let Some((_, rest)) = guard.split_once(call) {
            let source = rest.split(',').next().unwrap_or_default().trim();
            return Some(Change::new(Changed::Identity, &plain(source)));
        }
    }
    guard.contains("CURRENT_DEVICE").then(|| Change::new(Changed::State, "the default device"))
}

/// A condition on a size: `L['x'].size()[0] == 12`, `2 <= x.size()[0]`.
fn size(guard: &str) -> Option<Change> {
    for (mark, changed, word) in [
        (".size()[", Changed::Size, "shape"),
        (".shape[", Changed::Size, "shape"),
        (".stride()[", Changed::Stride, "stride()"),
    ] {
        let Some((before, after)) = guard.split_once(mark) else { continue };
        let name = |c: char| !(c.is_alphanumeric() || "_.[]'\"".contains(c));
        let source = plain(before.get(before.rfind(name).map_or(0, |at| at + 1)..).unwrap_or(before));
        let dim: Option<u64> = after.split(']').next().and_then(|dim| dim.parse().ok());
        let subject = dim.map_or_else(|| source.clone(), |dim| format!("{source}.{word}[{dim}]"));
        let from = guard.split_once(" == ").map(|(_, value)| value.trim().to_owned());
        return Some(Change { subject, dim, from, ..Change::new(changed, &source) });
    }
    None
}

/// A condition on a plain value: `k == 2`, `mode is None`, `not flag`, `len(fn._modules) != 2`.
fn value(guard: &str) -> Option<Change> {
    for operator in [" == ", " is not ", " is ", " != "] {
        let Some((source, value)) = guard.split_once(operator) else { continue };
        let mut change = Change::new(Changed::Value, &plain(source.trim()));
        let known = operator != " is not " && operator != " != " && value.len() <= LONGEST_VALUE;
        change.from = known.then(|| value.trim().to_owned());
        return Some(change);
    }
    let source = guard.strip_prefix("not ")?;
    Some(Change { from: Some("False".to_owned()), ..Change::new(Changed::Value, &plain(source.trim())) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(guard: &str) -> Change {
        Change::of(&Reason { guard: guard.to_owned(), ..Reason::default() })
    }

    #[test]
    fn guards_are_classified_by_what_changed() {
        for (guard, changed, subject, from, to) in [
            (
                "tensor 'x' size mismatch at index 1. expected 4, actual 6",
                Changed::Size,
                "x.shape[1]",
                "4",
                "6",
            ),
            (
                "tensor 'L['x']' size mismatch at index 0. expected 4, actual 6",
                Changed::Size,
                "x.shape[0]",
                "4",
                "6",
            ),
            ("tensor 'args[0]' rank mismatch. expected 2, actual 3", Changed::Size, "args[0].ndim", "2", "3"),
            (
                "tensor 'x' stride mismatch at index 0. expected 4, actual 1",
                Changed::Stride,
                "x.stride()[0]",
                "4",
                "1",
            ),
            (
                "tensor 'x' dtype mismatch. expected Float, actual Long",
                Changed::Dtype,
                "x.dtype",
                "Float",
                "Long",
            ),
            (
                "tensor 'x' requires_grad mismatch. expected requires_grad=0",
                Changed::State,
                "x.requires_grad",
                "0",
                "",
            ),
            (
                "tensor 'x' Tensor device index mismatch. Expected device index to be 0, got 1",
                Changed::Device,
                "x.device",
                "device index to be 0, got 1",
                "",
            ),
            ("GLOBAL_STATE changed: grad_mode", Changed::State, "grad_mode", "", ""),
            ("___check_obj_id(L['f'], 94)", Changed::Identity, "f", "", ""),
            ("BACKEND_MATCH failure: torch.compile detected different", Changed::Backend, "", "", ""),
            ("k == 2.5", Changed::Value, "k", "2.5", ""),
            ("cfg.mode == 'add'", Changed::Value, "cfg.mode", "'add'", ""),
            ("self.config.problem_type is None", Changed::Value, "self.config.problem_type", "None", ""),
            ("len(fn._modules) != 2", Changed::Value, "len(fn._modules)", "", ""),
            ("L['x'].size()[0] == 12", Changed::Size, "x.shape[0]", "12", ""),
            ("2 <= L['x'].size()[1]", Changed::Size, "x.shape[1]", "", ""),
            ("hasattr(f, 'x')", Changed::Other, "", "", ""),
            ("", Changed::Unrecorded, "", "", ""),
        ] {
            let found = change(guard);
            let text = |value: &Option<String>| value.clone().unwrap_or_default();
            assert_eq!(
                (found.changed, found.subject.as_str(), text(&found.from), text(&found.to)),
                (changed, subject, from.to_owned(), to.to_owned()),
                "{guard}"
            );
        }
    }
}
