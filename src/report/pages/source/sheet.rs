//! A file line by line: numbers in the gutter, code, and a map beside it.

use super::columns::Columns;
use super::file::{File, class};
use super::panel;
use super::text::TextLine;
use crate::analysis::lines::{LineFacts, LineState};
use crate::limits::SHORT_NAME;
use crate::report::kit::markup::{push_close, push_element, push_open};
use crate::report::kit::prelude::*;

/// Pixels of a line, as in the style sheet.
const LINE_HEIGHT: usize = 20;

/// Words for what became of a line.
fn words(line: &LineFacts) -> &'static str {
    match line.state() {
        LineState::Read | LineState::Called if line.counts.compiles > 0 => "a compile begins here",
        LineState::Failed => "a compile fails here",
        LineState::Breaks => "breaks the graph",
        LineState::Captured => "captured in a graph",
        LineState::Read => "read, nothing captured",
        LineState::Called => "called what was compiled",
    }
}

/// Writes the lines of a file, the map, and what happened at each line.
pub(super) fn write(view: View<'_>, file: File<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let columns = Columns::of(file.subject, file.place, file.file);
    write_line(out, &Element::new("div").class("file").attribute("data-file", &file.file.file).open())?;
    let name = short_path(&file.file.file);
    write_line(out, &Element::new("div").class("sheet").region(&format!("{name}, line by line")).open())?;
    rows(file, &columns, out)?;
    close(out, "div")?;
    map(file, &columns, out)?;
    let happened = Element::new("div").class("happened").attribute("aria-live", "polite");
    write_line(
        out,
        &happened.attribute("role", "group").attribute("aria-label", "What happened there").open(),
    )?;
    for line in file.listed() {
        write_line(out, &panel::panel(view, file, line)?)?;
    }
    close(out, "div")?;
    close(out, "div")?;
    absent(file, &columns, out)
}

fn rows(file: File<'_>, columns: &Columns, out: &mut dyn Write) -> anyhow::Result<()> {
    let class = if file.is_short() { "lined whole" } else { "lined" };
    write_line(out, &Element::new("table").class(class).open())?;
    let mut html = String::new();
    head(columns, &mut html);
    let mut next = 1;
    for line in file.listed() {
        between(file, columns, (next, line.number), &mut html);
        row(file, columns, line, &mut html);
        html.push('\n');
        out.write_all(html.as_bytes())?;
        html.clear();
        next = line.number + 1;
    }
    if file.whole().is_some() {
        between(file, columns, (next, file.length() + 1), &mut html);
    }
    push_close(&mut html, "tbody");
    out.write_all(html.as_bytes())?;
    Ok(close(out, "table")?)
}

fn head(columns: &Columns, html: &mut String) {
    push_open(html, "thead", &[]);
    push_open(html, "tr", &[]);
    push_element(html, "th", &[("class", Some("number")), ("scope", Some("col"))], "Line");
    for column in &columns.shown {
        let class = columns.class(*column);
        let attributes = [("class", Some(class)), ("scope", Some("col")), ("title", Some(column.about()))];
        push_element(html, "th", &attributes, column.title());
    }
    push_element(html, "td", &[("class", Some("state"))], "");
    push_element(html, "th", &[("class", Some("text")), ("scope", Some("col"))], "Code");
    push_close(html, "tr");
    push_close(html, "thead");
    push_open(html, "tbody", &[]);
    html.push('\n');
}

/// Lines from `from` to before `to`, which the log does not know: a gap, and their text if the file was read.
fn between(file: File<'_>, columns: &Columns, (from, to): (u64, u64), html: &mut String) {
    let count = to.saturating_sub(from);
    if count == 0 {
        return;
    }
    let index = |number: u64| usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
    let known = file.whole();
    let rest = known.and_then(|whole| whole.get(index(from)..index(to).min(whole.len()))).unwrap_or_default();
    let lines = counted(count, "line", "lines");
    let words = match known {
        None => format!("… {lines} that the log does not quote …"),
        Some(_) if rest.iter().all(|line| line.is_blank) => format!("… {lines}, empty …"),
        Some(_) => format!("… {lines} that the log does not know …"),
    };
    let width = (columns.shown.len() + 3).to_string();
    push_open(html, "tr", &[("class", Some("gap"))]);
    push_element(html, "td", &[("colspan", Some(&width))], &words);
    push_close(html, "tr");
    html.push('\n');
    for (number, line) in (from..).zip(rest) {
        unknown(columns, number, line, html);
    }
}

/// A line that the log does not know, from the file.
fn unknown(columns: &Columns, number: u64, line: &TextLine, html: &mut String) {
    push_open(html, "tr", &[("class", Some("rest"))]);
    push_element(html, "td", &[("class", Some("number"))], &number.to_string());
    // A narrow window leaves some columns out.
    let wide = columns.shown.iter().filter(|column| columns.is_wide(**column)).count();
    for (count, class) in [(columns.shown.len() - wide, ""), (wide, "wide")] {
        if count > 0 {
            let attributes = [("colspan", Some(count.to_string())), ("class", Some(class.to_owned()))];
            push_element(
                html,
                "td",
                &attributes.each_ref().map(|(name, value)| (*name, value.as_deref())),
                "",
            );
        }
    }
    let state = if line.is_eager { "state eager" } else { "state" };
    push_element(html, "td", &[("class", Some(state))], "");
    push_open(html, "td", &[("class", Some("text"))]);
    html.push_str(line.code.as_str());
    push_close(html, "td");
    push_close(html, "tr");
    html.push('\n');
}

fn row(file: File<'_>, columns: &Columns, line: &LineFacts, html: &mut String) {
    let class_of_row = if line.is_found() { "known found" } else { "known" };
    push_open(html, "tr", &[("class", Some(class_of_row))]);
    // Not the row has the anchor: a script gives those a link of their own, and here the number is one.
    push_open(html, "td", &[("class", Some("number")), ("id", Some(&file.anchor(line)))]);
    let href = format!("#{}", file.panel_anchor(line));
    let label = format!("{}, {}", line.number, words(line));
    push_element(html, "a", &[("href", Some(&href)), ("aria-label", Some(&label))], &line.number.to_string());
    push_close(html, "td");
    for column in &columns.shown {
        let cell = columns.cell(*column, file.subject, (file.place, line));
        // Classes have no effect on empty cells, but for those that a narrow window leaves out.
        let class = match (cell.text.is_empty(), columns.is_wide(*column)) {
            (true, true) => "wide",
            (true, false) => "",
            (false, _) => columns.class(*column),
        };
        push_element(html, "td", &[("class", Some(class)), ("style", cell.style.as_deref())], &cell.text);
    }
    push_element(html, "td", &[("class", Some(file.class_of(line)))], "");
    let code = file.subject.texts.get(file.place).and_then(|text| text.of(line));
    match code {
        Some(code) => {
            push_open(html, "td", &[("class", Some("text"))]);
            html.push_str(code.as_str());
            push_close(html, "td");
        }
        None => push_element(html, "td", &[("class", Some("text soft"))], &unquoted(line)),
    }
    push_close(html, "tr");
}

/// In place of the text of a line that no record quotes.
fn unquoted(line: &LineFacts) -> String {
    let function = line.function.as_deref().map(|function| clipped(function, SHORT_NAME).0);
    match (function, line.begins) {
        (Some(function), true) => format!("{function} begins here; the log does not quote this line"),
        (Some(function), false) => format!("a line of {function} that the log does not quote"),
        (None, _) => "the log does not quote this line".to_owned(),
    }
}

/// A narrow map of the file, for the mouse only: the table says the same.
fn map(file: File<'_>, columns: &Columns, out: &mut dyn Write) -> anyhow::Result<()> {
    let length = file.length().max(1) as f64;
    // No higher than the lines beside it.
    let rows = if file.is_short() { length as usize } else { file.listed().count() * 3 / 2 };
    let height = format!("max-height:{}px", (rows + 2) * LINE_HEIGHT);
    let frame = Element::new("div").class("map").attribute("aria-hidden", "true").style(&height);
    write_line(out, &frame.open())?;
    let mut html = String::new();
    for line in file.listed() {
        html.clear();
        let at = 100.0 * (line.number - 1) as f64 / length;
        let style = format!("top:{at:.1}%;{}", columns.bar_on_map(file.subject, line));
        let href = format!("#{}", file.panel_anchor(line));
        let class = format!("heat {}", class(line.state()));
        let attributes = [
            ("class", Some(class.as_str())),
            ("href", Some(href.as_str())),
            ("tabindex", Some("-1")),
            ("style", Some(style.as_str())),
        ];
        push_element(&mut html, "a", &attributes, "");
        out.write_all(html.as_bytes())?;
    }
    Ok(close(out, "div")?)
}

/// What the table leaves out.
fn absent(file: File<'_>, columns: &Columns, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut notes = Vec::new();
    if !columns.absent.is_empty() {
        let titles: Vec<String> = columns.absent.iter().map(|column| column.title().to_lowercase()).collect();
        notes.push(format!("Columns without a number in this file are left out: {}.", titles.join(", ")));
    }
    let hidden = file.file.lines.iter().filter(|line| !line.listed).count();
    if hidden > 0 {
        notes.push(format!(
            "{} with less to tell are left out.",
            counted(hidden, "known line", "known lines")
        ));
    }
    if file.whole().is_none() {
        notes.push(format!(
            "The log names no line after {}; how long the file is, is unknown.",
            file.length()
        ));
    }
    if !notes.is_empty() {
        note_below(out, notes.join(" "))?;
    }
    Ok(())
}
