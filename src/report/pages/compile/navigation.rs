//! The way from a compile to those before and after it in the log, to the other versions of its function, and to the files
//! that readers open most.

use crate::limits::NAMED;
use crate::model::{CompileIndex, Compiles};
use crate::report::kit::graph_files::graphs_href;
use crate::report::kit::prelude::*;
use crate::report::pages::compile::subject::ShownCompile;

/// Beginnings of the names of those files, their titles, and whether the viewer of graphs shows them.
const FILES: [(&str, &str, bool); 5] = [
    ("dynamo_output_graph", "Dynamo graph", true),
    ("inductor_post_grad_graph", "Post-grad graph", true),
    ("inductor_output_code", "Output code", false),
    ("dynamo_guards", "Guards", false),
    ("dynamo_cpp_guards_str", "Guard tree", false),
];

/// The compiles that have a page, in the order of the log; records without an id are none.
pub(crate) fn with_page(compiles: &Compiles) -> Vec<CompileIndex> {
    let identified = compiles.indexed().filter(|(_, compile)| compile.id.is_some() && !compile.is_bare);
    identified.map(|(index, _)| index).collect()
}

/// The links; empty without any.
pub(crate) fn navigation(view: View<'_>, subject: ShownCompile<'_>) -> Html {
    let links: Vec<Html> =
        neighbors(view, subject).chain(files(view, subject)).chain(versions(view, subject)).collect();
    if links.is_empty() {
        return Html::default();
    }
    let label = "Other compiles and files";
    Element::new("nav").class("ways").attribute("aria-label", label).around(Html::joined(links, "\n"))
}

fn neighbors<'a>(view: View<'a>, subject: ShownCompile<'a>) -> impl Iterator<Item = Html> {
    let place = subject.order.binary_search(&subject.index).ok();
    let before = place.and_then(|place| place.checked_sub(1));
    let after = place.map(|place| place + 1);
    [("prev", before, "\u{2039} "), ("next", after, "\u{203a} ")].into_iter().filter_map(
        move |(rel, place, arrow)| {
            let compile = view.report.model.compiles.get(*subject.order.get(place?)?)?;
            let text = format!("{arrow}{}", compile.label());
            let href = view.compile_href(compile);
            Some(Element::new("a").attribute("rel", rel).href(&href).around(text))
        },
    )
}

/// The versions of the function around this one.
fn versions(view: View<'_>, subject: ShownCompile<'_>) -> Option<Html> {
    let chain = subject.chain;
    let here = chain.binary_search(&subject.index).unwrap_or(0);
    let from = here.saturating_sub(NAMED / 2).min(chain.len().saturating_sub(NAMED));
    let shown = view.compiles(chain.get(from..).unwrap_or_default());
    let pills = view.some_pills(&shown, NAMED);
    (chain.len() > 1).then(|| Element::new("span").around(Html::joined(["Versions ".into(), pills], "")))
}

/// Each file of the attempt that counts, which is the last one.
fn files<'a>(view: View<'a>, subject: ShownCompile<'a>) -> impl Iterator<Item = Html> {
    let viewer = graphs_href(view, subject.compile);
    FILES.into_iter().filter_map(move |(name, title, is_graph)| {
        let named = subject.compile.artifacts.iter().filter(|artifact| artifact.name.starts_with(name));
        let artifact = named.rev().max_by_key(|artifact| artifact.attempt)?;
        let href = match viewer.as_deref().filter(|_| is_graph) {
            Some(viewer) => format!("{viewer}#{}", artifact.number),
            None => view.href(&paths::artifact(subject.compile, artifact, subject.report.settings)),
        };
        Some(view.link(&href, title))
    })
}
