//! The title of a finding, made anew: of its kind, of pseudonyms, and of what the lists say of its compiles.

use crate::facts::safe::{
    self, bare_operator, catalog_entry, catalog_entry_of, change_words, dtype_named, error_named, in_words,
    label_of, operator_named, sizes_of,
};
use crate::facts::{Compile, Finding, Id, LogReport, Names, Recompile};
use crate::model::words::counted;
use std::collections::BTreeSet;

/// Words of titles that this program writes around what it quotes, sorted. A title with any other word is not shown.
const WORDS: &str = include_str!("words_of_titles.txt");

/// Names of torch that titles quote.
const QUOTED: [&str; 5] = [
    "compile_file",
    "compile_threads",
    "torch._dynamo.disable()",
    "torch._dynamo.graph_break()",
    "torch.compile",
];

/// Functions that a title names.
const NAMED: usize = 2;

/// A finding and where its compiles are listed: the report of its log, or those of a job's ranks.
pub struct Subject<'v> {
    pub finding: &'v Finding<'v>,
    pub logs: &'v [&'v LogReport<'v>],
}

/// The title.
pub fn title(kind: &str, subject: &Subject<'_>, names: &mut Names) -> String {
    let title = match kind {
        "graph_break" => of_break(subject, names),
        "failure" => of_failure(subject, names),
        "recompilation" | "recompile_limit" => of_recompilation(kind, subject, names),
        _ => None,
    };
    let whole = &*subject.finding.title;
    let title = match title {
        // Findings of a job say at their end which ranks they are of.
        Some(title) => format!("{title}{}", ranks(whole, names).unwrap_or_default()),
        None => told(whole, names).unwrap_or_else(|| of_kind(kind, subject, names)),
    };
    capital(&title)
}

fn capital(title: &str) -> String {
    let is_name =
        title.split(' ').next().is_some_and(|word| word.contains(|letter: char| letter.is_ascii_digit()));
    let mut letters = title.chars();
    match letters.next() {
        Some(first) if !is_name => first.to_uppercase().chain(letters).collect(),
        _ => title.to_owned(),
    }
}

fn of_kind(kind: &str, subject: &Subject<'_>, names: &mut Names) -> String {
    let functions = functions(subject, names);
    match functions.first() {
        Some(_) => format!("{} in {}", label_of(kind), named(&functions)),
        None => label_of(kind).to_owned(),
    }
}

fn ids<'v>(subject: &Subject<'v>) -> BTreeSet<&'v str> {
    subject.finding.compile_ids.iter().flatten().map(|id| &**id).collect()
}

/// The entries of a list of facts that belong to the finding's compiles; of several ranks, those of the first that has any.
fn entries<'v, T>(
    subject: &Subject<'v>,
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
fn functions(subject: &Subject<'_>, names: &mut Names) -> Vec<String> {
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
    let more = functions.len().saturating_sub(NAMED);
    let mut words =
        functions.iter().take(NAMED).cloned().collect::<Vec<_>>().join(if more > 0 { ", " } else { " and " });
    if more > 0 {
        words.push_str(&format!(" and {more} more"));
    }
    words
}

fn of_break(subject: &Subject<'_>, names: &mut Names) -> Option<String> {
    let (ids, at) = (ids(subject), subject.finding);
    let is_its =
        |one: &crate::facts::GraphBreak<'_>| one.compile_ids.iter().any(|id| is_of(&ids, id.as_ref()));
    let is_here = |one: &crate::facts::GraphBreak<'_>| one.file == at.file && one.line == at.line;
    let mut breaks = entries(subject, |log| &log.graph_breaks, |one| is_here(one) && is_its(one));
    if breaks.is_empty() {
        breaks = entries(subject, |log| &log.graph_breaks, is_its);
    }
    let entry = catalog_entry_of(safe::break_number(breaks.first()?.gb_id.as_deref()).as_deref());
    let functions = functions(subject, names);
    Some(if functions.is_empty() { entry } else { format!("{entry}, in {}", named(&functions)) })
}

fn of_failure(subject: &Subject<'_>, names: &mut Names) -> Option<String> {
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
    for change in recompiles.iter().filter_map(|one| one.reasons.first()).map(|reason| reason.change()) {
        let key = format!("{:?} {:?} {:?}", change.kind, change.source, change.dimension);
        things.entry(key).or_default().push(change);
    }
    let words: indexmap::IndexSet<String> = things.values().map(|changes| change_words(changes)).collect();
    words.into_iter().collect::<Vec<_>>().join("; ")
}

fn of_recompilation(kind: &str, subject: &Subject<'_>, names: &mut Names) -> Option<String> {
    let (ids, functions) = (ids(subject), functions(subject, names));
    let recompiles = entries(subject, |log| &log.recompiles, |one| is_of(&ids, one.compile_id.as_ref()));
    let changed = changes(&recompiles);
    let changed = if changed.is_empty() { "no reason recorded" } else { &changed };
    let who = match functions.as_slice() {
        [] => "a function".to_owned(),
        [one] => one.clone(),
        several => counted(several.len(), "function", "functions"),
    };
    Some(match (kind, functions.len()) {
        ("recompile_limit", _) => format!("{who} reached the recompile limit: {changed}"),
        (_, 0 | 1) => format!("{who} was compiled {} times: {changed}", ids.len()),
        _ => format!("{who} were compiled again: {changed}"),
    })
}

/// ` (on both ranks)`
fn ranks(title: &str, names: &mut Names) -> Option<String> {
    let (_, words) = title.strip_suffix(')')?.rsplit_once(" (")?;
    words.contains("rank").then(|| told(words, names)).flatten().map(|words| format!(" ({words})"))
}

/// A title as it is but for what it quotes, where all other words are this program's own.
fn told(title: &str, names: &mut Names) -> Option<String> {
    let mut told = String::new();
    for (number, piece) in title.split('`').enumerate() {
        match number % 2 {
            0 if piece
                .split(|letter: char| letter.is_whitespace() || ",;:()/".contains(letter))
                .all(is_own) =>
            {
                told.push_str(piece);
            }
            0 => return None,
            _ => told.push_str(&quoted(piece, names)),
        }
    }
    Some(told)
}

/// A word of this program, or a number.
fn is_own(word: &str) -> bool {
    let word = word.trim_matches(|letter: char| ".?!'%".contains(letter));
    let is_number = || word.bytes().all(|byte| byte.is_ascii_digit() || b".-_".contains(&byte));
    is_number() || WORDS.lines().any(|known| known == word)
}

/// What stands for a name, an expression or a shape.
fn quoted(text: &str, names: &mut Names) -> String {
    if QUOTED.contains(&text) || names.is_phase(text) {
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
        (None, None) => names.other(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Compile, Function};

    fn title_of(kind: &str, text: &str) -> String {
        let function =
            Function { name: Some("secret".into()), file: Some("/secret/a.py".into()), line: None };
        let compile = Compile { id: Some(Id::new("0/0")), function: Some(function), ..Compile::default() };
        let log = LogReport { compiles: vec![compile].into(), ..LogReport::default() };
        let compile_ids = vec![Some(Id::new("0/0"))].into();
        let finding = Finding { title: text.into(), compile_ids, ..Finding::default() };
        let mut names = Names::new(|_| false);
        names.file("/secret/a.py");
        names.function("secret");
        title(kind, &Subject { finding: &finding, logs: &[&log] }, &mut names)
    }

    #[test]
    fn a_title_of_own_words_stays_and_names_in_it_are_replaced() {
        let title = title_of(
            "toolchain",
            "The first C++ build took 4.16 s: once per machine with a warm cache folder",
        );
        assert_eq!(title, "The first C++ build took 4.16 s: once per machine with a warm cache folder");
        let text = "Rank 1 compiles `secret` resumed at 28 as 1/0, rank 0 compiles `hidden` as 1/0";
        assert_eq!(
            title_of("compile_ids_differ", text),
            "Rank 1 compiles f1 resumed at 28 as 1/0, rank 0 compiles name1 as 1/0"
        );
        let text =
            "In 2/0, `secret`, the input `L['x']` is `float32[12,16]` on rank 1, `float32[8,16]` on rank 0";
        let told = "In 2/0, f1, the input name1 is float32[12,16] on rank 1, float32[8,16] on rank 0";
        assert_eq!(title_of("inputs_differ", text), told);
        assert_eq!(
            title_of("graph_breaks_differ", "Rank 1 breaks its graph at `a.py:28`"),
            "Rank 1 breaks its graph at file1:28"
        );
    }

    #[test]
    fn a_title_with_a_foreign_word_is_its_kind() {
        for text in ["Cold cache of hidden", "Cold `cache` hidden", "Cold cache: `x", "hidden"] {
            let title = title_of("cache_miss", text);
            assert!(title.ends_with(" in f1") || !title.contains("hidden"), "{title}");
            assert!(!title.contains("hidden"), "{title}");
        }
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
