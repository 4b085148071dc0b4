//! Numbers and paths as people read them, with a no-break space before each unit.

use crate::analysis::findings::{CostKind, CostPart};
use crate::analysis::{PACKAGES, TORCH};
use crate::model::words::duration_with;
use crate::model::words::noun;
use memchr::memmem::FinderRev;
use std::borrow::Cow;
use std::sync::LazyLock;

pub(crate) use crate::analysis::is_library;
pub(crate) use crate::analysis::resumed;

/// Shown for an unknown value.
pub(crate) const UNKNOWN: &str = "–";

/// `18.0 s (33.1 s of work)`: elapsed time, and the sum of what ran side by side in it.
pub(crate) fn micros_with_work(us: f64, work_us: Option<f64>) -> String {
    match work_us {
        Some(work_us) => format!("{} ({} of work)", micros(us), micros(work_us)),
        None => micros(us),
    }
}

/// A duration of `us` microseconds at a sensible scale: `93 us`, `318 ms`, `1.24 s`, `134.6 s`.
pub(crate) fn micros(us: f64) -> String {
    duration_with(us, '\u{a0}')
}

/// A cost in words: `27 ms wasted`, `up to 3.3 s`, `expected`. The seconds of an expected cost are shown only in the
/// list of its parts, as they are not a loss.
pub(crate) fn cost_words(kind: CostKind, us: f64) -> String {
    match kind {
        CostKind::Wasted => format!("{}\u{a0}wasted", micros(us)),
        CostKind::Avoidable => format!("up to {}", micros(us)),
        CostKind::Expected => "expected".to_owned(),
    }
}

/// A part of a cost in words: `27 ms of tracing thrown away`, `up to 3.3 s compiling 2 versions again`.
pub(crate) fn cost_part(part: &CostPart) -> String {
    let (us, what) = (micros(part.us), &part.what);
    match part.kind {
        CostKind::Wasted => format!("{us} {what}"),
        CostKind::Avoidable => format!("up to {us} {what}"),
        CostKind::Expected => format!("{us} {what}, expected"),
    }
}

/// A size: `512 bytes`, `35 KB`, `4.2 MB`; 1 KB is 1,024 bytes.
pub(crate) fn bytes(bytes: f64) -> String {
    let mut size = bytes;
    let mut unit = "bytes";
    for larger in ["KB", "MB", "GB", "TB"] {
        if size.abs() < 1023.5 {
            break;
        }
        size /= 1024.0;
        unit = larger;
    }
    match unit {
        _ if !bytes.is_finite() => UNKNOWN.to_owned(),
        "bytes" if size == 1.0 => "1\u{a0}byte".to_owned(),
        "bytes" => format!("{}\u{a0}bytes", count(size)),
        _ if size < 9.95 => format!("{size:.1}\u{a0}{unit}"),
        _ => format!("{size:.0}\u{a0}{unit}"),
    }
}

/// A number with a comma every three digits: `2,194`; at most six digits behind the point.
pub(crate) fn count(number: f64) -> String {
    if !number.is_finite() {
        return UNKNOWN.to_owned();
    }
    // Largest integer that f64 represents exactly: 2^53.
    if number.abs() > 9_007_199_254_740_992.0 {
        return format!("{number:e}");
    }
    // Nearly all are integers, which are faster to write.
    let text = match number.fract() == 0.0 {
        true => (number.abs() as u64).to_string(),
        false => format!("{:.6}", number.abs()).trim_end_matches('0').trim_end_matches('.').to_owned(),
    };
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    if whole.len() <= 3 && number >= 0.0 {
        return text;
    }
    let mut grouped = String::with_capacity(text.len() + text.len() / 3 + 1);
    if number < 0.0 && text != "0" {
        grouped.push('-');
    }
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped.push_str(rest);
    grouped
}

/// ` and 3 more`; empty if all are shown.
pub(crate) fn and_more(all: usize, shown: usize) -> String {
    match all.saturating_sub(shown) {
        0 => String::new(),
        more => format!(" and {} more", whole(more)),
    }
}

/// A whole number with a comma every three digits.
pub(crate) fn whole(number: impl TryInto<u64>) -> String {
    number.try_into().map_or_else(|_| UNKNOWN.to_owned(), |n: u64| count(n as f64))
}

/// A number with its noun: `1 failure`, `2 failures`.
pub(crate) fn counted(number: impl TryInto<u64>, one: &str, many: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{}\u{a0}{}", whole(number), noun(number, one, many))
}

/// A share of a total: `86 %`, or `0.6 %` if `fine`; unknown if the total is 0.
pub(crate) fn percent(part: f64, total: f64, fine: bool) -> String {
    let share = 100.0 * part / total;
    match share {
        _ if !share.is_finite() => UNKNOWN.to_owned(),
        _ if fine => format!("{share:.1}\u{a0}%"),
        _ => format!("{share:.0}\u{a0}%"),
    }
}

/// Searched in nearly every path; built once, as building takes longer than a search.
static PACKAGE_SEARCHES: LazyLock<[FinderRev<'static>; PACKAGES.len()]> =
    LazyLock::new(|| PACKAGES.map(FinderRev::new));

/// A short path that identifies a file: for a library, the path within its package; else its name, with the folder if
/// the name is generic.
pub(crate) fn short_path(path: &str) -> Cow<'_, str> {
    let unix = if path.contains('\\') { Cow::Owned(path.replace('\\', "/")) } else { Cow::Borrowed(path) };
    if path.starts_with('<') {
        // `<eval_with_key>.0 from /app/x.py:14 in forward`: a generated module, and where it was generated.
        return Cow::Borrowed(path.split(" from ").next().unwrap_or(path));
    }
    if !unix.contains('/') {
        return Cow::Borrowed(path);
    }
    let in_package = |p: &FinderRev<'_>| Some(p.rfind(unix.as_bytes())? + p.needle().len());
    let from = PACKAGE_SEARCHES.iter().filter_map(in_package).max();
    let in_torch = || TORCH.iter().filter_map(|p| Some(unix.rfind(p)? + 1)).min();
    // Nearly all paths are in a package or outside of torch, which avoids a dozen comparisons.
    let from = from.or_else(|| if unix.contains("/torch/") { in_torch() } else { None });
    let from = from.unwrap_or_else(|| {
        let name = unix.rfind('/').map_or(0, |at| at + 1);
        match unix.get(name..) {
            Some("__init__.py" | "__main__.py") => {
                unix.get(..name.saturating_sub(1)).and_then(|p| p.rfind('/')).map_or(0, |at| at + 1)
            }
            _ => name,
        }
    });
    let short = unix.get(from..).unwrap_or(&unix).to_owned();
    Cow::Owned(short)
}

/// The range of a symbol: `[2, ∞]`.
pub(crate) fn range(text: &str) -> String {
    text.replace("-int_oo", "\u{2212}\u{221e}").replace("int_oo", "\u{221e}")
}

/// Day and time of a timestamp such as `2026-11-20T04:43:12.653000+01:00`: `20 Nov 2026`, `04:43:12`. Without a year in the
/// timestamp, the day has none.
pub(crate) fn day_and_time(stamp: &str) -> Option<(String, &str)> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (date, time) = stamp.split_once('T')?;
    let mut parts = date.rsplit('-');
    let (day, month) = (parts.next()?, parts.next()?);
    let month = MONTHS.get(month.parse::<usize>().ok()?.checked_sub(1)?)?;
    let year = parts.next().map(|year| format!("\u{a0}{year}")).unwrap_or_default();
    Some((format!("{}\u{a0}{month}{year}", day.trim_start_matches('0')), time.get(..8)?))
}

/// The first `most` characters, and whether the text was cut.
pub(crate) fn clipped(text: &str, most: usize) -> (&str, bool) {
    // A text has at most as many characters as bytes, so short texts need no counting.
    if text.len() <= most {
        return (text, false);
    }
    match text.char_indices().nth(most) {
        Some((end, _)) => (text.get(..end).unwrap_or(text), true),
        None => (text, false),
    }
}

/// The first sentence of a text of our own, and what follows it. Code between backquotes has no sentences.
pub(crate) fn first_sentence(text: &str) -> (&str, &str) {
    let ends = text.match_indices(". ").map(|(at, _)| at + 1);
    let is_end = |at: &usize| {
        let before = text.get(..*at).unwrap_or_default();
        let next = text.get(*at + 1..).and_then(|rest| rest.chars().next());
        before.matches('`').count() % 2 == 0 && next.is_some_and(|next| next.is_uppercase() || next == '`')
    };
    match ends.into_iter().find(is_end).and_then(|at| text.split_at_checked(at)) {
        Some((first, rest)) => (first, rest.trim_start()),
        None => (text, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: String) -> String {
        text.replace('\u{a0}', " ")
    }

    #[test]
    fn durations_take_the_scale_at_which_they_are_read() {
        for (us, text) in [
            (0.0, "0 us"),
            (0.42, "0.4 us"),
            (93.0, "93 us"),
            (999.6, "1.0 ms"),
            (4_321.0, "4.3 ms"),
            (317_900.0, "318 ms"),
            (999_600.0, "1.00 s"),
            (1_243_000.0, "1.24 s"),
            (21_124_393.0, "21.1 s"),
            (134_600_000.0, "134.6 s"),
            (12_345_000_000.0, "12,345 s"),
            (f64::NAN, "–"),
        ] {
            assert_eq!(plain(micros(us)), text);
        }
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(plain(bytes(1.0)), "1 byte");
        assert_eq!(plain(bytes(512.0)), "512 bytes");
        assert_eq!(plain(bytes(1536.0)), "1.5 KB");
        assert_eq!(plain(bytes(5_765_205.0)), "5.5 MB");
        assert_eq!(plain(bytes(f64::INFINITY)), "–");
    }

    #[test]
    fn counts_have_separators() {
        assert_eq!(count(0.0), "0");
        assert_eq!(count(-0.0), "0");
        assert_eq!(count(999.0), "999");
        assert_eq!(count(-1234.5), "-1,234.5");
        assert_eq!(count(1_234_567.0), "1,234,567");
        assert_eq!(count(2.000_000_1), "2");
        assert_eq!(count(1e300), "1e300");
        assert_eq!(whole(-1i64), "–");
        assert_eq!(plain(counted(1usize, "failure", "failures")), "1 failure");
        assert_eq!(plain(counted(2_000u64, "failure", "failures")), "2,000 failures");
        assert_eq!(plain(percent(1.0, 0.0, false)), "–");
        assert_eq!(plain(percent(1.0, 160.0, true)), "0.6 %");
    }

    #[test]
    fn paths_are_shortened_to_what_identifies_them() {
        for (path, short) in [
            ("/app/s03_graph_breaks.py", "s03_graph_breaks.py"),
            ("/v/lib/python3.11/site-packages/torch/nn/modules/module.py", "torch/nn/modules/module.py"),
            ("/src/pytorch/torch/_dynamo/eval_frame.py", "torch/_dynamo/eval_frame.py"),
            ("/usr/lib/python3.11/runpy.py", "runpy.py"),
            ("/app/model/__init__.py", "model/__init__.py"),
            ("C:\\me\\train.py", "train.py"),
            ("<eval_with_key>.7", "<eval_with_key>.7"),
            ("train.py", "train.py"),
            ("", ""),
        ] {
            assert_eq!(short_path(path), short);
        }
        assert!(is_library("/v/lib/python3.11/site-packages/torch/nn/modules/module.py"));
        assert!(is_library("<frozen runpy>"));
        assert!(!is_library("/home/me/torch/train.py"));
    }

    #[test]
    fn resume_functions_name_what_they_continue() {
        assert_eq!(resumed("torch_dynamo_resume_in_f_at_9"), Some(("f", "9")));
        assert_eq!(resumed("torch_dynamo_resume_in_f_at_x"), None);
        assert_eq!(resumed("f"), None);
    }

    #[test]
    fn stamps_with_and_without_a_year_have_a_day() {
        assert_eq!(
            day_and_time("2026-11-05T04:55:35.653000+01:00"),
            Some(("5\u{a0}Nov\u{a0}2026".into(), "04:55:35"))
        );
        assert_eq!(day_and_time("11-20T04:55:35.653000"), Some(("20\u{a0}Nov".into(), "04:55:35")));
        assert_eq!(day_and_time("99-99T04:55:35.653000"), None);
    }

    #[test]
    fn text_is_clipped_between_characters() {
        assert_eq!(clipped("日本語", 2), ("日本", true));
        assert_eq!(clipped("日本語", 3), ("日本語", false));
    }
}
