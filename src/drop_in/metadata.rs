//! Records of a log as types: an envelope has a field for each kind of record, and each kind has a type.

#![allow(missing_docs, reason = "the fields are called as torch calls them, and torch says what they are")]

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A compile, with one of its attempts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CompileId {
    #[serde(default)]
    pub compiled_autograd_id: Option<u32>,
    #[serde(default)]
    pub frame_id: Option<u32>,
    #[serde(default)]
    pub frame_compile_id: Option<u32>,
    #[serde(default)]
    pub attempt: Option<u32>,
}

/// A frame of a stack; its file is a number of the table of strings.
#[derive(Debug, Clone, Deserialize)]
pub struct FrameSummary {
    #[serde(default)]
    pub filename: u32,
    pub line: i32,
    pub name: String,
    pub loc: Option<String>,
    #[serde(default)]
    pub uninterned_filename: Option<String>,
}

/// A record without fields of its own.
#[derive(Debug, Clone, Deserialize)]
pub struct EmptyMetadata {}

#[derive(Debug, Clone, Deserialize)]
pub struct ArtifactMetadata {
    pub name: String,
    pub encoding: String,
}

/// Metrics of a backward compile.
#[derive(Debug, Clone, Deserialize)]
pub struct BwdCompilationMetricsMetadata {
    #[serde(default)]
    pub inductor_compile_time_s: Option<f64>,
    #[serde(default)]
    pub code_gen_time_s: Option<f64>,
    #[serde(default)]
    pub fail_type: Option<String>,
    #[serde(default)]
    pub fail_reason: Option<String>,
}

/// Metrics of AOTAutograd's backward compile.
#[derive(Debug, Clone, Deserialize)]
pub struct AOTAutogradBackwardCompilationMetricsMetadata {
    #[serde(default)]
    pub start_time: Option<f64>,
    #[serde(default)]
    pub elapsed_time: Option<f64>,
    #[serde(default)]
    pub fail_type: Option<String>,
    #[serde(default)]
    pub fail_reason: Option<String>,
}

/// A symbol of a size.
#[derive(Debug, Clone, Deserialize)]
pub struct CreateSymbolMetadata {
    #[serde(default)]
    pub symbol: Option<String>,
    #[serde(default)]
    pub val: Option<String>,
    #[serde(default)]
    pub vr: Option<String>,
    #[serde(default)]
    pub source: Option<String>,
    #[serde(default)]
    pub user_stack: Option<Vec<FrameSummary>>,
    #[serde(default)]
    pub stack: Option<Vec<FrameSummary>>,
}

/// A generated module.
#[derive(Debug, Clone, Deserialize)]
pub struct DumpFileMetadata {
    pub name: String,
}

/// The start of a compile.
#[derive(Debug, Clone, Deserialize)]
pub struct DynamoStartMetadata {
    #[serde(default)]
    pub stack: Option<Vec<FrameSummary>>,
}

/// An operator whose fake kernel is missing or wrong.
#[derive(Debug, Clone, Deserialize)]
pub struct FakeKernelMetadata {
    #[serde(default)]
    pub op: Option<String>,
    #[serde(default)]
    pub reason: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GraphDumpMetadata {
    pub name: String,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GuardAddedFastMetadata {
    #[serde(default)]
    pub expr: Option<String>,
    #[serde(default)]
    pub stack: Option<Vec<FrameSummary>>,
    #[serde(default)]
    pub user_stack: Option<Vec<FrameSummary>>,
}

/// Generated code.
#[derive(Debug, Clone, Deserialize)]
pub struct InductorOutputCodeMetadata {
    #[serde(default)]
    pub filename: Option<PathBuf>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct LinkMetadata {
    pub name: String,
    pub url: String,
}

/// Entries of a memoizer.
#[derive(Debug, Clone, Deserialize)]
pub struct MemoizerArtifactsMetadata {
    #[serde(default)]
    pub aggregated: Option<bool>,
    #[serde(default)]
    pub sub_key: Option<String>,
}

/// A part of a graph that DDP splits.
#[derive(Debug, Clone, Deserialize)]
pub struct OptimizeDdpSplitChildMetadata {
    pub name: String,
}

/// An expression of sizes.
#[derive(Debug, Clone, Deserialize)]
pub struct SymExprInfoMetadata {
    #[serde(default)]
    pub method: Option<String>,
    #[serde(default)]
    pub result: Option<String>,
    #[serde(default)]
    pub result_id: Option<u64>,
    #[serde(default)]
    pub arguments: Option<Vec<String>>,
    #[serde(default)]
    pub argument_ids: Option<Vec<u64>>,
    #[serde(default)]
    pub user_stack: Option<Vec<FrameSummary>>,
    #[serde(default)]
    pub stack: Option<Vec<FrameSummary>>,
}

/// A guard of an export, or a value that it took from a real tensor.
#[derive(Debug, Clone, Deserialize)]
pub struct SymbolicShapePropagateRealTensorMetadata {
    #[serde(default)]
    pub expr: Option<String>,
    #[serde(default)]
    pub result: Option<String>,
    #[serde(default)]
    pub user_stack: Option<Vec<FrameSummary>>,
    #[serde(default)]
    pub stack: Option<Vec<FrameSummary>>,
    #[serde(default)]
    pub expr_node_id: Option<u64>,
    #[serde(default)]
    pub symbol_to_sources: Option<BTreeMap<String, String>>,
    #[serde(default)]
    pub prefix: Option<String>,
}

/// A size that became a constant.
#[derive(Debug, Clone, Deserialize)]
pub struct SymbolicShapeSpecializationMetadata {
    #[serde(default)]
    pub symbol: Option<String>,
    #[serde(default)]
    pub sources: Option<Vec<String>>,
    #[serde(default)]
    pub value: Option<String>,
    #[serde(default)]
    pub reason: Option<String>,
    #[serde(default)]
    pub stack: Option<Vec<FrameSummary>>,
    #[serde(default)]
    pub user_stack: Option<Vec<FrameSummary>>,
}

/// A size that only data decides.
#[derive(Debug, Clone, Deserialize)]
pub struct UnbackedSymbolMetadata {
    #[serde(default)]
    pub symbol: Option<String>,
    #[serde(default)]
    pub node_id: Option<u64>,
    #[serde(default)]
    pub user_stack: Option<Vec<FrameSummary>>,
    #[serde(default)]
    pub stack: Option<Vec<FrameSummary>>,
    #[serde(default)]
    pub vr: Option<String>,
}

/// The graph that Dynamo captured; its sizes are in the payload.
#[derive(Debug, Clone, Deserialize)]
pub struct DynamoOutputGraphMetadata {}

/// The storage of a tensor, for readers of the raw log.
#[derive(Debug, Clone, Deserialize)]
pub struct StorageDesc {}

/// A tensor, for readers of the raw log.
#[derive(Debug, Clone, Deserialize)]
pub struct TensorDesc {}

/// Where a tensor came from, for readers of the raw log.
#[derive(Debug, Clone, Deserialize)]
pub struct SourceDesc {}

/// Metrics of a compile.
#[derive(Debug, Clone, Default)]
pub struct CompilationMetricsMetadata {
    pub co_name: Option<String>,
    pub co_filename: Option<String>,
    pub co_firstlineno: Option<i32>,
    pub cache_size: Option<u64>,
    pub accumulated_cache_size: Option<u64>,
    pub guard_count: Option<u64>,
    pub shape_env_guard_count: Option<u64>,
    pub graph_op_count: Option<u64>,
    pub graph_node_count: Option<u64>,
    pub graph_input_count: Option<u64>,
    pub start_time: Option<f64>,
    pub entire_frame_compile_time_s: Option<f64>,
    pub backend_compile_time_s: Option<f64>,
    pub inductor_compile_time_s: Option<f64>,
    pub code_gen_time_s: Option<f64>,
    pub fail_type: Option<String>,
    pub fail_reason: Option<String>,
    pub fail_user_frame_filename: Option<String>,
    pub fail_user_frame_lineno: Option<u32>,
    pub non_compliant_ops: Option<Vec<String>>,
    pub compliant_custom_ops: Option<Vec<String>>,
    pub restart_reasons: Option<Vec<String>>,
    pub dynamo_time_before_restart_s: Option<f64>,
    /// All other fields.
    pub extra: BTreeMap<String, Value>,
}

/// The fields of a JSON object that are not read yet.
type Rest = BTreeMap<String, Box<RawValue>>;

/// Takes a field out; None if it is missing or has another type.
fn taken<T: serde::de::DeserializeOwned>(rest: &mut Rest, name: &str) -> Option<T> {
    serde_json::from_str(rest.remove(name)?.get()).ok()
}

/// What is left, as values.
fn values(rest: Rest) -> BTreeMap<String, Value> {
    rest.into_iter().filter_map(|(name, raw)| Some((name, serde_json::from_str(raw.get()).ok()?))).collect()
}

impl<'de> Deserialize<'de> for CompilationMetricsMetadata {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut rest = Rest::deserialize(deserializer)?;
        Ok(CompilationMetricsMetadata {
            co_name: taken(&mut rest, "co_name"),
            co_filename: taken(&mut rest, "co_filename"),
            co_firstlineno: taken(&mut rest, "co_firstlineno"),
            cache_size: taken(&mut rest, "cache_size"),
            accumulated_cache_size: taken(&mut rest, "accumulated_cache_size"),
            guard_count: taken(&mut rest, "guard_count"),
            shape_env_guard_count: taken(&mut rest, "shape_env_guard_count"),
            graph_op_count: taken(&mut rest, "graph_op_count"),
            graph_node_count: taken(&mut rest, "graph_node_count"),
            graph_input_count: taken(&mut rest, "graph_input_count"),
            start_time: taken(&mut rest, "start_time"),
            entire_frame_compile_time_s: taken(&mut rest, "entire_frame_compile_time_s"),
            backend_compile_time_s: taken(&mut rest, "backend_compile_time_s"),
            inductor_compile_time_s: taken(&mut rest, "inductor_compile_time_s"),
            code_gen_time_s: taken(&mut rest, "code_gen_time_s"),
            fail_type: taken(&mut rest, "fail_type"),
            fail_reason: taken(&mut rest, "fail_reason"),
            fail_user_frame_filename: taken(&mut rest, "fail_user_frame_filename"),
            fail_user_frame_lineno: taken(&mut rest, "fail_user_frame_lineno"),
            non_compliant_ops: taken(&mut rest, "non_compliant_ops"),
            compliant_custom_ops: taken(&mut rest, "compliant_custom_ops"),
            restart_reasons: taken(&mut rest, "restart_reasons"),
            dynamo_time_before_restart_s: taken(&mut rest, "dynamo_time_before_restart_s"),
            extra: values(rest),
        })
    }
}

/// The header of a record.
#[derive(Debug, Clone, Default)]
pub struct Envelope {
    pub rank: Option<u32>,
    /// As in upstream, a record that belongs to no compile has an id without parts.
    pub compile_id: Option<CompileId>,
    pub has_payload: Option<String>,
    pub stack: Option<Vec<FrameSummary>>,
    pub dynamo_start: Option<DynamoStartMetadata>,
    pub str: Option<(String, u32)>,
    pub dynamo_output_graph: Option<DynamoOutputGraphMetadata>,
    pub optimize_ddp_split_graph: Option<EmptyMetadata>,
    pub optimize_ddp_split_child: Option<OptimizeDdpSplitChildMetadata>,
    pub compiled_autograd_graph: Option<EmptyMetadata>,
    pub dynamo_guards: Option<EmptyMetadata>,
    pub aot_forward_graph: Option<EmptyMetadata>,
    pub aot_backward_graph: Option<EmptyMetadata>,
    pub aot_inference_graph: Option<EmptyMetadata>,
    pub aot_joint_graph: Option<EmptyMetadata>,
    pub inductor_pre_grad_graph: Option<EmptyMetadata>,
    pub inductor_post_grad_graph: Option<EmptyMetadata>,
    pub dynamo_cpp_guards_str: Option<EmptyMetadata>,
    pub inductor_output_code: Option<InductorOutputCodeMetadata>,
    pub compilation_metrics: Option<CompilationMetricsMetadata>,
    pub bwd_compilation_metrics: Option<BwdCompilationMetricsMetadata>,
    pub aot_autograd_backward_compilation_metrics: Option<AOTAutogradBackwardCompilationMetricsMetadata>,
    pub graph_dump: Option<GraphDumpMetadata>,
    pub link: Option<LinkMetadata>,
    pub symbolic_shape_specialization: Option<SymbolicShapeSpecializationMetadata>,
    pub propagate_real_tensors_provenance: Option<SymbolicShapePropagateRealTensorMetadata>,
    pub guard_added: Option<SymbolicShapePropagateRealTensorMetadata>,
    pub create_unbacked_symbol: Option<UnbackedSymbolMetadata>,
    pub create_symbol: Option<CreateSymbolMetadata>,
    pub expression_created: Option<SymExprInfoMetadata>,
    pub missing_fake_kernel: Option<FakeKernelMetadata>,
    pub mismatched_fake_kernel: Option<FakeKernelMetadata>,
    pub artifact: Option<ArtifactMetadata>,
    pub memoizer_artifacts: Option<MemoizerArtifactsMetadata>,
    pub describe_storage: Option<StorageDesc>,
    pub describe_tensor: Option<TensorDesc>,
    pub describe_source: Option<SourceDesc>,
    pub dump_file: Option<DumpFileMetadata>,
    pub chromium_event: Option<EmptyMetadata>,
    pub guard_added_fast: Option<GuardAddedFastMetadata>,
    pub exported_program: Option<EmptyMetadata>,
    /// Everything else.
    pub _other: BTreeMap<String, Value>,
}

impl<'de> Deserialize<'de> for Envelope {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut rest = Rest::deserialize(deserializer)?;
        let compile_id = CompileId {
            compiled_autograd_id: taken(&mut rest, "compiled_autograd_id"),
            frame_id: taken(&mut rest, "frame_id"),
            frame_compile_id: taken(&mut rest, "frame_compile_id"),
            attempt: taken(&mut rest, "attempt"),
        };
        Ok(Envelope {
            rank: taken(&mut rest, "rank"),
            compile_id: Some(compile_id),
            has_payload: taken(&mut rest, "has_payload"),
            stack: taken(&mut rest, "stack"),
            dynamo_start: taken(&mut rest, "dynamo_start"),
            str: taken(&mut rest, "str"),
            dynamo_output_graph: taken(&mut rest, "dynamo_output_graph"),
            optimize_ddp_split_graph: taken(&mut rest, "optimize_ddp_split_graph"),
            optimize_ddp_split_child: taken(&mut rest, "optimize_ddp_split_child"),
            compiled_autograd_graph: taken(&mut rest, "compiled_autograd_graph"),
            dynamo_guards: taken(&mut rest, "dynamo_guards"),
            aot_forward_graph: taken(&mut rest, "aot_forward_graph"),
            aot_backward_graph: taken(&mut rest, "aot_backward_graph"),
            aot_inference_graph: taken(&mut rest, "aot_inference_graph"),
            aot_joint_graph: taken(&mut rest, "aot_joint_graph"),
            inductor_pre_grad_graph: taken(&mut rest, "inductor_pre_grad_graph"),
            inductor_post_grad_graph: taken(&mut rest, "inductor_post_grad_graph"),
            dynamo_cpp_guards_str: taken(&mut rest, "dynamo_cpp_guards_str"),
            inductor_output_code: taken(&mut rest, "inductor_output_code"),
            compilation_metrics: taken(&mut rest, "compilation_metrics"),
            bwd_compilation_metrics: taken(&mut rest, "bwd_compilation_metrics"),
            aot_autograd_backward_compilation_metrics: taken(
                &mut rest,
                "aot_autograd_backward_compilation_metrics",
            ),
            graph_dump: taken(&mut rest, "graph_dump"),
            link: taken(&mut rest, "link"),
            symbolic_shape_specialization: taken(&mut rest, "symbolic_shape_specialization"),
            propagate_real_tensors_provenance: taken(&mut rest, "propagate_real_tensors_provenance"),
            guard_added: taken(&mut rest, "guard_added"),
            create_unbacked_symbol: taken(&mut rest, "create_unbacked_symbol"),
            create_symbol: taken(&mut rest, "create_symbol"),
            expression_created: taken(&mut rest, "expression_created"),
            missing_fake_kernel: taken(&mut rest, "missing_fake_kernel"),
            mismatched_fake_kernel: taken(&mut rest, "mismatched_fake_kernel"),
            artifact: taken(&mut rest, "artifact"),
            memoizer_artifacts: taken(&mut rest, "memoizer_artifacts"),
            describe_storage: taken(&mut rest, "describe_storage"),
            describe_tensor: taken(&mut rest, "describe_tensor"),
            describe_source: taken(&mut rest, "describe_source"),
            dump_file: taken(&mut rest, "dump_file"),
            chromium_event: taken(&mut rest, "chromium_event"),
            guard_added_fast: taken(&mut rest, "guard_added_fast"),
            exported_program: taken(&mut rest, "exported_program"),
            _other: values(rest),
        })
    }
}

/// What a record holds for a parser.
#[derive(Debug)]
pub enum Metadata<'e> {
    Empty(&'e EmptyMetadata),
    Link(&'e LinkMetadata),
    GraphDump(&'e GraphDumpMetadata),
    DynamoOutputGraph(&'e DynamoOutputGraphMetadata),
    DynamoStart(&'e DynamoStartMetadata),
    InductorOutputCode(&'e InductorOutputCodeMetadata),
    OptimizeDdpSplitChild(&'e OptimizeDdpSplitChildMetadata),
    CompilationMetrics(&'e CompilationMetricsMetadata),
    AOTAutogradBackwardCompilationMetrics(&'e AOTAutogradBackwardCompilationMetricsMetadata),
    BwdCompilationMetrics(&'e BwdCompilationMetricsMetadata),
    Artifact(&'e ArtifactMetadata),
    MemoizerArtifacts(&'e MemoizerArtifactsMetadata),
    DumpFile(&'e DumpFileMetadata),
    GuardAddedFast(&'e GuardAddedFastMetadata),
    SymbolicShapePropagateRealTensor(&'e SymbolicShapePropagateRealTensorMetadata),
}

#[cfg(test)]
mod tests {
    use super::Envelope;

    #[test]
    fn an_envelope_has_the_fields_of_its_record_and_keeps_the_others() {
        let json = r#"{"artifact": {"name": "a", "encoding": "json"}, "frame_id": 1, "frame_compile_id": 0, "attempt": 2,
            "rank": 3, "dynamo_output_graph": {"sizes": {"x": [2]}}, "mine": {"step": 1},
            "compilation_metrics": {"co_name": "f", "guard_count": "many", "later": 7}}"#;
        let envelope: Envelope = serde_json::from_str(json).unwrap();
        assert_eq!(envelope.artifact.unwrap().name, "a");
        assert_eq!(envelope.compile_id.unwrap().to_string(), "[1/0_2]");
        assert!(envelope.dynamo_output_graph.is_some() && envelope.link.is_none());
        let metrics = envelope.compilation_metrics.unwrap();
        assert_eq!((metrics.co_name.as_deref(), metrics.guard_count), (Some("f"), None));
        assert_eq!((&metrics.extra["later"], &envelope._other["mine"]["step"]), (&7.into(), &1.into()));
    }
}
