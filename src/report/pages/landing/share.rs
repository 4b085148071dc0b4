//! How to give the report to others.

use crate::report::kit::prelude::*;

pub(crate) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    view.open_section(
        out,
        ("share", "Share", "the report is a folder of files without a server"),
        None,
        Html::default(),
    )?;
    let zip = view.command("tlparse LOG --zip");
    let redacted = view.command("tlparse LOG --redact --zip");
    let facts = vec![
        (
            "All of it",
            Html::joined(
                [zip, "packs it into one file. It holds code, paths and settings of the program.".into()],
                " ",
            ),
        ),
        (
            "What is safe",
            Html::joined(
                [
                    redacted,
                    "leaves out code, names and paths; counts, times, shapes and torch's own words stay."
                        .into(),
                ],
                " ",
            ),
        ),
    ];
    write_line(out, &view.facts(facts))?;
    Ok(close_section(out)?)
}
