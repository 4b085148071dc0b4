//! Columns with measurements of a trace. A report without a trace has neither them nor a note that they are missing.

use crate::report::kit::kernel_list::{CallsTime, Kernel, Kernels};
use crate::report::kit::links::measured_line;
use crate::report::kit::measured::{heat, longest_line, time_link};
use crate::report::kit::prelude::*;

/// Reference figures of the columns.
#[derive(Default)]
pub(super) struct Measured {
    /// Whether a kernel of the log was measured.
    present: bool,
    /// Whether one of these has an estimate.
    estimated: bool,
    /// Microseconds of the longest kernel, and of everything the device did.
    longest_us: f64,
    busy_us: f64,
}

impl Measured {
    pub(super) fn of(view: View<'_>, found: &Kernels) -> Measured {
        let Some(performance) = &view.report.found.performance else { return Measured::default() };
        let times = || found.kernels.iter().map(|kernel| kernel.measured.sum_us);
        Measured {
            present: found.kernels.iter().any(|kernel| kernel.measured.count > 0),
            estimated: found.kernels.iter().any(|kernel| kernel.ratio_to_estimate().is_some()),
            longest_us: times().fold(0.0, f64::max),
            busy_us: performance.time.busy_us,
        }
    }

    /// Columns of the table of kernels.
    pub(super) fn columns(&self) -> Vec<TableColumn> {
        let columns = vec![
            TableColumn::number("Measured time").about("over all runs in the trace"),
            TableColumn::number("Runs").about("in the trace"),
            TableColumn::number("Of busy time"),
            TableColumn::number("Of the estimate").about("a measured run over Inductor's estimate"),
        ];
        columns.into_iter().take(self.shown_columns()).collect()
    }

    pub(super) fn cells(&self, view: View<'_>, kernel: &Kernel) -> Vec<TableCell> {
        let CallsTime { count, sum_us, .. } = kernel.measured;
        let known = Some(sum_us).filter(|_| count > 0);
        let time = match known {
            Some(us) => heat(time_link(view, kernel.measured), us, us, self.longest_us),
            None => TableCell::maybe(None, micros),
        };
        let cells = vec![
            time,
            TableCell::maybe(known.map(|_| count as f64), |count| whole(count as u64)),
            TableCell::maybe(known, |us| percent(us, self.busy_us, true)),
            TableCell::maybe(kernel.ratio_to_estimate(), |ratio| format!("{ratio:.2}×")),
        ];
        cells.into_iter().take(self.shown_columns()).collect()
    }

    fn shown_columns(&self) -> usize {
        match (self.present, self.estimated) {
            (false, _) => 0,
            (true, false) => 3,
            (true, true) => 4,
        }
    }

    /// The column of the table of lines.
    pub(super) fn line_head(&self) -> Option<TableColumn> {
        let about = "of all kernels of the line in the trace; light: its share of kernels of several lines";
        self.present.then(|| TableColumn::number("Measured time").about(about))
    }

    pub(super) fn line_cell(&self, view: View<'_>, file: &str, line: u64) -> Option<TableCell> {
        let performance = view.report.found.performance.as_ref().filter(|_| self.present)?;
        let place = view.report.found.lines.measured(file, line);
        let time = place.and_then(|place| Some((place, performance.lines.get(place)?)));
        Some(match time {
            Some((place, time)) => {
                let shown = view.link_if(measured_line(view, place).as_deref(), &micros(time.us));
                heat(shown, time.own_us, time.us, longest_line(performance))
            }
            None => TableCell::maybe(None, micros),
        })
    }
}
