//! `kernels.html`: kernels by the time that a trace measured, the lines of the program that they come from, and the kernels
//! of the generated code. Of a trace without a log it is the first page, too.

mod generated;
mod judged;
mod limits;
mod lines;
mod measured;
mod roofline;
mod scale;
mod trace;

use crate::analysis::performance::Performance;
use crate::report::doc::{Block, Cell, log, own, page};
use crate::report::kit::assets::Delivery;
use crate::report::kit::collect_kernels::kernels_of_log;
use crate::report::kit::inductor_runs::{self, Run};
use crate::report::kit::kernel_list::Kernels;
use crate::report::kit::links::measured_line_anchor;
use crate::report::kit::prelude::*;
use crate::limits::LONG_TABLE;

/// Whether the report was given a trace, or the log has generated code.
pub(crate) fn present(report: Report<'_>) -> bool {
    let has_code = |run: &Run<'_>| !run.run.code.is_empty();
    let mut compiles = report.model.compiles.iter();
    report.found.performance.is_some()
        || compiles.any(|compile| inductor_runs::runs_of(report, compile).iter().any(has_code))
}

/// The page, under the name of the former page of measured kernels, too, and first where there is no log.
pub(crate) fn pages(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let mut names = vec![links::KERNELS];
    names.extend(report.found.performance.is_some().then_some(links::PERFORMANCE));
    names.extend(report.is_trace_alone().then(|| paths::landing(report.settings)));
    let page = |name: &'static str| {
        Page::rendered(RelPath::of_parts(&[name]), move |worker, out| {
            let shell = Shell { delivery: Delivery::of(name), ..Shell::top(report, "Kernels") };
            let subject = Subject::read(report)?;
            page::write_in(shell, report, &blocks(&subject), worker, out)
        })
    };
    names.into_iter().map(page).collect()
}

/// What the page is about.
struct Subject<'m> {
    report: Report<'m>,
    measured: Option<&'m Performance>,
    /// The kernels of the generated code, and the Inductor runs that they are from.
    generated: &'m Kernels,
    runs: Vec<Run<'m>>,
}

fn blocks<'m>(subject: &'m Subject<'m>) -> Vec<Block<'m>> {
    let Some(found) = subject.measured else {
        let mut blocks = vec![generated::headline(subject), generated::kernels(subject, "kernels", "Kernels")];
        blocks.extend(lines::generated(subject));
        return blocks;
    };
    let mut blocks = trace::head(subject, found);
    blocks.extend(trace::notable(subject, found));
    blocks.extend(lines::measured(found).or_else(|| lines::generated(subject)));
    let kernels = measured::kernels(subject, found);
    blocks.extend(roofline::section(found, &kernels));
    blocks.push(measured::section(kernels));
    if !subject.runs.is_empty() {
        blocks.push(generated::kernels(subject, "code", "In the generated code"));
    }
    blocks.extend(judged::section(found));
    blocks
}

impl<'m> Subject<'m> {
    fn read(report: Report<'m>) -> anyhow::Result<Subject<'m>> {
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
    fn lines<'r>(&self, lines: impl ExactSizeIterator<Item = (&'r str, u64)>, most: usize) -> Cell<'r> {
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
fn linked(cell: Cell<'_>, href: Option<String>) -> Cell<'_> {
    match href {
        Some(href) => cell.linked(href),
        None => cell,
    }
}
