//! `diff.md`: the comparison for pull requests, issues and job summaries, at most 60 KB.

use super::rows::{kind_word, medians, place, ranks, sentence, signed, time};
use super::verdict::{self, doubt};
use crate::compare::{Comparison, LogComparison, Pair, Recording};
use crate::facts::DiffRow;
use crate::limits::{CELL, NAMED, SHOWN};
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
        parts(shown, &mut document);
        functions(shown, &mut document);
    }
    document.text()
}

fn head(comparison: &Comparison, document: &mut Markdown) {
    let mut part = document.part(HEAD);
    part.heading(1, "Two runs of torch.compile");
    part.text(&format!("**Verdict:** {}", prose(&verdict::sentence(comparison), 3 * LONGEST_TEXT)));
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

fn parts(shown: &LogComparison, document: &mut Markdown) {
    let mut part = document.part(PARTS);
    part.heading(2, "Time by part");
    let rows = shown.parts.iter().map(|line| times(line.name.name().to_owned(), line.times));
    let rows = rows.chain([times("Compile time".to_owned(), shown.total)]);
    part.table(&["Part", "Difference:", "A:", "B:"], rows);
    part.end(0, ("part", "parts"), "`diff.html` has all");
}

/// A row with the times of both sides.
fn times(name: String, times: Pair) -> Vec<String> {
    let (a, b) = medians(times);
    vec![name, plain(&signed(times.difference())), plain(&time(a)), plain(&time(b))]
}

fn functions(shown: &LogComparison, document: &mut Markdown) {
    let differing: Vec<_> = shown.functions.iter().filter(|one| one.line.differs).collect();
    if differing.is_empty() {
        return;
    }
    let mut part = document.part(FUNCTIONS);
    part.heading(2, "Functions");
    let rows = differing.iter().take(SHOWN);
    let rows = rows.map(|one| times(code(&one.line.name, CELL), one.line.times));
    part.table(&["Function", "Difference:", "A:", "B:"], rows);
    let left_out = differing.len().saturating_sub(SHOWN);
    part.end(left_out, ("function", "functions"), "`diff.html` has all");
}
