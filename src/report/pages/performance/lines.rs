//! Device time by line of the program.

use crate::analysis::performance::{MeasuredLine, Performance};
use crate::limits::{LONG_TABLE, NAMED_BRIEFLY};
use crate::model::short_kernel;
use crate::report::kit::links::{measured_kernel_anchor, measured_line_anchor};
use crate::report::kit::measured::heat;
use crate::report::kit::prelude::*;
use crate::trace::TextMap;

/// Characters of such a name.
const LONGEST_NAME: usize = 32;

/// Writes the section; a trace of eager code has no lines, which the head of the page explains.
pub(super) fn write(view: View<'_>, found: &Performance, out: &mut dyn Write) -> anyhow::Result<()> {
    if found.lines.is_empty() {
        return Ok(());
    }
    let note = "kernel time from the trace, by the source lines in the log";
    let count = Some(whole(found.lines.len()));
    view.open_section(out, ("lines", "Time by line", note), count, Html::default())?;
    let backward = found.lines.iter().any(|line| line.backward_us > 0.0);
    let columns = vec![
        TableColumn::text("Line of the program"),
        TableColumn::number("Kernel time")
            .fixed()
            .about("dark: kernels of this line alone; light: its share of kernels of several lines"),
        TableColumn::number("Share").fixed(),
        TableColumn::number("Forward").fixed().absent_if(!backward),
        TableColumn::number("Backward").fixed().absent_if(!backward),
        TableColumn::number("Kernels").fixed(),
        TableColumn::unsorted("The longest").soft(),
    ];
    let table = Table { id: "lines-table", label: "Kernel time by line of the program", columns };
    let sum: f64 = found.kernels.iter().map(|kernel| kernel.sum_us).sum();
    let mut kernels: TextMap<(&str, u64), Vec<usize>> = TextMap::default();
    for (place, kernel) in found.kernels.iter().enumerate() {
        for line in &kernel.lines {
            kernels.entry((&line.file, line.line)).or_default().push(place);
        }
    }
    let rows = found.lines.iter().take(LONG_TABLE).enumerate().map(|(place, line)| {
        let kernels = kernels.get(&(&*line.file, line.line));
        row(view, found, (line, sum), kernels.map_or(&[], Vec::as_slice))
            .anchored(measured_line_anchor(place))
    });
    let rest = [rest("No line is known", found.unjoined.us, sum), rest("All kernels", sum, sum)];
    // The sums at the end keep their place, so the table cannot be sorted.
    let rows: Vec<Row> = rows.chain(rest).collect();
    view.table_sorted_from(out, (&table, usize::MAX), rows.into_iter())?;
    view.beyond(out, found.lines.len(), LONG_TABLE, "lines")?;
    note_below(out, notes(found))?;
    Ok(close_section(out)?)
}

/// How the time was divided.
fn notes(found: &Performance) -> String {
    let shared: f64 = found.lines.iter().map(|line| line.us - line.own_us).sum();
    let all: f64 = found.lines.iter().map(|line| line.us).sum();
    let mut words = "Dark: kernels of one line alone.".to_owned();
    if shared > 0.0 {
        words.push_str(&format!(
            " Light: kernels fused from several lines, divided equally among their nodes ({}, {} of the lines' time).",
            micros(shared),
            percent(shared, all, true)
        ));
    }
    words.push_str(" All lines and the kernels without a line add up to all kernels.");
    words
}

/// A line, with its longest kernels.
fn row(view: View<'_>, found: &Performance, (line, sum): (&MeasuredLine, f64), kernels: &[usize]) -> Row {
    let (file, number) = (&*line.file, line.line);
    let text = format!("{}:{number}", short_path(file));
    let shown = view.link_if(view.source_href(file, Some(number)).as_deref(), &text);
    let place = Element::new("span").class("line-number").title(&format!("{file}:{number}")).around(shown);
    let code = line.code.as_deref();
    let code =
        code.map_or_else(|| UNKNOWN.into(), |code| Element::new("code").around(view.folded(code, false)));
    let named = kernels.iter().take(NAMED_BRIEFLY).filter_map(|place| {
        let kernel = found.kernels.get(*place)?;
        let name = short_kernel(kernel.shown_name(), LONGEST_NAME);
        let row = (*place < LONG_TABLE).then(|| format!("#{}", measured_kernel_anchor(*place)));
        Some(titled(&kernel.name, view.link_if(row.as_deref(), &name)))
    });
    Row::of(vec![
        TableCell::html(Html::joined([place, code], " ")).class("line-of-program"),
        heat(micros(line.us).into(), line.own_us, line.us, sum),
        TableCell::number(line.us, &percent(line.us, sum, true)),
        TableCell::time(line.us - line.backward_us),
        TableCell::time(line.backward_us),
        TableCell::count(kernels.len()),
        TableCell::html(Html::joined(named, ", ")),
    ])
}

fn rest(what: &str, us: f64, sum: f64) -> Row {
    let total = us == sum;
    let of = |cell: TableCell| if total { cell.class("num total") } else { cell };
    Row::of(vec![
        if total { TableCell::html(strong(what)) } else { TableCell::text(what) },
        of(TableCell::time(us)),
        of(TableCell::number(us, &percent(us, sum, true))),
        TableCell::default(),
        TableCell::default(),
        TableCell::default(),
        TableCell::default(),
    ])
}
