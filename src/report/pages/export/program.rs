//! The exported program: signature, ranges, text.

use crate::limits::{FIRST, SHOWN};
use crate::model::{Artifact, Compile, ExportProblem, ExportedProgram, ProgramFacts};
use crate::report::kit::formats::{counted, range, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close_section, fold, soft, write_line};
use crate::report::kit::paths;
use crate::report::kit::view::View;
use std::io::Write;

/// The section; empty if the log has no program.
pub(crate) fn write(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let all = &view.report.model.export.programs;
    if all.is_empty() {
        return Ok(());
    }
    let count = (all.len() > 1).then(|| whole(all.len()));
    view.open_section(
        out,
        ("program", "Exported program", "signature and constraints"),
        count,
        Html::default(),
    )?;
    for (index, program) in all.iter().enumerate().take(FIRST) {
        write_one(view, (index, program), out)?;
    }
    view.left_out(out, all.len(), FIRST, "programs are files of their compiles")?;
    close_section(out)?;
    Ok(())
}

fn write_one(
    view: View<'_>,
    (index, program): (usize, &ExportedProgram),
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let mut facts = Vec::new();
    if let Some(compile) = view.report.model.compiles.get(program.compile).filter(|c| c.id.is_some()) {
        facts.push(("Compile", view.pill(compile)));
    }
    if let Some(known) = &program.facts {
        facts.push(("Inputs", names(view, &known.inputs)));
        facts.push(("Outputs", names(view, &known.outputs)));
        facts.push(("Range constraints", ranges(view, known)));
        let checks = counted(known.assertions, "assertion in the graph", "assertions in the graph");
        facts.push(("Checks at run time", Html::escaped(&checks)));
    }
    facts.push(("Text", files(view, program)));
    write_line(out, &Element::new("div").id(&format!("program-{}", index + 1)).around(view.facts(facts)))?;
    Ok(())
}

/// Names, with their kind if it is not the usual one: `x`, `p_weight` parameter `weight`.
fn names(view: View<'_>, all: &[(String, String)]) -> Html {
    if all.is_empty() {
        return Html::escaped("none");
    }
    let one = |(name, kind): &(String, String)| {
        let (word, target) = kind.split_once(' ').unwrap_or((kind, ""));
        let word = word.to_ascii_lowercase().replace('_', " ");
        let mut pieces = vec![view.code(name)];
        if word != "user input" && word != "user output" {
            let target = target.trim().trim_start_matches("target=").trim_matches('\'');
            let words = format!("{word} {target}");
            pieces.push(soft(Html::escaped(words.trim())));
        }
        Html::joined(pieces, " ")
    };
    let (shown, rest) = all.split_at(all.len().min(SHOWN));
    let shown = Html::joined(shown.iter().map(one), ", ");
    if rest.is_empty() {
        return shown;
    }
    let more = Html::joined(rest.iter().map(one), ", ");
    let more = fold(format!("{} more", whole(rest.len())), &more);
    Html::joined([shown, more], "")
}

fn ranges(view: View<'_>, facts: &ProgramFacts) -> Html {
    if facts.ranges.is_empty() {
        return Html::escaped("none: all sizes are fixed");
    }
    let all: Vec<Html> =
        facts.ranges.iter().map(|(name, text)| view.code(&format!("{name}: {}", range(text)))).collect();
    Html::joined(all, ", ")
}

fn file<'v>(view: View<'v>, program: &ExportedProgram) -> Option<(&'v Compile, &'v Artifact)> {
    let compile = view.report.model.compiles.get(program.compile)?;
    Some((compile, compile.artifacts.get(program.artifact)?))
}

/// Links to the program, highlighted and as text.
fn files(view: View<'_>, program: &ExportedProgram) -> Html {
    let Some((compile, artifact)) = file(view, program) else { return Html::default() };
    let highlighted = paths::readable(compile, artifact, view.report.settings);
    let highlighted = highlighted.map(|path| view.link(&view.href(&path), "highlighted"));
    let path = paths::artifact(compile, artifact, view.report.settings);
    let text = view.link(&view.href(&path), &paths::listed_name(artifact, view.report.settings));
    let lines = program.facts.as_ref().map(|facts| Html::escaped(&counted(facts.lines, "line", "lines")));
    Html::joined([text].into_iter().chain(highlighted).chain(lines), ", ")
}

/// A link to the program exported despite a problem.
pub(crate) fn link(view: View<'_>, problem: &ExportProblem) -> Option<Html> {
    let program = view.report.found.export.program(view.report.model, problem)?;
    let (compile, artifact) = file(view, program)?;
    let path = paths::best(compile, artifact, view.report.settings);
    Some(view.link(&view.href(&path), "the program"))
}
