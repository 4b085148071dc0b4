//! Guards that torch reports as messages.

use crate::analysis::recompiles::change::Change;
use crate::analysis::recompiles::kind::ChangeKind;
use crate::read::expr::as_written;
use crate::trace::TextSet;

/// `Unexpected recompilation: runtime guards failed even though they passed during ..`
pub(super) fn race(text: &str) -> Option<Change> {
    text.starts_with("Unexpected recompilation").then(|| Change::new(ChangeKind::Race, None))
}

/// `BACKEND_MATCH failure: .. Cached backend: _TorchCompileWrapper(compiler='eager', dynamic=None) (id=0x7f..). New
/// backend: ..`; before 2.15 without the two.
pub(super) fn backend(text: &str) -> Option<Change> {
    if !text.starts_with("BACKEND_MATCH") {
        return None;
    }
    let of = |mark: &str| text.split_once(mark).map(|(_, rest)| rest.split(" (id=").next().unwrap_or(rest));
    Some(
        Change::new(ChangeKind::Backend, None)
            .with_values(of("Cached backend: ").map(backend_name), of("New backend: ").map(backend_name)),
    )
}

/// `eager` in `_TorchCompileWrapper(compiler='eager', dynamic=None)`; other objects are kept verbatim.
fn backend_name(text: &str) -> &str {
    let compiler = text.split_once("compiler='").and_then(|(_, rest)| rest.split('\'').next());
    // The text of a function includes its address.
    compiler.unwrap_or_else(|| text.split(" at 0x").next().unwrap_or(text).trim_start_matches('<'))
}

/// `GLOBAL_STATE changed: grad_mode autocast(cuda)_enabled `
pub(super) fn global_state(text: &str) -> Option<Change> {
    let what = text.strip_prefix("GLOBAL_STATE changed:")?;
    let names: Vec<&str> = what.split_whitespace().collect();
    let first = names.first().copied().unwrap_or_default();
    let kind = match first {
        "grad_mode" => ChangeKind::GradMode,
        name if name.starts_with("autocast") => ChangeKind::Autocast,
        _ => ChangeKind::Setting,
    };
    let source = (!names.is_empty()).then(|| names.join(", "));
    Some(Change { kind, source, ..Change::default() })
}

/// `tensor 'x' size mismatch at index 0. expected 4, actual 6`
pub(super) fn tensor(text: &str) -> Option<Change> {
    let rest = text.strip_prefix("tensor '")?;
    let (source, rest) = rest.split_once("' ").or_else(|| rest.split_once("'. "))?;
    let (what, rest) = rest.split_once("mismatch").unwrap_or((rest, ""));
    let (at, rest) = rest.split_once(". ").unwrap_or(("", rest));
    let (values, remark) = rest.split_once(". ").unwrap_or((rest, ""));
    let (old, new) = expected_and_actual(values);
    let is_parameter =
        remark.contains("on a parameter") || source.contains("_parameters[") || source.contains("_buffers[");
    let kind = match what.trim() {
        "size" if is_parameter => ChangeKind::ParameterSize,
        "size" => ChangeKind::Size,
        "rank" => ChangeKind::Rank,
        "stride" => ChangeKind::Stride,
        "storage offset" => ChangeKind::StorageOffset,
        "dtype" => ChangeKind::Dtype,
        "requires_grad" => return Some(requires_grad(source, old)),
        "dispatch key set" => return Some(dispatch_keys(source, old, new)),
        what if what.contains("device") => ChangeKind::Device,
        _ => ChangeKind::Other,
    };
    let dimension = at.trim().strip_prefix("at index ").and_then(|number| number.trim().parse().ok());
    let change = Change::new(kind, Some(source)).with_values(old, new);
    Some(Change { dimension, of_parameter: is_parameter, ..change })
}

/// `expected 4, actual 6`; older torch also says `Expected device index to be 0, got 1`.
fn expected_and_actual(text: &str) -> (Option<&str>, Option<&str>) {
    let split = text.split_once(", actual ").or_else(|| text.split_once(", got "));
    let (old, new) = split.map_or((text, None), |(old, new)| (old, Some(new)));
    let old = old.trim().strip_prefix("expected ").or_else(|| old.trim().strip_prefix("Expected "));
    (old.map(|old| old.rsplit_once(" to be ").map_or(old, |(_, value)| value)), new)
}

/// torch writes only the expected flag, as 0 or 1; the other one arrived.
fn requires_grad(source: &str, old: Option<&str>) -> Change {
    let (old, new) = match old.map(|old| old.trim_start_matches("requires_grad=")) {
        Some("0") => (Some("False"), Some("True")),
        Some("1") => (Some("True"), Some("False")),
        _ => (None, None),
    };
    Change::new(ChangeKind::RequiresGrad, Some(source)).with_values(old, new)
}

/// The keys that are not among others.
fn without<'t>(keys: &[&'t str], others: &[&'t str]) -> Vec<&'t str> {
    let others: TextSet<&str> = others.iter().copied().collect();
    keys.iter().copied().filter(|key| !others.contains(key)).collect()
}

/// `DispatchKeySet(CPU, BackendSelect, AutogradCPU)`: the change is the keys that only one side has, or the device if
/// the keys are for different devices.
fn dispatch_keys(source: &str, old: Option<&str>, new: Option<&str>) -> Change {
    let (was, is) = (keys(old.unwrap_or_default()), keys(new.unwrap_or_default()));
    let (gone, came) = (without(&was, &is), without(&is, &was));
    let (from, to) = (device(was.first().copied()), device(is.first().copied()));
    if let (Some(from), Some(to)) = (from, to)
        && from != to
    {
        return Change::new(ChangeKind::Device, Some(source)).with_values(Some(from), Some(to));
    }
    let autocast = |key: &&str| key.starts_with("Autocast");
    let is_autocast = (gone.len() + came.len() > 0) && gone.iter().chain(&came).all(autocast);
    let kind = if is_autocast { ChangeKind::Autocast } else { ChangeKind::DispatchKeys };
    let words = |keys: &[&str]| if keys.is_empty() { "none".to_owned() } else { keys.join(", ") };
    let text = format!("dispatch keys gone: {}; new: {}", words(&gone), words(&came));
    let condition = (!was.is_empty() && !is.is_empty()).then_some(text);
    Change { condition, ..Change::new(kind, Some(source)) }
}

fn keys(text: &str) -> Vec<&str> {
    let inside = text.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(['.', ')']));
    inside.split(',').map(str::trim).filter(|key| !key.is_empty()).collect()
}

/// The first key of a dense tensor is its device.
fn device(key: Option<&str>) -> Option<&str> {
    const DEVICES: [&str; 13] = [
        "CPU",
        "CUDA",
        "HIP",
        "XLA",
        "MPS",
        "IPU",
        "XPU",
        "HPU",
        "VE",
        "Lazy",
        "MTIA",
        "PrivateUse1",
        "Meta",
    ];
    key.filter(|key| DEVICES.contains(key))
}

/// `expected type of 'x' to be <class 'torch.Tensor'>, but found <class 'int'>`; until 2.8 `to be a tensor type, ' but
/// found`.
pub(super) fn type_of_input(text: &str) -> Option<Change> {
    let rest = text.strip_prefix("expected type of '")?;
    let (source, rest) = rest.split_once("' to be ")?;
    let (old, new) = rest.split_once(" but found ").map_or((rest, None), |(old, new)| (old, Some(new)));
    let old = old.trim_end_matches(['\'', ',', ' ']);
    let was = if old.contains("tensor type") { "torch.Tensor" } else { class_name(old) };
    let new = new.map(class_name);
    // Builtin classes have no module in their name, and no tensor class is builtin.
    let is_builtin = new.is_some_and(|name| !name.contains('.'));
    let kind = if is_builtin { ChangeKind::NotATensor } else { ChangeKind::Type };
    Some(Change::new(kind, Some(source)).with_values(Some(was), new))
}

/// `int` of `<class 'int'>`.
fn class_name(text: &str) -> &str {
    text.split_once('\'').and_then(|(_, rest)| rest.split_once('\'')).map_or(text, |(name, _)| name)
}

/// `Duplicate tensors found: ["x", "y"]`: inputs that were different tensors are the same one now.
pub(super) fn duplicates(text: &str) -> Option<Change> {
    let rest = text.strip_prefix("Duplicate tensor")?;
    let list = rest.split_once('[').map(|(_, list)| list.trim_end().trim_end_matches(']'));
    // Names may contain brackets and single quotes; the double quotes are torch's.
    let names = list.map(|list| list.split('"').skip(1).step_by(2).collect::<Vec<_>>());
    let names = names.filter(|names| !names.is_empty());
    let source = names.map(|names| names.into_iter().map(as_written).collect::<Vec<_>>().join(", "));
    Some(Change::of_alias(source, ["different tensors", "the same tensor"]))
}

/// `_has_dynamo_dim_marking is present on runtime tensor but was absent at compile time`
pub(super) fn marks(text: &str) -> Option<Change> {
    if !text.starts_with("_has_dynamo_dim_marking") && !text.starts_with("_dynamo_") {
        return None;
    }
    let (old, new) = match text.contains("but was absent") {
        true => (Some("not marked"), Some("marked")),
        false if text.contains("but was present") => (Some("marked"), Some("not marked")),
        false => (None, None),
    };
    Some(Change::new(ChangeKind::Marks, None).with_values(old, new))
}

/// Up to 2.8 torch writes an empty text if no guard failed: the backend differs, or several threads compiled at once.
pub(super) fn unnamed(text: &str) -> Option<Change> {
    text.is_empty().then(|| Change::new(ChangeKind::Unnamed, None))
}
