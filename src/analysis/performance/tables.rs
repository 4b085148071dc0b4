//! Tables of the kernels, operators and lines of a trace, with their times and rates. Each run is added to its rows as it
//! is read, so that memory grows with the number of rows and not with the number of runs.

use super::devices::DevicePeaks;
use super::formulas::{Formula, Work, bytes_of_inputs};
use super::graphs::{CodeCall, Graphs, LineShare};
use super::measured::{
    DeviceOptions, KernelOfRun, KernelsOfRuns, MeasuredCall, MeasuredKernel, MeasuredLine, Performance,
};
use super::pointwise::pointwise_bytes;
use super::rates::{Judgement, Measured, Rates, kind_of, kind_of_type};
use super::times::{BusyTimes, Group, Length, medians};
use super::tuning::{TunedKernels, tuned_kernels, tuning_of};
use super::work::{KernelRun, Runs, What, WorkPart, is_cpp_kernel};
use crate::facts::{self, Backend, FigureFrom, Kernel, LineTime, List, ProgramLine, Text};
use crate::model::{DeviceKernel, DeviceWork, InputDims, Model, Operator, Profile};
use crate::read::generated::kernel_source::without_graph_number;
use crate::trace::{Sorter, TextMap};
use fxhash::{FxBuildHasher, FxHashMap, FxHashSet};
use indexmap::IndexMap;
use std::collections::BTreeSet;
use std::io;

/// The tables while runs are added to them.
pub(super) struct Tables<'p> {
    model: &'p Model,
    profile: &'p Profile,
    graphs: &'p Graphs,
    tuned: TunedKernels<'p>,
    /// By operator: whether the work of a call is known.
    has_work: Vec<bool>,
    rows: IndexMap<RowKey, KernelSums, FxBuildHasher>,
    /// Microseconds of each run, by row.
    lengths: Sorter<Length>,
    busy: BusyTimes,
    /// Operators by their place in the trace.
    operators: IndexMap<u32, Runs, FxBuildHasher>,
    /// The runs of each call in generated code.
    calls: IndexMap<CallKey, Runs, FxBuildHasher>,
    /// Runs that lead to no line of the program.
    without_line: FxHashMap<What, Runs>,
    /// The row of each run, if it was asked for.
    rows_of_runs: Option<Sorter<KernelOfRun>>,
    /// The row of the launch that does the work of each call, if it was asked for.
    rows_of_calls: Option<Sorter<KernelOfRun>>,
    /// Whether products of float may use TF32, if the user says so.
    tf32: Option<bool>,
}

/// What the launches of a row have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct RowKey {
    what: What,
    graph: Option<usize>,
    /// The operator whose work is known.
    operator: Option<u32>,
    /// Without one: the first call in the code with equal work.
    alike: Option<usize>,
    part: WorkPart,
}

/// A call in generated code, and the row of its runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct CallKey {
    graph: usize,
    call: usize,
    row: usize,
}

struct KernelSums {
    runs: Runs,
    min_us: f64,
    max_us: f64,
    compiled: bool,
    /// Whether the trace says of any run what launched it.
    is_launch_known: bool,
    in_cuda_graph: bool,
    /// Distinct calls in the code.
    code_calls: FxHashSet<usize>,
    /// Operators that launched it: places in the list of the trace.
    operators: FxHashSet<u32>,
}

impl<'p> Tables<'p> {
    /// Empty tables.
    pub(super) fn new(
        model: &'p Model,
        profile: &'p Profile,
        graphs: &'p Graphs,
        options: &DeviceOptions,
    ) -> Tables<'p> {
        let has_work = |operator: &Operator| {
            let formula = Formula::named(&operator.name).is_some();
            formula || operator.triton.is_some() || pointwise_bytes(operator).is_some()
        };
        Tables {
            model,
            profile,
            graphs,
            tuned: tuned_kernels(model),
            has_work: profile.operators.iter().map(has_work).collect(),
            rows: IndexMap::default(),
            lengths: Sorter::default(),
            busy: BusyTimes::default(),
            operators: IndexMap::default(),
            calls: IndexMap::default(),
            without_line: FxHashMap::default(),
            rows_of_runs: options.each_run.then(Sorter::default),
            rows_of_calls: options.each_run.then(Sorter::default),
            tf32: options.tf32.then_some(true),
        }
    }

    /// Adds a run.
    pub(super) fn add(&mut self, piece: &KernelRun) {
        let has_work = |at: &u32| self.has_work.get(*at as usize) == Some(&true);
        let part = piece.part;
        let operator = piece.operator.filter(|_| part != WorkPart::Helper).filter(has_work);
        let alike = match (operator, part) {
            (None, WorkPart::All | WorkPart::InputGradient | WorkPart::WeightGradient) => {
                self.graphs.call(piece.graph, piece.code_call).map(|call| call.alike)
            }
            _ => None,
        };
        let entry = self.rows.entry(RowKey { what: piece.what, graph: piece.graph, operator, alike, part });
        let place = entry.index();
        entry.or_insert_with(KernelSums::empty).add(piece);
        let row_number = u32::try_from(place).unwrap_or(u32::MAX);
        self.lengths.push(Length { group: row_number, us: piece.dur_us });
        if let Some(runs) = &mut self.rows_of_runs {
            runs.push(KernelOfRun { run: piece.place, kernel: row_number });
        }
        if let (Some(calls), Some(run)) = (&mut self.rows_of_calls, piece.launched_by)
            && part != WorkPart::Helper
        {
            calls.push(KernelOfRun { run, kernel: row_number });
        }
        self.busy.add(piece.begin_us, piece.dur_us, self.kind(piece.what), piece.compiled);
        if let Some(operator) = piece.operator {
            let calls = self.operators.entry(operator).or_default();
            calls.count += usize::from(piece.first_of_call);
            calls.us += piece.dur_us;
        }
        if let Some((graph, call)) = piece.graph.zip(piece.code_call) {
            self.calls.entry(CallKey { graph, call, row: place }).or_default().add(piece.dur_us);
        }
        if self.shares(piece).is_empty() {
            self.without_line.entry(piece.what).or_default().add(piece.dur_us);
        }
    }

    fn kind(&self, what: What) -> DeviceWork {
        match what {
            What::Device(at) => self.profile.kernels.get(at as usize).map(|of| of.kind).unwrap_or_default(),
            What::Cpu(_) => DeviceWork::Kernel,
        }
    }

    /// Fills in the tables. `found` already has the regions.
    ///
    /// # Errors
    /// A temporary file cannot be read.
    pub(super) fn fill(mut self, found: &mut Performance) -> io::Result<()> {
        found.operators = self.measured_operators();
        found.trace.launches = self.lengths.count() as u64;
        let of_cpu = Some(found.time.wall_us).filter(|_| !found.on_device);
        found.time = std::mem::take(&mut self.busy).time(of_cpu)?;
        self.lines(found);
        let groups: Vec<Group> =
            self.rows.values().map(|row| Group { count: row.runs.count, without_us: None }).collect();
        let medians = medians(&std::mem::take(&mut self.lengths).sorted(), &groups)?;
        let device = found.peaks.clone();
        let rows = self.rows.iter().zip(medians);
        let clock = found.device.clock_mhz;
        let kernels = rows.map(|((key, row), median_us)| {
            let mut kernel = self.kernel(*key, row, device.as_ref(), clock);
            kernel.facts.median_us = median_us;
            kernel
        });
        let mut kernels: Vec<(usize, MeasuredKernel)> = kernels.enumerate().collect();
        kernels.sort_by(|left, right| right.1.sum_us.total_cmp(&left.1.sum_us));
        // Runs know the row of their kernel by the order in which rows were added.
        let mut places = vec![u32::MAX; kernels.len()];
        for (sorted, (met, _)) in (0..).zip(&kernels) {
            if let Some(place) = places.get_mut(*met) {
                *place = sorted;
            }
        }
        found.regions.retain(|region| region.calls > 0);
        found.regions.sort_by(|left, right| {
            right.sum_us.total_cmp(&left.sum_us).then_with(|| left.compile_id.cmp(&right.compile_id))
        });
        self.calls.sort_keys();
        found.calls = self.calls.iter().filter_map(|(key, runs)| self.call(*key, *runs, &places)).collect();
        found.kernels = kernels.into_iter().map(|(_, kernel)| kernel).collect();
        if let (Some(runs), Some(calls)) = (self.rows_of_runs, self.rows_of_calls) {
            found.runs = Some(KernelsOfRuns { runs: runs.sorted(), calls: calls.sorted(), kernels: places });
        }
        Ok(())
    }

    /// The time of a call; `places` has the kernel of each row.
    fn call(&self, key: CallKey, runs: Runs, places: &[u32]) -> Option<MeasuredCall> {
        let graph = self.graphs.graphs.get(key.graph)?;
        let name = graph.calls.get(key.call).map(|call| &call.name);
        let first = name.and_then(|name| graph.by_name.get(name)?.first().copied());
        Some(MeasuredCall {
            compile: graph.compile,
            run: graph.run,
            place: key.call,
            first: first.unwrap_or(key.call),
            kernel: places.get(key.row).map(|place| *place as usize).unwrap_or_default(),
            count: runs.count,
            sum_us: runs.us,
        })
    }

    fn measured_operators(&self) -> Vec<facts::Operator<'static>> {
        type Alike<'o> = (&'o str, &'o [InputDims], &'o [String]);
        // Of operators that are alike, the last one is kept.
        let mut rows: IndexMap<Alike<'_>, (Runs, &Operator)> = IndexMap::new();
        for (place, calls) in &self.operators {
            let Some(operator) = self.profile.operators.get(*place as usize) else { continue };
            let key = (operator.name.as_str(), operator.dims.as_slice(), operator.types.as_slice());
            let (sum, alike) = rows.entry(key).or_insert((Runs::default(), operator));
            sum.count += calls.count;
            sum.us += calls.us;
            *alike = operator;
        }
        let measured = |(calls, operator): (Runs, &Operator)| {
            let work = work_of_inputs(operator, WorkPart::All);
            let per_us = |amount: Option<f64>| {
                amount.filter(|_| calls.us > 0.0).map(|amount| amount * calls.count as f64 / calls.us / 1e6)
            };
            facts::Operator {
                op: operator.name.clone().into(),
                input_dims: operator.dims.clone().into(),
                input_types: operator.types.iter().cloned().map(Text::from).collect(),
                count: calls.count as u64,
                flops: work.flops,
                bytes: work.bytes,
                kernel_us_sum: calls.us,
                tflops: per_us(work.flops),
                tbps: per_us(work.bytes),
            }
        };
        let mut found: Vec<_> = rows.into_values().map(measured).collect();
        found.sort_by(|left, right| right.kernel_us_sum.total_cmp(&left.kernel_us_sum));
        found
    }

    fn shares(&self, piece: &KernelRun) -> &[LineShare] {
        self.graphs.call(piece.graph, piece.code_call).map(|call| call.lines.as_slice()).unwrap_or_default()
    }

    fn name(&self, what: What) -> &str {
        match what {
            What::Device(at) => self.profile.kernels.get(at as usize).map_or("", |kernel| &kernel.name),
            What::Cpu(at) => self.profile.operators.get(at as usize).map_or("", |operator| &operator.name),
        }
    }

    fn lines(&self, found: &mut Performance) {
        #[derive(Default)]
        struct OfLine {
            us: f64,
            own_us: f64,
            backward_us: f64,
            kernels: FxHashSet<What>,
        }
        let mut lines: FxHashMap<usize, OfLine> = FxHashMap::default();
        for (CallKey { graph, call, row }, Runs { us: sum_us, .. }) in &self.calls {
            let what = self.rows.get_index(*row).map(|(key, _)| key.what);
            let direction = self.graphs.graphs.get(*graph).and_then(|graph| graph.direction.as_deref());
            let call = self.graphs.call(Some(*graph), Some(*call));
            let shares = call.map(|call| call.lines.as_slice()).unwrap_or_default();
            for share in shares {
                let line = lines.entry(share.line).or_default();
                let us = share.share * sum_us;
                line.us += us;
                line.backward_us += if direction == Some("backward") { us } else { 0.0 };
                line.own_us += if shares.len() == 1 { *sum_us } else { 0.0 };
                line.kernels.extend(what);
            }
        }
        let mut of_lines: Vec<MeasuredLine> = Vec::new();
        for (place, line) in lines {
            let Some(program_line) = self.graphs.lines.get(place) else { continue };
            let kernels: BTreeSet<&str> = line.kernels.iter().map(|what| self.name(*what)).collect();
            let kernels = kernels.into_iter().map(|name| name.to_owned().into()).collect();
            of_lines.push(MeasuredLine {
                facts: LineTime { us: line.us, kernels, ..program_line.clone() },
                own_us: line.own_us,
                backward_us: line.backward_us,
            });
        }
        of_lines.sort_by(|left, right| {
            let place = |line: &MeasuredLine| (line.file.clone(), line.line);
            right.us.total_cmp(&left.us).then_with(|| place(left).cmp(&place(right)))
        });
        found.lines = of_lines;
        let mut by_name: TextMap<&str, f64> = TextMap::default();
        for (what, runs) in &self.without_line {
            found.unjoined.launches += runs.count as u64;
            found.unjoined.us += runs.us;
            *by_name.entry(self.name(*what)).or_insert(0.0) += runs.us;
        }
        let mut names: Vec<(&str, f64)> = by_name.into_iter().collect();
        names.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(right.0)));
        found.unjoined.names = names.into_iter().map(|(name, _)| name.to_owned().into()).collect();
    }

    /// The row of a kernel, without its median.
    fn kernel(
        &self,
        key: RowKey,
        row: &KernelSums,
        device: Option<&DevicePeaks>,
        clock: Option<f64>,
    ) -> MeasuredKernel {
        let graph = key.graph.and_then(|graph| self.graphs.graphs.get(graph));
        let calls: Vec<_> = row.code_calls.iter().filter_map(|call| graph?.calls.get(*call)).collect();
        let mut found = MeasuredKernel {
            called: calls.iter().find(|call| call.is_recorded_otherwise()).map(|call| call.name.clone()),
            operators: self.names_of(&row.operators, &calls),
            in_cuda_graph: row.in_cuda_graph,
            has_atomics: calls.iter().any(|call| call.has_atomics),
            before_mask: calls.iter().any(|call| call.before_mask),
            kind: self.kind(key.what),
            facts: self.facts(key, row, &calls),
            ..MeasuredKernel::default()
        };
        // The operator that launched it says more than its name, if it is the only one.
        if let [only] = found.operators.as_slice()
            && **only != *found.facts.name
        {
            found.facts.operator = Some(only.clone().into());
        }
        self.judge(&mut found, key, &calls, (device, clock));
        found
    }

    /// What report.json says of a kernel, without its figures.
    fn facts(&self, key: RowKey, row: &KernelSums, calls: &[&CodeCall]) -> Kernel<'static> {
        let graph = key.graph.and_then(|graph| self.graphs.graphs.get(graph));
        let compile = graph.and_then(|graph| self.model.compiles.get(graph.compile));
        let operator = key.operator.and_then(|at| self.profile.operators.get(at as usize));
        let asked = row.operators.iter().filter_map(|at| self.profile.operators.get(*at as usize));
        let name = self.name(key.what);
        let kernel = without_graph_number(name);
        let in_log = graph.and_then(|graph| self.tuned.get(&(graph.compile, kernel)).copied());
        let device = self.device_kernel(key.what);
        let mean_us = row.runs.us / row.runs.count.max(1) as f64;
        let estimated_us = calls.iter().find_map(|call| call.estimated_us);
        Kernel {
            name: name.to_owned().into(),
            backend: self.backend(key.what, name, row, calls.iter().any(|call| call.generated)),
            input_dims: operator.map(|operator| operator.dims.clone()).unwrap_or_default().into(),
            direction: graph.and_then(|graph| graph.direction.clone()).map(Text::from),
            count: row.runs.count as u64,
            sum_us: row.runs.us,
            mean_us,
            min_us: row.min_us,
            max_us: row.max_us,
            compile_ids: compile
                .and_then(|compile| compile.id.as_ref())
                .iter()
                .map(|id| id.to_string().into())
                .collect(),
            lines: self.lines_of(calls),
            estimated_us,
            ratio_to_estimate: estimated_us.filter(|us| *us > 0.0).map(|us| mean_us / us),
            tuning: tuning_of(in_log, asked).map(Box::new),
            registers: device.and_then(|device| device.registers),
            spills: device.and_then(|device| device.spills),
            shared_memory: device.and_then(|device| device.shared_memory),
            // The profiler writes 0 where it has no estimate: a kernel that ran occupied something.
            occupancy: device.and_then(|device| device.occupancy).filter(|percent| *percent > 0.0),
            ..Kernel::default()
        }
    }

    fn device_kernel(&self, what: What) -> Option<&DeviceKernel> {
        match what {
            What::Device(at) => self.profile.kernels.get(at as usize),
            What::Cpu(_) => None,
        }
    }

    /// Adds the figures of a kernel, and what they mean on the device.
    fn judge(
        &self,
        found: &mut MeasuredKernel,
        key: RowKey,
        calls: &[&CodeCall],
        on: (Option<&DevicePeaks>, Option<f64>),
    ) {
        let operator = key.operator.and_then(|at| self.profile.operators.get(at as usize));
        self.figures(found, key, operator, calls);
        let tf32 = self.graphs.may_use_tf32(self.model, key.graph).or(self.tf32);
        let kind = operator.and_then(|operator| kind_of(operator, &found.name, tf32)).or_else(|| {
            let element = calls.iter().find_map(|call| call.element.as_deref())?;
            kind_of_type(element, &found.name, tf32)
        });
        found.facts.computes_in = kind.map(Text::from);
        let mut rates = rate(found, on, tf32);
        // A kernel may have run otherwise in what is missing.
        if self.profile.damaged.is_some() {
            rates.judgement = None;
        }
        found.rated(&rates);
    }

    /// The distinct lines of the program that calls compute, the ones with the largest shares first.
    fn lines_of(&self, calls: &[&CodeCall]) -> List<'static, ProgramLine<'static>> {
        let mut shares: IndexMap<usize, f64> = IndexMap::new();
        for share in calls.iter().flat_map(|call| &call.lines) {
            *shares.entry(share.line).or_default() += share.share;
        }
        shares.sort_by(|line, share, other, of_other| of_other.total_cmp(share).then(line.cmp(other)));
        let lines = shares.into_keys().filter_map(|line| self.graphs.lines.get(line));
        lines.map(|line| ProgramLine { file: line.file.clone(), line: line.line }).collect()
    }

    /// Distinct names of operators, in alphabetical order; without any, those of the libraries that the code calls.
    fn names_of(&self, operators: &FxHashSet<u32>, calls: &[&CodeCall]) -> Vec<String> {
        let operators = operators.iter().filter_map(|at| self.profile.operators.get(*at as usize));
        let mut names: BTreeSet<&str> = operators.map(|operator| operator.name.as_str()).collect();
        if names.is_empty() {
            names = calls.iter().filter(|call| !call.generated).map(|call| call.name.as_str()).collect();
        }
        names.into_iter().map(str::to_owned).collect()
    }

    /// Who wrote a kernel; None for one of a library of which the trace does not say what launched it.
    fn backend(&self, what: What, name: &str, row: &KernelSums, generated: bool) -> Option<Backend> {
        let on_device = matches!(what, What::Device(_));
        match () {
            () if on_device && (generated || name.starts_with("triton_")) => Some(Backend::Triton),
            () if is_cpp_kernel(name) => Some(Backend::Cpp),
            () if row.compiled => Some(Backend::Extern),
            () => (row.is_launch_known || !on_device).then_some(Backend::Eager),
        }
    }

    /// FLOPs and bytes of a run: as the trace states them, otherwise from the operator's inputs, otherwise from the code; what a
    /// generated kernel touches is known best from its source. A copy has its own bytes, and a helper has no work of its
    /// operator's.
    fn figures(
        &self,
        found: &mut MeasuredKernel,
        key: RowKey,
        operator: Option<&Operator>,
        calls: &[&CodeCall],
    ) {
        let part = key.part;
        if !found.computes() || part == WorkPart::Helper {
            let bytes = self.device_kernel(key.what).and_then(|device| device.bytes);
            let moved = bytes.map(|bytes| (moved_by_copy(&found.name, bytes), FigureFrom::Trace));
            (found.facts.bytes, found.facts.bytes_from) = moved.unzip();
            return;
        }
        let stated = operator.and_then(|operator| operator.triton.as_ref());
        let of_inputs = operator.map(|operator| work_of_inputs(operator, part)).unwrap_or_default();
        // Calls of one kernel in one graph usually have equal shapes; if not, no single figure is right.
        let equal = |figure: fn(&Work) -> Option<f64>| {
            let of = |call: &&CodeCall| figure(&call.work.part(part, || call.gradients));
            let first = of(calls.first()?)?;
            calls.iter().all(|call| of(call) == Some(first)).then_some(first)
        };
        let from = |figure: Option<f64>, source: FigureFrom| figure.map(|figure| (figure, source));
        let is_generated = calls.iter().all(|call| call.generated);
        let from_code = if is_generated { FigureFrom::Kernel } else { FigureFrom::Code };
        // Sizes that the code has as symbols are in the trace.
        let of_template = || {
            let (formula, share) = calls.first()?.template?;
            let flops = formula.work(operator.filter(|_| stated.is_some())?).flops;
            possible(flops.map(|flops| flops * share))
        };
        let flops = from(stated.and_then(|of| of.flops), FigureFrom::Trace)
            .or(from(of_inputs.flops, FigureFrom::Inputs))
            .or(from(equal(|work| work.flops), FigureFrom::Code))
            .or_else(|| from(of_template(), FigureFrom::Inputs));
        let of_code = from(equal(|work| work.bytes), from_code);
        let of_inputs = from(of_inputs.bytes, FigureFrom::Inputs);
        let known = if stated.is_some() { of_code.or(of_inputs) } else { of_inputs.or(of_code) };
        let bytes = stated.and_then(|of| of.gigabytes).map(|gigabytes| gigabytes * 1e9);
        let bytes = from(bytes, FigureFrom::Trace).or(known);
        (found.facts.flops, found.facts.flops_from) = flops.unzip();
        (found.facts.bytes, found.facts.bytes_from) = bytes.unzip();
    }
}

/// Bytes that a copy or a fill moves on the device: a copy within a device reads and writes them.
fn moved_by_copy(name: &str, bytes: u64) -> f64 {
    let is_within = name.starts_with("Memcpy DtoD") || name.starts_with("Memcpy PtoP");
    bytes as f64 * if is_within { 2.0 } else { 1.0 }
}

/// The rates of a kernel, and what they mean on the device.
fn rate(
    kernel: &mut MeasuredKernel,
    (device, clock): (Option<&DevicePeaks>, Option<f64>),
    tf32: Option<bool>,
) -> Rates {
    let has_no = |kind: &str| device.is_some_and(|device| device.tflops(kind, true, None).is_none());
    let is_in = |kernel: &MeasuredKernel, kind: &str| kernel.computes_in.as_deref() == Some(kind);
    if is_in(kernel, "tf32") && has_no("tf32") {
        kernel.facts.computes_in = Some("fp32".into());
    }
    let mut rates = Rates::new(kernel.work(kernel.mean_us), device, clock);
    // What a mask leaves out is not known, and with it not how fast the kernel is.
    if !kernel.computes() || kernel.before_mask {
        rates.judgement = None;
    }
    if tf32.is_none() && is_in(kernel, "fp32") {
        try_tf32(kernel, &mut rates, device, clock);
    }
    let is_product = kernel.flops.is_some() && is_in(kernel, "fp32");
    kernel.tf32_is_off = is_product && tf32 == Some(false) && !has_no("tf32");
    rates
}

/// A product of float that is faster than FP32 can be, and not faster than TF32 can, was computed in TF32.
fn try_tf32(
    kernel: &mut MeasuredKernel,
    found: &mut Rates,
    device: Option<&DevicePeaks>,
    clock: Option<f64>,
) {
    let above = |rates: &Rates| rates.share_of_peak.is_some_and(|share| share > 1.0);
    if !above(found) || device.is_none_or(|device| !device.matrix.contains_key("tf32")) {
        return;
    }
    let work = Measured { kind: Some("tf32"), ..kernel.work(kernel.mean_us) };
    let rates = Rates::new(work, device, clock);
    if !above(&rates) {
        kernel.facts.computes_in = Some("tf32".into());
        kernel.is_tf32_by_speed = true;
        // That it is TF32 is a guess, which is not enough to call the kernel slow.
        let is_sound = rates.judgement.is_some_and(|judged| judged != Judgement::Far);
        *found = Rates { judgement: rates.judgement.filter(|_| is_sound), ..rates };
    }
}

impl KernelSums {
    fn empty() -> KernelSums {
        KernelSums {
            runs: Runs::default(),
            min_us: f64::INFINITY,
            max_us: 0.0,
            compiled: false,
            is_launch_known: false,
            in_cuda_graph: false,
            code_calls: FxHashSet::default(),
            operators: FxHashSet::default(),
        }
    }

    fn add(&mut self, piece: &KernelRun) {
        self.runs.add(piece.dur_us);
        self.min_us = self.min_us.min(piece.dur_us);
        self.max_us = self.max_us.max(piece.dur_us);
        self.compiled |= piece.compiled;
        self.is_launch_known |= piece.launched_by.is_some();
        self.in_cuda_graph |= piece.in_cuda_graph;
        self.code_calls.extend(piece.code_call);
        self.operators.extend(piece.operator);
    }
}

/// The work of a call, from the shapes of its inputs. The inputs of a Triton kernel are all that it reads and writes. A
/// negative size comes from a damaged trace and makes the work unknown.
fn work_of_inputs(operator: &Operator, part: WorkPart) -> Work {
    let mut sizes = operator.dims.iter().flat_map(InputDims::sizes);
    if sizes.any(|size| *size < 0) {
        return Work::default();
    }
    let work = match Formula::named(&operator.name) {
        Some(formula) => formula.work(operator).part(part, || formula.gradients(operator)),
        None if operator.triton.is_some() => Work { flops: None, bytes: bytes_of_inputs(operator) },
        None => Work { flops: None, bytes: pointwise_bytes(operator) },
    };
    Work { flops: possible(work.flops), bytes: possible(work.bytes) }
}

/// The amount if it is possible: a trace may claim any padding.
fn possible(amount: Option<f64>) -> Option<f64> {
    amount.filter(|amount| amount.is_finite() && *amount >= 0.0)
}
