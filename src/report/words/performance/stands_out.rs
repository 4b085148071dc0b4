//! What stands out in a trace, at most five entries: figures that cannot be right, kernels far from their limit, then by what
//! could be gained at most, and what could not be judged.

use super::{capitalized, figures, subject_of};
use crate::analysis::Topic;
use crate::analysis::findings::{Finding, KindOfFinding, cause_of_slowness};
use crate::analysis::performance::{Judgement, MeasuredKernel, Performance};
use crate::facts::Backend;
use crate::limits::{FEW, NAMED_BRIEFLY};
use crate::report::kit::formats::{counted, micros, percent, short_path, whole};
use crate::report::subject::Report;

/// Kernels far from their limit that have an entry of their own.
const MOST_FAR: usize = 2;
/// Share of the time from which an entry is worth its line.
const WORTH: f64 = 0.02;

pub(crate) enum StandsOut<'f> {
    /// A finding about a measurement.
    Finding(&'f Finding),
    /// A fact that is worth knowing although nothing is wrong.
    Entry(Entry),
}

/// A fact without a finding.
pub(crate) struct Entry {
    /// Its first word.
    pub label: &'static str,
    /// How that word looks.
    pub class: &'static str,
    /// The fact in one sentence; names of kernels stand between backquotes.
    pub sentence: String,
    /// Why, and what to do next.
    pub reason: String,
    pub cost: Option<Cost>,
    /// The kernel that it is about: its place in the trace.
    pub kernel: Option<usize>,
}

/// Device time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    /// Microseconds.
    pub us: f64,
    /// Whether they are what could be gained at most.
    pub at_most: bool,
}

impl Cost {
    /// `up to 2.2 ms`
    pub fn words(self) -> String {
        let up_to = if self.at_most { "up to " } else { "" };
        format!("{up_to}{}", micros(self.us))
    }
}

/// At most five: findings about measurements, without kernels far from their limit, as these have entries that say what can
/// be gained; then the entries.
pub(crate) fn stands_out<'f>(report: Report<'f>, found: &Performance) -> Vec<StandsOut<'f>> {
    let findings = report.found.findings.iter();
    let of_topic = findings.filter(|finding| finding.kind.facts().topic == Some(Topic::Performance));
    let told = of_topic.filter(|finding| finding.kind != KindOfFinding::SlowKernel).take(NAMED_BRIEFLY);
    let others = entries(found).into_iter().map(StandsOut::Entry);
    told.map(StandsOut::Finding).chain(others).take(FEW).collect()
}

fn entries(found: &Performance) -> Vec<Entry> {
    let mut entries: Vec<(f64, Entry)> = Vec::new();
    entries.extend(far(found));
    entries.extend(of_group(found, Group::Room));
    entries.extend(of_group(found, Group::Near));
    entries.extend(idle(found));
    // Kernels far from their limit come first, as nothing about them is usual.
    let (mut first, mut rest): (Vec<_>, Vec<_>) =
        entries.into_iter().partition(|(_, one)| one.kernel.is_some());
    for part in [&mut first, &mut rest] {
        part.sort_by(|one, other| other.0.total_cmp(&one.0));
    }
    first.into_iter().chain(rest).map(|(_, entry)| entry).chain(unknown(found)).collect()
}

fn far(found: &Performance) -> Vec<(f64, Entry)> {
    let kernels = found.kernels.iter().enumerate();
    let far = kernels.filter(|(_, kernel)| kernel.judgement == Some(Judgement::Far));
    let worth = far.filter_map(|(place, kernel)| Some((place, kernel, kernel.gain_us?)));
    let mut worth: Vec<_> = worth.filter(|one| one.2 >= WORTH * found.time.busy_us).collect();
    worth.sort_by(|one, other| other.2.total_cmp(&one.2));
    worth.truncate(MOST_FAR);
    worth.into_iter().map(|(place, kernel, gain_us)| (gain_us, far_entry(place, kernel, gain_us))).collect()
}

fn far_entry(place: usize, kernel: &MeasuredKernel, gain_us: f64) -> Entry {
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
    Entry {
        label: "Far from its limit",
        class: "flag far",
        sentence: format!(
            "{}{} reaches {reached} of its ceiling{rate}.",
            named(kernel),
            at.unwrap_or_default()
        ),
        reason: format!("{runs}.{launch} {}", cause_of_slowness(kernel)),
        cost: Some(Cost { us: gain_us, at_most: true }),
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

/// Kernels that are judged together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    /// Between a quarter and a half of a limit.
    Room,
    /// At least half.
    Near,
}

fn of_group(found: &Performance, group: Group) -> Option<(f64, Entry)> {
    let is_of = |kernel: &&MeasuredKernel| {
        kernel.judgement == Some(Judgement::Near) && kernel.is_near() == (group == Group::Near)
    };
    let kernels: Vec<&MeasuredKernel> = found.kernels.iter().filter(is_of).collect();
    let us: f64 = kernels.iter().map(|kernel| kernel.sum_us).sum();
    if us < WORTH * found.time.busy_us {
        return None;
    }
    let gain_us: f64 = kernels.iter().filter_map(|kernel| kernel.gain_us).sum();
    let shares = || kernels.iter().filter_map(|kernel| kernel.best_share());
    let (least, most) = (shares().fold(f64::INFINITY, f64::min), shares().fold(0.0, f64::max));
    let taken = format!("{}, {} of the kernel time", micros(us), share_of_kernels(found, us));
    let sentence = match kernels.len() {
        1 => format!("1 kernel takes {taken}, and reaches {} of its limit.", figures::share(most)),
        many => format!(
            "{} kernels take {taken}, and reach {} to {} of their limits.",
            whole(many),
            figures::share(least),
            figures::share(most)
        ),
    };
    let eager = kernels.iter().all(|kernel| kernel.backend == Some(Backend::Eager));
    let reason = match (group, eager) {
        (Group::Near, _) => {
            "Few kernels come much closer: the limits are those of a data sheet, at a clock that a device seldom keeps."
        }
        (Group::Room, true) => {
            "In eager mode, each operator writes its result to memory for the next one to read; `torch.compile` fuses \
             what it can."
        }
        (Group::Room, false) => "The rows say which limit it is.",
    };
    let (label, class) = match group {
        Group::Room => ("Room", "flag strong"),
        Group::Near => ("Near a limit", "flag"),
    };
    let cost = Some(Cost { us: gain_us, at_most: true });
    Some((gain_us, Entry { label, class, sentence, reason: reason.to_owned(), cost, kernel: None }))
}

fn idle(found: &Performance) -> Option<(f64, Entry)> {
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
    let entry = Entry {
        label: "Idle",
        class: "flag",
        sentence: format!(
            "Nothing ran on the device for {}, {} of the time.",
            micros(idle),
            percent(idle, time.wall_us, false)
        ),
        reason: reason.to_owned(),
        cost: Some(Cost { us: idle, at_most: false }),
        kernel: None,
    };
    Some((idle, entry))
}

/// Kernels whose work is unknown.
fn unknown(found: &Performance) -> Option<Entry> {
    let kernels = || found.kernels.iter().filter(|kernel| figures::verdict_word(kernel) == "unknown");
    let us: f64 = kernels().map(|kernel| kernel.sum_us).sum();
    if us < WORTH * found.time.busy_us {
        return None;
    }
    let without_operator: u64 =
        kernels().filter(|kernel| kernel.operators.is_empty()).map(|kernel| kernel.count).sum();
    if found.peaks.is_none() {
        return Some(Entry {
            label: "Not judged",
            class: "flag",
            sentence: "The limits of the device are unknown, so no kernel is judged by them.".to_owned(),
            reason: "Supply them with `--device NAME` or `--device FILE.json`.".to_owned(),
            cost: None,
            kernel: None,
        });
    }
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
    Some(Entry {
        label: "Not judged",
        class: "flag",
        sentence: format!(
            "For {}, {} of the kernel time, the work is unknown.",
            micros(us),
            share_of_kernels(found, us)
        ),
        reason: format!("{reason} Left out of every share."),
        cost: None,
        kernel: None,
    })
}

/// A part of the time of all kernels, in per cent.
fn share_of_kernels(found: &Performance, us: f64) -> String {
    {
        let kernels = found.kernels.iter().filter(|kernel| kernel.computes());
        percent(us, kernels.map(|kernel| kernel.sum_us).sum(), false)
    }
}
