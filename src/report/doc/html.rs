//! Lists and cells as HTML.

pub(crate) use super::cell_html::{Surface, facts, html};
pub(crate) use super::table::{section, table, tools};
