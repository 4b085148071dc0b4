//! What of an advice are words of this program: its text as the tables have it, without what the log filled into it.

use super::kind::KindOfFinding;
use super::rules;
use crate::analysis::recompiles::advice_texts;

/// Fewer letters than this say nothing without what the log filled in.
const LEAST_LETTERS: usize = 20;

/// Shown in place of what the log filled in.
const LEFT_OUT: &str = "…";

/// The advice with an ellipsis for each text of the log; None if no table has it.
pub fn own_words(advice: &str) -> Option<String> {
    let of_kinds = KindOfFinding::ALL.into_iter().flat_map(|kind| kind.facts().advice.values().flatten());
    let of_kinds = of_kinds.map(|one| one.text.as_str());
    let all = of_kinds.chain(rules::texts()).chain(advice_texts());
    let own = all.map(pieces).find(|pieces| fits(pieces, advice))?;
    Some(own.join(LEFT_OUT))
}

/// The words before, between and after the places of a text.
fn pieces(text: &str) -> Vec<&str> {
    text.split('{').enumerate().map(|(at, piece)| if at == 0 { piece } else { after_place(piece) }).collect()
}

fn after_place(piece: &str) -> &str {
    piece.split_once('}').map_or(piece, |(_, after)| after)
}

/// Whether a text is made of these pieces, with anything between them.
fn fits(pieces: &[&str], text: &str) -> bool {
    let letters = pieces.iter().flat_map(|piece| piece.chars()).filter(|one| one.is_alphabetic()).count();
    let [first, between @ ..] = pieces else { return false };
    let Some(mut rest) = text.strip_prefix(first).filter(|_| letters >= LEAST_LETTERS) else { return false };
    let Some((last, between)) = between.split_last() else { return rest.is_empty() };
    for piece in between {
        let Some((_, after)) = rest.split_once(piece) else { return false };
        rest = after;
    }
    rest.ends_with(last)
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
