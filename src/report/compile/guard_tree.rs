//! The guards of a compile as the tree that the runtime walks.

use super::Subject;
use crate::analysis::{GuardLine, GuardNode, read_guard_tree};
use crate::model::{Artifact, Content, Section};
use crate::report::parts::View;
use crate::report::units::{clipped, counted, short_path, whole};
use crate::report::{Html, paths};
use indexmap::IndexMap;
use std::borrow::Cow;
use std::io::Write;

/// Bytes of a tree that is read for a page; BERT's has 1.2 MB.
const LARGEST: u64 = 16 << 20;
/// Lines of the tree that a page shows; a model of a thousand modules has tens of thousands, and they stand in the file.
const MOST_LINES: usize = 400;
/// Children of one place that are shown.
const MOST_CHILDREN: usize = 40;
/// Children beyond which a place is folded at first, as everywhere in the report.
const OPEN_CHILDREN: usize = 14;
/// Guards of one kind side by side that are folded into one line.
const FOLDED_ALIKE: usize = 5;
/// Levels that are open at first.
const OPEN_LEVELS: usize = 3;
/// Characters of a condition up to which it is shown whole; of a longer one the beginning, as the file has it all.
const LONGEST: usize = 400;
/// Bytes of a place from which on `…` stands for it in what is below it: `L['x']` reads well, but places within
/// modules within modules have 100 characters, each line of which only the end is new.
const SHORTEST_ABOVE: usize = 8;
const BEGINNING: usize = 160;

/// The section of the guards: counts by kind, then the tree. A compile whose tree was not recorded keeps its table.
pub(super) fn write(
    view: View<'_>,
    subject: Subject<'_>,
    table: &Section,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let file = subject.compile.artifacts.iter().rev().find(|a| a.name == "dynamo_cpp_guards_str");
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
    let tools = if nodes.len() > OPEN_CHILDREN { view.fold_button("guard-tree") } else { Html::default() };
    view.open_section(out, (table.id, &table.title, &table.note), Some(whole(guards)), tools)?;
    write_kinds(&nodes, out)?;
    if shortened(&nodes) {
        writeln!(
            out,
            "<p class=\"soft after\">… stands for the place that the line begins with, or that is one level up.</p>"
        )?;
    }
    writeln!(
        out,
        "<div class=\"tree clip\" id=\"guard-tree\" tabindex=\"0\" role=\"group\" aria-label=\"Guard tree\">"
    )?;
    let mut tree = Tree { nodes: &nodes, shown: 0, left_out: 0 };
    tree.write(0, 0, "", out)?;
    writeln!(out, "</div>")?;
    write_rest(view, (subject, artifact), tree.left_out, out)?;
    writeln!(out, "</section>")?;
    Ok(())
}

/// Whether a place has something below it, and a name for which `…` stands there.
fn shortened(nodes: &[GuardNode<'_>]) -> bool {
    let pairs = nodes.iter().zip(nodes.iter().skip(1));
    pairs.filter(|(node, next)| next.depth > node.depth).any(
        |(node, _)| matches!(&node.content, GuardLine::Place { source, .. } if source.len() >= SHORTEST_ABOVE),
    )
}

fn write_kinds(nodes: &[GuardNode<'_>], out: &mut dyn Write) -> anyhow::Result<()> {
    let mut kinds: IndexMap<&str, usize> = IndexMap::new();
    for node in nodes {
        if let GuardLine::Guard { kind, .. } = node.content {
            *kinds.entry(kind).or_default() += 1;
        }
    }
    kinds.sort_by(|_, a, _, b| b.cmp(a));
    write!(out, "<p class=\"legend\">")?;
    for (kind, count) in kinds {
        let kind = Html::escaped(kind);
        write!(
            out,
            "<span><code>{}</code> <span class=\"soft\">{}</span></span>",
            kind.as_str(),
            whole(count)
        )?;
    }
    writeln!(out, "</p>")?;
    Ok(())
}

fn write_rest(
    view: View<'_>,
    (subject, artifact): (Subject<'_>, &Artifact),
    left_out: usize,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    if left_out > 0 {
        let href = view.href(&paths::artifact(subject.compile, artifact, subject.report.settings));
        let more = counted(left_out, "more line stands", "more lines stand");
        let href = Html::escaped(&href);
        writeln!(out, "<p class=\"soft after\">{more} in <a href=\"{}\">the file</a>.</p>", href.as_str())?;
    }
    Ok(())
}

struct Tree<'a> {
    nodes: &'a [GuardNode<'a>],
    shown: usize,
    left_out: usize,
}

impl Tree<'_> {
    /// Writes the nodes from `from` on that stand at `depth` below the place `above`, with what is below them; says
    /// where it stopped. The depth of a tree is that of Python attributes; deeper ones than are open or shown end here.
    fn write(
        &mut self,
        from: usize,
        depth: usize,
        above: &str,
        out: &mut dyn Write,
    ) -> anyhow::Result<usize> {
        write!(out, "<ul>")?;
        let (mut at, mut children) = (from, 0);
        while let Some(node) = self.nodes.get(at).filter(|node| node.depth >= depth) {
            children += 1;
            let next = self.after(at);
            if self.shown >= MOST_LINES || children > MOST_CHILDREN || depth > DEEPEST {
                self.left_out += next - at;
                at = next;
                continue;
            }
            match &node.content {
                GuardLine::Guard { kind, text, origin } => {
                    let alike = self.alike(at);
                    if alike < FOLDED_ALIKE {
                        self.shown += 1;
                        write!(out, "<li>")?;
                        write_guard(kind, &below(above, text), *origin, out)?;
                    } else {
                        at = self.write_alike(at, (kind, alike), above, out)?;
                        continue;
                    }
                }
                GuardLine::Place { source, class } if self.is_single(at) => {
                    self.shown += 2;
                    write_single(&below(above, source), *class, out)?;
                    if let Some(GuardNode { content: GuardLine::Guard { kind, text, origin }, .. }) =
                        self.nodes.get(at + 1)
                    {
                        write_guard(kind, &below(source, text), *origin, out)?;
                    }
                }
                GuardLine::Place { source, class } => {
                    self.shown += 1;
                    let open = depth < OPEN_LEVELS && self.children(at) <= OPEN_CHILDREN;
                    write_place(&below(above, source), *class, (node.guards, open), out)?;
                    self.write(at + 1, node.depth + 1, source, out)?;
                    write!(out, "</details>")?;
                }
            }
            at = next;
        }
        writeln!(out, "</ul>")?;
        Ok(at)
    }

    /// Whether a place has one guard and nothing else: then both are one line.
    fn is_single(&self, at: usize) -> bool {
        let guard = |node: &GuardNode<'_>| matches!(node.content, GuardLine::Guard { .. });
        self.after(at) == at + 2 && self.nodes.get(at + 1).is_some_and(guard)
    }

    /// Guards from `at` on that stand side by side and are of one kind.
    fn alike(&self, at: usize) -> usize {
        let kind_at = |node: &GuardNode<'_>| match node.content {
            GuardLine::Guard { kind, .. } => Some((node.depth, kind.to_owned())),
            GuardLine::Place { .. } => None,
        };
        let first = self.nodes.get(at).and_then(kind_at);
        self.nodes.iter().skip(at).take_while(|node| first.is_some() && kind_at(node) == first).count()
    }

    /// Guards of one kind as one fold; says where they end.
    fn write_alike(
        &mut self,
        at: usize,
        (kind, alike): (&str, usize),
        above: &str,
        out: &mut dyn Write,
    ) -> anyhow::Result<usize> {
        let kind = Html::escaped(kind);
        let times = counted(alike, "time", "times");
        write!(out, "<li><details><summary><b>{}</b> <i>{times}</i></summary><ul>", kind.as_str())?;
        for node in self.nodes.iter().skip(at).take(alike) {
            if self.shown >= MOST_LINES {
                self.left_out += 1;
                continue;
            }
            self.shown += 1;
            // The fold says of which kind they are.
            if let GuardLine::Guard { text, origin, .. } = &node.content {
                write!(out, "<li>")?;
                write_guard("", &below(above, text), *origin, out)?;
            }
        }
        write!(out, "</ul></details>")?;
        Ok(at + alike)
    }

    /// Where the next node stands that is not below the one at `at`.
    fn after(&self, at: usize) -> usize {
        let depth = self.nodes.get(at).map_or(0, |node| node.depth);
        let below = self.nodes.iter().skip(at + 1).take_while(|node| node.depth > depth).count();
        at + 1 + below
    }

    fn children(&self, at: usize) -> usize {
        let depth = self.nodes.get(at).map_or(0, |node| node.depth);
        let below = self.nodes.iter().skip(at + 1).take_while(|node| node.depth > depth);
        below.filter(|node| node.depth == depth + 1).count()
    }
}

/// Levels that are shown: a hostile tree could be as deep as the log is long.
const DEEPEST: usize = 40;

/// A text with `…` for the place that it stands below.
fn below<'t>(above: &str, text: &'t str) -> Cow<'t, str> {
    if above.len() < SHORTEST_ABOVE || text == above {
        return text.into();
    }
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut short, mut from) = (String::new(), 0);
    for (at, found) in text.match_indices(above) {
        let (Some(before), Some(after)) = (text.get(from..at), text.get(at + found.len()..)) else {
            continue;
        };
        // Not where only a longer name ends or begins with it.
        if !before.ends_with(word) && !after.starts_with(word) {
            short.push_str(before);
            short.push('…');
            from = at + found.len();
        }
    }
    if from == 0 { text.into() } else { (short + text.get(from..).unwrap_or_default()).into() }
}

/// What is shown of a text, and whether it is less than all.
fn shown(text: &str) -> (Html, &'static str) {
    let (all, cut) = clipped(text, LONGEST);
    if cut { (Html::escaped(clipped(text, BEGINNING).0), "…") } else { (Html::escaped(all), "") }
}

fn write_guard(kind: &str, text: &str, origin: Option<&str>, out: &mut dyn Write) -> anyhow::Result<()> {
    let (text, more) = shown(text);
    if !kind.is_empty() {
        write!(out, "<b>{}</b> ", Html::escaped(kind).as_str())?;
    }
    write!(out, "{}{more}", text.as_str())?;
    if let Some(origin) = origin {
        let place = origin.split(" in ").next().unwrap_or(origin);
        write!(out, " <i>{}</i>", Html::escaped(&short_path(place)).as_str())?;
    }
    writeln!(out)?;
    Ok(())
}

fn write_single(source: &str, class: Option<&str>, out: &mut dyn Write) -> anyhow::Result<()> {
    let (source, more) = shown(source);
    write!(out, "<li>{}{more} ", source.as_str())?;
    if let Some(class) = class {
        write!(out, "<i>{}</i> ", Html::escaped(class).as_str())?;
    }
    Ok(())
}

fn write_place(
    source: &str,
    class: Option<&str>,
    (guards, open): (usize, bool),
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let (source, more) = shown(source);
    let class = class.map_or_else(String::new, |class| format!(", {}", Html::escaped(class).as_str()));
    let open = if open { " open" } else { "" };
    let guards = counted(guards, "guard", "guards");
    write!(out, "<li><details{open}><summary>{}{more} <i>{guards}{class}</i></summary>", source.as_str())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_a_place_its_name_is_not_repeated() {
        let place = "G['nn'].functional";
        assert_eq!(
            below(place, "___check_obj_id(G['nn'].functional, 14), type=x"),
            "___check_obj_id(…, 14), type=x"
        );
        assert_eq!(below(place, "type(G['nn'].functional.gelu)"), "type(….gelu)");
        assert_eq!(
            below(place, "G['nn'].functional_x is a.G['nn'].functional"),
            "G['nn'].functional_x is a.…"
        );
        assert_eq!(below(place, place), place);
        assert_eq!(below("L['x']", "L['x'] is None"), "L['x'] is None");
    }
}
