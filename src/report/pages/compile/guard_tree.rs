//! The guards of a compile as the tree that the runtime walks.

use crate::analysis::{GuardLine, GuardNode, as_written, read_guard_tree};
use crate::model::{Content, Section};
use crate::report::kit::markup::{close_branch, open_branch};
use crate::report::kit::prelude::*;
use crate::report::pages::compile::guard_words::{below, class_name, condition, gloss, kind_words};
use crate::report::pages::compile::subject::Subject;
use indexmap::IndexMap;
use memchr::memmem;
use std::ops::Range;

/// Larger trees are not read for a page; BERT's has 1.2 MB.
const LARGEST: u64 = 16 << 20;
/// Lines of the tree on a page; a model of a thousand modules has tens of thousands, which the file contains.
const MOST_LINES: usize = 300;
/// Children shown per place.
const MOST_CHILDREN: usize = 40;
/// A place with more children is folded at first, as everywhere in the report.
const OPEN_CHILDREN: usize = 14;
/// Levels that are open at first.
const OPEN_LEVELS: usize = 3;
/// Levels that are shown: a hostile tree could be as deep as the log is long.
const DEEPEST: usize = 40;
/// Longer conditions and places show only this beginning; the file has the rest.
const LONGEST: usize = 400;
const BEGINNING: usize = 160;
/// Bytes of conditions in a line: of one kind, and of all guards of a place.
const LONGEST_LINE: usize = 240;

/// The section of the guards: counts by kind, then the tree; without a recorded tree, the table of guards.
pub(crate) fn write(
    view: View<'_>,
    subject: Subject<'_>,
    table: &Section,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let file = subject.compile.artifacts.iter().rev().find(|a| &*a.name == "dynamo_cpp_guards_str");
    let Some((artifact, Content::Payload(at, _))) = file.map(|a| (a, &a.content)) else {
        return view.section(out, table);
    };
    if at.text_len > LARGEST {
        return view.section(out, table);
    }
    let text = subject.report.payload(at)?;
    let nodes = read_guard_tree(&text);
    if nodes.is_empty() {
        return view.section(out, table);
    }
    let guards: usize = nodes.iter().filter(|n| n.depth == 0).map(|n| n.guards).sum();
    // The head of the page shows their cost if the metrics have it.
    let timed = subject.compile.outcome().is_some_and(|m| m.guard_latency_us.is_some());
    let note = if timed || !table.note.contains(" us ") { "" } else { &table.note };
    let function =
        crate::report::pages::compile::function(subject).and_then(|function| function.file.as_deref());
    let mut tree = Tree { nodes: &nodes, subject, function, shown: 0, left_out: 0, folds: 0, closed: 0 };
    let mut items = Vec::new();
    tree.items((0, 0), ("", None), &mut items)?;
    let tools = if tree.closed > 0 { view.fold_button("guard-tree") } else { Html::default() };
    view.open_section(out, (table.id, &table.title, note), Some(whole(guards)), tools)?;
    if nodes.len() > OPEN_CHILDREN {
        paragraph(out, format!("{}.", kinds(&nodes)))?;
    }
    let path = paths::artifact(subject.compile, artifact, subject.report.settings);
    let link = view.link(&view.href_beside(&path, &subject.compile.folder(0)), "dynamo_cpp_guards_str");
    let words = match (memmem::find(&items, "…".as_bytes()).is_some(), tree.folds > 0) {
        (true, true) => "… repeats the path above; numbers are guard counts. ",
        (true, false) => "… repeats the path above. ",
        (false, true) => "Numbers are guard counts. ",
        (false, false) => "",
    };
    note_below(out, Html::joined([words.into(), "Original text: ".into(), link, ".".into()], ""))?;
    let frame = Element::new("div").class("tree guard-tree space-above").id("guard-tree");
    write_line(out, &frame.region("Guard tree").open())?;
    write_line(out, &Element::new("ul").open())?;
    out.write_all(&items)?;
    close(out, "ul")?;
    close(out, "div")?;
    if tree.left_out > 0 {
        let more = counted(tree.left_out, "more line", "more lines");
        note_below(out, format!("{more} in the file."))?;
    }
    Ok(close_section(out)?)
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
    let kinds = kinds.iter().map(|(kind, count)| format!("{}\u{a0}{kind}{}", whole(*count), gloss(kind)));
    kinds.collect::<Vec<_>>().join(", ")
}

struct Tree<'a> {
    nodes: &'a [GuardNode<'a>],
    subject: Subject<'a>,
    /// The file of the compiled function.
    function: Option<&'a str>,
    shown: usize,
    left_out: usize,
    /// Folds in it, and how many of them are closed at first.
    folds: usize,
    closed: usize,
}

/// A place above guards: as torch writes it, and the type found there.
type Above<'a> = (&'a str, Option<&'a str>);

impl<'a> Tree<'a> {
    /// Writes the nodes from `from` on that are at `depth` below the place `above`, with everything below them; returns
    /// where it stopped. Trees are as deep as Python attributes are nested; this limits deeper ones.
    fn items(
        &mut self,
        (from, depth): (usize, usize),
        above: Above<'a>,
        out: &mut dyn Write,
    ) -> anyhow::Result<usize> {
        let nodes = self.nodes;
        let (mut at, mut children) = (from, 0);
        while let Some(node) = nodes.get(at).filter(|node| node.depth >= depth) {
            let next = match node.content {
                GuardLine::Guard { .. } => at + self.alike(at),
                GuardLine::Place { .. } => self.after(at),
            };
            // A place without guards is omitted.
            let counts = node.guards > 0;
            children += usize::from(counts);
            if counts && (self.shown >= MOST_LINES || children > MOST_CHILDREN || depth > DEEPEST) {
                self.left_out += next - at;
            } else if counts {
                match &node.content {
                    GuardLine::Guard { .. } => {
                        let line = self.group(at..next, above, &mut Vec::new());
                        write_line(out, &Element::new("li").around(line))?;
                    }
                    // Everything is below it.
                    GuardLine::Place { source: "root", .. } => {
                        self.items((at + 1, node.depth + 1), ("", None), out)?;
                    }
                    // It only groups a key with its value.
                    GuardLine::Place { source, class: None } if source.starts_with("KeyValueManager ") => {
                        self.items((at + 1, node.depth + 1), above, out)?;
                    }
                    GuardLine::Place { .. } => self.place(at, (depth, above.0), out)?,
                }
            }
            at = next;
        }
        Ok(at)
    }

    /// A place with its content, in one line if that is a few guards. A place that only contains another is merged with it.
    fn place(
        &mut self,
        mut at: usize,
        (depth, above): (usize, &str),
        out: &mut dyn Write,
    ) -> anyhow::Result<()> {
        while let Some(only) = self.only_place(at) {
            at = only;
        }
        let nodes = self.nodes;
        let Some((node, GuardLine::Place { source, class })) = nodes.get(at).map(|n| (n, &n.content)) else {
            return Ok(());
        };
        // `L['m'].eps` is in `L['m'].__dict__`.
        let above = above.strip_suffix(".__dict__").unwrap_or(above);
        let (groups, end) = self.few_guards(at, (*source, *class));
        let kinds = || groups.iter().filter_map(|group| self.kind(group.start));
        let type_name = class.filter(|_| !kinds().any(says_type)).map_or("", class_name);
        let all = !self.children(at).any(|child| child >= end);
        let about = match (all, type_name) {
            (true, name) => name.to_owned(),
            (false, "") => whole(node.guards),
            (false, name) => format!("{name}, {}", whole(node.guards)),
        };
        let mut line = vec![written(&below(above, source))];
        if !about.is_empty() {
            line.extend([" ".into(), soft(about)]);
        }
        let open = depth < OPEN_LEVELS && self.children(at).count() <= OPEN_CHILDREN;
        if !all {
            self.shown += 1;
            self.folds += 1;
            self.closed += usize::from(!open);
        }
        let mut said = Vec::new();
        for (index, group) in groups.into_iter().enumerate() {
            line.push(if index > 0 { "; " } else { " " }.into());
            line.push(self.group(group, (*source, *class), &mut said));
        }
        let line = Html::joined(line, "");
        if all {
            return Ok(write_line(out, &Element::new("li").around(line))?);
        }
        open_branch(out, line, open)?;
        self.items((end, node.depth + 1), (*source, *class), out)?;
        Ok(close_branch(out)?)
    }

    /// Guards of one kind in one line, or as a fold if there are many; `said` has the source lines shown before.
    fn group(&mut self, group: Range<usize>, above: Above<'_>, said: &mut Vec<String>) -> Html {
        let kind = kind_of(self.kind(group.start).unwrap_or_default());
        let words = self.words(group.clone(), above);
        let length: usize = words.iter().map(|(text, _)| text.len() + 2).sum();
        if words.len() > 1 && length > LONGEST_LINE {
            return self.many(&kind, words);
        }
        self.shown += 1;
        let mut line = vec![kind];
        for (index, (text, _)) in words.iter().filter(|(text, _)| !text.is_empty()).enumerate() {
            // `no a, b`: attributes that must not exist.
            let text = if index > 0 { text.strip_prefix("no ").unwrap_or(text) } else { text };
            line.extend([if index > 0 { ", " } else { " " }.into(), written(text)]);
        }
        let mut lines: Vec<String> = words.into_iter().filter_map(|(_, line)| line).collect();
        lines.dedup();
        if !lines.is_empty() && lines != *said {
            line.extend([" ".into(), soft(lines.join(", "))]);
            *said = lines;
        }
        Html::joined(line, "")
    }

    /// Guards of one kind, folded: what each requires, and the source line that caused it.
    fn many(&mut self, kind: &Html, words: Vec<(String, Option<String>)>) -> Html {
        self.folds += 1;
        self.closed += 1;
        let times = soft(counted(words.len(), "time", "times"));
        let mut items = Vec::new();
        for (text, line) in words {
            if self.shown >= MOST_LINES {
                self.left_out += 1;
                continue;
            }
            self.shown += 1;
            let pieces = [Some(written(&text)), line.map(soft)];
            items.push(Element::new("li").around(Html::joined(pieces.into_iter().flatten(), " ")));
        }
        let summary = Element::new("summary").around(Html::joined([kind.clone(), times], " "));
        let list = Element::new("ul").around(Html::joined(items, "\n"));
        Element::new("details").around(Html::joined([summary, list], ""))
    }

    /// What each guard requires beyond its kind, and the reader's source line that caused it.
    fn words(&self, group: Range<usize>, above: Above<'_>) -> Vec<(String, Option<String>)> {
        let words = self.nodes.get(group).unwrap_or_default().iter().filter_map(|node| match node.content {
            GuardLine::Guard { kind, text, origin } => {
                let line = origin.and_then(|origin| self.subject.own.line(origin, self.function));
                let line = line.map(|(file, line)| match file {
                    Some(file) => format!("{}:{line}", short_path(file)),
                    None => format!("line {line}"),
                });
                Some((condition((kind, text), above), line))
            }
            GuardLine::Place { .. } => None,
        });
        words.collect()
    }

    fn kind(&self, at: usize) -> Option<&'a str> {
        match self.nodes.get(at)?.content {
            GuardLine::Guard { kind, .. } => Some(kind),
            GuardLine::Place { .. } => None,
        }
    }

    /// How many guards from `at` on are siblings of one kind.
    fn alike(&self, at: usize) -> usize {
        let same = |node: &GuardNode<'_>| match (&node.content, self.kind(at)) {
            (GuardLine::Guard { kind, .. }, Some(first)) => *kind == first,
            _ => false,
        };
        let depth = self.nodes.get(at).map_or(0, |node| node.depth);
        self.nodes.iter().skip(at).take_while(|node| node.depth == depth && same(node)).count().max(1)
    }

    /// The first guards of a place, by kind, that fit into its line; and where they end.
    fn few_guards(&self, at: usize, inside: Above<'_>) -> (Vec<Range<usize>>, usize) {
        let (mut from, mut groups, mut length) = (at + 1, Vec::new(), 0);
        let depth = self.nodes.get(at).map_or(0, |node| node.depth);
        while self.nodes.get(from).is_some_and(|node| node.depth == depth + 1) && self.kind(from).is_some() {
            let next = from + self.alike(from);
            let words = self.words(from..next, inside);
            length += words.iter().map(|(text, _)| text.len() + 2).sum::<usize>();
            if length > LONGEST_LINE {
                break;
            }
            groups.push(from..next);
            from = next;
        }
        (groups, from)
    }

    /// The only child of a place, if that is a place.
    fn only_place(&self, at: usize) -> Option<usize> {
        let mut children = self.children(at);
        let only = children.next()?;
        let is_place = |node: &GuardNode<'_>| matches!(node.content, GuardLine::Place { .. });
        (children.next().is_none() && self.nodes.get(only).is_some_and(is_place)).then_some(only)
    }

    /// The next node that is not below the one at `at`.
    fn after(&self, at: usize) -> usize {
        let depth = self.nodes.get(at).map_or(0, |node| node.depth);
        let below = self.nodes.iter().skip(at + 1).take_while(|node| node.depth > depth).count();
        at + 1 + below
    }

    /// The children of a place that have guards.
    fn children(&self, at: usize) -> impl Iterator<Item = usize> {
        let depth = self.nodes.get(at).map_or(0, |node| node.depth);
        let below =
            self.nodes.iter().enumerate().skip(at + 1).take_while(move |(_, node)| node.depth > depth);
        below.filter(move |(_, node)| node.depth == depth + 1 && node.guards > 0).map(|(index, _)| index)
    }
}

/// Whether guards of this kind imply the type of a value.
fn says_type(kind: &str) -> bool {
    matches!(kind, "NONE_MATCH" | "FALSE_MATCH" | "TRUE_MATCH" | "TENSOR_MATCH")
}

/// What a kind of guard requires; torch's name for it on hover.
fn kind_of(kind: &str) -> Html {
    let element = Element::new("span").class("guard-kind");
    match kind_words(kind) {
        Some(words) => element.title(kind).around(words),
        None => element.around(kind),
    }
}

/// A place or a condition as the program writes it: `self.layers[0].weight`; a long one is cut.
fn written(text: &str) -> Html {
    let (all, cut) = clipped(text, LONGEST);
    if cut { format!("{}…", clipped(text, BEGINNING).0).into() } else { as_written(all).into() }
}
