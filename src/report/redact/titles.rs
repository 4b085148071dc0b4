//! The title of a finding, made anew: of its kind, of pseudonyms, and of what the lists say of its compiles.

use crate::analysis::findings::KindOfFinding;
use crate::analysis::{Change, ChangeKind, change_of};
use crate::facts::safe::{
    self, bare_operator, catalog_entry, catalog_entry_of, dtype_named, error_named, in_words, operator_named,
    plain_id, sizes_of, version_named,
};
use crate::facts::{Compile, Finding, Id, LogReport, Names, Recompile};
use crate::model::words::{counted, ends_of};
use crate::model::{self, NameOf, Sentence, SentencePart};
use crate::trace::instant;
use std::collections::BTreeSet;

/// Functions that a title names.
const NAMED: usize = 2;

/// A finding and where its compiles are listed: the report of its log, or those of a job's ranks.
pub struct TitledFinding<'v> {
    pub finding: &'v Finding<'v>,
    /// Its title; None if only its text is known.
    pub sentence: Option<&'v Sentence>,
    pub logs: &'v [&'v LogReport<'v>],
}

pub fn title(kind: &str, subject: &TitledFinding<'_>, names: &mut Names) -> String {
    let title = match KindOfFinding::of_log(kind) {
        Some(KindOfFinding::GraphBreak) => of_break(subject, names),
        Some(KindOfFinding::Failure) => of_failure(subject, names),
        Some(KindOfFinding::RecompileLimit) => of_recompilation(true, subject, names),
        Some(KindOfFinding::Recompilation) => of_recompilation(false, subject, names),
        _ => None,
    };
    let title = match title {
        // Findings of a job say at their end which ranks they are of.
        Some(title) => format!("{title}{}", subject.sentence.and_then(ranks).unwrap_or_default()),
        None => {
            let shown = subject.sentence.and_then(|sentence| shown(sentence, subject, names));
            shown.unwrap_or_else(|| of_kind(kind, subject, names))
        }
    };
    capital(&title)
}

fn capital(title: &str) -> String {
    let is_name =
        title.split(' ').next().is_some_and(|word| word.contains(|letter: char| letter.is_ascii_digit()));
    if is_name { title.to_owned() } else { model::capital(title) }
}

/// What people call findings of a kind.
pub fn label_of(kind: &str) -> &'static str {
    KindOfFinding::of_log(kind).map_or("Ranks", KindOfFinding::label)
}

fn of_kind(kind: &str, subject: &TitledFinding<'_>, names: &mut Names) -> String {
    let functions = functions(subject, names);
    match functions.first() {
        Some(_) => format!("{} in {}", label_of(kind), named(&functions)),
        None => label_of(kind).to_owned(),
    }
}

fn ids<'v>(subject: &TitledFinding<'v>) -> BTreeSet<&'v str> {
    subject.finding.compile_ids.iter().flatten().map(|id| &**id).collect()
}

/// The entries of a list of facts that belong to the finding's compiles; of several ranks, those of the first that has any.
fn entries<'v, T>(
    subject: &TitledFinding<'v>,
    list: impl Fn(&'v LogReport<'v>) -> &'v [T],
    is_its: impl Fn(&T) -> bool,
) -> Vec<&'v T> {
    let of_log = |log: &&'v LogReport<'v>| list(log).iter().filter(|one| is_its(one)).collect::<Vec<_>>();
    subject.logs.iter().map(of_log).find(|found| !found.is_empty()).unwrap_or_default()
}

fn is_of(ids: &BTreeSet<&str>, id: Option<&Id<'_>>) -> bool {
    id.is_some_and(|id| ids.contains(&**id))
}

/// The functions of its compiles, each once.
fn functions(subject: &TitledFinding<'_>, names: &mut Names) -> Vec<String> {
    let ids = ids(subject);
    let mut functions: Vec<String> = Vec::new();
    let compiles = entries(subject, |log| &log.compiles, |one: &Compile<'_>| is_of(&ids, one.id.as_ref()));
    for compile in compiles {
        let name = compile.function.as_ref().and_then(|function| function.name.as_deref());
        let name = name.map(|name| in_words(&names.function(name)));
        functions.extend(name.filter(|name| !functions.contains(name)));
    }
    functions
}

/// `f1 and f2`, `f1, f2 and 3 more`
fn named(functions: &[String]) -> String {
    let first = functions.get(..NAMED).unwrap_or(functions);
    match functions.len() - first.len() {
        0 => first.join(" and "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

fn of_break(subject: &TitledFinding<'_>, names: &mut Names) -> Option<String> {
    let (ids, at) = (ids(subject), subject.finding);
    let is_its =
        |one: &crate::facts::GraphBreak<'_>| one.compile_ids.iter().any(|id| is_of(&ids, id.as_ref()));
    let is_here = |one: &crate::facts::GraphBreak<'_>| one.file == at.file && one.line == at.line;
    let mut breaks = entries(subject, |log| &log.graph_breaks, |one| is_here(one) && is_its(one));
    if breaks.is_empty() {
        breaks = entries(subject, |log| &log.graph_breaks, is_its);
    }
    let entry = catalog_entry_of(breaks.first()?.gb_id.as_deref().and_then(safe::break_number).as_deref());
    let functions = functions(subject, names);
    Some(if functions.is_empty() { entry } else { format!("{entry}, in {}", named(&functions)) })
}

fn of_failure(subject: &TitledFinding<'_>, names: &mut Names) -> Option<String> {
    let (ids, functions) = (ids(subject), functions(subject, names));
    let failures = entries(subject, |log| &log.failures, |one| is_of(&ids, one.compile_id.as_ref()));
    let failure = failures.first()?;
    let class = error_named(&failure.error);
    let entry = failure.reason.as_deref().and_then(catalog_entry);
    let entry = entry.map(|entry| format!(", {entry}")).unwrap_or_default();
    let who = if functions.is_empty() { "a function".to_owned() } else { named(&functions) };
    let was = if functions.len() > 1 { "were" } else { "was" };
    Some(format!("{who} {was} not compiled: {class}{entry}"))
}

/// What changed for several recompilations, one text per thing: `size of dimension 1: 4 -> 6 -> 10; dtype: Float -> Half`.
fn changes(recompiles: &[&Recompile<'_>]) -> String {
    let mut things = indexmap::IndexMap::<String, Vec<_>>::new();
    // The reason of the newest version comes first, and the others follow from it.
    for change in recompiles.iter().filter_map(|one| one.reasons.first()).map(change_of) {
        let key = format!("{:?} {:?} {:?}", change.kind, change.source, change.dimension);
        things.entry(key).or_default().push(change);
    }
    let words: indexmap::IndexSet<String> = things.values().map(|changes| change_words(changes)).collect();
    words.into_iter().collect::<Vec<_>>().join("; ")
}

/// Values of one thing that are shown: of more, the first ones and the last.
const VALUES: usize = 8;

/// Changes of one thing, without names: `size of dimension 1: 4 -> 6`.
pub fn change_words(changes: &[Change]) -> String {
    let Some(first) = changes.first() else { return "no reason recorded".to_owned() };
    let mut words = first.kind.word().to_owned();
    if let Some(dimension) = first.dimension {
        words.push_str(&format!(" of dimension {dimension}"));
    }
    let old = first.old.as_deref().and_then(|old| changed_value(first.kind, old));
    let new = changes.iter().map(|change| changed_value(change.kind, change.new.as_deref()?));
    let values: Option<Vec<&str>> = std::iter::once(old).chain(new).collect();
    let Some(values) = values else { return words };
    words.push_str(&format!(": {}", ends_of(values, VALUES).join(" -> ")));
    words
}

/// A value that is a size or a dtype.
fn changed_value(kind: ChangeKind, text: &str) -> Option<&str> {
    match kind {
        ChangeKind::Dtype => dtype_named(text),
        _ => text.parse::<u64>().ok().map(|_| text).filter(|_| kind.is_of_tensor()),
    }
}

fn of_recompilation(is_limit: bool, subject: &TitledFinding<'_>, names: &mut Names) -> Option<String> {
    let (ids, functions) = (ids(subject), functions(subject, names));
    let recompiles = entries(subject, |log| &log.recompiles, |one| is_of(&ids, one.compile_id.as_ref()));
    let changed = changes(&recompiles);
    let changed = if changed.is_empty() { "no reason recorded" } else { &changed };
    let who = match functions.as_slice() {
        [] => "a function".to_owned(),
        [one] => one.clone(),
        several => counted(several.len(), "function", "functions"),
    };
    Some(match (is_limit, functions.len()) {
        (true, _) => format!("{who} reached the recompile limit: {changed}"),
        (_, 0 | 1) => format!("{who} was compiled {} times: {changed}", ids.len()),
        _ => format!("{who} were compiled again: {changed}"),
    })
}

/// ` (on both ranks)`
fn ranks(sentence: &Sentence) -> Option<String> {
    let own = |part: &SentencePart| match part {
        SentencePart::Own(words) => Some(words.clone().into_owned()),
        _ => None,
    };
    let mut end: Vec<String> = sentence.parts().iter().rev().map_while(own).collect();
    end.reverse();
    let end = end.concat();
    let words = end.get(end.rfind(" (")?..)?;
    (words.ends_with(')') && words.contains("rank")).then(|| words.to_owned())
}

/// The sentence with pseudonyms; None if it quotes a text.
fn shown(sentence: &Sentence, subject: &TitledFinding<'_>, names: &mut Names) -> Option<String> {
    let shown = |part: &SentencePart| match part {
        SentencePart::Time(stamp) => Some(since_start(stamp, subject.logs)),
        _ => shown_part(part, names),
    };
    sentence.parts().iter().map(shown).collect()
}

/// A time of day as a duration: how long after the first record of all logs it was.
fn since_start(stamp: &str, logs: &[&LogReport<'_>]) -> String {
    let start = logs.iter().filter_map(|log| instant(log.log.first_time.as_deref()?)).min();
    match instant(stamp).zip(start) {
        Some((us, start)) => format!("{:.1} s after the first record", (us - start).max(0) as f64 / 1e6),
        None => "at a time that is left out".to_owned(),
    }
}

fn shown_part(part: &SentencePart, names: &mut Names) -> Option<String> {
    Some(match part {
        SentencePart::Own(words) => words.replace('`', ""),
        SentencePart::Duration(_) => part.to_string(),
        SentencePart::CompileId(id) => plain_id(id)?,
        SentencePart::Name(NameOf::Kernel, name) => names.kernel(name),
        SentencePart::Name(NameOf::Exception, class) => error_named(class).to_owned(),
        SentencePart::Name(NameOf::Torch, version) => version_named(version)?,
        SentencePart::Place { file, line } => {
            let file = names.known(file).unwrap_or_else(|| names.file(file));
            line.map_or(file.clone(), |line| format!("{file}:{line}"))
        }
        SentencePart::Name(_, text)
        | SentencePart::Code(text)
        | SentencePart::Operator(text)
        | SentencePart::Shape(text)
        | SentencePart::Value(text) => safe_text(text, names),
        SentencePart::Time(_) | SentencePart::Quoted(_) => return None,
    })
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
    use crate::facts::{Compile, Function};
    use crate::model::sentence::{code, compile_id, name, quoted, sentence, value};

    fn title_of(kind: &str, sentence: &Sentence) -> String {
        let function =
            Function { name: Some("secret".into()), file: Some("/secret/a.py".into()), line: None };
        let compile = Compile { id: Some(Id::new("0/0")), function: Some(function), ..Compile::default() };
        let log = LogReport { compiles: vec![compile].into(), ..LogReport::default() };
        let compile_ids = vec![Some(Id::new("0/0"))].into();
        let finding = Finding { title: sentence.text().into(), compile_ids, ..Finding::default() };
        let mut names = Names::new(|_| false);
        names.file("/secret/a.py");
        names.function("secret");
        let subject = TitledFinding { finding: &finding, sentence: Some(sentence), logs: &[&log] };
        title(kind, &subject, &mut names)
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
    fn a_title_that_quotes_a_text_is_its_kind() {
        let title = title_of("cache_miss", &sentence!["Cold cache: ", quoted("hidden")]);
        assert!(title.ends_with(" in f1"), "{title}");
    }

    #[test]
    fn what_changed_is_its_kind_with_sizes_and_dtypes_and_no_name() {
        let of = |texts: &[&str]| {
            let recompile = |text: &&str| Recompile {
                reasons: vec![crate::facts::Reason { text: text.to_string().into(), ..Default::default() }]
                    .into(),
                ..Recompile::default()
            };
            let all: Vec<Recompile<'_>> = texts.iter().map(recompile).collect();
            changes(&all.iter().collect::<Vec<_>>())
        };
        let sizes = [
            "tensor 'secret' size mismatch at index 1. expected 4, actual 6",
            "tensor 'secret' size mismatch at index 1. expected 6, actual 10",
        ];
        assert_eq!(of(&sizes), "size of dimension 1: 4 -> 6 -> 10");
        let dtype = "tensor 'secret' dtype mismatch. expected Float, actual Double";
        assert_eq!(of(&[dtype, sizes[0]]), "dtype: Float -> Double; size of dimension 1: 4 -> 6");
        assert_eq!(of(&["tensor 'secret' dtype mismatch. expected Float, actual Secret"]), "dtype");
        for (text, words) in [
            ("k == 12345", "Python value"),
            ("cfg.mode == 'secret'  # secret line", "Python value"),
            ("GLOBAL_STATE changed: grad_mode ", "global or grad state"),
            ("secret of a later torch", "other"),
        ] {
            assert_eq!(of(&[text]), words, "{text}");
        }
    }
}
