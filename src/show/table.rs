//! A table of `tlparse show`, and how its cells are written.

#[derive(Debug)]
pub(super) struct Table {
    pub title: &'static str,
    pub columns: Vec<&'static str>,
    pub rows: Vec<Vec<String>>,
    /// Shown instead of an empty table.
    pub empty: &'static str,
}

/// A column of a table whose rows are made of `R`.
pub(super) struct Column<R> {
    title: &'static str,
    cell: fn(&R) -> String,
}

pub(super) fn column<R>(title: &'static str, cell: fn(&R) -> String) -> Column<R> {
    Column { title, cell }
}

impl Table {
    pub(super) fn of<R>(
        title: &'static str,
        empty: &'static str,
        rows: &[R],
        columns: &[Column<R>],
    ) -> Table {
        let cells = |row: &R| columns.iter().map(|column| (column.cell)(row)).collect();
        let rows = rows.iter().map(cells).collect();
        Table { title, columns: columns.iter().map(|column| column.title).collect(), rows, empty }
    }
}

/// Shown for unknown values.
pub(super) const DASH: &str = "-";

pub(super) fn text(text: Option<&str>) -> String {
    text.unwrap_or(DASH).to_owned()
}

/// `model.py:12`
pub(super) fn place(file: Option<&str>, line: Option<i64>) -> String {
    let Some(file) = file else { return DASH.to_owned() };
    let name = file.rsplit('/').next().unwrap_or(file);
    match line.filter(|line| *line >= 0) {
        Some(line) => format!("{name}:{line}"),
        None => name.to_owned(),
    }
}
