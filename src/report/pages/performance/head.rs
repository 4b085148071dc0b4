//! The head of the page: how busy the device was and with what, how much is near a limit, and what was matched.

use super::{figures, names};
use crate::analysis::performance::{Backend, Performance};
use crate::model::DeviceRuns;
use crate::report::kit::inductor_runs;
use crate::report::kit::links::{measured_kernel_anchor, measured_line_anchor};
use crate::report::kit::prelude::*;
use crate::report::words::performance::{SentencePiece, pieces_of};

/// Devices that are named.
const NAMED_DEVICES: usize = 8;
/// Characters of the name of a device.
const LONGEST_DEVICE: usize = 64;

pub(super) fn write(view: View<'_>, found: &Performance, out: &mut dyn Write) -> anyhow::Result<()> {
    let pieces = pieces_of(found).into_iter().map(|piece| match piece {
        SentencePiece::Words(text) => Html::escaped(&text),
        SentencePiece::Figure(text) => strong(text),
        SentencePiece::Line(place, text) => view.link(&format!("#{}", measured_line_anchor(place)), &text),
        SentencePiece::Kernel(place, text) => {
            view.link(&format!("#{}", measured_kernel_anchor(place)), &text)
        }
    });
    write_line(out, &view.verdict(Html::joined(pieces.collect::<Vec<_>>(), ""), notes(view, found))?)?;
    if !found.kernels.is_empty() {
        write_line(out, &bar(found))?;
    }
    Ok(())
}

fn notes(view: View<'_>, found: &Performance) -> Vec<Html> {
    let time = &found.time;
    let mut notes: Vec<Html> = Vec::new();
    if !found.kernels.is_empty() {
        notes.push(view.prose(&limits(found)));
        notes.push(view.prose(&joined(view, found)));
    }
    let generated = found.kernels.iter().any(|kernel| kernel.backend == Backend::Cpp);
    if !found.on_device && !generated && !found.kernels.is_empty() && has_code(view.report) {
        notes.push(view.prose(
            "The trace has no generated C++ kernels, so their time is missing here: set \
             `torch._inductor.config.cpp.enable_kernel_profile = True` before compiling.",
        ));
    }
    notes.extend(several_devices(found).map(Html::from));
    notes.extend(variation(found).map(Html::from));
    if time.communication_us > 0.0 {
        let hidden = time.communication_us - time.exposed_communication_us;
        let words = format!(
            "Communication took {}: {} exposed, {} hidden behind kernels.",
            micros(time.communication_us),
            micros(time.exposed_communication_us),
            micros(hidden)
        );
        notes.push(words.into());
    }
    if let Some(why) = &found.damaged {
        notes.push(
            format!("The trace could not be read to its end: {why}. This page covers the part before.")
                .into(),
        );
    }
    if found.unreadable > 0 {
        let entries = counted(found.unreadable, "entry", "entries");
        notes.push(format!("{entries} of the trace could not be read and were left out.").into());
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
        let name = device.name.as_ref().map(|name| format!("{}, ", names::short(name, LONGEST_DEVICE)));
        let runs = counted(device.runs, "run", "runs");
        format!("device {} ({}{runs})", device.id, name.unwrap_or_default())
    };
    let named: Vec<String> = found.devices.iter().take(NAMED_DEVICES).map(describe).collect();
    let others = match found.devices.len().saturating_sub(NAMED_DEVICES) {
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

/// How close the kernels come to the limits of the device, or why that is unknown.
fn limits(found: &Performance) -> String {
    let Some(peaks) = &found.peaks else {
        return match &found.device {
            Some(device) => format!(
                "The limits of {device} are unknown, so there are rates but no shares: supply them with `--device NAME` or `--device FILE.json`."
            ),
            None => "The trace names no device, so there are rates but no shares of its limits: supply them with `--device`, which takes a CPU, too: `--device cpu:16x2.5x512x8x4800`."
                .to_owned(),
        };
    };
    let sum = |word: &str| -> f64 {
        let kernels = found.kernels.iter().filter(|kernel| figures::verdict_word(kernel) == word);
        kernels.map(|kernel| kernel.sum_us).fold(0.0, |all, us| all + us)
    };
    let all: f64 = found.kernels.iter().map(|kernel| kernel.sum_us).sum();
    let clock = match found.clock_mhz.filter(|_| found.corrected) {
        Some(clock) => format!(" at {clock} MHz"),
        None if peaks.is_cpu => String::new(),
        None => " at its boost clock".to_owned(),
    };
    let assumed = peaks.assumption().map(|what| format!(" Of the device, {what}; `--device` names it."));
    format!(
        "{} of the kernel time is in kernels that reach at least half of a limit of {}{clock}; for {} the work is unknown.{}",
        percent(sum("near"), all, false),
        peaks.name,
        percent(sum("unknown"), all, false),
        assumed.unwrap_or_default()
    )
}

/// How much of the trace was matched with the log.
fn joined(view: View<'_>, found: &Performance) -> String {
    let measured = format!("Times were measured in {}.", found.file);
    let coded = has_code(view.report);
    let lines = match found.unjoined.launches {
        0 => "All kernel runs map to source lines.".to_owned(),
        all if all == found.launches && !coded => "No kernel run maps to a source line, as the trace was read without the log of its run. Give both: `tlparse LOG --profile TRACE`.".to_owned(),
        all if all == found.launches && found.calls.is_empty() => return format!("{} {measured}", nothing_joined(view, found)),
        some => format!(
            "{} of {} map to no source line: they ran outside of compiled code, or the log has no data for them.",
            counted(some, "run", "runs"),
            counted(found.launches, "kernel run", "kernel runs")
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

/// What was compared, if nothing in the trace matches the log.
fn nothing_joined(view: View<'_>, found: &Performance) -> String {
    let generated = found
        .kernels
        .iter()
        .filter(|kernel| kernel.backend == Backend::Triton || kernel.backend == Backend::Cpp);
    let model = view.report.model;
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

/// A part of the bar: class, words, microseconds.
type BarPart = (&'static str, &'static str, f64);

/// The bar of the device's time, with its legend.
fn bar(found: &Performance) -> Html {
    let parts = if found.time.compiled_us > 0.0 { by_maker(found) } else { by_verdict(found) };
    let total: f64 = parts.iter().map(|(_, _, us)| us).sum();
    let shown: Vec<_> = parts.iter().filter(|(_, _, us)| *us > 0.0).collect();
    let drawn = shown.iter().map(|(class, _, us)| {
        Element::new("span").class(class).style(&format!("width:{:.2}%", 100.0 * us / total)).around("")
    });
    let words = shown.iter().map(|(class, name, us)| {
        let swatch = Element::new("span").class(&format!("swatch {class}")).around("");
        let share = soft(percent(*us, total, false));
        span("part", Html::joined([swatch, format!("{name} {} ", micros(*us)).into(), share], ""))
    });
    let bar = Element::new("div").class("bar big").attribute("aria-hidden", "true");
    let legend = Element::new("div").class("legend").around(Html::joined(words, " "));
    Html::joined([bar.around(Html::joined(drawn, "")), legend], "\n")
}

/// By origin of the kernels, which is what compiling changes.
fn by_maker(found: &Performance) -> Vec<BarPart> {
    let of = |generated: bool| -> f64 {
        let fits = |backend: Backend| matches!(backend, Backend::Triton | Backend::Cpp) == generated;
        let kernels =
            found.kernels.iter().filter(|kernel| kernel.backend != Backend::Eager && fits(kernel.backend));
        kernels.map(|kernel| kernel.sum_us).sum()
    };
    let mut parts = vec![
        ("device-library", "library kernels in compiled code", of(false)),
        ("device-generated", "generated kernels", of(true)),
        ("device-eager", "eager kernels", found.time.eager_us),
    ];
    let mut besides = besides(found);
    if !found.on_device {
        // On a CPU nothing else runs meanwhile; on a GPU the wrapper runs ahead of the kernels.
        let regions = found.regions.iter();
        let of = |us: Option<f64>| us.unwrap_or_default();
        let around: f64 = regions.map(|region| of(region.guards_us) + of(region.wrapper_us)).sum();
        let around = around.min(found.time.idle_us);
        parts.push(("device-wrapper", "guards and wrappers around kernels", around));
        besides[2].2 -= around;
    }
    parts.extend(besides);
    parts
}

/// By closeness to the limits, for traces of eager code.
fn by_verdict(found: &Performance) -> Vec<BarPart> {
    let of = |words: &[&str]| -> f64 {
        let kernels = found.kernels.iter().filter(|kernel| words.contains(&figures::verdict_word(kernel)));
        kernels.map(|kernel| kernel.sum_us).sum()
    };
    let known = of(&["near", "between", "far", "check", "implausible", "wrong-counts", "launch"]);
    let mut parts = match known > 0.0 {
        true => vec![
            ("device-library", "near a limit", of(&["near"])),
            ("device-generated", "room, or far from a limit", of(&["between", "far"])),
            ("device-wrong", "figures to check", of(&["check", "implausible", "wrong-counts"])),
            ("device-eager", "too short to judge", of(&["launch"])),
            ("device-unknown", "work unknown", of(&["unknown"])),
        ],
        false => vec![("device-eager", "eager kernels", found.time.eager_us)],
    };
    parts.extend(besides(found));
    parts
}

/// Everything other than computing kernels.
fn besides(found: &Performance) -> [BarPart; 3] {
    let time = &found.time;
    [
        ("device-communication", "exposed communication", time.exposed_communication_us),
        ("device-copy", "copies and fills", time.copy_us),
        ("device-idle", "idle", time.idle_us),
    ]
}
