//! What people call the caches of torch.

/// What people call a cache.
pub(crate) fn title(cache: &str) -> &str {
    match cache {
        "fx_graph" => "Inductor",
        "aotautograd" => "AOTAutograd",
        "fx_graph_bundled" => "Inductor, bundled",
        other => other,
    }
}
