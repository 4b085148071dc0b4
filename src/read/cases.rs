//! Rows of test cases, `input => answer`, below the name of a query in brackets. ` ¶ ` is the end of a line.

/// Asserts that each row has the answer that `answer` gives to its query and input; "none" is None.
pub(crate) fn hold(rows: &str, answer: impl Fn(&str, &str) -> Option<String>) {
    let mut query = "";
    let mut wrong = Vec::new();
    for row in rows.lines().filter(|row| !row.is_empty() && !row.starts_with('#')) {
        match row.strip_prefix('[').and_then(|row| row.strip_suffix(']')) {
            Some(name) => query = name,
            None => {
                let (text, expected) = row.split_once(" =>").expect(row);
                let found = answer(query, &text.replace(" ¶ ", "\n")).unwrap_or_else(|| "none".to_owned());
                if found != expected.trim_start() {
                    wrong.push(format!("[{query}] {row}\n    gives {found}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
