//! The guards of a compile as torch's tree, which the runtime walks, with the reader's lines that caused them.

use crate::limits::{LARGEST_ARTIFACT, SHORT_TABLE, TRIED};
use crate::model::{Content, Section};
use crate::read::expr::as_written;
use crate::read::guard_tree::{GuardLine, GuardNode, read_guard_tree};
use crate::report::doc::{Surface, added, html};
use crate::report::kit::markup::{close_branch, open_branch};
use crate::report::kit::prelude::*;
use crate::report::pages::compile::subject::{ShownCompile, function};
use indexmap::IndexMap;

/// Levels that are open at first.
const OPEN_LEVELS: usize = 3;
/// Longer conditions and places show only this beginning; the file has the rest.
const LONGEST: usize = 300;

/// Counts by kind, then the tree; without a recorded tree, the table of guards.
pub(super) fn write(
    view: View<'_>,
    subject: ShownCompile<'_>,
    table: &Section,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let file = subject.compile.artifacts.iter().rev().find(|a| &*a.name == "dynamo_cpp_guards_str");
    let file = file.and_then(|artifact| match &artifact.content {
        Content::Payload(at, _) if at.text_len <= LARGEST_ARTIFACT => Some((artifact, at)),
        _ => None,
    });
    let text = file.map(|(_, at)| subject.report.payload(at)).transpose()?.unwrap_or_default();
    let nodes = read_guard_tree(&text);
    let Some((artifact, _)) = file.filter(|_| !nodes.is_empty()) else {
        return html::table(Surface::Whole(view), out, &added(subject.report, table));
    };
    paragraph(out, format!("{}.", kinds(&nodes)))?;
    let path = paths::artifact(subject.compile, artifact, subject.report.settings);
    let link = view.link(&view.href_beside(&path, &subject.compile.folder(0)), "dynamo_cpp_guards_str");
    note_below(
        out,
        Html::joined(["Numbers are guard counts. Original text: ".into(), link, ".".into()], ""),
    )?;
    write_line(out, &view.fold_button("guard-tree"))?;
    let frame = Element::new("div").class("tree guard-tree space-above").id("guard-tree");
    write_line(out, &frame.region("Guard tree").open())?;
    write_line(out, &Element::new("ul").open())?;
    let left_out = write_lines(subject, &nodes, out)?;
    close(out, "ul")?;
    close(out, "div")?;
    if left_out > 0 {
        note_below(out, format!("{} in the file.", counted(left_out, "more line", "more lines")))?;
    }
    Ok(())
}

/// How many guards there are of each kind.
fn kinds(nodes: &[GuardNode<'_>]) -> String {
    let mut kinds: IndexMap<&str, usize> = IndexMap::new();
    for node in nodes {
        if let GuardLine::Guard { kind, .. } = node.content {
            *kinds.entry(kind).or_default() += 1;
        }
    }
    kinds.sort_by(|_, a, _, b| b.cmp(a));
    let kinds = kinds.iter().map(|(kind, count)| format!("{}\u{a0}{kind}", whole(*count)));
    kinds.collect::<Vec<_>>().join(", ")
}

/// Writes the places that have guards, each a fold, and the guards; returns how many lines were left out.
fn write_lines(
    subject: ShownCompile<'_>,
    nodes: &[GuardNode<'_>],
    out: &mut dyn Write,
) -> anyhow::Result<usize> {
    let function = function(subject).and_then(|function| function.file.as_deref());
    let (mut shown, mut left_out) = (0, 0);
    // The depths of the folds that are open.
    let mut open: Vec<usize> = Vec::new();
    for node in nodes.iter().filter(|node| node.guards > 0) {
        if shown == SHORT_TABLE || node.depth > TRIED {
            left_out += 1;
            continue;
        }
        while open.pop_if(|depth| *depth >= node.depth).is_some() {
            close_branch(out)?;
        }
        match node.content {
            // Everything is below it.
            GuardLine::Place { source: "root", .. } => continue,
            GuardLine::Place { source, class } => {
                let about = class.into_iter().map(str::to_owned).chain([whole(node.guards)]);
                let about = soft(about.collect::<Vec<_>>().join(", "));
                let line = Html::joined([written(source), about], " ");
                open_branch(out, line, node.depth <= OPEN_LEVELS)?;
                open.push(node.depth);
            }
            GuardLine::Guard { kind, text, origin } => {
                let place = origin.and_then(|origin| subject.own.line(origin, function));
                let place = place.map(|(file, line)| match file {
                    Some(file) => format!("{}:{line}", short_path(file)),
                    None => format!("line {line}"),
                });
                let pieces = [Some(soft(kind)), Some(written(text)), place.map(soft)];
                let line = Html::joined(pieces.into_iter().flatten(), " ");
                write_line(out, &Element::new("li").around(line))?;
            }
        }
        shown += 1;
    }
    for _ in open {
        close_branch(out)?;
    }
    Ok(left_out)
}

/// A place or a condition as the program writes it: `self.layers[0].weight`; a long one is cut.
fn written(text: &str) -> Html {
    let (text, cut) = clipped(text, LONGEST);
    if cut { format!("{text}…").into() } else { as_written(text).into() }
}
