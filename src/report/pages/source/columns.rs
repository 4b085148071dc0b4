//! The columns of a file: numbers of a line. One without a number in the file is left out.

use super::subject::ShownSource;
use crate::analysis::lines::{LineFacts, LinesOfFile};
use crate::report::kit::measured::ends;
use crate::report::kit::prelude::*;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    CompileTime,
    KernelTime,
    Breaks,
    Again,
    Fails,
    Operators,
    Kernels,
}

use Column::{Again, Breaks, CompileTime, Fails, KernelTime, Kernels, Operators};

const ALL: [Column; 7] = [CompileTime, KernelTime, Breaks, Again, Fails, Operators, Kernels];

/// What a cell shows.
pub(super) struct Cell {
    pub(super) text: String,
    /// The bar behind it: where its dark part and its light part end.
    pub(super) style: Option<String>,
}

impl Column {
    /// Its heading.
    pub(super) fn title(self) -> &'static str {
        match self {
            CompileTime => "Compile time",
            KernelTime => "Kernel time",
            Breaks => "Breaks",
            Again => "Again",
            Fails => "Fails",
            Operators => "Ops",
            Kernels => "Kernels",
        }
    }

    /// Its explanation.
    pub(super) fn about(self) -> &'static str {
        match self {
            CompileTime => {
                "of compiles that begin at this line; the bar leaves out what is once a process or machine"
            }
            KernelTime => {
                "measured; dark: kernels of this line alone; light: its share of kernels of several lines"
            }
            Breaks => "times that the graph broke here",
            Again => "compiles made again because of this line",
            Fails => "compiles that failed here",
            Operators => "operators in captured graphs",
            Kernels => "kernels that the line became",
        }
    }

    /// Whether a narrow window leaves it out.
    pub(super) fn is_wide(self) -> bool {
        matches!(self, Again | Operators | Kernels)
    }

    /// Classes of its cells.
    fn class(self) -> &'static str {
        match self {
            CompileTime | KernelTime => "num heat",
            Breaks => "num warn",
            Again => "num warn wide",
            Fails => "num err",
            Operators | Kernels => "num wide",
        }
    }

    /// The number of a line.
    fn value(self, subject: &ShownSource<'_>, (file, line): (usize, &LineFacts)) -> f64 {
        let counts = line.counts;
        match self {
            CompileTime => counts.us,
            KernelTime => subject.measured(line).map_or(0.0, |time| time.us),
            Breaks => counts.breaks as f64,
            Again => counts.again as f64,
            Fails => counts.fails as f64,
            Operators => counts.operators as f64,
            Kernels => subject.kernels_of(file, line.number).len() as f64,
        }
    }
}

/// The columns of a file, with the numbers that fill a bar.
pub(super) struct Columns {
    pub(super) shown: Vec<Column>,
    /// Those that would be empty.
    pub(super) absent: Vec<Column>,
    most_compile_us: f64,
    most_kernel_us: f64,
    most_operators: f64,
}

impl Columns {
    pub(super) fn of(subject: &ShownSource<'_>, place: usize, file: &LinesOfFile) -> Columns {
        let has = |column: &Column| file.lines.iter().any(|line| column.value(subject, (place, line)) > 0.0);
        let (shown, mut absent): (Vec<Column>, Vec<Column>) = ALL.into_iter().partition(has);
        if subject.report.found.performance.is_none() {
            absent.retain(|column| *column != KernelTime);
        }
        let most = |us: &dyn Fn(&LineFacts) -> f64| file.lines.iter().map(us).fold(0.0, f64::max);
        Columns {
            shown,
            absent,
            most_compile_us: most(&LineFacts::heat_us),
            most_kernel_us: most(&|line| KernelTime.value(subject, (place, line))),
            most_operators: most(&|line| line.counts.operators as f64),
        }
    }

    /// Whether a column has bars: times, or else operators.
    fn is_heat(&self, column: Column) -> bool {
        let is_timed = || self.shown.iter().any(|shown| matches!(shown, CompileTime | KernelTime));
        matches!(column, CompileTime | KernelTime) || column == Operators && !is_timed()
    }

    /// Classes of the cells of a column.
    pub(super) fn class(&self, column: Column) -> &'static str {
        if self.is_heat(column) { "num heat" } else { column.class() }
    }

    /// Whether a narrow window leaves a column out.
    pub(super) fn is_wide(&self, column: Column) -> bool {
        column.is_wide() && !self.is_heat(column)
    }

    /// The cell of a line; empty for zero.
    pub(super) fn cell(&self, column: Column, subject: &ShownSource<'_>, at: (usize, &LineFacts)) -> Cell {
        let value = column.value(subject, at);
        if value <= 0.0 {
            return Cell { text: String::new(), style: None };
        }
        let style = self.is_heat(column).then(|| self.bar(column, subject, at.1));
        let is_time = matches!(column, CompileTime | KernelTime);
        Cell { text: if is_time { micros(value) } else { whole(value as u64) }, style }
    }

    fn bar(&self, column: Column, subject: &ShownSource<'_>, line: &LineFacts) -> String {
        let both = |part: f64, most: f64| ends(part, part, most);
        match (column, subject.measured(line)) {
            (KernelTime, Some(time)) => ends(time.own_us, time.us, self.most_kernel_us),
            (Operators, _) => both(line.counts.operators as f64, self.most_operators),
            _ => both(line.heat_us(), self.most_compile_us),
        }
    }

    /// The bar of a line on the map: kernel time, or else compile time, or else operators.
    pub(super) fn bar_on_map(&self, subject: &ShownSource<'_>, line: &LineFacts) -> String {
        let has = |column| self.shown.contains(&column);
        let column = [KernelTime, CompileTime].into_iter().find(|column| has(*column)).unwrap_or(Operators);
        match (column, subject.measured(line)) {
            (KernelTime, None) => ends(0.0, 0.0, 1.0),
            _ => self.bar(column, subject, line),
        }
    }
}
