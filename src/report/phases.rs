//! Which phase of the compiler makes a file, and what the file is, in a line.

use Phase::{Aot, Caches, Codegen, Dynamo, Metrics, Other, Passes, Ranks};

/// Where a file comes from, in the order in which the compiler works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Phase {
    /// Traces the Python bytecode into a graph.
    Dynamo,
    /// Splits forward and backward, lowers to ATen.
    Aot,
    /// Rewrites the graph before it is lowered.
    Passes,
    /// Writes and builds the kernels.
    Codegen,
    /// What was looked up, and found or not.
    Caches,
    /// Times and counts.
    Metrics,
    /// What the processes of a job exchange.
    Ranks,
    /// Anything else.
    Other,
}

impl Phase {
    /// Its name on pages.
    pub(super) fn title(self) -> &'static str {
        match self {
            Phase::Dynamo => "Dynamo",
            Phase::Aot => "AOTAutograd",
            Phase::Passes => "Inductor passes",
            Phase::Codegen => "Code generation",
            Phase::Caches => "Caches",
            Phase::Metrics => "Metrics",
            Phase::Ranks => "Distributed",
            Phase::Other => "Other",
        }
    }

    /// What the phase does, in a few words.
    pub(super) fn about(self) -> &'static str {
        match self {
            Phase::Dynamo => "traces the Python bytecode into a graph",
            Phase::Aot => "splits forward and backward, lowers to ATen",
            Phase::Passes => "rewrites the graph before it is lowered",
            Phase::Codegen => "writes and builds the kernels",
            Phase::Caches => "what was looked up, and found or not",
            Phase::Metrics => "times and counts",
            Phase::Ranks => "collectives, runtimes and what the ranks agreed on",
            Phase::Other => "from other producers, or new to this version",
        }
    }
}

/// The phase of a file and what it is; empty words where its name says all that is known.
pub(super) fn of(name: &str) -> (Phase, &'static str) {
    let known = FILES.iter().find(|(pattern, _, _)| fits(pattern, name));
    known.map_or((Phase::Other, ""), |(_, phase, about)| (*phase, *about))
}

/// Whether `name` is what `pattern` describes; each `*` stands for any text.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some((_, behind)) = rest.split_once(part) else { return false };
        rest = behind;
    }
    rest.ends_with(last)
}

/// Names of files; the first that fits counts, so patterns stand behind the names they cover.
const FILES: &[(&str, Phase, &str)] = &[
    ("recompile_reasons", Dynamo, "which guard of the earlier compile failed"),
    ("dynamo_graph_break_reason", Dynamo, "why the graph broke, with hints and tracebacks"),
    ("dynamo_error", Dynamo, "the traceback of the failure"),
    ("dynamo_output_graph", Dynamo, "the graph Dynamo captured"),
    ("dynamo_side_effects", Dynamo, "objects that the traced code changes"),
    ("dynamo_guards", Dynamo, "guards with the lines that made them"),
    ("dynamo_cpp_guards_str", Dynamo, "the guard tree as the runtime checks it"),
    ("*_ORIGINAL_BYTECODE", Dynamo, "bytecode of the resumed function as Python made it"),
    ("*_MODIFIED_BYTECODE", Dynamo, "bytecode of the resumed function as Dynamo rewrote it"),
    ("get_*_code_state*", Dynamo, "sizes remembered from earlier runs, as read"),
    ("put_*_code_state*", Dynamo, "sizes to remember for later runs, as written"),
    ("compiled_autograd_graph_pre_reordering", Dynamo, "the backward pass before its nodes were reordered"),
    ("compiled_autograd_graph*", Dynamo, "the backward pass as compiled autograd captured it"),
    ("compiled_autograd_compile_reasons", Dynamo, "why compiled autograd compiled again"),
    ("optimize_ddp_split_graph", Dynamo, "the graph after DDP's optimiser split it"),
    ("optimize_ddp_split_child*", Dynamo, "one part of the graph that DDP's optimiser split"),
    ("make_fx_fail_partial", Dynamo, "the graph up to where tracing failed"),
    ("fx_interpreter_error", Dynamo, "the node that failed, and the graph around it"),
    (
        "invoke_subgraph_backward_duplicate",
        Dynamo,
        "a nested region whose backward was compiled twice, with advice",
    ),
    ("compiler_collective", Ranks, "what the ranks told each other while compiling"),
    ("aot_joint_graph_sync_decision_cross_ranks", Ranks, "what the ranks agreed to recompute"),
    ("aot_joint_graph*", Aot, "forward and backward in one graph"),
    ("aot_forward_graph_fw_metadata", Aot, "which inputs are mutated or aliased"),
    ("aot_forward_graph_fw_subclass_metadata", Aot, "which tensor subclasses go in and out"),
    ("aot_forward_graph*", Aot, "the forward graph in ATen operators"),
    ("aot_backward_graph*", Aot, "the backward graph in ATen operators"),
    ("aot_inference_graph_after_hop_passes", Aot, "the inference graph after nested regions were rewritten"),
    ("aot_inference_graph", Aot, "the graph in ATen operators, inference only"),
    ("aot_saved_tensors_hooks*", Aot, "how tensors are packed between forward and backward"),
    ("aot_autograd_runtime_wrappers", Aot, "Python around the compiled graph"),
    ("torch._functorch.config", Aot, "configuration of AOTAutograd"),
    ("eager_compile_backwards_failure", Aot, "why the backward could not be compiled ahead"),
    ("before_activation_quantization*", Aot, "before activations were quantised"),
    ("after_activation_quantization*", Aot, "after activations were quantised"),
    ("min_cut_*", Aot, "what is kept for the backward and what is recomputed"),
    ("before_pre_grad_graph", Passes, "before the pre-grad passes"),
    ("inductor_pre_grad_graph", Passes, "before the pre-grad passes"),
    ("after_pre_grad_graph", Passes, "after the pre-grad passes"),
    ("before_joint_graph", Passes, "before the joint passes"),
    ("after_joint_graph", Passes, "after the joint passes"),
    ("before_post_grad_graph", Passes, "before the post-grad passes"),
    ("after_post_grad_graph", Passes, "after the post-grad passes; what is lowered"),
    ("inductor_post_grad_graph", Passes, "after the post-grad passes; what is lowered"),
    ("before_recompile_*", Passes, "before the graph was traced again"),
    ("after_recompile_*", Passes, "after the graph was traced again"),
    ("vllm_post_grad*", Passes, "after a pass of vLLM"),
    ("vllm_patterns*", Passes, "the patterns that a pass of vLLM looks for"),
    ("*_pre_grad", Passes, "after a pass that changed the graph"),
    ("*_post_grad", Passes, "after a pass that changed the graph"),
    ("optimus_*", Passes, "after an Optimus rule changed the graph"),
    ("cff_*", Passes, "after a rule changed the graph"),
    ("fx_graph_runnable", Passes, "a script that repeats this compile"),
    ("inductor_spmd_graph_mismatch", Ranks, "where the graphs of the ranks differ"),
    ("inductor_collective_schedule", Ranks, "collectives in the order in which they run"),
    ("inductor_runtime_and_tensor_meta", Ranks, "estimated runtimes and what each operation returns"),
    ("graph_execution", Ranks, "the order in which compiled graphs ran"),
    ("inductor_graph_execution", Ranks, "a compiled graph that ran"),
    ("*collective*", Ranks, "how collectives are placed and merged"),
    ("*comms", Ranks, "how collectives are placed and merged"),
    ("*bucketing*", Ranks, "how collectives are merged"),
    ("overlap_scheduling*", Ranks, "how computing and communication overlap"),
    ("reorder_communication*", Ranks, "how collectives were moved, and the peak memory"),
    ("sink_waits*", Ranks, "how waits were moved"),
    ("scheduler_nodes_before_comm_overlap", Ranks, "the schedule before communication was moved"),
    ("fx_compute_nodes_runtime_estimation", Ranks, "estimated runtimes of the operations"),
    ("pge_profile_vs_analytical", Ranks, "measured against estimated runtimes"),
    ("inductor_output_code*", Codegen, "the code that Inductor wrote and that runs"),
    ("inductor_aot_wrapper_code", Codegen, "AOTInductor's C++ around the kernels"),
    ("inductor_aot_kernel_code", Codegen, "AOTInductor's kernels"),
    ("inductor_aot_header_code", Codegen, "AOTInductor's header"),
    ("inductor_aot_code", Codegen, "AOTInductor's C++"),
    ("inductor_autotune_at_compile_time_code", Codegen, "code that tries out kernels while compiling"),
    ("inductor_provenance_tracking_kernel_stack_traces", Codegen, "the user's lines behind each kernel"),
    ("inductor_provenance_tracking_node_mappings", Codegen, "which graph nodes became which kernel"),
    ("inductor_post_to_pre_grad_nodes", Codegen, "which nodes each node comes from"),
    ("inductor_*_kernel_to_post_grad_nodes", Codegen, "which graph nodes became which kernel"),
    ("triton_kernel_info", Codegen, "Triton kernels with compile time and configuration"),
    ("native_dsl_compile", Codegen, "a kernel written in another language of its own"),
    ("compile_worker_status", Codegen, "a compile job that takes long"),
    ("compile_worker_sidecar_death", Codegen, "the last words of the process that builds kernels"),
    ("flex_gemm_*", Codegen, "how a matrix product was lowered"),
    ("*_fused", Codegen, "the scheduled graph with the size of each buffer"),
    ("precompile_cache_bypass", Caches, "precompile cache: not asked, with the reason"),
    ("fx_graph_cache_hit", Caches, "Inductor cache: found"),
    ("fx_graph_cache_miss", Caches, "Inductor cache: looked up, not found"),
    ("fx_graph_cache_bypass", Caches, "Inductor cache: not asked, with the reason"),
    ("aotautograd_cache_hit", Caches, "AOTAutograd cache: found"),
    ("aotautograd_cache_miss", Caches, "AOTAutograd cache: looked up, not found"),
    ("aotautograd_cache_bypass", Caches, "AOTAutograd cache: not asked, with the reason"),
    ("*_cache_hit", Caches, "found in this cache"),
    ("*_cache_miss", Caches, "looked up in this cache, not found"),
    ("*_cache_bypass", Caches, "this cache was not asked, with the reason"),
    ("*_cache_hash", Caches, "the key of the cache and what it is made of"),
    ("*_cache_pickle_failure", Caches, "what could not be stored"),
    ("dynamo_cache_*", Caches, "what Dynamo kept for another process"),
    ("compilation_metrics_runtime", Metrics, "numbers of work done while the model ran"),
    ("bwd_compilation_metrics_runtime", Metrics, "numbers of work done while the backward ran"),
    ("bwd_compilation_metrics", Metrics, "all numbers of the backward compile"),
    ("aot_autograd_backward_compilation_metrics", Metrics, "all numbers of the backward compile"),
    ("compilation_metrics", Metrics, "all numbers of this compile"),
    ("torch_version", Other, "the torch that wrote the log"),
    ("exported_program", Other, "the program that torch.export made"),
    ("export", Other, "the program that torch.export made"),
    ("memoizer_artifacts*", Other, "what a memoizer kept"),
    ("vllm_compilation_config", Other, "configuration of vLLM's compile"),
    ("vllm_piecewise_compile_start", Other, "vLLM begins with a part of the graph"),
    ("vllm_piecewise_split_graph", Other, "the graph as vLLM split it"),
    ("vllm_submod_*", Other, "a part of the graph that vLLM split"),
    ("vllm_subgraph_*", Other, "a part of the graph that vLLM split"),
    ("vllm_compile_event", Other, "what vLLM found in its cache"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_phase_that_made_it() {
        assert_eq!(of("dynamo_output_graph").0, Phase::Dynamo);
        assert_eq!(of("aot_joint_graph").0, Phase::Aot);
        assert_eq!(of("inductor_output_code_cabc").0, Phase::Codegen);
        assert_eq!(of("torch_dynamo_resume_in_f_at_7_ORIGINAL_BYTECODE").0, Phase::Dynamo);
        assert_eq!(of("fx_graph_bundled_cache_hit").1, "found in this cache");
        assert_eq!(of("something_new"), (Phase::Other, ""));
    }

    #[test]
    fn every_name_is_reached() {
        for (at, (pattern, _, _)) in FILES.iter().enumerate() {
            let name = pattern.replace('*', "x");
            let first = FILES.iter().position(|(other, _, _)| fits(other, &name));
            assert_eq!(first, Some(at), "{pattern} is covered by an earlier entry");
        }
    }
}
