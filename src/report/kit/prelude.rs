//! Imports of nearly every page: `use crate::report::kit::prelude::*`.

pub(crate) use crate::output::{Page, RelPath};
pub(crate) use crate::report::kit::formats::{
    UNKNOWN, and_more, bytes, clipped, counted, micros, percent, short_path, whole,
};
pub(crate) use crate::report::kit::html::Html;
pub(crate) use crate::report::kit::markup::{
    Element, block, close, close_section, heading, note_below, open_box, open_more, paragraph,
    paragraph_below, small, soft, soft_paragraph, span, stacked, strong, write_line,
};
pub(crate) use crate::report::kit::shell::{Shell, Tab, write_page};
pub(crate) use crate::report::kit::templates::Worker;
pub(crate) use crate::report::kit::view::View;
pub(crate) use crate::report::kit::{links, paths};
pub(crate) use crate::report::subject::Report;
pub(crate) use serde::Serialize;
pub(crate) use std::io::Write;
