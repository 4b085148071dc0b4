//! What a redacted report shows, by the rows of a file.

use super::names::FILES;
use super::operators::{DTYPES, OPERATORS};
use super::{Names, catalog, operators};
use crate::cases::hold_parts;

#[test]
fn a_redacted_report_shows_what_the_rows_of_their_file_say() {
    hold_parts(include_str!("cases.txt"), answer);
}

fn answer(question: &str, parts: &[&str]) -> Vec<String> {
    let text = parts[0];
    let mut names = Names::new(|_| false);
    let shown = match question {
        "operator" => operators::operator(text),
        "kernel" => operators::kernel(text),
        "sizes" => operators::sizes(text).map(str::to_owned),
        "dtype" => operators::dtype(text).map(str::to_owned),
        "functions" => return parts.iter().map(|name| names.function(name)).collect(),
        "files" => return parts.iter().map(|path| names.file(path)).collect(),
        "entry of torch's catalog" => Some(catalog::entry((text != "none").then_some(text))),
        "number of the catalog that a text ends with" => catalog::number_in(text),
        _ => panic!("{question}"),
    };
    vec![shown.unwrap_or_else(|| "none".to_owned())]
}

#[test]
fn the_lists_are_sorted_so_that_names_are_found() {
    assert!(OPERATORS.len() > 1500 && OPERATORS.is_sorted() && DTYPES.is_sorted() && FILES.is_sorted());
}
