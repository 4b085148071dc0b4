//! The table of measured kernels.

use super::figures;
use super::lines::names;
use crate::analysis::performance::{Backend, MeasuredKernel, Performance};
use crate::report::kit::formats::{UNKNOWN, bytes, clipped, micros, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close_section, note_below, soft_paragraph, titled};
use crate::report::kit::tables::{Head, Row, Table, Td};
use crate::report::kit::view::View;
use crate::trace::{CompileId, TextSet};
use std::io::Write;

/// Kernels in the table, the longest first.
pub(super) const MOST_KERNELS: usize = 2_000;
/// Characters of a kernel's name; the whole stands behind it. Names of C++ templates have hundreds.
const LONGEST_NAME: usize = 72;
/// Characters of a name that may break only between words.
const SHORT_NAME: usize = 24;
/// Lines in a cell.
const MOST_LINES: usize = 4;

/// Writes the section.
pub(super) fn write(view: View<'_>, found: &Performance, out: &mut dyn Write) -> anyhow::Result<()> {
    let all = &found.kernels;
    let of = |backend: Backend| all.iter().filter(|kernel| kernel.backend == backend).count();
    let kinds = [Backend::Triton, Backend::Cpp, Backend::Extern, Backend::Eager];
    let words = kinds.map(|kind| (word(kind), label(kind), of(kind)));
    let tools = view.narrow("kernels-table", "Filter by name or line", words)?;
    let note = "one row per kernel, graph and shape of the operator's inputs; by time";
    view.open_section(out, ("kernels", "Kernels", note), Some(whole(all.len())), tools)?;
    if all.is_empty() {
        soft_paragraph(
            out,
            "None: the trace holds no run of a kernel. Record it with ProfilerActivity.CUDA for a GPU, and for a CPU set torch._inductor.config.cpp.enable_kernel_profile.",
        )?;
        return Ok(close_section(out)?);
    }
    let none = |known: fn(&MeasuredKernel) -> bool| !all.iter().any(known);
    let heads = vec![
        Head::text("Kernel").mono(),
        Head::text("Kind"),
        Head::compiles("Compile").absent_if(none(|k| !k.compile_ids.is_empty())),
        Head::number("Runs"),
        Head::number("Sum"),
        Head::number("Mean"),
        Head::number("Median"),
        Head::number("GFLOP")
            .about("of one run; a multiply-add counts 2")
            .absent_if(none(|k| k.flops.is_some())),
        Head::number("Bytes").about("that one run must move at least").absent_if(none(|k| k.bytes.is_some())),
        Head::number("FLOP rate").absent_if(none(|k| k.rates.tflops.is_some())),
        Head::number("Of peak").absent_if(none(|k| k.rates.share_of_peak.is_some())),
        Head::number("Byte rate").absent_if(none(|k| k.rates.gbps.is_some())),
        Head::number("Of bandwidth").absent_if(none(|k| k.rates.share_of_bandwidth.is_some())),
        Head::text("Bound by").absent_if(none(|k| k.rates.bound.is_some())),
        Head::text("Verdict").absent_if(none(|k| k.rates.judgement.is_some())),
        Head::text("Lines").soft().absent_if(none(|k| !k.lines.is_empty())),
    ];
    let table = Table { id: "kernels-table", label: "Measured kernels", heads };
    let shown: Vec<&MeasuredKernel> = all.iter().take(MOST_KERNELS).collect();
    let count = shown.len();
    let rows = shown.into_iter().enumerate().map(|(place, kernel)| row(view, place, kernel));
    view.table(out, &table, rows)?;
    view.beyond(out, all.len(), count, "kernels")?;
    note_below(
        out,
        "Times are over all runs of a row; rates are of its mean run. Bytes are the least that a run must move: each tensor \
         once, twice where it is updated in place. Real traffic may be more, and less than that reaches memory where the \
         data is still in a cache.",
    )?;
    Ok(close_section(out)?)
}

fn row(view: View<'_>, place: usize, kernel: &MeasuredKernel) -> anyhow::Result<Row> {
    let id = kernel.compile_ids.first().and_then(|id| CompileId::parse(id));
    let compile = match &id {
        Some(id) => {
            let pill = Td::html(view.pill_of(Some(id))?);
            match view.report.model.by_id.get(&Some(id.clone())) {
                Some(index) => pill.sorted(index),
                None => pill,
            }
        }
        None => Td::text(UNKNOWN),
    };
    let rates = &kernel.rates;
    let figure = |known: Option<(f64, _)>, show: fn(f64) -> String| match known {
        Some((value, from)) => {
            let cell = Td::html(titled(figures::from(from), show(value)));
            cell.class("num").sorted(value)
        }
        None => Td::maybe(None, show),
    };
    let row = Row::of(vec![
        Td::html(name(kernel)),
        Td::text(label(kernel.backend)),
        compile,
        Td::number(kernel.count as f64, &whole(kernel.count)),
        Td::number(kernel.sum_us, &micros(kernel.sum_us)),
        Td::html(titled(&extremes(kernel), micros(kernel.mean_us))).class("num").sorted(kernel.mean_us),
        Td::number(kernel.median_us, &micros(kernel.median_us)),
        figure(kernel.flops, |flops| format!("{:.3}", flops / 1e9)),
        figure(kernel.bytes, bytes),
        Td::maybe(rates.tflops, figures::flop_rate),
        Td::maybe(rates.share_of_peak, figures::share),
        Td::maybe(rates.gbps, figures::byte_rate),
        Td::maybe(rates.share_of_bandwidth, figures::share),
        Td::text(figures::bound(rates)),
        Td::text(figures::verdict(kernel)),
        Td::html(lines(view, kernel)),
    ]);
    Ok(row.selected_by(word(kernel.backend).to_owned()).anchored(format!("kernel-{}", place + 1)))
}

/// The name, with the operator that asked for the kernel where that says more.
fn name(kernel: &MeasuredKernel) -> Html {
    let shown = match clipped(&kernel.name, LONGEST_NAME) {
        (start, true) => titled(&kernel.name, format!("{start}…")),
        (whole, false) => Html::escaped(whole),
    };
    let operators: Vec<String> =
        kernel.operators.iter().filter(|operator| **operator != kernel.name).cloned().collect();
    let shown = match operators.is_empty() {
        true => shown,
        false => {
            let words = format!(" for {}", names(&operators));
            Html::joined([shown, Element::new("small").class("soft").around(words)], "")
        }
    };
    // A long name breaks anywhere, but not into a column of letters.
    match clipped(&kernel.name, SHORT_NAME).1 {
        true => Element::new("div").class("long-name").around(shown),
        false => shown,
    }
}

/// `shortest 93 us, longest 1.2 ms`, and what the trace tells of the launch.
fn extremes(kernel: &MeasuredKernel) -> String {
    let mut words = vec![format!("shortest {}, longest {}", micros(kernel.min_us), micros(kernel.max_us))];
    if let Some(device) = &kernel.device {
        words.extend(device.registers.map(|registers| format!("{registers} registers per thread")));
        words.extend(device.shared_memory.map(|shared| format!("{} of shared memory", bytes(shared as f64))));
        words.extend(device.occupancy.map(|occupancy| format!("occupancy about {occupancy} %")));
    }
    words.join("; ")
}

fn lines(view: View<'_>, kernel: &MeasuredKernel) -> Html {
    let mut named = TextSet::default();
    let shown = kernel.lines.iter().take(MOST_LINES);
    let mut places: Vec<Html> =
        shown.map(|line| view.place_once(&mut named, Some(&line.file), Some(line.line))).collect();
    let more = kernel.lines.len().saturating_sub(MOST_LINES);
    if more > 0 {
        places.push(Html::escaped(&format!("{} more", whole(more))));
    }
    if places.is_empty() {
        return Html::escaped(UNKNOWN);
    }
    Html::joined(places, ", ")
}

/// The word of a row by which the filter selects it.
fn word(backend: Backend) -> &'static str {
    match backend {
        Backend::Triton => "triton",
        Backend::Cpp => "cpp",
        Backend::Extern => "library",
        Backend::Eager => "eager",
    }
}

fn label(backend: Backend) -> &'static str {
    match backend {
        Backend::Triton => "Triton",
        Backend::Cpp => "C++",
        Backend::Extern => "library",
        Backend::Eager => "eager",
    }
}
