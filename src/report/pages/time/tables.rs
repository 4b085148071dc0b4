//! The tables of the page: parts, phases, compiles, passes, what was wasted and saved, what nobody accounts for.

use crate::analysis::{Gap, PARTS, Phase};
use crate::model::CompileIndex;
use crate::report::kit::bars::{PHASE_OTHER, PHASES};
use crate::report::kit::prelude::*;
use crate::report::pages::time::times::Times;
use crate::report::words::phases::phase_meaning;
use std::collections::BTreeMap;

/// Rows of a table; what is beyond stands in report.json.
const LISTED: usize = 1_000;

/// Rows that the table of passes has in any case.
const LEAST_LISTED: usize = 10;

/// Share of the time from which on a pass or a gap has a row: below, the number says only that it hardly matters.
const LEAST_SELF: f64 = 0.001;

/// Pixels of a bar for the whole.
const BAR: f64 = 110.0;

/// Gaps that are listed at most, of those of a thousandth of the wall time: the longest tell what the program did.
const GAPS: usize = 10;

/// A share as bar and number; the bar has the color of the part of the compiler.
fn share(us: f64, total: f64, phase: &str) -> Td {
    let share = Html::escaped(&percent(us, total, true));
    let width = BAR * us / total;
    // A bar of less than a pixel says less than the number.
    if !width.is_finite() || width < 1.0 {
        return Td::html(share).class("num share");
    }
    let bar = Element::new("span").class(&format!("share-bar {phase}"));
    let bar = bar.style(&format!("width:{:.0}px", width.min(BAR))).empty();
    Td::html(Html::joined([bar, share], "")).class("num share")
}

/// A cell with the name of a phase, or of a part of the compiler, behind a square of its color.
fn colored(name: Td, phase: &str) -> Td {
    name.class(format!("phase-name {phase}"))
}

/// The costliest phases of the log, and how many others there are.
pub(crate) fn phases(view: View<'_>, times: Times<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let phases = &view.report.found.time.phases;
    let note = "self: without the phases in it; total: what its spans cover, spans within each other once";
    let section = ("phases", "Phases", note);
    view.open_section(out, section, Some(whole(phases.len())), Html::default())?;
    let covered = times.account.covered_us;
    let has_row = |(index, _): &(usize, &Phase)| links::lists_phase(view.report, *index);
    let (shown, rest): (Vec<_>, Vec<_>) = phases.iter().enumerate().partition(has_row);
    let rest: Vec<&Phase> = rest.into_iter().map(|(_, phase)| phase).collect();
    let heads = vec![
        Head::text("Phase").mono(),
        Head::number("Self"),
        Head::number("Share").about("self time, of the time that any phase covers"),
        Head::number("Total"),
        Head::number("Times"),
    ];
    let table = Table { id: "phases-table", label: "Phases", heads };
    let rows = shown.iter().map(|(index, phase)| {
        let part = times.account.part_of.get(&phase.name).copied();
        let own = phase.self_s * 1e6;
        let open = view.still_open(&phase.name, None);
        let [name, own_cell, total, count] = cells(phase, named(phase, &phase.name, open.as_deref()));
        let phase = part.and_then(|part| PHASES.get(part)).copied().unwrap_or(PHASE_OTHER);
        let cells = vec![colored(name, phase), own_cell, share(own, covered, phase), total, count];
        Ok(Row::of(cells).anchored(links::phase_anchor(*index)))
    });
    view.table(out, &table, rows)?;
    others(view, out, &rest, ("more phase", "more phases", &links::unlisted_phases()))?;
    close_section(out)?;
    Ok(())
}

/// Those of which a table says more than that they hardly matter, ten at least; and the others.
fn shown<'p>(
    phases: impl Iterator<Item = &'p Phase>,
    says: impl Fn(&Phase) -> bool,
) -> (Vec<&'p Phase>, Vec<&'p Phase>) {
    let (shown, rest): (Vec<_>, Vec<_>) =
        phases.enumerate().partition(|(at, phase)| *at < LISTED && (*at < LEAST_LISTED || says(phase)));
    let phases = |of: Vec<(usize, &'p Phase)>| of.into_iter().map(|(_, phase)| phase).collect();
    (phases(shown), phases(rest))
}

/// Name, self time, total time and count.
fn cells(phase: &Phase, name: Td) -> [Td; 4] {
    let (own, total) = (phase.self_s * 1e6, phase.total_s * 1e6);
    [
        name,
        Td::number(own, &micros(own)),
        Td::number(total, &micros(total)),
        Td::number(phase.count as f64, &whole(phase.count)),
    ]
}

/// The name of a phase, which the script makes a link to its spans, and what the compiler does in it.
fn named(phase: &Phase, shown: &str, open: Option<&str>) -> Td {
    let code = Element::new("code").class("phase-code").attribute("data-phase", &phase.name).around(shown);
    let meaning = Some(phase_meaning(&phase.name)).filter(|meaning| !meaning.is_empty());
    let open = open.map(|open| small(span("warn", open)));
    Td::html(Html::joined([code].into_iter().chain(meaning.map(small)).chain(open), ""))
}

/// Writes what explains a table or the chart.
fn hint(out: &mut dyn Write, sentences: impl Into<Html>) -> std::io::Result<()> {
    put(out, &Element::new("p").class("hint").around(sentences))
}

/// How many stand in no row, and what they took.
fn others(
    view: View<'_>,
    out: &mut dyn Write,
    rest: &[&Phase],
    (one, many, what): (&str, &str, &str),
) -> anyhow::Result<()> {
    if rest.is_empty() {
        return Ok(());
    }
    let sum: f64 = rest.iter().map(|phase| phase.self_s * 1e6).sum();
    let text = format!(
        "{} took {} together, {what}: on the chart, and in ",
        counted(rest.len(), one, many),
        micros(sum)
    );
    let link = view.link(&view.href_of("report.json"), "report.json");
    hint(out, Html::joined([text.into(), link, ".".into()], ""))?;
    Ok(())
}

/// What a compile took, microseconds.
#[derive(Default)]
struct Spent {
    /// In its outermost phases; None where the log has none of it.
    total: Option<f64>,
    lost: Option<f64>,
    saved: Option<f64>,
}

/// What each compile took of which anything is known, by its place in the model; costliest first.
fn spent(view: View<'_>, times: Times<'_>) -> Vec<(CompileIndex, Spent)> {
    let mut all: BTreeMap<CompileIndex, Spent> = BTreeMap::new();
    let timed = &view.report.found.time;
    for index in timed.compiles() {
        let phases = timed.phases_of(view.report.model, index);
        let outer = phases.iter().filter(|phase| phase.depth == 0);
        all.entry(index).or_default().total = Some(outer.fold(0.0, |sum, phase| sum + phase.total_s * 1e6));
    }
    for lost in &times.account.lost {
        *all.entry(lost.compile).or_default().lost.get_or_insert(0.0) += lost.us;
    }
    for saved in &times.account.saved {
        *all.entry(saved.compile).or_default().saved.get_or_insert(0.0) += saved.us;
    }
    let mut all: Vec<_> = all.into_iter().collect();
    let cost = |spent: &Spent| spent.total.unwrap_or(0.0);
    all.sort_by(|a, b| cost(&b.1).total_cmp(&cost(&a.1)).then(a.0.cmp(&b.0)));
    all
}

/// Compiles by what their phases took, with what was wasted of it and what caches spared.
pub(crate) fn compiles(view: View<'_>, times: Times<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let all = spent(view, times);
    let note = "outermost phases of each, forward and backward, costliest first; a time leads to its place on the chart";
    view.open_section(out, ("compiles", "By compile", note), Some(whole(all.len())), Html::default())?;
    let mut heads = vec![Head::compiles("Compile"), Head::text("Function"), Head::number("Time")];
    heads.extend(PARTS.map(Head::number));
    let wasted = "In a compile that failed, or in attempts before tracing began anew";
    heads.push(Head::number("Wasted").about(wasted).absent_if(times.account.lost.is_empty()));
    heads.push(Head::number("Saved").about("By caches").absent_if(times.account.saved.is_empty()));
    let table = Table { id: "compiles-table", label: "Time by compile", heads };
    let rows = all.iter().take(LISTED).map(|(index, spent)| {
        let Some(compile) = view.report.model.compiles.get(*index) else { return Ok(Row::default()) };
        let function = compile.function.as_ref().map(|_| view.named(compile));
        let address = links::time(*index);
        let place = |us: f64| match address.strip_prefix(links::TIME) {
            Some(anchor) if !anchor.is_empty() => view.link(anchor, &micros(us)),
            _ => Html::escaped(&micros(us)),
        };
        let mut cells = vec![
            Td::html(view.pill_beside(compile)?).sorted(index),
            Td::html(function.unwrap_or_else(|| Html::escaped(UNKNOWN))),
            Td::html(spent.total.map_or_else(|| Html::escaped(UNKNOWN), place)).class("num"),
        ];
        let parts = view.report.found.split.at(*index).0.into_iter();
        cells.extend(parts.map(|us| Td::maybe((us > 0.0).then_some(us), micros)));
        cells.extend([Td::maybe(spent.lost, micros), Td::maybe(spent.saved, micros)]);
        Ok(Row::of(cells))
    });
    view.table(out, &table, rows)?;
    view.beyond(out, all.len(), LISTED, "compiles")?;
    close_section(out)?;
    Ok(())
}

/// Passes of Inductor over graphs.
pub(crate) fn passes(view: View<'_>, times: Times<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    if times.passes.is_empty() {
        return Ok(());
    }
    let sum: f64 = times.passes.iter().map(|pass| pass.self_s * 1e6).sum();
    let note =
        "what rewrites graphs: pre_grad before autograd, joint over forward and backward, post_grad after";
    view.open_section(out, ("passes", "Passes", note), Some(whole(times.passes.len())), Html::default())?;
    let share = percent(sum, times.account.covered_us, true);
    let all = micros(sum);
    hint(out, format!("All passes took {all}, {share} of the time that phases cover."))?;
    let heads =
        vec![Head::text("Pass").mono(), Head::number("Self"), Head::number("Total"), Head::number("Times")];
    let table = Table { id: "passes-table", label: "Passes", heads };
    let (shown, rest) = shown(times.passes.iter().copied(), |pass| {
        pass.self_s * 1e6 >= LEAST_SELF * times.account.covered_us
    });
    let rows = shown.iter().map(|pass| {
        let name = named(pass, pass.name.strip_prefix("pass.").unwrap_or(&pass.name), None);
        Ok(Row::of(cells(pass, name).into()))
    });
    view.table(out, &table, rows)?;
    others(view, out, &rest, ("more pass", "more passes", "each less than those above"))?;
    close_section(out)?;
    Ok(())
}

/// Work that came to nothing, and work that caches spared; how much of each compile stands in the table of compiles.
pub(crate) fn lost_and_saved(view: View<'_>, times: Times<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let note = "failed compiles, attempts that began anew, and results that caches had";
    view.open_section(out, ("lost", "Wasted and saved", note), None, Html::default())?;
    let lost = lost(view, times)?;
    hint(out, lost)?;
    let saved = &times.account.saved;
    let sum: f64 = saved.iter().map(|saved| saved.us).sum();
    let words = match saved.len() {
        0 => "No metrics record reports time that a cache saved.".to_owned(),
        n => format!(
            "Saved by caches, as torch reckons: {} in {}, the time that they took when their results were put into \
             the cache.",
            micros(sum),
            counted(n, "compile", "compiles")
        ),
    };
    hint(out, words)?;
    close_section(out)?;
    Ok(())
}

fn lost(view: View<'_>, times: Times<'_>) -> anyhow::Result<Html> {
    let lost = &times.account.lost;
    let Some(first) = lost.first() else {
        return Ok(Html::escaped(
            "No time was wasted: no metrics record reports a failure or time before a restart.",
        ));
    };
    let mut parts = Vec::new();
    for (failed, what) in [(true, "that failed"), (false, "before tracing began anew")] {
        let of = || lost.iter().filter(|lost| lost.failed == failed);
        if of().next().is_some() {
            let sum: f64 = of().map(|lost| lost.us).sum();
            parts.push(format!("{} in {} {what}", micros(sum), counted(of().count(), "compile", "compiles")));
        }
    }
    let most = view.report.model.compiles.get(first.compile).filter(|_| lost.len() > 1);
    let most = match most {
        Some(compile) => Html::joined(
            [Html::escaped(&format!(", most, {}, in ", micros(first.us))), view.pill(compile)?],
            "",
        ),
        None => Html::default(),
    };
    let page = view.link("failures_and_restarts.html", "failures and restarts");
    let wasted = Html::escaped(&format!("Wasted: {}", parts.join(", ")));
    Ok(Html::joined(
        [wasted, most, Html::escaped(". The reasons stand under "), page, Html::escaped(".")],
        "",
    ))
}

/// Wall time without a span, and time in outer phases that no inner one explains.
pub(crate) fn unattributed(view: View<'_>, times: Times<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let account = times.account;
    let note = "time of which the log does not say what it went into";
    view.open_section(out, ("rest", "Unattributed", note), None, Html::default())?;
    let outside = format!(
        "{}, {} of the wall time: no phase was open. The program ran its model, loaded data or waited; imports, \
         work of other processes and what of torch has no phase are here too.",
        micros(account.uncovered_us()),
        percent(account.uncovered_us(), account.wall_us, false)
    );
    let between = format!(
        "{}, {} of the time that phases cover: self time of the phases that only hold others, such as \
         entire_frame_compile and backend_compile. Torch's bookkeeping between its phases, and waiting for a lock or \
         another thread.",
        micros(account.between_us),
        percent(account.between_us, account.covered_us, false)
    );
    let facts =
        vec![("Outside all phases", Html::escaped(&outside)), ("Between phases", Html::escaped(&between))];
    put(out, &view.facts(facts))?;
    gaps(view, times, out)?;
    close_section(out)?;
    Ok(())
}

fn gaps(view: View<'_>, times: Times<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let gaps = &times.account.gaps;
    let Some(longest) = gaps.first() else { return Ok(()) };
    let length = |gap: &Gap| gap.end_us - gap.start_us;
    let shown =
        gaps.iter().take(GAPS).filter(|gap| length(gap) >= LEAST_SELF * times.account.wall_us).count();
    let all = counted(gaps.len(), "time", "times");
    if shown == 0 {
        hint(out, format!("{all} without any phase, the longest {}.", micros(length(longest))))?;
        return Ok(());
    }
    put(out, &Element::new("h3").class("hint").around(format!("The longest of {all} without any phase")))?;
    let heads = vec![
        Head::number("Length"),
        Head::number("Begins").about("after the first span's begin"),
        Head::unsorted("After"),
        Head::unsorted("Before"),
    ];
    let table = Table { id: "gaps-table", label: "Longest times without any phase", heads };
    let rows = gaps.iter().take(shown).map(|gap| gap_row(view, times, gap));
    view.table(out, &table, rows)
}

fn gap_row(view: View<'_>, times: Times<'_>, gap: &Gap) -> anyhow::Result<Row> {
    let model = view.report.model;
    let span = |index: Option<usize>, none: &str| -> anyhow::Result<Html> {
        let Some(span) = index.and_then(|index| model.spans.get(index)) else {
            return Ok(Html::escaped(none));
        };
        let compile = span.compile.and_then(|index| model.compiles.get(index)).filter(|c| c.id.is_some());
        let pill = compile.map_or_else(|| Ok(Html::default()), |c| view.pill(c))?;
        Ok(Html::joined([view.code(&span.name), pill], " "))
    };
    let (length, begin) = (gap.end_us - gap.start_us, gap.start_us - times.timeline.start_us);
    Ok(Row::of(vec![
        Td::number(length, &micros(length)),
        Td::number(begin, &micros(begin)),
        Td::html(span(gap.before, "the start of the log")?),
        Td::html(span(gap.after, "the end of the log")?),
    ]))
}
