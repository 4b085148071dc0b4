//! What changed between a compiled version and the call that did not match it.

use crate::analysis::{Change, ChangeKind};
use crate::limits::SHORT_NAME;
use crate::report::kit::formats::clipped;
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, soft};

/// A value, in full on hover if it is cut; `class` is `old` or `new`.
pub(crate) fn marked(class: &'static str, value: &str) -> Html {
    let (shown, cut) = clipped(value, SHORT_NAME);
    let element = Element::new("span").class(class);
    if cut { element.title(value).around(format!("{shown}…")) } else { element.around(shown) }
}

/// The value that a guard requires and the one that arrived: `4 → 6, then dynamic`.
pub(crate) fn change_of(change: &Change) -> Html {
    let change_of = values_of(change);
    match change.became_dynamic {
        true => Html::joined([change_of, soft(", then dynamic")], ""),
        false => change_of,
    }
}

fn values_of(change: &Change) -> Html {
    let new = match &change.new {
        Some(new) => marked("new", new),
        None => soft("not recorded"),
    };
    match &change.old {
        Some(old) => Html::joined([marked("old", old), new], " → "),
        None if change.new.is_some() => new,
        // For a mode that is on or off, the old value follows from the new one.
        None if change.kind == ChangeKind::GradMode => soft("flipped"),
        None => new,
    }
}
