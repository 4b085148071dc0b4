//! `vllm.html`: the modules that vLLM compiled, their pieces, and what its passes changed.

mod config;
mod files;
mod module;
mod pieces;

use crate::analysis::vllm::{Module, Sizes, Vllm, VllmPiece};
use crate::limits::{IN_ROW, LONG_LIST};
use crate::model::{VllmEvent, VllmFact};
use crate::output::{Page, RelPath};
use crate::report::doc::{Block, Cell, FoundRow, Listing, Others, Rows, Section, log, micros, own, page};
use crate::report::kit::formats::{UNKNOWN, whole};
use crate::report::kit::html::Html;
use crate::report::kit::links;
use crate::report::kit::markup::write_line;
use crate::report::kit::templates::Worker;
use crate::report::kit::view::View;
use crate::report::kit::vllm_modules::{name, outcome_words, sentence};
use crate::report::pages::vllm::files::file;
use crate::report::subject::{Report, ToSearch};
use crate::report::words::vllm::size_words;
use fxhash::FxHashSet;

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
        let section = Section::new("modules", "Modules", vec![Block::Table(modules(report, vllm))])
            .about("one per call of vLLM's backend");
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

/// The pieces of all modules, and the parts of their graphs.
pub(crate) fn searched(report: Report<'_>, to: &mut ToSearch<'_>) -> anyhow::Result<()> {
    let vllm = Vllm::of(report.model);
    let parts = report.model.vllm.iter().flat_map(|event| match &event.fact {
        VllmFact::Split(parts) => parts.as_slice(),
        _ => &[],
    });
    let parts = Rows::of(parts.collect::<Vec<_>>())
        .number("Calls", |part| part.calls.into())
        .text("Operators", |part| log(part.operators.join(" ")))
        .found(|_, part| FoundRow::at(&*part.name, links::VLLM).more(["part of a split graph"]));
    let modules = vllm.modules.iter().enumerate();
    let pieces = modules.filter_map(|(at, module)| pieces::searched(report, at, module));
    to("vLLM", &pieces.chain([parts.listing("parts", "Parts of split graphs", "")]).collect::<Vec<_>>())
}

/// A module with its place among them.
struct Listed<'m> {
    place: usize,
    module: &'m Module<'m>,
    /// Whether it is the first of its compile: pages of compiles lead to it.
    is_first: bool,
}

fn modules<'m>(report: Report<'m>, vllm: &'m Vllm<'m>) -> Listing<'m> {
    let model = report.model;
    let mut known = FxHashSet::default();
    let listed = vllm.modules.iter().enumerate().map(|(place, module)| Listed {
        place,
        module,
        is_first: known.insert(module.compile),
    });
    Rows::of(listed.collect::<Vec<_>>())
        .text("Module", |one| log(name(one.module)).linked(format!("#module-{}", one.place + 1)))
        .compile("Compile", move |one| {
            let compile = model.compiles.get(one.module.compile);
            Cell::maybe(compile, |compile| Cell::Compile { compile, after: String::new() })
        })
        .number("Subgraphs", |one| one.module.subgraphs().into())
        .number("Pieces", |one| one.module.pieces.len().into())
        .explained("Subgraphs times compiled sizes")
        .unsorted("Compiled for", |one| own(sizes(one.module)))
        .number("Found in a cache", move |one| {
            one.module.pieces.iter().filter(|piece| piece.found(model)).count().into()
        })
        .explained("Pieces whose code was in a cache of torch")
        .text("vLLM's cache", |one| {
            let outcomes: Vec<_> = one.module.outcomes().take(IN_ROW).map(outcome_words).collect();
            Cell::maybe((!outcomes.is_empty()).then(|| outcomes.join(", ")), own)
        })
        .number("Time", move |one| micros(one.module.us(model)))
        .explained("From its first event to the last file of its last piece")
        .kept()
        .anchored(|_, one| one.is_first.then(|| format!("of-{}", one.module.compile)))
        .first(LONG_LIST, Others::Elsewhere("are left out; their files are on the pages of their compiles"))
        .listing("modules", "Modules", "")
}

/// `1 to 8,192, size 4, size 8`
fn sizes(module: &Module<'_>) -> String {
    let mut all: Vec<Sizes> = module.pieces.iter().filter_map(VllmPiece::sizes).collect();
    all.sort_unstable();
    all.dedup();
    let mut words: Vec<String> = all.iter().take(IN_ROW).map(|one| size_words(*one)).collect();
    if all.len() > IN_ROW {
        words.push(format!("{} more", whole(all.len() - IN_ROW)));
    }
    if words.is_empty() { UNKNOWN.to_owned() } else { words.join(", ") }
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
