//! tlparse
pub mod trace;
