//! The input tensors of two compiles side by side.

use crate::model::{Compile, InputTensor};
use crate::report::kit::prelude::*;

/// The properties that are compared, after the name.
const COLUMNS: [&str; 6] = ["Name", "Shape", "Stride", "dtype", "Device", "Gradient"];

/// Tensors that are shown.
const LISTED: usize = 24;

/// The input tensors that differ, before and after; empty if either compile has none.
pub(super) fn compared(old: &Compile, new: &Compile) -> Html {
    let (was, is) = (rows(old), rows(new));
    if was.is_empty() || is.is_empty() {
        return Html::default();
    }
    let mut changed: Vec<(&[String], &[String])> = Vec::new();
    let mut equal = 0;
    for row in &is {
        let before = was.iter().find(|before| before.first() == row.first());
        match before {
            Some(before) if before == row => equal += 1,
            Some(before) => changed.push((before.as_slice(), row.as_slice())),
            None => changed.push((&[], row.as_slice())),
        }
    }
    let gone = was.iter().filter(|before| !is.iter().any(|row| row.first() == before.first()));
    changed.extend(gone.map(|before| (before.as_slice(), &[] as &[String])));
    let about = match (changed.len(), equal) {
        (0, equal) => format!("All {} are the same.", counted(equal, "input tensor", "input tensors")),
        (shown, 0) => counted(shown, "input tensor", "input tensors") + " differ.",
        (shown, equal) => format!(
            "{} differ, {} are the same.",
            counted(shown, "input tensor", "input tensors"),
            whole(equal)
        ),
    };
    let about = about.replace("1\u{a0}input tensor differ.", "1\u{a0}input tensor differs.");
    let more = changed.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" {} more are left out.", whole(more)) } else { String::new() };
    let lines = changed.iter().take(LISTED).map(|(was, is)| difference(was, is));
    let lines = std::iter::once(soft(about + &more)).chain(lines);
    Element::new("p").class("space-above").around(stacked(lines))
}

/// What is compared of each input tensor of a compile, as text.
fn rows(compile: &Compile) -> Vec<[String; COLUMNS.len()]> {
    let row = compile.inputs.iter().map(|InputTensor { source, tensor, .. }| {
        [
            source.to_string(),
            tensor.shape.clone(),
            tensor.stride.clone().unwrap_or_default(),
            tensor.dtype.clone(),
            tensor.device.clone(),
            tensor.gradient_word().to_owned(),
        ]
    });
    row.collect()
}

/// `L['x']: shape [3, 4] → [3, 6]`.
fn difference(was: &[String], is: &[String]) -> Html {
    let name = is.first().or(was.first()).map_or("", String::as_str);
    // Color is never the only sign.
    let (alone, words) = match (was, is) {
        (_, []) => (Some("old"), " is gone: "),
        ([], _) => (Some("new"), " is new: "),
        _ => (None, ": "),
    };
    let value = |class: &'static str, text: Option<&String>| span(class, text.map_or("", String::as_str));
    let fields = COLUMNS.iter().enumerate().skip(1).filter_map(|(column, title)| {
        let (was, is) = (was.get(column), is.get(column));
        let value = match alone {
            Some(class) => value(class, Some(was.or(is).filter(|text| !text.is_empty())?)),
            None if was == is => return None,
            None => Html::joined([value("old", was), value("new", is)], " → "),
        };
        Some(Html::joined([title.to_lowercase().into(), value], " "))
    });
    Html::joined([Element::new("code").around(name), words.into(), Html::joined(fields, ", ")], "")
}
