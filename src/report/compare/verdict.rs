//! The verdict on two sides: how much slower or faster B is, why, and what is new or gone.

use super::device;
use super::rows::{medians, time};
use crate::compare::{Comparison, LogComparison, Row, RowKind, TimeLine, Topic};
use crate::model::capital;
use crate::report::kit::formats::{counted, micros, percent, whole};
use crate::report::kit::verdict::Words;

/// What a verdict counts, in singular and plural.
const COUNTED: [(Topic, &str, &str); 4] = [
    (Topic::Failure, "failure", "failures"),
    (Topic::GraphBreak, "graph break", "graph breaks"),
    (Topic::Recompile, "recompile", "recompiles"),
    (Topic::Function, "function", "functions"),
];

/// The verdict as plain text.
pub(super) fn sentence(comparison: &Comparison) -> String {
    pieces(comparison).into_iter().map(|words| words.text().replace('\u{a0}', " ")).collect()
}

/// The verdict, whose numbers link to the evidence.
pub(super) fn pieces(comparison: &Comparison) -> Vec<Words> {
    let [a, b] = &comparison.names;
    let Some(shown) = comparison.shown() else {
        return vec![Words::plain(format!(
            "{a} and {b} have no rank in common, so there is nothing to compare."
        ))];
    };
    if comparison.rows.is_empty() {
        return vec![Words::plain(format!("{a} and {b} do not differ."))];
    }
    let mut pieces = Vec::new();
    if is_of_traces(shown) {
        pieces.extend(device::pieces(comparison, shown));
        return pieces;
    }
    if shown.same.functions == 0 && !shown.functions.is_empty() {
        pieces.push(Words::plain(format!(
            "No function is compiled by both {a} and {b}, so their times cannot show what a change did."
        )));
    } else {
        pieces.extend(speed(comparison, shown));
        pieces.extend(share(shown));
    }
    let of_device = device::pieces(comparison, shown);
    if !of_device.is_empty() {
        pieces.push(Words::plain(" "));
        pieces.extend(of_device);
    }
    pieces.extend(news(comparison));
    pieces
}

/// Whether only traces of a device are compared, without what was compiled.
pub(super) fn is_of_traces(shown: &LogComparison) -> bool {
    shown.per.is_some() && shown.functions.is_empty()
}

/// `B compiles 21.3 s slower: 35.2 s against 13.9 s.`
fn speed(comparison: &Comparison, shown: &LogComparison) -> Vec<Words> {
    let (Some(a), Some(b)) = medians(shown.total) else { return Vec::new() };
    let [name_a, name_b] = &comparison.names;
    let on = shown.rank.map(|rank| format!("On rank {rank}, ")).unwrap_or_default();
    let difference = shown.total.difference();
    let both = format!(": {} against {}.", time(Some(b)), time(Some(a)));
    if shown.total_differs {
        let (word, class) = if difference > 0.0 { ("slower", "warn") } else { ("faster", "") };
        return vec![
            Words::plain(format!("{on}{name_b} compiles ")),
            Words::linked("", format!("{} {word}", micros(difference.abs() * 1e6)), "#parts", class),
            Words::plain(both),
        ];
    }
    vec![Words::plain(format!("{on}{name_b} compiles as fast as {name_a}, within the noise{both}"))]
}

/// `90 % of the difference is kernel builds.`
fn share(shown: &LogComparison) -> Vec<Words> {
    let total = shown.total.difference();
    if !shown.total_differs {
        return Vec::new();
    }
    let same_way = |line: &&TimeLine| line.differs && line.times.difference() * total > 0.0;
    let builds = ["C++ toolchain, once", "Kernel builds"];
    let of_builds: Vec<&TimeLine> =
        shown.parts.iter().filter(same_way).filter(|line| builds.contains(&line.name.as_str())).collect();
    let first = shown.parts.iter().find(same_way);
    let (name, seconds) = match (of_builds.as_slice(), first) {
        ([one, other], Some(first)) if builds.contains(&first.name.as_str()) => (
            "kernel builds and the C++ toolchain".to_owned(),
            one.times.difference() + other.times.difference(),
        ),
        (_, Some(first)) => (lower(&first.name), first.times.difference()),
        _ => return Vec::new(),
    };
    if seconds.abs() > total.abs() {
        let word = if seconds > 0.0 { "slower" } else { "faster" };
        let text = format!("{} {word}", micros(seconds.abs() * 1e6));
        let name = capital(&name);
        let are = if name.contains("uilds") { "are" } else { "is" };
        return vec![
            Words::plain(format!(" {name} alone {are} ")),
            Words::linked("", text, "#parts", ""),
            Words::plain("."),
        ];
    }
    let share = percent(seconds, total, false);
    vec![Words::linked(" ", share, "#parts", ""), Words::plain(format!(" of the difference is {name}."))]
}

/// A part's name within a sentence; proper names keep their capital.
fn lower(name: &str) -> String {
    match name {
        "Kernel builds" | "Code generation" | "Autotuning" | "Other phases" => name.to_lowercase(),
        "C++ toolchain, once" => "the C++ toolchain".to_owned(),
        _ => name.to_owned(),
    }
}

/// `1 failure is new, nothing is gone.`
fn news(comparison: &Comparison) -> Vec<Words> {
    let count = |kind: RowKind| -> Vec<Counted> {
        let of = |(topic, one, many): (Topic, &str, &str)| {
            let rows = comparison.rows.iter().filter(|row| row.kind == kind && row.topic == topic).count();
            (rows > 0).then(|| Counted { topic, rows, text: counted(rows, one, many) })
        };
        COUNTED.into_iter().filter_map(of).collect()
    };
    let (new, gone) = (count(RowKind::New), count(RowKind::Gone));
    if new.is_empty() && gone.is_empty() {
        return vec![Words::plain(" No failure, graph break, recompile or function is new or gone.")];
    }
    let mut pieces = vec![Words::plain(" ")];
    let class = if new.iter().any(|one| one.topic == Topic::Failure) { "err" } else { "warn" };
    pieces.extend(listed(&new, ["Nothing is new", " is new", " are new"], class));
    pieces.push(Words::plain(", "));
    pieces.extend(listed(&gone, ["nothing is gone", " is gone", " are gone"], ""));
    pieces.push(Words::plain("."));
    pieces
}

/// Rows of one topic that are new, or gone.
struct Counted {
    topic: Topic,
    rows: usize,
    /// `2 failures`
    text: String,
}

/// `1 failure and 2 graph breaks are new`, with the words for zero, one and many.
fn listed(all: &[Counted], [none, one, many]: [&'static str; 3], class: &'static str) -> Vec<Words> {
    let mut words = Vec::new();
    for (at, counted) in all.iter().enumerate() {
        let before = match (at, at + 1 == all.len()) {
            (0, _) => "",
            (_, true) => " and ",
            _ => ", ",
        };
        words.push(Words::linked(before, counted.text.clone(), "#changes", class));
    }
    words.push(Words::plain(match all.iter().map(|counted| counted.rows).sum::<usize>() {
        0 => none,
        1 => one,
        _ => many,
    }));
    words
}

/// Sentences below the verdict.
pub(super) fn notes(comparison: &Comparison) -> Vec<String> {
    let mut notes = Vec::new();
    let Some(shown) = comparison.shown() else { return notes };
    if let Some(one) = shown.one_factor {
        let (word, factor, machine) = match one.factor > 1.0 {
            true => ("slower", one.factor, "a slower machine or compiler"),
            false => ("faster", 1.0 / one.factor, "a faster machine or compiler"),
        };
        notes.push(format!(
            "{} of {} functions are {word}, by {factor:.1} times in the median: {machine} would look like \
            this too.",
            whole(one.functions),
            whole(one.of),
        ));
    }
    notes.push(same(comparison));
    let [a, b] = &comparison.names;
    for (name, side) in [(a, &comparison.a), (b, &comparison.b)] {
        for (rank, why) in side.iter().flat_map(|recording| &recording.unreadable).take(3) {
            notes.push(format!("Rank {rank} of {name} could not be read: {why}."));
        }
    }
    notes.retain(|note| !note.is_empty());
    notes
}

/// What both sides have: `On both sides: 24 functions, 7 graph breaks.`
pub(super) fn same(comparison: &Comparison) -> String {
    let Some(shown) = comparison.shown() else { return String::new() };
    let same = shown.same;
    let counts = [
        (same.functions, "function", "functions"),
        (same.breaks, "graph break", "graph breaks"),
        (same.recompiles, "recompile", "recompiles"),
        (same.failures, "failure", "failures"),
        (same.lookups, "result of a cache lookup", "results of cache lookups"),
        (same.kernels, "kernel", "kernels"),
        (same.settings, "setting", "settings"),
    ];
    let words: Vec<String> = counts
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| counted(count, one, many))
        .collect();
    match words.is_empty() {
        true if is_of_traces(shown) => String::new(),
        true => "The sides have nothing in common.".to_owned(),
        false => format!("On both sides: {}.", words.join(", ")),
    }
}

/// How certain the differences are.
pub(super) fn doubt(comparison: &Comparison) -> (String, String) {
    if let (1, 1, true) =
        (comparison.a.len(), comparison.b.len(), comparison.shown().is_some_and(is_of_traces))
    {
        return (
            "One trace against one trace.".to_owned(),
            "Kernels whose difference is under 5\u{a0}% of their own time or 1\u{a0}% of the time of all are left out of the \
             changes. The launches of a \
             trace show how much a kernel varies, but not how much the machine does; several traces per side give medians \
             and ranges."
                .to_owned(),
        );
    }
    let threshold = comparison.threshold;
    let limits = format!(
        "under {}\u{a0}% or {}",
        crate::report::kit::formats::count((threshold.share * 1e4).round() / 100.0),
        micros(threshold.seconds * 1e6)
    );
    match (comparison.a.len(), comparison.b.len()) {
        (1, 1) => (
            "One run against one run.".to_owned(),
            format!(
                "Differences {limits} are set apart as noise. Above that, one run per side cannot \
                tell a change from \
                 a busy machine; the logs do not record the load. Several runs per side give medians and \
                 ranges."
            ),
        ),
        (a, b) if comparison.shown().is_some_and(is_of_traces) => (
            format!("{} against {b}.", counted(a, "trace", "traces")),
            "Times are medians. Kernels whose difference is under 5\u{a0}% of their own time or 1\u{a0}% of the time of all, \
             and those where the ranges of the two sides overlap, are left out of the changes."
                .to_owned(),
        ),
        (a, b) => (
            format!("{} against {b}.", counted(a, "run", "runs")),
            format!(
                "Times are medians. Differences {limits}, and those where the ranges of the two sides \
                overlap, are set \
                 apart as noise."
            ),
        ),
    }
}

/// Rows that the list of changes shows: settings, functions and kernels have tables of their own.
pub(super) fn is_change(row: &Row) -> bool {
    !matches!(row.topic, Topic::CompileTime | Topic::FunctionTime | Topic::Measured)
        && !(row.topic == Topic::Setting && (row.a.value.is_some() || row.b.value.is_some()))
}
