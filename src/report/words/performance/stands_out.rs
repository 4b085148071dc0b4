//! What stands out in a trace, at most five entries: figures that cannot be right, kernels far from their limit, then by what
//! could be gained at most, and what could not be judged.

use super::{capitalized, figures, subject_of};
use crate::analysis::Topic;
use crate::analysis::findings::{Finding, KindOfFinding, Severity, cause_of_slowness};
use crate::analysis::performance::{Judgement, MeasuredKernel, Performance};
use crate::facts::Backend;
use crate::limits::{FEW, NAMED_BRIEFLY};
use crate::report::kit::formats::{counted, micros, percent, short_path, whole};
use crate::report::subject::Report;

/// Kernels far from their limit that have an entry of their own.
const MOST_FAR: usize = 2;
/// Share of the time from which an entry is worth its line.
const WORTH: f64 = 0.02;

/// A fact that is worth knowing.
pub(crate) struct Notable {
    /// Its first word.
    pub label: &'static str,
    /// How that word looks.
    pub class: &'static str,
    /// The fact in one sentence; names of kernels stand between backquotes.
    pub text: String,
    /// Why, and what to do next.
    pub reason: Option<String>,
    /// Microseconds of device time; where they could be gained, that is the most.
    pub us: Option<f64>,
    pub at_most: bool,
    /// The kernel that it is about: its place in the trace.
    pub kernel: Option<usize>,
}

/// At most five, by their time. Findings about measurements are among them, without kernels far from their limit, as these
/// have entries that say what can be gained; then come the entries.
pub(crate) fn stands_out(report: Report<'_>, found: &Performance) -> Vec<Notable> {
    let findings = report.found.findings.iter();
    let of_topic = findings.filter(|finding| finding.kind.facts().topic == Some(Topic::Performance));
    let told = of_topic.filter(|finding| finding.kind != KindOfFinding::SlowKernel).take(NAMED_BRIEFLY);
    let mut shown: Vec<_> =
        told.map(|finding| of_finding(found, finding)).chain(entries(found)).take(FEW).collect();
    // A total order; what has no time comes last.
    shown.sort_by(|one, other| other.us.unwrap_or(-1.0).total_cmp(&one.us.unwrap_or(-1.0)));
    shown
}

fn of_finding(found: &Performance, finding: &Finding) -> Notable {
    let class = match (finding.kind, finding.severity) {
        (KindOfFinding::ImplausibleKernel | KindOfFinding::WrongCounts, _) => "flag wrong",
        (_, Severity::Info) => "flag",
        _ => "flag far",
    };
    let reasons: Vec<&str> = finding.detail.as_deref().into_iter().chain(finding.hints()).collect();
    // The entry of such a finding is the place of its kernel.
    let kernel = finding.kernel();
    Notable {
        label: finding.kind.label(),
        class,
        text: format!("{}.", finding.title.text()),
        reason: (!reasons.is_empty()).then(|| reasons.join(" ")),
        us: kernel.and_then(|place| found.kernels.get(place)).map(|kernel| kernel.sum_us),
        at_most: false,
        kernel,
    }
}

/// Kernels far from their limit come first, as nothing about them is usual, then what could be gained or used otherwise.
fn entries(found: &Performance) -> impl Iterator<Item = Notable> {
    let mut others: Vec<Notable> = room(found).into_iter().chain(idle(found)).collect();
    others.sort_by(|one, other| other.us.unwrap_or_default().total_cmp(&one.us.unwrap_or_default()));
    far(found).into_iter().chain(others).chain(unknown(found))
}

fn far(found: &Performance) -> Vec<Notable> {
    let kernels = found.kernels.iter().enumerate();
    let far = kernels.filter(|(_, kernel)| kernel.judgement == Some(Judgement::Far));
    let worth = far.filter_map(|(place, kernel)| Some((place, kernel, kernel.gain_us?)));
    let mut worth: Vec<_> = worth.filter(|one| one.2 >= WORTH * found.time.busy_us).collect();
    worth.sort_by(|one, other| other.2.total_cmp(&one.2));
    worth.into_iter().take(MOST_FAR).map(|(place, kernel, us)| far_entry(place, kernel, us)).collect()
}

fn far_entry(place: usize, kernel: &MeasuredKernel, gain_us: f64) -> Notable {
    let reached = figures::share(kernel.best_share().unwrap_or_default());
    let rate = match (kernel.tflops, kernel.flops, kernel.bytes) {
        (Some(tflops), Some(flops), Some(bytes)) if bytes > 0.0 && flops >= bytes => {
            format!(": {} at {:.0} FLOPs per byte", figures::flop_rate(tflops), flops / bytes)
        }
        _ => kernel.gbps.map(|gbps| format!(": {}", figures::byte_rate(gbps))).unwrap_or_default(),
    };
    let runs = format!("{} of {}", counted(kernel.count, "run", "runs"), micros(kernel.mean_us));
    let launch = match kernel.may_be_launch_bound() {
        true => " Launching it may take most of that.",
        false => "",
    };
    let at = kernel.lines.first().map(|line| format!(" at {}:{}", short_path(&line.file), line.line));
    Notable {
        label: "Far from its limit",
        class: "flag far",
        text: format!(
            "{}{} reaches {reached} of what the device can do{rate}.",
            named(kernel),
            at.unwrap_or_default()
        ),
        reason: Some(format!("{runs}.{launch} {}", cause_of_slowness(kernel))),
        us: Some(gain_us),
        at_most: true,
        kernel: Some(place),
    }
}

/// The subject of a sentence: `Attention`, or a name as code.
fn named(kernel: &MeasuredKernel) -> String {
    let subject = subject_of(kernel);
    match capitalized(&subject) {
        word if word != subject => word,
        name => format!("`{}`", name.replace('`', "")),
    }
}

/// Kernels between a quarter and a half of a limit, together.
fn room(found: &Performance) -> Option<Notable> {
    let is_between =
        |kernel: &&MeasuredKernel| kernel.judgement == Some(Judgement::Near) && !kernel.is_near();
    let kernels: Vec<&MeasuredKernel> = found.kernels.iter().filter(is_between).collect();
    let us: f64 = kernels.iter().map(|kernel| kernel.sum_us).sum();
    if us < WORTH * found.time.busy_us {
        return None;
    }
    let shares = || kernels.iter().filter_map(|kernel| kernel.best_share());
    let (least, most) = (shares().fold(f64::INFINITY, f64::min), shares().fold(0.0, f64::max));
    let taken = format!("{}, {} of the kernel time", micros(us), share_of_kernels(found, us));
    let text = match kernels.len() {
        1 => format!("1 kernel takes {taken}, and reaches {} of its limit.", figures::share(most)),
        many => format!(
            "{} kernels take {taken}, and reach {} to {} of their limits.",
            whole(many),
            figures::share(least),
            figures::share(most)
        ),
    };
    let eager = kernels.iter().all(|kernel| kernel.backend == Some(Backend::Eager));
    let fuses = "In eager mode, each operator writes its result to memory for the next one to read; `torch.compile` fuses what it \
                 can.";
    Some(Notable {
        label: "Room",
        class: "flag strong",
        text,
        reason: eager.then(|| fuses.to_owned()),
        us: Some(kernels.iter().filter_map(|kernel| kernel.gain_us).sum()),
        at_most: true,
        kernel: None,
    })
}

fn idle(found: &Performance) -> Option<Notable> {
    let time = &found.time;
    let idle = time.idle_us;
    if !found.on_device || idle < WORTH * time.wall_us {
        return None;
    }
    let in_graphs = found.kernels.iter().any(|kernel| kernel.in_cuda_graph);
    let reason = match () {
        () if time.exposed_communication_us > 0.0 => {
            "This is without the exposed communication. Usually the host launches kernels too slowly, or waits for data. The \
             profiler slows the host."
        }
        () if in_graphs || time.compiled_us == 0.0 => {
            "Usually the host launches kernels too slowly, or waits for data. The profiler slows the host."
        }
        () => {
            "Usually the host launches kernels too slowly, or waits for data; `torch.compile(mode=\"reduce-overhead\")` \
             launches a whole graph at once. The profiler slows the host."
        }
    };
    let share = percent(idle, time.wall_us, false);
    Some(Notable {
        label: "Idle",
        class: "flag",
        text: format!("Nothing ran on the device for {}, {share} of the time.", micros(idle)),
        reason: Some(reason.to_owned()),
        us: Some(idle),
        at_most: false,
        kernel: None,
    })
}

/// Kernels whose work is unknown.
fn unknown(found: &Performance) -> Option<Notable> {
    let kernels = || found.kernels.iter().filter(|kernel| figures::verdict_word(kernel) == "unknown");
    let us: f64 = kernels().map(|kernel| kernel.sum_us).sum();
    // Without the limits of the device nothing is judged, which the notes say.
    if us < WORTH * found.time.busy_us || found.peaks.is_none() {
        return None;
    }
    let without_operator: u64 =
        kernels().filter(|kernel| kernel.operators.is_empty()).map(|kernel| kernel.count).sum();
    let reason = match without_operator {
        _ if kernels().all(|kernel| kernel.bytes.is_some()) => {
            "The table of devices does not have the limit of these kernels: supply it with `--device`."
                .to_owned()
        }
        0 if found.operators.iter().all(|operator| operator.input_dims.is_empty()) => {
            "The trace has no shapes: record it with `record_shapes=True`.".to_owned()
        }
        0 => "There is no formula for their operators.".to_owned(),
        runs => format!(
            "{} no operator in the trace. For the others there is no formula.",
            counted(runs, "run has", "runs have")
        ),
    };
    let share = share_of_kernels(found, us);
    let text = format!("For {}, {share} of the kernel time, the work is unknown.", micros(us));
    Some(Notable {
        label: "Not judged",
        class: "flag",
        text,
        reason: Some(format!("{reason} Left out of every share.")),
        us: None,
        at_most: false,
        kernel: None,
    })
}

/// A part of the time of all kernels, in per cent.
fn share_of_kernels(found: &Performance, us: f64) -> String {
    let kernels = found.kernels.iter().filter(|kernel| kernel.computes());
    percent(us, kernels.map(|kernel| kernel.sum_us).sum(), false)
}
