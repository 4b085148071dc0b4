//! The ranks in time: one row each, with what the compiler did, graph breaks, waits and the last record.

use super::view::JobView;
use crate::analysis::job::{MOST_ROWS, Standing, TimelineRow, rank_words, timeline_rows};
use crate::facts::Interval;
use crate::facts::ranks::{Aspect, FactValue, RankSummary, RankTimeline};
use crate::limits::{LIST, SHORT_LIST, SHORT_NAME};
use crate::model::CompilerPart;
use crate::model::words::ranks_by_number;
use crate::report::kit::bars::color;
use crate::report::kit::formats::{counted, day_and_time, micros, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{close_section, note_below, write_line};
use crate::trace::instant;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Write;

/// Width of a row in units; the drawing scales with the window.
const WIDTH: f64 = 1_000.0;

/// Intervals that are shorter than this, in units, are drawn with the one before them.
const THINNEST: f64 = 0.5;

/// Ticks of the time axis at most.
const TICKS: f64 = 8.0;

/// Up to this many rows are drawn taller.
const TALL_ROWS: usize = 16;

#[derive(Serialize)]
struct Chart {
    dense: bool,
    ticks: Vec<Tick>,
    rows: Vec<Row>,
    legend: Vec<LegendEntry>,
}

#[derive(Serialize)]
struct Tick {
    left: String,
    text: String,
}

#[derive(Serialize)]
struct LegendEntry {
    class: &'static str,
    text: &'static str,
}

#[derive(Serialize)]
struct Row {
    class: String,
    href: Option<String>,
    name: String,
    says: String,
    paths: Vec<Path>,
    breaks: Vec<String>,
    end: Option<String>,
    stopped: bool,
    words: Option<Words>,
}

/// All intervals of one kind in a row, as an SVG path.
#[derive(Serialize)]
struct Path {
    class: &'static str,
    d: String,
}

/// A label in the drawing.
#[derive(Serialize)]
struct Words {
    class: &'static str,
    /// Whether they are left of their position.
    before: bool,
    at: String,
    text: String,
}

/// The time that the drawing covers.
#[derive(Clone, Copy)]
struct Axis {
    start_us: f64,
    end_us: f64,
}

impl Axis {
    /// The position of a time, from 0 to 1,000.
    fn place(self, at_us: f64) -> f64 {
        let all = (self.end_us - self.start_us).max(1.0);
        (WIDTH * (at_us - self.start_us) / all).clamp(0.0, WIDTH)
    }

    /// The same as a CSS length.
    fn percent(self, at_us: f64) -> String {
        format!("{:.2}%", self.place(at_us) / WIDTH * 100.0)
    }

    /// Times at round seconds.
    fn ticks(self) -> Vec<Tick> {
        let seconds = (self.end_us - self.start_us) / 1e6;
        let steps = (-3..8).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)));
        let Some(step) = steps.into_iter().find(|step| seconds / step <= TICKS) else { return Vec::new() };
        let count = (seconds / step) as usize;
        let tick = |index: usize| {
            let us = index as f64 * step * 1e6;
            let text = if step >= 1.0 { format!("{} s", index as f64 * step) } else { micros(us) };
            Tick { left: self.percent(self.start_us + us), text }
        };
        (0..=count).map(tick).collect()
    }
}

/// Whether the page has the section: it needs more than one rank.
pub(super) fn is_shown(view: JobView<'_>) -> bool {
    view.report.job.ranks.len() > 1
        && axis(view, &timeline_rows(view.report.job, view.report.found)).is_some()
}

pub(super) fn section(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let rows = timeline_rows(view.report.job, view.report.found);
    let Some(axis) = axis(view, &rows).filter(|_| view.report.job.ranks.len() > 1) else { return Ok(()) };
    let shared = rows.iter().any(|row| matches!(row, TimelineRow::Ranks(ranks) if ranks.len() > 1));
    let note = match shared {
        false => "one row per rank; time from the first record of the job",
        true => {
            "ranks that agree share a row, which shows the first of them; time from the first record of \
            the job"
        }
    };
    view.open_section(out, ("timeline", "Timeline", note), Some(whole(rows.len())), Html::default())?;
    let mut worded = 0;
    let drawn: Vec<Row> = rows
        .iter()
        .filter_map(|row| match row {
            TimelineRow::Ranks(ranks) => ranks_row(view, axis, ranks, &mut worded),
            TimelineRow::Missing(missing) => Some(missing_row(missing)),
        })
        .collect();
    let used = |class: &str| drawn.iter().flat_map(|row| &row.paths).any(|path| path.class == class);
    let parts = CompilerPart::ALL.map(|part| LegendEntry { class: color(Some(part)), text: part.name() });
    let mut legend: Vec<LegendEntry> = parts.into_iter().filter(|part| used(part.class)).collect();
    if used(WAIT) {
        legend.push(LegendEntry {
            class: WAIT,
            text: "waiting, or doing something that the log does not show",
        });
    }
    let marks = [
        (drawn.iter().any(|row| !row.breaks.is_empty()), "mark-break", "graph break"),
        (drawn.iter().any(|row| row.end.is_some() && !row.stopped), "mark-end", "last record"),
        (drawn.iter().any(|row| row.stopped), "mark-stop", "log ends early"),
        (rows.iter().any(|row| matches!(row, TimelineRow::Missing(_))), "mark-none", "no log"),
    ];
    legend
        .extend(marks.into_iter().filter(|mark| mark.0).map(|(_, class, text)| LegendEntry { class, text }));
    let chart = Chart { dense: drawn.len() > TALL_ROWS, ticks: axis.ticks(), rows: drawn, legend };
    write_line(out, &view.render("job_timeline", &chart)?)?;
    let beyond = view.report.found.alike.len().saturating_sub(rows.len());
    if shared && beyond > 0 && rows.len() >= MOST_ROWS {
        let count = counted(beyond, "more row", "more rows");
        note_below(out, format!("{count} in the table of ranks below."))?;
    }
    close_section(out)?;
    Ok(())
}

/// From the first record of all rows to the last; None if no log has times.
fn axis(view: JobView<'_>, rows: &[TimelineRow]) -> Option<Axis> {
    let shown = rows.iter().filter_map(|row| match row {
        TimelineRow::Ranks(ranks) => ranks.first().copied(),
        TimelineRow::Missing(_) => None,
    });
    let (mut start_us, mut end_us) = (f64::INFINITY, f64::NEG_INFINITY);
    for index in shown {
        let rank = view.rank_at(index)?;
        let parts = view.report.evidence.timeline(index).map(|timeline| &timeline.parts);
        let first = rank.log.as_ref().and_then(|log| instant(log.first_time.as_deref()?)).map(|us| us as f64);
        let last = rank.end.as_ref().and_then(|end| end.time_us).map(|us| us as f64);
        let begins = parts.and_then(|parts| parts.first()).map(|one| one.interval.start_us);
        let ends = parts.and_then(|parts| parts.last()).map(|one| one.interval.end_us);
        start_us = first.into_iter().chain(begins).fold(start_us, f64::min);
        end_us = last.into_iter().chain(ends).fold(end_us, f64::max);
    }
    (start_us.is_finite() && end_us > start_us).then_some(Axis { start_us, end_us })
}

/// The class of intervals in which a rank may be waiting.
const WAIT: &str = "wait";

fn ranks_row(view: JobView<'_>, axis: Axis, ranks: &[usize], worded: &mut usize) -> Option<Row> {
    let index = *ranks.first()?;
    let rank = view.rank_at(index)?;
    let standing = view.report.found.standings.get(index)?.standing;
    let empty = RankTimeline::default();
    let timeline = view.report.evidence.timeline(index).unwrap_or(&empty);
    let end_us = rank.end.as_ref().and_then(|end| end.time_us).map(|us| us as f64);
    let name = match ranks.len() {
        1 => rank.number.to_string(),
        several => format!("{} ranks", whole(several)),
    };
    let mut words = None;
    if let Some(text) = row_words(view, rank, index, standing).filter(|_| *worded < SHORT_LIST) {
        *worded += 1;
        let at_us = match standing {
            Standing::EndsEarly => end_us,
            _ => break_times(view, rank, timeline).first().copied(),
        };
        let at_us = at_us.unwrap_or(axis.start_us);
        let before = axis.place(at_us) > WIDTH / 2.0;
        let at = if before { axis.percent(axis.start_us + axis.end_us - at_us) } else { axis.percent(at_us) };
        words = Some(Words { class: class_of(standing), before, at, text });
    }
    Some(Row {
        class: class_of(standing).to_owned(),
        href: rank.log.as_ref().map(|_| view.in_rank(rank, "index.html")),
        name,
        says: says(view, ranks, rank, standing, timeline),
        paths: paths(axis, timeline, &rank.pauses),
        breaks: break_times(view, rank, timeline).into_iter().take(LIST).map(|us| axis.percent(us)).collect(),
        end: end_us.map(|us| axis.percent(us)),
        stopped: standing == Standing::EndsEarly,
        words,
    })
}

fn missing_row(missing: &[u64]) -> Row {
    let name = match missing {
        [one] => one.to_string(),
        several => format!("{} ranks", whole(several.len())),
    };
    Row {
        class: "none".to_owned(),
        href: None,
        name,
        says: format!("{}: no log", ranks_by_number(missing)),
        paths: Vec::new(),
        breaks: Vec::new(),
        end: None,
        stopped: false,
        words: Some(Words { class: "gap", before: false, at: "0%".to_owned(), text: "no log".to_owned() }),
    }
}

/// The description of a row.
fn says(
    view: JobView<'_>,
    ranks: &[usize],
    rank: &RankSummary,
    standing: Standing,
    timeline: &RankTimeline,
) -> String {
    let counts = rank.all_counts();
    let mut parts = vec![counted(counts.compiles as usize, "compile", "compiles")];
    if counts.graph_breaks > 0 {
        parts.push(counted(counts.graph_breaks as usize, "graph break", "graph breaks"));
    }
    parts.extend(rank.compile_time_s.map(|s| format!("{} compiling", micros(s * 1e6))));
    let waits: f64 = rank.pauses.iter().map(|one| one.end_us - one.start_us).sum();
    if waits > 0.0 {
        parts.push(format!("{} in phases that may wait for another process", micros(waits)));
    }
    let last = rank.log.as_ref().and_then(|log| day_and_time(log.last_time.as_deref()?));
    parts.extend(last.map(|(_, time)| format!("last record at {time}")));
    parts.extend(inside(view, rank));
    if standing != Standing::Same && standing != Standing::EndsEarly {
        parts.push(standing.word().to_owned());
    }
    if timeline.parts.is_empty() && rank.is_comparable() {
        parts.push("no phases recorded".to_owned());
    }
    let who = match ranks.len() {
        1 => rank_words(view.report.job, ranks),
        count => format!(
            "{count} ranks ({}), rank {} shown",
            rank_words(view.report.job, ranks).trim_start_matches("ranks "),
            rank.number
        ),
    };
    format!("{who}: {}", parts.join(", "))
}

/// `inside 1/0, compile_file`, for a log that ends there.
fn inside(view: JobView<'_>, rank: &RankSummary) -> Option<String> {
    let texts = &view.report.job.texts;
    let end = rank.end.as_ref().filter(|end| end.inside)?;
    let id = texts.maybe(end.compile).unwrap_or("a compile without an id");
    let phase = end.phases.last().map(|phase| format!(", {}", texts.get(*phase))).unwrap_or_default();
    Some(format!("inside {id}{phase}"))
}

/// The label of a row that stands out.
fn row_words(view: JobView<'_>, rank: &RankSummary, index: usize, standing: Standing) -> Option<String> {
    // If two ranks differ, the one named in the first difference has a label.
    let is_named = view.report.found.cause().is_none_or(|cause| cause.in_job.ranks.contains(&index));
    let text = match standing {
        Standing::Same | Standing::Differs => return None,
        Standing::Diverges if !is_named && view.report.job.ranks.len() == 2 => return None,
        Standing::EndsEarly => {
            format!("log ends {}", inside(view, rank).unwrap_or_else(|| "early".to_owned()))
        }
        Standing::Damaged | Standing::Empty => standing.word().to_owned(),
        Standing::Diverges => {
            let broken = rank.steps(Aspect::GraphBreaks).first().copied();
            let own = view.report.found.standings.get(index)?;
            match broken.filter(|_| own.facts.contains(&Aspect::GraphBreaks)) {
                Some(step) => {
                    let id = view.report.job.texts.maybe(step.compile).unwrap_or("–");
                    format!("graph break in {id}")
                }
                None => {
                    // What may be the cause of all else says most.
                    let cause = view.report.found.cause().and_then(|cause| cause.kind.facts().aspect);
                    let aspect =
                        cause.filter(|cause| own.facts.contains(cause)).or(own.facts.first().copied());
                    format!("diverges: {}", aspect?.name().to_lowercase())
                }
            }
        }
    };
    Some(text.chars().take(SHORT_NAME).collect())
}

/// When the compiles with graph breaks began.
fn break_times(view: JobView<'_>, rank: &RankSummary, timeline: &RankTimeline) -> Vec<f64> {
    let texts = &view.report.job.texts;
    let breaks = rank.steps(Aspect::GraphBreaks).iter();
    let ids = breaks
        .filter(|step| matches!(step.value, Some(FactValue::Break { .. })))
        .filter_map(|step| step.compile);
    let times = ids.filter_map(|id| {
        let compile = timeline.compiles.iter().find(|compile| compile.id == texts.get(id))?;
        Some(compile.interval.start_us)
    });
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    times
}

/// The class of a rank. A frame distinguishes them, not only their colors.
fn class_of(standing: Standing) -> &'static str {
    match standing {
        Standing::Damaged | Standing::EndsEarly | Standing::Empty => "status-error",
        Standing::Diverges => "status-break",
        Standing::Differs => "differs",
        Standing::Same => "",
    }
}

/// The intervals of a row by kind. Intervals narrower than a pixel are merged into the preceding one.
fn paths(axis: Axis, timeline: &RankTimeline, pauses: &[Interval]) -> Vec<Path> {
    let mut merged: Vec<(CompilerPart, f64, f64)> = Vec::new();
    for one in &timeline.parts {
        let (from, to) = (axis.place(one.interval.start_us), axis.place(one.interval.end_us));
        match merged.last_mut() {
            Some(last) if from - last.2 < THINNEST && (last.0 == one.part || to - from < THINNEST) => {
                last.2 = last.2.max(to);
            }
            _ => merged.push((one.part, from, to)),
        }
    }
    let drawn = |from: f64, to: f64| (from, (to - from).max(THINNEST));
    let mut paths: Vec<Path> = Vec::new();
    for part in CompilerPart::ALL {
        let own = merged.iter().filter(|one| one.0 == part).map(|one| drawn(one.1, one.2));
        paths.extend(path(color(Some(part)), own));
    }
    let waits = pauses.iter().map(|one| drawn(axis.place(one.start_us), axis.place(one.end_us)));
    paths.extend(path(WAIT, waits));
    paths
}

fn path(class: &'static str, intervals: impl Iterator<Item = (f64, f64)>) -> Option<Path> {
    let mut d = String::new();
    for (from, width) in intervals {
        // Writing to a string never fails.
        let _ = write!(d, "M{from:.1} 5h{width:.1}");
    }
    (!d.is_empty()).then_some(Path { class, d })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::ranks::PartInterval;

    #[test]
    fn stretches_that_no_pixel_shows_join_the_one_before_them() {
        let axis = Axis { start_us: 0.0, end_us: 1e9 };
        let dynamo = CompilerPart::Dynamo;
        let interval = |part, from: f64, to: f64| PartInterval {
            part,
            interval: Interval { start_us: from * 1e6, end_us: to * 1e6 },
        };
        let parts = vec![
            interval(dynamo, 0.0, 10.0),
            interval(CompilerPart::AotAutograd, 10.0, 10.1),
            interval(dynamo, 10.1, 20.0),
            interval(CompilerPart::KernelBuilds, 30.0, 40.0),
        ];
        let found = paths(axis, &RankTimeline { parts, compiles: Vec::new() }, &[]);
        let found: Vec<_> = found.iter().map(|path| (path.class, path.d.as_str())).collect();
        assert_eq!(found, [("phase-dynamo", "M0.0 5h20.0"), ("phase-builds", "M30.0 5h10.0")]);
    }

    #[test]
    fn the_axis_has_round_times_and_few_of_them() {
        let ticks: Vec<String> =
            Axis { start_us: 5e6, end_us: 17.1e6 }.ticks().into_iter().map(|tick| tick.text).collect();
        assert_eq!(ticks.len(), 7, "{ticks:?}");
        assert_eq!((ticks[0].as_str(), ticks[6].as_str()), ("0 s", "12 s"));
    }
}
