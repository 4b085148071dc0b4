//! The input tensors of two compiles side by side.

use crate::model::{Cell, Compile, Section};
use crate::report::kit::formats::{counted, whole};
use crate::report::kit::html::Html;

/// The table of a compile that lists its input tensors, with the columns that are compared, the name first.
const SECTION: &str = "input-tensors";
const COLUMNS: [&str; 6] = ["Name", "Shape", "Stride", "dtype", "Device", "Gradient"];

/// Tensors that are shown.
const LISTED: usize = 24;

/// The input tensors that differ, before and after; empty where either compile has none.
pub(crate) fn compared(old: &Compile, new: &Compile) -> Html {
    let (Some(was), Some(is)) = (inputs(old), inputs(new)) else { return Html::default() };
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
    let more = changed.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" {} more are left out.", whole(more)) } else { String::new() };
    let lines = changed.iter().take(LISTED).map(|(was, is)| difference(was, is));
    let about = Html::wrapped("<span class=soft>", &Html::escaped(&(about + &more)), "</span>");
    let lines = Html::joined(std::iter::once(about).chain(lines), "<br>");
    Html::wrapped("<p class=after>", &lines, "</p>")
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

/// `L['x']: shape [3, 4] → [3, 6]`.
fn difference(was: &[String], is: &[String]) -> Html {
    let name = is.first().or(was.first()).map(String::as_str).unwrap_or_default();
    let name = Html::wrapped("<code>", &Html::escaped(name), "</code>");
    let alone = match (was, is) {
        (_, []) => Some("old"),
        ([], _) => Some("new"),
        _ => None,
    };
    let value = |class, text: Option<&String>| match class {
        "old" => Html::wrapped("<span class=old>", &Html::escaped(text.map_or("", |t| t)), "</span>"),
        _ => Html::wrapped("<span class=new>", &Html::escaped(text.map_or("", |t| t)), "</span>"),
    };
    let fields = COLUMNS.iter().enumerate().skip(1).filter_map(|(column, title)| {
        let (was, is) = (was.get(column), is.get(column));
        let title = Html::escaped(&title.to_lowercase());
        match alone {
            Some(class) => {
                let text = was.or(is).filter(|text| !text.is_empty());
                Some(Html::joined([title, value(class, Some(text?))], " "))
            }
            None if was == is => None,
            None => {
                let change = Html::joined([value("old", was), value("new", is)], " → ");
                Some(Html::joined([title, change], " "))
            }
        }
    });
    let fields = Html::joined(fields, ", ");
    // Colour is never the only sign.
    let name = match alone {
        Some("old") => Html::joined([name, Html::escaped(" is gone: ")], ""),
        Some(_) => Html::joined([name, Html::escaped(" is new: ")], ""),
        None => Html::joined([name, Html::escaped(": ")], ""),
    };
    Html::joined([name, fields], "")
}
