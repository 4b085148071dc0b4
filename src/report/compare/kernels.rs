//! Measured kernels and operators of both sides.

use super::rows::{clip, kind_word, medians, per_words};
use super::tables::{changed, largest, times};
use super::view::DiffView;
use crate::compare::{LogComparison, MeasuredLine, Sides};
use crate::facts::{Match, RowKind};
use crate::limits::CELL;
use crate::report::doc::{Cell, Listing, Rows, html, log, own};
use crate::report::kit::formats::{UNKNOWN, counted, micros, percent, short_path, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{close, close_section, open_more};
use std::io::Write;

/// The section.
pub(super) fn kernels<'m>(
    view: DiffView<'m>,
    shown: &'m LogComparison,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let Some(per) = shown.per.filter(|_| !(shown.kernels.is_empty() && shown.operators.is_empty())) else {
        return Ok(());
    };
    let note = format!("times are {}", per_words(per));
    let head = ("kernels", "Measured kernels", note.as_str());
    view.open_section(out, head, Some(whole(shown.kernels.len())), Html::default())?;
    html::table(view.surface(), out, &list(view, ("kernels", "Kernels"), &shown.kernels, shown))?;
    if !shown.operators.is_empty() {
        open_more(out, format!("{} by shape", counted(shown.operators.len(), "operator", "operators")))?;
        html::table(view.surface(), out, &list(view, ("operators", "Operators"), &shown.operators, shown))?;
        close(out, "details")?;
    }
    Ok(close_section(out)?)
}

fn list<'m>(
    view: DiffView<'m>,
    (id, title): (&'static str, &'static str),
    lines: &'m [MeasuredLine],
    shown: &'m LogComparison,
) -> Listing<'m> {
    let widest = largest(lines.iter().map(|one| one.line.times.in_seconds()));
    let total = shown.busy_us.difference();
    let unit = FlopUnit::of(lines);
    let rows = Rows::of(lines).text(title, move |one| name(view, one)).mono();
    times(rows, &view.comparison.names, move |_| widest, |one| one.line.times.in_seconds())
        .number("Share", move |one| {
            // A difference of the other sign that rounds to nothing is nothing.
            let share = percent(one.line.times.difference(), total, false);
            own(share.replace("-0\u{a0}%", "0\u{a0}%").replace('-', "−"))
        })
        .explained("of the difference of the device time")
        .number("Launches", move |one| own(launches(one.launches(shown))))
        .explained("in what the times are for")
        .number("Per launch", |one| {
            let (a, b) = medians(one.launch);
            changed(&words(Sides { a, b }, micros))
        })
        .number("GB/s", |one| rates(one.gbps, three_digits, one.share_of_bandwidth))
        .explained("below, the share of the memory bandwidth of each side's device")
        .number(unit.name, move |one| {
            rates(one.tflops, |tflops| three_digits(tflops * unit.per_tflops), one.share_of_peak)
        })
        .explained("below, the share of the peak of each side's device")
        .listing(id, title, "")
}

/// The unit of a column of FLOPs per second: that of its largest value.
#[derive(Clone, Copy)]
struct FlopUnit {
    name: &'static str,
    per_tflops: f64,
}

impl FlopUnit {
    fn of(lines: &[MeasuredLine]) -> FlopUnit {
        let rates = lines.iter().flat_map(|one| [one.tflops.a, one.tflops.b]).flatten();
        match rates.fold(0.0, f64::max) {
            most if most < 1.0 => FlopUnit { name: "GFLOP/s", per_tflops: 1e3 },
            _ => FlopUnit { name: "TFLOP/s", per_tflops: 1.0 },
        }
    }
}

fn launches(both: Sides<String>) -> String {
    let text = |count: Option<String>| count.unwrap_or_else(|| UNKNOWN.to_owned());
    match both.a == both.b {
        true => text(both.a),
        false => format!("{} → {}", text(both.a), text(both.b)),
    }
}

fn three_digits(rate: f64) -> String {
    match rate {
        _ if rate >= 99.95 => format!("{rate:.0}"),
        _ if rate >= 9.995 => format!("{rate:.1}"),
        _ => format!("{rate:.2}"),
    }
}

/// The values of both sides in words.
fn words(both: Sides<f64>, words: impl Fn(f64) -> String) -> (String, String) {
    (both.a.map(&words).unwrap_or_default(), both.b.map(&words).unwrap_or_default())
}

/// The rates of both sides, and below their shares of a limit.
fn rates<'r>(both: Sides<f64>, shown: impl Fn(f64) -> String, shares: Sides<f64>) -> Cell<'r> {
    if both == Sides::default() {
        return Cell::Unknown;
    }
    let rates = changed(&words(both, shown));
    let (a, b) = words(shares, |share| percent(share, 1.0, false));
    let shares = match (a.is_empty(), b.is_empty()) {
        (true, true) => return rates,
        (false, false) if a != b => format!("{a} → {b}"),
        (true, false) => b,
        _ => a,
    };
    let below = own(shares).class("soft");
    Cell::Stacked(vec![rates, below]).sorted(both.b.or(both.a).unwrap_or_default())
}

/// The operator, or else the kernel, and on hover how sure the difference is; below, its sizes, the kernel of the operator,
/// its line, and how both sides were matched.
fn name<'m>(view: DiffView<'_>, one: &'m MeasuredLine) -> Cell<'m> {
    let kernel = one.line.name.as_str();
    let mut below: Vec<String> = Vec::new();
    below.extend((!one.shapes.is_empty()).then(|| clip(&one.shapes, CELL)));
    below.extend(one.operator.is_some().then(|| kernel.to_owned()));
    below.extend(one.place.as_ref().map(|(file, line)| format!("{}:{line}", short_path(file))));
    below.extend(one.matched.and_then(Match::guess).map(str::to_owned));
    let is_of_one_side = one.line.differs && one.matched.is_none();
    below.extend(is_of_one_side.then(|| kind_word(RowKind::of(one.line.times)).to_owned()));
    below.extend(one.presence.clone());
    let [name_a, name_b] = &view.comparison.names;
    let about = match one.overlap_words([name_a, name_b]) {
        Some(words) => format!("{}; {words}", one.full_name),
        None => one.full_name.clone(),
    };
    let name = log(one.operator.as_deref().unwrap_or(kernel)).class("long-name");
    let name = Cell::Titled(about.into(), Box::new(name));
    let below = below.into_iter().map(|words| log(words).class("soft"));
    Cell::Stacked(std::iter::once(name).chain(below).collect())
}
