//! Configurations of a log: how they differ, and which settings affect the report.

use crate::trace::OrderedMap;
use indexmap::IndexMap;

/// The settings of a configuration: names and values as JSON.
pub type Settings = OrderedMap<String, String>;

/// A setting that differs between configurations of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differing<'c> {
    /// Its name.
    pub name: &'c str,
    /// Each value (None if it is missing) with the places of the configurations that have it.
    pub values: Vec<(Option<&'c str>, Vec<usize>)>,
}

/// Settings that differ between these configurations, in order of first appearance.
pub fn differing<'c>(configs: &[&'c Settings]) -> Vec<Differing<'c>> {
    if configs.len() < 2 {
        return Vec::new();
    }
    let mut names: IndexMap<&str, ()> = IndexMap::new();
    for config in configs {
        names.extend(config.keys().map(|name| (name.as_str(), ())));
    }
    let of = |name: &'c str| {
        let mut values: IndexMap<Option<&str>, Vec<usize>> = IndexMap::new();
        for (index, config) in configs.iter().enumerate() {
            values.entry(config.get(name).map(String::as_str)).or_default().push(index);
        }
        (values.len() > 1).then(|| Differing { name, values: values.into_iter().collect() })
    };
    names.into_keys().filter_map(of).collect()
}

/// A setting that changes what is compiled, cached or reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notable {
    /// Field of the metrics that contains it.
    pub kind: &'static str,
    /// Its name there.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
}

const fn of(kind: &'static str, name: &'static str, about: &'static str) -> Notable {
    Notable { kind, name, about }
}

const DYNAMO: &str = "dynamo_config";
const INDUCTOR: &str = "inductor_config";
const FUNCTORCH: &str = "functorch_config";
const COMPILER: &str = "compiler_config";

/// Settings that explain most surprises, by topic.
pub const NOTABLE: &[Notable] = &[
    of(DYNAMO, "suppress_errors", "an error of the compiler is hidden, and the function runs as Python"),
    of(DYNAMO, "disable", "nothing is compiled"),
    of(DYNAMO, "error_on_recompile", "a recompile is an error"),
    of(DYNAMO, "fail_on_recompile_limit_hit", "reaching the recompile limit is an error"),
    of(DYNAMO, "recompile_limit", "versions of a function, after which it runs as Python"),
    of(DYNAMO, "cache_size_limit", "versions of a function, after which it runs as Python"),
    of(
        DYNAMO,
        "accumulated_recompile_limit",
        "versions over all objects that share the code, after which it runs as Python",
    ),
    of(
        DYNAMO,
        "accumulated_cache_size_limit",
        "versions over all objects that share the code, after which it runs as Python",
    ),
    of(
        DYNAMO,
        "assume_static_by_default",
        "sizes are constants until they change; dynamic=True turns it off",
    ),
    of(DYNAMO, "automatic_dynamic_shapes", "a size that changed becomes dynamic; dynamic=False turns it off"),
    of(DYNAMO, "dynamic_shapes", "whether sizes may be dynamic at all"),
    of(DYNAMO, "specialize_int", "integers are constants"),
    of(DYNAMO, "specialize_float", "floating point numbers are constants"),
    of(DYNAMO, "capture_scalar_outputs", ".item() is captured and does not break the graph"),
    of(DYNAMO, "capture_dynamic_output_shape_ops", "nonzero() and the like do not break the graph"),
    of(DYNAMO, "compiled_autograd", "the backward pass is captured by Dynamo too"),
    of(DYNAMO, "optimize_ddp", "graphs are split at the buckets of DDP"),
    of(DYNAMO, "inline_inbuilt_nn_modules", "modules are traced into, so that equal ones share code"),
    of(DYNAMO, "caching_precompile", "compiled functions are kept between processes"),
    of(COMPILER, "force_disable_caches", "no cache is used"),
    of(INDUCTOR, "force_disable_caches", "no cache is used"),
    of(INDUCTOR, "fx_graph_cache", "compiled graphs are kept on disk"),
    of(INDUCTOR, "fx_graph_remote_cache", "compiled graphs are kept remotely"),
    of(FUNCTORCH, "enable_autograd_cache", "results of AOTAutograd are kept on disk"),
    of(FUNCTORCH, "enable_remote_autograd_cache", "results of AOTAutograd are kept remotely"),
    of(INDUCTOR, "autotune_local_cache", "results of autotuning are kept on disk"),
    of(COMPILER, "dynamic_sources", "inputs that are dynamic from the start (TORCH_COMPILE_DYNAMIC_SOURCES)"),
    of(COMPILER, "unbacked_sources", "inputs whose sizes are never looked at"),
    of(COMPILER, "job_id", "under which name profiles of this job are kept"),
    of(INDUCTOR, "max_autotune", "kernels are chosen by measuring: slow to compile"),
    of(INDUCTOR, "max_autotune_gemm", "kernels of matrix products are chosen by measuring: slow to compile"),
    of(INDUCTOR, "max_autotune_pointwise", "pointwise kernels are chosen by measuring: slow to compile"),
    of(INDUCTOR, "coordinate_descent_tuning", "kernels are tuned further by measuring"),
    of(INDUCTOR, "triton.cudagraphs", "graphs are recorded as cudagraphs (mode=\"reduce-overhead\")"),
    of(INDUCTOR, "triton.cudagraph_skip_dynamic_graphs", "no cudagraphs for graphs with dynamic sizes"),
    of(INDUCTOR, "freezing", "parameters are constants"),
    of(INDUCTOR, "cpp_wrapper", "the wrapper is C++"),
    of(INDUCTOR, "compile_threads", "processes that build kernels; 1 builds them one after the other"),
    of(INDUCTOR, "fallback_random", "random numbers are those of eager"),
    of(INDUCTOR, "deterministic", "no choice by measuring"),
    of(INDUCTOR, "debug", "more is checked and written: slow"),
    of(INDUCTOR, "trace.enabled", "intermediate code is written to disk: slow"),
    of(INDUCTOR, "trace.provenance_tracking_level", "which node became which kernel is recorded"),
    of(INDUCTOR, "profile_bandwidth", "each kernel is measured when it runs"),
    of(FUNCTORCH, "debug_assert", "more is checked: slow"),
    of(FUNCTORCH, "activation_memory_budget", "below 1, activations are computed again in the backward"),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(of: &[(&str, &str)]) -> Settings {
        of.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn settings_that_differ_name_the_configurations_with_each_value() {
        let configs = [
            settings(&[("a", "1"), ("b", "2")]),
            settings(&[("a", "1"), ("b", "3")]),
            settings(&[("b", "2")]),
        ];
        let found = differing(&configs.iter().collect::<Vec<_>>());
        assert_eq!(
            found,
            [
                Differing { name: "a", values: vec![(Some("1"), vec![0, 1]), (None, vec![2])] },
                Differing { name: "b", values: vec![(Some("2"), vec![0, 2]), (Some("3"), vec![1])] },
            ]
        );
        assert!(differing(&[&configs[0], &configs[0]]).is_empty());
    }

    #[test]
    fn no_notable_setting_is_listed_twice() {
        for (index, notable) in NOTABLE.iter().enumerate() {
            assert!(NOTABLE[..index].iter().all(|n| (n.kind, n.name) != (notable.kind, notable.name)));
        }
    }
}
