//! Texts of a log in GitHub's Markdown. To prevent links, mentions, headings, images and markup, text that could become
//! any of these is written as code, which GitHub shows verbatim.

use crate::hidden::visible;
use crate::model::words::shortened;
use crate::report::kit::formats::clipped;

/// Texts in one line, as inline code and cut if long; a blank text is marked as such.
pub(crate) fn code(text: &str, most: usize) -> String {
    let line = one_line(text);
    if line.is_empty() { "(empty)".to_owned() } else { span(&shortened(&line, most)) }
}

/// A sentence: text between backquotes is code, and so is each word with a meaning in Markdown.
pub(crate) fn prose(text: &str, most: usize) -> String {
    let line = one_line(text);
    let (shown, is_cut) = clipped(&line, most);
    let mut parts: Vec<&str> = shown.split('`').collect();
    // An unpaired backquote does not begin code.
    let unpaired = parts.len().is_multiple_of(2).then(|| parts.pop()).flatten();
    let mut out = String::new();
    for (at, part) in parts.into_iter().enumerate() {
        if at % 2 == 1 && !part.trim().is_empty() {
            push_span(&mut out, part.trim());
        } else {
            push_words(&mut out, part);
        }
    }
    if let Some(rest) = unpaired {
        push_words(&mut out, rest);
    }
    if is_cut {
        out.push('…');
    }
    out.trim().to_owned()
}

/// Markdown for a table cell, where a bar ends the cell even within code.
pub(crate) fn cell(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut backslashes = 0;
    for character in markdown.chars() {
        if character == '|' {
            // A backslash before the bar would be taken for its escape.
            out.extend(std::iter::repeat_n('\\', backslashes + 1));
        }
        backslashes = if character == '\\' { backslashes + 1 } else { 0 };
        out.push(character);
    }
    out
}

/// A code block whose fence is longer than any fence in it.
pub(crate) fn block(lines: &[String]) -> String {
    let lines: Vec<_> = lines.iter().map(|line| visible(line)).collect();
    let longest = lines.iter().map(|line| longest_run(line)).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}", lines.join("\n"))
}

/// The text on one line, without hidden characters, with single spaces.
fn one_line(text: &str) -> String {
    text.split_whitespace().map(visible).collect::<Vec<_>>().join(" ")
}

/// Inline code with a longer fence than any in it.
fn span(text: &str) -> String {
    let fence = "`".repeat(longest_run(text) + 1);
    // A backquote at an end would be read as part of the fence.
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

/// Adds code, separated from preceding code.
fn push_span(out: &mut String, text: &str) {
    if out.ends_with('`') {
        out.push(' ');
    }
    out.push_str(&span(text));
}

/// Adds words; consecutive words with a meaning in Markdown become one piece of code.
fn push_words(out: &mut String, text: &str) {
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    for run in words.chunk_by(|one, next| has_meaning(one) && has_meaning(next)) {
        let text = run.concat();
        if !run.iter().any(|word| has_meaning(word)) {
            out.push_str(&text);
            continue;
        }
        let (before, core, after) = core_of(text.trim_end());
        out.push_str(before);
        push_span(out, core);
        out.push_str(after);
        out.push_str(if text.ends_with(' ') { " " } else { "" });
    }
}

/// Whether a word could become markup, a mention, a link, an issue, a commit or an emoji.
fn has_meaning(word: &str) -> bool {
    // Nearly all words are only letters, which cannot become any of these.
    if word.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b' ' | b',')) {
        return false;
    }
    // These have a meaning only at the start of a line, where these sentences never are.
    if matches!(word.trim_end(), "->" | "=>" | ">=" | ">") {
        return false;
    }
    let is_special = |c: char| "\\`*_{}[]<>#|~$&@^".contains(c);
    let lower = word.to_ascii_lowercase();
    word.contains(is_special)
        || lower.contains("://")
        || lower.contains("www.")
        || lower.contains("gh-")
        || word.matches(':').count() > 1
        || is_commit(&lower)
}

/// Whether a word is the hash of a commit, which GitHub links.
fn is_commit(word: &str) -> bool {
    let core = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    core.len() >= 7
        && core.bytes().all(|byte| byte.is_ascii_hexdigit())
        && core.bytes().any(|byte| byte.is_ascii_digit())
}

/// A word without surrounding punctuation.
fn core_of(word: &str) -> (&str, &str, &str) {
    let start = word.len() - word.trim_start_matches(['(', '"', '\'']).len();
    let (before, rest) = word.split_at(start);
    // The second colon of an emoji is not punctuation.
    let ends: &[char] = match rest.starts_with(':') {
        true => &['.', ',', ';', '!', '?', '"', '\''],
        false => &['.', ',', ';', ':', '!', '?', '"', '\''],
    };
    let core = rest.trim_end_matches(ends);
    let opened = core.contains('(');
    let core = if opened { core } else { core.trim_end_matches([')', '.', ',']) };
    if core.is_empty() {
        return ("", word, "");
    }
    let after = rest.get(core.len()..).unwrap_or_default();
    (before, core, after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_enclosed_in_more_backquotes_than_it_holds() {
        assert_eq!(code("x.shape[1]", 40), "`x.shape[1]`");
        assert_eq!(code("a `b` c", 40), "``a `b` c``");
        assert_eq!(code("`", 40), "`` ` ``");
        assert_eq!(code(" \n ", 40), "(empty)");
        assert_eq!(code("two\n  lines\u{202e}", 40), "`two lines\\u{202e}`");
        assert_eq!(code("abcdef", 3), "`abc…`");
    }

    #[test]
    fn words_that_mean_something_in_markdown_become_code() {
        for (text, markdown) in [
            ("size `x.shape[1]`: 4 -> 6", "size `x.shape[1]`: 4 -> 6"),
            ("call of print() (in f_1).", "call of print() (in `f_1`)."),
            ("ask @everyone, see #12", "ask `@everyone`, see `#12`"),
            ("types ['str', 'tuple'] (no `kwargs`)", "types `['str', 'tuple']` (no `kwargs`)"),
            ("see https://example.org/x.", "see `https://example.org/x`."),
            ("www.example.org and a@b.org", "`www.example.org` and `a@b.org`"),
            ("<img src=x onerror=1>", "`<img` src=x `onerror=1>`"),
            ("[click](javascript:alert)", "`[click](javascript:alert)`"),
            ("![x](y) and :tada: or **bold**", "`![x](y)` and `:tada:` or `**bold**`"),
            ("fixed in 0123abc", "fixed in `0123abc`"),
            ("`a`b_c", "`a` `b_c`"),
            ("one ` alone", "one  alone"),
            ("", ""),
        ] {
            assert_eq!(prose(text, 200), markdown);
        }
    }

    #[test]
    fn a_bar_ends_no_cell() {
        assert_eq!(cell("`a|b`"), "`a\\|b`");
        assert_eq!(cell("`a\\|b`"), "`a\\\\\\|b`");
    }

    #[test]
    fn no_line_of_a_block_ends_it() {
        let text = block(&["```".to_owned(), "````x".to_owned(), "\u{7}".to_owned()]);
        assert_eq!(text, "`````text\n```\n````x\n\\u{7}\n`````");
    }
}
