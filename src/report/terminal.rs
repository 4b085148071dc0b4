//! The report in a few lines, for a terminal.

use super::Report;
use crate::model::ProblemKind;

/// Lines that `summary` gives at most; with the path of the report a terminal shows eight.
const MOST_LINES: usize = 7;

/// The verdict in numbers, then what needs attention, most urgent first.
pub fn summary(report: Report<'_>) -> Vec<String> {
    let mut lines = vec![verdict(report)];
    lines.extend(damage(report));
    lines.extend(report.model.advice.iter().take(1).map(|advice| advice.title.clone()));
    lines.extend(failures(report));
    lines.extend(breaks(report));
    lines.extend(recompiles(report));
    if lines.len() == 1 {
        lines.push(calm(report).to_owned());
    }
    lines.truncate(MOST_LINES);
    lines
}

fn verdict(report: Report<'_>) -> String {
    let model = report.model;
    if model.log.records == 0 {
        return "Nothing was recorded: the log is empty.".to_owned();
    }
    let compiles = model.identified().count();
    let mut functions: Vec<_> = model
        .identified()
        .filter_map(|c| c.function.as_ref().map(|f| (f.name.as_str(), f.file.as_deref(), f.line)))
        .collect();
    functions.sort_unstable();
    functions.dedup();
    let seconds = report.found.time.total_s;
    format!(
        "{} of {} in {seconds:.2} s: {}, {}, {}.",
        plural(compiles, "compilation"),
        plural(functions.len(), "function"),
        plural(model.failures.len(), "failure"),
        plural(model.graph_breaks.len(), "distinct graph break"),
        plural(model.recompiles.len(), "recompilation"),
    )
}

/// What to say when nothing needs attention.
fn calm(report: Report<'_>) -> &'static str {
    if report.model.log.records == 0 {
        "Set TORCH_TRACE before the program imports torch, and let it reach a torch.compile call."
    } else {
        "Nothing needs attention: no failure, graph break, recompilation or damaged record."
    }
}

fn damage(report: Report<'_>) -> Option<String> {
    let integrity = &report.model.integrity;
    let counts = ProblemKind::ALL.iter().filter(|kind| kind.is_damage() && integrity.count(**kind) > 0);
    let counts: Vec<_> = counts.map(|kind| format!("{} {}", kind.name(), integrity.count(*kind))).collect();
    let first = integrity.problems.iter().find(|p| p.kind.is_damage())?;
    Some(format!("The log is damaged: {}; first at line {}.", counts.join(", "), first.line))
}

fn failures(report: Report<'_>) -> Option<String> {
    let failure = report.model.failures.first()?;
    let id = failure.compile.as_ref().map_or_else(|| "-".to_owned(), |id| id.to_string());
    let place = place(failure.file.as_deref(), failure.line);
    Some(format!("Failure: {} in [{id}]{place}", failure.error))
}

fn breaks(report: Report<'_>) -> Option<String> {
    let most = report.model.graph_breaks.iter().max_by_key(|b| (b.count, std::cmp::Reverse(b.line)))?;
    let place = place(most.file.as_deref(), most.line);
    Some(format!("Graph break: {}{place}, {}", one_line(&most.reason), plural(most.count as usize, "time")))
}

fn recompiles(report: Report<'_>) -> Option<String> {
    let recompile = report.model.recompiles.first()?;
    let id = recompile.compile.as_ref().map_or_else(|| "-".to_owned(), |id| id.to_string());
    let reason = recompile.reasons.first()?;
    Some(format!("Recompilation: [{id}] because {}", one_line(&reason.guard)))
}

fn place(file: Option<&str>, line: Option<u64>) -> String {
    match (file, line) {
        (Some(file), Some(line)) => format!(" at {file}:{line}"),
        (Some(file), None) => format!(" in {file}"),
        _ => String::new(),
    }
}

fn plural(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

/// The first line, without control characters and not longer than a terminal's line.
fn one_line(text: &str) -> String {
    const LONGEST: usize = 120;
    let line = text.lines().next().unwrap_or_default();
    let mut short: String = line.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    if line.chars().count() > LONGEST {
        short.push('…');
    }
    short
}
