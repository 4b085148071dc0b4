//! `report.json` of a log.

use super::cross_rank::CrossRank;
use super::define::{Redact, facts};
use super::devices::CudaGraphs;
use super::findings::{Finding, FindingCost};
use super::performance::Performance;
use super::recompiles::Recompile;
use super::run_console::Console;
use super::safe::{
    Names, cache_name, cache_reason, catalog_entry_in, catalog_entry_of, catalog_number, catalog_page,
    dropped, error_class, file, function, id, ids, inside, kernel_counts, metrics, no_folder, number,
    own_log, own_page, part, phase, problem_kind, restart, torch_version, word,
};
use super::stack::StackFrame;
use super::text::{Id, Json, List, Map, Text, or_null};
use crate::model::{
    CompilerPart, DeviceSettings, Fields, MetricsKind, Outcome, Parts, ProblemKind, RankLog, Status,
};

facts! {
    /// What a log says, and what follows from it.
    struct LogReport<'a> {
        /// Version of this format.
        #[schemars(extend("const" = 2))]
        schema: u64 => number,
        /// What the report is about.
        #[schemars(extend("const" = "log"))]
        kind: Text<'a> => word,
        /// What wrote the report.
        #[serde(default)]
        tool: Tool<'a> => tool,
        /// The torch that wrote the log; null if the log does not say.
        torch: Option<Torch<'a>> => inside,
        /// The file.
        log: RankLog => own_log,
        /// What could be read, and what is damaged.
        integrity: Integrity<'a> => inside,
        /// One entry per compile id, in order of first appearance; the entry with id null has the records without an id.
        compiles: List<'a, Compile<'a>> => inside,
        /// Configurations by the md5 of their JSON text: the settings, or that text if it is not JSON.
        #[schemars(extend("propertyNames" = {"pattern": "^[0-9a-f]{32}$"}))]
        configs: Map<'a, Json<'a>> => dropped,
        /// One entry per distinct graph break: one reason at one place.
        graph_breaks: List<'a, GraphBreak<'a>> => breaks,
        /// One entry per recompilation, in log order.
        recompiles: List<'a, Recompile<'a>> => inside,
        /// One entry per metrics record with an error, in log order.
        failures: List<'a, Failure<'a>> => inside,
        /// One entry per restart of a compile.
        #[serde(default)]
        restarts: List<'a, Restart<'a>> => inside,
        /// One entry per cache lookup, in log order.
        caches: List<'a, CacheLookup<'a>> => inside,
        /// Where the time went.
        compile_time: CompileTime<'a> => inside,
        /// What a comparison of ranks needs; null where the log holds no such event.
        cross_rank: CrossRank<'a> => inside,
        /// What to look at, most important first.
        findings: List<'a, Finding<'a>> => inside,
        /// What a trace of torch.profiler measured; null without one.
        performance: Option<Performance<'a>> => inside,
        /// What the log proves about the CUDA graphs of each compile that asked for them; absent where none did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cuda_graphs: Option<List<'a, CudaGraphs<'a>>> => inside,
        /// What the console of the same run says beyond the log; absent where none was given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        console: Option<Console<'a>> => inside,
    }
}

facts! {
    /// The program that wrote the report.
    struct Tool<'a> {
        /// Its name.
        #[schemars(extend("const" = "tlparse"))]
        name: Text<'a> => dropped,
        /// Its version.
        #[schemars(length(min = 1))]
        version: Text<'a> => dropped,
    }
}

impl Tool<'_> {
    /// This program.
    pub fn this() -> Tool<'static> {
        Tool { name: env!("CARGO_PKG_NAME").into(), version: env!("CARGO_PKG_VERSION").into() }
    }
}

/// This program makes the redacted report.
pub(super) fn tool(_: &Tool<'_>, _: &mut Names) -> Tool<'static> {
    Tool::this()
}

facts! {
    /// A torch.
    struct Torch<'a> {
        /// `2.15.0+cu132`
        version: Option<Text<'a>> => torch_version,
        /// Commit.
        #[serde(default)]
        commit: Option<Text<'a>> => dropped,
    }
}

facts! {
    /// What could be read, and what is damaged.
    struct Integrity<'a> {
        /// Whether no record is damaged: what `--strict` checks.
        ok: bool => number,
        /// Lines that are neither a record nor a payload.
        bad_prefix: u64 => number,
        /// Records whose JSON is not an object.
        bad_json: u64 => number,
        /// Payloads that do not match their hash.
        bad_payload_md5: u64 => number,
        /// Records that are cut off.
        truncated: u64 => number,
        /// Lines that are not UTF-8.
        #[serde(default)]
        non_utf8: u64 => number,
        /// Records of a second rank.
        other_rank: u64 => number,
        /// Records that their parser did not understand.
        parser_errors: u64 => number,
        /// Numbers of strings that no record defines.
        #[serde(default)]
        unresolved_strings: u64 => number,
        /// Records by event.
        events: Map<'a, u64> => dropped,
        /// Artifact records by name.
        #[serde(default)]
        artifacts: Map<'a, u64> => dropped,
        /// Records of events that this version does not know.
        #[serde(default)]
        unknown_events: Map<'a, u64> => dropped,
        /// The first problems of each kind.
        #[serde(default)]
        problems: List<'a, Problem<'a>> => inside,
    }
}

impl Integrity<'_> {
    /// What is damaged, in words.
    pub fn damage(&self) -> String {
        let of = |kind: ProblemKind| self.problems.iter().filter(move |one| *one.kind == *kind.name());
        let is_cut = |line| of(ProblemKind::Truncated).any(|one| one.line == line);
        // A record that is cut short counts once, as in [`crate::model::Integrity::records`].
        let besides = |kind| of(kind).filter(|one| is_cut(one.line)).count() as u64;
        let kinds = [
            (self.bad_prefix, "no record at all"),
            (self.bad_json.saturating_sub(besides(ProblemKind::BadJson)), "not JSON"),
            (
                self.bad_payload_md5.saturating_sub(besides(ProblemKind::BadPayloadMd5)),
                "with another payload than was written",
            ),
            (self.truncated, "cut short"),
            (self.other_rank, "of another rank"),
            (self.parser_errors, "not as torch writes them"),
        ];
        let found = kinds.iter().filter(|(count, _)| *count > 0);
        let words: Vec<String> = found.map(|(count, what)| format!("{count} {what}")).collect();
        format!("damaged records: {}", words.join(", "))
    }
}

facts! {
    /// A problem of the log.
    struct Problem<'a> {
        /// Line of the log, from 1.
        #[schemars(range(min = 1))]
        line: u64 => number,
        /// The counter that it belongs to.
        #[schemars(extend("enum" = ProblemKind::ALL.map(ProblemKind::name)))]
        kind: Text<'a> => problem_kind,
        /// What is wrong.
        detail: Text<'a> => dropped,
    }
}

facts! {
    /// Everything with one compile id.
    struct Compile<'a> {
        /// The id; null for records without one.
        id: Option<Id<'a>> => id,
        /// How it ended.
        #[schemars(extend("enum" = Status::ALL.map(Status::word)))]
        status: Text<'a> => word,
        /// What was compiled.
        function: Option<Function<'a>> => inside,
        /// Every attempt that a record names, ascending.
        #[schemars(length(min = 1))]
        attempts: List<'a, Attempt<'a>> => inside,
        /// How often it began.
        #[serde(default)]
        #[schemars(range(min = 1))]
        occurrences: u64 => number,
        /// How many graph breaks it hit.
        #[serde(default)]
        graph_breaks: u64 => number,
        /// Where it was called, outermost frame first.
        #[serde(default)]
        stack: List<'a, StackFrame<'a>> => dropped,
        /// Its metrics records, in log order.
        metrics: List<'a, Metrics<'a>> => inside,
        /// Every file in its folders.
        #[serde(default)]
        artifacts: List<'a, Artifact<'a>> => dropped,
        /// What it took.
        #[serde(default)]
        time: CompileSeconds<'a> => inside,
        /// Kernels of the generated code by name: how often each is defined, or called if a library has it.
        #[serde(default)]
        kernels: Map<'a, u64> => kernel_counts,
        /// Settings of this compile on a GPU, which the configurations of the process do not have; absent on a CPU.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        device: Option<DeviceSettings> => number,
    }
}

/// Counts of a metrics record.
#[derive(Default)]
pub(crate) struct CompileCounts {
    /// Operators of the graph.
    pub operators: Option<u64>,
    /// Guards.
    pub guards: Option<u64>,
}

impl Compile<'_> {
    /// Whether nothing is said about it but that it was named.
    pub fn is_bare(&self) -> bool {
        let is_timed = self.time.seconds.is_some() || !self.time.parts.is_empty();
        self.metrics.is_empty() && self.artifacts.is_empty() && self.stack.is_empty() && !is_timed
    }

    /// What the last record of its forward compile counts.
    pub fn counts(&self) -> CompileCounts {
        let last = self.metrics.iter().rfind(|record| *record.kind == *"forward");
        let fields = last.and_then(|record| Fields::parse(record.fields.get()).ok()).unwrap_or_default();
        CompileCounts { operators: fields.count("graph_op_count"), guards: fields.count("guard_count") }
    }
}

facts! {
    /// A function of the program.
    struct Function<'a> {
        /// Its name.
        name: Option<Text<'a>> => function,
        /// Its file.
        file: Option<Text<'a>> => file,
        /// Line of its definition.
        line: Option<i64> => number,
    }
}

facts! {
    /// One attempt at a compile.
    struct Attempt<'a> {
        /// Its number, from 0.
        attempt: u64 => number,
        /// The folder of its files.
        #[schemars(regex(pattern = "^[^/]+$"))]
        dir: Text<'a> => no_folder,
    }
}

facts! {
    /// A metrics record.
    struct Metrics<'a> {
        /// What it measured.
        #[schemars(extend("enum" = MetricsKind::ALL.map(MetricsKind::word)))]
        kind: Text<'a> => word,
        /// The attempt it belongs to.
        #[serde(default)]
        attempt: u64 => number,
        /// Line of the log, from 1.
        #[serde(default)]
        #[schemars(range(min = 1))]
        line: u64 => number,
        /// Every field of the record; configurations as keys of `configs`.
        #[schemars(extend("type" = "object"))]
        fields: Json<'a> => metrics,
    }
}

facts! {
    /// A file of a compile.
    struct Artifact<'a> {
        /// Name without number and extension.
        name: Text<'a> => dropped,
        /// Path relative to the report. A reader has to check it.
        #[schemars(regex(pattern = "^[^/]"))]
        path: Text<'a> => dropped,
        /// Number in the name of the file.
        #[serde(default)]
        number: u64 => number,
        /// Line of the record's header in the log, from 1.
        #[serde(default)]
        #[schemars(range(min = 1))]
        line: u64 => number,
        /// The attempt it belongs to.
        attempt: Option<u64> => number,
        /// The subgraph that the record names: a region that is compiled by itself.
        #[serde(default)]
        subgraph: Option<Text<'a>> => dropped,
        /// Result of the cache lookup that it records.
        #[serde(default)]
        #[schemars(extend("enum" = or_null(Outcome::ALL.map(Outcome::word))))]
        cache: Option<Text<'a>> => dropped,
    }
}

facts! {
    /// What a compile took.
    struct CompileSeconds<'a> {
        /// What its metrics records report, except those of runtime.
        #[schemars(range(min = 0))]
        seconds: Option<f64> => number,
        /// The same by part of the compiler.
        parts: List<'a, Part<'a>> => inside,
    }
}

facts! {
    /// Time in a part of the compiler; each instant is counted once.
    struct Part<'a> {
        /// The part; null for phases that belong to none.
        name: Option<Text<'a>> => part,
        /// Seconds.
        #[schemars(range(min = 0))]
        seconds: f64 => number,
        /// Seconds of all its pieces of work, where several ran side by side: kernels that workers built.
        #[serde(default)]
        #[schemars(range(min = 0))]
        work_s: Option<f64> => number,
    }
}

/// Microseconds in each part of the compiler.
pub(crate) fn parts_us(parts: &[Part<'_>]) -> Parts {
    let mut sums = Parts::default();
    for part in parts {
        if let Some(of) = CompilerPart::named(part.name.as_deref()) {
            sums.add(of, part.seconds * 1e6);
        }
    }
    sums
}

facts! {
    /// A distinct graph break.
    struct GraphBreak<'a> {
        /// What could not be traced.
        reason: Text<'a> => dropped,
        /// The sentence around the reason.
        #[serde(default)]
        context: Option<Text<'a>> => dropped,
        /// What torch explains.
        #[serde(default)]
        explanation: Option<Text<'a>> => dropped,
        /// torch's developer debug context: which call with which arguments.
        #[serde(default)]
        debug_context: Option<Text<'a>> => dropped,
        /// What torch advises.
        #[serde(default)]
        hints: List<'a, Text<'a>> => dropped,
        /// Its number in torch's catalog.
        #[serde(default)]
        #[schemars(regex(pattern = "^gb[0-9]+$"))]
        gb_id: Option<Text<'a>> => catalog_number,
        /// Its page in the catalog.
        #[serde(default)]
        url: Option<Text<'a>> => catalog_page,
        /// File of the user's line.
        file: Option<Text<'a>> => file,
        /// That line.
        line: Option<i64> => number,
        /// The compiles that hit it.
        #[schemars(extend("uniqueItems" = true))]
        compile_ids: List<'a, Option<Id<'a>>> => ids,
        /// How many records report it.
        #[schemars(range(min = 1))]
        count: u64 => number,
        /// The user's frames that led to the break when it was first hit, outermost first.
        #[serde(default)]
        user_stack: List<'a, StackFrame<'a>> => dropped,
        /// What the finding about it says; reports of older versions do not have it.
        #[serde(default)]
        title: Option<Text<'a>> => dropped,
        /// What it costs, as far as the log says; reports of older versions do not have it.
        #[serde(default)]
        cost: Option<FindingCost<'a>> => inside,
    }
}

/// Breaks with what torch's catalog calls them, instead of what the log says.
fn breaks(all: &[GraphBreak<'_>], names: &mut Names) -> List<'static, GraphBreak<'static>> {
    let one = |one: &GraphBreak<'_>| {
        let redacted = one.redact(names);
        GraphBreak { reason: catalog_entry_of(redacted.gb_id.as_deref()).into(), ..redacted }
    };
    all.iter().map(one).collect()
}

facts! {
    /// A metrics record with an error.
    struct Failure<'a> {
        /// The compile that failed.
        compile_id: Option<Id<'a>> => id,
        /// Kind of the metrics record.
        #[serde(default)]
        #[schemars(extend("enum" = MetricsKind::ALL.map(MetricsKind::word)))]
        kind: Text<'a> => word,
        /// Class of the exception.
        #[serde(rename = "type")]
        error: Text<'a> => error_class,
        /// Its message.
        reason: Option<Text<'a>> => catalog_entry_in,
        /// File of the user's line.
        file: Option<Text<'a>> => file,
        /// That line.
        line: Option<i64> => number,
        /// What the finding about it says; reports of older versions do not have it.
        #[serde(default)]
        title: Option<Text<'a>> => dropped,
    }
}

facts! {
    /// A restart of a compile.
    struct Restart<'a> {
        /// The compile.
        compile_id: Option<Id<'a>> => id,
        /// Why it began again.
        reason: Text<'a> => restart,
    }
}

facts! {
    /// A cache lookup.
    struct CacheLookup<'a> {
        /// The compile that asked.
        compile_id: Option<Id<'a>> => id,
        /// Its attempt.
        #[serde(default)]
        attempt: u64 => number,
        /// The artifact's name before `_cache_`: fx_graph, aotautograd, ..
        cache: Text<'a> => cache_name,
        /// The answer.
        #[schemars(extend("enum" = Outcome::ALL.map(Outcome::word)))]
        outcome: Text<'a> => word,
        /// The key.
        #[serde(default)]
        key: Option<Text<'a>> => dropped,
        /// Why it missed or was bypassed.
        reason: Option<Text<'a>> => cache_reason,
        /// The file of the lookup, relative to the report.
        path: Option<Text<'a>> => own_page,
    }
}

facts! {
    /// Where the time went.
    struct CompileTime<'a> {
        /// Seconds in which something was compiled.
        #[schemars(range(min = 0))]
        total_s: Option<f64> => number,
        /// The same by part of the compiler.
        parts: List<'a, Part<'a>> => inside,
        /// Work that fell into a compile by chance.
        #[serde(default)]
        one_offs: List<'a, OneOff<'a>> => inside,
        /// Phases of the compiler by their own time.
        #[serde(default)]
        phases: List<'a, Phase<'a>> => inside,
    }
}

facts! {
    /// Work that fell into a compile by chance, such as the first C++ build.
    struct OneOff<'a> {
        /// What was done.
        #[schemars(extend("enum" = ["toolchain", "first_use", "wait_for_workers", "wait_for_process"]))]
        kind: Text<'a> => word,
        /// The compile that it fell into.
        compile_id: Option<Id<'a>> => id,
        /// What it took.
        #[schemars(range(min = 0))]
        seconds: f64 => number,
        /// How much of that the parts count as work on the graph.
        #[schemars(range(min = 0))]
        in_graph_s: f64 => number,
    }
}

facts! {
    /// A phase of the compiler.
    struct Phase<'a> {
        /// As torch calls it.
        name: Text<'a> => phase,
        /// Seconds without its children.
        #[schemars(range(min = 0))]
        self_s: f64 => number,
        /// Seconds of the union of its spans.
        #[schemars(range(min = 0))]
        total_s: f64 => number,
        /// How often it ran.
        #[schemars(range(min = 1))]
        count: u64 => number,
    }
}
