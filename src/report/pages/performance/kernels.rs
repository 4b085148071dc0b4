//! The table of measured kernels.

use crate::analysis::performance::{Limit, MeasuredKernel, Performance};
use crate::facts::{Backend, Bound, Kernel, Tuning};
use crate::limits::{IN_ROW, KERNEL_IN_LIST, LONG_TABLE, NAMED_BRIEFLY};
use crate::model::{input_words, kernel_family, short_kernel};
use crate::report::kit::links::{measured_kernel_anchor, measured_line_anchor};
use crate::report::kit::prelude::*;
use crate::report::words::performance::figures;
use crate::trace::CompileId;

/// The table, and what its rows refer to.
#[derive(Clone, Copy)]
pub(super) struct Kernels<'a> {
    pub(super) view: View<'a>,
    pub(super) found: &'a Performance,
    /// The address of each kernel on the page of all kernels, by its place here.
    pub(super) in_code: &'a [Option<String>],
}

impl Kernels<'_> {
    /// Writes the section.
    pub(super) fn write(self, out: &mut dyn Write) -> anyhow::Result<()> {
        let all = &self.found.kernels;
        let of = |backend: Backend| all.iter().filter(|kernel| kernel.backend == Some(backend)).count();
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
        let shown = all.iter().take(LONG_TABLE).enumerate();
        self.view.table(out, &table, shown.map(|(place, kernel)| self.row(place, kernel, longest)))?;
        self.view.beyond(out, all.len(), LONG_TABLE, "kernels")?;
        note_below(
            out,
            "Times cover all runs of a row; rates are for the mean run and explain their inputs on hover. Bytes are the \
             minimum that a run must move: each tensor once, twice if it is updated in place. Real traffic may be higher, \
             or lower if the data is still in a cache. A dash means unknown, never 0. What could be gained is an upper bound.",
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
        let row = Row::of(vec![
            TableCell::html(self.name(place, kernel)).class("kernel-name"),
            TableCell::heat(kernel.sum_us, longest),
            runs(kernel),
            TableCell::text(kernel.backend.map_or(UNKNOWN, figures::label)),
            self.graph(kernel),
            estimate(kernel),
            rate(kernel),
            reached(kernel),
            TableCell::maybe(kernel.gain_us, |us| format!("up to {}", micros(us))),
            verdict(kernel),
            TableCell::html(self.line_links(kernel)),
        ]);
        let words = [kernel.backend.map_or("", figures::word), figures::verdict_word(kernel)];
        row.selected_by(words.join(" ").trim().to_owned()).anchored(measured_kernel_anchor(place))
    }

    /// The operator with its shapes, below it the kernel and what the trace says about its launch.
    fn name(self, place: usize, kernel: &MeasuredKernel) -> Html {
        let short = short_kernel(kernel.shown_name(), KERNEL_IN_LIST);
        let named = self.view.link_if(self.in_code.get(place).and_then(Option::as_deref), &short);
        let inputs = input_words(&kernel.input_dims);
        let inputs = (!inputs.is_empty()).then(|| soft(inputs));
        let (first, below) = match kernel.operator.as_deref() {
            Some(operator) => (strong(operator), Some(named)),
            None if kernel.called.is_some() => (named, Some(format!("recorded as {}", kernel.name).into())),
            None => (named, not_in_trace(kernel).map(Html::from)),
        };
        let launch = launch(kernel);
        let launch = (!launch.is_empty()).then(|| Html::escaped(&launch));
        let second: Vec<Html> = below.into_iter().chain(launch).collect();
        let second = (!second.is_empty()).then(|| titled(&kernel.name, small(Html::joined(second, " · "))));
        let pieces = [Some(first), Some(" ".into()), inputs, second];
        Html::joined(pieces.into_iter().flatten(), "")
    }

    fn graph(self, kernel: &MeasuredKernel) -> TableCell {
        let Some(id) = kernel.compile_ids.first().and_then(|id| CompileId::parse(id)) else {
            return TableCell::text(UNKNOWN);
        };
        let direction = kernel.direction.as_deref().unwrap_or_default();
        let below = if direction.is_empty() { Html::default() } else { block(small(direction)) };
        let pill = Html::joined([self.view.pill_of(Some(&id)), below], "");
        match self.view.report.model.by_id.get(&Some(id)) {
            Some(index) => TableCell::html(pill).sorted(index),
            None => TableCell::html(pill),
        }
    }

    /// `x.py:19, 20`, each a link to its row above.
    fn line_links(self, kernel: &MeasuredKernel) -> Html {
        let lines = kernel.lines.iter().map(|line| (&*line.file, line.line));
        let places = &self.view.report.found.lines;
        self.view.file_lines(lines, IN_ROW, |_, (file, line)| {
            let place = places.measured(file, line).filter(|place| *place < LONG_TABLE)?;
            Some(format!("#{}", measured_line_anchor(place)))
        })
    }
}

/// The columns. Shares need the limits of the device.
fn columns(all: &[MeasuredKernel], limits: bool) -> Vec<TableColumn> {
    let none = |known: fn(&MeasuredKernel) -> bool| !all.iter().any(known);
    vec![
        TableColumn::text("Operator, sizes and kernel").mono(),
        TableColumn::number("Time").about("over all runs"),
        TableColumn::number("Runs").about("and the mean run; the median and the longest on hover"),
        TableColumn::text("Kind").absent_if(all.windows(2).all(|two| two[0].backend == two[1].backend)),
        TableColumn::compiles("Graph").absent_if(none(|k| !k.compile_ids.is_empty())),
        TableColumn::number("Estimated")
            .about("what Inductor expected a run to take, and the mean run over it")
            .absent_if(none(|k| k.estimated_us.is_some())),
        // Rates of FLOPs and of bytes have no common order.
        TableColumn::number("Rate")
            .fixed()
            .about("FLOPs, where there is a formula (a multiply-add counts as 2), or else the minimum bytes, over the mean run")
            .absent_if(none(|k| k.gbps.is_some() || k.tflops.is_some())),
        TableColumn::number("Reaches")
            .about("share of the ceiling: the smaller of the peak and of what the bandwidth allows")
            .absent_if(none(|k| k.best_share().is_some())),
        TableColumn::number("To gain")
            .about("what all runs at the ceiling would save: an upper bound, not to be added up")
            .absent_if(none(|k| k.gain_us.is_some())),
        TableColumn::text("Verdict").absent_if(!limits),
        TableColumn::text("Lines").soft().absent_if(none(|k| !k.lines.is_empty())),
    ]
}

/// What a library's kernel computes, by its name, as the trace does not have the operator that launched it.
fn not_in_trace(kernel: &MeasuredKernel) -> Option<String> {
    let family = kernel_family(&kernel.name).filter(|_| kernel.operators.is_empty())?;
    Some(format!("{family}, operator not in the trace"))
}

/// How often it ran, and below how long a run takes.
fn runs(kernel: &MeasuredKernel) -> TableCell {
    let about = format!(
        "median {}, shortest {}, longest {}",
        micros(kernel.median_us),
        micros(kernel.min_us),
        micros(kernel.max_us)
    );
    let each = small(format!("{} each", micros(kernel.mean_us)));
    let words = Html::joined([whole(kernel.count).into(), titled(&about, each)], "");
    TableCell::html(words).class("num").sorted(kernel.count)
}

/// Inductor's estimate, and below the mean run over it.
fn estimate(kernel: &MeasuredKernel) -> TableCell {
    let Some((estimated, ratio)) = kernel.estimated_us.zip(kernel.ratio_to_estimate) else {
        return TableCell::text(UNKNOWN).class("num");
    };
    let words = Html::joined([micros(estimated).into(), small(format!("took {ratio:.2}×"))], "");
    TableCell::html(words).class("num").sorted(ratio)
}

/// FLOPs or bytes per second, on hover their amount and source; below, what bounds it.
fn rate(kernel: &MeasuredKernel) -> TableCell {
    let of_flops = kernel.tflops.zip(kernel.flops).map(|(rate, amount)| {
        let about = format!("{} per run, {}", figures::flop_count(amount), figures::from(kernel.flops_from));
        (figures::flop_rate(rate), about)
    });
    let of_bytes = kernel.gbps.zip(kernel.bytes).map(|(rate, amount)| {
        let about = format!("{} per run, {}", figures::byte_count(amount), figures::from(kernel.bytes_from));
        (figures::byte_rate(rate), about)
    });
    // The rate that the limit is about is shown, the other one on hover.
    let (shown, other) = match (of_flops, of_bytes) {
        (Some(flops), bytes) if kernel.bound != Some(Bound::Memory) || bytes.is_none() => (flops, bytes),
        (flops, Some(bytes)) => (bytes, flops),
        _ => return TableCell::text(UNKNOWN).class("num"),
    };
    let (text, about) = shown;
    let about = other.map_or(about.clone(), |(text, other)| format!("{about}; {text}, {other}"));
    let bound = kernel.bound.map(|_| small(format!("{}-bound", figures::bound(kernel)))).unwrap_or_default();
    TableCell::html(Html::joined([titled(&about, text), bound], "")).class("num")
}

/// The share of the ceiling as a bar, and below of which limit it is.
fn reached(kernel: &MeasuredKernel) -> TableCell {
    let Some((limit, share)) = kernel.nearest_limit() else {
        return TableCell::text(UNKNOWN).class("num");
    };
    let of = match (limit, kernel.computes_in.as_deref()) {
        (Limit::Bandwidth, _) => "of the bandwidth".to_owned(),
        (Limit::Peak, Some(kind)) => format!("of the {kind} peak"),
        (Limit::Peak, None) => "of the peak".to_owned(),
    };
    let about = match kernel.is_tf32_by_speed {
        true => "it was faster than FP32 can be, so TF32 was on".to_owned(),
        false => shares(kernel),
    };
    let of = if kernel.is_tf32_by_speed { format!("{of}, TF32 was on") } else { of };
    let bar = Element::new("i").style(&format!("width:{:.0}%", (100.0 * share).min(100.0))).empty();
    let bar = Element::new("span").class("reach").attribute("aria-hidden", "true").around(bar);
    let words = Html::joined([bar, figures::share(share).into(), small(of)], " ");
    TableCell::html(titled(&about, words)).class("num").sorted(share)
}

/// Both shares, for a hover.
fn shares(kernel: &Kernel<'_>) -> String {
    let of = |share: Option<f64>, what: &str| {
        share.map(|share| format!("{} of the {what}", figures::share(share)))
    };
    let both = [of(kernel.share_of_peak, "peak"), of(kernel.share_of_bandwidth, "bandwidth")];
    both.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The judgement, and on hover why a figure is to be doubted.
fn verdict(kernel: &MeasuredKernel) -> TableCell {
    let flag = span(figures::flag(kernel), figures::verdict(kernel));
    TableCell::html(match &kernel.plausible {
        Some(doubt) => titled(&doubt.why, flag),
        None => flag,
    })
}

/// `512 registers, 48 KB of shared memory, occupancy about 25 %; 4 configurations to try at the first call`: facts without
/// advice, as their cost is part of what was measured.
pub(super) fn launch(kernel: &MeasuredKernel) -> String {
    let tuning = kernel.tuning.as_deref().map(tuning).filter(|words| !words.is_empty());
    of_device(kernel).into_iter().chain(tuning).collect::<Vec<_>>().join("; ")
}

/// What the trace says about the launch.
fn of_device(kernel: &Kernel<'_>) -> Option<String> {
    let mut words = Vec::new();
    words.extend(kernel.registers.map(|registers| format!("{registers} registers")));
    words.extend(kernel.spills.map(|spills| format!("{spills} of them spilled")));
    let shared = kernel.shared_memory.filter(|shared| *shared > 0);
    words.extend(shared.map(|shared| format!("{} of shared memory", bytes(shared as f64))));
    words.extend(kernel.occupancy.map(|occupancy| format!("occupancy about {occupancy}\u{a0}%")));
    (!words.is_empty()).then(|| words.join(", "))
}

/// How the configuration of a Triton kernel was chosen, and which one ran.
fn tuning(tuning: &Tuning<'_>) -> String {
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
    let ran = match &*tuning.ran {
        [] => tuning.in_log.as_ref().map(|chosen| format!("the log names {chosen}")),
        ran => Some(format!(
            "ran with {}",
            ran.iter().take(NAMED_BRIEFLY).map(|one| &**one).collect::<Vec<_>>().join(" and with ")
        )),
    };
    [search, compiled, ran].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
