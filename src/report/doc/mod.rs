//! What reports show, as data: lists with typed cells, made by pure functions. One writer each makes HTML and text for a
//! terminal of them.
//!
//! - [`Cell`] is a value and says whose text it is;
//! - [`Listing`] is a table whose columns and cells are defined together;
//! - [`html`] and [`terminal`] write it.

mod cell;
pub(crate) mod html;
mod listing;
pub mod terminal;

pub(crate) use cell::{Cell, code, count, log, micros, own, place, prose, seconds, text};
pub(crate) use listing::{Listing, Rows};
