//! What reports show, as data: pages are blocks, and lists have typed cells. Pure functions make them, and one writer each
//! makes HTML, Markdown, or text for a terminal, of them.
//!
//! - [`Cell`] is a value and says whose text it is;
//! - [`Listing`] is a table whose columns and cells are defined together;
//! - [`Block`] is a piece of a page;
//! - [`html`], [`page`], [`markdown`] and [`terminal`] write them.

mod added;
mod cell;
mod cell_html;
mod entries;
pub(crate) mod html;
mod listing;
pub(crate) mod markdown;
pub(crate) mod page;
mod table;
pub mod terminal;

pub(crate) use added::{AddedRow, added, added_rows};
pub(crate) use cell::{
    Cell, Fact, LinkedCompile, StackShown, code, count, lines, log, micros, own, place, prose, seconds, some,
    text,
};
pub(crate) use html::Surface;
pub(crate) use listing::{Filter, FoundRow, LeadsTo, Listing, Others, Rows};
pub(crate) use page::{Block, Card, Section, cost_of_card, place_of_card};
