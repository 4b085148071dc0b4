//! The chart of compile times: one column per compile in the order of their start, or one per group of compiles.

use crate::model::{Compile, CompilerPart, Parts};
use crate::report::kit::bars::color;
use crate::report::kit::prelude::*;

/// Most columns: more would be thinner than a fingertip on a phone.
const COLUMNS: usize = 60;

/// Smallest share of the highest column that is drawn: half a pixel.
const LEAST: f64 = 0.005;

/// Consecutive compiles, and the sums of their parts.
struct Column<'m> {
    compiles: Vec<(&'m Compile, f64)>,
    parts: Parts,
}

#[derive(Serialize)]
struct Chart {
    about: String,
    columns: Vec<Drawn>,
    parts: Vec<LegendEntry>,
}

/// A column: its link, its tooltip, and its height in percent of the chart.
#[derive(Serialize)]
struct Drawn {
    href: String,
    title: String,
    height: String,
    parts: Vec<Share>,
}

/// A part of a column, in percent of the column.
#[derive(Serialize)]
struct Share {
    class: &'static str,
    height: String,
}

/// A color of the legend.
#[derive(Serialize)]
struct LegendEntry {
    name: &'static str,
    class: &'static str,
}

/// Writes the chart if there are at least two compiles to compare.
pub(crate) fn write(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let all = view.report.model.compiles.indexed().filter(|(_, compile)| compile.id.is_some());
    let timed: Vec<(&Compile, Parts)> = all
        .map(|(index, compile)| (compile, view.report.found.split.at(index)))
        .filter(|(_, parts)| parts.total() > 0.0)
        .collect();
    if timed.len() < 2 {
        return Ok(());
    }
    let each = timed.len().div_ceil(COLUMNS);
    let columns: Vec<Column<'_>> = timed.chunks(each).map(column).collect();
    let highest = columns.iter().map(|column| column.parts.total()).fold(0.0, f64::max);
    let what = match each {
        1 => "one column per compile, in the order of their start".to_owned(),
        n => format!("{} per column, in the order of their start", counted(n, "compile", "compiles")),
    };
    let about = format!(
        "Compile time: {what}; the highest is {}. A column links to its costliest compile.",
        micros(highest)
    );
    let columns = columns.iter().filter_map(|column| drawn(view, column, highest)).collect();
    let parts =
        CompilerPart::ALL.map(|part| LegendEntry { name: part.name(), class: color(Some(part)) }).into();
    write_line(out, &view.render("time_columns", &Chart { about, columns, parts })?)?;
    Ok(())
}

fn column<'m>(of: &[(&'m Compile, Parts)]) -> Column<'m> {
    let parts = of.iter().fold(Parts::default(), |sum, (_, parts)| sum.plus(*parts));
    Column { compiles: of.iter().map(|(compile, parts)| (*compile, parts.total())).collect(), parts }
}

fn drawn(view: View<'_>, column: &Column<'_>, highest: f64) -> Option<Drawn> {
    let (costliest, _) = column.compiles.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
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
    let whole = column.parts.total();
    let parts = column.parts.iter().filter(|(_, us)| *us > (LEAST * highest).min(whole / 5.0));
    Some(Drawn {
        href: view.compile_href(costliest),
        title,
        height: format!("{:.0}", 100.0 * whole / highest),
        parts: parts
            .map(|(part, us)| Share {
                class: color(Some(part)),
                height: format!("{:.0}", 100.0 * us / whole),
            })
            .collect(),
    })
}
