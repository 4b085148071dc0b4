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
    pub compiled_autograd_id: Option<u32>,
    pub frame_id: Option<u32>,
    pub frame_compile_id: Option<u32>,
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
    pub inductor_compile_time_s: Option<f64>,
    pub code_gen_time_s: Option<f64>,
    pub fail_type: Option<String>,
    pub fail_reason: Option<String>,
}

/// Metrics of AOTAutograd's backward compile.
#[derive(Debug, Clone, Deserialize)]
pub struct AOTAutogradBackwardCompilationMetricsMetadata {
    pub start_time: Option<f64>,
    pub elapsed_time: Option<f64>,
    pub fail_type: Option<String>,
    pub fail_reason: Option<String>,
}

/// A symbol of a size.
#[derive(Debug, Clone, Deserialize)]
pub struct CreateSymbolMetadata {
    pub symbol: Option<String>,
    pub val: Option<String>,
    pub vr: Option<String>,
    pub source: Option<String>,
    pub user_stack: Option<Vec<FrameSummary>>,
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
    pub stack: Option<Vec<FrameSummary>>,
}

/// An operator whose fake kernel is missing or wrong.
#[derive(Debug, Clone, Deserialize)]
pub struct FakeKernelMetadata {
    pub op: Option<String>,
    pub reason: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GraphDumpMetadata {
    pub name: String,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GuardAddedFastMetadata {
    pub expr: Option<String>,
    pub stack: Option<Vec<FrameSummary>>,
    pub user_stack: Option<Vec<FrameSummary>>,
}

/// Generated code.
#[derive(Debug, Clone, Deserialize)]
pub struct InductorOutputCodeMetadata {
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
    pub aggregated: Option<bool>,
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
    pub method: Option<String>,
    pub result: Option<String>,
    pub result_id: Option<u64>,
    pub arguments: Option<Vec<String>>,
    pub argument_ids: Option<Vec<u64>>,
    pub user_stack: Option<Vec<FrameSummary>>,
    pub stack: Option<Vec<FrameSummary>>,
}

/// A guard of an export, or a value that it took from a real tensor.
#[derive(Debug, Clone, Deserialize)]
pub struct SymbolicShapePropagateRealTensorMetadata {
    pub expr: Option<String>,
    pub result: Option<String>,
    pub user_stack: Option<Vec<FrameSummary>>,
    pub stack: Option<Vec<FrameSummary>>,
    pub expr_node_id: Option<u64>,
    pub symbol_to_sources: Option<BTreeMap<String, String>>,
    pub prefix: Option<String>,
}

/// A size that became a constant.
#[derive(Debug, Clone, Deserialize)]
pub struct SymbolicShapeSpecializationMetadata {
    pub symbol: Option<String>,
    pub sources: Option<Vec<String>>,
    pub value: Option<String>,
    pub reason: Option<String>,
    pub stack: Option<Vec<FrameSummary>>,
    pub user_stack: Option<Vec<FrameSummary>>,
}

/// A size that only data decides.
#[derive(Debug, Clone, Deserialize)]
pub struct UnbackedSymbolMetadata {
    pub symbol: Option<String>,
    pub node_id: Option<u64>,
    pub user_stack: Option<Vec<FrameSummary>>,
    pub stack: Option<Vec<FrameSummary>>,
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

/// The fields of a JSON object that are not read yet.
type Rest = BTreeMap<String, Box<RawValue>>;

/// Takes a field out; None if it is missing or has another type.
fn taken<T: serde::de::DeserializeOwned>(rest: &mut Rest, name: &str) -> Option<T> {
    serde_json::from_str(rest.remove(name)?.get()).ok()
}

/// What is left, as values.
fn values(rest: &mut Rest) -> BTreeMap<String, Value> {
    let rest = std::mem::take(rest).into_iter();
    rest.filter_map(|(name, raw)| Some((name, serde_json::from_str(raw.get()).ok()?))).collect()
}

/// Defines a type whose fields are read one by one, so that one of another type than upstream expects is only missing; then
/// come those that functions make of the rest.
macro_rules! read_one_by_one {
    (
        $(#[$about:meta])* $name:ident { $($field:ident: $type:ty,)* }
        $($(#[$of_made:meta])* $made:ident: $made_type:ty = $make:expr,)*
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Default)]
        pub struct $name {
            $(pub $field: Option<$type>,)*
            $($(#[$of_made])* pub $made: $made_type,)*
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let mut rest = Rest::deserialize(deserializer)?;
                Ok($name {
                    $($field: taken(&mut rest, stringify!($field)),)*
                    $($made: $make(&mut rest),)*
                })
            }
        }
    };
}

read_one_by_one! {
    /// Metrics of a compile.
    CompilationMetricsMetadata {
        co_name: String,
        co_filename: String,
        co_firstlineno: i32,
        cache_size: u64,
        accumulated_cache_size: u64,
        guard_count: u64,
        shape_env_guard_count: u64,
        graph_op_count: u64,
        graph_node_count: u64,
        graph_input_count: u64,
        start_time: f64,
        entire_frame_compile_time_s: f64,
        backend_compile_time_s: f64,
        inductor_compile_time_s: f64,
        code_gen_time_s: f64,
        fail_type: String,
        fail_reason: String,
        fail_user_frame_filename: String,
        fail_user_frame_lineno: u32,
        non_compliant_ops: Vec<String>,
        compliant_custom_ops: Vec<String>,
        restart_reasons: Vec<String>,
        dynamo_time_before_restart_s: f64,
    }
    /// All other fields.
    extra: BTreeMap<String, Value> = values,
}

read_one_by_one! {
    /// The header of a record.
    Envelope {
        rank: u32,
        has_payload: String,
        stack: Vec<FrameSummary>,
        dynamo_start: DynamoStartMetadata,
        str: (String, u32),
        dynamo_output_graph: DynamoOutputGraphMetadata,
        optimize_ddp_split_graph: EmptyMetadata,
        optimize_ddp_split_child: OptimizeDdpSplitChildMetadata,
        compiled_autograd_graph: EmptyMetadata,
        dynamo_guards: EmptyMetadata,
        aot_forward_graph: EmptyMetadata,
        aot_backward_graph: EmptyMetadata,
        aot_inference_graph: EmptyMetadata,
        aot_joint_graph: EmptyMetadata,
        inductor_pre_grad_graph: EmptyMetadata,
        inductor_post_grad_graph: EmptyMetadata,
        dynamo_cpp_guards_str: EmptyMetadata,
        inductor_output_code: InductorOutputCodeMetadata,
        compilation_metrics: CompilationMetricsMetadata,
        bwd_compilation_metrics: BwdCompilationMetricsMetadata,
        aot_autograd_backward_compilation_metrics: AOTAutogradBackwardCompilationMetricsMetadata,
        graph_dump: GraphDumpMetadata,
        link: LinkMetadata,
        symbolic_shape_specialization: SymbolicShapeSpecializationMetadata,
        propagate_real_tensors_provenance: SymbolicShapePropagateRealTensorMetadata,
        guard_added: SymbolicShapePropagateRealTensorMetadata,
        create_unbacked_symbol: UnbackedSymbolMetadata,
        create_symbol: CreateSymbolMetadata,
        expression_created: SymExprInfoMetadata,
        missing_fake_kernel: FakeKernelMetadata,
        mismatched_fake_kernel: FakeKernelMetadata,
        artifact: ArtifactMetadata,
        memoizer_artifacts: MemoizerArtifactsMetadata,
        describe_storage: StorageDesc,
        describe_tensor: TensorDesc,
        describe_source: SourceDesc,
        dump_file: DumpFileMetadata,
        chromium_event: EmptyMetadata,
        guard_added_fast: GuardAddedFastMetadata,
        exported_program: EmptyMetadata,
    }
    /// As in upstream, a record that belongs to no compile has an id without parts.
    compile_id: Option<CompileId> = compile_id,
    /// Everything else.
    _other: BTreeMap<String, Value> = values,
}

fn compile_id(rest: &mut Rest) -> Option<CompileId> {
    Some(CompileId {
        compiled_autograd_id: taken(rest, "compiled_autograd_id"),
        frame_id: taken(rest, "frame_id"),
        frame_compile_id: taken(rest, "frame_compile_id"),
        attempt: taken(rest, "attempt"),
    })
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
