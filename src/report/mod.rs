//! From the model and the findings to pages.

pub mod assets;
pub mod source;
