//! tlparse

pub mod report;
