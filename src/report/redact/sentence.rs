//! Titles of findings: the sentences of the whole report, with pseudonyms for names, and an ellipsis for a text.

use crate::analysis::findings::KindOfFinding;
use crate::facts::safe::{
    bare_operator, dtype_named, error_named, in_words, operator_named, plain_id, sizes_of, version_named,
};
use crate::facts::{LogReport, Names};
use crate::model::{self, NameOf, Sentence, SentencePart};
use crate::trace::{TextMap, instant};

/// Shown in place of a text.
const LEFT_OUT: &str = "…";

/// What titles refer to.
#[derive(Default)]
pub struct Titles<'t> {
    /// Microseconds of the first record of all logs.
    start: Option<i64>,
    /// The titles that reports of ranks have: a finding of the job quotes them.
    of_ranks: TextMap<String, &'t Sentence>,
}

impl<'t> Titles<'t> {
    pub fn of<'l>(
        logs: impl Iterator<Item = &'l LogReport<'l>>,
        of_ranks: impl Iterator<Item = &'t Sentence>,
    ) -> Titles<'t> {
        Titles {
            start: logs.filter_map(|log| instant(log.log.first_time.as_deref()?)).min(),
            of_ranks: of_ranks
                .flat_map(|title| [title.text(), title.capitalized().text()].map(|text| (text, title)))
                .collect(),
        }
    }
}

/// What people call findings of a kind.
pub fn label_of(kind: &str) -> &'static str {
    KindOfFinding::of_log(kind).map_or("Ranks", KindOfFinding::label)
}

/// A title, which begins with its kind if the whole report quotes a text there.
pub fn title(kind: &str, sentence: &Sentence, told: &Titles<'_>, names: &mut Names) -> String {
    let whole = all(sentence.redacted_parts(), told, names);
    match whole.strip_prefix(LEFT_OUT) {
        Some(rest) => format!("{}{rest}", label_of(kind)),
        None => capital(&whole),
    }
}

/// The title with a capital letter, unless it begins with a pseudonym.
fn capital(title: &str) -> String {
    let is_name =
        title.split(' ').next().is_some_and(|word| word.contains(|letter: char| letter.is_ascii_digit()));
    if is_name { title.to_owned() } else { model::capital(title) }
}

fn all(parts: &[SentencePart], told: &Titles<'_>, names: &mut Names) -> String {
    parts.iter().map(|part| shown(part, told, names)).collect()
}

fn shown(part: &SentencePart, told: &Titles<'_>, names: &mut Names) -> String {
    match part {
        SentencePart::Own(words) => words.replace('`', ""),
        SentencePart::Duration(_) => part.to_string(),
        SentencePart::CompileId(id) => plain_id(id).unwrap_or_else(|| LEFT_OUT.to_owned()),
        SentencePart::Name(NameOf::Function, name) => {
            names.known(name).unwrap_or_else(|| in_words(&names.function(name)))
        }
        SentencePart::Name(NameOf::Kernel, name) => names.kernel(name),
        SentencePart::Name(NameOf::Exception, class) => error_named(class).to_owned(),
        SentencePart::Name(NameOf::Torch, version) => {
            version_named(version).unwrap_or_else(|| LEFT_OUT.to_owned())
        }
        SentencePart::Place { file, line } => {
            let file = names.known(file).unwrap_or_else(|| names.file(file));
            line.map_or(file.clone(), |line| format!("{file}:{line}"))
        }
        SentencePart::Name(_, text)
        | SentencePart::Code(text)
        | SentencePart::Operator(text)
        | SentencePart::Shape(text)
        | SentencePart::Value(text) => safe_text(text, names),
        SentencePart::Time(stamp) => since_start(stamp, told.start),
        SentencePart::Quoted(text) => match told.of_ranks.get(text) {
            Some(title) => {
                all(title.redacted_parts(), &Titles { start: told.start, ..Titles::default() }, names)
            }
            None => LEFT_OUT.to_owned(),
        },
    }
}

/// A time of day as a duration: how long after the first record it was.
fn since_start(stamp: &str, start: Option<i64>) -> String {
    match instant(stamp).zip(start) {
        Some((us, start)) => format!("{:.1} s after the first record", (us - start).max(0) as f64 / 1e6),
        None => "at a time that is left out".to_owned(),
    }
}

/// What is shown for a name, an expression or a shape.
fn safe_text(text: &str, names: &mut Names) -> String {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if is_number || names.is_phase(text) {
        return text.to_owned();
    }
    if let Some(name) = names.known(text).or_else(|| operator_named(text)) {
        return name;
    }
    let shaped = text
        .split_once('[')
        .and_then(|(kind, _)| Some((dtype_named(kind)?, sizes_of(text.strip_prefix(kind)?)?)));
    match (shaped, bare_operator(text)) {
        (Some((kind, sizes)), _) => format!("{kind}{sizes}"),
        (None, Some(operator)) => operator.to_owned(),
        (None, None) => match (plain_id(text), dtype_named(text.trim_start_matches("torch."))) {
            (Some(id), _) => id,
            (None, Some(_)) if !text.is_empty() => text.to_owned(),
            _ => names.other(text),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::sentence::{code, compile_id, name, quoted, sentence, value};

    fn title_of(kind: &str, sentence: &Sentence) -> String {
        let mut names = Names::new(|_| false);
        names.file("/secret/a.py");
        names.function("secret");
        title(kind, sentence, &Titles::of([].into_iter(), [].into_iter()), &mut names)
    }

    #[test]
    fn a_title_keeps_own_words_and_gets_pseudonyms_for_names() {
        let function = || name(NameOf::Function, "secret");
        let shape = |text: &str| SentencePart::Shape(text.to_owned());
        let place = SentencePart::Place { file: "a.py".to_owned(), line: Some(28) };
        for (sentence, words) in [
            (
                sentence!["The first C++ build took ", SentencePart::Duration(4.16e6)],
                "The first C++ build took 4.16 s",
            ),
            (
                sentence![
                    "Rank 1 compiles ",
                    function(),
                    " as ",
                    compile_id("1/0"),
                    ", rank 0 ",
                    code("hidden")
                ],
                "Rank 1 compiles f1 as 1/0, rank 0 name1",
            ),
            (
                sentence!["Input ", code("L['x']"), " is ", shape("float32[12,16]"), ", then ", value("4")],
                "Input name1 is float32[12,16], then 4",
            ),
            (sentence!["Rank 1 breaks its graph at ", place], "Rank 1 breaks its graph at file1:28"),
            (
                sentence!["The log ends ", SentencePart::Time("11-20T05:09:30.653000".to_owned())],
                "The log ends at a time that is left out",
            ),
        ] {
            assert_eq!(title_of("toolchain", &sentence), words);
        }
    }

    #[test]
    fn a_title_has_an_ellipsis_or_its_kind_for_a_quoted_text() {
        let title = title_of("cache_miss", &sentence!["Cold cache: ", quoted("hidden")]);
        assert_eq!(title, "Cold cache: …");
        let title = title_of("graph_break", &sentence![quoted("hidden"), " (on both ranks)"]);
        assert_eq!(title, format!("{} (on both ranks)", label_of("graph_break")));
    }
}
