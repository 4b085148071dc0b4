//! Model to findings: pure functions, no HTML, no IO.

mod account;
mod break_costs;
mod break_text;
pub mod build_spans;
mod builds;
mod by_compile;
pub mod caches;
pub mod configs;
pub mod defaults;
mod export;
pub mod failures;
pub mod findings;
mod functions;
mod graph_pairs;
mod guard_diff;
mod guard_tree;
pub mod job;
mod ledger;
mod names;
mod one_offs;
mod order_of_time;
mod outlook;
mod own_code;
mod parity;
mod parts;
pub mod performance;
mod producers;
pub mod provenance;
mod rank_facts;
mod recompiles;
pub mod shapes;
mod source_text;
mod stage;
mod time;
mod timeline;
mod trie;
pub mod two_columns;
mod user_place;
pub mod vllm;
mod warm_run;

pub use account::{Account, Gap};
pub use break_costs::{Hit, break_costs, resumed_us};
pub use break_text::{BreakText, FurtherBreak, break_text};
pub use by_compile::{ByCompile, OfCompile};
pub use export::{Export, ExportFailure, ExportOutcome, Retry, check_for, symbols_in};
pub use findings::{Finding, Severity, Topic};
pub use functions::{FunctionGroup, by_status, is_capture};
pub use graph_pairs::{GraphPair, graph_pairs};
pub use guard_diff::{DiffLine, GuardDiff, Side, guard_diff};
pub use guard_tree::{GuardLine, GuardNode, read_guard_tree};
pub use job::{JobFound, of_job};
pub use names::{FunctionName, Names, parameter_name};
pub use one_offs::{OneOff, OneOffKind};
pub use order_of_time::{BuildKind, Stretch, order_of_time};
pub use outlook::{Outlook, time_comes_first};
pub use own_code::{OwnFiles, PACKAGES, TORCH, is_library, resumed};
pub use parity::Parity;
pub use parts::{PARTS, Parts, Split, part_of_phase};
pub use producers::{Producers, is_foreign};
pub use rank_facts::{LogEnd, builds, log_end, pauses};
pub use recompiles::{
    Chain, Change, ChangeKind, Step, as_written, classify, disagreement, guard_as_written, recompile_limit,
};
pub use stage::Stage;
pub use time::{CompileTime, Phase, PhaseNode};
pub use timeline::{Timeline, Track};
pub use trie::Trie;
pub use user_place::UserPlace;

use crate::model::{CompileIndex, Model, Outcome};
use builds::Builds;
use fxhash::FxHashMap;
use ledger::Ledger;
use performance::Performance;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::thread;

/// All that follows from one log's facts.
pub struct Found<'m> {
    /// Where the time went.
    pub time: CompileTime,
    /// The same time by part of the compiler.
    pub split: Split,
    /// Where the log ends; None where it has no record.
    pub end: Option<LogEnd>,
    /// Work that fell into a compile by chance.
    pub one_offs: Vec<OneOff>,
    /// What was built outside of Python.
    pub builds: Builds,
    /// Collectives planned and made, one entry per compile with a schedule.
    pub parity: Vec<Parity>,
    /// What was compiled, by function.
    pub functions: Vec<FunctionGroup>,
    /// What the reader calls them.
    pub names: Names,
    /// What the caches answered to each compile.
    pub cache: FxHashMap<CompileIndex, Outcome>,
    /// Who called what was compiled.
    pub trie: Trie,
    /// What came of torch.export.
    pub export: Export,
    /// The functions that were compiled again: those over the limit first, then by time.
    pub chains: Vec<Chain<'m>>,
    /// What a trace of torch.profiler tells of the kernels.
    pub performance: Option<Performance>,
    /// What went wrong and what it cost, most important first.
    pub findings: Vec<Finding>,
}

/// Spans that are followed in less time than it takes to start a thread: a tenth of a millisecond.
const FEW_SPANS: usize = 1_000;

/// Draws the conclusions of one log. Of a log of many compiles, half of the work is to follow the spans once for their parts
/// and once for the rest, which several threads do at the same time.
pub fn of_log(model: &Model, performance: Option<Performance>, threads: NonZeroUsize) -> Found<'_> {
    let other = || {
        let one_offs = one_offs::one_offs(model);
        let builds = Builds::of(model, &one_offs);
        (time::of_log(model), one_offs, builds)
    };
    let threads = if model.spans.len() < FEW_SPANS { NonZeroUsize::MIN } else { threads };
    let (split, (time, one_offs, builds)) = both(threads, || Split::of(model), other);
    let chains = recompiles::recompile_chains(model);
    let ledger = Ledger::of(model, &split, &one_offs, time.total_s);
    let performance_of_log = performance.as_ref();
    let basis = findings::Basis { model, chains: &chains, performance: performance_of_log, builds: &builds };
    let findings = findings::of_log(basis, ledger);
    Found {
        builds,
        performance,
        end: log_end(model),
        time,
        parity: parity::of_log(model),
        functions: functions::of_log(model, &split),
        names: Names::of_log(model),
        cache: functions::cache_outcomes(model),
        trie: trie::of_log(model),
        export: export::of_log(model),
        chains,
        findings,
        split,
        one_offs,
    }
}

/// Computes both, at the same time where there may be several threads and the system gives one.
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
