//! The chart of compile times: a column a compile in the order of their start, or a column for several of many.

use crate::analysis::{PARTS, Parts};
use crate::model::Compile;
use crate::report::kit::formats::{counted, micros};
use crate::report::kit::html::Html;
use crate::report::kit::links::encoded;
use crate::report::kit::paths;
use crate::report::kit::view::View;
use std::io::Write;

/// Columns at most: more are thinner than a finger on a telephone.
const COLUMNS: usize = 60;

/// Share of the highest column from which on a part is drawn: half a pixel.
const LEAST: f64 = 0.005;

/// Compiles in order, and what their parts took together.
struct Column<'m> {
    compiles: Vec<(&'m Compile, f64)>,
    parts: Parts,
}

/// Writes the chart, where there is more than one compile to compare.
pub(crate) fn write(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let all = view.report.model.compiles.iter().filter(|compile| compile.id.is_some());
    let timed: Vec<(&Compile, Parts)> =
        all.map(|compile| (compile, Parts::of(compile))).filter(|(_, parts)| parts.total() > 0.0).collect();
    if timed.len() < 2 {
        return Ok(());
    }
    let each = timed.len().div_ceil(COLUMNS);
    let columns: Vec<Column<'_>> = timed.chunks(each).map(column).collect();
    let highest = columns.iter().map(|column| column.parts.total()).fold(0.0, f64::max);
    let what = match each {
        1 => "one column a compile, in the order of their start".to_owned(),
        n => format!("{} a column, in the order of their start", counted(n, "compile", "compiles")),
    };
    writeln!(
        out,
        "<p class=soft>Compile time: {what}; the highest is {}. A column leads to its costliest compile.</p>",
        micros(highest)
    )?;
    writeln!(out, "<ol class=cols aria-label=\"Compile times\">")?;
    for column in &columns {
        write_column(column, highest, out)?;
    }
    write!(out, "</ol>\n<div class=legend>")?;
    for (at, name) in (1..).zip(PARTS) {
        write!(out, "<span><i class=p{at}></i>{name}</span>")?;
    }
    writeln!(out, "</div>")?;
    Ok(())
}

fn column<'m>(of: &[(&'m Compile, Parts)]) -> Column<'m> {
    let parts = of.iter().fold(Parts::default(), |sum, (_, parts)| sum.plus(*parts));
    Column { compiles: of.iter().map(|(compile, parts)| (*compile, parts.total())).collect(), parts }
}

fn write_column(column: &Column<'_>, highest: f64, out: &mut dyn Write) -> anyhow::Result<()> {
    let costliest = column.compiles.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let Some((costliest, _)) = costliest else { return Ok(()) };
    let function = costliest.function.as_ref().map(|f| format!(" {}", f.name)).unwrap_or_default();
    let time = micros(column.parts.total());
    let title = match column.compiles.as_slice() {
        [_] => format!("{}{function}: {time}", costliest.label()),
        of => {
            let first = of.first().map(|(compile, _)| compile.label()).unwrap_or_default();
            let last = of.last().map(|(compile, _)| compile.label()).unwrap_or_default();
            format!("{first} to {last}: {time}, most of it {}{function}", costliest.label())
        }
    };
    let title = Html::escaped(&title);
    let href = Html::escaped(&encoded(paths::compile_page(costliest).as_str())).as_str().to_owned();
    write!(
        out,
        "<li><a href=\"{href}\" title=\"{}\" style=height:{:.0}%>",
        title.as_str(),
        100.0 * column.parts.total() / highest
    )?;
    let whole = column.parts.total();
    for (at, us) in (1..).zip(column.parts.0).filter(|(_, us)| *us > (LEAST * highest).min(whole / 5.0)) {
        write!(out, "<i class=p{at} style=height:{:.0}%></i>", 100.0 * us / whole)?;
    }
    writeln!(out, "</a>")?;
    Ok(())
}
