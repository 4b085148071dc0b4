//! What the reader of a trace must know beside its figures: the limits of the device, what was matched with the log, and what
//! makes the times uncertain. Commands and settings stand between backquotes.

use super::figures;
use crate::analysis::performance::Performance;
use crate::facts::{Backend, ClockFrom};
use crate::limits::{NAMED, SHORT_NAME};
use crate::model::{DeviceRuns, short_kernel};
use crate::report::kit::formats::{counted, micros, percent, whole};
use crate::report::kit::inductor_runs;
use crate::report::subject::Report;

/// One sentence or a few each, the limits of the device first.
pub(crate) fn notes(report: Report<'_>, found: &Performance) -> Vec<String> {
    let time = &found.time;
    let mut notes: Vec<String> = Vec::new();
    if !found.kernels.is_empty() {
        notes.push(limits(found));
        notes.push(joined(report, found));
    }
    let generated = found.kernels.iter().any(|kernel| kernel.backend == Some(Backend::Cpp));
    if !found.on_device && !generated && !found.kernels.is_empty() && has_code(report) {
        notes.push(
            "The trace has no generated C++ kernels, so their time is missing here: set \
             `torch._inductor.config.cpp.enable_kernel_profile = True` before compiling."
                .to_owned(),
        );
    }
    notes.extend(several_devices(found));
    notes.extend(variation(found));
    if time.communication_us > 0.0 {
        let hidden = time.communication_us - time.exposed_communication_us;
        let words = format!(
            "Communication took {}: {} exposed, {} hidden behind kernels.",
            micros(time.communication_us),
            micros(time.exposed_communication_us),
            micros(hidden)
        );
        notes.push(words);
    }
    if let Some(why) = &found.trace.damaged {
        notes.push(format!(
            "The trace could not be read to its end: {why}. This page covers the part before."
        ));
    }
    notes.extend(layouts(found));
    if found.unreadable > 0 {
        let entries = counted(found.unreadable, "entry", "entries");
        notes.push(format!("{entries} of the trace could not be read and were left out."));
    }
    notes
}

/// A kernel's time varies if its longest run takes this many times the median.
const VARIES: f64 = 3.0;

/// A note for times that vary from run to run.
fn variation(found: &Performance) -> Option<String> {
    let often = found.kernels.iter().filter(|kernel| kernel.count > 2 && kernel.median_us > 0.0);
    let factors = often.map(|kernel| kernel.max_us / kernel.median_us).filter(|factor| *factor > VARIES);
    let (kernels, most) = factors.fold((0, 0.0), |(kernels, most), factor| (kernels + 1, factor.max(most)));
    (kernels > 0).then(|| {
        format!(
            "The longest run of {} takes up to {most:.0} times the median: record on an idle machine, after a few steps to warm up.",
            counted(kernels, "kernel", "kernels")
        )
    })
}

/// A note for traces of several devices.
fn several_devices(found: &Performance) -> Option<String> {
    let [first, _, ..] = found.devices.as_slice() else { return None };
    let describe = |device: &DeviceRuns| {
        let name = device.name.as_ref().map(|name| format!("{}, ", short_kernel(name, SHORT_NAME)));
        let runs = counted(device.runs, "run", "runs");
        format!("device {} ({}{runs})", device.id, name.unwrap_or_default())
    };
    let named: Vec<String> = found.devices.iter().take(NAMED).map(describe).collect();
    let others = match found.devices.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {}", counted(more, "other", "others")),
    };
    Some(format!(
        "Kernels ran on {}: {}{others}. Times are for all of them together, so busy means that any of them ran; shares \
         refer to the limits of device {}.",
        counted(found.devices.len(), "device", "devices"),
        named.join(", "),
        first.id
    ))
}

/// Kernels of libraries that change the layout of a tensor, by parts of their names.
const LAYOUTS: [&str; 2] = ["nchwToNhwc", "nhwcToNchw"];

/// Share of the kernel time from which conversions between layouts are worth a note.
const MUCH_CONVERSION: f64 = 0.05;

/// A note for conversions between layouts, all of them together.
fn layouts(found: &Performance) -> Option<String> {
    let us = |of: &str| -> f64 {
        let kernels = found.kernels.iter().filter(|kernel| kernel.name.contains(of));
        kernels.map(|kernel| kernel.sum_us).sum()
    };
    let [forth, back] = LAYOUTS.map(us);
    let all: f64 = found.kernels.iter().map(|kernel| kernel.sum_us).sum();
    (forth + back >= MUCH_CONVERSION * all).then(|| {
        format!(
            "Conversions of tensors between NCHW and NHWC take {} of the kernel time: convolutions of the library compute in \
             NHWC. `model.to(memory_format=torch.channels_last)`, with inputs in the same format, leaves them out.",
            percent(forth + back, all, false)
        )
    })
}

/// How close the kernels come to the limits of the device, or why that is unknown.
fn limits(found: &Performance) -> String {
    let Some(peaks) = &found.peaks else {
        return match &found.device.name {
            Some(device) => format!(
                "The limits of {device} are unknown, so there are rates but no shares: supply them with `--device NAME` or `--device FILE.json`."
            ),
            None => "The trace names no device, so there are rates but no shares of its limits: supply them with `--device`, which takes a CPU, too: `--device cpu:16x2.5x512x8x4800`."
                .to_owned(),
        };
    };
    let sum = |words: &[&str]| -> f64 {
        let kernels = found.kernels.iter().filter(|kernel| words.contains(&figures::verdict_word(kernel)));
        kernels.map(|kernel| kernel.sum_us).fold(0.0, |all, us| all + us)
    };
    let all: f64 = found.kernels.iter().filter(|kernel| kernel.computes()).map(|kernel| kernel.sum_us).sum();
    let doubtful_us = sum(&["check", "implausible", "wrong-counts"]);
    let doubtful = match doubtful_us > 0.0 {
        true => {
            format!("{} is in kernels whose figures are in doubt, and ", percent(doubtful_us, all, false))
        }
        false => String::new(),
    };
    let clock_mhz = found.device.clock_mhz;
    let unused_clock = clock_mhz.filter(|_| !found.device.corrected).map(|mhz| {
        format!(
            " The clock of {mhz} MHz was not used, as the clock at which the figures of this device hold is unknown."
        )
    });
    let clock = match clock_mhz.filter(|_| found.device.corrected) {
        Some(mhz) if found.device.clock_from == Some(ClockFrom::Option) => format!(" at {mhz} MHz"),
        Some(mhz) => format!(" at {mhz} MHz, the clock that the trace states"),
        None if peaks.is_cpu => String::new(),
        None => " (the clock is not known; the figures hold at its boost clock)".to_owned(),
    };
    let assumed = peaks
        .assumption()
        .map(|what| format!(" One assumption about the device: {what}. Choose another with `--device`."));
    let runs = counted(found.trace.launches, "run", "runs");
    let ran =
        found.device.name.as_ref().map(|device| format!("{runs} on {}. ", short_kernel(device, SHORT_NAME)));
    let unknown_us = sum(&["unknown"]);
    if all > 0.0 && unknown_us >= all {
        let ran = ran.unwrap_or_default();
        return format!(
            "{ran}The work of all kernels is unknown, so none is held against the limits of {}.",
            peaks.name
        );
    }
    format!(
        "{}{} of the kernel time is in kernels that reach at least half of a limit of {}{clock}; {doubtful}for {} the work is unknown.{}{}",
        ran.unwrap_or_default(),
        percent(sum(&["near"]), all, false),
        peaks.name,
        percent(unknown_us, all, false),
        assumed.unwrap_or_default(),
        unused_clock.unwrap_or_default()
    )
}

/// How much of the trace was matched with the log.
fn joined(report: Report<'_>, found: &Performance) -> String {
    let measured = format!("Times were measured in {}.", found.trace.file);
    let coded = has_code(report);
    let lines = match found.unjoined.launches {
        0 => "All kernel runs map to source lines.".to_owned(),
        all if all == found.trace.launches && !coded => "No kernel run maps to a source line, as the trace was read without the log of its run. Give both: `tlparse LOG --profile TRACE`.".to_owned(),
        all if all == found.trace.launches && found.calls.is_empty() && !has_known_graph(found) => return format!("{} {measured}", nothing_joined(report, found)),
        some => format!(
            "{} of {} map to no source line: they ran outside of compiled code, or log and trace have no data for them.",
            counted(some, "run", "runs"),
            counted(found.trace.launches, "kernel run", "kernel runs")
        ),
    };
    let calls: usize = found.calls.iter().map(|call| call.count).sum();
    if calls == 0 {
        return format!("{lines} {measured}");
    }
    let calls = counted(calls, "run was", "runs were");
    format!("{calls} matched with the generated code, by graph, name and order. {lines} {measured}")
}

/// Whether the log has generated code that a trace can be matched with.
fn has_code(report: Report<'_>) -> bool {
    inductor_runs::all(report).iter().any(|run| !run.run.code.is_empty())
}

/// Whether the trace calls graphs, and, as it is not of another run, those of the log.
fn has_known_graph(found: &Performance) -> bool {
    found.foreign_graphs.is_none() && found.regions.iter().any(|region| region.graphs_us.is_some())
}

/// What was compared, if nothing in the trace matches the log.
fn nothing_joined(report: Report<'_>, found: &Performance) -> String {
    let generated =
        found.kernels.iter().filter(|kernel| matches!(kernel.backend, Some(Backend::Triton | Backend::Cpp)));
    let model = report.model;
    let known =
        |id: &str| crate::trace::CompileId::parse(id).is_some_and(|id| model.by_id.contains_key(&Some(id)));
    let regions = found.regions.iter().filter(|region| known(&region.compile_id)).count();
    format!(
        "Nothing in this trace matches the log. Compared were the cache keys of its graphs, the names of its {}, and its \
         compiled regions ({} of {} have a compile id of the log). Is the trace from another run?",
        counted(generated.count(), "generated kernel", "generated kernels"),
        whole(regions),
        whole(found.regions.len())
    )
}
