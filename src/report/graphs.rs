//! `graphs.html`: the graphs of a compile side by side. The page holds each text once; its script marks the definition
//! and the uses of a value, compares two graphs, and joins lines of the user's code with graphs and generated code.

mod output_code;

use super::assets::{Asset, DIFF_JS, GRAPH_CSS, GRAPH_JS};
use super::file_words;
use super::parts::View;
use super::shell::{Shell, Tab, write_page};
use super::units::{bytes, counted, whole};
use super::{Html, Report, Worker, paths};
use crate::analysis::vllm::Vllm;
use crate::analysis::{GraphPair, Producers, graph_pairs, is_foreign};
use crate::model::{Artifact, Compile, CompileIndex, Content, Form};
use crate::output::Page;
use crate::trace::{Md5, PayloadRef};
use fxhash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

/// Bytes of graphs on one page: a browser reads so much without a noticeable wait. The largest compile recorded has 2 MB,
/// and two graphs of that size can be compared; larger graphs are files only.
const LARGEST_PAGE: u64 = 8 << 20;

const ASSETS: &[Asset] = &[GRAPH_CSS, DIFF_JS, GRAPH_JS];

/// A page for each compile that has graphs.
pub(super) fn pages(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let pieces = Arc::new(pieces(report));
    let compiles = report.model.compiles.indexed();
    let page = |(index, compile)| {
        let (path, pieces) = (paths::graphs_page(compile), Arc::clone(&pieces));
        Page::rendered(path, move |worker: &mut Worker, out: &mut dyn Write| {
            write(report, (index, compile), &pieces, (worker, out))
        })
    };
    compiles.filter(|(_, compile)| !graphs(compile).is_empty()).map(page).collect()
}

/// Where the page stands, seen from the view's page; None where the compile has no graph.
pub(super) fn href(view: View<'_>, compile: &Compile) -> Option<String> {
    (!graphs(compile).is_empty()).then(|| view.href(&paths::graphs_page(compile)))
}

/// Where the comparison of two files of a compile stands, by their numbers.
pub(super) fn pair_href(view: View<'_>, compile: &Compile, before: u32, after: u32) -> String {
    format!("{}#a={before}&b={after}", view.href(&paths::graphs_page(compile)))
}

/// For each file that follows another, by its index: that nothing changed, else where the two are compared.
pub(super) fn compared(view: View<'_>, compile: &Compile) -> FxHashMap<usize, Html> {
    let file = |at: usize| {
        let artifact = compile.artifacts.get(at)?;
        match &artifact.content {
            Content::Payload(payload, _) => Some((artifact, payload.md5)),
            _ => None,
        }
    };
    // Of two files before the same one, the nearer comes last.
    let pairs = pairs(compile).into_iter().filter_map(|pair| {
        let ((before, old), (after, new)) = (file(pair.before)?, file(pair.after)?);
        let link = match old == new {
            true => {
                Html::wrapped("<small>", &Html::escaped(&format!("equal to {}", before.number)), "</small>")
            }
            false => view.link(&pair_href(view, compile, before.number, after.number), "what changed"),
        };
        Some((pair.after, link))
    });
    pairs.collect()
}

/// Pairs whose files are texts.
fn pairs(compile: &Compile) -> Vec<GraphPair> {
    let is_text = |at: usize| {
        let content = compile.artifacts.get(at).map(|artifact| &artifact.content);
        matches!(content, Some(Content::Payload(_, Form::Text)))
    };
    let mut pairs = graph_pairs(&compile.artifacts);
    pairs.retain(|pair| is_text(pair.before) && is_text(pair.after));
    pairs
}

/// The graphs of a compile in the order of the log, which is the compiler's, with their indices. Texts of which one stands
/// for before and another for after are among them, whatever they are.
fn graphs(compile: &Compile) -> Vec<(usize, &Artifact, PayloadRef)> {
    let paired: FxHashSet<usize> =
        pairs(compile).into_iter().flat_map(|pair| [pair.before, pair.after]).collect();
    let graph = |(index, artifact): (usize, &'_ Artifact)| match &artifact.content {
        Content::Payload(at, Form::Text) => {
            let foreign = artifact.graph && is_foreign(&artifact.name) && !is_pattern(&artifact.name);
            (is_graph(&artifact.name) || foreign || paired.contains(&index)).then_some(*at)
        }
        _ => None,
    };
    let all = compile.artifacts.iter().enumerate();
    all.filter_map(|(index, artifact)| Some((index, artifact, graph((index, artifact))?))).collect()
}

/// The files that the page shows: indices, ascending.
pub(super) fn shown_files(compile: &Compile) -> Vec<usize> {
    graphs(compile).into_iter().map(|(index, ..)| index).collect()
}

/// Whether a text is what a pass of vLLM looks for: Python, but no graph of this compile.
fn is_pattern(name: &str) -> bool {
    name.starts_with("vllm_patterns")
}

/// Which piece of vLLM's a file belongs to: by compile and index of the file.
type Pieces = FxHashMap<(CompileIndex, usize), String>;

fn pieces(report: Report<'_>) -> Pieces {
    let mut pieces = Pieces::default();
    for module in Vllm::of(report.model).modules {
        for piece in &module.pieces {
            let label = super::vllm::piece_words(piece);
            pieces.extend(piece.files.iter().map(|file| ((module.compile, *file), label.clone())));
        }
    }
    pieces
}

/// Whether an artifact of this name is a graph as torch prints it.
fn is_graph(name: &str) -> bool {
    let begins = |beginnings: &[&str]| beginnings.iter().any(|begin| name.starts_with(begin));
    let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
    // Facts about a graph, not the graph.
    if name.contains("metadata") || name.contains("sync_decision") {
        return false;
    }
    begins(&[
        "dynamo_output_graph",
        "aot_joint_graph",
        "aot_forward_graph",
        "aot_backward_graph",
        "aot_inference_graph",
        "aot_saved_tensors_hooks_",
        "compiled_autograd_graph",
        "optimize_ddp_split_",
        "inductor_pre_grad_graph",
        "inductor_post_grad_graph",
        "vllm_piecewise_split_graph",
        "vllm_submod_",
        "vllm_subgraph_",
        "vllm_post_grad",
        "before_activation_quantization",
        "after_activation_quantization",
        "make_fx_fail_partial",
        "min_cut_failed_fx_graph",
        "before_recompile_",
        "after_recompile_",
    ]) || begins(&["before_", "after_"]) && ends(&["_graph"])
        || ends(&["_pre_grad", "_post_grad"])
}

fn write(
    report: Report<'_>,
    (index, compile): (CompileIndex, &Compile),
    pieces: &Pieces,
    (worker, out): (&mut Worker, &mut dyn Write),
) -> anyhow::Result<()> {
    let mut shell = Shell::of_compile(report, compile, Some("graphs"));
    shell.scripts = ASSETS;
    shell.tabs = tabs(compile);
    write_page(worker, out, &shell, |worker, out| {
        let view = View::new(report, worker, 1);
        let shown = shown(view, (index, compile), pieces)?;
        writeln!(out, "{}", head(view, compile, &shown)?.as_str())?;
        write_data(view, compile, &shown, out)
    })
}

fn tabs(compile: &Compile) -> Vec<Tab> {
    let page = super::parts::encoded(paths::compile_page(compile).as_str());
    let label = if compile.id.is_some() { compile.label() } else { "no id".to_owned() };
    let link = |anchor: &str, words: &str| Tab::away(format!("../{page}{anchor}"), words, None);
    vec![link("", &format!("Compile {label}")), link("#files", "All its files")]
}

/// A graph as the script reads it.
#[derive(Serialize)]
struct Graph {
    name: String,
    number: u32,
    attempt: u32,
    href: String,
    about: &'static str,
    /// The piece of vLLM's that it belongs to, or who wrote it where torch did not.
    group: Option<String>,
    /// Its place in `texts`; null where the graph is a file only.
    text: Option<usize>,
    #[serde(skip)]
    damaged: bool,
}

/// The graphs of a page, and which payloads hold their texts.
struct Shown {
    graphs: Vec<Graph>,
    texts: Vec<PayloadRef>,
    /// What is worth comparing: two places in `graphs`, and what happened between them.
    pairs: Vec<(usize, usize, String)>,
}

/// Decides which texts stand on the page. Texts that differ in the graph's id only count as one.
fn shown(
    view: View<'_>,
    (index, compile): (CompileIndex, &Compile),
    pieces: &Pieces,
) -> anyhow::Result<Shown> {
    let producers = Producers::of(compile);
    let mut shown = Shown { graphs: Vec::new(), texts: Vec::new(), pairs: Vec::new() };
    let mut places: FxHashMap<usize, usize> = FxHashMap::default();
    let mut known: FxHashMap<Md5, usize> = FxHashMap::default();
    let mut room = LARGEST_PAGE;
    for (file, artifact, at) in graphs(compile) {
        places.insert(file, shown.graphs.len());
        let mut place = known.get(&at.md5).copied();
        if place.is_none() && at.text_len <= room {
            let text = view.report.payload(&at)?;
            let text = Md5::of(without_id(&text).as_bytes());
            let next = shown.texts.len();
            let found = *known.entry(text).or_insert(next);
            if found == next {
                shown.texts.push(at);
                room -= at.text_len;
            }
            known.insert(at.md5, found);
            place = Some(found);
        }
        shown.graphs.push(Graph {
            name: artifact.name.clone(),
            number: artifact.number,
            attempt: artifact.attempt,
            href: view.href(&paths::artifact(compile, artifact, view.report.settings)),
            about: file_words::about(&artifact.name),
            group: match pieces.get(&(index, file)) {
                Some(piece) => Some(piece.clone()),
                None => producers.producer(&artifact.name).map(str::to_owned),
            },
            text: place,
            damaged: !at.intact,
        });
    }
    let place = |file| places.get(&file).copied();
    let pairs = pairs(compile).into_iter();
    shown.pairs = pairs.filter_map(|p| Some((place(p.before)?, place(p.after)?, p.what))).collect();
    Ok(shown)
}

/// The text without the `# graph id: 139..` that torch puts below some graphs, and without blank lines at its end.
pub(super) fn without_id(text: &str) -> &str {
    let text = text.trim_end();
    let (rest, last) = text.rsplit_once('\n').unwrap_or(("", text));
    match last.trim_start().strip_prefix("# graph id: ") {
        Some(id) if id.bytes().all(|b| b.is_ascii_digit()) => rest.trim_end(),
        _ => text,
    }
}

#[derive(Serialize)]
struct Head<'a> {
    pill: Html,
    function: Html,
    place: Html,
    about: String,
    count: String,
    limit: String,
    files: Vec<File<'a>>,
}

#[derive(Serialize)]
struct File<'a> {
    name: &'a str,
    number: u32,
    href: &'a str,
    about: &'a str,
    large: bool,
    damaged: bool,
}

fn head(view: View<'_>, compile: &Compile, shown: &Shown) -> anyhow::Result<Html> {
    let function = compile.function.as_ref();
    let place = function.map(|f| view.place(f.file.as_deref(), f.line)).transpose()?;
    let files = shown.graphs.iter().map(|graph| File {
        name: &graph.name,
        number: graph.number,
        href: &graph.href,
        about: graph.about,
        large: graph.text.is_none(),
        damaged: graph.damaged,
    });
    let texts = match shown.texts.len() {
        same if same == shown.graphs.len() => String::new(),
        different => format!(", {} different", whole(different)),
    };
    let context = Head {
        pill: view.pill(compile)?,
        function: function.map(|f| view.function(&f.name)).unwrap_or_default(),
        place: place.unwrap_or_default(),
        about: format!("{}{texts}.", counted(shown.graphs.len(), "graph", "graphs")),
        count: whole(shown.graphs.len()),
        limit: bytes(LARGEST_PAGE as f64),
        files: files.collect(),
    };
    view.render("graphs_head", &context)
}

/// Writes what the script reads, a text at a time.
fn write_data(view: View<'_>, compile: &Compile, shown: &Shown, out: &mut dyn Write) -> anyhow::Result<()> {
    out.write_all(b"<script type=\"application/json\" id=\"graphs-data\">{\"texts\":[")?;
    for (index, at) in shown.texts.iter().enumerate() {
        let text = view.report.payload(at)?;
        if index > 0 {
            out.write_all(b",\n")?;
        }
        out.write_all(json(&without_id(&text))?.as_bytes())?;
    }
    write!(out, "],\n\"graphs\":{}", json(&shown.graphs)?)?;
    write!(out, ",\n\"pairs\":{}", json(&shown.pairs)?)?;
    write!(out, ",\n\"sizes\":{}", json(&sizes(compile))?)?;
    write!(out, ",\n\"code\":{}", json(&output_code::of(view, compile)?)?)?;
    Ok(out.write_all(b"}</script>\n")?)
}

/// JSON that no text of the log can end the element of.
fn json(value: &impl Serialize) -> anyhow::Result<String> {
    Ok(serde_json::to_string(value)?.replace('<', "\\u003c"))
}

/// Sizes of the values of the captured graph, as Dynamo wrote them.
fn sizes(compile: &Compile) -> BTreeMap<&str, &str> {
    compile.graph_sizes.iter().map(|one| (one.value.as_str(), one.size.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_are_known_by_their_names() {
        for name in [
            "dynamo_output_graph",
            "before_pre_grad_graph",
            "aot_forward_graph",
            "inductor_post_grad_graph",
            "fuse_ops_post_grad",
            "vllm_post_grad.0.NoOpEliminationPass",
            "optimize_ddp_split_child_submod_0",
        ] {
            assert!(is_graph(name), "{name}");
        }
        for name in
            ["aot_forward_graph_fw_metadata", "fx_graph_runnable", "graph_execution", "vllm_patterns.x"]
        {
            assert!(!is_graph(name), "{name}");
        }
    }

    #[test]
    fn the_id_below_a_graph_is_no_part_of_it() {
        assert_eq!(without_id("class G:\n    x\n\n # graph id: 140035623722960"), "class G:\n    x");
        assert_eq!(without_id("class G:\n    x\n"), "class G:\n    x");
        assert_eq!(without_id("# graph id: x"), "# graph id: x");
        assert_eq!(without_id(" # graph id: 7"), "");
    }

    #[test]
    fn no_text_ends_the_element_that_holds_it() {
        assert_eq!(json(&"</script><!--").unwrap(), "\"\\u003c/script>\\u003c!--\"");
    }
}
