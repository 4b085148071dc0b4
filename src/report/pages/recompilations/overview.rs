//! All functions that were recompiled, one per line.

use crate::limits::FIRST;
use crate::report::kit::prelude::*;
use crate::report::pages::recompilations::subject::ShownChain;

/// Characters of a value.
const LONGEST_VALUE: usize = 24;

/// The first `detailed` functions have a section; the others have their anchor here.
pub(crate) fn section(
    view: View<'_>,
    subjects: &[ShownChain<'_>],
    detailed: usize,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let note = match subjects.len().saturating_sub(detailed) {
        0 => "functions over the limit first, then by seconds".to_owned(),
        left => format!(
            "functions over the limit first, then by seconds; the last {} appear only here",
            whole(left)
        ),
    };
    let head = ("all", "Overview", note.as_str());
    view.open_section(out, head, Some(whole(subjects.len())), Html::default())?;
    let columns = vec![
        TableColumn::text("Function"),
        TableColumn::number("Compiles"),
        TableColumn::unsorted("Of the limit")
            .about("compiled versions of a function that torch keeps before it gives up"),
        TableColumn::text("What changed"),
        TableColumn::text("Values in order").absent_if(subjects.iter().all(|s| s.chain.values.is_empty())),
        TableColumn::number("Time of recompiles").absent_if(subjects.iter().all(|s| s.chain.us.is_none())),
    ];
    let table = Table { id: "overview-table", label: "Functions that were recompiled", columns };
    let rows = subjects.iter().enumerate().map(|(index, subject)| {
        let row = row(view, subject, index < detailed);
        if index < detailed { row } else { row.anchored(subject.anchor.clone()) }
    });
    view.table(out, &table, rows)?;
    Ok(close_section(out)?)
}

fn row(view: View<'_>, subject: &ShownChain<'_>, detailed: bool) -> Row {
    let chain = subject.chain;
    let name = chain.function.map_or_else(
        || Html::escaped("function not recorded"),
        |function| view.named_together(&subject.chain.compiles(), function),
    );
    let name = if detailed { view.anchored(&subject.anchor, &name) } else { name };
    let place = view.place_of_all(&subject.chain.compiles(), chain.function);
    let pieces = [Some(name), place];
    Row::of(vec![
        TableCell::html(Html::joined(pieces.into_iter().flatten(), " ")),
        TableCell::count(chain.steps.len()),
        TableCell::html(meter(chain.cached_versions(), subject.limit, chain.limit_hit())),
        TableCell::html(changed(view, subject)),
        TableCell::html(values(&chain.values)).class("mono"),
        TableCell::maybe(chain.us, micros),
    ])
}

/// A bar up to the limit.
fn meter(kept: usize, limit: u64, over: bool) -> Html {
    let share = (100.0 * kept as f64 / limit.max(1) as f64).min(100.0);
    let filled = Element::new("span").class(if over { "over" } else { "kept" });
    let filled = filled.style(&format!("width:{share:.0}%")).empty();
    let bar = Element::new("div").class("bar narrow").attribute("role", "img");
    bar.title(&format!("{kept} of {limit}")).around(filled)
}

fn changed(view: View<'_>, subject: &ShownChain<'_>) -> Html {
    match &subject.chain.lead {
        None => "no reason recorded".into(),
        Some((kind, None)) => kind.word().into(),
        Some((kind, Some(subject))) => Html::joined([kind.word().into(), view.folded(subject, true)], " "),
    }
}

fn values(values: &[String]) -> Html {
    if values.is_empty() {
        return Html::escaped(UNKNOWN);
    }
    let shown = values.iter().take(FIRST).map(|value| Html::escaped(clipped(value, LONGEST_VALUE).0));
    let more = and_more(values.len(), FIRST);
    let more = (!more.is_empty()).then(|| more.trim_start().into());
    Html::joined(shown.chain(more), " → ")
}
