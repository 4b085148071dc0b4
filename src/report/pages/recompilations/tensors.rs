//! The input tensors of two compiles side by side.

use crate::model::{CompileIndex, InputTensor, Model};
use crate::report::kit::prelude::*;

/// What of the tensors is compared, the name first.
const COLUMNS: [&str; 6] = ["Name", "Shape", "Stride", "dtype", "Device", "Gradient"];

/// Tensors that are shown.
const LISTED: usize = 24;

/// The input tensors that differ, before and after; empty where either compile has none.
pub(crate) fn compared(model: &Model, old: CompileIndex, new: CompileIndex) -> Html {
    let (was, is) = (rows(model, old), rows(model, new));
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
    let about = soft(Html::escaped(&(about + &more)));
    let lines = stacked(std::iter::once(about).chain(lines));
    Element::new("p").class("space-above").around(&lines)
}

/// What is compared of each input tensor of a compile, as text.
fn rows(model: &Model, compile: CompileIndex) -> Vec<[String; COLUMNS.len()]> {
    let inputs = model.compiles.get(compile).map(|compile| &compile.inputs);
    let row = inputs.into_iter().flatten().map(|InputTensor { source, tensor, .. }| {
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
    let name = is.first().or(was.first()).map(String::as_str).unwrap_or_default();
    let name = Element::new("code").around(Html::escaped(name));
    let alone = match (was, is) {
        (_, []) => Some("old"),
        ([], _) => Some("new"),
        _ => None,
    };
    let value = |class, text: Option<&String>| match class {
        "old" => span("old", Html::escaped(text.map_or("", |t| t))),
        _ => span("new", Html::escaped(text.map_or("", |t| t))),
    };
    let fields = COLUMNS.iter().enumerate().skip(1).filter_map(|(column, title)| {
        let (was, is) = (was.get(column), is.get(column));
        let title = Html::escaped(&title.to_lowercase());
        match alone {
            Some(class) => {
                let text = was.or(is).filter(|text| !text.is_empty());
                Some(Html::joined([title, value(class, Some(text?))], " "))
            }
            None if was == is => None,
            None => {
                let change = Html::joined([value("old", was), value("new", is)], " → ");
                Some(Html::joined([title, change], " "))
            }
        }
    });
    let fields = Html::joined(fields, ", ");
    // Color is never the only sign.
    let name = match alone {
        Some("old") => Html::joined([name, Html::escaped(" is gone: ")], ""),
        Some(_) => Html::joined([name, Html::escaped(" is new: ")], ""),
        None => Html::joined([name, Html::escaped(": ")], ""),
    };
    Html::joined([name, fields], "")
}
