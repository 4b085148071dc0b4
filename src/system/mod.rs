//! What differs between operating systems: no other file asks which one it is compiled for. On each there is the same set
//! of functions; where a system lacks something, the function says what happens instead.
//!
//! No part of the library's interface: it is public for the program of this package.

pub mod files;
pub mod processes;
pub mod signals;
pub mod terminals;
