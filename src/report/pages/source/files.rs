//! The tables of files.

use super::file::File;
use super::subject::ShownSource;
use crate::analysis::lines::{Counts, LinesOfFile};
use crate::limits::SHORT_TABLE;
use crate::report::doc::{Block, Cell, Listing, Others, Rows, Section, micros, own, some};
use crate::report::kit::formats::{counted, short_path};
use indexmap::IndexMap;

/// The anchor of a file's lines.
pub(super) fn anchor(place: usize) -> String {
    format!("file-{}", place + 1)
}

/// The files of the user.
pub(super) fn of_user<'s>(subject: &'s ShownSource<'s>) -> Section<'s> {
    let files: Vec<File<'s>> = files_of(subject, false).collect();
    let count = files.len();
    let elsewhere = subject.lines.elsewhere;
    let rest = (elsewhere != Counts::default()).then_some(elsewhere);
    let list = Block::Table(listing("files".to_owned(), "Your files".to_owned(), files, rest));
    Section::new("files", "Your files", vec![list]).counted(count).about(
        "where compiles begin, by compile time; a compile that begins in a library counts at your line that called it",
    )
}

/// The files of libraries, folded by package.
pub(super) fn libraries<'s>(subject: &'s ShownSource<'s>) -> Option<Section<'s>> {
    let files: Vec<File<'s>> = files_of(subject, true).collect();
    let count = files.len();
    let mut packages: IndexMap<String, Vec<File<'s>>> = IndexMap::new();
    for file in files {
        packages.entry(package(&file.file.file)).or_default().push(file);
    }
    let folds = packages.into_iter().enumerate().map(|(at, (name, files))| {
        let operators: u64 = files.iter().map(|file| file.file.counts().operators).sum();
        let about = [counted(files.len(), "file", "files"), counted(operators, "operator", "operators")];
        let summary = vec![Cell::Code(name.clone().into()), own(about.join(", ")).span("soft")];
        let list = listing(format!("library-{}", at + 1), name, files, None);
        Block::More { summary: Cell::Beside(summary, " "), blocks: vec![Block::Table(list)] }
    });
    let folds: Vec<_> = folds.collect();
    (count > 0).then(|| {
        Section::new("libraries", "Library files", folds)
            .counted(count)
            .about("lines that graphs were captured from, in files that are not yours")
    })
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

/// A row of a table of files.
struct FileRow<'s> {
    /// The file; None of what is in no file.
    file: Option<File<'s>>,
    counts: Counts,
}

fn listing<'s>(id: String, label: String, files: Vec<File<'s>>, rest: Option<Counts>) -> Listing<'s> {
    let most = SHORT_TABLE + usize::from(rest.is_some());
    let all = files.into_iter().map(|file| FileRow { counts: file.file.counts(), file: Some(file) });
    let mut rows: Vec<FileRow<'s>> = all.collect();
    // What is in no file stands below those that are shown.
    let end = rows.len().min(SHORT_TABLE);
    rows.splice(end..end, rest.map(|counts| FileRow { file: None, counts }));
    let longest_us = rows.iter().map(|row| row.counts.us).fold(0.0, f64::max);
    Rows::of(rows)
        .text("File", |row| name(row.file))
        .number("Compile time", move |row| match row.counts.us > 0.0 {
            true => micros(Some(row.counts.us)).bar(row.counts.us, row.counts.us, longest_us),
            false => Cell::Blank,
        })
        .optional()
        .number("Compiles", |row| some(row.counts.compiles))
        .number("Breaks", |row| some(row.counts.breaks).class("warn"))
        .number("Again", |row| some(row.counts.again).class("warn"))
        .explained("compiles made again because of a line")
        .number("Fails", |row| some(row.counts.fails).class("err"))
        .number("Ops", |row| some(row.counts.operators))
        .explained("captured operators")
        .number("Known lines", |row| row.file.map_or(Cell::Blank, |file| file.file.lines.len().into()))
        .explained("lines that the log names")
        .first(most, Others::Elsewhere("files have less to tell"))
        .listing(id, label, "")
}

/// The name of a file, which leads to its lines.
fn name(file: Option<File<'_>>) -> Cell<'_> {
    let Some(file) = file else { return Cell::from("no line is known").span("soft") };
    let LinesOfFile { file: path, .. } = file.file;
    let href = file.file.is_listed().then(|| format!("#{}", anchor(file.place)));
    Cell::Code(short_path(path)).at(href).titled(path)
}
