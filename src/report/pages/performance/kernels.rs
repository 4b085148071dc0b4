//! The table of measured kernels.

use super::{figures, names};
use crate::analysis::performance::{Backend, FigureFrom, MeasuredKernel, Performance, Tuning};
use crate::model::DeviceKernel;
use crate::report::kit::links::{MOST_MEASURED, measured_kernel_anchor, measured_line_anchor};
use crate::report::kit::prelude::*;
use crate::report::words::performance::doubt;
use crate::trace::{CompileId, TextMap};

/// Characters of a kernel's name; the whole name is shown on hover. Names of C++ templates have hundreds.
const LONGEST_NAME: usize = 56;
/// Lines in a cell.
const MOST_LINES: usize = 6;
/// Configurations of a kernel that are named.
const MOST_CONFIGURATIONS: usize = 3;
/// A kernel's time varies if its longest run takes this many times the median.
const VARIES: f64 = 3.0;

/// The table, and what its rows refer to.
#[derive(Clone, Copy)]
pub(super) struct Kernels<'a> {
    pub(super) view: View<'a>,
    pub(super) found: &'a Performance,
    /// The place of each source line among the lines of the trace.
    pub(super) lines: &'a TextMap<(&'a str, u64), usize>,
    /// The address of each kernel on the page of all kernels, by its place here.
    pub(super) in_code: &'a [Option<String>],
}

impl Kernels<'_> {
    /// Writes the section.
    pub(super) fn write(self, out: &mut dyn Write) -> anyhow::Result<()> {
        let all = &self.found.kernels;
        let of = |backend: Backend| all.iter().filter(|kernel| kernel.backend == backend).count();
        let kinds = [Backend::Triton, Backend::Cpp, Backend::Extern, Backend::Eager];
        let words = kinds.map(|kind| (figures::word(kind), figures::label(kind), of(kind)));
        let tools = self.view.narrow("kernels-table", "Filter by name or line", words)?;
        let note = "one row per kernel, graph and input shapes of its operator; by time";
        self.view.open_section(out, ("kernels", "Kernels", note), Some(whole(all.len())), tools)?;
        if all.is_empty() {
            soft_paragraph(out, self.how_to_record())?;
            return Ok(close_section(out)?);
        }
        let columns = columns(all, self.found.peaks.is_some());
        let table = Table { id: "kernels-table", label: "Measured kernels", columns };
        let longest = all.first().map_or(0.0, |kernel| kernel.sum_us);
        let shown = all.iter().take(MOST_MEASURED).enumerate();
        self.view.table(out, &table, shown.map(|(place, kernel)| self.row(place, kernel, longest)))?;
        self.view.beyond(out, all.len(), MOST_MEASURED, "kernels")?;
        note_below(
            out,
            "Times cover all runs of a row; rates are for the mean run and explain their inputs on hover. Bytes are the \
             minimum that a run must move: each tensor once, twice if it is updated in place. Real traffic may be higher, \
             or lower if the data is still in a cache. A dash means unknown, never 0.",
        )?;
        Ok(close_section(out)?)
    }

    /// How to record a trace with kernels.
    fn how_to_record(self) -> Html {
        let code = |text: &str| self.view.code(text);
        let pieces = [
            "None: the trace contains no kernel runs. On a GPU, record it with ".into(),
            code("ProfilerActivity.CUDA"),
            "; on a CPU, set ".into(),
            code("torch._inductor.config.cpp.enable_kernel_profile = True"),
            " before compiling, so that generated C++ kernels appear by name.".into(),
        ];
        Html::joined(pieces, "")
    }

    fn row(self, place: usize, kernel: &MeasuredKernel, longest: f64) -> Row {
        let rates = &kernel.rates;
        let row = Row::of(vec![
            TableCell::html(self.name(place, kernel)).class("kernel-name"),
            TableCell::heat(kernel.sum_us, longest),
            TableCell::text(figures::label(kernel.backend)),
            self.graph(kernel),
            TableCell::count(kernel.count),
            TableCell::time(kernel.mean_us),
            TableCell::time(kernel.median_us),
            longest_run(kernel),
            TableCell::maybe(kernel.estimated_us, micros),
            TableCell::maybe(kernel.ratio_to_estimate(), |ratio| format!("{ratio:.2}×")),
            rate(rates.gbps, figures::byte_rate, kernel.bytes, bytes),
            TableCell::maybe(rates.share_of_bandwidth, figures::share),
            rate(rates.tflops, figures::flop_rate, kernel.flops, figures::flop_count),
            share_of_peak(kernel),
            TableCell::text(figures::bound(rates)),
            verdict(kernel),
            TableCell::html(self.line_links(kernel)),
        ]);
        let words = [figures::word(kernel.backend), figures::verdict_word(kernel)];
        row.selected_by(words.join(" ").trim().to_owned()).anchored(measured_kernel_anchor(place))
    }

    /// The name, with the operator that launched the kernel and its shapes; below, what the trace says about the launch.
    fn name(self, place: usize, kernel: &MeasuredKernel) -> Html {
        let short = names::short(&kernel.name, LONGEST_NAME);
        let named = self.view.link_if(self.in_code.get(place).and_then(Option::as_deref), &short);
        let named = if short == kernel.name { named } else { titled(&kernel.name, named) };
        let inputs = names::inputs(&kernel.inputs);
        let inputs = (!inputs.is_empty()).then(|| soft(inputs));
        let launch = launch(kernel);
        let launch = (!launch.is_empty()).then(|| Element::new("small").class("prose").around(launch));
        let (first, below) = match names::operator(kernel) {
            Some(operator) => (operator.into(), Some(small(named))),
            None => (named, None),
        };
        let pieces = [Some(first), Some(" ".into()), inputs, below, launch];
        Html::joined(pieces.into_iter().flatten(), "")
    }

    fn graph(self, kernel: &MeasuredKernel) -> TableCell {
        let Some(id) = kernel.compile_ids.first().and_then(|id| CompileId::parse(id)) else {
            return TableCell::text(UNKNOWN);
        };
        let direction = kernel.direction.as_deref().unwrap_or_default();
        let pill = Html::joined([self.view.pill_of(Some(&id)), Html::escaped(direction)], "&nbsp;");
        match self.view.report.model.by_id.get(&Some(id)) {
            Some(index) => TableCell::html(pill).sorted(index),
            None => TableCell::html(pill),
        }
    }

    /// `x.py:19, 20`, each a link to its row above.
    fn line_links(self, kernel: &MeasuredKernel) -> Html {
        let lines = kernel.lines.iter().map(|line| (line.file.as_str(), line.line));
        self.view.file_lines(lines, MOST_LINES, |_, line| {
            let place = self.lines.get(&line).filter(|place| **place < MOST_MEASURED)?;
            Some(format!("#{}", measured_line_anchor(*place)))
        })
    }
}

/// The columns. Bounds need the limits of the device.
fn columns(all: &[MeasuredKernel], limits: bool) -> Vec<TableColumn> {
    let none = |known: fn(&MeasuredKernel) -> bool| !all.iter().any(known);
    vec![
        TableColumn::text("Kernel").mono(),
        TableColumn::number("Sum").about("over all runs"),
        TableColumn::text("Kind"),
        TableColumn::compiles("Graph").absent_if(none(|k| !k.compile_ids.is_empty())),
        TableColumn::number("Runs"),
        TableColumn::number("Mean"),
        TableColumn::number("Median"),
        TableColumn::number("Longest"),
        TableColumn::number("Estimated")
            .about("what Inductor expected a run to take")
            .absent_if(none(|k| k.estimated_us.is_some())),
        TableColumn::number("Of the estimate")
            .about("the mean run over the estimate")
            .absent_if(none(|k| k.ratio_to_estimate().is_some())),
        TableColumn::number("Byte rate")
            .about("the minimum bytes that a run must move, over the mean run")
            .absent_if(none(|k| k.rates.gbps.is_some())),
        TableColumn::number("Of bandwidth").absent_if(none(|k| k.rates.share_of_bandwidth.is_some())),
        TableColumn::number("FLOP rate")
            .about("a multiply-add counts as 2; pointwise kernels and reductions have no formula")
            .absent_if(none(|k| k.rates.tflops.is_some())),
        TableColumn::number("Of peak").absent_if(none(|k| k.rates.share_of_peak.is_some())),
        TableColumn::text("Bound by").absent_if(!limits || none(|k| k.rates.bound.is_some())),
        TableColumn::text("Verdict").absent_if(!limits),
        TableColumn::text("Lines").soft().absent_if(none(|k| !k.lines.is_empty())),
    ]
}

/// A rate, and on hover the amount per run from which it is computed.
fn rate(
    rate: Option<f64>,
    show: fn(f64) -> String,
    amount: Option<(f64, FigureFrom)>,
    show_amount: fn(f64) -> String,
) -> TableCell {
    let Some((rate, (amount, from))) = rate.zip(amount) else { return TableCell::maybe(rate, show) };
    let about = format!("{} per run, {}", show_amount(amount), figures::from(from));
    TableCell::html(titled(&about, show(rate))).class("num").sorted(rate)
}

/// The share of the peak, and whether it is of TF32 because FP32 cannot be so fast.
fn share_of_peak(kernel: &MeasuredKernel) -> TableCell {
    let share = kernel.rates.share_of_peak;
    match share.filter(|_| kernel.is_tf32_by_speed) {
        None => TableCell::maybe(share, figures::share),
        Some(share) => {
            let about = "of the peak in TF32: it was faster than FP32 can be, so TF32 was on";
            let words = Html::joined([figures::share(share).into(), soft("TF32 was on")], " ");
            TableCell::html(titled(about, words)).class("num").sorted(share)
        }
    }
}

/// The judgement, and on hover why a figure is to be doubted.
fn verdict(kernel: &MeasuredKernel) -> TableCell {
    let flag = span(figures::flag(kernel), figures::verdict(kernel));
    TableCell::html(match doubt(&kernel.rates) {
        Some(why) => titled(why, flag),
        None => flag,
    })
}

/// The longest run, and whether it is far from the median.
fn longest_run(kernel: &MeasuredKernel) -> TableCell {
    let shown = titled(&format!("shortest {}", micros(kernel.min_us)), micros(kernel.max_us));
    let varies = kernel.count > 2 && kernel.max_us > VARIES * kernel.median_us;
    let flag = if varies { span("flag far", "varies") } else { Html::default() };
    TableCell::html(Html::joined([shown, flag], " ")).class("num").sorted(kernel.max_us)
}

/// `512 registers per thread, 48 KB of shared memory, occupancy about 25 %; tuned now: 4 candidates`: facts without
/// advice, as their cost is part of what was measured.
pub(super) fn launch(kernel: &MeasuredKernel) -> String {
    let device = kernel.device.as_ref().and_then(of_device);
    let tuning = kernel.tuning.as_ref().map(tuning).filter(|words| !words.is_empty());
    device.into_iter().chain(tuning).collect::<Vec<_>>().join("; ")
}

/// What the trace says about the launch.
fn of_device(device: &DeviceKernel) -> Option<String> {
    let mut words = Vec::new();
    words.extend(device.registers.map(|registers| format!("{registers} registers per thread")));
    words.extend(device.spills.map(|spills| format!("{spills} of them spilled")));
    let shared = device.shared_memory.filter(|shared| *shared > 0);
    words.extend(shared.map(|shared| format!("{} of shared memory", bytes(shared as f64))));
    // The profiler writes 0 where it has no estimate: a kernel that ran occupied something.
    let occupancy = device.occupancy.filter(|percent| *percent > 0.0);
    words.extend(occupancy.map(|occupancy| format!("occupancy about {occupancy}\u{a0}%")));
    (!words.is_empty()).then(|| words.join(", "))
}

/// How the configuration of a Triton kernel was chosen, and which one ran.
fn tuning(tuning: &Tuning) -> String {
    let candidates = tuning.candidates.map(|count| counted(count, "configuration", "configurations"));
    let search = match (tuning.state.as_deref(), candidates) {
        (Some("hit"), _) => Some("configuration found in the cache".to_owned()),
        (Some("miss"), Some(candidates)) => Some(format!("{candidates} to try at the first call")),
        (Some("miss"), None) => Some("tuned at the first call".to_owned()),
        (Some("only 1 config"), _) => Some("one configuration, nothing to tune".to_owned()),
        (Some("force_disabled"), _) => Some("tuning switched off".to_owned()),
        (Some(other), _) => Some(format!("tuning: {other}")),
        (None, candidates) => candidates,
    };
    let compiled = tuning.compile_us.map(|us| format!("compiled in {}", micros(us)));
    let ran = match tuning.ran.as_slice() {
        [] => tuning.in_log.as_ref().map(|chosen| format!("the log names {chosen}")),
        ran => Some(format!(
            "ran with {}",
            ran.iter().take(MOST_CONFIGURATIONS).cloned().collect::<Vec<_>>().join(" and with ")
        )),
    };
    [search, compiled, ran].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
