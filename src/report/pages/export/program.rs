//! The exported program: signature, ranges, text.

use crate::limits::{FIRST, SHOWN};
use crate::model::{Artifact, Compile, ExportProblem, ExportedProgram, ProgramFacts};
use crate::report::doc::{Block, Cell, Fact, Section, own};
use crate::report::kit::formats::{counted, range, whole};
use crate::report::kit::paths;
use crate::report::subject::Report;

/// The section, if the log has a program.
pub(super) fn section<'m>(report: Report<'m>) -> Option<Section<'m>> {
    let all = &report.model.export.programs;
    let mut blocks: Vec<_> =
        all.iter().take(FIRST).map(|program| Block::Facts(facts(report, program))).collect();
    if all.len() > FIRST {
        let more = format!("{} more programs are files of their compiles.", whole(all.len() - FIRST));
        blocks.push(Block::Paragraph(own(more)));
    }
    let section = Section::new("program", "Exported program", blocks).about("signature and constraints");
    match all.len() {
        0 => None,
        1 => Some(section),
        several => Some(section.counted(several)),
    }
}

fn facts<'m>(report: Report<'m>, program: &'m ExportedProgram) -> Vec<Fact<'m>> {
    let mut facts = Vec::new();
    if let Some(compile) = report.model.compiles.get(program.compile).filter(|one| one.id.is_some()) {
        facts.push(Fact::new("Compile", Cell::Compile { compile, after: String::new() }));
    }
    if let Some(known) = &program.facts {
        facts.push(Fact::new("Inputs", names(&known.inputs)));
        facts.push(Fact::new("Outputs", names(&known.outputs)));
        facts.push(Fact::new("Range constraints", ranges(known)));
        let checks = counted(known.assertions, "assertion in the graph", "assertions in the graph");
        facts.push(Fact::new("Checks at run time", own(checks)));
    }
    facts.extend(files(report, program).map(|files| Fact::new("Text", files)));
    facts
}

/// What a name is, if that is not the usual: `parameter weight`.
fn kind_words(kind: &str) -> Option<String> {
    let (word, target) = kind.split_once(' ').unwrap_or((kind, ""));
    let word = word.to_ascii_lowercase().replace('_', " ");
    let target = target.trim().trim_start_matches("target=").trim_matches('\'');
    (word != "user input" && word != "user output").then(|| format!("{word} {target}").trim().to_owned())
}

/// Names, with what they are if that is not the usual: `x`, `p_weight` parameter `weight`.
fn names(all: &[(String, String)]) -> Cell<'_> {
    let (shown, rest) = all.split_at(all.len().min(SHOWN));
    let shown = shown.iter().map(|(name, kind)| {
        let kind = kind_words(kind).map(|words| Cell::Log(words.into()).class("soft"));
        Cell::Beside([Cell::Code(name.into())].into_iter().chain(kind).collect(), " ")
    });
    let shown = Cell::Beside(shown.collect(), ", ");
    if rest.is_empty() {
        return if all.is_empty() { "none".into() } else { shown };
    }
    let line = |(name, kind): &(String, String)| format!("{name} {}", kind_words(kind).unwrap_or_default());
    let text = rest.iter().map(line).collect::<Vec<_>>().join("\n");
    let summary = Box::new(own(format!("{} more", whole(rest.len()))));
    Cell::Stacked(vec![shown, Cell::FoldedText { summary, text: text.into() }])
}

fn ranges(facts: &ProgramFacts) -> Cell<'_> {
    if facts.ranges.is_empty() {
        return "none: all sizes are fixed".into();
    }
    let ranges =
        facts.ranges.iter().map(|(name, text)| Cell::Code(format!("{name}: {}", range(text)).into()));
    Cell::Beside(ranges.collect(), ", ")
}

fn file<'m>(report: Report<'m>, program: &ExportedProgram) -> Option<(&'m Compile, &'m Artifact)> {
    let compile = report.model.compiles.get(program.compile)?;
    Some((compile, compile.artifacts.get(program.artifact)?))
}

/// The program as text and highlighted.
fn files<'m>(report: Report<'m>, program: &ExportedProgram) -> Option<Cell<'m>> {
    let (compile, artifact) = file(report, program)?;
    let name = paths::listed_name(artifact, report.settings);
    let text = Cell::File { path: paths::artifact(compile, artifact, report.settings), name: name.into() };
    let highlighted = paths::readable(compile, artifact, report.settings);
    let highlighted = highlighted.map(|path| Cell::File { path, name: "highlighted".into() });
    let lines = program.facts.as_ref().map(|facts| own(counted(facts.lines, "line", "lines")));
    Some(Cell::Beside([text].into_iter().chain(highlighted).chain(lines).collect(), ", "))
}

/// The program that was exported despite a problem.
pub(super) fn of_problem<'m>(report: Report<'m>, problem: &ExportProblem) -> Option<Cell<'m>> {
    let program = report.found.export.program(report.model, problem)?;
    let (compile, artifact) = file(report, program)?;
    Some(Cell::File { path: paths::best(compile, artifact, report.settings), name: "the program".into() })
}
