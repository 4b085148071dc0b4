//! The tables of the page: phases, compiles, passes, wasted and saved time, and unattributed time.

use crate::analysis::caches::saved_us;
use crate::analysis::{Account, Gap};
use crate::facts::Phase;
use crate::limits::{FIRST, LISTED, NAMED};
use crate::model::{Compile, CompileIndex, CompilerPart};
use crate::report::doc::{Cell, Listing, Others, Rows, Surface, html, micros as us, own};
use crate::report::kit::bars::color;
use crate::report::kit::prelude::*;
use crate::report::lists::{PhaseRow, phase_rows};
use crate::report::pages::time::times::Times;
use crate::report::words::phases::phase_meaning;
use crate::trace::{TextMap, TextSet};
use fxhash::FxHashMap;
use std::borrow::Cow;

/// Smallest share of the time for which other passes and gaps have a row.
const LEAST_SELF: f64 = 0.001;

/// The costliest phases of the log, and how many others there are.
pub(crate) fn phases<'m>(view: View<'m>, times: Times<'m>, out: &mut dyn Write) -> anyhow::Result<()> {
    let phases = &view.report.found.time.phases;
    let note = "self: without nested phases; total: with them, nested runs of the same phase counted once; a phase that \
                fills the one around it alone shares its row";
    let section = ("phases", "Phases", note);
    view.open_section(out, section, Some(whole(phases.len())), Html::default())?;
    let has_row = |(index, _): &(usize, &Phase<'_>)| links::lists_phase(view.report, *index);
    let (listed, rest): (Vec<_>, Vec<_>) = phases.iter().enumerate().partition(has_row);
    let shown = rows_of(times, listed);
    let rest: Vec<&Phase<'_>> = rest.into_iter().map(|(_, phase)| phase).collect();
    let row = |shared: &SharedRow<'m>| {
        let open = view.still_open(&shared.phase.name, None);
        let own = row(shared.phase, &shared.phase.name, open, times.account);
        let around = shared.around.iter().flat_map(|(index, around)| {
            let (name, anchor) = (Cow::from(&*around.name), Some(links::phase_anchor(*index)));
            [Cell::Phase { shown: name.clone(), name, anchor }, " \u{203a} ".into()]
        });
        let color = color(times.account.part_of.get(&*shared.phase.name).copied());
        let name = match shared.around.is_empty() {
            true => own.name,
            false => Cell::Beside(around.chain([own.name]).collect(), "").class(color).class("phase-name"),
        };
        let self_s = shared.self_s();
        PhaseRow {
            name,
            anchor: Some(links::phase_anchor(shared.index)),
            share: Cell::Share { part: self_s * 1e6, whole: times.account.covered_us, class: color },
            self_s,
            total_s: shared.total_s(),
            ..own
        }
    };
    let list = phase_rows("Phase", shown.iter().map(row).collect());
    html::table(Surface::Whole(view), out, &list.listing("phases", "Phases", ""))?;
    others(view, out, &rest, ("more phase", "more phases", &links::unlisted_phases()))?;
    Ok(close_section(out)?)
}

/// The row of a phase or pass. The script turns its name into a link to its spans; below it stands what the compiler does in
/// it, and how long it was `open` if the log ends in it.
fn row<'m>(phase: &'m Phase<'m>, shown: &'m str, open: Option<String>, account: &Account) -> PhaseRow<'m> {
    let color = color(account.part_of.get(&*phase.name).copied());
    let name = Cell::Phase { name: (&*phase.name).into(), shown: shown.into(), anchor: None };
    let meaning = Some(phase_meaning(&phase.name)).filter(|meaning| !meaning.is_empty());
    let meaning = meaning.map(|meaning| Cell::from(meaning).small());
    let open = open.map(|open| own(open).span("warn").small());
    let name = [name].into_iter().chain(meaning).chain(open).collect();
    PhaseRow {
        name: Cell::Beside(name, "").class(color).class("phase-name"),
        share: Cell::Share { part: phase.self_s * 1e6, whole: account.covered_us, class: color },
        ..PhaseRow::of(phase)
    }
}

/// A row of the table of phases: a phase, and those around it that it fills alone, the outermost first.
struct SharedRow<'m> {
    index: usize,
    phase: &'m Phase<'m>,
    around: Vec<(usize, &'m Phase<'m>)>,
}

impl SharedRow<'_> {
    fn self_s(&self) -> f64 {
        self.around.iter().map(|(_, one)| one.self_s).sum::<f64>() + self.phase.self_s
    }

    fn total_s(&self) -> f64 {
        self.around.first().map_or(self.phase.total_s, |(_, one)| one.total_s)
    }
}

/// A row for each phase but those that another one fills alone.
fn rows_of<'m>(times: Times<'_>, listed: Vec<(usize, &'m Phase<'m>)>) -> Vec<SharedRow<'m>> {
    let wrapper_of = &times.account.wrapper_of;
    let place: TextMap<&str, usize> =
        listed.iter().enumerate().map(|(at, (_, phase))| (&*phase.name, at)).collect();
    let around = |phase: &Phase<'_>| {
        let at = place.get(&**wrapper_of.get(&*phase.name)?)?;
        listed.get(*at).copied()
    };
    let filled: TextSet<&str> = listed.iter().filter_map(|(_, one)| Some(&*around(one)?.1.name)).collect();
    let rows = listed.iter().filter(|(_, phase)| !filled.contains(&*phase.name)).map(|(index, phase)| {
        // A phase that fills itself would have no end.
        let mut all: Vec<_> =
            std::iter::successors(around(phase), |(_, one)| around(one)).take(NAMED).collect();
        all.reverse();
        SharedRow { index: *index, phase, around: all }
    });
    let mut rows: Vec<SharedRow<'m>> = rows.collect();
    rows.sort_by(|one, other| other.self_s().total_cmp(&one.self_s()));
    rows
}

/// Writes an explanation.
fn hint(out: &mut dyn Write, sentences: impl Into<Html>) -> std::io::Result<()> {
    write_line(out, &Element::new("p").class("hint").around(sentences))
}

/// How many phases have no row, and their time.
fn others(
    view: View<'_>,
    out: &mut dyn Write,
    rest: &[&Phase<'_>],
    (one, many, what): (&str, &str, &str),
) -> anyhow::Result<()> {
    if rest.is_empty() {
        return Ok(());
    }
    let sum: f64 = rest.iter().map(|phase| phase.self_s * 1e6).sum();
    let count = counted(rest.len(), one, many);
    let text = format!("{count} took {} together, {what}: see the chart and ", micros(sum));
    let link = view.link(&view.href_of("report.json"), "report.json");
    Ok(hint(out, Html::joined([text.into(), link, ".".into()], ""))?)
}

/// A compile with its times, in microseconds.
struct Spent<'m> {
    index: CompileIndex,
    compile: &'m Compile,
    /// As its page has it; else that of its outermost phases; None if the log has neither.
    total: Option<f64>,
    lost: Option<f64>,
    saved: Option<f64>,
}

/// The times of all compiles with known times, costliest first.
fn spent<'m>(report: Report<'m>, times: Times<'_>) -> Vec<Spent<'m>> {
    let spans = &report.found.spans;
    let lost: FxHashMap<CompileIndex, f64> =
        times.account.lost.iter().map(|one| (one.compile, one.us)).collect();
    let of = |(index, compile): (CompileIndex, &'m Compile)| {
        let outermost = || {
            let phases = spans.phases_of(index).into_iter().filter(|phase| phase.depth == 0);
            phases.map(|phase| phase.total_s * 1e6).reduce(|sum, us| sum + us)
        };
        let total = compile.compile_us().or_else(outermost);
        let (lost, saved) = (lost.get(&index).copied(), saved_us(&report.found.saved, index));
        let is_known = total.is_some() || lost.is_some() || saved.is_some();
        is_known.then_some(Spent { index, compile, total, lost, saved })
    };
    let mut all: Vec<Spent<'m>> = report.model.compiles.indexed().filter_map(of).collect();
    let cost = |spent: &Spent<'_>| spent.total.unwrap_or(0.0);
    all.sort_by(|a, b| cost(b).total_cmp(&cost(a)).then(a.index.cmp(&b.index)));
    all
}

/// Compiles by their time, with wasted and saved time.
pub(crate) fn compiles<'m>(report: Report<'m>, times: Times<'_>) -> Listing<'m> {
    let rows = Rows::of(spent(report, times))
        .compile("Compile", |one| Cell::CompileBeside(one.compile))
        .text("Function", |one| match one.compile.function {
            Some(_) => Cell::FunctionOf(one.compile),
            None => UNKNOWN.into(),
        })
        .number("Time", |one| match one.total {
            Some(us) => own(micros(us)).linked(at_chart(one.index)).class("num"),
            None => Cell::Unknown,
        });
    let rows = CompilerPart::ALL.into_iter().fold(rows, |rows, part| {
        rows.number(part.name(), move |one| {
            us(Some(report.found.split.at(one.index).time_in(part)).filter(|us| *us > 0.0))
        })
    });
    rows.number("Wasted", |one| us(one.lost))
        .explained("In a failed compile, or in attempts before tracing restarted")
        .number("Saved", |one| us(one.saved))
        .explained("By caches")
        .about("as torch times them, forward and backward, costliest first; times link to the chart")
        .first(LISTED, Others::InFacts("compiles"))
        .listing("compiles", "By compile", "No compile is timed.")
}

/// A compile on the chart of this page.
fn at_chart(index: CompileIndex) -> String {
    let address = links::time(index);
    address.strip_prefix(links::TIME).filter(|anchor| !anchor.is_empty()).unwrap_or("#chart").to_owned()
}

/// Graph passes.
pub(crate) fn passes<'m>(view: View<'m>, times: Times<'m>, out: &mut dyn Write) -> anyhow::Result<()> {
    if times.passes.is_empty() {
        return Ok(());
    }
    let sum: f64 = times.passes.iter().map(|pass| pass.self_s * 1e6).sum();
    let note = "graph rewrites: pre_grad before autograd, joint over forward and backward, post_grad after";
    view.open_section(out, ("passes", "Passes", note), Some(whole(times.passes.len())), Html::default())?;
    let share = percent(sum, times.account.covered_us, true);
    let all = micros(sum);
    hint(out, format!("All passes took {all}, {share} of the time covered by phases."))?;
    // Ten passes at least, and others only if they matter. They are sorted by self time.
    let matters = |pass: &&&Phase<'_>| pass.self_s * 1e6 >= LEAST_SELF * times.account.covered_us;
    let listed = times.passes.iter().take_while(matters).count().clamp(FIRST, LISTED);
    let (shown, rest) = times.passes.split_at(times.passes.len().min(listed));
    let row = |pass: &&'m Phase<'m>| {
        row(pass, pass.name.strip_prefix("pass.").unwrap_or(&pass.name), None, times.account)
    };
    let list = phase_rows("Pass", shown.iter().map(row).collect());
    html::table(Surface::Whole(view), out, &list.listing("passes", "Passes", ""))?;
    others(view, out, rest, ("more pass", "more passes", "each less than those above"))?;
    Ok(close_section(out)?)
}

/// Wasted work, and work that caches saved; the table of compiles has the times of each compile.
pub(crate) fn lost_and_saved(view: View<'_>, times: Times<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let note = "failed compiles, restarted attempts, and cached results";
    view.open_section(out, ("lost", "Wasted and saved", note), None, Html::default())?;
    hint(out, lost(view, times))?;
    let saved = &view.report.found.saved;
    let sum: f64 = saved.iter().map(|saved| saved.us).sum();
    let words = match saved.chunk_by(|one, next| one.compile == next.compile).count() {
        0 => "No record reports time saved by a cache.".to_owned(),
        n => format!(
            "Saved by caches, by torch's estimate: {} in {}. It counts the time that the cached results took when they \
             were stored.",
            micros(sum),
            counted(n, "compile", "compiles")
        ),
    };
    hint(out, words)?;
    Ok(close_section(out)?)
}

fn lost(view: View<'_>, times: Times<'_>) -> Html {
    let lost = &times.account.lost;
    let Some(first) = lost.first() else {
        return "No time was wasted: no metrics record reports a failure, or time before a restart.".into();
    };
    let mut parts = Vec::new();
    for (failed, what) in [(true, "that failed"), (false, "before tracing restarted")] {
        let of = || lost.iter().filter(|lost| lost.failed == failed);
        if of().next().is_some() {
            let sum: f64 = of().map(|lost| lost.us).sum();
            parts.push(format!("{} in {} {what}", micros(sum), counted(of().count(), "compile", "compiles")));
        }
    }
    let mut pieces: Vec<Html> = vec![format!("Wasted: {}", parts.join(", ")).into()];
    if let Some(compile) = view.report.model.compiles.get(first.compile).filter(|_| lost.len() > 1) {
        pieces.extend([format!(", the most, {}, in ", micros(first.us)).into(), view.pill(compile)]);
    }
    let page = view.link("failures_and_restarts.html", "failures and restarts");
    pieces.extend([". For the reasons, see ".into(), page, ".".into()]);
    Html::joined(pieces, "")
}

/// Wall time outside of all spans, and time in outer phases that no inner phase explains.
pub(crate) fn unattributed<'m>(view: View<'m>, times: Times<'m>, out: &mut dyn Write) -> anyhow::Result<()> {
    let account = times.account;
    let note = "time that the log does not explain";
    view.open_section(out, ("rest", "Unattributed", note), None, Html::default())?;
    let outside = format!(
        "{}, {} of the wall time: no phase was open. The program ran its model, loaded data or waited; this includes \
         imports, work of other processes, and parts of torch without phases.",
        micros(account.uncovered_us()),
        percent(account.uncovered_us(), account.wall_us, false)
    );
    let between = format!(
        "{}, {} of the time covered by phases: self time of phases that only contain others, such as \
         entire_frame_compile and backend_compile. This is bookkeeping of torch, or waiting for a lock or another thread.",
        micros(account.between_us),
        percent(account.between_us, account.covered_us, false)
    );
    let facts = [("Outside all phases", outside.into()), ("Between phases", between.into())];
    write_line(out, &view.facts(facts))?;
    gaps(view, times, out)?;
    Ok(close_section(out)?)
}

fn gaps<'m>(view: View<'m>, times: Times<'m>, out: &mut dyn Write) -> anyhow::Result<()> {
    let gaps = &times.account.gaps;
    let Some(longest) = gaps.first() else { return Ok(()) };
    let length = |gap: &Gap| gap.end_us - gap.start_us;
    let shown =
        gaps.iter().take(FIRST).filter(|gap| length(gap) >= LEAST_SELF * times.account.wall_us).count();
    let all = counted(gaps.len(), "gap", "gaps");
    if shown == 0 {
        return Ok(hint(out, format!("{all} between phases, the longest {}.", micros(length(longest))))?);
    }
    write_line(
        out,
        &Element::new("h3").class("hint").around(format!("The longest of {all} between phases")),
    )?;
    let list = Rows::of(gaps.iter().take(shown).collect::<Vec<&'m Gap>>())
        .number("Length", move |gap| us(Some(length(gap))))
        .number("Begins", move |gap| us(Some(gap.start_us - times.timeline.start_us)))
        .explained("after the start of the first span")
        .unsorted("After", move |gap| span(view.report, gap.before, "the start of the log"))
        .unsorted("Before", move |gap| span(view.report, gap.after, "the end of the log"))
        .listing("gaps", "Longest gaps between phases", "");
    html::table(Surface::Whole(view), out, &list)
}

/// A span with its compile, or where there is none.
fn span<'m>(report: Report<'m>, index: Option<usize>, none: &'static str) -> Cell<'m> {
    let model = report.model;
    let Some(span) = index.and_then(|index| model.spans.get(index)) else { return none.into() };
    let compile = span.compile.and_then(|index| model.compiles.get(index)).filter(|one| one.id.is_some());
    let pill = compile.map(|compile| Cell::Compile { compile, after: String::new() });
    Cell::Beside([Cell::Code((&*span.name).into())].into_iter().chain(pill).collect(), " ")
}
