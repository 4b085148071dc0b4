//! Kernels, operators, regions and lines of a trace, each with its time and what follows from it.

use super::devices::DevicePeaks;
use super::formulas::{Formula, Work, bytes_of_inputs, element_bytes};
use super::graphs::{Graphs, LineShare, ProgramLine};
use super::measured::{Backend, FigureFrom, LineTime, MeasuredKernel, MeasuredOperator, Performance};
use super::parts::CallTimes;
use super::pointwise::pointwise_bytes;
use super::rates::Rates;
use super::regions::regions;
use super::times::median;
use super::tree::CallTree;
use super::tuning::tuning_of;
use super::work::{Piece, Slot, What, is_cpp_kernel};
use crate::model::{InputDims, Model, Operator, Profile};
use crate::trace::TextMap;
use fxhash::{FxBuildHasher, FxHashMap, FxHashSet};
use indexmap::IndexMap;

/// What the tables are made of.
pub(super) struct Tables<'p> {
    pub(super) model: &'p Model,
    pub(super) profile: &'p Profile,
    pub(super) graphs: &'p Graphs,
    pub(super) tree: &'p CallTree<'p>,
    pub(super) pieces: &'p [Piece],
    /// Whether to tell of each run which kernel it is one of.
    pub(super) each_run: bool,
}

/// What launches of one row have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct RowKey {
    what: What,
    graph: Slot,
    /// The operator with a formula.
    operator: Option<u32>,
}

#[derive(Default)]
struct Row {
    /// Length of each run.
    us: Vec<f64>,
    compiled: bool,
    /// Calls in the code, each once.
    code_calls: FxHashSet<usize>,
    /// Operators that asked for it: places in the list of the trace.
    operators: FxHashSet<u32>,
}

impl Tables<'_> {
    pub(super) fn fill(&self, found: &mut Performance) {
        found.operators = self.operators();
        found.regions = regions(self.profile, self.tree);
        self.lines(found);
        let telling = self.telling();
        let heavy = (!self.profile.launches.is_empty()).then(|| self.heavy());
        // Of a CPU each piece is a call of its own.
        let is_heavy = |place: usize| heavy.as_ref().is_none_or(|heavy| heavy.contains(&place));
        let mut rows: IndexMap<RowKey, Row, FxBuildHasher> = IndexMap::default();
        let mut calls = CallTimes::default();
        for (place, piece) in self.pieces.iter().enumerate() {
            let operator = piece
                .operator
                .get()
                .filter(|_| is_heavy(place))
                .and_then(|at| Some(self.operator_of(at)?.0))
                .filter(|at| telling.get(*at as usize) == Some(&true));
            let key = RowKey { what: piece.what, graph: piece.graph, operator };
            let entry = rows.entry(key);
            calls.add(piece, entry.index());
            if self.each_run {
                let run = piece.place as usize;
                found.kernel_of_run.resize(found.kernel_of_run.len().max(run + 1), u32::MAX);
                if let Some(slot) = found.kernel_of_run.get_mut(run) {
                    *slot = u32::try_from(entry.index()).unwrap_or(u32::MAX);
                }
            }
            let row = entry.or_default();
            row.us.push(piece.dur_us);
            row.compiled |= piece.compiled;
            row.code_calls.extend(piece.code_call.get());
            row.operators.extend(piece.operator.get().and_then(|call| Some(self.operator_of(call)?.0)));
        }
        let device = found.peaks.clone();
        let kernel = |(key, row): (RowKey, Row)| self.kernel(key, row, device.as_ref(), found.clock_mhz);
        let mut kernels: Vec<(usize, MeasuredKernel)> = rows.into_iter().map(kernel).enumerate().collect();
        kernels.sort_by(|left, right| right.1.sum_us.total_cmp(&left.1.sum_us));
        // Runs know the row of their kernel by the order in which rows were met.
        let mut places = vec![u32::MAX; kernels.len()];
        for (sorted, (met, _)) in (0..).zip(&kernels) {
            if let Some(place) = places.get_mut(*met) {
                *place = sorted;
            }
        }
        for row in &mut found.kernel_of_run {
            *row = places.get(*row as usize).copied().unwrap_or(u32::MAX);
        }
        calls.fill(self.graphs, kernels.iter().map(|(row, _)| *row), found);
        found.kernels = kernels.into_iter().map(|(_, kernel)| kernel).collect();
    }

    fn operator_of(&self, call: usize) -> Option<(u32, &Operator)> {
        let operator = self.profile.calls.get(call)?.operator;
        Some((operator, self.profile.operators.get(operator as usize)?))
    }

    /// Of each operator, whether it tells how much work a call of it is.
    fn telling(&self) -> Vec<bool> {
        let tells = |operator: &Operator| {
            let formula = Formula::of(&operator.name).is_some();
            formula || operator.triton.is_some() || pointwise_bytes(operator).is_some()
        };
        self.profile.operators.iter().map(tells).collect()
    }

    /// The longest launch of each call of an operator: it does the operator's work, others prepare or finish it.
    fn heavy(&self) -> FxHashSet<usize> {
        let mut longest: FxHashMap<usize, usize> = FxHashMap::default();
        for (place, piece) in self.pieces.iter().enumerate() {
            let Some(call) = piece.operator.get() else { continue };
            let known = longest.entry(call).or_insert(place);
            if self.pieces.get(*known).is_some_and(|known| known.dur_us < piece.dur_us) {
                *known = place;
            }
        }
        longest.into_values().collect()
    }

    /// Operators by their place in the trace: how many calls of it launched something, and how long that ran.
    fn times_of_operators(&self) -> IndexMap<u32, (usize, f64), FxBuildHasher> {
        let of_device = !self.profile.launches.is_empty();
        let mut known: FxHashSet<usize> = FxHashSet::default();
        let mut found: IndexMap<u32, (usize, f64), FxBuildHasher> = IndexMap::default();
        for piece in self.pieces {
            let Some(call) = piece.operator.get() else { continue };
            let Some((place, _)) = self.operator_of(call) else { continue };
            let (calls, us) = found.entry(place).or_default();
            // Of a CPU each piece is a call of its own; on a device a call may launch several kernels.
            *calls += usize::from(!of_device || known.insert(call));
            *us += piece.dur_us;
        }
        found
    }

    fn operators(&self) -> Vec<MeasuredOperator> {
        #[derive(Default)]
        struct OfAlike {
            calls: usize,
            sum_us: f64,
            /// One of the operators of the trace that are alike.
            operator: u32,
        }
        type Alike<'o> = (&'o str, &'o [InputDims], &'o [String]);
        let mut rows: IndexMap<Alike<'_>, OfAlike> = IndexMap::new();
        for (place, (calls, us)) in self.times_of_operators() {
            let Some(operator) = self.profile.operators.get(place as usize) else { continue };
            let key = (operator.name.as_str(), operator.dims.as_slice(), operator.types.as_slice());
            let row = rows.entry(key).or_default();
            row.calls += calls;
            row.sum_us += us;
            row.operator = place;
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
        let mut nowhere: FxHashMap<What, f64> = FxHashMap::default();
        for piece in self.pieces {
            let shares = self.shares(piece);
            if shares.is_empty() {
                found.unjoined.launches += 1;
                found.unjoined.us += piece.dur_us;
                *nowhere.entry(piece.what).or_insert(0.0) += piece.dur_us;
            }
            for share in shares {
                let line = lines.entry(share.line).or_default();
                line.us += share.share * piece.dur_us;
                line.own_us += if shares.len() == 1 { piece.dur_us } else { 0.0 };
                line.kernels.insert(piece.what);
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
        for (what, us) in nowhere {
            *by_name.entry(self.name(what)).or_insert(0.0) += us;
        }
        let mut names: Vec<(&str, f64)> = by_name.into_iter().collect();
        names.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(right.0)));
        found.unjoined.names = names.into_iter().map(|(name, _)| name.to_owned()).collect();
    }

    fn kernel(
        &self,
        key: RowKey,
        row: Row,
        device: Option<&DevicePeaks>,
        clock: Option<f64>,
    ) -> MeasuredKernel {
        let name = self.name(key.what).to_owned();
        let graph = key.graph.get().and_then(|graph| self.graphs.graphs.get(graph));
        let compile = graph.and_then(|graph| self.model.compiles.get(graph.compile));
        let calls: Vec<_> = row.code_calls.iter().filter_map(|call| graph?.calls.get(*call)).collect();
        let operator = key.operator.and_then(|at| self.profile.operators.get(at as usize));
        let sum_us: f64 = row.us.iter().sum();
        let mean_us = sum_us / row.us.len().max(1) as f64;
        let mut found = MeasuredKernel {
            backend: self.backend(key.what, &name, &row, calls.iter().any(|call| call.generated)),
            operators: self.names_of(&row.operators),
            count: row.us.len(),
            sum_us,
            mean_us,
            min_us: row.us.iter().copied().fold(f64::INFINITY, f64::min),
            max_us: row.us.iter().copied().fold(0.0, f64::max),
            median_us: median(row.us),
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

/// What the shapes of an operator's inputs tell. Those of a Triton kernel are all that it reads and writes.
fn work_of_inputs(operator: &Operator) -> Work {
    match Formula::of(&operator.name) {
        Some(formula) => formula.work(operator),
        None if operator.triton.is_some() => Work { flops: None, bytes: bytes_of_inputs(operator) },
        None => Work { flops: None, bytes: pointwise_bytes(operator) },
    }
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
