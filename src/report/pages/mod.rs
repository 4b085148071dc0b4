//! The pages of a report on one log, each a file or a folder. No page knows another: what two need is in `kit`, `words`
//! or `analysis`.

pub(crate) mod caches;
pub(crate) mod code;
pub(crate) mod compile;
pub(crate) mod configuration;
pub(crate) mod export;
pub(crate) mod failures;
pub(crate) mod graph_breaks;
pub(crate) mod graphs;
pub(crate) mod guards;
pub(crate) mod kernels;
pub(crate) mod landing;
pub(crate) mod own_tables;

pub(crate) mod provenance;
pub(crate) mod recompilations;
#[cfg(test)]
mod rendered_in_tests;
pub(crate) mod search;
pub(crate) mod shapes;
pub(crate) mod source;
pub(crate) mod time;
pub(crate) mod vllm;
