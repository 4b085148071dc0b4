//! Words that all advice shares.

use crate::analysis::findings::{Advice, KindOfFinding};
use crate::analysis::user_place::UserPlace;
use crate::model::words::file_name;

/// What `kinds.toml` advises in a case, with these names in the places of its texts.
pub(super) fn says(case: &str, names: &[(&'static str, &str)]) -> Vec<Advice> {
    KindOfFinding::Recompilation.advice(case, names)
}

/// The line in words: ``model.py:33, `code` ``.
pub(super) fn line_of(place: &UserPlace) -> String {
    let line = place.line.map_or_else(String::new, |line| format!(":{line}"));
    let file = place.file.as_deref().map_or("A line", file_name);
    let code = place.loc.as_deref().map_or_else(String::new, |loc| format!(", `{}`,", loc.trim()));
    format!("{file}{line}{code}")
}

/// `4 compiles become 1`
pub(super) fn compiles_become(before: usize, after: usize) -> String {
    let noun = if before == 1 { "compile becomes" } else { "compiles become" };
    format!("{before} {noun} {after}")
}
