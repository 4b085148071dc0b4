//! Compile time in chronological order, as one strip; each build is a piece of its own.

use crate::analysis::{BuildKind, Segment};
use crate::model::CompilerPart;
use crate::report::kit::bars::color;
use crate::report::kit::formats::count;
use crate::report::kit::prelude::*;
use crate::report::words::phases::part_meaning;

/// Smallest share of the time that is drawn by itself; less would be under one pixel.
const LEAST_SHARE: f64 = 0.0006;

/// Most marks along the strip.
const MOST_TICKS: f64 = 5.0;

/// The first builds of a process, which check what the C++ compiler can do; they are included in all builds.
const TRIALS: &str = "of which first C++ build";

#[derive(Serialize)]
struct Order {
    ticks: Vec<Mark>,
    segments: Vec<Drawn>,
    legend: Vec<Legend>,
}

#[derive(Serialize)]
struct Mark {
    left: String,
    text: String,
}

#[derive(Serialize)]
struct Drawn {
    class: String,
    left: String,
    width: String,
    title: String,
}

#[derive(Serialize)]
struct Legend {
    class: String,
    name: &'static str,
    time: String,
    about: &'static str,
}

/// What is tried before the first kernel.
const TOOLCHAIN: &str = "Checks which vector instructions the processor supports, and precompiles headers. Happens once per \
                         machine, as long as the cache folder is kept.";

/// The strip with its legend; empty if the log has no spans.
pub(crate) fn strip(view: View<'_>, segments: &[Segment]) -> anyhow::Result<Html> {
    let total: f64 = segments.iter().map(|one| one.us).sum();
    if total <= 0.0 {
        return Ok(Html::default());
    }
    let pieces = pieces(segments, LEAST_SHARE * total);
    let drawn = pieces.iter().map(|StripPiece { start_us, segment, mixed }| Drawn {
        class: class(segment),
        left: share(*start_us, total),
        width: share(segment.us, total),
        title: format!("{}{}, {}", if *mixed { "mostly " } else { "" }, name(segment), micros(segment.us)),
    });
    let order = Order {
        ticks: ticks(total),
        segments: drawn.collect(),
        legend: legend(segments, view.report.found.builds.trials_us()),
    };
    view.render("order", &order)
}

/// A drawn piece of the strip.
struct StripPiece {
    /// Microseconds of compile time before it.
    start_us: f64,
    segment: Segment,
    /// Whether it represents several short intervals, drawn in the color of the part with the most time.
    mixed: bool,
}

/// The intervals that are long enough to be drawn, with runs of short ones merged.
fn pieces(segments: &[Segment], least_us: f64) -> Vec<StripPiece> {
    let (mut pieces, mut done_us) = (Vec::new(), 0.0);
    for run in segments.chunk_by(|a, b| a.us < least_us && b.us < least_us) {
        let us: f64 = run.iter().map(|one| one.us).sum();
        let start_us = done_us;
        done_us += us;
        let Some(first) = run.first().filter(|_| us >= least_us) else { continue };
        // None, what belongs to no part, comes last.
        let kinds = CompilerPart::ALL.map(Some).into_iter().chain([None]);
        let sum = |part| run.iter().filter(|one| one.part == part).map(|one| one.us).sum::<f64>();
        let most = kinds.max_by(|one, other| sum(*one).total_cmp(&sum(*other)));
        let part = most.flatten();
        let mixed = run.len() > 1;
        let build = if mixed { None } else { first.build };
        pieces.push(StripPiece { start_us, segment: Segment { us, part, build }, mixed });
    }
    pieces
}

fn share(us: f64, total: f64) -> String {
    format!("{:.2}", 100.0 * us / total)
}

fn class(one: &Segment) -> String {
    let part = color(one.part);
    match one.build {
        Some(BuildKind::Trial) => format!("{part} trial"),
        _ => part.to_owned(),
    }
}

fn name(one: &Segment) -> &'static str {
    match one.build {
        Some(BuildKind::Trial) => "first C++ build",
        _ => one.part.map_or("other work", CompilerPart::name),
    }
}

/// Marks at round times.
fn ticks(total: f64) -> Vec<Mark> {
    let mut step = 1e3;
    for factor in [2.0, 2.5, 2.0].into_iter().cycle() {
        if total / step <= MOST_TICKS {
            break;
        }
        step *= factor;
    }
    let count = (total / step) as usize;
    let at = |place: usize| place as f64 * step;
    (0..=count).map(|place| Mark { left: share(at(place), total), text: round_time(at(place)) }).collect()
}

/// A round time without trailing zeros: `2 s`, `250 ms`.
fn round_time(us: f64) -> String {
    let (number, unit) = if us >= 1e6 || us == 0.0 { (us / 1e6, "s") } else { (us / 1e3, "ms") };
    format!("{}\u{a0}{unit}", count(number))
}

/// Each part with its sum, as on every page; after the builds, how much of them was toolchain checks.
fn legend(segments: &[Segment], trials_us: f64) -> Vec<Legend> {
    let is_trial = |one: &Segment| one.build == Some(BuildKind::Trial);
    let entry = |name: &'static str, class: String, us: f64, about: &'static str| {
        (us > 0.0).then(|| Legend { class, name, time: micros(us), about })
    };
    let sum = |of: &dyn Fn(&Segment) -> bool| segments.iter().filter(|one| of(one)).map(|one| one.us).sum();
    let mut legend = Vec::new();
    for part in CompilerPart::ALL.map(Some).into_iter().chain([None]) {
        let plain = Segment { us: 0.0, part, build: None };
        let about = part.map_or("", part_meaning);
        legend.extend(entry(name(&plain), class(&plain), sum(&|one| one.part == part), about));
        let trial = Segment { us: 0.0, part, build: Some(BuildKind::Trial) };
        let has_trials = segments.iter().any(|one| one.part == part && is_trial(one));
        legend.extend(has_trials.then(|| entry(TRIALS, class(&trial), trials_us, TOOLCHAIN)).flatten());
    }
    legend
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_stretches_in_a_row_are_drawn_together() {
        let [first, second, third, last, ..] = CompilerPart::ALL;
        let segment = |us, part| Segment { us, part: Some(part), build: None };
        let segments = [(50.0, first), (4.0, second), (3.0, third), (4.0, second), (9.0, last)]
            .map(|(us, part)| segment(us, part));
        let drawn: Vec<(f64, f64, Option<CompilerPart>, bool)> = pieces(&segments, 8.0)
            .iter()
            .map(|one| (one.start_us, one.segment.us, one.segment.part, one.mixed))
            .collect();
        let mixed = (50.0, 11.0, Some(second), true);
        assert_eq!(drawn, [(0.0, 50.0, Some(first), false), mixed, (61.0, 9.0, Some(last), false)]);
    }

    #[test]
    fn marks_stand_at_round_times_and_are_few() {
        for total in [3e3, 14.45e6, 60.2e6, 135e6, 3.9e9] {
            let ticks = ticks(total);
            assert!((3..=6).contains(&ticks.len()), "{total}: {}", ticks.len());
        }
        let texts: Vec<String> = ticks(14.45e6).into_iter().map(|tick| tick.text).collect();
        assert_eq!(texts[1].replace('\u{a0}', " "), "5 s");
    }
}
