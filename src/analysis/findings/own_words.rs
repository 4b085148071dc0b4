//! What of an advice are words of this program: its text as the tables have it, without what the log filled into it.

use super::kind::KindOfFinding;
use super::rules::{self, Rule};

/// Fewer letters than this say nothing without what the log filled in.
const LEAST_LETTERS: usize = 20;

/// Shown in place of what the log filled in.
const LEFT_OUT: &str = "…";

/// The advice with an ellipsis for each text of the log; None if no table has it.
pub fn own_words(advice: &str) -> Option<String> {
    let of_kinds = KindOfFinding::ALL.into_iter().flat_map(|kind| kind.facts().advice.values().flatten());
    let all = of_kinds.flat_map(Rule::texts).chain(rules::texts());
    all.map(pieces).find_map(|pieces| fitted(&pieces, advice))
}

/// The words before, between and after the places of a text.
fn pieces(text: &str) -> Vec<&str> {
    text.split('{').enumerate().map(|(at, piece)| if at == 0 { piece } else { after_place(piece) }).collect()
}

fn after_place(piece: &str) -> &str {
    piece.split_once('}').map_or(piece, |(_, after)| after)
}

/// The pieces with an ellipsis for what is between them; None if the text is not made of them.
fn fitted(pieces: &[&str], text: &str) -> Option<String> {
    let letters = pieces.iter().flat_map(|piece| piece.chars()).filter(|one| one.is_alphabetic()).count();
    let (first, later) = pieces.split_first().filter(|_| letters >= LEAST_LETTERS)?;
    let (mut own, mut rest) = ((*first).to_owned(), text.strip_prefix(first)?);
    for (at, piece) in later.iter().enumerate() {
        let is_last = at + 1 == later.len();
        let (between, after) =
            if is_last { (rest.strip_suffix(piece)?, "") } else { rest.split_once(piece)? };
        own.push_str(if between.is_empty() { "" } else { LEFT_OUT });
        own.push_str(piece);
        rest = after;
    }
    rest.is_empty().then_some(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_advice_keeps_the_words_of_its_table_and_nothing_of_the_log() {
        let filled = "`fail_on_recompile_limit_hit` is set, so reaching the limit raises instead of running in eager mode.";
        let of_setting = "`…` is set, so reaching the limit raises instead of running in eager mode.";
        assert_eq!(own_words(filled).as_deref(), Some(of_setting));
        let named = "No mark is advised: the number `L['secret']` changes with the sizes, and a mark is for a tensor.";
        let own = own_words(named).unwrap();
        assert_eq!(
            own,
            "No mark is advised: the number `…` changes with the sizes, and a mark is for a tensor."
        );
        assert_eq!(own_words("Something that torch itself advises about secret."), None);
    }
}
