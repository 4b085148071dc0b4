//! How to give the report to others, and how to hold it against another run.

use crate::report::kit::prelude::*;

pub(crate) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let note = "the report is a folder of files without a server";
    view.open_section(out, ("share", "Share and compare", note), None, Html::default())?;
    let said = |command: &str, what: &str| Html::joined([view.command(command), what.into()], " ");
    let facts = vec![
        (
            "All of it",
            said(
                "tlparse LOG --zip",
                "packs it into one file. It holds code, paths and settings of the program.",
            ),
        ),
        (
            "What is safe",
            said(
                "tlparse LOG --redact --zip",
                "leaves out code, names and paths; counts, times, shapes and torch's own words stay.",
            ),
        ),
        (
            "Another run",
            said(
                "tlparse diff LOG OTHER",
                "says what is new, gone, worse and better in the other run; it takes logs, reports and jobs.",
            ),
        ),
    ];
    write_line(out, &view.facts(facts))?;
    Ok(close_section(out)?)
}
