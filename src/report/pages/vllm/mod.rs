//! `vllm.html`: the modules that vLLM compiled, their pieces, and what its passes changed.

mod config;
mod files;
mod module;
mod passes;
mod pieces;

use crate::analysis::vllm::{Module, Vllm};
use crate::limits::{IN_ROW, LONG_LIST, NAMED};
use crate::model::{VllmEvent, VllmFact};
use crate::output::{Page, RelPath};
use crate::report::kit::formats::{UNKNOWN, whole};
use crate::report::kit::html::Html;
use crate::report::kit::links;
use crate::report::kit::markup::{close_section, write_line};
use crate::report::kit::shell::{Shell, Tab, write_page};
use crate::report::kit::tables::{Row, Table, TableCell, TableColumn};
use crate::report::kit::templates::Worker;
use crate::report::kit::view::View;
use crate::report::kit::vllm_modules::modules;
use crate::report::kit::vllm_modules::name;
use crate::report::kit::vllm_modules::outcome_words;
use crate::report::kit::vllm_modules::sentence;
use crate::report::pages::vllm::files::file;
use crate::report::subject::Report;
use std::io::Write;

pub(crate) fn page<'m>(report: Report<'m>) -> Page<'m, Worker> {
    Page::rendered(RelPath::of_parts(&[links::VLLM]), move |worker, out| {
        let vllm = Vllm::of(report.model);
        let mut shell = Shell::top(report, "vLLM");
        shell.tabs = tabs(&vllm);
        write_page(worker, out, &shell, |worker, out| write(View::new(report, worker, 0), &vllm, out))
    })
}

fn tabs(vllm: &Vllm<'_>) -> Vec<Tab> {
    let mut tabs = Vec::new();
    if !vllm.modules.is_empty() {
        tabs.push(Tab::section("modules", "Modules", Some(whole(vllm.modules.len()))));
    }
    for (at, module) in vllm.modules.iter().enumerate().take(NAMED) {
        tabs.push(Tab::section(
            &format!("module-{}", at + 1),
            name(module),
            Some(whole(module.pieces.len())),
        ));
    }
    if !vllm.loose.is_empty() {
        tabs.push(Tab::section("events", "Other events", Some(whole(vllm.loose.len()))));
    }
    tabs
}

fn write(view: View<'_>, vllm: &Vllm<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    write_line(out, &hero(view, vllm)?)?;
    if !vllm.modules.is_empty() {
        let note = "one per call of vLLM's backend";
        let count = Some(whole(vllm.modules.len()));
        view.open_section(out, ("modules", "Modules", note), count, Html::default())?;
        modules(view, vllm, out, (LONG_LIST, ""))?;
        close_section(out)?;
    }
    let mut room = passes::Room::default();
    for (at, one) in vllm.modules.iter().enumerate().take(LONG_LIST) {
        module::write(view, (at, one), &mut room, out)?;
    }
    loose(view, vllm, out)
}

fn hero(view: View<'_>, vllm: &Vllm<'_>) -> anyhow::Result<Html> {
    let mut notes = Vec::new();
    let mut cuts: Vec<&str> =
        vllm.modules.iter().filter_map(|module| module.field("splitting_ops")).collect();
    cuts.sort_unstable();
    cuts.dedup();
    if let [cut] = cuts.as_slice()
        && !cut.is_empty()
    {
        let cut = view.folded(cut, true);
        let words = "; the parts between are compiled for ranges of sizes and for single sizes.";
        notes.push(Html::joined([Html::escaped("Each module is cut at "), cut, Html::escaped(words)], ""));
    }
    notes.extend(outcomes(vllm));
    view.verdict(sentence(view, vllm), notes)
}

/// Counts of vLLM's cache events.
fn outcomes(vllm: &Vllm<'_>) -> Option<Html> {
    let of_modules = vllm.modules.iter().flat_map(Module::outcomes);
    let loose = vllm.loose.iter().filter_map(|event| kind(event));
    let mut counts: indexmap::IndexMap<&str, usize> = indexmap::IndexMap::new();
    of_modules.chain(loose).for_each(|kind| *counts.entry(kind).or_default() += 1);
    if counts.is_empty() {
        return None;
    }
    let words =
        counts.iter().take(IN_ROW).map(|(kind, count)| format!("{} {}", whole(*count), outcome_words(kind)));
    let words = words.collect::<Vec<_>>().join(", ");
    let loose = match vllm.loose.iter().filter(|event| kind(event).is_some()).count() {
        0 => String::new(),
        1 => "; one of them belongs to no module here".to_owned(),
        several => format!("; {} of them belong to no module here", whole(several)),
    };
    Some(Html::escaped(&format!("vLLM's own events: {words}{loose}.")))
}

fn kind(event: &VllmEvent) -> Option<&str> {
    match &event.fact {
        VllmFact::Compiled(kind) => Some(kind),
        _ => None,
    }
}

fn loose(view: View<'_>, vllm: &Vllm<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    if vllm.loose.is_empty() {
        return Ok(());
    }
    let note = "without a module: nothing was compiled, or they have no compile id";
    let count = Some(whole(vllm.loose.len()));
    view.open_section(out, ("events", "Other events of vLLM", note), count, Html::default())?;
    let columns =
        vec![TableColumn::text("Event"), TableColumn::text("What it says"), TableColumn::compiles("Compile")];
    let table = Table { id: "events-table", label: "Other events of vLLM", columns };
    let rows = vllm.loose.iter().take(LONG_LIST).map(|event| {
        let compile = view.report.model.compiles.get(event.compile);
        let pill = compile.map_or_else(|| Html::escaped(UNKNOWN), |compile| view.pill(compile));
        Row::of(vec![
            TableCell::html(file(view, event.compile, event.artifact)),
            TableCell::text(&kind(event).map_or_else(|| UNKNOWN.to_owned(), outcome_words)),
            TableCell::html(pill).sorted(event.compile),
        ])
    });
    let rows: Vec<_> = rows.collect();
    view.table(out, &table, rows.into_iter())?;
    view.left_out(out, vllm.loose.len(), LONG_LIST, "are on the pages of their compiles")?;
    close_section(out)?;
    Ok(())
}
