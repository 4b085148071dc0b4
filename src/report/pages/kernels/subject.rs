//! What the page is about, and the ways from its cells to its rows.

use crate::analysis::performance::Performance;
use crate::limits::LONG_TABLE;
use crate::report::doc::{Cell, log, own};
use crate::report::kit::collect_kernels::kernels_of_log;
use crate::report::kit::inductor_runs::{self, Run};
use crate::report::kit::kernel_list::Kernels;
use crate::report::kit::links::measured_line_anchor;
use crate::report::kit::prelude::*;

/// What the page is about.
pub(super) struct Subject<'m> {
    pub(super) report: Report<'m>,
    pub(super) measured: Option<&'m Performance>,
    /// The kernels of the generated code, and the Inductor runs that they are from.
    pub(super) generated: &'m Kernels,
    pub(super) runs: Vec<Run<'m>>,
}

impl<'m> Subject<'m> {
    pub(super) fn read(report: Report<'m>) -> anyhow::Result<Subject<'m>> {
        let measured = report.found.performance.as_ref();
        Ok(Subject { report, measured, generated: kernels_of_log(report)?, runs: inductor_runs::all(report) })
    }

    /// The row of a line of the program on this page.
    fn row_of_line(&self, file: &str, line: u64) -> Option<String> {
        let is_measured = self.measured.is_some_and(|found| !found.lines.is_empty());
        let place = match is_measured {
            true => self.report.found.lines.measured(file, line),
            false => {
                let index = self.generated.lines.get_index_of(&(file.to_owned(), line));
                index.and_then(|index| self.generated.places.get(index).copied())
            }
        };
        place.filter(|place| *place < LONG_TABLE).map(|place| format!("#{}", measured_line_anchor(place)))
    }

    /// `x.py:19, 20`, each a link to its row.
    pub(super) fn lines<'r>(
        &self,
        lines: impl ExactSizeIterator<Item = (&'r str, u64)>,
        most: usize,
    ) -> Cell<'r> {
        let more = and_more(lines.len(), most);
        let mut before = None;
        let shown = lines.take(most).map(|(file, line)| {
            let text = match before.replace(file) == Some(file) {
                true => line.to_string(),
                false => format!("{}:{line}", short_path(file)),
            };
            linked(log(text), self.row_of_line(file, line))
        });
        let shown: Vec<_> = shown.collect();
        match shown.is_empty() {
            true => Cell::Unknown,
            false => Cell::Beside(vec![Cell::Beside(shown, ", "), own(more)], ""),
        }
    }
}

/// A cell that leads somewhere, if that is known.
pub(super) fn linked(cell: Cell<'_>, href: Option<String>) -> Cell<'_> {
    match href {
        Some(href) => cell.linked(href),
        None => cell,
    }
}
