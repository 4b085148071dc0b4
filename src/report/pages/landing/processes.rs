//! Further processes of the program: each has a report of its own below this one.

use crate::report::kit::prelude::*;

pub(crate) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let processes = view.report.processes;
    if processes.is_empty() {
        return Ok(());
    }
    let head = ("processes", "Further processes", "with a log and a report of their own");
    view.open_section(out, head, Some(whole(processes.len())), Html::default())?;
    let advice = "The program had more than one process. A forked one inherits what its parent had \
         compiled; data loaders and servers that fork after the first compilation compile everything again.";
    put(out, &Element::new("p").class("advice").around(advice))?;
    let heads = vec![
        Head::number("Process"),
        Head::text("Began as").about("whether it was forked: then its log goes on with its parent's strings"),
        Head::text("Log"),
        Head::unsorted("Report"),
    ];
    let table = Table { id: "process-list", label: "Further processes", heads };
    let rows = processes.iter().map(|process| {
        let pid = process.pid.map_or_else(|| UNKNOWN.to_owned(), |pid| pid.to_string());
        let began = if process.forked { "a fork" } else { "a process of its own" };
        let report = view.link(&format!("{}/index.html", process.dir), "its report");
        let pid = Td::number(process.pid.unwrap_or_default() as f64, &pid);
        Ok(Row::of(vec![pid, Td::text(began), Td::html(view.code(&process.file)), Td::html(report)]))
    });
    view.table(out, &table, rows)?;
    close_section(out)?;
    Ok(())
}
