//! What a comparison says about the time of the device: how much slower or faster B is, by which kernel, and how sure that is.

use super::rows::{clip, medians, per_words, time};
use super::told::Verdict;
use crate::compare::{Comparison, LogComparison, MeasuredLine};
use crate::facts::{Match, Per};
use crate::limits::SHORT_NAME;
use crate::report::kit::formats::{counted, micros, percent, short_path};
use crate::report::kit::verdict::Words;

/// `B takes 12 % more device time per step: 2.35 ms against 2.1 ms. B has 1 step, A has 5.`, and what may be behind it.
pub(super) fn verdict(comparison: &Comparison, shown: &LogComparison) -> Verdict {
    let [name_a, name_b] = &comparison.names;
    if shown.lacks_a_trace {
        return Verdict::told(
            "Kernels are not compared, as only some of the runs have a trace: --profile-a and --profile-b give them.",
        );
    }
    let Some(per) = shown.per else { return Verdict::default() };
    let (Some(a), Some(b)) = medians(shown.busy_us) else { return Verdict::default() };
    let mut causes = vec![Words::plain(steps(shown, [name_a, name_b]))];
    causes.extend(devices(shown));
    let seconds = |us: f64| time(Some(us / 1e6));
    let both = format!(": {} against {}.", seconds(b), seconds(a));
    let what = format!("{} {}", noun(shown), per_words(per));
    if let (Some(whole_a), Some(whole_b)) = medians(shown.wall_us) {
        let told = format!("time {}: {} against {}.", per_words(per), seconds(whole_b), seconds(whole_a));
        let speed = change((whole_a, whole_b), name_b, &told);
        let idle = " Idle time of the device is included, and the profiler slows the host.";
        causes.insert(0, Words::plain(idle));
        let busy = format!(" The device is busy for {} against {}.", seconds(b), seconds(a));
        return Verdict { speed, causes, share: vec![Words::plain(busy)], ..Verdict::default() };
    }
    if !shown.busy_differs || a <= 0.0 {
        let words = match a <= 0.0 && b > 0.0 {
            true => format!("{name_a} has no {}, {name_b} {}.", noun(shown), seconds(b)),
            false => format!("{name_b} takes as much {what} as {name_a}, within the noise{both}"),
        };
        return Verdict { causes, ..Verdict::told(words) };
    }
    let same_way = |one: &&MeasuredLine| one.line.times.difference() * (b - a) > 0.0;
    let share = shown.kernels.iter().find(same_way).map(|one| first(one, b - a, [name_a, name_b]));
    Verdict {
        speed: change((a, b), name_b, &format!("{what}{both}")),
        causes,
        share: share.into_iter().collect(),
        ..Verdict::default()
    }
}

/// `B takes 12 % more device time per step: ..`
fn change((a, b): (f64, f64), name_b: &str, what: &str) -> Vec<Words> {
    let (word, class) = if b > a { ("more", "warn") } else { ("less", "") };
    let share = percent((b - a).abs(), a, false);
    vec![
        Words::plain(format!("{name_b} takes ")),
        Words::linked("", format!("{share} {word}"), "#kernels", class),
        Words::plain(format!(" {what}")),
    ]
}

/// What kernels take: a trace that names no device is one of a CPU.
fn noun(shown: &LogComparison) -> &'static str {
    match shown.devices.a.is_none() && shown.devices.b.is_none() {
        true => "kernel time",
        false => "device time",
    }
}

/// ` The devices differ: ..`, if they do.
fn devices(shown: &LogComparison) -> Option<Words> {
    let name = |device: &Option<String>| device.clone().unwrap_or_else(|| "a CPU".to_owned());
    let (a, b) = (name(&shown.devices.a), name(&shown.devices.b));
    (a != b).then(|| {
        let (a, b) = (clip(&a, SHORT_NAME), clip(&b, SHORT_NAME));
        Words::plain(format!(" The devices differ: {a} and {b}."))
    })
}

/// ` after has 1 step, before has 5.`
fn steps(shown: &LogComparison, [name_a, name_b]: [&String; 2]) -> String {
    let of_calls = shown.per == Some(Per::Call);
    let counted = |count: u64| match of_calls {
        true => counted(count, "call", "calls"),
        false => counted(count, "step", "steps"),
    };
    match (shown.steps.a, shown.steps.b) {
        (Some(a), Some(b)) if a == b => format!(" Each side has {}.", counted(a)),
        (Some(a), Some(b)) => format!(" {name_b} has {}, {name_a} has {a}.", counted(b)),
        _ => format!(
            " A trace does not say how many steps it covers, so times are for as many launches as {name_b} has."
        ),
    }
}

/// ` 80 % of the difference is kernel x: 470 us against 463 us per launch; the launches of both sides overlap.`
fn first(one: &MeasuredLine, total: f64, names: [&str; 2]) -> Words {
    let difference = one.line.times.difference().abs();
    // Kernels that overlap, and others that became faster, may make it more than the whole.
    let share = match difference <= total.abs() {
        true => format!("part, {} of the difference,", percent(difference, total.abs(), false)),
        false => "change".to_owned(),
    };
    let mut name = clip(one.operator.as_ref().unwrap_or(&one.line.name), SHORT_NAME);
    if let Some((file, line)) = &one.place {
        name = format!("{name} at {}:{line}", short_path(file));
    }
    let times = match medians(one.launch) {
        (Some(a), Some(b)) => format!(": {} against {} per launch", micros(b), micros(a)),
        (None, Some(b)) => format!(", which is new: {} per launch", micros(b)),
        (Some(a), None) => format!(", which is gone: {} per launch", micros(a)),
        (None, None) => String::new(),
    };
    let guess = (one.matched == Some(Match::Order)).then(|| "matched by order only, a guess".to_owned());
    let sure: String =
        one.overlap_words(names).into_iter().chain(guess).map(|words| format!("; {words}")).collect();
    Words::plain(format!(" The largest {share} is {name}{times}{sure}."))
}
