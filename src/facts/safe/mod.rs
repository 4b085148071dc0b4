//! What a redacted report shows of each value: the policies that stand beside the fields of [`super::define::facts`].
//!
//! Everything is an allowlist. A number stays; a word stays if this program or torch has it in a list; a name becomes a
//! pseudonym; anything else is dropped. No policy returns a text of the log: what it returns borrows nothing.

mod catalog;
mod names;
mod operators;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use catalog::{address, entry as catalog_entry_of, number as break_number};
pub(crate) use names::{Names, in_words};
pub(crate) use operators::{
    bare_operator, dtype as dtype_named, operator as operator_named, sizes as sizes_of,
};
pub(crate) use words::torch_version as version_named;

use super::define::Redact;
use super::text::{Id, Json, List, Map, Text};
use crate::model::{CompilerPart, InputDims, ProblemKind, RankLog, Run};
use std::borrow::Cow;
use words::listed;

/// Nothing of the value.
pub(super) fn dropped<V, O: Default>(_: &V, _: &mut Names) -> O {
    O::default()
}

/// A number or a truth value.
pub(super) fn number<V: Number>(value: &V, _: &mut Names) -> V::Copied {
    value.copied()
}

/// Numbers and truth values.
pub(super) trait Number {
    type Copied;

    fn copied(&self) -> Self::Copied;
}

/// Values that are copied.
macro_rules! numbers {
    ($($type:ty),*) => {
        $(impl $crate::facts::safe::Number for $type {
            type Copied = $type;

            fn copied(&self) -> $type {
                *self
            }
        })*
    };
}

pub(super) use numbers;

numbers!(bool, u64, i64, f64);

impl<V: Number> Number for Option<V> {
    type Copied = Option<V::Copied>;

    fn copied(&self) -> Self::Copied {
        self.as_ref().map(Number::copied)
    }
}

impl<V: Number> Number for List<'_, V> {
    type Copied = List<'static, V::Copied>;

    fn copied(&self) -> Self::Copied {
        self.iter().map(Number::copied).collect()
    }
}

impl Number for InputDims {
    type Copied = InputDims;

    fn copied(&self) -> InputDims {
        self.clone()
    }
}

/// The policies of the object's own fields.
pub(super) fn inside<V: Redact>(value: &V, names: &mut Names) -> V::Redacted {
    value.redact(names)
}

impl<V: Redact> Redact for Option<V> {
    type Redacted = Option<V::Redacted>;

    fn redact(&self, names: &mut Names) -> Self::Redacted {
        self.as_ref().map(|value| value.redact(names))
    }
}

impl<V: Redact> Redact for List<'_, V> {
    type Redacted = List<'static, V::Redacted>;

    fn redact(&self, names: &mut Names) -> Self::Redacted {
        self.iter().map(|value| value.redact(names)).collect()
    }
}

/// A word that this program chose.
pub(super) fn word(text: &str, _: &mut Names) -> Text<'static> {
    listed(&words::CHOSEN, text).unwrap_or_default().into()
}

pub(super) fn maybe_word(text: &Option<Text<'_>>, _: &mut Names) -> Option<Text<'static>> {
    listed(&words::CHOSEN, text.as_deref()?).map(Text::from)
}

pub(super) fn problem_kind(text: &str, _: &mut Names) -> Text<'static> {
    listed(&ProblemKind::ALL.map(ProblemKind::name), text).unwrap_or_default().into()
}

/// A word of what a trace says of a kernel.
pub(super) fn measured_word(text: &Option<Text<'_>>, _: &mut Names) -> Option<Text<'static>> {
    listed(&words::MEASURED, text.as_deref()?).map(Text::from)
}

pub(super) fn cost_reason(_: &str, _: &mut Names) -> Text<'static> {
    "left out".into()
}

/// The id of a compile; it is made of numbers and their separators.
pub(super) fn id(id: &Option<Id<'_>>, _: &mut Names) -> Option<Id<'static>> {
    plain_id(id.as_deref()?).map(Id::new)
}

pub(super) fn id_or_dash(id: &str, _: &mut Names) -> Id<'static> {
    Id::new(plain_id(id).unwrap_or_else(|| "-".to_owned()))
}

/// The id of a compile or of a graph, of which a folder is called: `-_0_0_0`.
pub(super) fn graph_id(id: &str, _: &mut Names) -> Text<'static> {
    plain_id(id).unwrap_or_else(|| "-".to_owned()).into()
}

pub(super) fn ids(ids: &[Option<Id<'_>>], names: &mut Names) -> List<'static, Option<Id<'static>>> {
    ids.iter().map(|one| id(one, names)).collect()
}

pub(super) fn id_texts(ids: &[Text<'_>], _: &mut Names) -> List<'static, Text<'static>> {
    ids.iter().filter_map(|id| plain_id(id)).map(Text::from).collect()
}

/// The id, if it is made of numbers and their separators.
pub(crate) fn plain_id(text: &str) -> Option<String> {
    let is_plain =
        text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'/' | b'!' | b'_' | b'-'));
    (is_plain && !text.is_empty()).then(|| text.to_owned())
}

/// A pseudonym of a function.
pub(super) fn function(name: &Option<Text<'_>>, names: &mut Names) -> Option<Text<'static>> {
    Some(names.function(name.as_deref()?).into())
}

/// A pseudonym of a file; torch's own files keep their names.
pub(super) fn file(path: &Option<Text<'_>>, names: &mut Names) -> Option<Text<'static>> {
    Some(names.file(path.as_deref()?).into())
}

pub(super) fn file_text(path: &str, names: &mut Names) -> Text<'static> {
    names.file(path).into()
}

/// The name of a kernel or an operator if it says nothing but torch's operators, else a pseudonym.
pub(super) fn kernel(name: &str, names: &mut Names) -> Text<'static> {
    names.kernel(name).into()
}

pub(super) fn maybe_kernel(name: &Option<Text<'_>>, names: &mut Names) -> Option<Text<'static>> {
    name.as_deref().map(|name| kernel(name, names))
}

pub(super) fn kernels(all: &[Text<'_>], names: &mut Names) -> List<'static, Text<'static>> {
    all.iter().map(|name| kernel(name, names)).collect()
}

pub(super) fn kernel_counts(counts: &Map<'_, u64>, names: &mut Names) -> Map<'static, u64> {
    counts.iter().map(|(name, count)| (kernel(name, names), *count)).collect()
}

/// Collectives are torch's own operators.
pub(super) fn collective(all: &[Text<'_>], _: &mut Names) -> List<'static, Text<'static>> {
    let name = |call: &Text<'_>| operators::operator(call).unwrap_or_else(|| "other".to_owned());
    all.iter().map(|call| name(call).into()).collect()
}

pub(super) fn tensor_name(name: &str, names: &mut Names) -> Text<'static> {
    names.other(name).into()
}

pub(super) fn dtype(text: &str, _: &mut Names) -> Text<'static> {
    operators::dtype(text).unwrap_or("other").into()
}

pub(super) fn types(texts: &[Text<'_>], names: &mut Names) -> List<'static, Text<'static>> {
    texts.iter().map(|text| dtype(text, names)).collect()
}

pub(super) fn sizes(text: &str, _: &mut Names) -> Text<'static> {
    operators::sizes(text).unwrap_or("other").to_owned().into()
}

pub(super) fn strides(text: &Option<Text<'_>>, _: &mut Names) -> Option<Text<'static>> {
    operators::sizes(text.as_deref()?).map(|sizes| sizes.to_owned().into())
}

/// `2.15.0+cu132`: the build of somebody else is cut to the number.
pub(super) fn torch_version(version: &Option<Text<'_>>, _: &mut Names) -> Option<Text<'static>> {
    words::torch_version(version.as_deref()?).map(Text::from)
}

/// Size of a log, without its name and its times of day.
pub(super) fn own_log(log: &RankLog, _: &mut Names) -> RankLog {
    RankLog {
        file: "log".to_owned(),
        bytes: log.bytes,
        records: log.records,
        rank: log.rank,
        console: log.console.clone(),
        ..RankLog::default()
    }
}

pub(super) fn maybe_log(log: &Option<RankLog>, names: &mut Names) -> Option<RankLog> {
    log.as_ref().map(|log| own_log(log, names))
}

/// How many logs a run has.
pub(super) fn runs(runs: &[Run], _: &mut Names) -> List<'static, Run> {
    let run = |run: &Run| Run { logs: vec!["log".to_owned(); run.logs.len()], ..Run::default() };
    runs.iter().map(run).collect()
}

pub(super) fn trace_name(_: &str, _: &mut Names) -> Text<'static> {
    "trace".into()
}

pub(super) fn damaged(text: &Option<Text<'_>>, _: &mut Names) -> Option<Text<'static>> {
    text.as_ref().map(|_| "damaged".into())
}

/// Folders of compiles are not part of a redacted report.
pub(super) fn no_folder(_: &str, _: &mut Names) -> Text<'static> {
    "-".into()
}

/// `rank_0`, `log_1`: this program names the folders of reports.
pub(super) fn report_folder(dir: &str, _: &mut Names) -> Text<'static> {
    let number = dir.strip_prefix("rank_").or_else(|| dir.strip_prefix("log_")).unwrap_or_default();
    let is_own = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if is_own { dir.to_owned().into() } else { Text::default() }
}

/// The redacted report has one page per log.
pub(super) fn own_page(page: &Option<Text<'_>>, _: &mut Names) -> Option<Text<'static>> {
    page.as_ref().map(|_| "index.html".into())
}

/// A part of the compiler: this program names them.
pub(super) fn part(name: &Option<Text<'_>>, _: &mut Names) -> Option<Text<'static>> {
    Some(CompilerPart::named(name.as_deref())?.name().into())
}

/// A phase of the compiler that torch has, else a pseudonym.
pub(super) fn phase(name: &str, names: &mut Names) -> Text<'static> {
    names.phase(name).into()
}

/// Counts and durations that torch records of a compile.
pub(super) fn metrics(fields: &Json<'_>, _: &mut Names) -> Json<'static> {
    Json::Text(Cow::Owned(words::metrics(fields.get())))
}

/// The number of a graph break in torch's catalog.
pub(super) fn catalog_number(number: &Option<Text<'_>>, _: &mut Names) -> Option<Text<'static>> {
    catalog::number(number.as_deref()?).map(Text::from)
}

/// The page of the catalog.
pub(super) fn catalog_page(url: &Option<Text<'_>>, _: &mut Names) -> Option<Text<'static>> {
    catalog::number_in(url.as_deref()?).map(|number| catalog::address(&number).into())
}

/// The entry of torch's catalog whose number a message has.
pub(super) fn catalog_entry_in(message: &Option<Text<'_>>, _: &mut Names) -> Option<Text<'static>> {
    catalog_entry(message.as_deref()?).map(Text::from)
}

/// The same for a text.
pub(crate) fn catalog_entry(message: &str) -> Option<String> {
    catalog::number_in(message).map(|number| catalog::entry(Some(&number)))
}

pub(super) fn restart(message: &str, _: &mut Names) -> Text<'static> {
    catalog_entry(message).unwrap_or_else(|| "restart".to_owned()).into()
}

/// The class of an exception of torch or Python.
pub(super) fn error_class(class: &str, _: &mut Names) -> Text<'static> {
    error_named(class).into()
}

pub(crate) fn error_named(class: &str) -> &'static str {
    class.rsplit('.').next().and_then(|name| listed(&words::ERRORS, name)).unwrap_or("another error")
}

/// The name of a cache of torch, else a pseudonym.
pub(super) fn cache_name(cache: &str, names: &mut Names) -> Text<'static> {
    listed(&words::CACHES, cache).map_or_else(|| names.other(cache).into(), Text::from)
}

pub(super) fn cache_reason(reason: &Option<Text<'_>>, _: &mut Names) -> Option<Text<'static>> {
    listed(&words::CACHE_REASONS, reason.as_deref()?).map(Text::from)
}

/// The kind of a finding: this program names them.
pub(super) fn finding_kind(kind: &str, _: &mut Names) -> Text<'static> {
    let is_of_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let is_word = kind.bytes().all(is_of_word) && kind.len() < 60;
    if is_word { kind.to_owned().into() } else { "finding".into() }
}

/// The kind of what changed: this program words them.
pub(super) fn change_kind(kind: &str, _: &mut Names) -> Text<'static> {
    let is_word = kind.len() < 60 && kind.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b' ');
    if is_word { kind.to_owned().into() } else { "other".into() }
}

/// The ranks of a difference; what they have there is text of the logs.
pub(super) fn rank_values(
    values: &Map<'_, Option<Text<'_>>>,
    _: &mut Names,
) -> Map<'static, Option<Text<'static>>> {
    let ranks = values.keys().filter(|rank| rank.bytes().all(|byte| byte.is_ascii_digit()));
    ranks.map(|rank| (rank.owned().into(), None)).collect()
}
