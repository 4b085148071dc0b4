//! The flame chart of a compile: its spans over time, nested.

use crate::analysis::part_of_phase;
use crate::model::TraceSpan;
use crate::report::kit::bars::PHASES;
use crate::report::kit::markup::{push_close, push_open};
use crate::report::kit::prelude::*;
use crate::report::pages::compile::subject::Subject;

/// Most spans of a chart, the longest ones: with more, browsers are slow and readers lost.
const MOST_SPANS: usize = 800;

/// Narrower spans, in percent of the width, are left out: three pixels. The chart of the whole log has all.
const INVISIBLE: f64 = 0.3;

/// Most rows; torch nests about fifteen levels.
const DEEPEST: usize = 40;

#[derive(Serialize)]
struct Flame {
    ticks: Vec<Html>,
    runs: Html,
}

/// A span with its place in the chart.
struct Placed<'m> {
    span: &'m TraceSpan,
    start_us: f64,
    depth: usize,
    part: usize,
    /// Whether the log ends in it.
    at_end: bool,
}

/// The chart; empty if the log has no spans of the compile.
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
    let ticks = ticks(total).map(|at| {
        let text = if at == 0.0 { "0".to_owned() } else { micros(at) };
        let style = format!("left:{}%", percent(100.0 * at / total, 1));
        Element::new("span").class("tick").style(&style).around(text)
    });
    view.render("flame", &Flame { ticks: ticks.collect(), runs: Html::trusted(runs) })
}

/// Appends a run of bars that share their row and color. `beside` tells whether the run before is in the same row.
fn push_run(html: &mut String, run: &[Placed<'_>], (total, beside): (f64, bool)) {
    let part = run.first().and_then(|first| PHASES.get(first.part));
    let part = part.or(PHASES.last()).copied().unwrap_or_default();
    html.push_str("\n  ");
    let class = if beside { format!("{part} same-row") } else { part.to_owned() };
    push_open(html, "p", &[("class", Some(&class))]);
    for placed in run {
        let (left, width) = (100.0 * placed.start_us / total, 100.0 * duration(placed.span) / total);
        // A tenth of a percent is more than a pixel, which shows on a narrow bar.
        let digits = if width < 10.0 { 2 } else { 1 };
        let style = format!("left:{}%;width:{}%", percent(left, digits), percent(width, digits));
        let (text, title) = words(placed, width);
        push_open(html, "span", &[("style", Some(&style)), ("title", title.as_deref())]);
        Html::push_escaped(&text, html);
        push_close(html, "span");
    }
    push_close(html, "p");
}

fn duration(span: &TraceSpan) -> f64 {
    span.end_us - span.start_us
}

/// Positions of the spans, and the length of the chart. The time between outermost spans, in which the compiler did
/// nothing for this compile, is cut out.
fn place<'m>(subject: Subject<'m>) -> (Vec<Placed<'m>>, f64) {
    let spans = &subject.report.model.spans;
    let end = subject.report.found.end.as_ref();
    let mut placed: Vec<Placed<'m>> = Vec::new();
    // Shift, depth and part of each span so far.
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

/// What a bar of this width, in percent, shows, and on hover what it has no room for.
fn words(placed: &Placed<'_>, width: f64) -> (String, Option<String>) {
    let (name, time) = (&placed.span.name, micros(duration(placed.span)));
    let room = width / 100.0 * NARROWEST / CHARACTER - 1.0;
    let (short, long) =
        (name.chars().count() as f64, (name.chars().count() + 1 + time.chars().count()) as f64);
    let open = match (placed.at_end, placed.span.is_open()) {
        (true, _) => ", at least: still open at the end of the log",
        (false, true) => ", left open in the log",
        (false, false) => "",
    };
    let least = format!("{name} at least {time}");
    if placed.at_end && least.chars().count() as f64 <= room {
        (least, Some("still open at the end of the log".to_owned()))
    } else if long <= room && open.is_empty() {
        (format!("{name} {time}"), None)
    } else if short <= room {
        (name.to_string(), Some(format!("{time}{open}")))
    } else if short * LEAST_READ <= room {
        (name.to_string(), Some(format!("{name} {time}{open}")))
    } else {
        (String::new(), Some(format!("{name} {time}{open}")))
    }
}

/// Pixels of the narrowest chart, and of a character in it: the style sheet's values with a margin.
const NARROWEST: f64 = 900.0;
const CHARACTER: f64 = 7.0;

/// The beginning of a name is shown if at least this share of it fits.
const LEAST_READ: f64 = 0.5;

/// A number with at most so many decimals.
fn percent(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// About five round times.
fn ticks(total: f64) -> impl Iterator<Item = f64> {
    let rough = total / 6.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].into_iter().map(|n| n * power).find(|step| *step >= rough).unwrap_or(rough);
    (0..12).map(move |n| f64::from(n) * step).take_while(move |at| *at < total * 0.97)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_at_round_times() {
        let times: Vec<f64> = ticks(529_000.0).collect();
        assert_eq!((times.len(), times[1]), (6, 100_000.0));
        assert_eq!(ticks(0.5).count(), 5);
    }
}
