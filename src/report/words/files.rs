//! A short description of each file of a compile.

use crate::model::words::{fits_pattern, words_of};
use crate::report::kit::formats::short_path;
use std::sync::LazyLock;

/// The description of a file by its name; empty if unknown.
pub(crate) fn about(name: &str) -> &'static str {
    FILES.iter().find(|(pattern, _)| fits_pattern(pattern, name)).map_or("", |(_, about)| *about)
}

/// Descriptions by name; the first match counts, so patterns come after the names they cover.
static FILES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| words_of(include_str!("files.txt")));

/// An artifact's name without the hash of output code.
pub(crate) fn short_name(name: &str) -> String {
    let known = "inductor_output_code";
    if name.starts_with(known) { known.to_owned() } else { short_path(name).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_explained_by_their_names() {
        assert_eq!(about("dynamo_output_graph"), "the graph Dynamo captured");
        assert_eq!(
            about("inductor_output_code_cabc"),
            "the code that Inductor wrote and that runs; saved as a file, a program: python file.py"
        );
        assert!(about("torch_dynamo_resume_in_f_at_7_ORIGINAL_BYTECODE").contains("original bytecode"));
        assert_eq!(about("fx_graph_bundled_cache_hit"), "found in this cache");
        assert_eq!(about("something_new"), "");
    }

    #[test]
    fn no_pattern_is_hidden_by_an_earlier_one() {
        for (at, (pattern, _)) in FILES.iter().enumerate() {
            let name = pattern.replace('*', "x");
            let first = FILES.iter().position(|(other, _)| fits_pattern(other, &name));
            assert_eq!(first, Some(at), "{pattern}");
        }
    }
}
