//! `performance.html`: what a trace of torch.profiler tells of the kernels: which lines of the program take the device's
//! time, how far each kernel is from what the device can do.

mod figures;
mod kernels;
mod lines;
mod regions;
mod roofline;

use crate::analysis::performance::{Backend, Performance};
use crate::output::{Page, RelPath};
use crate::report::kit::formats::{counted, micros, percent, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, put, soft, span};
use crate::report::kit::shell::{Shell, Tab, write_page};
use crate::report::kit::templates::Worker;
use crate::report::kit::view::View;
use crate::report::subject::Report;
use crate::report::words::performance::sentence_of;
use std::io::Write;

/// Whether the report was given a trace.
pub(crate) fn present(report: Report<'_>) -> bool {
    report.found.performance.is_some()
}

/// The page; none without a trace.
pub(crate) fn pages(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let Some(found) = &report.found.performance else { return Vec::new() };
    let path = RelPath::of_parts(&["performance.html"]);
    vec![Page::rendered(path, move |worker, out| write(report, found, worker, out))]
}

fn write(
    report: Report<'_>,
    found: &Performance,
    worker: &mut Worker,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut shell = Shell::top(report, "Performance");
    let mut section = |id: &str, text: &str, count: usize| {
        if count > 0 {
            shell.tabs.push(Tab::section(id, text, Some(whole(count))));
        }
    };
    section("lines", "Lines", found.lines.len());
    section("kernels", "Kernels", found.kernels.len());
    section("roofline", "Roofline", roofline::points(found).count());
    section("regions", "Compiled regions", found.regions.len());
    section("operators", "Operators", found.operators.len());
    write_page(worker, out, &shell, |worker, out| {
        let view = View::new(report, worker, 0);
        hero(view, found, out)?;
        lines::write(view, found, out)?;
        kernels::write(view, found, out)?;
        roofline::write(view, found, out)?;
        regions::write(view, found, out)?;
        regions::operators(view, found, out)
    })
}

/// The verdict: how busy the device was, with what, and how much of it is near a limit.
fn hero(view: View<'_>, found: &Performance, out: &mut dyn Write) -> anyhow::Result<()> {
    let time = &found.time;
    let mut notes = vec![limits(found).into()];
    notes.extend(joined(found).map(Html::from));
    if time.communication_us > 0.0 {
        let hidden = time.communication_us - time.exposed_communication_us;
        notes.push(
            format!(
                "Communication took {}: {} while nothing computed, {} behind kernels.",
                micros(time.communication_us),
                micros(time.exposed_communication_us),
                micros(hidden)
            )
            .into(),
        );
    }
    if let Some(why) = &found.damaged {
        notes.push(
            format!("The trace could not be read to its end: {why}. What stands here is the part before.")
                .into(),
        );
    }
    if found.unreadable > 0 {
        let entries = counted(found.unreadable, "entry", "entries");
        notes.push(format!("{entries} of the trace could not be read and were left out.").into());
    }
    put(out, &view.verdict(Html::escaped(&sentence_of(found)), notes)?)?;
    put(out, &bar(found))?;
    Ok(())
}

/// How near the kernels come to what the device can do, or why that is not known.
fn limits(found: &Performance) -> String {
    let Some(peaks) = &found.peaks else {
        return match &found.device {
            Some(device) => format!(
                "What {device} can do is not known, so there are rates and no shares: give its figures with --device NAME or --device FILE.json."
            ),
            None => "The trace names no device, so there are rates and no shares of what it can do: give figures with --device FILE.json."
                .to_owned(),
        };
    };
    let sum = |fits: &dyn Fn(Option<f64>) -> bool| -> f64 {
        let kernels = found.kernels.iter().filter(|kernel| fits(kernel.rates.best_share()));
        kernels.map(|kernel| kernel.sum_us).sum()
    };
    let near = sum(&|share| share.is_some_and(|share| share >= figures::NEAR));
    let unknown = sum(&|share| share.is_none());
    let all = sum(&|_| true);
    let clock = match (found.clock_mhz, found.corrected) {
        (Some(clock), true) => format!("at {clock} MHz"),
        (Some(clock), false) => format!(
            "at its boost clock, since the table does not say at which clock the figures hold (given: {clock} MHz)"
        ),
        (None, _) => "at its boost clock".to_owned(),
    };
    format!(
        "{} of the kernels' time is in kernels that reach at least half of a limit of {} {clock}; for {} the work of the \
         kernels is not known.",
        percent(near, all, false),
        peaks.name,
        percent(unknown, all, false)
    )
}

/// How much of the trace was found in the log.
fn joined(found: &Performance) -> Option<String> {
    let from = match found.unjoined.launches {
        0 => "All kernel runs lead to a line of the program".to_owned(),
        all if all == found.launches => return Some("No kernel run leads to a line of the program: the trace was read without the log that knows them, or compiled code did not run in it.".to_owned()),
        some => format!(
            "{} of {} lead to no line of the program: they ran outside of compiled code, or the log does not tell",
            counted(some, "run", "runs"),
            counted(found.launches, "kernel run", "kernel runs")
        ),
    };
    Some(format!("{from}. Times are microseconds that {} measured.", found.file))
}

/// The bar of the device's time, with its legend.
fn bar(found: &Performance) -> Html {
    let of = |generated: bool| -> f64 {
        let fits = |backend: Backend| matches!(backend, Backend::Triton | Backend::Cpp) == generated;
        let kernels =
            found.kernels.iter().filter(|kernel| kernel.backend != Backend::Eager && fits(kernel.backend));
        kernels.map(|kernel| kernel.sum_us).sum()
    };
    let time = &found.time;
    let parts = [
        ("device-library", "library kernels in compiled code", of(false)),
        ("device-generated", "generated kernels", of(true)),
        ("device-eager", "eager kernels", time.eager_us),
        ("device-communication", "exposed communication", time.exposed_communication_us),
        ("device-copy", "copies and fills", time.copy_us),
        ("device-idle", "idle", time.idle_us),
    ];
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
