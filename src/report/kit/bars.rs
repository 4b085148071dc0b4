//! The bar of a compile's time by part of the compiler.

use crate::analysis::{PARTS, Parts};
use crate::report::kit::formats::{micros, percent};
use crate::report::kit::html::Html;
use crate::report::kit::view::Pieces;
use serde::Serialize;

/// Classes of the parts' colors, in the order of [`PARTS`].
pub(crate) const PHASES: [&str; PARTS.len()] = [
    "phase-dynamo",
    "phase-aotautograd",
    "phase-inductor",
    "phase-codegen",
    "phase-builds",
    "phase-autotuning",
];

/// The class of time that belongs to no part.
pub(crate) const PHASE_OTHER: &str = "phase-other";

#[derive(Serialize)]
struct Bar {
    big: bool,
    wide: bool,
    label: String,
    parts: Vec<Part>,
    /// Those that are drawn.
    drawn: Vec<Drawn>,
}

#[derive(Serialize)]
struct Drawn {
    class: &'static str,
    width: String,
}

/// The smallest share that is drawn in a bar of a table: a pixel.
const LEAST: f64 = 0.007;

#[derive(Serialize)]
struct Part {
    class: &'static str,
    name: &'static str,
    time: String,
    share: String,
}

impl Pieces<'_> {
    /// Shares of the parts; `big` with a legend. Empty without any time.
    pub fn bar(&self, times: &Parts, big: bool) -> anyhow::Result<Html> {
        self.bar_of(times, big, false)
    }

    /// The same as wide as its cell, whose width has a meaning of its own.
    pub fn wide_bar(&self, times: &Parts) -> anyhow::Result<Html> {
        self.bar_of(times, false, true)
    }

    fn bar_of(&self, times: &Parts, big: bool, wide: bool) -> anyhow::Result<Html> {
        let total = times.total();
        if total <= 0.0 {
            return Ok(Html::default());
        }
        let shown = PARTS.iter().zip(times.0).zip(PHASES).filter(|((_, us), _)| *us > 0.0);
        let parts: Vec<Part> = shown
            .map(|((name, us), class)| Part {
                class,
                name,
                time: micros(us),
                share: percent(us, total, false),
            })
            .collect();
        let label = parts.iter().map(|p| format!("{} {}", p.name, p.time)).collect::<Vec<_>>().join(", ");
        let drawn = times.0.into_iter().zip(PHASES);
        let drawn = drawn.filter(|(us, _)| *us > if big { 0.0 } else { LEAST * total });
        // A hundredth of a bar in a table is a pixel.
        let digits = usize::from(big);
        let drawn =
            drawn.map(|(us, class)| Drawn { class, width: format!("{:.digits$}", 100.0 * us / total) });
        self.render("bar", &Bar { big, wide, label, parts, drawn: drawn.collect() })
    }
}
