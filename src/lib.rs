//! tlparse
pub mod events;
pub mod model;
pub mod trace;
