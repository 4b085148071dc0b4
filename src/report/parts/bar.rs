//! The bar of a compile's time by part of the compiler.

use super::Pieces;
use crate::analysis::{PARTS, Parts};
use crate::report::Html;
use crate::report::units::{micros, percent};
use serde::Serialize;

/// Classes of the parts' colours, in the order of [`PARTS`].
const CLASSES: [&str; PARTS.len()] = ["p1", "p2", "p3", "p4"];

#[derive(Serialize)]
struct Bar {
    big: bool,
    label: String,
    parts: Vec<Part>,
}

#[derive(Serialize)]
struct Part {
    class: &'static str,
    name: &'static str,
    width: String,
    time: String,
    share: String,
}

impl Pieces<'_> {
    /// Shares of the parts; `big` with a legend. Empty without any time.
    pub fn bar(&self, times: &Parts, big: bool) -> anyhow::Result<Html> {
        let total = times.total();
        if total <= 0.0 {
            return Ok(Html::default());
        }
        let shown = PARTS.iter().zip(times.0).zip(CLASSES).filter(|((_, us), _)| *us > 0.0);
        let parts: Vec<Part> = shown
            .map(|((name, us), class)| Part {
                class,
                name,
                width: format!("{:.1}", 100.0 * us / total),
                time: micros(us),
                share: percent(us, total, false),
            })
            .collect();
        let label = parts.iter().map(|p| format!("{} {}", p.name, p.time)).collect::<Vec<_>>().join(", ");
        self.render("bar", &Bar { big, label, parts })
    }
}
