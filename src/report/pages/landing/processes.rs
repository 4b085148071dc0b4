//! Further processes of the program; each has its own report in a folder below this one.

use crate::report::kit::prelude::*;

pub(crate) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let processes = view.report.processes;
    if processes.is_empty() {
        return Ok(());
    }
    let head = ("processes", "Further processes", "each has its own log and report");
    view.open_section(out, head, Some(whole(processes.len())), Html::default())?;
    let advice = "The program ran several processes. A forked process inherits what its parent had compiled; data \
         loaders and servers that fork after the first compilation compile everything again.";
    write_line(out, &Element::new("p").class("advice").around(advice))?;
    let columns = vec![
        TableColumn::number("Process"),
        TableColumn::text("Started as")
            .about("a forked process continues its parent's string table in its log"),
        TableColumn::text("Log"),
        TableColumn::unsorted("Report"),
    ];
    let table = Table { id: "process-list", label: "Further processes", columns };
    let rows = processes.iter().map(|process| {
        let pid = process.pid.map_or_else(|| UNKNOWN.to_owned(), |pid| pid.to_string());
        Row::of(vec![
            TableCell::number(process.pid.unwrap_or_default() as f64, &pid),
            TableCell::text(if process.forked { "a fork" } else { "a new process" }),
            TableCell::html(view.code(&process.file)),
            TableCell::html(view.link(&format!("{}/index.html", process.dir), "its report")),
        ])
    });
    view.table(out, &table, rows)?;
    Ok(close_section(out)?)
}
