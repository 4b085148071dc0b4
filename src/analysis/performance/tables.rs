//! Kernels, operators and lines of a trace, each with its time and what follows from it. Each run is added to its rows as
//! it is met, so that memory grows with what is distinct and not with the runs.

use super::devices::DevicePeaks;
use super::formulas::{Formula, Work, bytes_of_inputs, element_bytes};
use super::graphs::{Graphs, LineShare, ProgramLine};
use super::measured::{
    Backend, FigureFrom, KernelOfRun, KernelsOfRuns, LineTime, MeasuredKernel, MeasuredOperator, Performance,
    RegionKernel,
};
use super::parts::CallTimes;
use super::pointwise::pointwise_bytes;
use super::rates::Rates;
use super::times::{Group, Length, Stretches, medians};
use super::tuning::tuning_of;
use super::work::{Piece, Slot, What, is_cpp_kernel};
use crate::model::{DeviceWork, InputDims, Model, Operator, Profile};
use crate::trace::{Sorter, TextMap};
use fxhash::{FxBuildHasher, FxHashMap, FxHashSet};
use indexmap::IndexMap;
use std::io;

/// The tables while runs are added to them.
pub(super) struct Tables<'p> {
    model: &'p Model,
    profile: &'p Profile,
    graphs: &'p Graphs,
    /// Of each operator, whether it tells how much work a call of it is.
    telling: Vec<bool>,
    rows: IndexMap<RowKey, Row, FxBuildHasher>,
    /// Microseconds of each run, by row.
    lengths: Sorter<Length>,
    stretches: Stretches,
    /// Operators by their place in the trace.
    operators: IndexMap<u32, OfOperator, FxBuildHasher>,
    calls: CallTimes,
    /// What leads to no line of the program.
    nowhere: FxHashMap<What, (usize, f64)>,
    /// Runs and microseconds of each row within each region.
    in_regions: IndexMap<(usize, usize), (usize, f64), FxBuildHasher>,
    /// The row of each run, where it is asked for.
    rows_of_runs: Option<Sorter<KernelOfRun>>,
}

/// What launches of one row have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct RowKey {
    what: What,
    graph: Slot,
    /// The operator with a formula.
    operator: Option<u32>,
}

struct Row {
    count: usize,
    sum_us: f64,
    min_us: f64,
    max_us: f64,
    compiled: bool,
    /// Calls in the code, each once.
    code_calls: FxHashSet<usize>,
    /// Operators that asked for it: places in the list of the trace.
    operators: FxHashSet<u32>,
}

/// Calls that launched something, and how long that ran.
#[derive(Default)]
struct OfOperator {
    calls: usize,
    us: f64,
}

impl<'p> Tables<'p> {
    /// Empty tables. `each_run` says whether to tell of each run which kernel it is one of.
    pub(super) fn of(
        model: &'p Model,
        profile: &'p Profile,
        graphs: &'p Graphs,
        each_run: bool,
    ) -> Tables<'p> {
        let tells = |operator: &Operator| {
            let formula = Formula::of(&operator.name).is_some();
            formula || operator.triton.is_some() || pointwise_bytes(operator).is_some()
        };
        Tables {
            model,
            profile,
            graphs,
            telling: profile.operators.iter().map(tells).collect(),
            rows: IndexMap::default(),
            lengths: Sorter::default(),
            stretches: Stretches::default(),
            operators: IndexMap::default(),
            calls: CallTimes::default(),
            nowhere: FxHashMap::default(),
            in_regions: IndexMap::default(),
            rows_of_runs: each_run.then(Sorter::default),
        }
    }

    /// Adds a run.
    pub(super) fn add(&mut self, piece: &Piece) {
        let asking = piece.operator.get().and_then(|at| u32::try_from(at).ok());
        let tells = |at: &u32| self.telling.get(*at as usize) == Some(&true);
        let operator = asking.filter(|_| piece.longest_of_call).filter(tells);
        let entry = self.rows.entry(RowKey { what: piece.what, graph: piece.graph, operator });
        let place = entry.index();
        let row = entry.or_insert_with(Row::empty);
        row.add(piece, asking);
        let row_number = u32::try_from(place).unwrap_or(u32::MAX);
        self.lengths.push(Length { group: row_number, us: piece.dur_us });
        if let Some(runs) = &mut self.rows_of_runs {
            runs.push(KernelOfRun { run: piece.place, kernel: row_number });
        }
        self.stretches.add(piece.begin_us, piece.dur_us, self.kind(piece.what), piece.compiled);
        if let Some(asking) = asking {
            let of = self.operators.entry(asking).or_default();
            of.calls += usize::from(piece.first_of_call);
            of.us += piece.dur_us;
        }
        self.calls.add(piece, place);
        if self.shares(piece).is_empty() {
            let (count, us) = self.nowhere.entry(piece.what).or_default();
            *count += 1;
            *us += piece.dur_us;
        }
        if let Some(region) = piece.region.get() {
            let (count, us) = self.in_regions.entry((region, place)).or_default();
            *count += 1;
            *us += piece.dur_us;
        }
    }

    fn kind(&self, what: What) -> DeviceWork {
        match what {
            What::Device(at) => self.profile.kernels.get(at as usize).map(|of| of.kind).unwrap_or_default(),
            What::Cpu(_) => DeviceWork::Kernel,
        }
    }

    /// Fills in the tables. `found` has the regions in the order of their places.
    ///
    /// # Errors
    /// A temporary file cannot be read.
    pub(super) fn fill(mut self, found: &mut Performance) -> io::Result<()> {
        found.operators = self.measured_operators();
        found.launches = self.lengths.count();
        found.time = std::mem::take(&mut self.stretches).time(found.time.wall_us)?;
        self.lines(found);
        let groups: Vec<Group> =
            self.rows.values().map(|row| Group { count: row.count, without_us: None }).collect();
        let medians = medians(&std::mem::take(&mut self.lengths).sorted(), &groups)?;
        let device = found.peaks.clone();
        let rows = self.rows.iter().zip(medians);
        let kernels = rows.map(|((key, row), median_us)| MeasuredKernel {
            median_us,
            ..self.kernel(*key, row, device.as_ref(), found.clock_mhz)
        });
        let mut kernels: Vec<(usize, MeasuredKernel)> = kernels.enumerate().collect();
        kernels.sort_by(|left, right| right.1.sum_us.total_cmp(&left.1.sum_us));
        // Runs and regions know the row of their kernel by the order in which rows were met.
        let mut places = vec![u32::MAX; kernels.len()];
        for (sorted, (met, _)) in (0..).zip(&kernels) {
            if let Some(place) = places.get_mut(*met) {
                *place = sorted;
            }
        }
        self.kernels_of_regions(&places, found);
        self.calls.fill(self.graphs, kernels.iter().map(|(row, _)| *row), found);
        found.kernels = kernels.into_iter().map(|(_, kernel)| kernel).collect();
        if let Some(rows) = self.rows_of_runs {
            found.runs = Some(KernelsOfRuns::of(rows.sorted(), places));
        }
        Ok(())
    }

    fn kernels_of_regions(&self, places: &[u32], found: &mut Performance) {
        for ((region, row), (count, sum_us)) in &self.in_regions {
            let kernel = places.get(*row).map(|place| *place as usize);
            if let (Some(region), Some(kernel)) = (found.regions.get_mut(*region), kernel) {
                region.kernels.push(RegionKernel { kernel, count: *count, sum_us: *sum_us });
            }
        }
        for region in &mut found.regions {
            region.kernels.sort_by(|left, right| {
                right.sum_us.total_cmp(&left.sum_us).then(left.kernel.cmp(&right.kernel))
            });
        }
        found.regions.retain(|region| region.calls > 0);
        found.regions.sort_by(|left, right| {
            right.sum_us.total_cmp(&left.sum_us).then_with(|| left.compile_id.cmp(&right.compile_id))
        });
    }

    fn measured_operators(&self) -> Vec<MeasuredOperator> {
        #[derive(Default)]
        struct OfAlike {
            calls: usize,
            sum_us: f64,
            /// One of the operators of the trace that are alike.
            operator: u32,
        }
        type Alike<'o> = (&'o str, &'o [InputDims], &'o [String]);
        let mut rows: IndexMap<Alike<'_>, OfAlike> = IndexMap::new();
        for (place, of) in &self.operators {
            let Some(operator) = self.profile.operators.get(*place as usize) else { continue };
            let key = (operator.name.as_str(), operator.dims.as_slice(), operator.types.as_slice());
            let row = rows.entry(key).or_default();
            row.calls += of.calls;
            row.sum_us += of.us;
            row.operator = *place;
        }
        let mut found: Vec<MeasuredOperator> = Vec::new();
        for ((name, dims, types), row) in rows {
            let operator = self.profile.operators.get(row.operator as usize);
            let work = operator.map(work_of_inputs).unwrap_or_default();
            found.push(MeasuredOperator {
                name: name.to_owned(),
                dims: dims.to_vec(),
                types: types.to_vec(),
                count: row.calls,
                flops: work.flops,
                bytes: work.bytes,
                sum_us: row.sum_us,
            });
        }
        found.sort_by(|left, right| right.sum_us.total_cmp(&left.sum_us));
        found
    }

    fn shares(&self, piece: &Piece) -> &[LineShare] {
        let graph = piece.graph.get().and_then(|graph| self.graphs.graphs.get(graph));
        let call = graph.zip(piece.code_call.get()).and_then(|(graph, call)| graph.calls.get(call));
        call.map(|call| call.lines.as_slice()).unwrap_or_default()
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
            kernels: FxHashSet<What>,
        }
        let mut lines: FxHashMap<usize, OfLine> = FxHashMap::default();
        for (graph, call, row, sum_us) in self.calls.sums() {
            let what = self.rows.get_index(row).map(|(key, _)| key.what);
            let shares = self.graphs.graphs.get(graph).and_then(|graph| graph.calls.get(call));
            let shares = shares.map(|call| call.lines.as_slice()).unwrap_or_default();
            for share in shares {
                let line = lines.entry(share.line).or_default();
                line.us += share.share * sum_us;
                line.own_us += if shares.len() == 1 { sum_us } else { 0.0 };
                line.kernels.extend(what);
            }
        }
        let mut of_lines: Vec<LineTime> = Vec::new();
        for (place, line) in lines {
            let Some(program_line) = self.graphs.lines.get(place) else { continue };
            let mut kernels: Vec<String> =
                line.kernels.iter().map(|what| self.name(*what).to_owned()).collect();
            kernels.sort();
            kernels.dedup();
            let (us, own_us, parts) = (line.us, line.own_us, Vec::new());
            of_lines.push(LineTime { line: program_line.clone(), us, own_us, kernels, parts });
        }
        of_lines.sort_by(|left, right| {
            let place = |line: &LineTime| (line.line.file.clone(), line.line.line);
            right.us.total_cmp(&left.us).then_with(|| place(left).cmp(&place(right)))
        });
        found.lines = of_lines;
        let mut by_name: TextMap<&str, f64> = TextMap::default();
        for (what, (count, us)) in &self.nowhere {
            found.unjoined.launches += count;
            found.unjoined.us += us;
            *by_name.entry(self.name(*what)).or_insert(0.0) += us;
        }
        let mut names: Vec<(&str, f64)> = by_name.into_iter().collect();
        names.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(right.0)));
        found.unjoined.names = names.into_iter().map(|(name, _)| name.to_owned()).collect();
    }

    /// The row of a kernel, but for its median.
    fn kernel(
        &self,
        key: RowKey,
        row: &Row,
        device: Option<&DevicePeaks>,
        clock: Option<f64>,
    ) -> MeasuredKernel {
        let name = self.name(key.what).to_owned();
        let graph = key.graph.get().and_then(|graph| self.graphs.graphs.get(graph));
        let compile = graph.and_then(|graph| self.model.compiles.get(graph.compile));
        let calls: Vec<_> = row.code_calls.iter().filter_map(|call| graph?.calls.get(*call)).collect();
        let operator = key.operator.and_then(|at| self.profile.operators.get(at as usize));
        let mean_us = row.sum_us / row.count.max(1) as f64;
        let mut found = MeasuredKernel {
            backend: self.backend(key.what, &name, row, calls.iter().any(|call| call.generated)),
            operators: self.names_of(&row.operators),
            count: row.count,
            sum_us: row.sum_us,
            mean_us,
            min_us: row.min_us,
            max_us: row.max_us,
            median_us: 0.0,
            flops: None,
            bytes: None,
            rates: Rates::default(),
            computes_in: None,
            compile_ids: compile
                .and_then(|compile| compile.id.as_ref())
                .map(ToString::to_string)
                .into_iter()
                .collect(),
            lines: Vec::new(),
            device: match key.what {
                What::Device(at) => self.profile.kernels.get(at as usize).cloned(),
                What::Cpu(_) => None,
            },
            inputs: operator.map(|operator| operator.dims.clone()).unwrap_or_default(),
            direction: graph.and_then(|graph| graph.direction.clone()),
            estimated_us: calls.iter().find_map(|call| call.estimated_us),
            tuning: None,
            name,
        };
        let asked = row.operators.iter().filter_map(|at| self.profile.operators.get(*at as usize));
        found.tuning = tuning_of(&found.name, compile, asked);
        self.figures(&mut found, operator, &calls);
        found.lines = self.lines_of(&calls);
        let tf32 = self.graphs.may_use_tf32(self.model, key.graph.get());
        found.computes_in = operator.and_then(|operator| kind_of(operator, &found.name, tf32));
        found.rates = Rates::of(found.work(found.mean_us), device, clock);
        found
    }

    /// Lines of the program that calls serve, each once.
    fn lines_of(&self, calls: &[&super::graphs::CodeCall]) -> Vec<ProgramLine> {
        let mut lines: Vec<usize> =
            calls.iter().flat_map(|call| &call.lines).map(|share| share.line).collect();
        lines.sort_unstable();
        lines.dedup();
        lines.into_iter().filter_map(|line| self.graphs.lines.get(line).cloned()).collect()
    }

    /// Names of operators, each once, in alphabetical order.
    fn names_of(&self, operators: &FxHashSet<u32>) -> Vec<String> {
        let names = operators.iter().filter_map(|at| self.profile.operators.get(*at as usize));
        let mut names: Vec<String> = names.map(|operator| operator.name.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    fn backend(&self, what: What, name: &str, row: &Row, generated: bool) -> Backend {
        let triton = matches!(what, What::Device(_)) && (generated || name.starts_with("triton_"));
        match () {
            () if triton => Backend::Triton,
            () if is_cpp_kernel(name) => Backend::Cpp,
            () if row.compiled => Backend::Extern,
            () => Backend::Eager,
        }
    }

    /// FLOPs and bytes of a run: what the trace states, else what the operator's inputs tell, else the code.
    fn figures(
        &self,
        found: &mut MeasuredKernel,
        operator: Option<&Operator>,
        calls: &[&super::graphs::CodeCall],
    ) {
        let stated = operator.and_then(|operator| operator.triton.as_ref());
        let of_inputs = operator.map(work_of_inputs).unwrap_or_default();
        // Calls of one kernel in one graph have equal shapes; where they do not, no one figure is true.
        let equal = |figure: fn(&super::graphs::CodeCall) -> Option<f64>| {
            let first = figure(calls.first()?)?;
            calls.iter().all(|call| figure(call) == Some(first)).then_some(first)
        };
        let choose = |stated: Option<f64>, inputs: Option<f64>, code: Option<f64>| {
            let stated = stated.map(|figure| (figure, FigureFrom::Trace));
            let inputs = inputs.map(|figure| (figure, FigureFrom::Inputs));
            stated.or(inputs).or(code.map(|figure| (figure, FigureFrom::Code)))
        };
        found.flops = choose(stated.and_then(|of| of.flops), of_inputs.flops, equal(|call| call.flops));
        let stated_bytes = stated.and_then(|of| of.gigabytes).map(|gigabytes| gigabytes * 1e9);
        found.bytes = choose(stated_bytes, of_inputs.bytes, equal(|call| call.bytes));
    }
}

impl Row {
    fn empty() -> Row {
        Row {
            count: 0,
            sum_us: 0.0,
            min_us: f64::INFINITY,
            max_us: 0.0,
            compiled: false,
            code_calls: FxHashSet::default(),
            operators: FxHashSet::default(),
        }
    }

    fn add(&mut self, piece: &Piece, asking: Option<u32>) {
        self.count += 1;
        self.sum_us += piece.dur_us;
        self.min_us = self.min_us.min(piece.dur_us);
        self.max_us = self.max_us.max(piece.dur_us);
        self.compiled |= piece.compiled;
        self.code_calls.extend(piece.code_call.get());
        self.operators.extend(asking);
    }
}

/// What the shapes of an operator's inputs tell. Those of a Triton kernel are all that it reads and writes. A size below
/// zero is of a damaged trace, and then they tell nothing.
fn work_of_inputs(operator: &Operator) -> Work {
    let mut sizes = operator.dims.iter().flat_map(InputDims::sizes);
    if sizes.any(|size| *size < 0) {
        return Work::default();
    }
    let work = match Formula::of(&operator.name) {
        Some(formula) => formula.work(operator),
        None if operator.triton.is_some() => Work { flops: None, bytes: bytes_of_inputs(operator) },
        None => Work { flops: None, bytes: pointwise_bytes(operator) },
    };
    Work { flops: possible(work.flops), bytes: possible(work.bytes) }
}

/// An amount of work that can be: a trace may say any padding.
fn possible(amount: Option<f64>) -> Option<f64> {
    amount.filter(|amount| amount.is_finite() && *amount >= 0.0)
}

/// The type in which an operator computes, as tables of devices name it. `tf32` says whether products of `float` may be
/// made in tf32, where the log tells it.
fn kind_of(operator: &Operator, kernel: &str, tf32: Option<bool>) -> Option<&'static str> {
    let tensor = operator.types.iter().find(|name| element_bytes(name).is_some())?;
    Some(match tensor.strip_prefix("c10::").unwrap_or(tensor) {
        "BFloat16" => "bf16",
        "Half" => "fp16",
        "double" => "fp64",
        "float" => float_kind(kernel, tf32),
        "signed char" | "unsigned char" => "int8",
        float8 if float8.starts_with("Float8_") => "fp8",
        _ => return None,
    })
}

/// How a kernel computes with `float`: what its name says, else what the program allows.
fn float_kind(kernel: &str, tf32: Option<bool>) -> &'static str {
    let has = |part: &str| kernel.contains(part);
    match () {
        // `s1688` is the shape of the matrix units' tf32 instruction, by which CUTLASS names kernels.
        () if has("tf32") || has("s1688") => "tf32",
        () if has("sgemm") || has("simt") || has("ffma") => "fp32",
        () if tf32 == Some(true) => "tf32",
        () => "fp32",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_float_are_in_tf32_only_where_a_name_or_the_log_says_so() {
        for (kernel, allowed, expected) in [
            ("sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n", None, "tf32"),
            ("cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align4", Some(false), "tf32"),
            ("ampere_sgemm_128x64_tn", Some(true), "fp32"),
            ("triton_tem_fused_mm_0", Some(true), "tf32"),
            ("triton_tem_fused_mm_0", Some(false), "fp32"),
            ("triton_tem_fused_mm_0", None, "fp32"),
        ] {
            assert_eq!(float_kind(kernel, allowed), expected, "{kernel}");
        }
    }
}
