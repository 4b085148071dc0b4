//! The roofline: how many FLOPs a kernel does for each byte, and how near it comes to what that allows.

use super::{figures, kernels};
use crate::analysis::performance::{Backend, DevicePeaks, MeasuredKernel, Performance};
use crate::report::kit::formats::{clipped, micros, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close_section, note_below, put};
use crate::report::kit::view::View;
use std::io::Write;

/// Size of the drawing, in its own units.
const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 420.0;
/// Room for the numbers of the axes.
const LEFT: f64 = 64.0;
const BOTTOM: f64 = 40.0;
const EDGE: f64 = 12.0;
/// Kernels that are drawn, the longest first: beyond some hundred, points cover each other.
const MOST_POINTS: usize = 300;
/// Radius of the largest and of the smallest point.
const LARGEST: f64 = 22.0;
const SMALLEST: f64 = 3.0;

/// Kernels that have a place in the drawing, with their place in the table. Without FLOPs there is no intensity.
pub(super) fn points(found: &Performance) -> impl Iterator<Item = (usize, &MeasuredKernel)> {
    let shown = found.kernels.iter().enumerate().take(kernels::MOST_KERNELS);
    let known = shown.filter(|(_, kernel)| {
        kernel.rates.tflops.is_some() && kernel.bytes.is_some_and(|(bytes, _)| bytes > 0.0)
    });
    known.take(MOST_POINTS)
}

/// Writes the section, where a kernel has both FLOPs and bytes.
pub(super) fn write(view: View<'_>, found: &Performance, out: &mut dyn Write) -> anyhow::Result<()> {
    let all: Vec<_> = points(found).collect();
    if all.is_empty() {
        return Ok(());
    }
    let note = "each point is a kernel, its area its time; both axes are logarithmic";
    view.open_section(out, ("roofline", "Roofline", note), Some(whole(all.len())), Html::default())?;
    put(out, &Plot::of(&all, found.peaks.as_ref()).draw(&all, found.peaks.as_ref()))?;
    note_below(
        out,
        match found.peaks {
            Some(_) => {
                "The line is what the device allows: its bandwidth on the left, its peak on the right. A point far below it has room; one above it cannot be true. Kernels without FLOPs stand in the table only."
            }
            None => {
                "What the device allows is not known, so there is no line to hold the points against. Kernels without FLOPs stand in the table only."
            }
        },
    )?;
    Ok(close_section(out)?)
}

/// The scales of the drawing: powers of ten.
struct Plot {
    /// Exponents of FLOPs per byte.
    intensity: (f64, f64),
    /// Exponents of TFLOP/s.
    rate: (f64, f64),
}

impl Plot {
    fn of(all: &[(usize, &MeasuredKernel)], peaks: Option<&DevicePeaks>) -> Plot {
        let mut intensities: Vec<f64> = all.iter().filter_map(|(_, kernel)| intensity(kernel)).collect();
        let mut rates: Vec<f64> = all.iter().filter_map(|(_, kernel)| kernel.rates.tflops).collect();
        if let Some((peak, bandwidth)) = peaks.and_then(ceilings) {
            intensities.push(peak * 1e3 / bandwidth);
            rates.push(peak);
        }
        Plot { intensity: decades(&intensities), rate: decades(&rates) }
    }

    fn x(&self, intensity: f64) -> f64 {
        let (from, to) = self.intensity;
        LEFT + (WIDTH - LEFT - EDGE) * (intensity.log10() - from) / (to - from)
    }

    fn y(&self, rate: f64) -> f64 {
        let (from, to) = self.rate;
        HEIGHT - BOTTOM - (HEIGHT - BOTTOM - EDGE) * (rate.log10() - from) / (to - from)
    }

    fn draw(&self, all: &[(usize, &MeasuredKernel)], peaks: Option<&DevicePeaks>) -> Html {
        let mut pieces = self.axes();
        pieces.extend(peaks.and_then(ceilings).map(|limits| self.ceiling(limits)));
        let longest = all.iter().map(|(_, kernel)| kernel.sum_us).fold(0.0, f64::max);
        pieces.extend(all.iter().filter_map(|(place, kernel)| self.point(*place, kernel, longest)));
        let label = format!("Roofline of {} kernels; the table above has the same figures", all.len());
        Element::new("svg")
            .class("roofline")
            .attribute("viewBox", &format!("0 0 {WIDTH} {HEIGHT}"))
            .attribute("role", "group")
            .attribute("aria-label", &label)
            .around(Html::joined(pieces, "\n"))
    }

    fn axes(&self) -> Vec<Html> {
        let mut pieces = Vec::new();
        let (bottom, right) = (HEIGHT - BOTTOM, WIDTH - EDGE);
        for exponent in exponents(self.intensity) {
            let x = self.x(10_f64.powi(exponent));
            pieces.push(line("grid", (x, EDGE), (x, bottom)));
            pieces.push(text((x, bottom + 16.0), "middle", &power(exponent)));
        }
        for exponent in exponents(self.rate) {
            let y = self.y(10_f64.powi(exponent));
            pieces.push(line("grid", (LEFT, y), (right, y)));
            pieces.push(text((LEFT - 6.0, y + 4.0), "end", &figures::flop_rate(10_f64.powi(exponent))));
        }
        pieces.push(line("axis", (LEFT, bottom), (right, bottom)));
        pieces.push(line("axis", (LEFT, EDGE), (LEFT, bottom)));
        pieces.push(text((right, HEIGHT - 6.0), "end", "FLOPs per byte"));
        pieces
    }

    /// The bandwidth up to the ridge, then the peak.
    fn ceiling(&self, (peak, bandwidth): (f64, f64)) -> Html {
        let ridge = peak * 1e3 / bandwidth;
        let left = 10_f64.powf(self.intensity.0);
        let start = (self.x(left), self.y((left * bandwidth / 1e3).max(10_f64.powf(self.rate.0))));
        let start = match left * bandwidth / 1e3 < 10_f64.powf(self.rate.0) {
            true => (self.x(10_f64.powf(self.rate.0) * 1e3 / bandwidth), start.1),
            false => start,
        };
        let corner = (self.x(ridge), self.y(peak));
        let end = (self.x(10_f64.powf(self.intensity.1)), self.y(peak));
        let points = [start, corner, end].map(|(x, y)| format!("{x:.1},{y:.1}")).join(" ");
        Element::new("polyline").class("ceiling").attribute("points", &points).around("")
    }

    fn point(&self, place: usize, kernel: &MeasuredKernel, longest: f64) -> Option<Html> {
        let (intensity, rate) = (intensity(kernel)?, kernel.rates.tflops?);
        let radius = (LARGEST * (kernel.sum_us / longest).sqrt()).max(SMALLEST);
        let share = kernel.rates.best_share().map(|share| format!(", {} of a limit", figures::share(share)));
        let words = format!(
            "{}: {} in {}, {}{}",
            clipped(&kernel.name, 80).0,
            figures::flop_rate(rate),
            micros(kernel.sum_us),
            figures::verdict(kernel),
            share.unwrap_or_default()
        );
        let circle = Element::new("circle")
            .attribute("cx", &format!("{:.1}", self.x(intensity)))
            .attribute("cy", &format!("{:.1}", self.y(rate)))
            .attribute("r", &format!("{radius:.1}"))
            .around(Element::new("title").around(words.as_str()));
        let class = match kernel.backend {
            Backend::Triton | Backend::Cpp => "generated",
            Backend::Extern => "library",
            Backend::Eager => "eager",
        };
        let link = Element::new("a").class(class).href(&format!("#kernel-{}", place + 1));
        Some(link.attribute("aria-label", &words).around(circle))
    }
}

/// FLOPs for each byte.
fn intensity(kernel: &MeasuredKernel) -> Option<f64> {
    let ((flops, _), (bytes, _)) = (kernel.flops?, kernel.bytes?);
    Some(flops / bytes).filter(|intensity| intensity.is_finite() && *intensity > 0.0)
}

/// The largest peak of the matrix units that the table has for 16 bits, else of all; and the bandwidth in GB/s.
fn ceilings(peaks: &DevicePeaks) -> Option<(f64, f64)> {
    let matrix = peaks
        .matrix
        .get("bf16")
        .or_else(|| peaks.matrix.get("fp16"))
        .or_else(|| peaks.matrix.values().next());
    let peak = matrix.or_else(|| peaks.vector.get("fp32"))?;
    Some((*peak, peaks.gbps?)).filter(|(peak, bandwidth)| *peak > 0.0 && *bandwidth > 0.0)
}

/// The powers of ten around some values.
fn decades(values: &[f64]) -> (f64, f64) {
    let from = values.iter().copied().fold(f64::INFINITY, f64::min).log10().floor();
    let to = values.iter().copied().fold(0.0, f64::max).log10().ceil();
    if to > from { (from, to) } else { (from, from + 1.0) }
}

fn exponents((from, to): (f64, f64)) -> impl Iterator<Item = i32> {
    (from as i32)..=(to as i32)
}

/// `0.1`, `1`, `1,000`.
fn power(exponent: i32) -> String {
    crate::report::kit::formats::count(10_f64.powi(exponent))
}

fn line(class: &str, from: (f64, f64), to: (f64, f64)) -> Html {
    let path = format!("M{:.1} {:.1}L{:.1} {:.1}", from.0, from.1, to.0, to.1);
    Element::new("path").class(class).attribute("d", &path).around("")
}

fn text(at: (f64, f64), anchor: &str, words: &str) -> Html {
    Element::new("text")
        .attribute("x", &format!("{:.1}", at.0))
        .attribute("y", &format!("{:.1}", at.1))
        .attribute("text-anchor", anchor)
        .around(words)
}
