//! tlparse
pub mod events;
pub mod model;
pub mod output;
pub mod trace;
