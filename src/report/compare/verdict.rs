//! The verdict on two sides: how much slower or faster B is, why, and what is new or gone.

use super::device;
use super::rows::{clip, level_if_new, medians, ranks, sentence as sentence_of, setting, time};
use super::told::Verdict;
use crate::analysis::Severity;
use crate::compare::{Comparison, LogComparison, Pair, TimeLine, TimePart};
use crate::facts::{Aspect, DiffRow, DiffSide, RowKind};
use crate::limits::{SENTENCE, SHORT_LINE};
use crate::model::words::first_of;
use crate::model::{CompilerPart, capital};
use crate::report::kit::formats::{counted, micros, percent, whole};
use crate::report::kit::verdict::Words;
use std::collections::BTreeSet;

/// What a verdict counts.
const COUNTED: [Aspect; 5] =
    [Aspect::Failures, Aspect::GraphBreaks, Aspect::Recompiles, Aspect::Functions, Aspect::Measured];

/// Of guards, inputs and operators of functions, how many a verdict names.
const NAMED_CHANGES: usize = 2;

/// Settings that a verdict names, and characters of a value and of what is said about an input.
const NAMED_SETTINGS: usize = 2;
const LONGEST_SETTING: usize = 40;

/// The verdict on two sides.
pub(super) fn verdict(comparison: &Comparison) -> Verdict {
    let [a, b] = &comparison.names;
    let Some(shown) = comparison.shown() else {
        let words = format!("{a} and {b} have no rank in common, so there is nothing to compare.");
        return Verdict::told(words);
    };
    if comparison.rows.is_empty() {
        return Verdict::told(format!("{a} and {b} do not differ."));
    }
    let verdict = of_times(comparison, shown);
    match first_trouble(comparison) {
        Some(trouble) => verdict.after(trouble),
        None => verdict,
    }
}

/// What died on one side only, or else where ranks diverge in B only: ` Only in B, rank 1 breaks its graph at ..`
fn first_trouble(comparison: &Comparison) -> Option<String> {
    let [a, b] = &comparison.names;
    let of_kind = |kind: RowKind| comparison.rows.iter().filter(move |row| row.kind == kind);
    let is_serious = |row: &&DiffRow| level_if_new(row) == Severity::Error;
    // What B has is said before what it no longer has.
    let died = of_kind(RowKind::New).find(is_serious).or_else(|| of_kind(RowKind::Gone).find(is_serious));
    let row = died.or_else(|| of_kind(RowKind::New).find(|row| row.is_divergence))?;
    let name = if row.kind == RowKind::New { b } else { a };
    let ranks = ranks(row).map(|ranks| format!(" {ranks}")).unwrap_or_default();
    let what = match row.aspect {
        Aspect::Failures => {
            let why = row.detail.as_deref().and_then(|detail| detail.split("; ").next());
            let why = why.map(|why| format!(": {why}")).unwrap_or_default();
            format!("{}{ranks}{why}", row.subject.trim_start_matches("Failure: "))
        }
        _ => format!("{}{ranks}", uncapitalized(&row.subject)),
    };
    Some(format!("Only in {name}, {}.", clip(&what.replace('`', ""), SENTENCE).trim_end_matches('.')))
}

/// A sentence as the end of another one: names keep their first letter.
fn uncapitalized(sentence: &str) -> String {
    let mut letters = sentence.chars();
    match (letters.next(), letters.next()) {
        (Some(first), Some(' ' | 'a'..='z')) => {
            format!("{}{}", first.to_lowercase(), sentence.get(first.len_utf8()..).unwrap_or_default())
        }
        _ => sentence.to_owned(),
    }
}

/// How much slower or faster B is, and why.
fn of_times(comparison: &Comparison, shown: &LogComparison) -> Verdict {
    let of_device = device::verdict(comparison, shown);
    if is_of_traces(shown) {
        return Verdict { further: news(comparison, shown), ..of_device };
    }
    let of_compile_time = of_compile_time(comparison, shown);
    let (mut first, then) = match device_leads(comparison, shown) {
        true => (of_device, of_compile_time),
        false => (of_compile_time, of_device),
    };
    // Other devices come before other settings, and those before what caches had.
    let at = if device_leads(comparison, shown) { first.causes.len() } else { 0 };
    first.causes.splice(at..at, causes(comparison));
    let mut further: Vec<Words> = [then.speed, then.causes, then.share].into_iter().flatten().collect();
    if !further.is_empty() {
        further.insert(0, Words::plain(" "));
    }
    further.extend(news(comparison, shown));
    Verdict { further, ..first }
}

/// Whether the verdict begins with device time: if it changed by a larger factor than compile time, since every step costs it
/// and a compile happens once; or if a cache answered on one side only, since compile time then says little about the program.
fn device_leads(comparison: &Comparison, shown: &LogComparison) -> bool {
    let size = |pair: Pair| pair.factor().map_or(f64::INFINITY, |factor| factor.ln().abs());
    let is_comparable = has_common_functions(shown) && (shown.busy_differs || shown.wall_us.a.is_some());
    let is_cached = cached(comparison, shown).is_some();
    let of_step = if shown.wall_us.a.is_some() { shown.wall_us } else { shown.busy_us };
    is_comparable && (!shown.total_differs || is_cached || size(of_step) >= size(shown.total))
}

/// The lookups that a cache answers on one side only, if they change the compile time as it changed.
fn cached<'c>(comparison: &'c Comparison, shown: &LogComparison) -> Option<&'c DiffRow> {
    let kind = RowKind::of_difference(shown.total.difference());
    comparison.rows.iter().find(|row| shown.total_differs && row.aspect == Aspect::Cache && row.kind == kind)
}

/// `B compiles 21.3 s slower: 35.2 s against 13.9 s. 2 cache lookups: hit → miss. 90 % of the difference is kernel builds.`
fn of_compile_time(comparison: &Comparison, shown: &LogComparison) -> Verdict {
    if !has_common_functions(shown) && !shown.functions.is_empty() {
        let [a, b] = &comparison.names;
        let words =
            format!("No function is compiled by both {a} and {b}, so times cannot show what a change did.");
        return Verdict::told(words);
    }
    let cached =
        cached(comparison, shown).map(|row| Words::plain(format!(" {}.", row.subject.replace('`', ""))));
    Verdict {
        speed: speed(comparison, shown),
        causes: cached.into_iter().collect(),
        share: share(comparison, shown),
        ..Verdict::default()
    }
}

/// ` Set differently: compile.allow_tf32 (false → true) and 2 more. Inputs of f: 1 of 3 differ in layout alone.`
fn causes(comparison: &Comparison) -> Vec<Words> {
    let of = |aspect: Aspect| comparison.rows.iter().filter(move |row| row.aspect == aspect);
    let words = |text: String| Words::plain(text.replace('`', ""));
    let mut causes = Vec::new();
    let torch = of(Aspect::Torch).filter(|row| row.a.value.is_some());
    causes.extend(torch.map(|row| words(format!(" {}.", sentence_of(row)))));
    // Of compiles that use several values, a side may lack some.
    let values = |side: &DiffSide| -> BTreeSet<String> {
        side.value.iter().flat_map(|value| value.split(" or ")).map(str::to_owned).collect()
    };
    let is_set = |row: &&DiffRow| {
        let [a, b] = [&row.a, &row.b].map(values);
        a.is_disjoint(&b) && !(a.is_empty() && b.is_empty())
    };
    let named = of(Aspect::Settings).filter(is_set).map(|row| {
        let [a, b] = [&row.a.value, &row.b.value].map(|value| clip(&setting(value), LONGEST_SETTING));
        format!("{} ({a} → {b})", row.subject.trim_start_matches("Setting "))
    });
    let named: Vec<String> = named.collect();
    let set = (!named.is_empty()).then(|| first_of(&named, NAMED_SETTINGS));
    causes.extend(set.map(|set| words(format!(" Set differently: {set}."))));
    // In the order in which one explains the next; the rest is in the rows.
    let of_code = [Aspect::Guards, Aspect::Inputs, Aspect::Graphs];
    for row in of_code.into_iter().filter_map(|aspect| of(aspect).next()).take(NAMED_CHANGES) {
        let first = row.detail.as_deref().and_then(|detail| detail.split(';').next());
        let first = first.map(|first| format!(", as {}", clip(first, SHORT_LINE))).unwrap_or_default();
        causes.push(words(format!(" {}{first}.", sentence_of(row))));
    }
    causes
}

fn has_common_functions(shown: &LogComparison) -> bool {
    shown.same.contains_key(&Aspect::Functions)
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
    if let Some(row) = comparison.rows.iter().find(|row| is_cut_off(row)) {
        let [of_a, of_b] =
            [RowKind::Gone, RowKind::New].map(|kind| if row.kind == kind { " up to there" } else { "" });
        let (a, b) = (time(Some(a)), time(Some(b)));
        return vec![Words::plain(format!("{on}{name_b} compiles for {b}{of_b}, {name_a} for {a}{of_a}."))];
    }
    if a == 0.0 || b == 0.0 {
        let words = match (a == 0.0, b == 0.0) {
            (true, true) => format!("{on}neither {name_a} nor {name_b} has a compile time."),
            (true, _) => {
                format!("{on}{name_b} compiles for {}; {name_a} has no compile time.", time(Some(b)))
            }
            _ => format!("{on}{name_b} has no compile time; {name_a} compiles for {}.", time(Some(a))),
        };
        return vec![Words::plain(capital(&words))];
    }
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

/// Whether the log of one side ends within a compile, so that its times are not those of a whole run.
fn is_cut_off(row: &DiffRow) -> bool {
    row.aspect == Aspect::Ends && matches!(row.kind, RowKind::New | RowKind::Gone)
}

/// `90 % of the difference is kernel builds.`
fn share(comparison: &Comparison, shown: &LogComparison) -> Vec<Words> {
    if comparison.rows.iter().any(is_cut_off) || medians(shown.total).0 == Some(0.0) {
        return Vec::new();
    }

    let total = shown.total.difference();
    let same_way = |line: &&TimeLine<TimePart>| line.differs && line.times.difference() * total > 0.0;
    // Trying the compiler is part of the kernel builds.
    let whole = |line: &&TimeLine<TimePart>| line.name != TimePart::Toolchain && same_way(line);
    let first = shown.parts.iter().find(whole).filter(|_| shown.total_differs);
    let Some(first) = first else { return Vec::new() };
    let (seconds, name) = (first.times.difference(), first.name.in_a_sentence());
    if seconds.abs() > total.abs() {
        let word = if seconds > 0.0 { "slower" } else { "faster" };
        let text = format!("{} {word}", micros(seconds.abs() * 1e6));
        let is_many = first.name == TimePart::Of(CompilerPart::KernelBuilds);
        let are = if is_many { "are" } else { "is" };
        let words = Words::plain(format!(" {} alone {are} ", capital(name)));
        return vec![words, Words::linked("", text, "#parts", ""), Words::plain(".")];
    }
    let share = percent(seconds, total, false);
    vec![Words::linked(" ", share, "#parts", ""), Words::plain(format!(" of the difference is {name}."))]
}

/// `1 failure is new; no failure, graph break, recompile or function is gone.`
fn news(comparison: &Comparison, shown: &LogComparison) -> Vec<Words> {
    let count = |kind: RowKind| -> Vec<Counted> {
        let of = |aspect: Aspect| {
            let rows = comparison.rows.iter().filter(|row| row.kind == kind && row.aspect == aspect).count();
            (rows > 0).then_some(Counted { aspect, rows })
        };
        COUNTED.into_iter().filter_map(of).collect()
    };
    let (new, gone) = (count(RowKind::New), count(RowKind::Gone));
    let none = match (is_of_traces(shown), shown.per) {
        // Of kernels with less than that there is no row.
        (true, _) => "measured kernel above 1\u{a0}% of the time",
        (_, Some(_)) => {
            "failure, graph break, recompilation, function or measured kernel above 1\u{a0}% of the time"
        }
        _ => "failure, graph break, recompilation or function",
    };
    if new.is_empty() && gone.is_empty() {
        return vec![Words::plain(format!(" No {none} is new or gone."))];
    }
    let mut pieces = vec![Words::plain(" ")];
    let class = if new.iter().any(|one| one.aspect == Aspect::Failures) { "err" } else { "warn" };
    pieces.extend(listed(&new, [format!("No {none} is new"), " is new".into(), " are new".into()], class));
    pieces.push(Words::plain("; "));
    pieces.extend(listed(&gone, [format!("no {none} is gone"), " is gone".into(), " are gone".into()], ""));
    pieces.push(Words::plain("."));
    pieces
}

/// Rows of one aspect that are new, or gone.
struct Counted {
    aspect: Aspect,
    rows: usize,
}

/// `2 failures`
fn counted_of(aspect: Aspect, count: usize) -> String {
    let [one, many] = aspect.nouns();
    counted(count, one, many)
}

/// `1 failure and 2 graph breaks are new`, with the words for zero, one and many.
fn listed(all: &[Counted], [none, one, many]: [String; 3], class: &'static str) -> Vec<Words> {
    let mut words = Vec::new();
    for (at, counted) in all.iter().enumerate() {
        let before = match (at, at + 1 == all.len()) {
            (0, _) => "",
            (_, true) => " and ",
            _ => ", ",
        };
        words.push(Words::linked(before, counted_of(counted.aspect, counted.rows), "#changes", class));
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
        let word = if one.factor > 1.0 { "slower" } else { "faster" };
        let factor = one.factor.max(1.0 / one.factor);
        notes.push(format!(
            "{} of {} functions are {word}, by {factor:.1} times in the median: a {word} machine or compiler would look \
             like this too.",
            whole(one.functions),
            whole(one.of),
        ));
    }
    notes.push(same(comparison));
    notes.extend(missed_again(comparison));
    let [a, b] = &comparison.names;
    for (name, side) in [(a, &comparison.a), (b, &comparison.b)] {
        for (rank, why) in side.iter().flat_map(|recording| &recording.unreadable).take(3) {
            notes.push(format!("Rank {rank} of {name} could not be read: {why}."));
        }
    }
    notes.retain(|note| !note.is_empty());
    notes
}

/// Why a second start did not find what the first one stored, where its keys are the same.
fn missed_again(comparison: &Comparison) -> Option<String> {
    let missed: usize = comparison.logs.iter().map(|log| log.missed_again).sum();
    let [a, b] =
        [&comparison.a, &comparison.b].map(|side| side.first()?.logs.first()?.log.first_time.as_deref());
    let is_later = a.zip(b).is_some_and(|(a, b)| a < b);
    let [name_a, name_b] = &comparison.names;
    (missed > 0 && is_later).then(|| {
        format!(
            "{} of {name_b} missed under the keys under which {name_a} had stored results before: they did not share a \
             cache folder, or it was emptied.",
            counted_of(Aspect::Cache, missed)
        )
    })
}

/// What both sides have: `On both sides: 24 functions, 7 graph breaks.`
fn same(comparison: &Comparison) -> String {
    let Some(shown) = comparison.shown() else { return String::new() };
    let counts = shown.same.iter().filter(|(aspect, count)| **count > 0 && **aspect != Aspect::Ends);
    let words: Vec<String> = counts.map(|(aspect, count)| counted_of(*aspect, *count)).collect();
    match words.is_empty() {
        true if is_of_traces(shown) => String::new(),
        true => "The sides have nothing in common.".to_owned(),
        false => format!("On both sides: {}.", words.join(", ")),
    }
}

/// How certain the differences are.
pub(super) fn doubt(comparison: &Comparison) -> (String, String) {
    let of_traces = comparison.shown().is_some_and(is_of_traces);
    let (one, many) = if of_traces { ("trace", "traces") } else { ("run", "runs") };
    let several = comparison.a.len() + comparison.b.len() > 2;
    let [a, b] = [&comparison.a, &comparison.b].map(|side| counted(side.len(), one, many));
    let runs = if several { format!("{a} against {b}.") } else { format!("One {one} against one {one}.") };
    let threshold = comparison.threshold;
    let share = crate::report::kit::formats::count((threshold.share * 1e4).round() / 100.0);
    let small = match of_traces {
        true => "Kernels whose difference is under 5\u{a0}% of their own time or 1\u{a0}% of the time of all"
            .to_owned(),
        false => format!("Differences under {share}\u{a0}% or {}", micros(threshold.seconds * 1e6)),
    };
    let apart = if of_traces { "left out of the changes" } else { "set apart as noise" };
    let alone = match of_traces {
        true => "The launches of a trace show how much a kernel varies, but not how much the machine does",
        false => {
            "Above that, one run per side cannot tell a change from a busy machine; the logs do not record the load"
        }
    };
    let rest = match several {
        true => format!(
            "Times are medians. {small}, and those where the ranges of the two sides overlap, are {apart}."
        ),
        false => format!("{small} are {apart}. {alone}. Several {many} per side give medians and ranges."),
    };
    (runs, rest)
}

/// The rows in the order in which they are read: settings before what follows from them, and times of kernels and functions last,
/// as there are many. The verdict has the compile time.
pub(super) fn in_order(comparison: &Comparison) -> Vec<&DiffRow> {
    let mut rows: Vec<&DiffRow> =
        comparison.rows.iter().filter(|row| row.aspect != Aspect::CompileTime).collect();
    rows.sort_by_key(|row| match row.aspect {
        Aspect::Settings => 1,
        Aspect::Measured => 2,
        _ => u8::from(!is_change(row)) * 3,
    });
    rows
}

/// Rows that the list of changes shows: all that is new or gone, and what has no table of its own as settings, functions and
/// kernels do.
pub(super) fn is_change(row: &DiffRow) -> bool {
    matches!(row.kind, RowKind::New | RowKind::Gone)
        || match row.aspect {
            Aspect::CompileTime | Aspect::FunctionTime | Aspect::Measured => false,
            Aspect::Settings => row.a.value.is_none() && row.b.value.is_none(),
            _ => true,
        }
}
