//! `vllm.html`: the modules that vLLM compiled, their pieces, and what its passes changed.

mod config;
mod files;
mod module;
mod pieces;

use crate::analysis::vllm::{Module, Vllm};
use crate::limits::{IN_ROW, LONG_LIST};
use crate::model::{VllmEvent, VllmFact};
use crate::output::{Page, RelPath};
use crate::report::doc::{Block, Cell, Listing, Others, Rows, Section, own, page};
use crate::report::kit::formats::whole;
use crate::report::kit::html::Html;
use crate::report::kit::links;
use crate::report::kit::markup::write_line;
use crate::report::kit::templates::Worker;
use crate::report::kit::view::View;
use crate::report::kit::vllm_modules::{modules, outcome_words, sentence};
use crate::report::pages::vllm::files::file;
use crate::report::subject::Report;

pub(crate) fn page<'m>(report: Report<'m>) -> Page<'m, Worker> {
    Page::rendered(RelPath::of_parts(&[links::VLLM]), move |worker, out| {
        let vllm = Vllm::of(report.model);
        page::write(report, "vLLM", &blocks(report, &vllm), worker, out)
    })
}

fn blocks<'m>(report: Report<'m>, vllm: &'m Vllm<'m>) -> Vec<Block<'m>> {
    let mut blocks =
        vec![Block::Drawn(Box::new(move |view, out| Ok(write_line(out, &verdict(view, vllm)?)?)))];
    if !vllm.modules.is_empty() {
        let table = Block::Drawn(Box::new(move |view: View<'_>, out: &mut dyn std::io::Write| {
            modules(view, vllm, out, (LONG_LIST, ""))
        }));
        let section = Section::new("modules", "Modules", vec![table]).about("one per call of vLLM's backend");
        blocks.push(Block::Section(section.counted(vllm.modules.len())));
    }
    // How many pieces the page still has room for.
    let mut room = LONG_LIST;
    for (at, one) in vllm.modules.iter().enumerate().take(LONG_LIST) {
        blocks.push(Block::Section(module::section(report, (at, one), &mut room)));
    }
    blocks.extend((!vllm.loose.is_empty()).then(|| Block::List(loose(report, vllm))));
    blocks
}

fn verdict(view: View<'_>, vllm: &Vllm<'_>) -> anyhow::Result<Html> {
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
        notes.push(Html::joined(["Each module is cut at ".into(), cut, words.into()], ""));
    }
    notes.extend(outcomes(vllm).map(Html::from));
    view.verdict(sentence(view, vllm), notes)
}

/// Counts of vLLM's cache events.
fn outcomes(vllm: &Vllm<'_>) -> Option<String> {
    let of_modules = vllm.modules.iter().flat_map(Module::outcomes);
    let loose = vllm.loose.iter().filter_map(|event| kind(event));
    let mut counts: indexmap::IndexMap<&str, usize> = indexmap::IndexMap::new();
    of_modules.chain(loose).for_each(|kind| *counts.entry(kind).or_default() += 1);
    let words =
        counts.iter().take(IN_ROW).map(|(kind, count)| format!("{} {}", whole(*count), outcome_words(kind)));
    let words = words.collect::<Vec<_>>().join(", ");
    let loose = match vllm.loose.iter().filter(|event| kind(event).is_some()).count() {
        0 => String::new(),
        1 => "; one of them belongs to no module here".to_owned(),
        several => format!("; {} of them belong to no module here", whole(several)),
    };
    (!counts.is_empty()).then(|| format!("vLLM's own events: {words}{loose}."))
}

fn kind(event: &VllmEvent) -> Option<&str> {
    match &event.fact {
        VllmFact::Compiled(kind) => Some(kind),
        _ => None,
    }
}

fn loose<'m>(report: Report<'m>, vllm: &'m Vllm<'m>) -> Listing<'m> {
    Rows::of(vllm.loose.as_slice())
        .text("Event", move |event| file(report, event.compile, event.artifact))
        .text("What it says", |event| Cell::maybe(kind(event), |kind| own(outcome_words(kind))))
        .compile("Compile", move |event| {
            let compile = report.model.compiles.get(event.compile);
            Cell::maybe(compile, |compile| Cell::Compile { compile, after: String::new() })
        })
        .about("without a module: nothing was compiled, or they have no compile id")
        .first(LONG_LIST, Others::Elsewhere("are on the pages of their compiles"))
        .listing("events", "Other events of vLLM", "")
}
