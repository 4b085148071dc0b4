//! Small rules for wording and for reading texts, shared by all layers.

use crate::limits::IN_ROW;
use std::borrow::Cow;
use std::fmt::Display;
use std::ops::RangeInclusive;

/// An enum whose variants each have a word, which files and pages show, by the method that is named behind the enum. It is
/// written to JSON as that word.
macro_rules! worded {
    ($(#[$about:meta])* pub enum $name:ident.$word:ident { $($(#[$doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$about])*
        pub enum $name {
            $($(#[$doc])* $variant,)*
        }

        impl $name {
            /// All of them, in the order of reports.
            pub const ALL: [$name; [$($text),*].len()] = [$($name::$variant),*];

            /// Its word.
            pub const fn $word(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)*
                }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(self.$word())
            }
        }
    };
}
pub(crate) use worded;

/// `one` for a count of 1, otherwise `many`.
pub fn noun<'w>(number: u64, one: &'w str, many: &'w str) -> &'w str {
    if number == 1 { one } else { many }
}

/// A number with its noun: `1 compile`, `2 compiles`.
pub fn counted(number: impl TryInto<u64>, one: &str, many: &str) -> String {
    let number = number.try_into().unwrap_or(u64::MAX);
    format!("{number} {}", noun(number, one, many))
}

/// `a, b and 3 more`: the first of some names.
pub fn first_of(names: &[impl AsRef<str>], most: usize) -> String {
    let first: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    match names.len() - first.len() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub fn list_of(words: &[String]) -> String {
    match words.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
    }
}

/// `rank 1`, `ranks 3 and 5`, `ranks 0 to 3, 7 and 9`; many as `ranks 0, 2, 4, 6, 8 and 120 more`. The numbers are ascending.
pub fn ranks_by_number(ranks: &[u64]) -> String {
    let runs = ranks.chunk_by(|one, next| one.checked_add(1) == Some(*next));
    let run = |run: &[u64]| Some(*run.first()?..=*run.last()?);
    ranks_in(&runs.filter_map(run).collect::<Vec<_>>())
}

/// The same of ranges that are ascending.
pub fn ranks_in(ranges: &[RangeInclusive<u64>]) -> String {
    // Two in a row are not a range.
    let ranges = ranges.iter().flat_map(|range| match (*range.start(), *range.end()) {
        (first, last) if last.checked_sub(first) == Some(1) => vec![first..=first, last..=last],
        _ => vec![range.clone()],
    });
    let ranges: Vec<RangeInclusive<u64>> = ranges.collect();
    let word = |range: &RangeInclusive<u64>| match range.start() == range.end() {
        true => range.start().to_string(),
        false => format!("{} to {}", range.start(), range.end()),
    };
    let count = |ranges: &[RangeInclusive<u64>]| -> u64 {
        ranges.iter().map(|range| range.end().saturating_sub(*range.start()).saturating_add(1)).sum()
    };
    let shown = if ranges.len() > IN_ROW { IN_ROW - 1 } else { ranges.len() };
    let (shown, more) = ranges.split_at(shown);
    let mut words: Vec<String> = shown.iter().map(word).collect();
    words.extend((!more.is_empty()).then(|| format!("{} more", count(more))));
    let noun = if count(&ranges) == 1 { "rank" } else { "ranks" };
    format!("{noun} {}", list_of(&words))
}

/// The values; if there are more than `most`, the first ones and the last, with `..` between them.
pub fn ends_of<'t, T: From<&'t str>>(mut values: Vec<T>, most: usize) -> Vec<T> {
    if values.len() > most {
        let last = values.pop();
        values.truncate(most - 2);
        values.push("..".into());
        values.extend(last);
    }
    values
}

/// A duration of `us` microseconds at a sensible scale: `93 us`, `318 ms`, `1.24 s`, `134.6 s`; a dash where it is
/// none.
pub fn duration(us: f64) -> String {
    duration_with(us, ' ')
}

/// The same with another space between number and unit.
pub(crate) fn duration_with(us: f64, space: char) -> String {
    match us.abs() {
        _ if !us.is_finite() => "–".to_owned(),
        size if size < 9.95 && us.fract() != 0.0 => format!("{us:.1}{space}us"),
        size if size < 999.5 => format!("{us:.0}{space}us"),
        size if size < 9_950.0 => format!("{:.1}{space}ms", us / 1e3),
        size if size < 999_500.0 => format!("{:.0}{space}ms", us / 1e3),
        size if size < 9_995_000.0 => format!("{:.2}{space}s", us / 1e6),
        size if size < 1e9 => format!("{:.1}{space}s", us / 1e6),
        _ => format!("{}{space}s", with_commas((us / 1e6).round())),
    }
}

/// A whole number with a comma every three digits: `2,194`.
pub fn with_commas(number: f64) -> String {
    let digits = format!("{:.0}", number.abs());
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if number < 0.0 { format!("-{text}") } else { text }
}

/// The first line of a message that says something; if it only announces the next line, that one too.
pub fn headline(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    match lines.next() {
        Some(next) if first.ends_with(':') => format!("{first} {next}"),
        _ => first.to_owned(),
    }
}

/// Folders of installed packages; the rest of the path identifies a file.
pub const PACKAGES: [&str; 2] = ["/site-packages/", "/dist-packages/"];

/// The function and line of a resume function: `f` and `9` of `torch_dynamo_resume_in_f_at_9`.
pub fn resumed(name: &str) -> Option<(&str, &str)> {
    let (function, line) = name.strip_prefix("torch_dynamo_resume_in_")?.rsplit_once("_at_")?;
    (!function.is_empty() && line.bytes().all(|b| b.is_ascii_digit())).then_some((function, line))
}

/// The name of a file without its folders, of Unix and Windows paths.
pub fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The folder of the cache that holds a file which Inductor generated: `/tmp/torchinductor_me` of
/// `/tmp/torchinductor_me/xt/cxtwtw.py`. None for other files.
pub fn cache_folder(file: &str) -> Option<&str> {
    let (folder, name) = file.rsplit_once(['/', '\\'])?;
    let (cache, shard) = folder.rsplit_once(['/', '\\'])?;
    // A file is in a folder named after two characters of the file's name.
    (shard.chars().count() == 2 && name.get(1..).is_some_and(|rest| rest.starts_with(shard))).then_some(cache)
}

/// `file:line`, or the file where no line is known.
pub fn file_line(file: &str, line: Option<impl Display>) -> String {
    line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}"))
}

/// The folder of a rank's report.
pub fn rank_folder(rank: u64) -> String {
    format!("rank_{rank}")
}

/// Text whose spaces are all spaces: numbers on pages do not break from their units.
pub fn plain(text: &str) -> String {
    text.replace('\u{a0}', " ")
}

/// A text, or its first `most` characters and an ellipsis.
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or(text))),
        None => Cow::Borrowed(text),
    }
}

/// How alike two words are that are probably the same.
const ALIKE: f64 = 0.8;

/// The known word that was probably meant.
pub fn most_similar<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let word = word.to_lowercase();
    let likeness = |known: &str| strsim::jaro_winkler(&known.to_lowercase(), &word);
    let found = known.into_iter().map(|known| (likeness(known), known)).filter(|(alike, _)| *alike > ALIKE);
    found.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, known)| known)
}

/// The lines of a list that comes with the program; lines with `#` are comments.
pub fn lines_of(list: &'static str) -> Vec<&'static str> {
    list.lines().filter(|line| !line.starts_with('#')).collect()
}

/// The names of such a list with their words: `name = words`.
pub fn words_of(list: &'static str) -> Vec<(&'static str, &'static str)> {
    lines_of(list).into_iter().filter_map(|line| line.split_once(" = ")).collect()
}

/// Whether `text` matches `pattern`, in which each `*` matches any text.
pub fn fits_pattern(pattern: &str, text: &str) -> bool {
    // Fast path: most patterns of a table begin with another letter.
    let (first, begins) = (pattern.bytes().next(), text.bytes().next());
    if first != begins && first != Some(b'*') {
        return false;
    }
    let mut parts = pattern.split('*');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some((_, behind)) = rest.split_once(part) else { return false };
        rest = behind;
    }
    rest.ends_with(last)
}

/// The text without addresses of Python objects: `<function f at 0x7f432ad258a0>` is `<function f>`.
pub fn without_addresses(text: &str) -> String {
    let mut parts = text.split(" at 0x");
    let mut clean = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        clean.push_str(part.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
    }
    clean
}
