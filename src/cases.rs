//! Tables of cases of unit tests: what a query makes of a text.

/// Holds that each query of a table gives the answers of its rows; `none` is no answer. `[query]` begins its rows. A row is
/// `input => answer`, where ` ¶ ` ends a line, or lines behind `|` that are one input, then the lines of the answer behind
/// `=>`.
pub(crate) fn hold(table: &str, answer: impl Fn(&str, &str) -> Option<String>) {
    let mut query = "";
    let mut wrong = Vec::new();
    let mut rows = table.lines().filter(|row| !row.is_empty() && !row.starts_with('#')).peekable();
    while let Some(row) = rows.next() {
        let name = row.strip_prefix('[').and_then(|row| row.strip_suffix(']'));
        if let Some(name) = name.filter(|_| !row.contains(" =>")) {
            query = name;
            continue;
        }
        let (input, expected) = match row.strip_prefix('|').filter(|_| !row.contains(" =>")) {
            None => {
                let (input, answer) = row.split_once(" =>").unwrap_or_else(|| panic!("no answer in {row}"));
                (input.replace(" ¶ ", "\n"), answer.trim_start().to_owned())
            }
            Some(first) => {
                let more = std::iter::from_fn(|| rows.next_if(|row| row.starts_with('|'))?.get(1..));
                let input = behind_blank([first].into_iter().chain(more));
                let answer = std::iter::from_fn(|| rows.next_if(|row| row.starts_with("=>"))?.get(2..));
                (input, behind_blank(answer))
            }
        };
        let found = answer(query, &input).unwrap_or_else(|| "none".to_owned());
        if found != expected {
            wrong.push(format!("[{query}] {input}\n    gives {found}\n    and not {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same where an input has parts between `¦`, in which `\n` ends a line, and a query is explained behind a colon.
pub(crate) fn hold_parts(table: &str, answer: impl Fn(&str, &[&str]) -> Vec<String>) {
    hold(table, |query, input| {
        let query = query.split(':').next().unwrap_or(query);
        let input = input.replace("\\n", "\n");
        let parts: Vec<&str> = input.split(" ¦ ").collect();
        Some(answer(query, &parts).join(" ¦ "))
    });
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
