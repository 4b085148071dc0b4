//! `graphs.html`: the graphs of a compile side by side. The page contains each text once; its script marks the definition
//! and the uses of a value, compares two graphs, and connects lines of the user's code with graphs and generated code.

mod drawn;
mod earlier;
mod output_code;

pub(crate) use drawn::pages as drawn_pages;

use crate::analysis::Producers;
use crate::analysis::drawing::{MOST_DRAWINGS, NotDrawn};
use crate::analysis::vllm::Vllm;
use crate::model::{Artifact, Compile, CompileIndex};
use crate::report::kit::editor::Editor;
use crate::report::kit::graph_files::{drawn_link, graphs, has_graphs, pairs, without_id};
use crate::report::kit::markup::{open_data, script_json};
use crate::report::kit::prelude::*;
use crate::report::words::files;
use crate::report::words::vllm::piece_words;
use crate::trace::{Md5, PayloadRef, TextHasher, TextMap};
use earlier::Earlier;
use fxhash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::sync::{Arc, OnceLock};

/// Bytes of graphs on one page that a browser reads without a noticeable wait. The largest recorded compile has 2 MB, and
/// two graphs of that size can be compared; larger graphs are only linked as files.
const LARGEST_PAGE: u64 = 8 << 20;

/// A page for each compile that has graphs.
pub(crate) fn pages(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    // Computed by the first page that needs it: the list of pages is made by a single thread.
    let context: Arc<OnceLock<Context>> = Arc::default();
    let compiles = report.model.compiles.indexed();
    let page = |(index, compile)| {
        let (path, context) = (paths::graphs_page(compile), Arc::clone(&context));
        Page::rendered(path, move |worker: &mut Worker, out: &mut dyn Write| {
            let context =
                context.get_or_init(|| Context { pieces: pieces(report), earlier: Earlier::of(report) });
            write(report, (index, compile), context, (worker, out))
        })
    };
    compiles.filter(|(_, compile)| has_graphs(compile)).map(page).collect()
}

/// What the pages share.
struct Context {
    pieces: Pieces,
    earlier: Earlier,
}

/// The vLLM piece of a file, by compile and index of the file.
type Pieces = FxHashMap<(CompileIndex, usize), String>;

fn pieces(report: Report<'_>) -> Pieces {
    let mut pieces = Pieces::default();
    for module in Vllm::of(report.model).modules {
        for piece in &module.pieces {
            let label = piece_words(piece);
            pieces.extend(piece.files.iter().map(|file| ((module.compile, *file), label.clone())));
        }
    }
    pieces
}

fn write(
    report: Report<'_>,
    (index, compile): (CompileIndex, &Compile),
    context: &Context,
    (worker, out): (&mut Worker, &mut dyn Write),
) -> anyhow::Result<()> {
    let mut shell = Shell::of_compile(report, compile, Some("graphs"));
    shell.tabs = tabs(report, compile);
    write_page(worker, out, &shell, |worker, out| {
        let view = View::new(report, worker, 1);
        let shown = shown(view, (index, compile), context)?;
        write_line(out, &head(view, compile, &shown)?)?;
        write_data(view, compile, &shown, out)
    })
}

fn tabs(report: Report<'_>, compile: &Compile) -> Vec<Tab> {
    let page = links::compile(report, compile);
    let label = if compile.id.is_some() { compile.label() } else { "no id".to_owned() };
    let link = |anchor: &str, words: &str| Tab::away(format!("../{page}{anchor}"), words, None);
    vec![link("", &format!("Compile {label}")), link("#files", "All its files")]
}

/// A graph, as read by the script.
#[derive(Serialize)]
struct Graph {
    name: String,
    number: u32,
    attempt: u32,
    href: String,
    about: &'static str,
    /// The vLLM piece that it belongs to, or its writer if not torch.
    group: Option<String>,
    /// Its place in `texts`; null if the graph is only linked.
    text: Option<usize>,
    /// Its compile, if that is an earlier one of the function.
    compile: Option<String>,
    #[serde(skip)]
    damaged: bool,
}

/// The graphs of a page with their texts.
struct Shown {
    graphs: Vec<Graph>,
    texts: Vec<String>,
    /// Suggested comparisons: two places in `graphs`, and what happened between them.
    pairs: Vec<(usize, usize, String)>,
}

/// Selects the texts of the page: the compile's own, then those of the previous compile.
fn shown(
    view: View<'_>,
    (index, compile): (CompileIndex, &Compile),
    context: &Context,
) -> anyhow::Result<Shown> {
    let producers = Producers::of(compile);
    let mut texts = Texts::default();
    let mut shown = Shown { graphs: Vec::new(), texts: Vec::new(), pairs: Vec::new() };
    let mut places: FxHashMap<usize, usize> = FxHashMap::default();
    for (file, artifact, at) in graphs(compile) {
        places.insert(file, shown.graphs.len());
        let group = match context.pieces.get(&(index, file)) {
            Some(piece) => Some(piece.clone()),
            None => producers.producer(&artifact.name).map(str::to_owned),
        };
        let text = texts.place(view, &at)?;
        shown.graphs.push(Graph { group, text, ..Graph::of(view, compile, artifact, at.intact) });
    }
    let place = |file| places.get(&file).copied();
    let pairs = pairs(compile).into_iter();
    shown.pairs = pairs.filter_map(|p| Some((place(p.before)?, place(p.after)?, p.what))).collect();
    if let Some(before) = context.earlier.before(view.report, index) {
        for pair in earlier::pairs(before, compile) {
            let Some(after) = place(pair.after) else { continue };
            let Some((artifact, at)) = earlier::graph(before, pair.before) else { continue };
            let of = Some(before.label());
            let text = texts.place(view, &at)?;
            shown.pairs.push((
                shown.graphs.len(),
                after,
                format!("{} since {}", artifact.name, before.label()),
            ));
            shown.graphs.push(Graph { compile: of, text, ..Graph::of(view, before, artifact, at.intact) });
        }
    }
    shown.texts = texts.kept;
    Ok(shown)
}

impl Graph {
    fn of(view: View<'_>, compile: &Compile, artifact: &Artifact, intact: bool) -> Graph {
        Graph {
            name: artifact.name.to_string(),
            number: artifact.number,
            attempt: artifact.attempt,
            href: view.href(&paths::artifact(compile, artifact, view.report.settings)),
            about: files::about(&artifact.name),
            group: None,
            text: None,
            compile: None,
            damaged: !intact,
        }
    }

    /// Its line in the list of files.
    fn file(&self) -> Html {
        let link = Element::new("a").class("mono").href(&self.href).around(self.name.as_str());
        let about = if self.about.is_empty() { String::new() } else { format!(": {}", self.about) };
        let large = self.text.is_none().then(|| {
            let limit = bytes(LARGEST_PAGE as f64);
            span("warn", format!("only as a file: this page is limited to {limit} of graphs"))
        });
        let damaged = self.damaged.then(|| span("err", "damaged"));
        let pieces = [link, soft(format!("{}{about}", self.number))].into_iter().chain(large).chain(damaged);
        Element::new("li").id(&self.number.to_string()).around(Html::joined(pieces, " "))
    }
}

/// The texts of a page while they are collected. Texts that differ only in the graph's id count as one.
#[derive(Default)]
struct Texts {
    kept: Vec<String>,
    /// The places of texts that were read, by hash, and by hash without the graph's id.
    known: TextMap<Md5, usize>,
    without_id: FxHashMap<u64, usize>,
    hasher: TextHasher,
    bytes: u64,
}

impl Texts {
    /// The place of a text among those of the page; None if there is no room for it.
    fn place(&mut self, view: View<'_>, at: &PayloadRef) -> anyhow::Result<Option<usize>> {
        if let Some(place) = self.known.get(&at.md5) {
            return Ok(Some(*place));
        }
        if self.bytes.saturating_add(at.text_len) > LARGEST_PAGE {
            return Ok(None);
        }
        let mut text = view.report.payload(at)?;
        let next = self.kept.len();
        text.truncate(without_id(&text).len());
        let found = *self.without_id.entry(self.hasher.hash_one(&text)).or_insert(next);
        if found == next {
            self.kept.push(text);
            self.bytes += at.text_len;
        }
        self.known.insert(at.md5, found);
        Ok(Some(found))
    }
}

#[derive(Serialize)]
struct Head {
    pill: Html,
    function: Html,
    /// What torch calls it.
    torch: Html,
    place: Html,
    about: String,
    /// Its drawing, or why there is none.
    drawn: Html,
    count: String,
    files: Vec<Html>,
}

fn head(view: View<'_>, compile: &Compile, shown: &Shown) -> anyhow::Result<Html> {
    let place = view.place_of(compile);
    let own = || shown.graphs.iter().filter(|graph| graph.compile.is_none());
    let different: FxHashSet<usize> = own().filter_map(|graph| graph.text).collect();
    let texts = match own().count() == different.len() || different.is_empty() {
        true => String::new(),
        false => format!(", {} different", whole(different.len())),
    };
    let context = Head {
        pill: view.pill(compile),
        function: view.function_name(compile).map(|name| view.title_of(name)).unwrap_or_default(),
        torch: view.name_in_torch(compile).unwrap_or_default(),
        place: place.unwrap_or_default(),
        about: format!("{}{texts}.", counted(own().count(), "graph", "graphs")),
        drawn: drawing(view, compile),
        count: whole(own().count()),
        files: own().map(Graph::file).collect(),
    };
    view.render("graphs_head", &context)
}

/// A link to the drawing of the graph that code is generated from, or why there is none.
fn drawing(view: View<'_>, compile: &Compile) -> Html {
    if let Some((href, words)) = drawn_link(view, compile) {
        return Html::joined([view.link(&href, &words), ".".into()], "");
    }
    let index = view.report.model.by_id.get(&compile.id);
    let why = index.and_then(|index| view.report.drawn_graphs().why_not(*index, compile));
    match why {
        None | Some(NotDrawn::SameAs(_)) => Html::default(),
        Some(NotDrawn::NoGraph) => {
            "Not drawn: the log has neither its captured graph nor the one that code is generated from."
                .into()
        }
        Some(NotDrawn::Small) => "Not drawn: it has only a few operators.".into(),
        Some(NotDrawn::Large) => "Not drawn: the graph is too large.".into(),
        Some(NotDrawn::Cheaper) => {
            format!("Not drawn: only the {MOST_DRAWINGS} compiles that took longest have a drawing.").into()
        }
    }
}

/// Writes the data of the script, one text at a time.
fn write_data(view: View<'_>, compile: &Compile, shown: &Shown, out: &mut dyn Write) -> anyhow::Result<()> {
    Editor::write_pattern(view.report.settings.editor.as_ref(), out)?;
    open_data(out, "graphs-data")?;
    out.write_all(b"{\"texts\":[")?;
    for (index, text) in shown.texts.iter().enumerate() {
        if index > 0 {
            out.write_all(b",\n")?;
        }
        out.write_all(script_json(text)?.as_bytes())?;
    }
    write!(out, "],\n\"graphs\":{}", script_json(&shown.graphs)?)?;
    write!(out, ",\n\"pairs\":{}", script_json(&shown.pairs)?)?;
    write!(out, ",\n\"sizes\":{}", script_json(&sizes(compile))?)?;
    write!(out, ",\n\"code\":{}", script_json(&output_code::output_codes(view, compile)?)?)?;
    out.write_all(b"}")?;
    Ok(close(out, "script")?)
}

/// Sizes of the values of the captured graph, as Dynamo wrote them.
fn sizes(compile: &Compile) -> BTreeMap<&str, &str> {
    compile.graph_sizes.iter().map(|one| (one.value, one.size)).collect()
}
