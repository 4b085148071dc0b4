//! Conclusions from the model: pure functions, no HTML, no IO.

// Compiles and functions.
mod by_compile;
mod compared_code;
mod device_questions;
mod functions;
mod graph_pairs;
mod names;
mod on_device;
mod pattern;
mod producers;
pub mod run_console;
#[cfg(test)]
mod sketch;
mod split;
mod stage;
#[cfg(test)]
mod tests;
mod torch_version;
mod trie;
pub mod vllm;

// Time.
mod account;
mod build_spans;
mod builds;
mod one_offs;
mod order_of_time;
mod parts;
pub mod performance;
mod run_time;
mod spans;
mod time;
#[cfg(test)]
mod time_tests;
mod timeline;
mod warm_run;

// Graph breaks, failures and recompiles.
mod break_costs;
mod break_text;
mod export;
pub mod failed_in;
pub mod failures;
mod guard_diff;
mod guard_texts;
mod lab;
mod recompiles;
pub mod shapes;

// Caches and settings.
pub mod caches;
pub mod configs;
pub mod defaults;

// Findings, and the ranks of a job.
pub mod findings;
pub mod job;
mod ledger;
mod parity;
mod rank_facts;

// Source code.
pub mod drawing;
pub mod lines;
mod own_code;
pub mod provenance;
pub mod two_columns;
mod user_place;

pub use account::{Account, Gap};
use break_costs::break_costs;
pub use break_costs::{Hit, resumed_us};
pub use break_text::{BreakText, FurtherBreak, break_text};
pub use build_spans::{AHEAD_OF_TIME, CPP_BUILD};
pub use by_compile::ByCompile;
pub use compared_code::{
    CodeLine, CodeText, LinePair, StatementDifference, differing_guards, differing_operators,
    statement_difference,
};
pub use export::{Export, ExportFailure, ExportOutcome, Retry};
pub use findings::{Finding, Severity, Topic};
pub use functions::{FunctionGroup, by_status, is_capture};
pub use graph_pairs::{GraphPair, graph_pairs};
pub use guard_diff::{DiffLine, GuardDiff, Side, guard_diff};
pub use guard_texts::{GuardTexts, TextOfLog};
pub use job::{JobFound, of_job};
pub use names::{FunctionName, Names, parameter_name};
pub use on_device::{OnDevice, Operation};
pub use one_offs::{OneOff, OneOffKind};
pub use order_of_time::{BuildKind, Segment, order_of_time};
pub use own_code::{OwnFiles, PACKAGES, TORCH, calls_only, is_library, resumed};
pub use parity::Parity;
pub use parts::part_of_phase;
pub use producers::{Producers, is_foreign};
pub use rank_facts::{LogEnd, builds, log_end, pauses};
pub use recompiles::{
    Chain, Change, ChangeKind, Step, change_of, classify, disagreement, kind_and_sizes, recompile_limit,
};
pub use spans::Spans;
pub use split::{Split, TimePiece};
pub use stage::Stage;
pub use time::{CompileTime, PhaseNode, seconds};
pub use timeline::{Timeline, Track};
pub use trie::Trie;
pub use user_place::UserPlace;

use crate::model::{CompileIndex, Model, Outcome};
use builds::Builds;
use fxhash::FxHashMap;
use ledger::Ledger;
use lines::Lines;
use performance::Performance;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::thread;

/// All conclusions about one log.
pub struct Found<'m> {
    /// The spans, with what is worked out of them once.
    pub spans: Spans<'m>,
    /// Compile time by phase.
    pub time: CompileTime,
    /// Compile time by part of the compiler.
    pub split: Split,
    /// Where the log ends; None without records.
    pub end: Option<LogEnd>,
    /// Work that is in a compile by chance.
    pub one_offs: Vec<OneOff>,
    /// What caches saved, by compile.
    pub saved: Vec<caches::SavedTime<'m>>,
    /// What was built outside of Python.
    pub builds: Builds,
    /// Planned and generated collectives, one entry per compile with a schedule.
    pub parity: Vec<Parity>,
    /// Compiles by function.
    pub functions: Vec<FunctionGroup>,
    /// Names of functions.
    pub names: Names,
    /// The answer of the caches for each compile.
    pub cache: FxHashMap<CompileIndex, Outcome>,
    /// The callers of what was compiled.
    pub trie: Trie,
    /// Results of torch.export.
    pub export: Export,
    /// Functions that were compiled again: those over the limit first, then by time.
    pub chains: Vec<Chain<'m>>,
    /// The costs of each graph break, in the model's order.
    pub breaks: Vec<Vec<Hit>>,
    /// What is known of each line of the program.
    pub lines: Lines,
    /// Kernels measured by torch.profiler.
    pub performance: Option<Performance>,
    /// How compiled code runs on a device.
    pub on_device: OnDevice,
    /// Problems and their costs, most important first.
    pub findings: Vec<Finding>,
}

/// Fewer spans take less time than starting a thread: a tenth of a millisecond.
const FEW_SPANS: usize = 1_000;

/// Draws the conclusions about one log. In large logs, half of the work is to split the spans into parts, and the other half
/// is the rest of the time analysis; two threads do these at the same time.
pub fn of_log<'m>(
    model: &'m Model,
    performance: Option<Performance>,
    texts: &GuardTexts,
    threads: NonZeroUsize,
) -> Found<'m> {
    let spans = Spans::of(model);
    let other = || {
        let one_offs = one_offs::one_offs(&spans);
        let builds = Builds::new(&spans, &one_offs);
        (time::of_log(&spans), one_offs, builds)
    };
    let threads = if model.spans.len() < FEW_SPANS { NonZeroUsize::MIN } else { threads };
    let (split, (time, one_offs, builds)) = both(threads, || Split::of(&spans), other);
    let breaks = break_costs(model);
    let chains = recompiles::recompile_chains(model, &breaks, texts);
    let ledger = Ledger::new(model, &split, &one_offs, time.total_s);
    let performance_of_log = performance.as_ref();
    let on_device = OnDevice::of_log(&spans, texts, &one_offs);
    let basis = findings::Basis {
        model,
        chains: &chains,
        breaks: &breaks,
        performance: performance_of_log,
        builds: &builds,
        split: &split,
        one_offs: &one_offs,
        on_device: &on_device,
    };
    let findings = findings::of_log(basis, ledger);
    let names = Names::of_log(model);
    let lines = lines::lines_of_log(model, &names, &one_offs, &findings, performance_of_log);
    Found {
        lines,
        builds,
        performance,
        end: log_end(model),
        time,
        parity: parity::of_log(model),
        functions: functions::of_log(model, &split),
        names,
        cache: functions::cache_outcomes(model),
        trie: trie::of_log(model),
        export: export::of_log(model),
        chains,
        breaks,
        on_device,
        findings,
        split,
        spans,
        saved: caches::saved_times(model, &one_offs),
        one_offs,
    }
}

/// Computes both, in parallel if several threads are allowed and the system starts one.
fn both<A: Send, B>(
    threads: NonZeroUsize,
    first: impl Fn() -> A + Sync,
    second: impl FnOnce() -> B,
) -> (A, B) {
    if threads.get() == 1 {
        return (first(), second());
    }
    thread::scope(|scope| {
        let beside = thread::Builder::new().spawn_scoped(scope, &first);
        let second = second();
        match beside.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(first)) => (first, second),
            Ok(Err(panic)) => resume_unwind(panic),
            Err(_) => (first(), second),
        }
    })
}
