//! `time.html`: the flame chart of the whole log over wall time, and tables of the same data.

mod chart;
mod kernels;
mod tables;
mod times;

use crate::analysis::{Account, Timeline};
use crate::facts::Phase;
use crate::model::CompilerPart;
use crate::report::doc::{Surface, html};
use crate::report::kit::formats::micros_with_work;
use crate::report::kit::prelude::*;
use crate::report::pages::time::times::Times;

pub(crate) fn page(report: Report<'_>) -> Page<'_, Worker> {
    Page::rendered(RelPath::of_parts(&[links::TIME]), move |worker, out| {
        let (account, timeline) = (Account::of(&report.found.spans), Timeline::of(&report.found.spans));
        let passes: Vec<&Phase<'_>> =
            report.found.time.phases.iter().filter(|p| p.name.starts_with("pass.")).collect();
        let times = Times { account: &account, timeline: &timeline, passes: &passes };
        let mut shell = Shell::top(report, "Time");
        shell.tabs = tabs(report, times);
        write_page(worker, out, &shell, |worker, out| body(View::new(report, worker, 0), times, out))
    })
}

fn tabs(report: Report<'_>, times: Times<'_>) -> Vec<Tab> {
    let count = |n: usize| Some(whole(n));
    let sections = [
        (true, "chart", "Chart", None),
        (true, "phases", "Phases", count(report.found.time.phases.len())),
        (true, "compiles", "Compiles", None),
        (!times.passes.is_empty(), "passes", "Passes", count(times.passes.len())),
        (true, "lost", "Wasted and saved", None),
        (true, "rest", "Unattributed", None),
    ];
    let shown = sections.into_iter().filter(|(shown, ..)| *shown);
    let mut tabs: Vec<Tab> = shown.map(|(_, id, text, count)| Tab::section(id, text, count)).collect();
    tabs.push(Tab::away("chromium_events.json", "chromium_events.json", None));
    tabs
}

fn body(view: View<'_>, times: Times<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    headline(view, times, out)?;
    chart::write(view, times, out)?;
    tables::phases(view, times, out)?;
    html::section(Surface::Whole(view), out, &tables::compiles(view.report, times))?;
    tables::passes(view, times, out)?;
    tables::lost_and_saved(view, times, out)?;
    tables::unattributed(view, times, out)
}

/// Parts that the sentence names after the largest.
const NEXT: usize = 2;

/// The time of a part of the compiler.
struct TimeOfPart {
    name: &'static str,
    us: f64,
    /// Microseconds of all its pieces, where several ran side by side.
    work_us: Option<f64>,
}

/// Where the time went: the largest parts of the compiler with their shares.
fn where_it_went(view: View<'_>, covered_us: f64) -> Html {
    let found = view.report.found;
    let part = |(part, us): (CompilerPart, f64)| TimeOfPart {
        name: part.name(),
        us,
        work_us: found.builds.work_of_part_us(Some(part), us),
    };
    let mut parts: Vec<TimeOfPart> = found.split.whole.timed().map(part).collect();
    parts.sort_by(|one, other| other.us.total_cmp(&one.us));
    let Some((first, rest)) = parts.split_first() else {
        return format!("The compiler ran for {}.", micros(covered_us)).into();
    };
    let work = first.work_us.map(|us| format!(" ({} of work)", micros(us))).unwrap_or_default();
    let largest = [
        strong(percent(first.us, covered_us, false)),
        format!(" of the compiler's {} went to {}{work}", micros(covered_us), first.name).into(),
    ];
    let next = rest.iter().take(NEXT);
    let next = next.map(|part| format!("{} to {}", micros_with_work(part.us, part.work_us), part.name));
    let next: Vec<String> = next.collect();
    let next = if next.is_empty() { ".".to_owned() } else { format!(", then {}.", next.join(" and ")) };
    Html::joined(largest.into_iter().chain([next.into()]), "")
}

/// The page in two sentences.
fn headline(view: View<'_>, times: Times<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let account = times.account;
    let share = percent(account.covered_us, account.wall_us, true);
    let wall = format!(
        "The compiler ran for {} of the {} that this log covers ({share}).",
        micros(account.covered_us),
        micros(account.wall_us)
    );
    let most = view.report.found.time.phases.first().map_or_else(Html::default, |phase| {
        let own = percent(phase.self_s * 1e6, account.covered_us, false);
        let (us, spans) = (micros(phase.self_s * 1e6), counted(phase.count, "span", "spans"));
        let words = format!(": {us} in {spans}, {own} of the compiler's time.");
        Html::joined([" Its costliest phase is ".into(), view.code(&phase.name), words.into()], "")
    });
    let note = Html::joined([wall.into(), most], "");
    let sentence = where_it_went(view, account.covered_us);
    Ok(write_line(out, &view.verdict(sentence, vec![note])?)?)
}
