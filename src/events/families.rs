//! All parsers that are built in: the rows of `parsers.txt`, and what does the work of each.

use super::parser::{Flow, ParseEvent, ParseEvents, StructuredLogParser};
use super::troubles::parse_trouble;
use super::{
    Event, RankContext, artifact, breaks, caches, chromium, console_output, distributed, dynamo, export,
    fallback, graphs, guards, inductor, links, metrics, side_effects, symbols, tensors, troubles, vllm,
    workers,
};
use crate::model::TroubleKind;
use crate::model::words::lines_of;
use std::sync::LazyLock;

/// The functions, by name of their parser.
const FUNCTIONS: &[(&str, ParseEvent)] = &[
    ("dynamo_start", dynamo::parse_dynamo_start),
    ("code_state", dynamo::parse_code_state),
    ("dynamo_cpp_guards_str", guards::parse_guard_tree),
    ("dynamo_guards", guards::parse_guard_list),
    ("recompile_reasons", breaks::parse_recompile_reasons),
    ("dynamo_error", breaks::parse_dynamo_error),
    ("dynamo_side_effects", side_effects::parse_side_effects),
    ("dynamo_output_graph", graphs::parse_output_graph),
    ("graph", graphs::parse_graph),
    ("graph_dump", graphs::parse_graph_dump),
    ("inductor_output_code", inductor::parse_output_code),
    ("fx_graph_runnable", inductor::parse_runnable),
    ("triton_kernel_info", inductor::parse_kernel_info),
    ("kernel_stack_traces", inductor::parse_kernel_stacks),
    ("node_mappings", inductor::parse_node_mappings),
    ("caches", caches::parse_caches),
    ("distributed", distributed::parse_distributed),
    ("compile_worker_status", workers::parse_worker_status),
    ("compile_worker_sidecar_death", workers::parse_worker_death),
    ("invoke_subgraph_backward_duplicate", |e, cx| parse_trouble(e, cx, TroubleKind::BackwardVariant)),
    ("aotautograd_cache_pickle_failure", |e, cx| parse_trouble(e, cx, TroubleKind::NotStored)),
    ("dynamo_cache_exception", |e, cx| parse_trouble(e, cx, TroubleKind::NotLoaded)),
    ("iterative_recompute_error", |e, cx| parse_trouble(e, cx, TroubleKind::MemoryEstimate)),
    ("inductor_overlap_cyclic_extra_deps", |e, cx| parse_trouble(e, cx, TroubleKind::OverlapCycle)),
    ("native_dsl_compile", troubles::parse_native),
    ("fake_kernels", export::parse_fake_kernels),
    ("export", export::parse_started),
    ("vllm", vllm::parse_artifacts),
    ("vllm_graph", vllm::parse_graphs),
    ("link", links::parse_links),
    ("console_output", console_output::parse_console),
    ("torch_version", artifact::parse_torch_version),
    ("artifact", artifact::parse_artifact),
    ("memoizer_artifacts", artifact::parse_memoizer),
    ("unknown_event", fallback::parse_fallback),
];

/// What does the work of the parser of that name, for one log.
fn work_of(name: &str) -> Option<Box<dyn ParseEvents>> {
    Some(match name {
        "graph_breaks" => Box::new(breaks::GraphBreaks::default()),
        "expressions_created" => Box::new(symbols::Created::default()),
        "input_tensors" => Box::new(tensors::Tensors::default()),
        "compilation_metrics" => Box::new(metrics::CompilationMetrics::default()),
        "chromium_event" => Box::new(chromium::Chromium::default()),
        "exported_program" => Box::new(export::Program::default()),
        "export_stopped" => Box::new(export::Partial::default()),
        "dump_file" => Box::new(links::DumpFiles::default()),
        "created_symbols" => {
            symbol_table("symbols", &["symbol", "val", "vr", "source", "user_stack", "stack"])
        }
        "unbacked_symbols" => symbol_table("unbacked-symbols", &["symbol", "vr", "user_stack", "stack"]),
        "specializations" => {
            symbol_table("specializations", &["symbol", "sources", "value", "reason", "user_stack", "stack"])
        }
        "guards_added" => symbol_table("guards-added", &["expr", "user_stack", "stack"]),
        "data_dependent" => symbol_table("data-dependent", &["expr", "result", "user_stack", "stack"]),
        _ => Box::new(FUNCTIONS.iter().find(|(parser, _)| *parser == name)?.1),
    })
}

fn symbol_table(id: &'static str, fields: &'static [&'static str]) -> Box<dyn ParseEvents> {
    Box::new(symbols::SymbolTable(id, fields))
}

/// A row of `parsers.txt`.
struct FamilyRow {
    name: &'static str,
    keys: Vec<&'static str>,
    about: &'static str,
}

impl FamilyRow {
    fn read(row: &'static str) -> Option<FamilyRow> {
        let (name, rest) = row.split_once(" | ")?;
        let (keys, about) = rest.split_once(" | ")?;
        Some(FamilyRow { name, keys: keys.split(' ').collect(), about })
    }
}

static ROWS: LazyLock<Vec<FamilyRow>> =
    LazyLock::new(|| lines_of(include_str!("parsers.txt")).into_iter().filter_map(FamilyRow::read).collect());

/// A built-in parser.
struct BuiltIn {
    row: &'static FamilyRow,
    work: Box<dyn ParseEvents>,
}

/// All of them, for one log.
pub(super) fn built_in() -> impl Iterator<Item = Box<dyn StructuredLogParser>> {
    let parsers = ROWS.iter().filter_map(|row| Some(BuiltIn { row, work: work_of(row.name)? }));
    parsers.map(|parser| Box::new(parser) as Box<dyn StructuredLogParser>)
}

impl StructuredLogParser for BuiltIn {
    fn name(&self) -> &'static str {
        self.row.name
    }

    fn about(&self) -> &'static str {
        self.row.about
    }

    fn keys(&self) -> &'static [&'static str] {
        &self.row.keys
    }

    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        self.work.parse(event, cx)
    }

    fn finish(self: Box<Self>, cx: &mut RankContext<'_>) -> anyhow::Result<()> {
        self.work.finish(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_has_its_work_and_each_work_its_row() {
        let names: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
        assert_eq!(built_in().map(|parser| parser.name()).collect::<Vec<_>>(), names);
        let mut unused = FUNCTIONS.iter().map(|(name, _)| *name);
        assert_eq!(unused.find(|name| !names.contains(name)), None);
    }
}
