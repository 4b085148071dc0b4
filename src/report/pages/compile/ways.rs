//! The way from a compile to the others: its neighbors and versions as links, and a list of the compiles around it that a
//! script shows beside the page.

use crate::model::CompileIndex;
use crate::report::kit::markup::{open_data, script_json};
use crate::report::kit::prelude::*;
use crate::report::pages::compile::subject::Subject;

/// Versions of the function that are linked.
const VERSIONS: usize = 8;

#[derive(Serialize)]
struct Ways {
    before: Option<Html>,
    versions: Option<Html>,
    after: Option<Html>,
}

/// Links to the compiles before and after, and to the other versions of the function.
pub(crate) fn ways(view: View<'_>, subject: Subject<'_>) -> anyhow::Result<Html> {
    let walk = subject.walk;
    let Some(place) = walk.place(subject.index).filter(|_| !walk.is_empty()) else {
        return Ok(Html::default());
    };
    let compiles = &view.report.model.compiles;
    let link = |index: Option<CompileIndex>, rel: &str, text: &dyn Fn(&str) -> String| {
        let compile = compiles.get(index?)?;
        let href = view.compile_href(compile);
        Some(Element::new("a").attribute("rel", rel).href(&href).around(text(&compile.label())))
    };
    let [before, after] = walk.neighbors(place);
    let ways = Ways {
        before: link(before, "prev", &|id| format!("\u{2039} {id}")),
        versions: (subject.chain.len() > 1).then(|| versions(view, subject)),
        after: link(after, "next", &|id| format!("{id} \u{203a}")),
    };
    view.render("compile_ways", &ways)
}

/// The versions of the function around this one, which is marked.
fn versions(view: View<'_>, subject: Subject<'_>) -> Html {
    let chain = subject.chain;
    let here = chain.binary_search(&subject.index).unwrap_or(0);
    let from = here.saturating_sub(VERSIONS / 2).min(chain.len().saturating_sub(VERSIONS));
    let shown = view.compiles(chain.get(from..).unwrap_or_default());
    let pills = shown.iter().take(VERSIONS).map(|compile| match compile.id == subject.compile.id {
        true => Element::new("span")
            .class("current")
            .attribute("aria-current", "page")
            .around(view.plain_pill_beside(compile)),
        false => view.pill_beside(compile),
    });
    let left = chain.len().saturating_sub(shown.len().min(VERSIONS));
    let more = (left > 0).then(|| soft(format!("and {} more", whole(left))));
    Html::joined(pills.collect::<Vec<_>>().into_iter().chain(more), " ")
}

/// Writes the list for the script: its frame, and the rows around this compile.
pub(crate) fn write_list(view: View<'_>, subject: Subject<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let walk = subject.walk;
    let Some(here) = walk.place(subject.index).filter(|_| !walk.is_empty()) else { return Ok(()) };
    write_line(out, &view.render("compile_walk", &Frame { count: whole(walk.len()) })?)?;
    open_data(out, "walk-data")?;
    let id = script_json(&subject.compile.label())?;
    let versions = script_json(&pages_beside(view, subject))?;
    let (all, rows) = (walk.len(), walk.rows_around(here));
    write!(out, "{{\"here\":{id},\"all\":{all},\"versions\":{versions},\"rows\":[{rows}]}}")?;
    Ok(close(out, "script")?)
}

/// The pages of the function's version before this one and of the one after it.
fn pages_beside(view: View<'_>, subject: Subject<'_>) -> [Option<String>; 2] {
    let chain = subject.chain;
    let Ok(here) = chain.binary_search(&subject.index) else { return [None, None] };
    let page = |at: Option<usize>| {
        let compile = view.report.model.compiles.get(*chain.get(at?)?)?;
        Some(view.compile_href(compile))
    };
    [page(here.checked_sub(1)), page(Some(here + 1))]
}

#[derive(Serialize)]
struct Frame {
    count: String,
}
