//! Measured kernels: figures that cannot be true, kernels that are far from what the device can do, and launches that
//! are too short. Device time is not compile time, so these findings claim no cost.

use super::basis::Basis;
use super::finding::{EntryKey, Finding, Severity, Value};
use super::kind::KindOfFinding;
use crate::analysis::performance::{Judgement, Limit, MeasuredKernel, Performance};
use crate::analysis::user_place::UserPlace;
use crate::facts::{Backend, Bound, FigureFrom, owned};
use crate::limits::{FEW, SHORT_NAME};
use crate::model::sentence::{self, name, own, sentence};
use crate::model::words::{counted, duration};
use crate::model::{NameOf, Sentence, short_kernel};

/// Share of the device's busy time below which a kernel far from the limits gets no entry.
const WORTH: f64 = 0.02;
/// Share of the busy time from which short launches are reported.
const SHORT_LAUNCHES: f64 = 0.10;

pub(super) fn of_log(basis: Basis<'_>) -> Vec<Finding> {
    let Some(performance) = basis.performance else { return Vec::new() };
    let mut found = Vec::new();
    found.extend(damaged(performance));
    found.extend(foreign(performance));
    // Kernels are ordered by their time.
    for (kind, judgement) in [
        (KindOfFinding::ImplausibleKernel, Judgement::Impossible),
        (KindOfFinding::WrongCounts, Judgement::CountsProbablyWrong),
        (KindOfFinding::SlowKernel, Judgement::Far),
    ] {
        let kernels = performance.kernels.iter().enumerate();
        let judged = kernels.filter(|(_, kernel)| kernel.judgement == Some(judgement));
        let worth = judged.filter(|(_, kernel)| {
            judgement == Judgement::Impossible || kernel.sum_us >= WORTH * performance.time.busy_us
        });
        found.extend(worth.take(FEW).map(|(place, kernel)| {
            let mut finding = of_kernel(kind, kernel, performance);
            finding.entry = Some(EntryKey::Kernel(place));
            finding
        }));
    }
    found.extend(launches(basis, performance));
    found
}

fn foreign(performance: &Performance) -> Option<Finding> {
    let graphs = sentence::count(performance.foreign_graphs?, "graph", "graphs");
    let file = name(NameOf::File, performance.trace.file.owned());
    let title = sentence![file, " is of another run: of the ", graphs, " that it calls, none is in this log"];
    Some(Finding::new(KindOfFinding::OtherRun, Severity::Error, title))
}

fn damaged(performance: &Performance) -> Option<Finding> {
    let why = performance.trace.damaged.as_ref()?;
    let title = sentence![
        "The trace ",
        name(NameOf::File, performance.trace.file.owned()),
        " could not be read to its end"
    ];
    let mut found = Finding::new(KindOfFinding::DamagedTrace, Severity::Warning, title);
    found.say("ended_early", &[("why", why)]);
    Some(found)
}

fn of_kernel(kind: KindOfFinding, kernel: &MeasuredKernel, performance: &Performance) -> Finding {
    let share = |share: f64| own(format!("{:.0} %", share * 100.0));
    let device = match &performance.peaks {
        Some(peaks) => name(NameOf::Device, peaks.name.clone()).into(),
        None => Sentence::from("the device"),
    };
    let (nearest, best) = kernel.nearest_limit().unwrap_or((Limit::Bandwidth, 0.0));
    let limit = match nearest {
        Limit::Peak => "peak",
        Limit::Bandwidth => "memory bandwidth",
    };
    let severity = if kind == KindOfFinding::SlowKernel { Severity::Warning } else { Severity::Info };
    let kernel_name = name(NameOf::Kernel, short_kernel(&kernel.name, SHORT_NAME));
    let title = match kernel.judgement {
        Some(Judgement::Impossible) => {
            let reached = sentence![" seems to reach ", share(best), " of the ", limit, " of "];
            sentence![kernel_name, reached, device, ", which is impossible"]
        }
        Some(Judgement::CountsProbablyWrong) => {
            let limits = if kernel.share_of_peak.is_some() { "both limits" } else { "the memory bandwidth" };
            sentence![kernel_name, " seems to reach less than 1 % of ", limits, " of ", device]
        }
        _ => sentence![kernel_name, " reaches only ", share(best), " of the ", limit, " of ", device],
    };
    let mut found = Finding::new(kind, severity, title);
    match kernel.judgement {
        Some(Judgement::Impossible) if nearest == Limit::Bandwidth => found.say("in_cache", &[]),
        Some(Judgement::Impossible) => found.say("beyond_peak", &[]),
        Some(Judgement::CountsProbablyWrong) if kernel.bytes_from == Some(FigureFrom::Trace) => {
            found.say("stated", &[]);
        }
        Some(Judgement::CountsProbablyWrong) if kernel.backend == Some(Backend::Eager) => {
            found.say("eager", &[]);
        }
        Some(Judgement::CountsProbablyWrong) => found.say("generated", &[]),
        _ => found.advise(cause_of_slowness(kernel)),
    }
    if let [line, ..] = &*kernel.lines {
        let known =
            performance.lines.iter().find(|known| (&known.file, known.line) == (&line.file, line.line));
        found.place = UserPlace {
            file: Some(line.file.owned()),
            line: Some(line.line),
            loc: known.and_then(|known| owned(&known.code)),
            function: None,
        };
    }
    let runs = counted(kernel.count, "run", "runs");
    found.fact(
        "Device time",
        Value::Prose(format!("{} in {runs}, {} each", duration(kernel.sum_us), duration(kernel.mean_us))),
    );
    found
}

/// Per cent of occupancy below which it may be why a kernel is slow.
const LOW_OCCUPANCY: f64 = 25.0;

/// Why a kernel is far from its limits, as far as the log and the trace have evidence.
pub fn cause_of_slowness(kernel: &MeasuredKernel) -> String {
    let spills = kernel.spills.filter(|spills| *spills > 0);
    let occupancy = kernel.occupancy.filter(|of| (0.1..LOW_OCCUPANCY).contains(of));
    match (kernel.has_atomics, spills, occupancy) {
        (true, ..) => "Its source adds with atomic operations (`tl.atomic_add`), which wait for each other where many rows are \
                       added to few."
            .to_owned(),
        (false, Some(spills), _) => format!("{} of a thread spill to memory.", counted(spills, "register", "registers")),
        (false, None, Some(percent)) => {
            format!("Its blocks fill {percent:.0} % of what the device can hold: there are few of them, or each needs much.")
        }
        (false, None, None) => "Neither the log nor the trace says why.".to_owned(),
    }
}

fn launches(basis: Basis<'_>, performance: &Performance) -> Option<Finding> {
    // The kernels of a CUDA graph are launched at once.
    let is_short = |kernel: &&MeasuredKernel| kernel.bound == Some(Bound::Launch) && !kernel.in_cuda_graph;
    let short = || performance.kernels.iter().filter(is_short);
    let count: u64 = short().map(|kernel| kernel.count).sum();
    let us: f64 = short().map(|kernel| kernel.sum_us).sum();
    let idle = performance.time.idle_us;
    if !performance.on_device || count < 10 || idle < SHORT_LAUNCHES * performance.time.wall_us {
        return None;
    }
    let share = count as f64 / performance.trace.launches.max(1) as f64;
    if share < 0.5 {
        return None;
    }
    let launches = |number| sentence::count(number, "launch", "launches");
    let idle = own(format!("{:.0} %", 100.0 * idle / performance.time.wall_us));
    let title = sentence![
        launches(count),
        " of ",
        launches(performance.trace.launches),
        " take less than 5 us each, and the device is idle for ",
        idle,
        " of the time",
    ];
    let mut found = Finding::new(KindOfFinding::LaunchBound, Severity::Warning, title);
    found.say("short", &[("time", &duration(us))]);
    let compiled_us: f64 =
        short().filter(|kernel| !kernel.compile_ids.is_empty()).map(|kernel| kernel.sum_us).sum();
    if basis.on_device.iter().any(|(_, of)| of.cuda_graphs.is_some()) {
        found.say("outside_of_cuda_graphs", &[]);
    } else if compiled_us > us / 2.0 {
        found.say("compiled", &[]);
    } else {
        found.say("not_compiled", &[]);
    }
    Some(found)
}
