//! The table of modules compiled by vLLM, for the landing page and vLLM's page.

use crate::analysis::vllm::{Module, Sizes, Vllm, VllmPiece};
use crate::limits::{IN_ROW, QUOTE};
use crate::report::kit::formats::{UNKNOWN, clipped, counted, micros, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::strong;
use crate::report::kit::tables::{Row, Table, TableCell, TableColumn};
use crate::report::kit::view::View;
use crate::report::words::vllm::size_words;
use fxhash::FxHashSet;
use std::io::Write;

/// The name of a module on the page.
pub(crate) fn name<'m>(module: &Module<'m>) -> &'m str {
    module.name().map_or("unnamed module", |name| clipped(name, QUOTE).0)
}

/// `vLLM compiled 2 modules of corpus/random-llama in 11 pieces, 7.3 s: 9 built, 2 found in a cache.`
pub(crate) fn sentence(view: View<'_>, vllm: &Vllm<'_>) -> Html {
    let model = view.report.model;
    if vllm.modules.is_empty() {
        let events = counted(vllm.loose.len(), "event", "events");
        return Html::escaped(&format!("The log has {events} of vLLM, but no compiled module."));
    }
    let mut models: Vec<&str> = vllm.modules.iter().filter_map(|module| module.field("model")).collect();
    models.sort_unstable();
    models.dedup();
    let of = match models.as_slice() {
        [] => Html::default(),
        [one] => Html::joined([Html::escaped(" of "), view.code(clipped(one, QUOTE).0)], ""),
        several => Html::escaped(&format!(" of {}", counted(several.len(), "model", "models"))),
    };
    let pieces = vllm.pieces().count();
    let found = vllm.pieces().filter(|piece| piece.found(model)).count();
    let time = vllm.modules.iter().filter_map(|module| module.us(model)).reduce(|a, b| a + b);
    let time = time.map_or_else(String::new, |us| format!(", {}", micros(us)));
    let built = match (pieces, found) {
        (0, _) => String::new(),
        (_, 0) => ": none was in a cache of torch".to_owned(),
        (pieces, found) if pieces == found => ": all were in a cache of torch".to_owned(),
        (pieces, found) => {
            format!(": {} built, {} found in a cache of torch", whole(pieces - found), whole(found))
        }
    };
    let modules = strong(counted(vllm.modules.len(), "module", "modules"));
    let pieces = strong(counted(pieces, "piece", "pieces"));
    let end = format!("{time}{built}.");
    Html::joined(["vLLM compiled ".into(), modules, of, " in ".into(), pieces, end.into()], "")
}

/// `aot cache hit` for `aot_cache_hit`.
pub(crate) fn outcome_words(kind: &str) -> String {
    match kind {
        "" => "of no kind".to_owned(),
        kind => clipped(kind, QUOTE).0.replace('_', " "),
    }
}

/// The table of modules; `page` is empty if their sections are on the same page.
pub(crate) fn modules(
    view: View<'_>,
    vllm: &Vllm<'_>,
    out: &mut dyn Write,
    (most, page): (usize, &str),
) -> anyhow::Result<()> {
    let model = view.report.model;
    let columns = vec![
        TableColumn::text("Module"),
        TableColumn::compiles("Compile"),
        TableColumn::number("Subgraphs"),
        TableColumn::number("Pieces").about("Subgraphs times compiled sizes"),
        TableColumn::unsorted("Compiled for"),
        TableColumn::number("Found in a cache").about("Pieces whose code was in a cache of torch"),
        TableColumn::text("vLLM's cache")
            .absent_if(vllm.modules.iter().all(|m| m.outcomes().next().is_none())),
        TableColumn::number("Time").about("From its first event to the last file of its last piece"),
    ];
    let table = Table { id: "vllm-table", label: "Modules", columns };
    let mut known = FxHashSet::default();
    let rows = vllm.modules.iter().enumerate().take(most).map(|(at, module)| {
        let compile = model.compiles.get(module.compile);
        let pill = compile.map_or_else(|| Html::escaped(UNKNOWN), |compile| view.pill(compile));
        let found = module.pieces.iter().filter(|piece| piece.found(model)).count();
        let outcomes = module.outcomes().take(IN_ROW).map(outcome_words).collect::<Vec<_>>().join(", ");
        let row = Row::of(vec![
            TableCell::html(view.link(&format!("{page}#module-{}", at + 1), name(module))),
            TableCell::html(pill).sorted(module.compile),
            TableCell::count(module.subgraphs()),
            TableCell::count(module.pieces.len()),
            TableCell::text(&sizes(module)),
            TableCell::count(found),
            TableCell::text(if outcomes.is_empty() { UNKNOWN } else { &outcomes }),
            TableCell::maybe(module.us(model), micros),
        ]);
        // Pages of compiles link to the first module of a compile.
        if page.is_empty() && known.insert(module.compile) {
            return row.anchored(format!("of-{}", module.compile));
        }
        row
    });
    view.table(out, &table, rows)?;
    view.left_out(
        out,
        vllm.modules.len(),
        most,
        "are left out; their files are on the pages of their compiles",
    )
}

/// `1 to 8,192, size 4, size 8`
pub(crate) fn sizes(module: &Module<'_>) -> String {
    let mut all: Vec<Sizes> = module.pieces.iter().filter_map(VllmPiece::sizes).collect();
    all.sort_unstable();
    all.dedup();
    let mut words: Vec<String> = all.iter().take(IN_ROW).map(|one| size_words(*one)).collect();
    if all.len() > IN_ROW {
        words.push(format!("{} more", whole(all.len() - IN_ROW)));
    }
    if words.is_empty() { UNKNOWN.to_owned() } else { words.join(", ") }
}
