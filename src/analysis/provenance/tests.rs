//! How artifacts are divided into runs, and what is read of them: rows of `cases.txt`.

use super::flow::graph::FlowGraph;
use super::flow::names::{is_complete, leaves_out, names};
use super::kernel_stacks;
use super::mapping::Mapping;
use super::runs::{InductorRun, inductor_runs};
use super::source::Lines;
use crate::cases::{hold, joined};
use crate::model::{Artifact, Compile, Model};
use crate::read::fx_graph::GraphText;

/// The runs of a compile with these artifacts, each with its AOT id behind a colon if it has one.
pub(super) fn runs(names: &[&str]) -> Vec<InductorRun> {
    let (mut model, mut compile) = (Model::default(), Compile::default());
    for (number, name) in (0..).zip(names) {
        let (name, id) = name.split_once(':').unwrap_or((name, ""));
        compile.artifacts.push(Artifact::named(name, number));
        model.aot_ids.extend(Some((number, id.to_owned())).filter(|_| !id.is_empty()));
    }
    inductor_runs(&model, &compile)
}

fn run(run: &InductorRun) -> String {
    let code: Vec<String> =
        run.code.iter().map(|file| format!("{:?} {}", file.kind, file.artifact)).collect();
    let at = |index: Option<usize>| index.map_or("-".to_owned(), |index| index.to_string());
    let direction = run.direction().unwrap_or("-");
    let (pre, post) = (at(run.pre), at(run.post));
    format!(
        "{} {direction}: {pre} > {post} > {}, maps {:?}, {:?}",
        run.order,
        code.join(", "),
        run.mappings,
        run.artifacts
    )
}

/// Each node with its operator, its operands, and the node whose memory it uses; then what the graph returns.
fn flow(text: &str) -> String {
    let graph = FlowGraph::read(text, &GraphText::read(text));
    let named = |at: &usize| graph.nodes[*at].name;
    let all = |places: &[usize]| places.iter().map(named).collect::<Vec<_>>().join(" ");
    let node = |at: usize| {
        let node = &graph.nodes[at];
        let bases: Vec<usize> = graph.operand_bases(at).collect();
        format!(
            "{} {:?} {}({}) of {}, views {}, in {}",
            node.name,
            node.kind,
            node.operator,
            all(&node.operands),
            all(&bases),
            all(&graph.views_of(at)),
            named(&graph.base(at))
        )
    };
    let mut lines: Vec<String> = (0..graph.nodes.len()).map(node).collect();
    lines.push(joined(graph.outputs.iter().map(|output| output.as_ref().map_or("-", named))));
    lines.join("\n")
}

/// The maps from artifacts, behind the graph before AOTAutograd.
fn mapping(text: &str) -> Option<String> {
    let (pre, artifacts) = text.split_once(" § ")?;
    let pre = Some(pre).filter(|pre| !pre.is_empty());
    let Mapping { handles, pre_to_post, post_to_pre, kernel_to_post, post_to_kernel } =
        Mapping::read(&artifacts.split(" § ").collect::<Vec<_>>(), pre);
    Some(format!("{handles} {pre_to_post:?} {post_to_pre:?} {kernel_to_post:?} {post_to_kernel:?}"))
}

fn line_of_stack(stack: &str) -> Option<String> {
    let mut lines = Lines::default();
    lines.of_stack(stack)?;
    let line = lines.sorted().pop()?;
    Some(joined([line.file, line.line.to_string(), line.code.unwrap_or_default()]))
}

fn answer(query: &str, text: &str) -> Option<String> {
    Some(match query {
        "flow" => flow(text),
        "kernel complete among operators" => {
            let (kernel, operators) = text.split_once(' ')?;
            is_complete(kernel, operators.split(' ')).to_string()
        }
        "kernel and operator" => {
            let (kernel, operator) = text.split_once(' ')?;
            joined([names(kernel, operator), leaves_out(kernel, operator)])
        }
        "mapping" => mapping(text)?,
        "kernel stacks" => format!("{:?}", kernel_stacks(text)?),
        "line of a stack" => line_of_stack(text)?,
        "runs" => joined(runs(&text.split(' ').collect::<Vec<_>>()).iter().map(run)),
        _ => panic!("no query {query}"),
    })
}

#[test]
fn each_query_gives_what_the_rows_of_its_file_say() {
    hold(include_str!("cases.txt"), answer);
}
