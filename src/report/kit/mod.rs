//! How anything looks: the shell around a page, tables, cells, pills, links, numbers, highlighted code. Knows no page.

pub(crate) mod assets;
pub(crate) mod bars;
mod cells;
pub(crate) mod changes;
pub(crate) mod code_text;
pub(crate) mod copy;
pub(crate) mod editor;
mod filters;
pub(crate) mod formats;
pub(crate) mod graph_files;
pub(crate) mod highlight;
mod highlight_classes;
pub(crate) mod html;
pub(crate) mod inductor_runs;
pub(crate) mod json;
pub(crate) mod links;
pub(crate) mod log_settings;
mod log_text;
pub(crate) mod markdown;
pub(crate) mod markup;
mod names;
pub(crate) mod paths;
mod pills;
mod prose;
pub(crate) mod provenance_anchors;
pub(crate) mod reasons;
pub(crate) mod shell;
pub(crate) mod stacks;
pub(crate) mod tables;
pub(crate) mod templates;
pub(crate) mod urls;
pub(crate) mod verdict;
pub(crate) mod versions;
pub(crate) mod view;
pub(crate) mod vllm_modules;

pub use templates::Worker;
