//! The bar of a compile's time by part of the compiler.

use crate::model::CompilerPart::KernelBuilds;
use crate::model::{CompilerPart, Parts};
use crate::report::kit::formats::{micros, percent};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{push_close, push_element, push_open};
use crate::report::kit::view::Render;

/// The class of a part's color; None is time that belongs to no part.
pub(crate) fn color(part: Option<CompilerPart>) -> &'static str {
    match part {
        Some(CompilerPart::Dynamo) => "phase-dynamo",
        Some(CompilerPart::AotAutograd) => "phase-aotautograd",
        Some(CompilerPart::Inductor) => "phase-inductor",
        Some(CompilerPart::CodeGeneration) => "phase-codegen",
        Some(CompilerPart::KernelBuilds) => "phase-builds",
        Some(CompilerPart::Autotuning) => "phase-autotuning",
        None => "phase-other",
    }
}

/// The class of the kernel builds that tried the C++ compiler.
const ONCE: &str = "phase-builds trial";

/// How a bar is drawn.
#[derive(Clone, Copy, PartialEq)]
enum Look {
    Small,
    /// In a table, with the width of its cell.
    Wide,
    /// On its own, with a legend.
    Big,
}

/// The smallest share drawn in a table: one pixel.
const LEAST: f64 = 0.007;

struct BarPart {
    class: &'static str,
    name: &'static str,
    time: String,
    share: String,
}

impl Render<'_> {
    /// Shares of the parts; `big` with a legend. Empty if there is no time.
    pub fn bar(&self, times: &Parts, big: bool) -> Html {
        bar_of(times, 0.0, if big { Look::Big } else { Look::Small })
    }

    /// The same with `once_us` of the kernel builds apart, which tried the C++ compiler.
    pub fn bar_with_once(&self, times: &Parts, once_us: f64, big: bool) -> Html {
        bar_of(times, once_us, if big { Look::Big } else { Look::Small })
    }

    /// The same with the width of its cell, which has a meaning of its own.
    pub fn wide_bar(&self, times: &Parts) -> Html {
        bar_of(times, 0.0, Look::Wide)
    }
}

fn bar_of(times: &Parts, once_us: f64, look: Look) -> Html {
    let total = times.total();
    if total <= 0.0 {
        return Html::default();
    }
    let part = |(part, us): (CompilerPart, f64)| BarPart {
        class: color(Some(part)),
        name: part.name(),
        time: micros(us),
        share: percent(us, total, false),
    };
    let once = (once_us > 0.0).then(|| BarPart {
        class: ONCE,
        name: "including checks of the C++ compiler, once",
        time: micros(once_us),
        share: percent(once_us, total, false),
    });
    let mut parts: Vec<BarPart> = times.timed().map(part).collect();
    let builds = parts.iter().position(|part| part.name == KernelBuilds.name());
    parts.splice(builds.map_or(0, |at| at + 1)..builds.map_or(0, |at| at + 1), once);
    let mut html = String::new();
    match look {
        Look::Big => {
            push_open(&mut html, "div", &[("class", Some("bar big")), ("aria-hidden", Some("true"))])
        }
        Look::Small | Look::Wide => {
            let class = if look == Look::Wide { "bar wide" } else { "bar" };
            let label = parts.iter().map(|p| format!("{} {}", p.name, p.time)).collect::<Vec<_>>().join(", ");
            let attributes = [("class", Some(class)), ("role", Some("img")), ("title", Some(&*label))];
            push_open(&mut html, "div", &attributes);
        }
    }
    push_drawn(&mut html, times, once_us, look);
    push_close(&mut html, "div");
    if look == Look::Big {
        push_legend(&mut html, &parts);
    }
    Html::trusted(html)
}

/// Appends the parts that are drawn.
fn push_drawn(html: &mut String, times: &Parts, once_us: f64, look: Look) {
    let total = times.total();
    let (least, digits) = match look {
        Look::Big => (0.0, 1),
        // A hundredth of a bar in a table is a pixel.
        Look::Small | Look::Wide => (LEAST * total, 0),
    };
    let mut push = |class: &str, us: f64| {
        if us > least {
            let width = format!("width:{:.digits$}%", 100.0 * us / total);
            push_element(html, "span", &[("class", Some(class)), ("style", Some(&width))], "");
        }
    };
    for (part, us) in times.iter() {
        let once_us = if part == KernelBuilds { once_us.min(us) } else { 0.0 };
        push(ONCE, once_us);
        push(color(Some(part)), us - once_us);
    }
}

/// Appends the legend, with the time and share of each part.
fn push_legend(html: &mut String, parts: &[BarPart]) {
    html.push('\n');
    push_open(html, "div", &[("class", Some("legend"))]);
    for part in parts {
        html.push_str("\n  ");
        push_open(html, "span", &[]);
        push_element(html, "span", &[("class", Some(&format!("swatch {}", part.class)))], "");
        Html::push_escaped(&format!("{} {} ", part.name, part.time), html);
        push_element(html, "span", &[("class", Some("soft"))], &part.share);
        push_close(html, "span");
    }
    html.push('\n');
    push_close(html, "div");
}
