//! The flame chart of a compile: its spans over time, nested.

use crate::analysis::part_of_phase;
use crate::model::TraceSpan;
use crate::report::kit::bars::PHASES;
use crate::report::kit::markup::{push_close, push_open};
use crate::report::kit::prelude::*;
use crate::report::pages::compile::subject::Subject;

/// Spans of a chart at most, the longest ones: beyond it a browser is slow and no eye follows.
const MOST_SPANS: usize = 800;

/// Share of the width, in per cent, below which a span is left out: three pixels. The chart of the whole log has all.
const INVISIBLE: f64 = 0.3;

/// Rows at most; torch nests about fifteen.
const DEEPEST: usize = 40;

#[derive(Serialize)]
struct Flame {
    ticks: Vec<Html>,
    runs: Html,
}

struct Tick {
    left: String,
    text: String,
}

struct Bar {
    left: String,
    width: String,
    /// What cannot be read in the span.
    title: Option<String>,
    text: String,
}

/// A span as the chart has it.
struct Placed<'m> {
    span: &'m TraceSpan,
    start_us: f64,
    depth: usize,
    part: usize,
    /// Whether the log ends in it.
    at_end: bool,
}

/// The chart; empty where the log has no spans of the compile.
pub(crate) fn chart(view: View<'_>, subject: Subject<'_>) -> anyhow::Result<Html> {
    let (mut placed, total) = place(subject);
    if total <= 0.0 {
        return Ok(Html::default());
    }
    placed.sort_by(|a, b| duration(b.span).total_cmp(&duration(a.span)));
    placed.truncate(MOST_SPANS);
    placed.retain(|p| 100.0 * duration(p.span) / total >= INVISIBLE && p.depth < DEEPEST);
    placed.sort_by(|a, b| a.depth.cmp(&b.depth).then(a.start_us.total_cmp(&b.start_us)));
    let mut row = None;
    let mut runs = String::new();
    for run in placed.chunk_by(|a, b| (a.depth, a.part) == (b.depth, b.part)) {
        let Some(first) = run.first() else { continue };
        let beside = row.replace(first.depth) == Some(first.depth);
        push_run(&mut runs, run, (total, beside));
    }
    let ticks = ticks(total).into_iter().map(|tick| {
        let style = format!("left:{}%", tick.left);
        Element::new("span").class("tick").style(&style).around(tick.text)
    });
    view.render("flame", &Flame { ticks: ticks.collect(), runs: Html::trusted(runs) })
}

/// Appends bars of one row and color: both are said once for them. `beside` says whether they stand in the row of the run
/// before.
fn push_run(html: &mut String, run: &[Placed<'_>], (total, beside): (f64, bool)) {
    let part = run.first().and_then(|first| PHASES.get(first.part));
    let part = part.or(PHASES.last()).copied().unwrap_or_default();
    html.push_str("\n  ");
    let class = if beside { format!("{part} same-row") } else { part.to_owned() };
    push_open(html, "p", &[("class", Some(&class))]);
    for placed in run {
        let bar = bar(placed, total);
        let style = format!("left:{}%;width:{}%", bar.left, bar.width);
        push_open(html, "span", &[("style", Some(&style)), ("title", bar.title.as_deref())]);
        Html::push_escaped(&bar.text, html);
        push_close(html, "span");
    }
    push_close(html, "p");
}

fn duration(span: &TraceSpan) -> f64 {
    span.end_us - span.start_us
}

/// Positions of the spans and the length of the chart: outermost spans follow each other, and the time between them, in
/// which the compiler did nothing for this compile, is cut out.
fn place<'m>(subject: Subject<'m>) -> (Vec<Placed<'m>>, f64) {
    let spans = &subject.report.model.spans;
    let end = subject.report.found.end.as_ref();
    let mut placed: Vec<Placed<'m>> = Vec::new();
    // Where each span of the compile stands in the list above.
    let mut known: fxhash::FxHashMap<usize, (f64, usize, usize)> = fxhash::FxHashMap::default();
    let (mut total, mut reach, mut shift) = (0.0_f64, f64::NEG_INFINITY, 0.0);
    for &index in subject.report.found.time.spans_of(subject.index) {
        let index = index as usize;
        let Some(span) = spans.get(index) else { continue };
        let above = span.parent().and_then(|parent| known.get(&parent)).copied();
        let (own_shift, depth, part) = match above {
            Some((shift, depth, part)) => (shift, depth + 1, part),
            None => {
                if span.start_us > reach {
                    shift = span.start_us - total;
                }
                reach = reach.max(span.end_us);
                (shift, 0, 0)
            }
        };
        let part = part_of_phase(&span.name).unwrap_or(part);
        known.insert(index, (own_shift, depth, part));
        total = total.max(span.end_us - own_shift);
        let at_end = end.is_some_and(|end| end.is_open(index));
        placed.push(Placed { span, start_us: span.start_us - own_shift, depth, part, at_end });
    }
    (placed, total)
}

fn bar(placed: &Placed<'_>, total: f64) -> Bar {
    let us = duration(placed.span);
    let (left, width) = (100.0 * placed.start_us / total, 100.0 * us / total);
    let (name, time) = (&placed.span.name, micros(us));
    let room = width / 100.0 * NARROWEST / CHARACTER - 1.0;
    let (short, long) =
        (name.chars().count() as f64, (name.chars().count() + 1 + time.chars().count()) as f64);
    let open = match (placed.at_end, placed.span.is_open()) {
        (true, _) => ", at least: still open at the end of the log",
        (false, true) => ", left open in the log",
        (false, false) => "",
    };
    let least = format!("{name} at least {time}");
    let (text, title) = if placed.at_end && least.chars().count() as f64 <= room {
        (least, Some("still open at the end of the log".to_owned()))
    } else if long <= room && open.is_empty() {
        (format!("{name} {time}"), None)
    } else if short <= room {
        (name.to_string(), Some(format!("{time}{open}")))
    } else if short * LEAST_READ <= room {
        (name.to_string(), Some(format!("{name} {time}{open}")))
    } else {
        (String::new(), Some(format!("{name} {time}{open}")))
    };
    // A tenth of a per cent is more than a pixel, which shows on a narrow bar.
    let digits = if width < 10.0 { 2 } else { 1 };
    Bar { left: percent(left, digits), width: percent(width, digits), title, text }
}

/// Width of the narrowest chart, and of a character in it, in pixels, as the style sheet has them, with some room.
const NARROWEST: f64 = 900.0;
const CHARACTER: f64 = 7.0;

/// Share of a name from which on its beginning is shown.
const LEAST_READ: f64 = 0.5;

/// A number with so many decimals at most.
fn percent(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// About five marks at round times.
fn ticks(total: f64) -> Vec<Tick> {
    let rough = total / 6.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * power).find(|step| *step >= rough).unwrap_or(rough);
    let marks = (0..12).map(|n| f64::from(n) * step).take_while(|at| *at < total * 0.97);
    let text = |at: f64| if at == 0.0 { "0".to_owned() } else { micros(at) };
    marks.map(|at| Tick { left: percent(100.0 * at / total, 1), text: text(at) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_stand_at_round_times() {
        let texts: Vec<String> = ticks(529_000.0).into_iter().map(|tick| tick.text).collect();
        assert_eq!(texts.len(), 6);
        assert_eq!(texts[1].replace('\u{a0}', " "), "100 ms");
        assert_eq!(ticks(0.5).len(), 5);
    }
}
