//! Measured times of a run: of each kernel call, and of each line of the program.

use crate::analysis::provenance::Provenance;
use crate::report::doc::{Cell, own};
use crate::report::kit::formats::micros;
use crate::report::kit::html::Html;
use crate::report::kit::inductor_runs::Run;
use crate::report::kit::kernel_list::CallsTime;
use crate::report::kit::links::{measured_kernel, measured_line};
use crate::report::kit::measured::{calls_of, heat_beside, longest_line};
use crate::report::kit::view::View;
use crate::report::subject::Report;

/// Times of a run; empty if no trace measured it.
#[derive(Default)]
pub(crate) struct Times {
    /// Per call, in code order.
    calls: Vec<CallsTime>,
    /// Per line of the program, over the whole trace.
    lines: Vec<Option<TimeOfLine>>,
    longest_call_us: f64,
    longest_line_us: f64,
}

#[derive(Clone, Copy)]
struct TimeOfLine {
    /// Its index among the lines of the trace.
    place: usize,
    own_us: f64,
    us: f64,
}

impl Times {
    pub(crate) fn of(report: Report<'_>, run: &Run<'_>, found: &Provenance) -> Times {
        let timed = calls_of(report, run);
        let Some(performance) = report.found.performance.as_ref().filter(|_| !timed.is_empty()) else {
            return Times::default();
        };
        let mut calls = vec![CallsTime::default(); found.kernels.len()];
        for call in timed {
            if let Some(time) = calls.get_mut(call.place) {
                time.add(call);
            }
        }
        let lines = found.source.iter().map(|line| {
            let place = report.found.lines.measured(&line.file, line.line)?;
            let time = performance.lines.get(place)?;
            Some(TimeOfLine { place, own_us: time.own_us, us: time.us })
        });
        Times {
            longest_call_us: calls.iter().map(|call| call.sum_us).fold(0.0, f64::max),
            longest_line_us: longest_line(performance),
            lines: lines.collect(),
            calls,
        }
    }

    /// The cell of a call; unknown if no trace measured it.
    pub(crate) fn call_cell<'r>(&self, view: View<'_>, place: usize) -> Cell<'r> {
        let Some(time) = self.calls.get(place).filter(|time| time.count > 0) else { return Cell::Unknown };
        let row = time.kernel.and_then(|kernel| measured_kernel(view, kernel));
        let us = time.sum_us;
        own(micros(us)).at(row).bar(us, us, self.longest_call_us)
    }

    /// The cell of a line of the program.
    pub(crate) fn line_cell<'r>(&self, view: View<'_>, place: usize) -> Cell<'r> {
        let Some(Some(time)) = self.lines.get(place) else { return Cell::Unknown };
        let shown = own(micros(time.us)).at(measured_line(view, time.place));
        shown.bar(time.own_us, time.us, self.longest_line_us)
    }

    /// The time before a call in its pane.
    pub(crate) fn beside_call(&self, place: usize) -> Option<Html> {
        let time = self.calls.get(place).filter(|time| time.count > 0)?;
        let title = format!("{} in {} runs of the trace", micros(time.sum_us), time.count);
        Some(heat_beside(time.sum_us, time.sum_us, self.longest_call_us, &title))
    }

    /// The time before a line of the program in its pane.
    pub(crate) fn beside_line(&self, place: usize) -> Option<Html> {
        let time = self.lines.get(place)?.as_ref()?;
        let title = format!(
            "{} in the trace, {} of it from kernels of this line alone",
            micros(time.us),
            micros(time.own_us)
        );
        Some(heat_beside(time.own_us, time.us, self.longest_line_us, &title))
    }
}
