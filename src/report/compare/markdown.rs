//! `diff.md`: the comparison for pull requests, issues and job summaries, at most 60 KB.

use super::rows::{kind_word, place, ranks, sentence, signed};
use super::tables;
use super::verdict::{self, doubt};
use crate::compare::{Comparison, FunctionLine, LogComparison, Recording};
use crate::facts::DiffRow;
use crate::limits::{CELL, NAMED, SHOWN};
use crate::report::doc::{Cell, Others, Rows, markdown};
use crate::report::kit::markdown::{Markdown, code, plain, prose};

/// Bytes of each part; together less than 60 KB.
const HEAD: usize = 6_000;
const CHANGES: usize = 36_000;
const PARTS: usize = 4_000;
const FUNCTIONS: usize = 12_000;

/// Characters of a sentence.
const LONGEST_TEXT: usize = 400;

/// The whole document.
pub(super) fn document(comparison: &Comparison) -> String {
    let mut document = Markdown::default();
    head(comparison, &mut document);
    changes(comparison, &mut document);
    if let Some(shown) = comparison.shown() {
        parts(comparison, shown, &mut document);
        functions(comparison, shown, &mut document);
    }
    document.text()
}

fn head(comparison: &Comparison, document: &mut Markdown) {
    let mut part = document.part(HEAD);
    part.heading(1, "Two runs of torch.compile");
    part.text(&format!("**Verdict:** {}", prose(&verdict::verdict(comparison).text(), 3 * LONGEST_TEXT)));
    for note in verdict::notes(comparison) {
        part.entry(&prose(&plain(&note), LONGEST_TEXT));
    }
    let named = |side: &[Recording]| {
        let runs = side.iter().take(NAMED).map(|recording| {
            let torch = code(recording.torch_words(), CELL);
            format!("{}, torch {torch}", code(&recording.name, CELL))
        });
        runs.collect::<Vec<String>>().join("; ")
    };
    let [a, b] = comparison.names.each_ref().map(|name| prose(name, CELL));
    part.text(&format!("- **{a}:** {}\n- **{b}:** {}", named(&comparison.a), named(&comparison.b)));
    let (runs, rest) = doubt(comparison);
    part.text(&plain(&format!("{runs} {rest}")));
    part.end(0, ("note", "notes"), "`diff.html` has all");
}

fn changes(comparison: &Comparison, document: &mut Markdown) {
    let mut part = document.part(CHANGES);
    part.heading(2, "What changed");
    if comparison.rows.is_empty() {
        part.text("Nothing.");
    }
    part.table(&["", "What", "Where", "Difference:"], comparison.rows.iter().map(change));
    part.end(0, ("row", "rows"), "`diff.json` has all rows under `rows`");
}

fn change(row: &DiffRow) -> Vec<String> {
    let mut what = vec![prose(&plain(&sentence(row)), LONGEST_TEXT)];
    what.extend(row.detail.as_ref().map(|detail| prose(&plain(detail), LONGEST_TEXT)));
    what.extend(row.guess().map(str::to_owned));
    what.extend(ranks(row));
    vec![
        kind_word(row.kind).to_owned(),
        what.join("; "),
        place(row).map(|place| code(&place, CELL)).unwrap_or_default(),
        plain(&row.difference_s.map(signed).unwrap_or_default()),
    ]
}

fn parts(comparison: &Comparison, shown: &LogComparison, document: &mut Markdown) {
    let mut part = document.part(PARTS);
    part.heading(2, "Time by part");
    markdown::table(&mut part, &tables::parts(&comparison.names, shown));
    part.end(0, ("part", "parts"), "`diff.html` has all");
}

fn functions(comparison: &Comparison, shown: &LogComparison, document: &mut Markdown) {
    let differing: Vec<&FunctionLine> = shown.functions.iter().filter(|one| one.line.differs).collect();
    if differing.is_empty() {
        return;
    }
    let mut part = document.part(FUNCTIONS);
    part.heading(2, "Functions");
    let left_out = differing.len().saturating_sub(SHOWN);
    let rows = Rows::of(differing).text("Function", |one| Cell::Function(one.line.name.as_str().into()));
    let rows = tables::times(rows, &comparison.names, |_| 1.0, |one| one.line.times);
    let rows = rows.first(SHOWN, Others::Elsewhere("left out here"));
    markdown::table(&mut part, &rows.listing("functions", "Functions", ""));
    part.end(left_out, ("function", "functions"), "`diff.html` has all");
}
