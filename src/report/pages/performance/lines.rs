//! Device time by line of the program, nested by call and by block of the model.

use super::tree::{BlockTime, Line, Lines, Root, Time, roots};
use crate::analysis::performance::Performance;
use crate::model::short_kernel;
use crate::report::kit::links::{MOST_MEASURED, measured_kernel_anchor, measured_line_anchor};
use crate::report::kit::measured::heat;
use crate::report::kit::prelude::*;

/// Kernels named per line.
const MOST_NAMED: usize = 3;
/// Characters of such a name.
const LONGEST_NAME: usize = 32;
/// Blocks of a line with their own row; hundreds of them would add nothing.
const MOST_BLOCKS: usize = 64;

/// Writes the section; a trace of eager code has no lines, which the head of the page explains.
pub(super) fn write(view: View<'_>, found: &Performance, out: &mut dyn Write) -> anyhow::Result<()> {
    if found.lines.is_empty() {
        return Ok(());
    }
    let note = "kernel time from the trace, by the source lines in the log";
    let count = Some(whole(found.lines.len()));
    view.open_section(out, ("lines", "Time by line", note), count, Html::default())?;
    let trees = roots(view.report.model, found);
    let backward = trees.iter().any(|root| root.time.backward_us > 0.0);
    let columns = vec![
        TableColumn::unsorted("Line of the program"),
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
    let mut rows = Rows { view, found, sum, rows: Vec::new() };
    for root in &trees {
        rows.root(root)?;
    }
    let mut rows = rows.rows;
    let more = rows.len().saturating_sub(MOST_MEASURED);
    rows.truncate(MOST_MEASURED);
    rows.push(rest("No line is known", found.unjoined.us, sum));
    rows.push(rest("All kernels", sum, sum));
    // The order shows the calls, so the table cannot be sorted.
    view.table_sorted_from(out, (&table, usize::MAX), rows.into_iter())?;
    if more > 0 {
        note_below(out, format!("{} more are in report.json.", counted(more, "row", "rows")))?;
    }
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
    if found.lines.iter().flat_map(|line| &line.parts).any(|part| part.module.is_some()) {
        words.push_str(
            " Nodes are assigned to blocks of the model by the parameters that they read; in a backward graph, by the \
             values saved in the forward.",
        );
    }
    words.push_str(" All lines and the kernels without a line add up to all kernels.");
    words
}

/// The rows of the table.
struct Rows<'a> {
    view: View<'a>,
    found: &'a Performance,
    sum: f64,
    rows: Vec<Row>,
}

impl Rows<'_> {
    fn root(&mut self, root: &Root<'_>) -> anyhow::Result<()> {
        let view = self.view;
        let compile = root.compiles.first().and_then(|index| view.report.model.compiles.get(*index));
        let name = compile.map(|compile| view.named(compile)).unwrap_or_default();
        let place = compile.and_then(|compile| view.place_of(compile));
        let pills = root.compiles.iter().take(MOST_NAMED).filter_map(|index| {
            let compile = view.report.model.compiles.get(*index)?;
            Some(view.pill_beside(compile))
        });
        let mut pieces = vec![strong(name), soft(place.unwrap_or_default())];
        pieces.extend(pills);
        self.row(0, Html::joined(pieces, " "), &root.time, None);
        let file = compile.and_then(|compile| compile.function.as_ref()?.file.as_deref());
        self.lines(&root.lines, 1, file.unwrap_or_default());
        Ok(())
    }

    fn lines(&mut self, lines: &Lines<'_>, depth: usize, file_above: &str) {
        for ((file, number), line) in lines {
            self.line((file, *number), line, depth, file_above);
            self.lines(&line.lines, depth + 1, file);
        }
    }

    fn line(&mut self, (file, number): (&str, u64), line: &Line<'_>, depth: usize, file_above: &str) {
        let text = match file == file_above {
            true => number.to_string(),
            false => format!("{}:{number}", short_path(file)),
        };
        let shown = self.view.link_if(self.view.source_href(file, Some(number)).as_deref(), &text);
        let place = Element::new("span").class("line-number").title(&format!("{file}:{number}"));
        let code = match line.code {
            Some(code) => Element::new("code").around(self.view.folded(code, false)),
            None => UNKNOWN.into(),
        };
        let blocks: Vec<_> = line.blocks.iter().filter(|(block, _)| !block.path().is_empty()).collect();
        let several = line.blocks.len() > 1;
        let mut pieces = vec![place.around(shown), code];
        let repeated = line.repeated().len();
        if repeated > 1 && line.blocks.is_empty() {
            pieces.push(soft(format!("for {}", counted(repeated, "block", "blocks"))));
        }
        self.row(depth, Html::joined(pieces, " "), &line.time, line.place);
        for (block, of_block) in blocks.iter().take(MOST_BLOCKS).filter(|_| several) {
            self.block(&block.path(), of_block, depth + 1);
        }
        let without = line.blocks.iter().find(|(block, _)| block.path().is_empty());
        if let Some((_, of_block)) = without.filter(|_| several) {
            self.push(depth + 1, soft("no module is known"), &of_block.time, Html::default());
        }
        let more = blocks.len().saturating_sub(MOST_BLOCKS);
        if more > 0 && several {
            let words = soft(counted(more, "more block", "more blocks"));
            let mut time = Time::default();
            blocks.iter().skip(MOST_BLOCKS).for_each(|(_, block)| {
                time.us += block.time.us;
                time.own_us += block.time.own_us;
                time.backward_us += block.time.backward_us;
                time.kernels.extend(&block.time.kernels);
            });
            self.push(depth + 1, words, &time, Html::default());
        }
    }

    fn block(&mut self, path: &str, block: &BlockTime, depth: usize) {
        let inner: Vec<&str> = block.inner.iter().map(String::as_str).collect();
        let inner = clipped(&inner.join(", "), 4 * LONGEST_NAME).0.to_owned();
        let name = Html::joined([self.view.code(path), Html::escaped(&inner)], " ");
        self.push(depth, soft(name), &block.time, Html::default());
    }

    /// A row that names its longest kernels.
    fn row(&mut self, depth: usize, name: Html, time: &Time, place: Option<usize>) {
        let named = time.kernels.iter().take(MOST_NAMED).filter_map(|kernel| {
            let found = self.found.kernels.get(*kernel)?;
            let name = short_kernel(found.shown_name(), LONGEST_NAME);
            let row = (*kernel < MOST_MEASURED).then(|| format!("#{}", measured_kernel_anchor(*kernel)));
            Some(titled(&found.name, self.view.link_if(row.as_deref(), &name)))
        });
        let named = place.map_or_else(Html::default, |_| Html::joined(named, ", "));
        // A line reached by several calls has its anchor at its first row.
        let anchor = place.map(measured_line_anchor);
        let anchor = anchor.filter(|anchor| !self.rows.iter().any(|row| row.is_at(anchor)));
        self.push(depth, name, time, named);
        if let Some(anchor) = anchor
            && let Some(row) = self.rows.pop()
        {
            self.rows.push(row.anchored(anchor));
        }
    }

    fn push(&mut self, depth: usize, name: Html, time: &Time, named: Html) {
        let own = heat(micros(time.us).into(), time.own_us, time.us, self.sum);
        self.rows.push(Row::of(vec![
            TableCell::html(name).class("line-of-program").style(format!("--depth:{depth}")),
            own,
            TableCell::number(time.us, &percent(time.us, self.sum, true)),
            TableCell::time(time.us - time.backward_us),
            TableCell::time(time.backward_us),
            TableCell::count(time.kernels.len()),
            TableCell::html(named),
        ]));
    }
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
