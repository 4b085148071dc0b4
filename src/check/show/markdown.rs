//! A verdict as a comment of a pull request, or as the summary of a job: at most 60 KB.

use super::words;
use crate::check::verdict::{Check, Excess, Verdict};
use crate::limits::{PARAGRAPH, SENTENCE, SHORT_LINE};
use crate::model::words::file_line;
use crate::report::kit::markdown::{Markdown, code, prose};
use crate::source_tree::SourceTree;

/// Bytes of each part, 60 KB in all. Later parts may use what earlier ones leave.
const HEAD: usize = 6_000;
const CHECKS: usize = 14_000;
const EXCESSES: usize = 40_000;

pub(super) fn markdown(verdict: &Verdict, tree: &SourceTree) -> String {
    let mut document = Markdown::default();
    head(verdict, &mut document);
    let mut part = document.part(CHECKS);
    let rows = verdict.checks.iter().map(|check| {
        let found = check.limit.words(check.found);
        let state = match check.holds() {
            _ if check.matches_nothing => "**matches nothing**",
            true => "holds",
            false => "**exceeded**",
        };
        let allowed = check.limit.allowed();
        vec![code(&check.limit.name(), SHORT_LINE), allowed, prose(&found, SENTENCE), state.to_owned()]
    });
    part.table(&["Budget", "Allowed:", "Found", "State"], rows);
    part.end(0, ("budget", "budgets"), "`--format json` has all");
    excesses(verdict, tree, &mut document);
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = document.write(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn head(verdict: &Verdict, document: &mut Markdown) {
    let mut part = document.part(HEAD);
    part.heading(2, &format!("torch.compile: {}", words::verdict(verdict)));
    if let Some(known) = words::known(verdict) {
        part.text(&known);
    }
    for note in &verdict.notes {
        part.entry(&format!("- {}", prose(note, SENTENCE)));
    }
    part.end(0, ("note", "notes"), "`--format json` has all");
}

fn excesses(verdict: &Verdict, tree: &SourceTree, document: &mut Markdown) {
    let mut part = document.part(EXCESSES);
    for check in verdict.checks.iter().filter(|check| !check.holds()) {
        part.entry(&format!("### {}", prose(&words::sentence(check), SENTENCE)));
        for excess in &check.excesses {
            part.entry(&entry(verdict, check, excess, tree));
        }
    }
    part.end(0, ("entry", "entries"), "`--format json` has all");
}

/// `- **title** at net.py:11 in forward, 146 ms wasted`, followed by the hint and the page.
fn entry(verdict: &Verdict, check: &Check, excess: &Excess, tree: &SourceTree) -> String {
    let mut parts = vec![format!("- **{}**", prose(&words::one_line(&excess.item.title), SENTENCE))];
    if let Some(file) = &excess.item.file {
        let shown = tree.relative(file).unwrap_or_else(|| file.clone());
        let function = excess.function().map(|name| format!(" in {}", code(name, SHORT_LINE)));
        let place = code(&file_line(&shown, excess.item.line), SHORT_LINE);
        parts.push(format!(" at {place}{}", function.unwrap_or_default()));
    }
    if excess.count > 1.0 && excess.count < check.found + 0.5 {
        parts.push(format!(", {:.0} times", excess.count));
    }
    parts.extend(excess.item.cost.as_ref().map(|cost| format!(", {}", words::cost(cost))));
    parts.extend(words::ranks(verdict, excess).map(|ranks| format!(", {}", prose(&ranks, SENTENCE))));
    let mut lines = vec![parts.concat()];
    let hint = excess.item.hint.as_deref().and_then(|hint| hint.lines().next());
    lines.extend(hint.map(|hint| format!("  - {}", prose(hint, PARAGRAPH))));
    lines.extend(excess.item.page.as_deref().map(|page| format!("  - Report: {}", code(page, SHORT_LINE))));
    lines.join("\n")
}
