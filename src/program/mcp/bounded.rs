//! Answers of bounded length: some lines of a text, and a sentence that says what is left out.

use super::requests::Lines;
use crate::program::terminal::visible;

/// Lines of an answer that names no number.
const USUAL_LINES: usize = 200;
/// Most lines of an answer.
const MOST_LINES: usize = 2_000;
/// Most characters of an answer.
const MOST_CHARACTERS: usize = 40_000;
/// Most characters of a line.
const LONGEST_LINE: usize = 2_000;

/// The wanted lines of a text.
pub fn lines_of(text: &str, wanted: Lines) -> String {
    let all = text.lines().count();
    let first = wanted.first.unwrap_or(1).max(1);
    let most = wanted.count.unwrap_or(USUAL_LINES).clamp(1, MOST_LINES);
    let (mut answer, mut shown) = (String::new(), 0);
    for line in text.lines().skip(first - 1).take(most) {
        let line = cut(&visible(line));
        if shown > 0 && answer.len() + line.len() > MOST_CHARACTERS {
            break;
        }
        answer.push_str(&line);
        answer.push('\n');
        shown += 1;
    }
    if shown == 0 && all > 0 {
        return format!("[there is no line {first}: the answer has {all} lines]\n");
    }
    if shown < all {
        let last = first - 1 + shown;
        let next = if last < all { format!("; go on with first_line {}", last + 1) } else { String::new() };
        answer.push_str(&format!("[lines {first} to {last} of {all}{next}]\n"));
    }
    answer
}

/// A line of bounded length.
fn cut(line: &str) -> String {
    match line.char_indices().nth(LONGEST_LINE) {
        Some((at, _)) => {
            let left = line.chars().count() - LONGEST_LINE;
            format!("{} [{left} more characters]", line.get(..at).unwrap_or_default())
        }
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Lines, lines_of};

    fn of(text: &str, first_line: Option<usize>, lines: Option<usize>) -> String {
        lines_of(text, Lines { first: first_line, count: lines })
    }

    #[test]
    fn an_answer_says_which_lines_it_has_and_where_to_go_on() {
        assert_eq!(of("a\nb\n", None, None), "a\nb\n");
        assert_eq!(of("a\nb\nc\n", Some(2), Some(1)), "b\n[lines 2 to 2 of 3; go on with first_line 3]\n");
        assert_eq!(of("a\nb\nc\n", Some(3), None), "c\n[lines 3 to 3 of 3]\n");
        assert_eq!(of("a\n", Some(9), None), "[there is no line 9: the answer has 1 lines]\n");
    }

    #[test]
    fn neither_long_lines_nor_many_make_a_long_answer() {
        let line = format!("{}\n", "é".repeat(5_000));
        let answer = of(&line.repeat(5_000), None, Some(1_000_000));
        assert!(answer.len() < 50_000, "{}", answer.len());
        assert!(answer.contains("é [3000 more characters]"));
        assert!(
            answer.ends_with("of 5000; go on with first_line 10]\n")
                || answer.contains("go on with first_line")
        );
    }
}
