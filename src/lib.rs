//! tlparse
pub mod analysis;
pub mod events;
pub mod model;
pub mod output;
pub mod report;
pub mod trace;
