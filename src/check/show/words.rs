//! Sentences that all formats of a verdict share.

use crate::check::verdict::{Check, Excess, Verdict};
use crate::facts::{Aspect, FindingCost};
use crate::hidden::visible;
use crate::limits::{NAMED, SENTENCE};
use crate::model::words::{counted, file_line, first_of, shortened};
use crate::report::formats::cost_words;

/// `graph_breaks <= 0`
pub(super) fn limit(check: &Check) -> String {
    let limit = &check.limit;
    format!("{} <= {}", limit.name(), limit.allowed())
}

/// `graph_breaks: 7 distinct graph breaks, 0 allowed`
pub(super) fn sentence(check: &Check) -> String {
    let limit = &check.limit;
    let found = limit.words(check.found);
    let each =
        if limit.aspect == Aspect::Recompiles && limit.function.is_none() { " of one function" } else { "" };
    format!("{}: {found}{each}, {} allowed", limit.name(), limit.allowed())
}

/// `146 ms wasted`, `up to 113 ms`
pub(super) fn cost(cost: &FindingCost<'_>) -> String {
    cost_words(&cost.kind, cost.seconds)
}

/// `in rank 0, rank 1`, if there are several logs.
pub(super) fn ranks(verdict: &Verdict, excess: &Excess) -> Option<String> {
    if verdict.logs.len() < 2 {
        return None;
    }
    let names: Vec<&str> =
        excess.logs.iter().filter_map(|index| verdict.logs.get(*index)).map(String::as_str).collect();
    Some(format!("in {}", first_of(&names, NAMED)))
}

/// `title, at net.py:11 in forward, 4 times, 146 ms wasted`
pub(super) fn line(verdict: &Verdict, excess: &Excess) -> String {
    let mut parts = vec![one_line(&excess.item.title.replace('`', ""))];
    if let Some(file) = &excess.item.file {
        let place = file_line(file, excess.item.line);
        let function = excess.function().map(|name| format!(" in {}", one_line(name)));
        parts.push(format!("at {}{}", one_line(&place), function.unwrap_or_default()));
    }
    if excess.count > 1.0 {
        parts.push(format!("{:.0} times", excess.count));
    }
    parts.extend(excess.item.cost.as_ref().map(cost));
    parts.extend(ranks(verdict, excess));
    parts.join(", ")
}

/// A text without line breaks and hidden characters, of limited length.
pub(super) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    shortened(&visible(&line), SENTENCE).into_owned()
}

/// `2 of 5 budgets are exceeded`, `All 5 budgets hold`
pub(super) fn verdict(verdict: &Verdict) -> String {
    let all = verdict.checks.len();
    let exceeded = verdict.checks.iter().filter(|check| !check.holds()).count();
    let unmatched = verdict.checks.iter().filter(|check| check.matches_nothing).count();
    let sentence = of_budgets(verdict, all - unmatched, exceeded);
    match unmatched {
        0 => sentence,
        1 => format!("{sentence}; 1 budget is for a function that was not compiled"),
        _ => format!("{sentence}; {unmatched} budgets are for functions that were not compiled"),
    }
}

/// The same of the budgets that say something about the logs.
fn of_budgets(verdict: &Verdict, all: usize, exceeded: usize) -> String {
    match (all, exceeded) {
        (0, _) if !verdict.checks.is_empty() => "Nothing is checked".to_owned(),
        (0, _) => "Nothing is checked: the budget has no limit".to_owned(),
        (_, 0) if verdict.cut_off => {
            "Not known: a log ends within a compile, and up to there no budget is exceeded".to_owned()
        }
        (1, 0) => "The budget holds".to_owned(),
        (_, 0) => format!("All {all} budgets hold"),
        (1, _) => "The budget is exceeded".to_owned(),
        (_, 1) => format!("1 of {all} budgets is exceeded"),
        _ => format!("{exceeded} of {all} budgets are exceeded"),
    }
}

/// `7 known findings do not count.`
pub(super) fn known(verdict: &Verdict) -> Option<String> {
    let known = verdict.known?;
    Some(match known {
        0 => "Nothing that was found is in the baseline.".to_owned(),
        _ => format!(
            "Not counted, as the baseline lists them: {}.",
            counted(known, "known finding", "known findings")
        ),
    })
}
