//! Whole compile time, and compile time by part.

use super::functions::of_one_side;
use super::recording::TimePart;
use super::rows::{LogComparison, TimeLine};
use super::runs::Runs;
use crate::facts::{Aspect, DiffRow, RowKind};

/// Adds the compile time and its parts. Compiles that only one side has are left out: other rows have their seconds.
pub(super) fn times(runs: &Runs<'_>, found: &mut LogComparison) {
    found.total = runs.times(|log| runs.logs.get(log)?.total_s);
    found.total_differs = found.total.differs(runs.threshold);
    let apart: Vec<_> = (0..runs.logs.len()).map(|log| of_one_side(runs, log)).collect();
    let rest = runs.times(|log| {
        let (seconds, _) = apart.get(log)?;
        Some((runs.logs.get(log)?.total_s? - seconds).max(0.0))
    });
    if rest.differs(runs.threshold) && found.total.difference() != 0.0 {
        let kind = RowKind::of_difference(found.total.difference());
        let mut row = DiffRow::new(kind, Aspect::CompileTime, "Compile time".to_owned());
        [row.a, row.b] = runs.pages("time.html");
        row.set_seconds(found.total);
        found.rows.push(row);
    }
    for part in TimePart::ALL {
        let times = runs.times(|log| Some(runs.logs.get(log)?.parts.time_in(part)));
        let known = [times.a, times.b].into_iter().flatten().any(|times| times.most > 0.0);
        if !known {
            continue;
        }
        let rest = runs.times(|log| {
            let (_, parts) = apart.get(log)?;
            Some(runs.logs.get(log)?.parts.without(parts).time_in(part))
        });
        if rest.differs(runs.threshold) {
            let kind = RowKind::of_difference(rest.difference());
            let mut row = DiffRow::new(kind, Aspect::Part, part.name().to_owned());
            row.detail = about(part);
            [row.a, row.b] = runs.pages("time.html");
            row.set_seconds(rest);
            found.rows.push(row);
        }
        found.parts.push(TimeLine { name: part, times, differs: times.differs(runs.threshold) });
    }
    found.parts.sort_by(|x, y| y.times.difference().abs().total_cmp(&x.times.difference().abs()));
}

/// Explains a part whose name does not.
fn about(part: TimePart) -> Option<String> {
    let words = "part of the kernel builds: trying the C++ compiler before the first kernel; once per machine with a warm \
                 cache folder";
    (part == TimePart::Toolchain).then(|| words.to_owned())
}
