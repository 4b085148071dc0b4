//! The tables of files.

use super::file::File;
use super::subject::ShownSource;
use crate::analysis::lines::{Counts, LinesOfFile};
use crate::limits::SHORT_TABLE;
use crate::report::kit::prelude::*;
use indexmap::IndexMap;

/// The anchor of a file's lines.
pub(super) fn anchor(place: usize) -> String {
    format!("file-{}", place + 1)
}

/// The files of the user.
pub(super) fn own(view: View<'_>, subject: &ShownSource<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let files: Vec<File<'_>> = files_of(subject, false).collect();
    let note = "where compiles begin, by compile time; a compile that begins in a library counts at your line that called it";
    view.open_section(out, ("files", "Your files", note), Some(whole(files.len())), Html::default())?;
    let elsewhere = subject.lines.elsewhere;
    let rest = (elsewhere != Counts::default()).then_some(elsewhere);
    table(view, ("files-table", "Your files"), &files, rest, out)?;
    Ok(close_section(out)?)
}

/// The files of libraries, folded by package.
pub(super) fn libraries(
    view: View<'_>,
    subject: &ShownSource<'_>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let files: Vec<File<'_>> = files_of(subject, true).collect();
    if files.is_empty() {
        return Ok(());
    }
    let note = "lines that graphs were captured from, in files that are not yours";
    view.open_section(out, ("libraries", "Library files", note), Some(whole(files.len())), Html::default())?;
    let mut packages: IndexMap<String, Vec<File<'_>>> = IndexMap::new();
    for file in files {
        packages.entry(package(&file.file.file)).or_default().push(file);
    }
    for (number, (name, files)) in packages.iter().enumerate() {
        let operators: u64 = files.iter().map(|file| file.file.counts().operators).sum();
        let about = [counted(files.len(), "file", "files"), counted(operators, "operator", "operators")];
        open_more(out, Html::joined([view.code(name), soft(about.join(", "))], " "))?;
        let id = format!("library-{}-table", number + 1);
        table(view, (&id, name), files, None, out)?;
        close(out, "details")?;
    }
    Ok(close_section(out)?)
}

pub(super) fn files_of<'s>(subject: &'s ShownSource<'s>, library: bool) -> impl Iterator<Item = File<'s>> {
    let files = subject.lines.files.iter().enumerate();
    let files = files.filter(move |(_, file)| file.is_library == library);
    files.map(move |(place, file)| File { subject, place, file })
}

/// The package of a library's file: the first folder of its path in it.
fn package(file: &str) -> String {
    let path = short_path(file);
    path.split('/').next().unwrap_or(&path).to_owned()
}

fn table(
    view: View<'_>,
    (id, label): (&str, &str),
    files: &[File<'_>],
    rest: Option<Counts>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let counts: Vec<Counts> = files.iter().map(|file| file.file.counts()).chain(rest).collect();
    let none = |of: fn(&Counts) -> bool| !counts.iter().any(of);
    let columns = vec![
        TableColumn::text("File"),
        TableColumn::number("Compile time"),
        TableColumn::number("Compiles").absent_if(none(|counts| counts.compiles > 0)),
        TableColumn::number("Breaks").absent_if(none(|counts| counts.breaks > 0)),
        TableColumn::number("Again")
            .about("compiles made again because of a line")
            .absent_if(none(|counts| counts.again > 0)),
        TableColumn::number("Fails").absent_if(none(|counts| counts.fails > 0)),
        TableColumn::number("Ops").about("captured operators").absent_if(none(|counts| counts.operators > 0)),
        TableColumn::number("Known lines").about("lines that the log names"),
    ];
    let most = counts.iter().map(|counts| counts.us).fold(0.0, f64::max);
    let table = Table { id, label, columns };
    let mut rows: Vec<Row> = files.iter().take(SHORT_TABLE).map(|file| row(view, *file, most)).collect();
    rows.extend(rest.map(|counts| row_of(soft("no line is known"), counts, None, most)));
    view.table(out, &table, rows.into_iter())?;
    view.left_out(out, files.len(), SHORT_TABLE, "files have less to tell")
}

fn row(view: View<'_>, file: File<'_>, most: f64) -> Row {
    let LinesOfFile { file: path, lines, .. } = file.file;
    let href = file.file.is_listed().then(|| format!("#{}", anchor(file.place)));
    let name = view.link_if(href.as_deref(), &short_path(path));
    row_of(Element::new("code").title(path).around(name), file.file.counts(), Some(lines.len()), most)
}

fn row_of(name: Html, counts: Counts, lines: Option<usize>, most: f64) -> Row {
    let count = |number: u64, class: &'static str| match number {
        0 => TableCell::text("").sorted(0),
        number => TableCell::count(number).class(class),
    };
    let time = match counts.us > 0.0 {
        true => TableCell::heat(counts.us, most),
        false => TableCell::text("").sorted(0),
    };
    Row::of(vec![
        TableCell::html(name),
        time,
        count(counts.compiles, "num"),
        count(counts.breaks, "num warn"),
        count(counts.again, "num warn"),
        count(counts.fails, "num err"),
        count(counts.operators, "num"),
        lines.map_or_else(TableCell::default, TableCell::count),
    ])
}
