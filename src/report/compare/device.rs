//! What a comparison says about the time of the device: how much slower or faster B is, by which kernel, and how sure that is.

use super::rows::{clip, medians, per_words, time};
use crate::compare::{Comparison, LogComparison, MeasuredLine, Sides};
use crate::report::kit::formats::{counted, micros, percent, short_path};
use crate::report::kit::verdict::Words;

/// Characters of a kernel's name in a sentence.
const LONGEST_NAME: usize = 60;

/// `B takes 12 % more device time per step: 2.35 ms against 2.1 ms (1 step against 5).`
pub(super) fn pieces(comparison: &Comparison, shown: &LogComparison) -> Vec<Words> {
    let [name_a, name_b] = &comparison.names;
    let Some(per) = shown.per else { return Vec::new() };
    let (Some(a), Some(b)) = medians(shown.busy_us) else { return Vec::new() };
    let seconds = |us: f64| time(Some(us / 1e6));
    let both = format!(": {} against {} ({}).", seconds(b), seconds(a), steps(shown.steps, name_b));
    let what = format!("device time {}", per_words(per));
    if !shown.busy_differs {
        return vec![Words::plain(format!(
            "{name_b} takes as much {what} as {name_a}, within the noise{both}"
        ))];
    }
    let (word, class) = if b > a { ("more", "warn") } else { ("less", "") };
    let share = percent((b - a).abs(), a, false);
    let mut pieces = vec![
        Words::plain(format!("{name_b} takes ")),
        Words::linked("", format!("{share} {word}"), "#kernels", class),
        Words::plain(format!(" {what}{both}")),
    ];
    let same_way = |one: &&MeasuredLine| one.line.differs && one.line.times.difference() * (b - a) > 0.0;
    pieces.extend(shown.kernels.iter().find(same_way).map(|one| first(one, b - a)));
    pieces
}

/// `1 step against 5`
fn steps(steps: Sides<u64>, name_b: &str) -> String {
    match (steps.a, steps.b) {
        (Some(a), Some(b)) if a == b => counted(a, "step on each side", "steps on each side"),
        (Some(a), Some(b)) => format!("{} against {a}", counted(b, "step", "steps")),
        _ => format!(
            "a trace does not say how many steps it covers, so times are for as many launches as {name_b} has"
        ),
    }
}

/// ` 80 % of the difference is kernel x: 470 us against 463 us per launch; the launches of both sides overlap.`
fn first(one: &MeasuredLine, total: f64) -> Words {
    let difference = one.line.times.difference().abs();
    // Kernels that overlap, and others that became faster, may make it more than the whole.
    let share = match difference <= total.abs() {
        true => format!("part, {} of the difference,", percent(difference, total.abs(), false)),
        false => "change".to_owned(),
    };
    let mut name = clip(one.operator.as_ref().unwrap_or(&one.line.name), LONGEST_NAME);
    if let Some((file, line)) = &one.place {
        name = format!("{name} at {}:{line}", short_path(file));
    }
    let times = match medians(one.launch) {
        (Some(a), Some(b)) => format!(": {} against {} per launch", micros(b), micros(a)),
        (None, Some(b)) => format!(", which is new: {} per launch", micros(b)),
        (Some(a), None) => format!(", which is gone: {} per launch", micros(a)),
        (None, None) => String::new(),
    };
    let sure = one.overlap().map(|words| format!("; {words}")).unwrap_or_default();
    Words::plain(format!(" The largest {share} is {name}{times}{sure}."))
}
