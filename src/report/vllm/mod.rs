//! `vllm.html`: the modules that vLLM compiled, the pieces of each, and what its passes changed.

mod config;
mod module;
mod passes;
mod pieces;

use super::parts::{Head, Row, Table, Td, View};
use super::shell::{Shell, Tab, write_page};
use super::units::{UNKNOWN, clipped, count, counted, micros, whole};
use super::{Html, Report, Worker, paths};
use crate::analysis::vllm::{Module, Piece, Sizes, Vllm};
use crate::model::{CompileIndex, VllmEvent, VllmFact};
use crate::output::{Page, RelPath};
use serde::Serialize;
use std::io::Write;

const PATH: &str = "vllm.html";

/// Modules that the page shows in full, and that the landing page lists. A server compiles a handful.
const MODULES: usize = 100;
const ON_LANDING_PAGE: usize = 20;

/// Events without a module that are listed.
const LOOSE: usize = 200;

/// Names of modules in the tabs.
const TABS: usize = 8;

/// Characters of a module's name, and of another name from the log.
const LONGEST_NAME: usize = 80;

/// Different sizes that a module's row names.
const SIZES: usize = 6;

/// The link to the page, where there is one.
pub(super) fn tab(report: Report<'_>) -> Option<Tab> {
    (!report.model.vllm.is_empty()).then(|| Tab::away(PATH, "vLLM", None))
}

/// Where the page tells of that compile, seen from the view's page; None where vLLM says nothing of it.
pub(super) fn href(view: View<'_>, compile: CompileIndex) -> Option<String> {
    let mut events = view.report.model.vllm.iter().filter(|event| event.compile == compile).peekable();
    events.peek()?;
    // Other events make no module.
    let module = events.any(|event| !matches!(event.fact, VllmFact::Compiled(_) | VllmFact::Other));
    Some(format!(
        "{}#{}",
        view.href_of(PATH),
        if module { format!("of-{compile}") } else { "events".to_owned() }
    ))
}

/// `submod_0, 1 to 8,192`: the piece in few words.
pub(super) fn piece_words(piece: &Piece<'_>) -> String {
    let name = piece.start.submodule.as_deref().unwrap_or("a piece");
    let name = clipped(name, LONGEST_NAME).0;
    match piece.sizes() {
        Some(sizes) => format!("{name}, {}", size_words(sizes)),
        None => name.to_owned(),
    }
}

fn size_words(sizes: Sizes) -> String {
    match sizes {
        Sizes::One(size) => format!("size {}", count(size as f64)),
        Sizes::Range(from, to) => format!("{} to {}", count(from as f64), count(to as f64)),
    }
}

/// What a module is called on the page.
fn name<'m>(module: &Module<'m>) -> &'m str {
    module.name().map_or("unnamed module", |name| clipped(name, LONGEST_NAME).0)
}

pub(super) fn page<'m>(report: Report<'m>) -> Option<Page<'m, Worker>> {
    (!report.model.vllm.is_empty()).then(|| {
        Page::rendered(RelPath::of_parts(&[PATH]), move |worker, out| {
            let vllm = Vllm::of(report.model);
            let mut shell = Shell::top(report, "vLLM");
            shell.tabs = tabs(&vllm);
            write_page(worker, out, &shell, |worker, out| write(View::new(report, worker, 0), &vllm, out))
        })
    })
}

fn tabs(vllm: &Vllm<'_>) -> Vec<Tab> {
    let mut tabs = Vec::new();
    if !vllm.modules.is_empty() {
        tabs.push(Tab::section("modules", "Modules", Some(whole(vllm.modules.len()))));
    }
    for (at, module) in vllm.modules.iter().enumerate().take(TABS) {
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
    writeln!(out, "{}", hero(view, vllm)?.as_str())?;
    if !vllm.modules.is_empty() {
        let note = "one a call of vLLM's backend";
        let count = Some(whole(vllm.modules.len()));
        view.open_section(out, ("modules", "Modules", note), count, Html::default())?;
        modules(view, vllm, out, (MODULES, ""))?;
        writeln!(out, "</section>")?;
    }
    let mut room = passes::Room::default();
    for (at, one) in vllm.modules.iter().enumerate().take(MODULES) {
        module::write(view, (at, one), &mut room, out)?;
    }
    loose(view, vllm, out)
}

#[derive(Serialize)]
struct Hero {
    sentence: Html,
    notes: Vec<Html>,
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
        let words = "; what lies between is compiled for ranges of sizes and for single sizes.";
        notes.push(Html::joined([Html::escaped("Each module is cut at "), cut, Html::escaped(words)], ""));
    }
    notes.extend(outcomes(vllm));
    view.render("vllm_hero", &Hero { sentence: sentence(view, vllm), notes })
}

/// `vLLM compiled 2 modules of corpus/random-llama in 11 pieces, 7.3 s: 9 built, 2 found in a cache.`
fn sentence(view: View<'_>, vllm: &Vllm<'_>) -> Html {
    let model = view.report.model;
    if vllm.modules.is_empty() {
        let events = counted(vllm.loose.len(), "event", "events");
        return Html::escaped(&format!("The log has {events} of vLLM, and no module that it compiled."));
    }
    let mut models: Vec<&str> = vllm.modules.iter().filter_map(|module| module.field("model")).collect();
    models.sort_unstable();
    models.dedup();
    let of = match models.as_slice() {
        [] => Html::default(),
        [one] => Html::joined([Html::escaped(" of "), view.code(clipped(one, LONGEST_NAME).0)], ""),
        several => Html::escaped(&format!(" of {}", counted(several.len(), "model", "models"))),
    };
    let pieces = vllm.pieces().count();
    let found = vllm.pieces().filter(|piece| piece.found(model)).count();
    let time = vllm.modules.iter().filter_map(|module| module.us(model)).reduce(|a, b| a + b);
    let time = time.map_or_else(String::new, |us| format!(", {}", micros(us)));
    let built = match (pieces, found) {
        (0, _) => String::new(),
        (_, 0) => ": none found in a cache of torch".to_owned(),
        (pieces, found) if pieces == found => ": all found in a cache of torch".to_owned(),
        (pieces, found) => {
            format!(": {} built, {} found in a cache of torch", whole(pieces - found), whole(found))
        }
    };
    let modules = Html::escaped(&counted(vllm.modules.len(), "module", "modules"));
    let pieces = Html::escaped(&counted(pieces, "piece", "pieces"));
    Html::trusted(format!(
        "vLLM compiled <b>{}</b>{} in <b>{}</b>{}{}.",
        modules.as_str(),
        of.as_str(),
        pieces.as_str(),
        Html::escaped(&time).as_str(),
        Html::escaped(&built).as_str()
    ))
}

/// What vLLM's own events say of its own cache, counted.
fn outcomes(vllm: &Vllm<'_>) -> Option<Html> {
    let of_modules = vllm.modules.iter().flat_map(Module::outcomes);
    let loose = vllm.loose.iter().filter_map(|event| kind(event));
    let mut counts: indexmap::IndexMap<&str, usize> = indexmap::IndexMap::new();
    of_modules.chain(loose).for_each(|kind| *counts.entry(kind).or_default() += 1);
    if counts.is_empty() {
        return None;
    }
    let words =
        counts.iter().take(SIZES).map(|(kind, count)| format!("{} {}", whole(*count), outcome_words(kind)));
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

/// `aot cache hit` of `aot_cache_hit`.
fn outcome_words(kind: &str) -> String {
    match kind {
        "" => "of no kind".to_owned(),
        kind => clipped(kind, LONGEST_NAME).0.replace('_', " "),
    }
}

/// The section of the landing page.
pub(super) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    if view.report.model.vllm.is_empty() {
        return Ok(());
    }
    let vllm = Vllm::of(view.report.model);
    let link = view.link(PATH, "Pieces, graphs and passes");
    let tools = Html::wrapped("<span class=tools>", &link, "</span>");
    let count = Some(whole(vllm.modules.len()));
    view.open_section(out, ("vllm", "vLLM", "modules that its backend compiled"), count, tools)?;
    writeln!(out, "<p>{}</p>", sentence(view, &vllm).as_str())?;
    if !vllm.modules.is_empty() {
        modules(view, &vllm, out, (ON_LANDING_PAGE, PATH))?;
    }
    writeln!(out, "</section>")?;
    Ok(())
}

/// The table of modules; `page` is empty where their sections stand on the same page.
fn modules(
    view: View<'_>,
    vllm: &Vllm<'_>,
    out: &mut dyn Write,
    (most, page): (usize, &str),
) -> anyhow::Result<()> {
    let model = view.report.model;
    let heads = vec![
        Head::text("Module"),
        Head::compiles("Compile"),
        Head::number("Subgraphs"),
        Head::number("Pieces").about("Subgraphs times the sizes that each is compiled for"),
        Head::unsorted("Compiled for"),
        Head::number("Found in a cache").about("Pieces whose code a cache of torch had"),
        Head::text("vLLM's cache").absent_if(vllm.modules.iter().all(|m| m.outcomes().next().is_none())),
        Head::number("Time").about("From its first event to the last file of its last piece"),
    ];
    let table = Table { id: "vllm-table", label: "Modules", heads };
    let mut known = Vec::new();
    let rows = vllm.modules.iter().enumerate().take(most).map(|(at, module)| {
        let compile = model.compiles.get(module.compile);
        let pill = compile.map_or_else(|| Ok(Html::escaped(UNKNOWN)), |compile| view.pill(compile))?;
        let found = module.pieces.iter().filter(|piece| piece.found(model)).count();
        let outcomes = module.outcomes().take(SIZES).map(outcome_words).collect::<Vec<_>>().join(", ");
        let count = |n: usize| Td::number(n as f64, &whole(n));
        let row = Row::of(vec![
            Td::html(view.link(&format!("{page}#module-{}", at + 1), name(module))),
            Td::html(pill).sorted(module.compile),
            count(module.subgraphs()),
            count(module.pieces.len()),
            Td::text(&sizes(module)),
            count(found),
            Td::text(if outcomes.is_empty() { UNKNOWN } else { &outcomes }),
            Td::maybe(module.us(model), micros),
        ]);
        // The page of a compile leads to the first of its modules.
        if page.is_empty() && !known.contains(&module.compile) {
            known.push(module.compile);
            return Ok(row.anchored(format!("of-{}", module.compile)));
        }
        Ok(row)
    });
    view.table(out, &table, rows.collect::<Vec<_>>().into_iter())?;
    view.left_out(
        out,
        vllm.modules.len(),
        most,
        "are left out; their files stand on the pages of their compiles",
    )
}

/// `1 to 8,192, size 4, size 8`
fn sizes(module: &Module<'_>) -> String {
    let mut all: Vec<Sizes> = module.pieces.iter().filter_map(Piece::sizes).collect();
    all.sort_unstable();
    all.dedup();
    let mut words: Vec<String> = all.iter().take(SIZES).map(|one| size_words(*one)).collect();
    if all.len() > SIZES {
        words.push(format!("{} more", whole(all.len() - SIZES)));
    }
    if words.is_empty() { UNKNOWN.to_owned() } else { words.join(", ") }
}

fn loose(view: View<'_>, vllm: &Vllm<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    if vllm.loose.is_empty() {
        return Ok(());
    }
    let note = "of no module: nothing was compiled, or they carry no compile id";
    let count = Some(whole(vllm.loose.len()));
    view.open_section(out, ("events", "Other events of vLLM", note), count, Html::default())?;
    let heads = vec![Head::text("Event"), Head::text("What it says"), Head::compiles("Compile")];
    let table = Table { id: "events-table", label: "Other events of vLLM", heads };
    let rows = vllm.loose.iter().take(LOOSE).map(|event| {
        let compile = view.report.model.compiles.get(event.compile);
        let pill = compile.map_or_else(|| Ok(Html::escaped(UNKNOWN)), |compile| view.pill(compile))?;
        Ok(Row::of(vec![
            Td::html(file(view, event.compile, event.artifact)),
            Td::text(&kind(event).map_or_else(|| UNKNOWN.to_owned(), outcome_words)),
            Td::html(pill).sorted(event.compile),
        ]))
    });
    let rows: Vec<_> = rows.collect();
    view.table(out, &table, rows.into_iter())?;
    view.left_out(out, vllm.loose.len(), LOOSE, "stand on the pages of their compiles")?;
    writeln!(out, "</section>")?;
    Ok(())
}

/// A link to a file with its number.
fn file(view: View<'_>, compile: CompileIndex, at: usize) -> Html {
    let compile = view.report.model.compiles.get(compile);
    let Some((compile, artifact)) = compile.and_then(|c| Some((c, c.artifacts.get(at)?))) else {
        return Html::escaped(UNKNOWN);
    };
    let href = view.href(&paths::artifact(compile, artifact, view.report.settings));
    let link = view.link(&href, &super::code::short_name(&artifact.name));
    let number = artifact.number;
    let damaged = match &artifact.content {
        crate::model::Content::Payload(at, _) if !at.intact => " <span class=err>damaged</span>",
        _ => "",
    };
    Html::trusted(format!("<span>{} <small>{number}</small>{damaged}</span>", link.as_str()))
}
