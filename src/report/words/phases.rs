//! The phases of the compiler.

use crate::analysis::{Stage, part_of_phase};
use crate::model::words::fits_pattern;

/// What the compiler does in a phase, by its name in torch's chromium events; empty if the phase is unknown and outside
/// of all parts of the compiler.
pub(crate) fn phase_meaning(name: &str) -> &'static str {
    let known = PHASES.iter().find(|(pattern, _)| fits_pattern(pattern, name)).map(|(_, meaning)| *meaning);
    let of_part = || part_of_phase(name).and_then(|part| OF_PART.get(part)).copied();
    known.or_else(of_part).unwrap_or_default()
}

/// Whether it is the exact name of a known phase.
pub(crate) fn is_known_phase(name: &str) -> bool {
    PHASES.iter().any(|(pattern, _)| *pattern == name && !pattern.contains('*'))
}

/// What each part of the compiler does, in the order of the parts.
pub(crate) const PART_MEANINGS: [&str; 6] = [
    "Traces Python code into graphs and creates guards. Runs in every process, even with a warm cache.",
    "Traces the graph down to ATen operators, forward and backward, and computes cache keys.",
    "Rewrites the graph with patterns, lowers it to loops and fuses them.",
    "Generates the code of the kernels and the Python or C++ wrapper that calls them, and loads it.",
    "Compiles the generated kernels to binaries.",
    "Measures several configurations of a kernel, or several kernels for an operator, and picks the fastest.",
];

/// What an unknown phase does, by its part of the compiler, in the order of the parts.
const OF_PART: [&str; 6] = [
    "a step of Dynamo, which traces Python into graphs",
    "a step of AOTAutograd, which lowers graphs to ATen",
    "a step of Inductor, which rewrites graphs and plans kernels",
    "a step of code generation",
    "a step of building kernels",
    "a step of autotuning",
];

/// Descriptions of phases; the first matching pattern counts.
const PHASES: &[(&str, &str)] = &[
    ("entire_frame_compile", "one compile of a function, from tracing it to storing its guards"),
    ("dynamo", "Dynamo and everything it calls, for one function"),
    ("compile_attempt_*", "one attempt at tracing the function; a graph break or restart begins the next"),
    ("bytecode_tracing", "reads the Python bytecode and records the graph"),
    ("build_guards", "creates the guards that decide whether later calls can use the compiled code"),
    ("gc", "Python's garbage collection, which torch runs after a compile"),
    ("insert_deferred_runtime_asserts", "adds run-time checks of sizes"),
    ("optimize_ddp", "splits the graph so that DDP can send gradients during the backward pass"),
    ("compiled_autograd", "captures the backward pass as one graph"),
    ("pgo.*", "reads or writes sizes learned in earlier runs"),
    ("backend_compile", "hands the graph to the backend: AOTAutograd, then Inductor"),
    ("call_user_compiler", "hands the graph to the backend: AOTAutograd, then Inductor"),
    ("create_aot_dispatcher_function", "AOTAutograd: traces the graph down to ATen operators"),
    ("aot_collect_metadata", "finds mutated inputs and outputs that are views"),
    ("aot_trace_joint_graph", "traces forward and backward into one graph"),
    (
        "min_cut_rematerialization_partition",
        "splits the joint graph, choosing what to save for the backward and what to recompute",
    ),
    ("AOTAutogradCache.inductor_load", "loads the compiled graph that AOTAutograd's cache refers to"),
    ("AOTAutogradCache*", "looks up or stores the traced graph in AOTAutograd's cache"),
    ("entire_backward_compile", "compiles the backward graph, when the backward pass first runs"),
    ("compile_fx_aot", "Inductor ahead of time: compiles the graph to a package"),
    ("compile_fx.<locals>.fw_compiler_base", "compiles the forward or inference graph"),
    ("compile_fx.<locals>.bw_compiler", "compiles the backward graph"),
    ("inductor_compile", "Inductor for one graph: cache lookup, lowering, code"),
    ("fx_codegen_and_compile", "lowers the graph and generates code; skipped on a cache hit"),
    ("inductor_codecache_torch_key", "hashes torch's sources for cache keys, once per process"),
    ("CacheBase.get_system.triton_key", "hashes Triton's sources for cache keys, once per process"),
    ("CacheBase.*", "determines the device and versions that a cache entry requires"),
    ("FxGraphCache*", "looks up or stores the compiled graph in Inductor's FX graph cache"),
    ("FXGraphCache*", "looks up or stores the compiled graph in Inductor's FX graph cache"),
    ("fx_graph_cache*", "looks up or stores the compiled graph in Inductor's FX graph cache"),
    ("additional_fake_tensor_prop", "recomputes shapes and types after the passes"),
    ("_recursive_pre_grad_passes", "rewrites the graph before the backward is derived"),
    ("_recursive_joint_graph_passes", "rewrites forward and backward together"),
    ("_recursive_post_grad_passes", "rewrites the ATen graph before it is lowered"),
    ("pass.pre_grad_passes.*", "one pass over the graph before the backward is derived"),
    ("pass.joint_graph_passes.*", "one pass over forward and backward together"),
    ("pass.post_grad_passes.*", "one pass over the ATen graph before it is lowered"),
    ("pass.*", "one pass over the graph"),
    ("GraphLowering.run", "turns ATen operators into Inductor's loops"),
    ("GraphLowering.codegen", "schedules the loops and writes the code"),
    ("GraphLowering.compile_to_*", "writes the code, then builds and loads it"),
    ("code_gen", "writes the code, then builds and loads it"),
    ("Scheduler.__init__", "computes dependencies between loops, and fuses them"),
    ("Scheduler.fused_nodes", "fuses loops into kernels"),
    ("Scheduler.simple_overlap", "moves collectives so that they run beside computation"),
    ("Scheduler.codegen", "generates each kernel; the first time, also checks the C++ compiler"),
    ("PythonWrapperCodegen.generate", "writes the Python code that calls the kernels"),
    ("CppWrapper*.generate", "writes the C++ code that calls the kernels"),
    ("PyCodeCache.*", "loads the generated code, and builds its C++ kernels"),
    ("compile_file", "runs the C++ compiler on one file: a kernel, or a check of the compiler"),
    ("async_compile.wait", "waits until worker processes have built the kernels"),
    ("async_compile.precompile", "builds a Triton kernel in this process, as with one compile thread"),
    ("async_compile*", "has kernels built in worker processes"),
    ("triton_compile*", "builds a Triton kernel"),
    ("TritonBundler.*", "stores Triton's binaries with a cache entry, or unpacks them"),
    ("AotCodeCompiler.compile", "builds the library of an ahead-of-time package"),
    ("aoti_precompile_header", "builds the headers of ahead-of-time packages once"),
    ("aoti_serialize_constants", "writes the weights into the package"),
    ("*_template_precompiling", "builds the candidates of autotuning"),
    ("*_template_autotuning", "measures the candidates for an operator and picks the fastest"),
    (
        "CachingAutotuner.benchmark_all_configs",
        "measures the configurations of a Triton kernel and picks the fastest",
    ),
    (
        "CachingAutotuner.coordinate_descent_tuning",
        "varies a kernel's configuration as long as it gets faster",
    ),
    ("CachingAutotuner.*", "chooses the configuration of a Triton kernel"),
    ("benchmark_*", "measures how long a kernel takes"),
    ("cudagraphify*", "sets up a CUDA graph, which a later call records"),
    ("CUDAGraphNode.record", "records a CUDA graph"),
];

/// Name and description of a phase, for the directory and the glossary.
pub(crate) fn stage_words(stage: Stage) -> (&'static str, &'static str) {
    match stage {
        Stage::Dynamo => ("Dynamo", "traces the Python bytecode into a graph"),
        Stage::AotAutograd => ("AOTAutograd", "splits forward and backward, lowers to ATen"),
        Stage::InductorPasses => ("Inductor passes", "rewrite the graph before code generation"),
        Stage::CodeGeneration => ("Code generation", "writes and builds the kernels"),
        Stage::Caches => ("Caches", "lookups and their results"),
        Stage::Metrics => ("Metrics", "times and counts"),
        Stage::Other => ("Other records", "outside of all phases"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_is_explained_by_its_name_else_by_its_part() {
        assert!(phase_meaning("compile_file").contains("C++ compiler"));
        assert!(phase_meaning("compile_attempt_3").contains("attempt"));
        assert!(phase_meaning("Scheduler.new_step").contains("code generation"));
        assert_eq!(phase_meaning("something.else"), "");
    }

    #[test]
    fn no_pattern_is_hidden_by_an_earlier_one() {
        for (at, (pattern, _)) in PHASES.iter().enumerate() {
            let name = pattern.replace('*', "x");
            let first = PHASES.iter().position(|(other, _)| fits_pattern(other, &name));
            assert_eq!(first, Some(at), "{pattern}");
        }
    }
}
