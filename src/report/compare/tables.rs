//! The tables of a comparison: parts, functions, settings, ranks.

use super::rows::{clip, difference_class, medians, setting, signed, time};
use super::view::{DiffView, Side};
use crate::compare::{CompileRef, FunctionLine, LogComparison, Pair, TimePart};
use crate::facts::{Aspect, DiffRow, Match};
use crate::limits::CELL;
use crate::model::words::file_line;
use crate::report::doc::{Cell, Listing, Others, Rows, html, log, own, prose};
use crate::report::kit::formats::{UNKNOWN, counted, short_path, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{close, close_section, note_below, open_more};
use std::io::Write;
use std::ops::Deref;

/// Rows of each table.
const ROWS: usize = 150;

/// Adds the columns of a pair of times in seconds: difference, bar, A, B.
pub(super) fn times<'m, R: 'm, L: Deref<Target = [R]>>(
    rows: Rows<'m, R, L>,
    [a, b]: &[String; 2],
    widest: impl Fn(&R) -> f64 + 'm,
    pair: fn(&R) -> Pair,
) -> Rows<'m, R, L> {
    rows.number("Difference", move |one| difference(pair(one)))
        .unsorted("better · worse", move |one| Cell::Balance(pair(one).difference() / widest(one)))
        .number(a.clone(), move |one| seconds(medians(pair(one)).0))
        .number(b.clone(), move |one| seconds(medians(pair(one)).1))
}

/// A difference with its sign. A column is shown even if no row knows it, since the table beside it may.
fn difference<'r>(pair: Pair) -> Cell<'r> {
    if pair.a.is_none() && pair.b.is_none() {
        return UNKNOWN.into();
    }
    let value = pair.difference();
    let cell = Cell::Figure { value, shown: signed(value) };
    if value == 0.0 { cell } else { cell.class(difference_class(value)) }
}

/// The time of one side.
fn seconds<'r>(value: Option<f64>) -> Cell<'r> {
    Cell::Figure { value: value.unwrap_or_default() * 1e6, shown: time(value) }
}

pub(super) fn largest(pairs: impl Iterator<Item = Pair>) -> f64 {
    pairs.map(|pair| pair.difference().abs()).fold(0.0, f64::max)
}

/// Explains the part whose name does not.
const ABOUT_TOOLCHAIN: &str = "part of the kernel builds: trying the C++ compiler before the first kernel";

/// Time by part, and the whole compile time below.
pub(super) fn parts<'m>(names: &[String; 2], shown: &LogComparison) -> Listing<'m> {
    let widest = largest(shown.parts.iter().map(|line| line.times));
    let name = |part: TimePart| match part {
        TimePart::Toolchain => {
            Cell::Stacked(vec![part.name().into(), Cell::from(ABOUT_TOOLCHAIN).class("soft")])
        }
        _ => part.name().into(),
    };
    let parts = shown.parts.iter().map(|line| (name(line.name), line.times, widest));
    // The whole has no bar.
    let total = (Cell::from("Compile time").class("total"), shown.total, 0.0);
    let rows = Rows::of(parts.chain([total]).collect::<Vec<_>>()).text("Part", |(name, ..)| name.clone());
    times(rows, names, |(.., widest)| *widest, |(_, times, _)| *times).listing("parts", "Time by part", "")
}

/// The section about them.
pub(super) fn by_part(view: DiffView<'_>, shown: &LogComparison, out: &mut dyn Write) -> anyhow::Result<()> {
    if shown.parts.is_empty() {
        return Ok(());
    }
    let head = ("parts", "Time by part", "one split of time for both sides; each instant counts once");
    view.open_section(out, head, Some(whole(shown.parts.len())), Html::default())?;
    html::table(view.surface(), out, &parts(&view.comparison.names, shown))?;
    Ok(close_section(out)?)
}

/// Functions: those that differ, then those within the noise in a fold.
pub(super) fn functions<'m>(
    view: DiffView<'m>,
    shown: &'m LogComparison,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    if shown.functions.is_empty() {
        return Ok(());
    }
    let (differing, noise): (Vec<&FunctionLine>, Vec<&FunctionLine>) =
        shown.functions.iter().partition(|one| one.line.differs);
    let note = counted(differing.len(), "differs by more than the noise", "differ by more than the noise");
    let count = Some(whole(shown.functions.len()));
    view.open_section(out, ("functions", "Functions", &note), count, Html::default())?;
    let noise_words = format!("{} within the noise", counted(noise.len(), "function", "functions"));
    let [differing, noise] = [("functions", differing), ("noise", noise)]
        .map(|(id, lines)| functions_of(view, (id, shown), lines));
    if differing.count() > 0 {
        html::table(view.surface(), out, &differing)?;
    }
    if noise.count() > 0 {
        open_more(out, noise_words)?;
        html::table(view.surface(), out, &noise)?;
        close(out, "details")?;
    }
    let count = view.changed.left_out + view.changed.unread;
    if count > 0 {
        let more = counted(count, "further function", "further functions");
        note_below(
            out,
            format!("Graphs and code of {more} are not set side by side here: there are too many."),
        )?;
    }
    Ok(close_section(out)?)
}

fn functions_of<'m>(
    view: DiffView<'m>,
    (id, shown): (&'static str, &LogComparison),
    lines: Vec<&'m FunctionLine>,
) -> Listing<'m> {
    let widest = largest(shown.functions.iter().map(|one| one.line.times));
    let rank = shown.rank;
    let rows = Rows::of(lines.into_iter().enumerate().collect::<Vec<_>>())
        .compile("Compiles", move |(at, one)| compiles(view, one).sorted(*at as f64))
        .text("Function", move |(_, one)| function(view, rank, one))
        .mono();
    times(rows, &view.comparison.names, move |_| widest, |(_, one)| one.line.times)
        .number("of it in builds", |(_, one)| difference(one.builds))
        .explained("difference of the time in kernel builds, checks of the C++ compiler included")
        .number("Ops", |(_, one)| changed(&one.operators))
        .explained("operators in the graphs")
        .number("Guards", |(_, one)| changed(&one.guards))
        .first(ROWS, Others::Elsewhere("with a smaller difference"))
        .listing(id, "Functions", "")
}

/// The compiles of both sides, once if they have the same ids with the same statuses.
fn compiles<'m>(view: DiffView<'m>, one: &'m FunctionLine) -> Cell<'m> {
    let is_same = |(a, b): (&CompileRef, &CompileRef)| a.id == b.id && a.status == b.status;
    let (a, b) = (&one.a, &one.b);
    if a.is_empty() || (a.len() == b.len() && a.iter().zip(b).all(is_same)) {
        return view.pills(Side::B, b);
    }
    match b.is_empty() {
        true => view.pills(Side::A, a),
        false => Cell::Beside(vec![view.pills(Side::A, a), view.pills(Side::B, b)], " → "),
    }
}

/// A function, where it is, and how sure it is that both sides are the same.
fn function<'m>(view: DiffView<'m>, rank: Option<u64>, one: &'m FunctionLine) -> Cell<'m> {
    let file = one.file.as_deref().map(|file| file_line(&short_path(file), one.place));
    let mut cells = vec![
        Cell::Function(clip(&one.line.name, CELL).into()),
        log(clip(&file.unwrap_or_default(), CELL)).class("soft"),
    ];
    cells.extend(one.matched.and_then(Match::guess).map(|guess| Cell::from(guess).class("soft")));
    cells.extend(view.side_by_side(rank, one.id));
    Cell::Beside(cells, " ")
}

/// `9`, or `9 → 10` with the new one marked.
pub(super) fn changed<'r>((a, b): &(String, String)) -> Cell<'r> {
    let text = |text: &str| if text.is_empty() { UNKNOWN.into() } else { own(text.to_owned()) };
    if a == b || b.is_empty() {
        return text(a);
    }
    Cell::Beside(vec![text(a), Cell::Marked(Box::new(text(b)))], " → ")
}

/// Settings and versions that differ.
pub(super) fn settings<'m>(view: DiffView<'m>) -> Listing<'m> {
    let is_setting = |row: &&DiffRow| {
        row.aspect == Aspect::Torch
            || (row.aspect == Aspect::Settings && (row.a.value.is_some() || row.b.value.is_some()))
    };
    let value = |row: &DiffRow, value: &Option<String>| match row.aspect {
        Aspect::Torch => log(value.clone().unwrap_or_default()),
        _ => log(setting(value).replace('`', "")),
    };
    let [a, b] = view.comparison.names.clone();
    Rows::of(view.comparison.rows.iter().filter(is_setting).collect::<Vec<&'m DiffRow>>())
        .text("Setting", |row| prose(Some(row.subject.trim_start_matches("Setting "))))
        .text(a, move |row| value(row, &row.a.value))
        .mono()
        .text(b, move |row| Cell::Marked(Box::new(value(row, &row.b.value))))
        .mono()
        .about("that differ")
        .first(ROWS, Others::Elsewhere("in diff.json"))
        .listing("settings", "Settings and versions", "")
}

/// The ranks, if there are several.
pub(super) fn ranks<'m>(view: DiffView<'m>) -> Listing<'m> {
    let logs = Some(&*view.comparison.logs).filter(|logs| logs.len() > 1).unwrap_or_default();
    let rows = Rows::of(logs).compile("Rank", |log| {
        let rank = log.rank.unwrap_or_default();
        own(format!("rank {rank}")).sorted(rank as f64)
    });
    let widest = largest(logs.iter().map(|log| log.total));
    times(rows, &view.comparison.names, move |_| widest, |log| log.total)
        .about("largest difference first; the tables above are of the first")
        .first(ROWS, Others::Elsewhere("with a smaller difference"))
        .listing("ranks", "Ranks", "")
}
