//! Tables of cases: what a query reads in a text.

/// Holds that each query of a table gives the answers of its rows. `[query]` begins its rows. A row is `input => answer`, or
/// lines behind `|` that are one input, then the lines of the answer behind `=>`.
pub(crate) fn hold(table: &str, answer: impl Fn(&str, &str) -> Option<String>) {
    let mut query = "";
    let mut rows = table.lines().filter(|row| !row.is_empty() && !row.starts_with('#')).peekable();
    while let Some(row) = rows.next() {
        if let Some(name) = row.strip_prefix('[').and_then(|row| row.strip_suffix(']'))
            && !row.contains(" =>")
        {
            query = name;
            continue;
        }
        let (input, expected) = match row.strip_prefix('|') {
            None => row
                .split_once(" =>")
                .map(|(input, answer)| (input.to_owned(), answer.trim_start().to_owned())),
            Some(first) => {
                let more = std::iter::from_fn(|| rows.next_if(|row| row.starts_with('|'))?.get(1..));
                let input = behind_blank([first].into_iter().chain(more));
                let answer = std::iter::from_fn(|| rows.next_if(|row| row.starts_with("=>"))?.get(2..));
                Some((input, behind_blank(answer)))
            }
        }
        .unwrap_or_else(|| panic!("no answer in {row}"));
        let found = answer(query, &input).unwrap_or_else(|| "none".to_owned());
        assert_eq!(found, expected, "{query} of {input}");
    }
}

/// Lines without the blank that separates each from its mark.
fn behind_blank<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// The parts of an answer.
pub(crate) fn joined<T: ToString>(parts: impl IntoIterator<Item = T>) -> String {
    parts.into_iter().map(|part| part.to_string()).collect::<Vec<_>>().join(" ¦ ")
}

/// A part that may be missing.
pub(crate) fn maybe(part: Option<impl ToString>) -> String {
    part.map_or_else(|| "none".to_owned(), |part| part.to_string())
}
