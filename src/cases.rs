//! Reads the tables of cases that unit tests have beside the code.

/// Asserts that each row of a table has the answer that `answer` gives to its query and input; `none` in the table means no
/// answer. The rows of a query follow its name in brackets. A row is `input => answer`, where ` ¶ ` ends a line. An input of
/// several lines has `|` before each, and the lines of its answer follow behind `=>`.
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

/// The same for inputs and answers that have several parts, with `¦` between them; `\n` ends a line of a part. The name of a
/// query may be explained behind a colon.
pub(crate) fn hold_parts(table: &str, answer: impl Fn(&str, &[&str]) -> Vec<String>) {
    hold(table, |query, input| {
        let query = query.split(':').next().unwrap_or(query);
        let input = input.replace("\\n", "\n");
        let parts: Vec<&str> = input.split(" ¦ ").collect();
        Some(answer(query, &parts).join(" ¦ "))
    });
}

/// Lines without the blank between each and its mark.
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
