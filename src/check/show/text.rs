//! A verdict for a terminal.

use super::words::{known, limit, line, one_line, sentence, verdict as headline};
use crate::check::verdict::Verdict;
use crate::limits::FIRST;

pub(super) fn text(verdict: &Verdict) -> String {
    let mut lines = vec![format!("{}.", headline(verdict))];
    for check in verdict.checks.iter().filter(|check| !check.holds()) {
        lines.push(format!("Exceeded: {}", sentence(check)));
        for excess in check.excesses.iter().take(FIRST) {
            lines.push(format!("  {}", line(verdict, excess)));
            if let Some(page) = &excess.item.page {
                lines.push(format!("    {}", one_line(page)));
            }
        }
        let more = check.excesses.len().saturating_sub(FIRST);
        if more > 0 {
            lines.push(format!("  and {more} more"));
        }
    }
    for check in verdict.checks.iter().filter(|check| check.holds()) {
        lines.push(match check.matches_nothing {
            true => format!("Matches nothing: {} (no compiled function is called so)", limit(check)),
            false => format!("Holds: {} (found {})", limit(check), check.limit.words(check.found)),
        });
    }
    lines.extend(known(verdict));
    lines.push(String::new());
    lines.join("\n")
}
