//! The guards of two compiles compared.

use super::function::Room;
use crate::analysis::{DiffLine, GuardDiff, Side, guard_diff};
use crate::limits::LARGEST_TEXT;
use crate::model::{Artifact, Compile, Content, Fields, Form};
use crate::report::kit::prelude::*;

#[derive(Serialize)]
struct Compared {
    about: String,
    old: Html,
    new: Html,
    lines: Vec<Line>,
    left_out: Option<String>,
}

#[derive(Serialize)]
struct Line {
    head: Option<String>,
    old: bool,
    sign: &'static str,
    pieces: Vec<DrawnPiece>,
}

#[derive(Serialize)]
struct DrawnPiece {
    class: Option<&'static str>,
    /// The text that it replaces, if both lines are merged.
    old: Option<String>,
    text: String,
}

/// The differences between the guards of two compiles, those that mention `wanted` first. Takes their bytes from `room`;
/// empty if either has no recorded guards.
pub(super) fn compared(
    view: View<'_>,
    (old, new): (&Compile, &Compile),
    wanted: Option<&str>,
    room: &Room,
) -> anyhow::Result<Html> {
    let (Some(was), Some(is)) = (artifact(old), artifact(new)) else { return Ok(Html::default()) };
    let size = bytes(was) + bytes(is);
    let texts =
        if size <= room.get() { (text(view.report, was)?, text(view.report, is)?) } else { (None, None) };
    let diff = match texts {
        (Some(was), Some(is)) => {
            room.set(room.get() - size);
            guard_diff(&was, &is, wanted)
        }
        _ => None,
    };
    let (about, diff) = match diff {
        None => ("too many to compare here".to_owned(), GuardDiff::default()),
        Some(diff) if diff.differing == 0 => {
            (format!("all {} are equal", counted(diff.equal, "line", "lines")), diff)
        }
        Some(diff) => (
            format!(
                "{} equal, {} in only one of them",
                counted(diff.equal, "line is", "lines are"),
                counted(diff.differing, "is", "are")
            ),
            diff,
        ),
    };
    let left_out = (diff.left_out > 0)
        .then(|| format!("{} are left out.", counted(diff.left_out, "more line", "more lines")));
    let context = Compared {
        about,
        old: link(view, old, was),
        new: link(view, new, is),
        lines: lines(diff.lines),
        left_out,
    };
    view.render("guard_diff", &context)
}

/// Two guards that differ only in values become one line with both values.
fn lines(all: Vec<DiffLine>) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut all = all.into_iter().peekable();
    while let Some(one) = all.next() {
        lines.push(match all.next_if(|next| is_changed(&one, next)) {
            Some(new) => {
                let pieces = one.pieces.into_iter().zip(new.pieces);
                let pieces = pieces.map(|((old, differs), (text, _))| DrawnPiece {
                    class: differs.then_some("new"),
                    old: differs.then_some(old),
                    text,
                });
                Line { head: None, old: false, sign: "±", pieces: pieces.collect() }
            }
            None => line(one),
        });
    }
    lines
}

/// Whether `new` equals `old` with other values in the same places.
fn is_changed(old: &DiffLine, new: &DiffLine) -> bool {
    let alike =
        |((was, old), (is, new)): (&(String, bool), &(String, bool))| old == new && (*old || was == is);
    (old.side, new.side) == (Side::Old, Side::New)
        && old.pieces.len() == new.pieces.len()
        && old.pieces.iter().any(|(_, differs)| !differs)
        && old.pieces.iter().zip(&new.pieces).all(alike)
}

fn line(line: DiffLine) -> Line {
    let (sign, class) = match line.side {
        Side::Both => {
            let text = line.pieces.into_iter().map(|(text, _)| text).collect::<String>();
            return Line { head: Some(text), old: false, sign: "", pieces: Vec::new() };
        }
        Side::Old => ("-", "old"),
        Side::New => ("+", "new"),
    };
    let pieces = line.pieces.into_iter();
    let pieces =
        pieces.map(|(text, differs)| DrawnPiece { class: differs.then_some(class), old: None, text });
    Line { head: None, old: line.side == Side::Old, sign, pieces: pieces.collect() }
}

/// The last guard tree of a compile, or the list of guards before torch 2.6.
fn artifact(compile: &Compile) -> Option<&Artifact> {
    let last = |name: &str| compile.artifacts.iter().rev().find(|a| &*a.name == name);
    last("dynamo_cpp_guards_str").or_else(|| last("dynamo_guards"))
}

fn link(view: View<'_>, compile: &Compile, artifact: &Artifact) -> Html {
    let path = paths::artifact(compile, artifact, view.report.settings);
    view.link(&view.href(&path), &format!("guards of {}", compile.label()))
}

fn bytes(artifact: &Artifact) -> u64 {
    match &artifact.content {
        Content::Payload(at, _) => at.text_len,
        _ => 0,
    }
}

/// Guards, one per line; None if they are not a payload of the log, or too large.
fn text(report: Report<'_>, artifact: &Artifact) -> anyhow::Result<Option<String>> {
    let Content::Payload(at, form) = &artifact.content else { return Ok(None) };
    if at.text_len > LARGEST_TEXT {
        return Ok(None);
    }
    let text = report.payload(at)?;
    if *form != Form::Guards {
        return Ok(Some(text));
    }
    let Ok(list) = serde_json::from_str::<Vec<Fields<'_>>>(&text) else { return Ok(None) };
    let codes = list.iter().filter_map(|guard| guard.text("code")).map(|code| code.replace('\n', " "));
    Ok(Some(codes.collect::<Vec<_>>().join("\n")))
}
