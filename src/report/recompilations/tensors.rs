//! The input tensors of two compiles side by side.

use crate::model::{Cell, Compile, Section};
use crate::report::Html;
use crate::report::parts::{Head, Row, Table, Td, View};
use crate::report::units::{counted, whole};

/// The table of a compile that lists its input tensors, with the columns that are compared, the name first.
const SECTION: &str = "input-tensors";
const COLUMNS: [&str; 6] = ["Name", "Shape", "Stride", "dtype", "Device", "Gradient"];

/// Tensors that are shown.
const LISTED: usize = 24;

/// The input tensors that differ, before and after; empty where either compile has none.
pub(super) fn compared(view: View<'_>, old: &Compile, new: &Compile) -> anyhow::Result<Html> {
    let (Some(was), Some(is)) = (inputs(old), inputs(new)) else { return Ok(Html::default()) };
    let (was, is) = (rows(was), rows(is));
    let mut changed: Vec<(&[String], &[String])> = Vec::new();
    let mut equal = 0;
    for row in &is {
        let before = was.iter().find(|before| before.first() == row.first());
        match before {
            Some(before) if before == row => equal += 1,
            Some(before) => changed.push((before, row)),
            None => changed.push((&[], row)),
        }
    }
    let gone = was.iter().filter(|before| !is.iter().any(|row| row.first() == before.first()));
    changed.extend(gone.map(|before| (before.as_slice(), &[] as &[String])));
    let about = match (changed.len(), equal) {
        (0, equal) => format!("All {} are the same.", counted(equal, "input tensor", "input tensors")),
        (shown, 0) => counted(shown, "input tensor", "input tensors") + " differ.",
        (shown, equal) => format!(
            "{} differ, {} are the same.",
            counted(shown, "input tensor", "input tensors"),
            whole(equal)
        ),
    };
    let about = about.replace("1\u{a0}input tensor differ.", "1\u{a0}input tensor differs.");
    let mut out = Vec::new();
    if !changed.is_empty() {
        let heads = COLUMNS.iter().map(|title| Head::unsorted(title)).collect();
        let id = format!("inputs{}", new.folder(0));
        let table = Table { id: &id, label: "Input tensors before and after", heads };
        view.table(&mut out, &table, changed.iter().take(LISTED).map(|(was, is)| Ok(row(was, is))))?;
    }
    let more = changed.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" {} more are left out.", whole(more)) } else { String::new() };
    let about = Html::escaped(&(about + &more));
    let table = Html::trusted(String::from_utf8(out)?);
    Ok(Html::trusted(format!(
        "<h3 class=\"after\">Inputs</h3><p class=\"soft\">{}</p>{}",
        about.as_str(),
        table.as_str()
    )))
}

fn inputs(compile: &Compile) -> Option<&Section> {
    compile.sections.iter().find(|section| section.id == SECTION)
}

/// The compared cells of each row as text.
fn rows(section: &Section) -> Vec<Vec<String>> {
    let at = |title: &str| section.columns.iter().position(|column| column.title == title);
    let columns: Vec<Option<usize>> = COLUMNS.iter().map(|title| at(title)).collect();
    let text = |row: &[Cell], at: Option<usize>| at.and_then(|at| row.get(at)).map(text).unwrap_or_default();
    section.rows.iter().map(|row| columns.iter().map(|at| text(row, *at)).collect()).collect()
}

fn text(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) | Cell::Code(text) => text.clone(),
        Cell::Codes(texts) => texts.join(", "),
        Cell::Number(value, _) => value.to_string(),
        _ => String::new(),
    }
}

/// A row with both values in the cells where they differ.
fn row(was: &[String], is: &[String]) -> Row {
    let cells = (0..COLUMNS.len()).map(|column| {
        let (was, is) = (was.get(column), is.get(column));
        let piece = |class: &'static str, text: Option<&String>| {
            let text = text.filter(|text| !text.is_empty()).map(|text| Html::escaped(text));
            text.map(|text| match class {
                "old" => Html::wrapped("<span class=\"old\">", &text, "</span>"),
                _ => Html::wrapped("<span class=\"new\">", &text, "</span>"),
            })
        };
        let html = match (was, is) {
            (Some(was), Some(is)) if was == is => Html::escaped(is),
            _ => Html::joined([piece("old", was), piece("new", is)].into_iter().flatten(), " → "),
        };
        // Colour is never the only sign.
        let alone = match (column, was, is) {
            (0, Some(_), None) => Html::trusted(" <span class=\"soft\">gone</span>"),
            (0, None, Some(_)) => Html::trusted(" <span class=\"soft\">new</span>"),
            _ => Html::default(),
        };
        Td::html(Html::joined([html, alone], "")).class("mono")
    });
    Row::of(cells.collect())
}
