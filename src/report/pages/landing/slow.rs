//! Logs in which little went wrong but compiling was slow: what to do next, and what other runs would take.

use crate::analysis::{Outlook, time_comes_first};
use crate::limits::LIST;
use crate::report::kit::prelude::*;

/// Whether the page should start with where the time went.
pub(crate) fn comes_first(report: Report<'_>) -> bool {
    time_comes_first(&report.found.split, &report.found.findings)
}

/// What other runs of the program would take.
pub(crate) fn outlook<'m>(report: Report<'m>) -> Outlook<'m> {
    let found = report.found;
    Outlook::new(report.model, &found.split, (&found.builds, &found.one_offs), &found.findings)
}

#[derive(Serialize)]
struct Steps {
    steps: Vec<Step>,
}

/// One thing to do, the most that it saves, and when.
#[derive(Serialize)]
struct Step {
    what: &'static str,
    why: Html,
    code: Html,
    saves: String,
    when: &'static str,
    #[serde(skip)]
    us: f64,
}

fn at_most(us: f64) -> String {
    format!("up to {}", micros(us))
}

/// What to do next, the largest saving first; omitted if there is nothing to gain.
pub(crate) fn next_steps(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let steps = steps(view, &outlook(view.report));
    if steps.is_empty() {
        return Ok(());
    }
    let head = ("next", "What to do next", "the largest saving first; savings are upper bounds");
    view.open_section(out, head, Some(whole(steps.len())), Html::default())?;
    write_line(out, &view.render("steps", &Steps { steps })?)?;
    Ok(close_section(out)?)
}

fn steps(view: View<'_>, outlook: &Outlook<'_>) -> Vec<Step> {
    let mut steps = Vec::new();
    if let Some(us) = outlook.warm_us {
        steps.push(Step {
            what: "Keep the cache folder",
            why: "between runs, and share it between identical machines: they reuse what this run compiled."
                .into(),
            code: view.command("export TORCHINDUCTOR_CACHE_DIR=/a/folder/that/stays"),
            saves: at_most(us),
            when: "each warm start",
            us,
        });
    }
    if let Some(us) = outlook.side_by_side_us {
        let why = "`compile_threads` is 1: it was set so, or only one core was visible. The builds are independent.";
        steps.push(Step {
            what: "Build kernels in parallel.",
            why: view.prose(why),
            code: view.command("export TORCHINDUCTOR_COMPILE_THREADS=$(nproc)"),
            saves: at_most(us),
            when: "each cold start",
            us,
        });
    }
    steps.sort_by(|a, b| b.us.total_cmp(&a.us));
    if let Some(one) = outlook.repeated.iter().find(|one| one.lines.alike) {
        let frame = &one.lines.first;
        let times = format!(
            "(regional compilation; small layers run slower then): {} of code {} {} times in one graph, first ",
            counted(one.lines.lines, "line", "lines"),
            if one.lines.lines == 1 { "occurs" } else { "occur" },
            whole(one.lines.times)
        );
        let place = view.place(Some(&frame.file), Some(frame.line));
        steps.push(Step {
            what: "Compile the layer, not the whole model",
            why: Html::joined([times.as_str().into(), place, ".".into()], ""),
            code: view.command("for layer in model.layers: layer.compile()"),
            saves: "unknown".to_owned(),
            when: "measure it",
            us: 0.0,
        });
    }
    steps
}

/// Estimates for other runs, as far as the log allows them.
pub(crate) fn other_runs(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let outlook = outlook(view.report);
    let rows = runs(&outlook);
    if rows.len() < 2 {
        return Ok(());
    }
    let head = ("other-runs", "What other runs would take", "upper bounds estimated from this log's times");
    view.open_section(out, head, None, Html::default())?;
    let columns = vec![
        TableColumn::unsorted("Run"),
        TableColumn::number("Compile time"),
        TableColumn::number("Saves"),
        TableColumn::unsorted("Why").soft(),
    ];
    let table = Table { id: "other-runs-table", label: "What other runs would take", columns };
    view.table(out, &table, rows.into_iter())?;
    Ok(close_section(out)?)
}

fn runs(outlook: &Outlook<'_>) -> Vec<Row> {
    let total = outlook.total_us;
    let row = |name: &str, saved: Option<f64>, why: &str| {
        let time = saved.map_or_else(|| micros(total), |us| format!("at least {}", micros(total - us)));
        let saves = saved.map_or_else(|| UNKNOWN.to_owned(), at_most);
        Row::of(vec![
            TableCell::text(name),
            TableCell::number(total - saved.unwrap_or_default(), &time),
            TableCell::number(saved.unwrap_or_default(), &saves),
            TableCell::text(why),
        ])
    };
    let mut rows = vec![row("This one", None, "")];
    if let Some(us) = outlook.warm_us {
        let why = "compiled graphs and kernels are cached; tracing, guards and cache lookups remain";
        rows.push(row("Warm, with the same cache folder", Some(us), why));
    }
    if let Some(us) = outlook.side_by_side_us {
        let why = "only the longest kernel build of each graph remains";
        rows.push(row("Cold, with one core per kernel", Some(us), why));
    }
    rows
}

/// Layers that occur many times in a graph.
pub(crate) fn repeated_layers(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let repeated = outlook(view.report).repeated;
    if repeated.is_empty() {
        return Ok(());
    }
    let head = ("repeated", "Repeated layers", "the same source lines, many times in one graph");
    view.open_section(out, head, Some(whole(repeated.len())), Html::default())?;
    let columns = vec![
        TableColumn::compiles("Compile"),
        TableColumn::text("First line of the layer"),
        TableColumn::text("In").mono(),
        TableColumn::number("Times"),
        TableColumn::number("Lines"),
        TableColumn::number("Compile time"),
    ];
    let table = Table { id: "repeated-table", label: "Repeated layers", columns };
    let shown: Vec<_> = repeated.iter().take(LIST).collect();
    let rows = shown.into_iter().map(|one| {
        let compile = view.report.model.compiles.get(one.compile);
        let frame = &one.lines.first;
        let mut place = vec![view.place(Some(&frame.file), Some(frame.line))];
        place.extend(frame.loc.as_deref().map(|code| small(view.code(code.trim()))));
        Row::of(vec![
            TableCell::html(compile.map(|one| view.pill(one)).unwrap_or_default()).sorted(one.compile),
            TableCell::html(Html::joined(place, " ")),
            TableCell::text(&frame.function),
            TableCell::count(one.lines.times),
            TableCell::count(one.lines.lines),
            TableCell::maybe(one.us, micros),
        ])
    });
    view.table(out, &table, rows)?;
    view.left_out(out, repeated.len(), LIST, "compiles have such layers")?;
    note_below(
        out,
        "In one graph, each copy of a layer is lowered and built again. A layer compiled by itself is compiled once.",
    )?;
    Ok(close_section(out)?)
}
