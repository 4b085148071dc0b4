//! The roofline: how many FLOPs a kernel does per byte, and how close it comes to the resulting limit. Kernels without
//! FLOPs have no intensity; a separate strip shows their bandwidth.

use super::limits::{Limits, Peak};
use super::scale::{Scale, line, text, turned_text};
use crate::analysis::performance::{MeasuredKernel, Performance};
use crate::limits::{LONG_TABLE, SHORT_TABLE};
use crate::report::doc::{Block, Listing, Section, own};
use crate::report::kit::formats::count;
use crate::report::kit::links::measured_kernel_anchor;
use crate::report::kit::markup::{open_data, script_json};
use crate::report::kit::prelude::*;
use crate::report::words::performance::figures;
use indexmap::IndexMap;

/// Size of the drawing, in its own units.
const WIDTH: f64 = 940.0;
const HEIGHT: f64 = 470.0;
/// Ends of the axes.
const TOP: f64 = 24.0;
const BOTTOM: f64 = HEIGHT - 46.0;
const RIGHT: f64 = WIDTH - 16.0;
/// Left and right end of the strip, and the left end of the plot, with a strip and without.
const STRIP: (f64, f64) = (74.0, 210.0);
const PLOT_BESIDE_STRIP: f64 = 290.0;
const PLOT_ALONE: f64 = 80.0;
/// Radius of the largest and of the smallest point.
const LARGEST: f64 = 20.0;
const SMALLEST: f64 = 3.0;

/// A kernel that is drawn.
struct Point<'p> {
    /// Its place in the table.
    place: usize,
    kernel: &'p MeasuredKernel,
    gbps: f64,
    /// FLOPs per byte, and TFLOP/s.
    work: Option<(f64, f64)>,
}

/// The kernels that can be drawn, the longest first.
fn points(found: &Performance) -> Vec<Point<'_>> {
    let shown = found.kernels.iter().enumerate().take(LONG_TABLE);
    let known = shown.filter_map(|(place, kernel)| {
        let gbps = kernel.gbps.filter(|gbps| *gbps > 0.0)?;
        Some(Point { place, kernel, gbps, work: intensity(kernel).zip(kernel.tflops) })
    });
    known.take(SHORT_TABLE).collect()
}

/// FLOPs per byte.
fn intensity(kernel: &MeasuredKernel) -> Option<f64> {
    Some(kernel.flops? / kernel.bytes?).filter(|intensity| intensity.is_finite() && *intensity > 0.0)
}

/// The section, if the limits of the device are known, and a kernel has both FLOPs and bytes. What is said beside a point is
/// the row of its kernel.
pub(super) fn section<'m>(found: &'m Performance, kernels: &Listing<'_>) -> Option<Section<'m>> {
    let all = points(found);
    let limits = Limits::of(found, all.iter().map(|point| point.kernel))?;
    if all.iter().all(|point| point.work.is_none()) {
        return None;
    }
    let cards: IndexMap<String, Card> = all
        .iter()
        .map(|point| (measured_kernel_anchor(point.place), Card::of(kernels, point.place)))
        .collect();
    let count = all.len();
    let note = format!(
        "The line is the limit of the device: its bandwidth on the left, its peak on the right. Points far below it have room \
         for improvement; a point above it cannot be true. {}",
        not_drawn(found, count)
    );
    let drawing = Plot::of(&all, limits).draw(&all);
    let legend = legend(&all);
    let draw = move |view: View<'_>, out: &mut dyn Write| {
        write_line(out, &Element::new("div").class("roofline").open())?;
        let plot = Element::new("div").class("plot").region("Roofline").around(drawing.clone());
        write_line(out, &Element::new("div").around(Html::joined([plot, legend.clone()], "\n")))?;
        if let Some(first) = cards.values().next() {
            write_line(out, &first.draw(view))?;
        }
        close(out, "div")?;
        open_data(out, "points")?;
        out.write_all(script_json(&cards)?.as_bytes())?;
        Ok(close(out, "script")?)
    };
    let blocks =
        vec![Block::Drawn(Box::new(draw)), Block::Paragraph(own(note.trim().to_owned()).class("soft"))];
    let about = "each point is a kernel, with its time as area; all axes are logarithmic";
    Some(Section::new("roofline", "Roofline", blocks).about(about).counted(count))
}

/// How many kernels have no point, and why.
fn not_drawn(found: &Performance, drawn: usize) -> String {
    let without = found.kernels.iter().filter(|kernel| kernel.gbps.is_none()).count();
    let beyond = (found.kernels.len() - without).saturating_sub(drawn);
    let mut words = Vec::new();
    if without > 0 {
        words.push(format!("{} whose work is unknown", counted(without, "kernel", "kernels")));
    }
    if beyond > 0 {
        words.push(format!("{} that took less time", counted(beyond, "kernel", "kernels")));
    }
    match words.is_empty() {
        true => String::new(),
        false => format!("Not drawn: {}.", words.join(", ")),
    }
}

/// The scales of the drawing.
struct Plot {
    intensity: Scale,
    tflops: Scale,
    /// Of the strip, if it has kernels.
    gbps: Option<Scale>,
    limits: Limits,
}

impl Plot {
    fn of(all: &[Point<'_>], limits: Limits) -> Plot {
        let mut intensities: Vec<f64> = all.iter().filter_map(|point| Some(point.work?.0)).collect();
        let mut rates: Vec<f64> = all.iter().filter_map(|point| Some(point.work?.1)).collect();
        let bare = all.iter().filter(|point| point.work.is_none());
        let mut bandwidths: Vec<f64> = bare.map(|point| point.gbps).collect();
        let strip = !bandwidths.is_empty();
        intensities.extend(limits.peaks().map(|peak| limits.ridge(peak)));
        rates.extend(limits.peaks().map(|peak| peak.tflops));
        bandwidths.push(limits.gbps);
        let left = if strip { PLOT_BESIDE_STRIP } else { PLOT_ALONE };
        Plot {
            intensity: Scale::around(&intensities, (left, RIGHT)),
            tflops: Scale::around(&rates, (BOTTOM, TOP)),
            gbps: strip.then(|| Scale::around(&bandwidths, (BOTTOM, TOP))),
            limits,
        }
    }

    fn draw(&self, all: &[Point<'_>]) -> Html {
        let mut pieces = self.axes();
        pieces.extend(self.gbps.as_ref().map(|gbps| self.strip(gbps)));
        pieces.push(self.ceilings());
        let longest = all.iter().map(|point| point.kernel.sum_us).fold(0.0, f64::max);
        let bare = all.iter().filter(|point| point.work.is_none()).count();
        let mut at_strip = 0;
        for point in all {
            let at = match point.work {
                Some((intensity, tflops)) => (self.intensity.at(intensity), self.tflops.at(tflops)),
                None => {
                    // The horizontal position has no meaning in the strip: points are spread out to be visible.
                    at_strip += 1;
                    let part = (at_strip as f64 - 0.5) / bare as f64;
                    let y = self.gbps.as_ref().map_or(BOTTOM, |scale| scale.at(point.gbps));
                    (STRIP.0 + 8.0 + part * (STRIP.1 - STRIP.0 - 16.0), y)
                }
            };
            pieces.push(point.draw(at, longest));
        }
        let label = format!("Roofline of {} kernels; the table below has the same figures", all.len());
        Element::new("svg")
            .attribute("viewBox", &format!("0 0 {WIDTH} {HEIGHT}"))
            .attribute("role", "group")
            .attribute("aria-label", &label)
            .around(Html::joined(pieces, "\n"))
    }

    fn axes(&self) -> Vec<Html> {
        let left = self.intensity.at(self.intensity.least());
        let mut pieces = Vec::new();
        for (value, x) in self.intensity.powers() {
            pieces.push(line("grid", (x, TOP), (x, BOTTOM)));
            pieces.push(text((x, BOTTOM + 16.0), "middle", &count(value)));
        }
        for (value, y) in self.tflops.powers() {
            pieces.push(line("grid", (left, y), (RIGHT, y)));
            pieces.push(text((left - 6.0, y + 4.0), "end", &figures::flop_tick(value)));
        }
        pieces.push(line("axis", (left, BOTTOM), (RIGHT, BOTTOM)));
        pieces.push(line("axis", (left, TOP), (left, BOTTOM)));
        let ridge = self.limits.ridge(&self.limits.peak);
        let words = format!("FLOPs per byte moved; left of {ridge:.0} memory is the limit");
        pieces.push(text(((left + RIGHT) / 2.0, BOTTOM + 38.0), "middle", &words));
        pieces
    }

    /// Kernels without FLOPs, by bandwidth.
    fn strip(&self, scale: &Scale) -> Html {
        let (left, right) = STRIP;
        let mut pieces = Vec::new();
        for (value, y) in scale.powers() {
            pieces.push(line("grid", (left, y), (right, y)));
            pieces.push(text((left - 6.0, y + 4.0), "end", &figures::byte_tick(value)));
        }
        pieces.push(line("axis", (left, TOP), (left, BOTTOM)));
        pieces.push(line("axis", (left, BOTTOM), (right, BOTTOM)));
        let y = scale.at(self.limits.gbps);
        pieces.push(line("ceiling", (left, y), (right, y)));
        pieces.push(text((left + 4.0, y - 5.0), "start", &figures::byte_rate(self.limits.gbps)));
        let middle = (left + right) / 2.0;
        pieces.push(text((middle, BOTTOM + 16.0), "middle", "no FLOPs counted"));
        Html::joined(pieces, "\n")
    }

    /// The bandwidth up to the ridge, then the peak; the peaks of other types begin at the same bandwidth.
    fn ceilings(&self) -> Html {
        let limits = &self.limits;
        let allowed = |intensity: f64| intensity * limits.gbps / 1e3;
        let first = self.intensity.least().max(self.tflops.least() * 1e3 / limits.gbps);
        let start = (self.intensity.at(first), self.tflops.at(allowed(first)));
        let highest = limits.peaks().max_by(|one, other| one.tflops.total_cmp(&other.tflops));
        let highest = highest.unwrap_or(&limits.peak);
        let corner_of = |peak: &Peak| (self.intensity.at(limits.ridge(peak)), self.tflops.at(peak.tflops));
        let corner = corner_of(highest);
        let slope = ((corner.1 - start.1) / (corner.0 - start.0)).atan().to_degrees();
        let middle = ((start.0 + corner.0) / 2.0, (start.1 + corner.1) / 2.0 - 8.0);
        let mut pieces = vec![
            line("ceiling", start, corner),
            turned_text(middle, slope, &figures::byte_rate(limits.gbps)),
        ];
        for peak in limits.peaks() {
            let class = if peak.kind == limits.peak.kind { "ceiling" } else { "ceiling other" };
            let corner = corner_of(peak);
            pieces.push(line(class, corner, (RIGHT, corner.1)));
            let words = format!("{}, {}{}", figures::flop_rate(peak.tflops), peak.kind, limits.dense);
            pieces.push(text((RIGHT, corner.1 - 6.0), "end", &words));
        }
        Html::joined(pieces, "\n")
    }
}

impl Point<'_> {
    fn draw(&self, (x, y): (f64, f64), longest: f64) -> Html {
        let radius = (LARGEST * (self.kernel.sum_us / longest).sqrt()).max(SMALLEST);
        let word = figures::verdict_word(self.kernel);
        // Highlighted kernels have a different shape, so that color is not the only sign.
        let side = radius * 1.8;
        let (shape, attributes) = match word {
            "far" | "check" | "implausible" | "wrong-counts" => (
                "rect",
                vec![("x", x - side / 2.0), ("y", y - side / 2.0), ("width", side), ("height", side)],
            ),
            _ => ("circle", vec![("cx", x), ("cy", y), ("r", radius)]),
        };
        let shape = attributes
            .into_iter()
            .fold(Element::new(shape), |shape, (name, value)| shape.attribute(name, &format!("{value:.1}")));
        let anchor = measured_kernel_anchor(self.place);
        let link = Element::new("a").class(&format!("point {word}")).href(&format!("#{anchor}"));
        link.attribute("aria-label", &self.words()).around(shape.empty())
    }

    /// Its label for screen readers.
    fn words(&self) -> String {
        let kernel = self.kernel;
        let rate = match self.work {
            Some((_, tflops)) => figures::flop_rate(tflops),
            None => figures::byte_rate(self.gbps),
        };
        let share = kernel.best_share().map(|share| format!(", {} of a limit", figures::share(share)));
        format!(
            "{}: {rate} in {}, {}{}",
            clipped(&kernel.name, 80).0,
            micros(kernel.sum_us),
            kernel.verdict.as_deref().unwrap_or(UNKNOWN),
            share.unwrap_or_default()
        )
    }
}

/// The meaning of the shapes that are drawn, and the keys to move between them.
fn legend(all: &[Point<'_>]) -> Html {
    let any = |words: &[&str]| all.iter().any(|point| words.contains(&figures::verdict_word(point.kernel)));
    let mut pieces = Vec::new();
    let mut entry = |class: &str, words: &str| {
        let swatch = Element::new("span").class(&format!("swatch {class}")).empty();
        pieces.push(span("part", Html::joined([swatch, words.into()], "")));
    };
    entry("round", "kernel");
    if any(&["far"]) {
        entry("far", "far from its limit");
    }
    if any(&["check", "implausible", "wrong-counts"]) {
        entry("wrong", "figures to check");
    }
    pieces.push(soft("area: time on the device"));
    let keys = Element::new("span").class("soft needs-script").hidden();
    pieces.push(keys.around("← → next by time, Enter goes to its row"));
    Element::new("div").class("legend").around(Html::joined(pieces, " "))
}

/// What is known of a kernel, shown beside the drawing.
#[derive(Serialize)]
struct Card {
    title: String,
    facts: Vec<(String, String)>,
}

impl Card {
    fn of(kernels: &Listing<'_>, place: usize) -> Card {
        let mut cells = kernels.in_words(place).into_iter();
        let title = cells.next().map(|cell| cell.shown).unwrap_or_default();
        let value = |shown: String, hover: String| match hover.is_empty() {
            true => shown,
            false => format!("{shown} ({hover})"),
        };
        Card {
            title,
            facts: cells.map(|cell| (cell.title.to_owned(), value(cell.shown, cell.hover))).collect(),
        }
    }

    /// The card of the first point; the script replaces its content.
    fn draw(&self, view: View<'_>) -> Html {
        let head = Element::new("h3").around(view.code(&self.title));
        let facts = self.facts.iter().map(|(label, value)| (label.as_str(), Html::escaped(value)));
        let card = Element::new("div").class("card").id("point-card").attribute("aria-live", "polite");
        card.around(Html::joined([head, view.facts(facts)], "\n"))
    }
}
