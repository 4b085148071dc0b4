//! The phases of the compiler.

use crate::analysis::{Stage, part_of_phase};
use crate::model::words::fits_pattern;

/// What the compiler does in a phase, by the name that torch's chromium events give it; empty words for a name that is
/// not known and belongs to no part of the compiler.
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
    "Reads the Python code into graphs and makes guards. It runs in every process, also with a warm cache.",
    "Traces the graph down to ATen operators, forward and backward; cache keys are computed here too.",
    "Rewrites the graph by patterns, lowers it to loops and decides what is fused.",
    "Inductor writes the code of the kernels and the Python or C++ code that calls them, and loads it.",
    "Compilers turn the generated kernels into binaries.",
    "Measures several configurations of a kernel, or several kernels for one operator, and takes the fastest.",
];

/// What an unknown phase does, by its part of the compiler, in the order of the parts.
const OF_PART: [&str; 6] = [
    "a step of Dynamo, which traces Python into graphs",
    "a step of AOTAutograd, which lowers graphs to ATen",
    "a step of Inductor, which rewrites graphs and plans kernels",
    "a step of writing the code that runs",
    "a step of building kernels",
    "a step of trying out kernel configurations",
];

/// Phases with what happens in them; the first pattern that fits counts.
const PHASES: &[(&str, &str)] = &[
    ("entire_frame_compile", "one compile of a function, from tracing it to storing its guards"),
    ("dynamo", "Dynamo and all that it calls, for one function"),
    ("compile_attempt_*", "one attempt at tracing the function; a graph break or restart begins the next"),
    ("bytecode_tracing", "reads the Python bytecode and records the graph"),
    ("build_guards", "makes the guards that decide whether the compiled code fits a later call"),
    ("gc", "Python's garbage collection, which torch runs after a compile"),
    ("insert_deferred_runtime_asserts", "adds the checks of sizes that must hold when the graph runs"),
    ("optimize_ddp", "splits the graph so that DDP can send gradients while the backward pass still runs"),
    ("compiled_autograd", "captures the backward pass as one graph"),
    ("pgo.*", "reads or writes what earlier runs learned about sizes"),
    ("backend_compile", "hands the graph to the backend: AOTAutograd, then Inductor"),
    ("call_user_compiler", "hands the graph to the backend: AOTAutograd, then Inductor"),
    ("create_aot_dispatcher_function", "AOTAutograd: traces the graph down to ATen operators"),
    ("aot_collect_metadata", "finds out which inputs are changed and which outputs are views"),
    ("aot_trace_joint_graph", "traces forward and backward into one graph"),
    (
        "min_cut_rematerialization_partition",
        "cuts the joint graph in two: what to keep for the backward, what to recompute",
    ),
    ("AOTAutogradCache.inductor_load", "loads the compiled graph that AOTAutograd's cache refers to"),
    ("AOTAutogradCache*", "looks up or stores the traced graph in AOTAutograd's cache"),
    ("entire_backward_compile", "compiles the backward graph, when the backward pass first runs"),
    ("compile_fx_aot", "Inductor, ahead of time: from the graph to a package"),
    ("compile_fx.<locals>.fw_compiler_base", "compiles the forward or inference graph"),
    ("compile_fx.<locals>.bw_compiler", "compiles the backward graph"),
    ("inductor_compile", "Inductor for one graph: cache lookup, lowering, code"),
    ("fx_codegen_and_compile", "lowers the graph and makes its code; skipped where the cache has it"),
    (
        "inductor_codecache_torch_key",
        "hashes the sources of torch, which are part of each cache key; once per process",
    ),
    (
        "CacheBase.get_system.triton_key",
        "hashes the sources of Triton, which are part of each cache key; once per process",
    ),
    ("CacheBase.*", "finds out on which device and versions a cache entry holds"),
    ("FxGraphCache*", "looks up or stores the compiled graph in Inductor's FX graph cache"),
    ("FXGraphCache*", "looks up or stores the compiled graph in Inductor's FX graph cache"),
    ("fx_graph_cache*", "looks up or stores the compiled graph in Inductor's FX graph cache"),
    ("additional_fake_tensor_prop", "works out shapes and types once more, after the passes"),
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
    ("Scheduler.__init__", "works out which loop needs which, and fuses them"),
    ("Scheduler.fused_nodes", "decides which loops become one kernel"),
    ("Scheduler.simple_overlap", "moves collectives so that they run beside computation"),
    ("Scheduler.codegen", "writes each kernel; the first time, it also tries out the C++ compiler"),
    ("PythonWrapperCodegen.generate", "writes the Python code that calls the kernels"),
    ("CppWrapper*.generate", "writes the C++ code that calls the kernels"),
    ("PyCodeCache.*", "loads the generated code, and builds its C++ kernels"),
    ("compile_file", "runs the C++ compiler on one file: a kernel, or a test of what the compiler can do"),
    ("async_compile.wait", "waits until worker processes have built the kernels"),
    ("async_compile*", "builds kernels in worker processes"),
    ("triton_compile*", "builds a Triton kernel"),
    ("TritonBundler.*", "stores Triton's binaries with a cache entry, or unpacks them"),
    ("AotCodeCompiler.compile", "builds the library of an ahead-of-time package"),
    ("aoti_precompile_header", "builds the headers of ahead-of-time packages once"),
    ("aoti_serialize_constants", "writes the weights into the package"),
    ("*_template_precompiling", "builds the candidates that are tried out"),
    ("*_template_autotuning", "measures the candidates for an operator and takes the fastest"),
    (
        "CachingAutotuner.benchmark_all_configs",
        "measures the configurations of a Triton kernel and takes the fastest",
    ),
    (
        "CachingAutotuner.coordinate_descent_tuning",
        "varies a kernel's configuration step by step while it gets faster",
    ),
    ("CachingAutotuner.*", "chooses the configuration of a Triton kernel"),
    ("benchmark_*", "measures how long a kernel takes"),
    ("cudagraphify*", "records a CUDA graph"),
];

/// Name and meaning of a phase, as the directory and the glossary have them.
pub(crate) fn stage_words(stage: Stage) -> (&'static str, &'static str) {
    match stage {
        Stage::Dynamo => ("Dynamo", "traces the Python bytecode into a graph"),
        Stage::AotAutograd => ("AOTAutograd", "splits forward and backward, lowers to ATen"),
        Stage::InductorPasses => ("Inductor passes", "rewrite the graph before code is made"),
        Stage::CodeGeneration => ("Code generation", "writes and builds the kernels"),
        Stage::Caches => ("Caches", "what was looked up and found"),
        Stage::Metrics => ("Metrics", "times and counts"),
        Stage::Other => ("Other records", "of no phase of the compiler"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_is_explained_by_its_name_else_by_its_part() {
        assert!(phase_meaning("compile_file").contains("C++ compiler"));
        assert!(phase_meaning("compile_attempt_3").contains("attempt"));
        assert!(phase_meaning("Scheduler.new_step").contains("writing the code"));
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
