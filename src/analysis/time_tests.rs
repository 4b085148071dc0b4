//! What is worked out of the spans of a log, by the rows of a file.

use super::builds::{Builds, BuildsOf};
use super::one_offs::one_offs;
use super::order_of_time::order_of_time;
use super::rank_facts::{builds, open_at_end, pauses};
use super::run_time::{RunTime, at_run_time};
use super::warm_run::{saved_us, worth_us};
use super::{Account, Gap, Spans, Split, Timeline, functions};
use crate::facts::Interval;
use crate::model::{ArtifactIndex, CacheLookup, CompileIndex, Model, Outcome, Parts, TraceSpan};
use crate::trace::CompileId;

#[test]
fn spans_say_what_the_rows_of_their_file_do() {
    let (text, mut wrong) = (include_str!("time_cases.txt"), Vec::new());
    for case in text.split("\n[").skip(1) {
        let (name, rows) = case.split_once("]\n").expect(case);
        let rows = rows.lines().filter(|row| !row.is_empty() && !row.starts_with('#'));
        let (questions, spans): (Vec<&str>, Vec<&str>) = rows.partition(|row| row.contains(" =>"));
        for question in questions {
            let (question, expected) = question.split_once(" =>").expect(question);
            let found = answer(question, model(&spans)).join(" ¦ ");
            let is_right = found == expected.trim_start();
            wrong.extend((!is_right).then(|| format!("{name}: {question}\n    is {found}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A log with these spans.
fn model(rows: &[&str]) -> Model {
    let mut model = Model::default();
    let mut around: Vec<usize> = Vec::new();
    for (place, row) in rows.iter().enumerate() {
        let words: Vec<&str> = row.split_whitespace().collect();
        around.truncate((row.len() - row.trim_start().len()) / 2);
        let us = |word: &str| word.parse::<f64>().expect(row) * 1e6;
        let mut span = TraceSpan::begin(words[0].into(), us(words[1]), 1, around.last().copied());
        span.close(us(words[2]), words.contains(&"open"));
        span.compile = match words.iter().find_map(|word| word.strip_prefix('@')) {
            Some(compile) => compile.parse().ok().map(CompileIndex::new),
            None => around.is_empty().then(|| CompileIndex::new(0)),
        };
        around.push(place);
        model.spans.push(span);
    }
    for id in [None, Some("1/0")] {
        model.compile_index(id.and_then(CompileId::parse).as_ref());
    }
    model.compiles[0].id = CompileId::parse("0/0");
    model
}

/// Adds the lookups `fx_graph miss, aotautograd hit`.
fn with_lookups(mut model: Model, lookups: &str) -> Model {
    for (cache, outcome) in lookups.split(", ").filter_map(|lookup| lookup.split_once(' ')) {
        let outcomes = [Outcome::Hit, Outcome::Miss, Outcome::Bypass];
        model.caches.push(CacheLookup {
            compile: None,
            attempt: 0,
            cache: cache.to_owned(),
            outcome: outcomes.into_iter().find(|one| one.word() == outcome).expect(outcome),
            key: None,
            reason: None,
            saved_ns: None,
            asked_ns: None,
            stored_ns: None,
            artifact: ArtifactIndex::new(CompileIndex::new(0), 0),
        });
    }
    model
}

fn answer(question: &str, mut model: Model) -> Vec<String> {
    if let Some((question, lookups)) = question.split_once(", caches: ") {
        return warm(question, &with_lookups(model, lookups));
    }
    if let Some((_, rank)) = question.split_once(" of rank ") {
        model.log.rank = rank.parse().ok();
    }
    let spans = Spans::of(&model);
    let split = Split::of(&spans);
    let account = Account::of(&spans);
    let one_offs = one_offs(&spans);
    let all = Builds::new(&spans, &one_offs);
    match question {
        "covered" => vec![seconds(all.log_us)],
        "builds" => built(&all),
        "split" => vec![split_words(&split.whole, split.apart_us)],
        "split of compile 0" => vec![split_words(&split.at(CompileIndex::new(0)), 0.0)],
        "split of functions" => {
            let functions = functions::of_log(&model, &split);
            functions.iter().take(1).map(|function| split_words(&function.parts, 0.0)).collect()
        }
        "pieces" => {
            let pieces = split.pieces(&all).into_iter();
            pieces.map(|(piece, us)| format!("{piece:?} {}", seconds(us))).collect()
        }
        "order" => {
            let build = |build| format!("{build:?} ");
            let segments = order_of_time(&spans).into_iter();
            let words = segments.map(|one| one.build.map(build).unwrap_or_default() + &seconds(one.us));
            words.collect()
        }
        "account" => {
            let (wall, covered) = (("wall", account.wall_us), ("covered", account.covered_us));
            let times =
                [wall, covered, ("uncovered", account.uncovered_us()), ("between", account.between_us)];
            times.map(|(name, us)| format!("{name} {}", seconds(us))).to_vec()
        }
        "gaps" => {
            let place = |place: Option<usize>| place.map_or("none".to_owned(), |place| place.to_string());
            let gap = |gap: &Gap| {
                let interval = interval(&Interval { start_us: gap.start_us, end_us: gap.end_us });
                format!("{interval} after {} before {}", place(gap.before), place(gap.after))
            };
            account.gaps.iter().map(gap).collect()
        }
        "at run time" => at_run_time(&model).iter().map(run_time_words).collect(),
        "timeline" => laid_out(&Timeline::of(&spans)),
        "pauses" => pauses(&model).iter().map(interval).collect(),
        "built" => builds(&model).iter().map(interval).collect(),
        _ if question.starts_with("one-offs") => {
            one_offs.iter().map(|one| format!("{:?} {}", one.kind, seconds(one.us))).collect()
        }
        _ => {
            let pid = question.strip_prefix("open at the end of process ").expect(question);
            let open = open_at_end(&model.spans, pid.parse().expect(question));
            open.into_iter().map(|(_, span)| span.name.to_string()).collect()
        }
    }
}

fn run_time_words((compile, of): (&CompileIndex, &RunTime)) -> String {
    let [tuning, in_spans, graphs] = [of.tuning_us, of.tuning_spans_us, of.cudagraphs_us].map(seconds);
    format!("@{}: tuning {tuning}, {in_spans} in spans, CUDA graphs {graphs}", compile.place())
}

/// What a second run saves, and what the page says of it.
fn warm(question: &str, model: &Model) -> Vec<String> {
    let spans = Spans::of(model);
    let (split, one_offs) = (Split::of(&spans), one_offs(&spans));
    let saved = match question {
        "saved" => Some(saved_us(model, &split, &one_offs)),
        _ => worth_us(model, &split, &one_offs),
    };
    vec![saved.map_or("none".to_owned(), seconds)]
}

/// `kernels 2: 10 @0`: how many were built, the seconds that it took, and the compile.
fn built(all: &Builds) -> Vec<String> {
    let kinds = [
        ("kernels", &all.kernels),
        ("ahead of time", &all.ahead_of_time),
        ("side by side", &all.side_by_side),
        ("trials", &all.trials),
        ("tuning", &all.tuning),
    ];
    let words = |kind: &str, one: &BuildsOf| {
        let work = if one.work_us == one.us {
            String::new()
        } else {
            format!(" ({} of work)", seconds(one.work_us))
        };
        format!("{kind} {}: {}{work} @{}", one.count, seconds(one.us), one.compile.place())
    };
    let kinds = kinds.into_iter().flat_map(|(kind, all)| all.iter().map(move |one| words(kind, one)));
    let parallel = all.parallel_work_us().map(|us| format!("work in parallel {}", seconds(us)));
    kinds.chain(parallel).collect()
}

fn split_words(parts: &Parts, apart_us: f64) -> String {
    let parts: Vec<String> = parts.iter().map(|(_, us)| seconds(us)).collect();
    format!("{}, apart {}", parts.join(" "), seconds(apart_us))
}

/// The kinds of the tracks, and the track and lane of each span in the order of the log.
fn laid_out(timeline: &Timeline) -> Vec<String> {
    let tracks: Vec<String> = timeline.tracks.iter().map(|track| format!("{:?}", track.kind)).collect();
    let mut laid = timeline.spans.clone();
    laid.sort_by_key(|laid| laid.span);
    let mut places: Vec<String> =
        laid.iter().map(|laid| format!("{}.{}", laid.place.track, laid.place.lane)).collect();
    places[0] = format!("{}: {}", tracks.join(", "), places[0]);
    places
}

fn interval(one: &Interval) -> String {
    format!("{} to {}", seconds(one.start_us), seconds(one.end_us))
}

fn seconds(us: f64) -> String {
    (us.round() / 1e6 + 0.0).to_string()
}

#[test]
fn the_timeline_of_many_overlapping_spans_is_bounded() {
    let rows: Vec<String> = (0..500).map(|n| format!("x {n} {}", 1_000_000 + n)).collect();
    let model = model(&rows.iter().map(String::as_str).collect::<Vec<_>>());
    let timeline = Timeline::of(&Spans::of(&model));
    assert_eq!((timeline.tracks.len(), timeline.spans.len(), timeline.left_out), (48, 48, 452));
}
