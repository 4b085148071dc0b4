//! `kernels.html`: every kernel of the log with its graph, its source lines, and the outcome of tuning.

mod measured;

use crate::limits::{KERNEL_IN_LIST, KERNELS_LISTED, LONG_TABLE};
use crate::model::words::shortened;
use crate::report::kit::collect_kernels::kernels_of_log;
use crate::report::kit::inductor_runs;
use crate::report::kit::inductor_runs::Run;
use crate::report::kit::kernel_list::{CallPlace, Kernel, Kernels, Line, LineKernel};
use crate::report::kit::prelude::*;
use crate::trace::TextSet;
use indexmap::IndexMap;
use measured::Measured;

/// Rows from which on the table of kernels can be sorted and filtered: people look for one kernel.
const NARROWED: usize = 8;

/// Lines, or kernels, in a cell.
const MOST_IN_CELL: usize = 16;

/// Whether the log has generated code.
pub(crate) fn present(report: Report<'_>) -> bool {
    let code = |run: &Run<'_>| !run.run.code.is_empty();
    report.model.compiles.iter().any(|compile| inductor_runs::runs_of(report, compile).iter().any(code))
}

pub(crate) fn page(report: Report<'_>) -> Page<'_, Worker> {
    let path = RelPath::of_parts(&[links::KERNELS]);
    Page::rendered(path, move |worker, out| write(report, worker, out))
}

fn write(report: Report<'_>, worker: &mut Worker, out: &mut dyn Write) -> anyhow::Result<()> {
    let runs = inductor_runs::all(report);
    let found = kernels_of_log(report)?;
    let mut shell = Shell::top(report, "Kernels");
    shell.tabs = vec![Tab::section("kernels", "Kernels", Some(whole(found.kernels.len())))];
    if !found.lines.is_empty() {
        shell.tabs.push(Tab::section("lines", "By source line", Some(whole(found.lines.len()))));
    }
    if inductor_runs::any_shown(report) {
        let count = inductor_runs::count(report).map(whole);
        shell.tabs.push(Tab::away(inductor_runs::first_page(report), "Provenance", count));
    }
    write_page(worker, out, &shell, |worker, out| {
        let view = View::new(report, worker, 0);
        hero(view, &runs, found, out)?;
        kernels(view, &runs, found, out)?;
        lines(view, &runs, found, out)
    })
}

fn hero(view: View<'_>, runs: &[Run<'_>], found: &Kernels, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut kinds: IndexMap<&str, usize> = IndexMap::new();
    for kernel in &found.kernels {
        *kinds.entry(kernel.language.unwrap_or("library")).or_default() += 1;
    }
    let kinds = kinds.iter().map(|(kind, count)| match *kind {
        "library" => format!("{} from libraries", whole(*count)),
        kind => format!("{} generated in {kind}", whole(*count)),
    });
    let kinds: Vec<String> = kinds.collect();
    let graphs = runs.iter().filter(|run| !run.run.code.is_empty()).count();
    let calls: usize = found.kernels.iter().map(|kernel| kernel.calls).sum();
    let colon = if kinds.is_empty() { "" } else { ": " };
    let sentence = [
        strong(counted(found.kernels.len(), "kernel", "kernels")),
        " in ".into(),
        strong(counted(graphs, "graph", "graphs")),
        ", called at ".into(),
        strong(counted(calls, "place", "places")),
        format!("{colon}{}.", kinds.join(", ")).into(),
    ];
    let with_lines = found.kernels.iter().filter(|kernel| !kernel.lines.is_empty()).count();
    let all = found.kernels.len();
    let about = match with_lines {
        0 => "The log does not map kernels to source lines".to_owned(),
        _ if with_lines == all => {
            let lines = found.lines.values().filter(|line| !line.kernels.is_empty()).count();
            format!("They come from {}", counted(lines, "source line", "source lines"))
        }
        some => {
            format!("The log maps {} of {} to source lines", whole(some), counted(all, "kernel", "kernels"))
        }
    };
    let mut notes = vec![format!("{about}. Names are unique only within a graph.").into()];
    if found.without_data > 0 {
        let why = format!(
            "Provenance was not recorded for {}: what their kernels compute is derived from what the generated code reads \
             and writes. Set ",
            counted(found.without_data, "graph", "graphs")
        );
        let setting = view.code("INDUCTOR_PROVENANCE=1");
        notes.push(Html::joined([why.into(), setting, " to record it.".into()], ""));
    }
    Ok(write_line(out, &view.verdict(Html::joined(sentence, ""), notes)?)?)
}

fn kernels(view: View<'_>, runs: &[Run<'_>], found: &Kernels, out: &mut dyn Write) -> anyhow::Result<()> {
    let all = &found.kernels;
    let of = |kind: &str| all.iter().filter(|kernel| kernel.language.unwrap_or("library") == kind).count();
    let kinds = ["library", "C++", "Triton", "several of Triton", "CUDA", "ROCm", "CuteDSL", "Halide"];
    let words = kinds.map(|kind| (word(kind), kind, of(kind)));
    let tools = view.narrow_from(NARROWED, ("kernels-table", "Filter by name or line"), words)?;
    let note = "one row per kernel and graph";
    view.open_section(out, ("kernels", "Kernels", note), Some(whole(all.len())), tools)?;
    if all.is_empty() {
        soft_paragraph(out, "None: the generated code calls no kernel.")?;
        return Ok(close_section(out)?);
    }
    let none = |known: fn(&Kernel) -> bool| !all.iter().any(known);
    let measured = Measured::of(view, found);
    let mut columns = vec![
        TableColumn::text("Kernel").mono(),
        TableColumn::text("Called at")
            .about("its first call, where its lines are linked to graph and source"),
        TableColumn::compiles("Graph"),
        TableColumn::text("Kind"),
        TableColumn::number("Calls").about("lines of the code that call it"),
        TableColumn::text("Source lines").absent_if(none(|k| !k.lines.is_empty())),
        TableColumn::number("Nodes").about("nodes of the post-grad graph").absent_if(none(|k| k.nodes > 0)),
        TableColumn::number("Lines of code").absent_if(none(|k| k.body.is_some())),
        TableColumn::text("Autotuning")
            .absent_if(none(|k| k.tuning.as_ref().is_some_and(|t| t.state.is_some()))),
        TableColumn::number("Candidates")
            .absent_if(none(|k| k.tuning.as_ref().is_some_and(|t| t.candidates.is_some()))),
        TableColumn::text("Configuration")
            .absent_if(none(|k| k.tuning.as_ref().is_some_and(|t| t.chosen.is_some()))),
        TableColumn::number("Compile time")
            .absent_if(none(|k| k.tuning.as_ref().is_some_and(|t| t.compile_us.is_some()))),
        TableColumn::number("Estimated run time").absent_if(none(|k| k.runtime_ns.is_some())),
    ];
    columns.splice(1..1, measured.columns());
    let table = Table { id: "kernels-table", label: "Kernels", columns };
    let mut order: Vec<&Kernel> = all.iter().collect();
    // What was measured comes first, the longest on top; the rest stays in the order of the log.
    order.sort_by(|one, other| other.measured.sum_us.total_cmp(&one.measured.sum_us));
    let rows = order.into_iter().take(KERNELS_LISTED);
    let rows = rows.map(|kernel| row(view, runs, (found, &measured), kernel));
    view.table_sorted_from(out, (&table, NARROWED), rows)?;
    view.beyond(out, all.len(), KERNELS_LISTED, "kernels")?;
    if none(|kernel| kernel.tuning.is_some()) {
        let words = "torch records compile times and autotuning only for Triton kernels, and estimated run times for GPUs with ";
        note_below(out, Html::joined([words.into(), view.code("LOG_TLPARSE=1"), ".".into()], ""))?;
    }
    Ok(close_section(out)?)
}

/// The word of a row by which the filter selects it.
fn word(kind: &'static str) -> &'static str {
    match kind {
        "C++" => "cpp",
        "several of Triton" => "multi",
        kind => kind,
    }
}

fn row(view: View<'_>, runs: &[Run<'_>], (found, measured): (&Kernels, &Measured), kernel: &Kernel) -> Row {
    let run = runs.get(kernel.run);
    let call = run.and_then(|run| href(view, run, &kernel.first));
    let body = kernel.body.and_then(|body| run?.line_href(view, body.file, body.first));
    let name = view.link_if(body.as_deref().or(call.as_deref()), &kernel.name);
    let called_at = view.link_if(call.as_deref(), &format!("line {}", whole(kernel.first.line)));
    // A name of many operators may break anywhere, but not into a column of single letters.
    let name = match clipped(&kernel.name, KERNEL_IN_LIST).1 {
        true => Element::new("div").class("long-name").around(name),
        false => name,
    };
    let kind = kernel.language.unwrap_or("library");
    let tuning = kernel.tuning.clone().unwrap_or_default();
    let graph = match run {
        Some(run) => Html::joined([view.pill_beside(run.compile), run.name().into()], "&nbsp;"),
        None => Html::default(),
    };
    let code = tuning.chosen.as_deref().map_or_else(|| UNKNOWN.into(), |text| view.folded(text, true));
    let count = |value: Option<f64>| TableCell::maybe(value, |value| whole(value as u64));
    let mut cells = vec![
        TableCell::html(name),
        TableCell::html(called_at).sorted(kernel.first.line),
        TableCell::html(graph).sorted(kernel.run),
        TableCell::text(kind),
        TableCell::count(kernel.calls),
        TableCell::html(source_lines(view, found, kernel)),
        count((kernel.nodes > 0).then_some(kernel.nodes as f64)),
        count(kernel.body.map(|body| f64::from(body.lines()))),
        TableCell::text(tuning.state.as_deref().map_or(UNKNOWN, |state| state_words(&kernel.name, state))),
        count(tuning.candidates),
        TableCell::html(code),
        TableCell::maybe(tuning.compile_us, micros),
        TableCell::maybe(kernel.runtime_ns, |ns| micros(ns / 1e3)),
    ];
    cells.splice(1..1, measured.cells(view, kernel));
    let anchor = links::kernel_of_code_anchor(kernel.run, kernel.first_place);
    Row::of(cells).selected_by(word(kind).to_owned()).anchored(anchor)
}

/// Prefix of the names of kernels made from templates, which won against others.
const TEMPLATE: &str = "triton_tem_";

/// Plain words for torch's states of tuning. The log is written before the kernel is called.
fn state_words<'s>(kernel: &str, state: &'s str) -> &'s str {
    match state {
        "miss" => "tuned at the first call, not in the cache",
        "hit" => "found in the cache",
        "only 1 config" if kernel.starts_with(TEMPLATE) => "the template that autotuning chose",
        "only 1 config" => "one configuration, nothing to tune",
        "force_disabled" => "tuning switched off",
        other => other,
    }
}

/// The address of a call in the linked panes, or in the generated code.
fn href(view: View<'_>, run: &Run<'_>, call: &CallPlace) -> Option<String> {
    match run.href(view) {
        Some(page) => Some(format!("{page}#{}", call.anchor)),
        None => run.line_href(view, call.file, call.line),
    }
}

/// `x.py:19, 20`, each a link to its row below.
fn source_lines(view: View<'_>, found: &Kernels, kernel: &Kernel) -> Html {
    let known =
        kernel.lines.iter().filter_map(|index| found.lines.get_index(*index).zip(found.places.get(*index)));
    let lines: Vec<_> = known.map(|(((file, line), _), place)| ((file.as_str(), *line), *place)).collect();
    view.file_lines(lines.iter().map(|(line, _)| *line), MOST_IN_CELL, |index, _| {
        let (_, place) = lines.get(index).filter(|(_, place)| *place < LONG_TABLE)?;
        Some(format!("#line-{}", place + 1))
    })
}

/// A kernel's name without common prefixes, clipped.
fn short_name(name: &str) -> String {
    let shared = [
        "extern_kernels.",
        "torch.ops.aten.",
        "torch.ops.",
        "cpp_fused_",
        "aoti_torch_cpu_",
        "aoti_torch_cuda_",
    ];
    let rest = shared.iter().find_map(|start| name.strip_prefix(start)).unwrap_or(name);
    shortened(rest, KERNEL_IN_LIST).into_owned()
}

fn lines(view: View<'_>, runs: &[Run<'_>], found: &Kernels, out: &mut dyn Write) -> anyhow::Result<()> {
    let all = &found.lines;
    if all.is_empty() {
        return Ok(());
    }
    let unsure = all.values().any(|line| !line.perhaps.is_empty());
    let note = match unsure {
        true => "which kernels a source line became, or the candidates if the log does not say",
        false => "which kernels a source line became",
    };
    view.open_section(out, ("lines", "By source line", note), Some(whole(all.len())), Html::default())?;
    let mut columns = vec![
        TableColumn::text("Line").soft(),
        TableColumn::text("Code").mono().absent_if(all.values().all(|line| line.code.is_none())),
        TableColumn::number("Kernels"),
        TableColumn::unsorted("Which"),
    ];
    let measured = Measured::of(view, found);
    columns.splice(2..2, measured.line_head());
    let table = Table { id: "lines-table", label: "Kernels by source line", columns };
    let mut named = TextSet::default();
    let rows = found.order.iter().take(LONG_TABLE).enumerate().map(|(place, index)| {
        let Some(((file, number), line)) = all.get_index(*index) else { return Row::of(Vec::new()) };
        let mut cells = vec![
            TableCell::html(view.place_once(&mut named, Some(file), Some(*number))).sorted(place),
            TableCell::html(
                line.code.as_deref().map_or_else(|| UNKNOWN.into(), |code| view.folded(code, false)),
            ),
            TableCell::count(line.kernels.len()),
            TableCell::html(kernels_of(view, runs, found, line)).class("soft"),
        ];
        cells.splice(2..2, measured.line_cell(view, file, *number));
        Row::of(cells).anchored(format!("line-{}", place + 1))
    });
    view.table(out, &table, rows)?;
    view.beyond(out, all.len(), LONG_TABLE, "lines")?;
    Ok(close_section(out)?)
}

/// `0/0 inference addmm, gelu_0; 0/1 forward addmm`: each kernel links to its call for this line, and the graph to the
/// line in its panes.
fn kernels_of(view: View<'_>, runs: &[Run<'_>], found: &Kernels, line: &Line) -> Html {
    let kernels = &line.kernels;
    let mut pieces = Vec::new();
    let mut before = None;
    for LineKernel { kernel, call, source } in kernels.iter().take(MOST_IN_CELL) {
        let Some(kernel) = found.kernels.get(*kernel) else { continue };
        let Some(run) = runs.get(kernel.run) else { continue };
        if before.replace(kernel.run) != Some(kernel.run) {
            let start = if pieces.is_empty() { "" } else { "; " };
            let label = run.label();
            let page = run.href(view).map(|page| format!("{page}#{source}"));
            pieces.extend([start.into(), view.link_if(page.as_deref(), &label), " ".into()]);
        } else {
            pieces.push(", ".into());
        }
        pieces.push(view.link_if(href(view, run, call).as_deref(), &short_name(&kernel.name)));
    }
    pieces.push(and_more(kernels.len(), MOST_IN_CELL).into());
    for (index, (run, count)) in line.perhaps.iter().take(MOST_IN_CELL).enumerate() {
        let Some(run) = runs.get(*run) else { continue };
        let start = match (index, kernels.is_empty()) {
            (0, true) => "candidates: ",
            (0, false) => "; candidates: ",
            _ => ", ",
        };
        let count = if index == 0 { counted(*count, "kernel", "kernels") } else { whole(*count) };
        pieces.push(format!("{start}{count} of {}", run.label()).into());
    }
    let more = line.perhaps.len().saturating_sub(MOST_IN_CELL);
    if more > 0 {
        pieces.push(format!(" and in {}", counted(more, "further graph", "further graphs")).into());
    }
    Html::joined(pieces, "")
}
