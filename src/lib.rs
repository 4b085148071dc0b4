//! tlparse

pub mod output;
