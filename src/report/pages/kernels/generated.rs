//! The kernels of the generated code: with their graph, their source lines, and the outcome of tuning.

use super::subject::{Subject, linked};
use crate::limits::{IN_ROW, KERNEL_IN_LIST, KERNELS_LISTED, SHORT_LIST};
use crate::report::doc::{
    Block, Cell, Filter, FoundRow, Listing, Others, Rows, Section, log, micros as time, own,
};
use crate::report::kit::inductor_runs::Run;
use crate::report::kit::kernel_list::Kernel;
use crate::report::kit::links::{kernel_of_code_anchor, measured_kernel_anchor};
use crate::report::kit::prelude::*;
use indexmap::IndexMap;

/// Kinds of kernels: the word by which the filter selects them, and their name.
const KINDS: [(&str, &str); 8] = [
    ("library", "library"),
    ("cpp", "C++"),
    ("Triton", "Triton"),
    ("multi", "several of Triton"),
    ("CUDA", "CUDA"),
    ("ROCm", "ROCm"),
    ("CuteDSL", "CuteDSL"),
    ("Halide", "Halide"),
];

fn kind(kernel: &Kernel) -> &'static str {
    kernel.language.unwrap_or("library")
}

/// How many kernels there are, where no trace says more.
pub(super) fn headline<'m>(subject: &'m Subject<'m>) -> Block<'m> {
    let all = &subject.generated.kernels;
    let mut kinds: IndexMap<&str, usize> = IndexMap::new();
    for kernel in all {
        *kinds.entry(kind(kernel)).or_default() += 1;
    }
    let kinds = kinds.iter().map(|(kind, count)| match *kind {
        "library" => format!("{} from libraries", whole(*count)),
        kind => format!("{} generated in {kind}", whole(*count)),
    });
    let kinds: Vec<String> = kinds.collect();
    let graphs = subject.runs.iter().filter(|run| !run.run.code.is_empty()).count();
    let calls: usize = all.iter().map(|kernel| kernel.calls).sum();
    let colon = if kinds.is_empty() { "" } else { ": " };
    let sentence = vec![
        own(counted(all.len(), "kernel", "kernels")).strong(),
        " in ".into(),
        own(counted(graphs, "graph", "graphs")).strong(),
        ", called at ".into(),
        own(counted(calls, "place", "places")).strong(),
        own(format!("{colon}{}.", kinds.join(", "))),
    ];
    let with_lines = all.iter().filter(|kernel| !kernel.lines.is_empty()).count();
    let about = match with_lines {
        0 => "The log does not map kernels to source lines.".to_owned(),
        some if some == all.len() => {
            let lines = subject.generated.lines.values().filter(|line| !line.kernels.is_empty()).count();
            format!("They come from {}.", counted(lines, "source line", "source lines"))
        }
        some => {
            let all = counted(all.len(), "kernel", "kernels");
            format!("The log maps {} of {all} to source lines.", whole(some))
        }
    };
    let notes = std::iter::once(own(about)).chain(without_data(subject)).collect();
    Block::Verdict { sentence: Cell::Beside(sentence, ""), notes }
}

/// How to record where kernels come from, if the log does not say it of all.
pub(super) fn without_data<'m>(subject: &Subject<'_>) -> Option<Cell<'m>> {
    let graphs = counted(subject.generated.without_data, "graph", "graphs");
    let words = format!(
        "Provenance was not recorded for {graphs}: what their kernels compute is derived from what the generated code reads \
         and writes. Set `INDUCTOR_PROVENANCE=1` to record it."
    );
    (subject.generated.without_data > 0).then(|| Cell::Prose(words.into()))
}

/// One row per kernel and graph. What was measured comes first, the longest on top; the rest stays in the order of the log.
pub(super) fn kernels<'m>(subject: &'m Subject<'m>, id: &'static str, title: &'static str) -> Block<'m> {
    if subject.generated.kernels.is_empty() {
        let none = Block::Paragraph("None: the generated code calls no kernel.".into());
        return Block::Section(Section::new(id, title, vec![none]));
    }
    Block::List(listing(subject, id, title))
}

pub(super) fn listing<'m>(subject: &'m Subject<'m>, id: &'static str, title: &'static str) -> Listing<'m> {
    let mut all: Vec<&'m Kernel> = subject.generated.kernels.iter().collect();
    all.sort_by(|one, other| other.measured.sum_us.total_cmp(&one.measured.sum_us));
    let longest_us = all.first().map_or(0.0, |kernel| kernel.measured.sum_us);
    let has_tuning = all.iter().any(|kernel| kernel.tuning.is_some());
    let rows = Rows::of(all).text("Kernel", move |kernel| name(subject, kernel)).mono();
    let rows = match longest_us > 0.0 {
        true => rows
            .number("Measured time", move |kernel| measured(kernel, longest_us))
            .explained("over all runs in the trace"),
        false => rows,
    };
    rows.text("Called at", move |kernel| {
            let line = own(format!("line\u{a0}{}", whole(kernel.first.line)));
            linked(line, call(subject, kernel)).sorted(f64::from(kernel.first.line))
        })
        .explained("its first call, where its lines are linked to graph and source")
        .compile("Graph", move |kernel| graph(subject, kernel))
        .text("Kind", |kernel| kind(kernel).into())
        .number("Calls", |kernel| kernel.calls.into())
        .explained("lines of the code that call it")
        .text("Source lines", move |kernel| source_lines(subject, kernel))
        .number("Nodes", |kernel| Some(kernel.nodes).filter(|nodes| *nodes > 0).into())
        .explained("nodes of the post-grad graph")
        .text("Autotuning", tuning)
        .number("Compile time", |kernel| time(kernel.tuning.as_ref().and_then(|tuning| tuning.compile_us)))
        .number("Estimated run time", |kernel| time(kernel.runtime_ns.map(|ns| ns / 1e3)))
        .about(match has_tuning {
            true => "one row per kernel and graph; their names are unique only within a graph",
            false => {
                "one row per kernel and graph; their names are unique only within a graph. Autotuning is recorded for \
                 Triton kernels, estimated run times for GPUs with LOG_TLPARSE=1"
            }
        })
        .filtered(Filter { hint: "Filter by name or line", words: KINDS.to_vec() }, |kernel| {
            let known = KINDS.iter().find(|(_, name)| *name == kind(kernel));
            known.map_or("", |(word, _)| *word).into()
        })
        .anchored(|_, kernel| Some(kernel_of_code_anchor(kernel.run, kernel.first_place)))
        .found(move |_, kernel| {
            let anchor = kernel_of_code_anchor(kernel.run, kernel.first_place);
            let lines = kernel.lines.iter().filter_map(|at| subject.generated.lines.get_index(*at)).take(IN_ROW);
            let lines = lines.map(|((file, line), _)| format!("{}:{line}", short_path(file)));
            FoundRow::at(&*kernel.name, format!("{}#{anchor}", links::KERNELS))
                .more(subject.runs.get(kernel.run).map(Run::label))
                .more(kernel.language.is_none().then_some("library kernel"))
                .more([lines.collect::<Vec<_>>().join(", ")])
        })
        .first(KERNELS_LISTED, Others::InFacts("kernels"))
        .listing(id, title, "")
}

/// Its name, which leads to its body, or else to its first call.
fn name<'r>(subject: &Subject<'_>, kernel: &'r Kernel) -> Cell<'r> {
    let run = subject.runs.get(kernel.run);
    let body = kernel.body.and_then(|body| run?.address_of_line(subject.report, body.file, body.first));
    let named = linked(log(&*kernel.name), body.or_else(|| call(subject, kernel)));
    // A name of many operators may break anywhere, but not into a column of single letters.
    match clipped(&kernel.name, KERNEL_IN_LIST).1 {
        true => Cell::Beside(vec![named.class("long-name")], ""),
        false => named,
    }
}

fn call(subject: &Subject<'_>, kernel: &Kernel) -> Option<String> {
    subject.runs.get(kernel.run)?.address_of_call(subject.report, &kernel.first)
}

/// Its time, which leads to its row among what was measured.
fn measured(kernel: &Kernel, longest_us: f64) -> Cell<'static> {
    let us = kernel.measured.sum_us;
    if kernel.measured.count == 0 {
        return Cell::Unknown;
    }
    let row = kernel.measured.kernel.map(|row| format!("#{}", measured_kernel_anchor(row)));
    linked(time(Some(us)), row).bar(us, us, longest_us)
}

fn graph<'r>(subject: &'r Subject<'_>, kernel: &Kernel) -> Cell<'r> {
    Cell::maybe(subject.runs.get(kernel.run), |run: &Run<'_>| {
        let pieces = vec![Cell::CompileBeside(run.compile), log(run.name())];
        Cell::Beside(pieces, "\u{a0}").sorted(kernel.run as f64)
    })
}

fn source_lines<'r>(subject: &'r Subject<'_>, kernel: &Kernel) -> Cell<'r> {
    let lines = kernel.lines.iter().filter_map(|index| subject.generated.lines.get_index(*index));
    let lines: Vec<_> = lines.map(|((file, line), _)| (file.as_str(), *line)).collect();
    subject.lines(lines.into_iter(), SHORT_LIST)
}

/// How its configuration was chosen, and which one that is.
fn tuning<'r>(kernel: &'r &Kernel) -> Cell<'r> {
    let Some(tuning) = &kernel.tuning else { return Cell::Unknown };
    let state = tuning.state.as_deref().map(|state| state_words(&kernel.name, state));
    let candidates = tuning.candidates.map(|count| counted(count as u64, "configuration", "configurations"));
    let chosen = tuning.chosen.as_deref().map(|code| Cell::Code(code.into()));
    let known: Vec<_> = state.map(log).into_iter().chain(candidates.map(own)).chain(chosen).collect();
    if known.is_empty() { Cell::Unknown } else { Cell::Stacked(known) }
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
