//! The stack trie: the callers of what was compiled, with the compiles in the gutter.

use crate::analysis::{Trie, by_status};
use crate::limits::{SHORT_LINE, SHORT_TABLE};
use crate::model::{Compile, CompileIndex, Frame, Stackless};
use crate::report::kit::formats::{is_library, resumed};
use crate::report::kit::markup::{more, resumed_function};
use crate::report::kit::prelude::*;
use crate::report::kit::stacks::full_path;
use crate::report::pages::landing::directory;
use crate::trace::TextSet;

/// Lines of the tree in the open; beyond, branches are folded.
const OPEN: usize = 40;

/// Siblings shown in a fold; the rest is in another one.
const SIBLINGS: usize = 14;

/// Nested branches. Browsers stop nesting elements at 512, and a branch takes three; deeper branches are shown beside
/// their parent.
const DEEPEST: usize = 120;

/// At least this many consecutive library frames are folded into one line.
const RUN: usize = 3;

#[derive(Serialize)]
struct Line<'a> {
    pill: Html,
    summary: bool,
    open: bool,
    called: bool,
    name: Html,
    library: bool,
    place: Html,
    loc: &'a str,
    remark: &'a str,
}

#[derive(Serialize)]
struct Legend {
    /// The first compile id.
    first: String,
    statuses: Vec<StatusWords>,
}

/// A status of compiles.
#[derive(Serialize)]
pub(crate) struct StatusWords {
    word: &'static str,
    count: String,
    about: &'static str,
}

pub(crate) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let trie = &view.report.found.trie;
    if trie.roots.is_empty() {
        return Ok(());
    }
    let note = "the callers of what was compiled, most recent call last; an id links to its files";
    view.open_section(out, ("stacks", "Stacks", note), None, view.fold_button("trie"))?;
    let first = view.report.model.identified().next().map(Compile::label).unwrap_or_default();
    write_line(out, &view.render("legend", &Legend { first, statuses: statuses(view.report) })?)?;
    write_line(out, &Element::new("div").class("tree gutter").id("trie").region("Stack tree").open())?;
    Tree::new(view, trie, None).write(out)?;
    close(out, "div")?;
    Ok(close_section(out)?)
}

/// The statuses of this log's compiles, and what they mean.
pub(crate) fn statuses(report: Report<'_>) -> Vec<StatusWords> {
    let about = |word| match word {
        "error" => "the compilation failed; the function runs in eager mode, or the caller got the error",
        "missing" => {
            "no metrics: the program ended first, the log does not record them, or it is a captured backward pass (!0), which has none"
        }
        "empty" => "no operator was captured, so there was nothing to compile",
        "break" => "compiled, after a restart or in parts because of a graph break",
        _ => "compiled at the first attempt, without a graph break",
    };
    let statuses = by_status(report.model.identified()).into_iter();
    statuses.map(|(word, n)| StatusWords { word, count: whole(n), about: about(word) }).collect()
}

/// Further compiles of one stack that are in the open; more are folded.
const OPEN_AGAIN: usize = 2;

/// The elements of a list below a frame, innermost first.
const BRANCH: [&str; 3] = ["ul", "details", "li"];

/// A piece of the tree that remains to be written.
enum Step {
    /// A node with everything below it, its depth, and whether it is in the open.
    Node(usize, usize, bool),
    /// Elements to close.
    Close(&'static [&'static str]),
    /// Folded siblings, and their depth.
    More(Vec<usize>, usize),
}

/// How the line of a frame looks.
#[derive(Default)]
struct Look<'a> {
    /// In the gutter.
    pill: Html,
    /// Whether it starts a fold, and whether that is open.
    fold: Option<bool>,
    /// Whether the line above it is its caller.
    called: bool,
    /// After it.
    remark: &'a str,
}

struct Tree<'a> {
    view: View<'a>,
    trie: &'a Trie,
    /// The records with these stacks, unless they are compiles.
    records: Option<&'a [Stackless]>,
    /// Lines that may still be in the open.
    left: usize,
    /// Files whose full path was shown.
    named: TextSet<&'a str>,
}

impl<'a> Tree<'a> {
    fn new(view: View<'a>, trie: &'a Trie, records: Option<&'a [Stackless]>) -> Tree<'a> {
        Tree { view, trie, records, left: OPEN, named: TextSet::default() }
    }

    /// Writes the tree without recursion, as stacks may have any depth.
    fn write(&mut self, out: &mut dyn Write) -> anyhow::Result<()> {
        let mut steps = Vec::new();
        write_line(out, &Element::new("ul").open())?;
        steps.push(Step::Close(&["ul"]));
        self.push_siblings(&mut steps, &self.trie.roots, 0, true);
        let mut left_out = 0;
        while let Some(step) = steps.pop() {
            match step {
                Step::Node(..) if !self.view.worker.has_room() => left_out += 1,
                Step::More(nodes, _) if !self.view.worker.has_room() => left_out += nodes.len(),
                Step::Close(tags) => tags.iter().try_for_each(|tag| close(out, tag))?,
                Step::More(nodes, depth) => {
                    let more = counted(nodes.len(), "more", "more");
                    write_line(out, &Element::new("li").open())?;
                    open_more(out, more)?;
                    write_line(out, &Element::new("ul").open())?;
                    steps.push(Step::Close(&BRANCH));
                    steps.extend(nodes.iter().rev().map(|node| Step::Node(*node, depth, false)));
                }
                Step::Node(node, depth, in_open) => {
                    self.node(out, &mut steps, node, (depth, in_open))?;
                }
            }
        }
        let what = "branches of the tree would make the page too large; report.json has each stack";
        self.view.left_out(out, left_out, 0, what)
    }

    /// One list item: the frames down to where the tree branches, the last of them with its compiles.
    fn node(
        &mut self,
        out: &mut dyn Write,
        steps: &mut Vec<Step>,
        node: usize,
        (depth, in_open): (usize, bool),
    ) -> anyhow::Result<()> {
        let chain = self.trie.chain(node);
        write_line(out, &Element::new("li").open())?;
        let (last, above) = chain.split_last().map_or((node, &[][..]), |(last, above)| (*last, above));
        self.chain(out, above)?;
        let Some(node) = self.trie.node(last) else { return Ok(()) };
        let remark = self.remark(&node.stacks);
        let compiles = if self.records.is_some() { &[][..] } else { &node.stacks };
        let nested = !node.children.is_empty() && depth < DEEPEST;
        let pills = compiles.iter().take(SHORT_TABLE).map(|place| self.gutter(CompileIndex::new(*place)));
        let mut pills = pills.collect::<Vec<_>>().into_iter();
        let pill = pills.next().unwrap_or_default();
        if in_open {
            self.left =
                self.left.saturating_sub(above.len() + compiles.len().saturating_sub(1).min(OPEN_AGAIN));
        }
        let open = in_open && self.left > 0;
        let look = Look { pill, fold: nested.then_some(open), called: !above.is_empty(), remark: &remark };
        write_line(out, &self.line(&node.frame, look)?)?;
        let mut again = self.again(pills, &node.frame)?;
        let rest = compiles.len().saturating_sub(SHORT_TABLE);
        again.extend((rest > 0).then(|| {
            soft(format!(
                "{} from the same stack; the directory has all",
                counted(rest, "more compile", "more compiles")
            ))
        }));
        let folded = again.len() > OPEN_AGAIN;
        if folded {
            let summary = format!("{} more from the same stack", whole(again.len()));
            again = vec![more(summary, &Html::joined(again, "\n"))];
        }
        if nested {
            write_line(out, &Element::new("ul").open())?;
            steps.push(Step::Close(&BRANCH));
            self.push_siblings(steps, &node.children, depth + 1, open);
            for line in again {
                write_line(out, &Element::new("li").around(line))?;
            }
            Ok(())
        } else {
            again.iter().try_for_each(|line| write_line(out, line))?;
            close(out, "li")?;
            steps.extend(node.children.iter().rev().map(|child| Step::Node(*child, depth, in_open)));
            Ok(())
        }
    }

    /// Further compiles of the same stack, one per line.
    fn again(&mut self, pills: impl Iterator<Item = Html>, frame: &'a Frame) -> anyhow::Result<Vec<Html>> {
        let look = |pill| Look { pill, remark: "again, from the same stack", ..Look::default() };
        pills.map(|pill| self.line(frame, look(pill))).collect()
    }

    /// Frames without branches; runs of library frames are folded.
    fn chain(&mut self, out: &mut dyn Write, nodes: &[usize]) -> anyhow::Result<()> {
        let trie = self.trie;
        let frames: Vec<&Frame> = nodes.iter().filter_map(|n| Some(&trie.node(*n)?.frame)).collect();
        let view = self.view;
        let library = |frame: &&Frame| is_library(view.file(frame));
        let mut called = false;
        for run in frames.chunk_by(|a, b| library(a) == library(b)) {
            let folded = run.len() >= RUN && run.first().is_some_and(library);
            if folded {
                let count = counted(run.len(), "frame", "frames");
                write_line(out, &Element::new("details").class("fold").open())?;
                write_line(out, &Element::new("summary").around(format!("{count} of libraries")))?;
            }
            for frame in run {
                let look = Look { called, ..Look::default() };
                write_line(out, &self.line(frame, look)?)?;
                called = true;
            }
            if folded {
                close(out, "details")?;
            }
        }
        Ok(())
    }

    fn gutter(&self, compile: CompileIndex) -> Html {
        let href = directory::href(self.view.report, compile);
        let compile = self.view.report.model.compiles.get(compile);
        let pill = compile.map(|compile| self.view.pill_beside_to(compile, &href));
        span("pills", pill.unwrap_or_default())
    }

    /// Which records a stack belongs to: `artifact before_pre_grad_graph, line 38`.
    fn remark(&self, indices: &[usize]) -> String {
        let records = indices.iter().filter_map(|index| self.records?.get(*index));
        let words = records.map(|one| match one.count {
            1 => format!("{}, line {}", one.event, whole(one.line)),
            n => format!("{}, {} from line {} on", one.event, counted(n, "time", "times"), whole(one.line)),
        });
        let words = words.collect::<Vec<_>>().join("; ");
        if words.is_empty() { words } else { format!("· {words}") }
    }

    fn line(&mut self, frame: &'a Frame, look: Look<'_>) -> anyhow::Result<Html> {
        let line = Line {
            pill: look.pill,
            summary: look.fold.is_some(),
            open: look.fold.unwrap_or_default(),
            called: look.called,
            name: name(&frame.name),
            library: is_library(self.view.file(frame)),
            place: self.place(frame, look.fold.is_none()),
            loc: clipped(frame.loc.as_deref().unwrap_or_default(), SHORT_LINE).0,
            remark: look.remark,
        };
        self.view.render("trie_line", &line)
    }

    /// The place of a frame; the first one in a file shows the full path on hover.
    fn place(&mut self, frame: &'a Frame, linked: bool) -> Html {
        let file = self.file(frame);
        let short = if file.is_empty() { "unknown file".into() } else { short_path(file) };
        let text = frame.line.map_or_else(|| short.to_string(), |line| format!("{short}:{line}"));
        let href = self.view.source_href(file, frame.line).filter(|_| linked);
        let place = self.view.link_if(href.as_deref(), &text);
        // The whole line of a library frame is soft already.
        match full_path(file).filter(|file| self.named.insert(*file)) {
            Some(full) => Element::new("span").class("soft").title(full).around(place),
            None if is_library(file) => place,
            None => soft(&place),
        }
    }

    /// In the open, each sibling has its line before any has those below it.
    fn push_siblings(&mut self, steps: &mut Vec<Step>, nodes: &[usize], depth: usize, in_open: bool) {
        let most = if in_open { self.left.max(1) } else { SIBLINGS };
        let (shown, more) = nodes.split_at(nodes.len().min(most));
        if in_open {
            self.left = self.left.saturating_sub(shown.len());
        }
        if !more.is_empty() {
            steps.push(Step::More(more.to_vec(), depth));
        }
        steps.extend(shown.iter().rev().map(|node| Step::Node(*node, depth, in_open)));
    }

    fn file(&self, frame: &Frame) -> &'a str {
        self.view.report.model.strings.get(frame.file).unwrap_or_default()
    }
}

/// A function's name, for text that is all in the code font.
fn name(name: &str) -> Html {
    let Some((function, line)) = resumed(name) else { return Html::escaped(name) };
    resumed_function(function, line)
}

/// Records with a framework stack instead of a compile id.
pub(crate) fn without_compile(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let records = &view.report.model.stackless;
    if records.is_empty() {
        return Ok(());
    }
    let note = "torch could not assign them to a compilation and recorded the stack instead";
    let head = ("stackless", "Stacks of records without a compile id", note);
    view.open_section(out, head, Some(whole(records.len())), view.fold_button("stackless-tree"))?;
    let trie = Trie::of(records.iter().map(|one| &one.stack).enumerate());
    let frame = Element::new("div").class("tree").id("stackless-tree");
    write_line(out, &frame.region("Stacks without a compile id").open())?;
    Tree::new(view, &trie, Some(records)).write(out)?;
    close(out, "div")?;
    Ok(close_section(out)?)
}
