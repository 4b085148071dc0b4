//! torch's mappings between names of nodes and kernels.

use crate::model::{Fields, lenient};
use crate::read::generated::Call;
use crate::trace::{OrderedMap, TextSet};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Names to the names that they map to.
pub(super) type Names = BTreeMap<String, Vec<String>>;

/// The mappings in the artifacts of a run.
#[derive(Default)]
pub(super) struct Mapping {
    /// Whether kernels have a debug handle: version 2.
    pub(super) handles: bool,
    pub(super) pre_to_post: Names,
    pub(super) post_to_pre: Names,
    pub(super) kernel_to_post: Names,
    pub(super) post_to_kernel: Names,
}

impl Mapping {
    /// Reads the artifacts of a run. torch 2.7 also wrote the origins of nodes and the nodes of Triton kernels to artifacts
    /// of their own. `pre` is the graph before AOTAutograd; origins refer to its number.
    pub(super) fn read(texts: &[impl AsRef<str>], pre: Option<&str>) -> Mapping {
        let mut mapping = Mapping::default();
        let mut origins = Names::default();
        for text in texts.iter().map(AsRef::as_ref) {
            let Ok(fields) = Fields::parse(text) else { continue };
            mapping.handles |= fields.number("version").is_some_and(|version| version >= 2.0);
            let known = [
                ("preToPost", &mut mapping.pre_to_post),
                ("postToPre", &mut mapping.post_to_pre),
                ("cppCodeToPost", &mut mapping.kernel_to_post),
                ("postToCppCode", &mut mapping.post_to_kernel),
            ];
            let mut has_key = false;
            for (key, map) in known {
                if let Some(raw) = fields.raw(key) {
                    has_key = true;
                    read_names(raw.get(), map);
                }
            }
            if !has_key && fields.raw("version").is_none() {
                read_names(text, &mut mapping.kernel_to_post);
                read_origins(&fields, pre.and_then(graph_id), &mut origins);
            }
        }
        if mapping.pre_to_post.is_empty() && mapping.post_to_pre.is_empty() {
            mapping.post_to_pre = origins;
        }
        add_inverse(&mapping.kernel_to_post, &mut mapping.post_to_kernel);
        add_inverse(&mapping.post_to_kernel, &mut mapping.kernel_to_post);
        add_inverse(&mapping.pre_to_post, &mut mapping.post_to_pre);
        add_inverse(&mapping.post_to_pre, &mut mapping.pre_to_post);
        mapping
    }

    /// The nodes of a call. Without handles, all calls of a kernel have the same nodes.
    pub(super) fn nodes(&self, call: &Call<'_>) -> Option<&Vec<String>> {
        if self.handles {
            return self.kernel_to_post.get(&label(call.kernel, Some(call.handle?)));
        }
        self.kernel_to_post.get(call.kernel)
    }
}

/// `extern_kernels.mm:1`: the name of a call in version 2.
pub(super) fn label(kernel: &str, handle: Option<&str>) -> String {
    match handle {
        Some(handle) => format!("{kernel}:{handle}"),
        None => kernel.to_owned(),
    }
}

/// Fills an empty map from the map for the other direction.
fn add_inverse(from: &Names, to: &mut Names) {
    if !to.is_empty() {
        return;
    }
    for (name, others) in from {
        for other in others {
            to.entry(other.clone()).or_default().push(name.clone());
        }
    }
}

/// Adds names with lists of names; anything else is skipped. Two artifacts may have the same entries.
fn read_names(text: &str, into: &mut Names) {
    let Ok(fields) = Fields::parse(text) else { return };
    for (name, raw) in fields.iter() {
        let Ok(names) = serde_json::from_str::<Vec<String>>(raw.get()) else { continue };
        if names.is_empty() {
            // A node without origins also looks like this.
            continue;
        }
        match into.get_mut(name) {
            None => drop(into.insert(name.to_owned(), names)),
            Some(known) => {
                let seen: TextSet<String> = known.iter().cloned().collect();
                known.extend(names.into_iter().filter(|name| !seen.contains(name)));
            }
        }
    }
}

/// The origin of a node: a node of an earlier graph, with its own origins.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Origin {
    #[serde(deserialize_with = "lenient")]
    name: Option<String>,
    #[serde(deserialize_with = "lenient")]
    graph_id: Option<u64>,
    from_node: Vec<Origin>,
}

/// Reads `inductor_post_to_pre_grad_nodes`: for each node of the post-grad graph, its origins in the pre-grad graph.
fn read_origins(fields: &Fields<'_>, pre: Option<u64>, into: &mut Names) {
    let Some(pre) = pre else { return };
    for (node, raw) in fields.iter() {
        let Ok(mut open) = serde_json::from_str::<Vec<Origin>>(raw.get()) else { continue };
        let mut names: OrderedMap<String, ()> = OrderedMap::default();
        while let Some(origin) = open.pop() {
            names.extend(origin.name.filter(|_| origin.graph_id == Some(pre)).map(|name| (name, ())));
            open.extend(origin.from_node);
        }
        if !names.is_empty() {
            into.insert(node.to_owned(), names.into_keys().collect());
        }
    }
}

/// The number in the last line of a graph: `# graph id: 139910292311568`.
fn graph_id(text: &str) -> Option<u64> {
    let line = text.lines().rev().find(|line| !line.trim().is_empty())?;
    line.trim().strip_prefix("# graph id: ")?.parse().ok()
}
