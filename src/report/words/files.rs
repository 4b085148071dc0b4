//! A short description of each file of a compile.

use crate::model::words::fits_pattern;
use crate::report::kit::formats::short_path;

/// The description of a file by its name; empty if unknown.
pub(crate) fn about(name: &str) -> &'static str {
    FILES.iter().find(|(pattern, _)| fits_pattern(pattern, name)).map_or("", |(_, about)| *about)
}

/// Descriptions by name; the first match counts, so patterns come after the names they cover.
const FILES: &[(&str, &str)] = &[
    ("recompile_reasons", "which guard of the earlier compile failed"),
    ("dynamo_graph_break_reason", "why the graph broke, with hints and tracebacks"),
    ("dynamo_error", "the traceback of the failure"),
    ("symbolic_guard_information", "an expression that export had to decide"),
    ("dynamo_output_graph", "the graph Dynamo captured"),
    ("dynamo_side_effects", "objects that the traced code changes"),
    ("dynamo_guards", "guards with the lines that made them"),
    ("dynamo_cpp_guards_str", "the guard tree that the runtime checks"),
    ("*_ORIGINAL_BYTECODE", "original bytecode of the resumed function"),
    ("*_MODIFIED_BYTECODE", "bytecode of the resumed function, rewritten by Dynamo"),
    ("get_*_code_state*", "sizes remembered from earlier runs, as read"),
    ("put_*_code_state*", "sizes to remember for later runs, as written"),
    ("compiled_autograd_graph_pre_reordering", "the backward pass before its nodes were reordered"),
    ("compiled_autograd_graph*", "the backward pass as compiled autograd captured it"),
    ("compiled_autograd_compile_reasons", "why compiled autograd compiled again"),
    ("optimize_ddp_split_graph", "the graph after DDP's optimizer split it"),
    ("optimize_ddp_split_child*", "one part of the graph that DDP's optimizer split"),
    ("make_fx_fail_partial", "the graph up to where tracing failed"),
    ("fx_interpreter_error", "the node that failed, and the graph around it"),
    ("invoke_subgraph_backward_duplicate", "a nested region whose backward was compiled twice, with advice"),
    ("compiler_collective", "messages between ranks during compilation"),
    ("aot_joint_graph_sync_decision_cross_ranks", "what the ranks decided to recompute"),
    ("aot_joint_graph*", "forward and backward in one graph"),
    ("aot_forward_graph_fw_metadata", "which inputs are mutated or aliased"),
    ("aot_forward_graph_fw_subclass_metadata", "tensor subclasses of inputs and outputs"),
    ("aot_forward_graph*", "the forward graph in ATen operators"),
    ("aot_backward_graph*", "the backward graph in ATen operators"),
    ("aot_inference_graph_after_hop_passes", "the inference graph after nested regions were rewritten"),
    ("aot_inference_graph", "the graph in ATen operators, inference only"),
    ("aot_saved_tensors_hooks*", "how tensors are packed between forward and backward"),
    ("aot_autograd_runtime_wrappers", "Python around the compiled graph"),
    ("torch._functorch.config", "configuration of AOTAutograd"),
    ("eager_compile_backwards_failure", "why the backward could not be compiled ahead of time"),
    ("before_activation_quantization*", "before activations were quantized"),
    ("after_activation_quantization*", "after activations were quantized"),
    ("min_cut_*", "what is kept for the backward and what is recomputed"),
    ("before_pre_grad_graph", "before the pre-grad passes"),
    ("inductor_pre_grad_graph", "before the pre-grad passes"),
    ("after_pre_grad_graph", "after the pre-grad passes"),
    ("before_joint_graph", "before the joint passes"),
    ("after_joint_graph", "after the joint passes"),
    ("before_post_grad_graph", "before the post-grad passes"),
    ("after_post_grad_graph", "after the post-grad passes; the graph that is lowered"),
    ("inductor_post_grad_graph", "after the post-grad passes; the graph that is lowered"),
    ("before_recompile_*", "before the graph was traced again"),
    ("after_recompile_*", "after the graph was traced again"),
    ("vllm_post_grad*", "after a pass of vLLM"),
    ("vllm_patterns*", "the patterns that a pass of vLLM looks for"),
    ("*_pre_grad", "after a pass that changed the graph"),
    ("*_post_grad", "after a pass that changed the graph"),
    ("optimus_*", "after an Optimus rule changed the graph"),
    ("cff_*", "after a rule changed the graph"),
    ("fx_graph_runnable", "a script that repeats this compile"),
    ("inductor_spmd_graph_mismatch", "where the graphs of the ranks differ"),
    ("inductor_collective_schedule", "collectives in the order in which they run"),
    ("inductor_runtime_and_tensor_meta", "estimated runtimes and the result of each operation"),
    ("graph_execution", "the order in which compiled graphs ran"),
    ("inductor_graph_execution", "a compiled graph that ran"),
    ("*collective*", "how collectives are placed and merged"),
    ("*comms", "how collectives are placed and merged"),
    ("*bucketing*", "how collectives are merged"),
    ("overlap_scheduling*", "overlap of computation and communication"),
    ("reorder_communication*", "how collectives were moved, and the peak memory"),
    ("sink_waits*", "how waits were moved"),
    ("scheduler_nodes_before_comm_overlap", "the schedule before communication was moved"),
    ("fx_compute_nodes_runtime_estimation", "estimated runtimes of the operations"),
    ("pge_profile_vs_analytical", "measured against estimated runtimes"),
    (
        "inductor_output_code*",
        "the code that Inductor wrote and that runs; saved as a file, a program: python file.py",
    ),
    ("inductor_aot_wrapper_code", "AOTInductor's C++ around the kernels"),
    ("inductor_aot_kernel_code", "AOTInductor's kernels"),
    ("inductor_aot_header_code", "AOTInductor's header"),
    ("inductor_aot_code", "AOTInductor's C++"),
    ("inductor_autotune_at_compile_time_code", "code that benchmarks kernels during compilation"),
    ("inductor_provenance_tracking_kernel_stack_traces", "the user's lines behind each kernel"),
    ("inductor_provenance_tracking_node_mappings", "which graph nodes became which kernel"),
    ("inductor_post_to_pre_grad_nodes", "the original nodes of each node"),
    ("inductor_*_kernel_to_post_grad_nodes", "which graph nodes became which kernel"),
    ("fx_net_acc_splitter_finder_events", "which nodes an accelerator can run, and why others cannot"),
    ("triton_kernel_info", "Triton kernels with compile time and configuration"),
    ("native_dsl_compile", "a kernel in another kernel language"),
    ("compile_worker_status", "a slow compile job"),
    ("compile_worker_sidecar_death", "the last output of the process that builds kernels"),
    ("flex_gemm_*", "how a matrix product was lowered"),
    ("*_fused", "the scheduled graph with the size of each buffer"),
    ("precompile_cache_bypass", "precompile cache: bypassed, with the reason"),
    ("fx_graph_cache_hit", "FX graph cache: hit"),
    ("fx_graph_cache_miss", "FX graph cache: miss"),
    ("fx_graph_cache_bypass", "FX graph cache: bypassed, with the reason"),
    ("aotautograd_cache_hit", "AOTAutograd cache: found"),
    ("aotautograd_cache_miss", "AOTAutograd cache: miss"),
    ("aotautograd_cache_bypass", "AOTAutograd cache: bypassed, with the reason"),
    ("*_cache_hit", "found in this cache"),
    ("*_cache_miss", "not found in this cache"),
    ("*_cache_bypass", "this cache was bypassed, with the reason"),
    ("*_cache_hash", "the cache key and its components"),
    ("*_cache_pickle_failure", "what the cache could not store"),
    ("dynamo_cache_*", "what Dynamo stored for other processes"),
    ("compilation_metrics_runtime", "metrics of work done while the model ran"),
    ("bwd_compilation_metrics_runtime", "metrics of work done while the backward ran"),
    ("bwd_compilation_metrics", "metrics of the backward compile"),
    ("aot_autograd_backward_compilation_metrics", "metrics of the backward compile"),
    ("compilation_metrics", "metrics of this compile"),
    ("torch_version", "the version of torch that wrote the log"),
    ("exported_program", "the program that torch.export made"),
    ("export", "start of an export"),
    ("memoizer_artifacts*", "contents of a memoizer"),
    ("vllm_compilation_config", "configuration of vLLM's compile"),
    ("vllm_piecewise_compile_start", "start of a part of the graph"),
    ("vllm_piecewise_split_graph", "the graph as vLLM split it"),
    ("vllm_submod_*", "a part of the graph that vLLM split"),
    ("vllm_subgraph_*", "a part of the graph that vLLM split"),
    ("vllm_compile_event", "vLLM's cache lookup"),
];

/// An artifact's name without the hash of output code.
pub(crate) fn short_name(name: &str) -> String {
    let known = "inductor_output_code";
    if name.starts_with(known) { known.to_owned() } else { short_path(name).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_explained_by_their_names() {
        assert_eq!(about("dynamo_output_graph"), "the graph Dynamo captured");
        assert_eq!(
            about("inductor_output_code_cabc"),
            "the code that Inductor wrote and that runs; saved as a file, a program: python file.py"
        );
        assert!(about("torch_dynamo_resume_in_f_at_7_ORIGINAL_BYTECODE").contains("original bytecode"));
        assert_eq!(about("fx_graph_bundled_cache_hit"), "found in this cache");
        assert_eq!(about("something_new"), "");
    }

    #[test]
    fn no_pattern_is_hidden_by_an_earlier_one() {
        for (at, (pattern, _)) in FILES.iter().enumerate() {
            let name = pattern.replace('*', "x");
            let first = FILES.iter().position(|(other, _)| fits_pattern(other, &name));
            assert_eq!(first, Some(at), "{pattern}");
        }
    }
}
