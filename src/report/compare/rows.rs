//! The words of a row.

use crate::analysis::{Severity, resumed};
use crate::compare::{Comparison, Pair};
use crate::facts::{Aspect, DiffRow, Per, RowKind};
use crate::limits::CELL;
use crate::model::words::{file_line, ranks_by_number, shortened};
use crate::report::kit::formats::{UNKNOWN, micros, short_path};

/// The first word of an entry: how it changed.
pub(super) fn kind_word(kind: RowKind) -> &'static str {
    match kind {
        RowKind::New => "New",
        RowKind::Gone => "Gone",
        RowKind::Worse => "Worse",
        RowKind::Better => "Better",
        RowKind::Changed => "Changed",
    }
}

/// The class of that word.
pub(super) fn kind_class(row: &DiffRow) -> &'static str {
    match (level(row), row.kind) {
        (Severity::Error, _) => "error",
        (Severity::Warning, _) => "worse",
        (_, RowKind::Better) => "better",
        (_, RowKind::Gone) if level_if_new(row) != Severity::Info => "better",
        _ => "",
    }
}

/// How serious a row is.
pub(super) fn level(row: &DiffRow) -> Severity {
    match row.kind {
        RowKind::New => level_if_new(row),
        RowKind::Worse => Severity::Warning,
        _ => Severity::Info,
    }
}

/// How serious it is to have what a row is about.
pub(super) fn level_if_new(row: &DiffRow) -> Severity {
    match row.aspect {
        Aspect::Failures | Aspect::Ends => Severity::Error,
        Aspect::Ranks if row.is_error => Severity::Error,
        Aspect::Ranks | Aspect::GraphBreaks | Aspect::Recompiles | Aspect::Compiles => Severity::Warning,
        _ => Severity::Info,
    }
}

/// Seconds with their sign: `+18.7 ms`, `−1.04 s`.
pub(super) fn signed(seconds: f64) -> String {
    let size = micros(seconds.abs() * 1e6);
    match seconds {
        _ if seconds > 0.0 => format!("+{size}"),
        _ if seconds < 0.0 => format!("−{size}"),
        _ => size,
    }
}

/// Seconds that may be unknown.
pub(super) fn time(seconds: Option<f64>) -> String {
    seconds.map_or_else(|| UNKNOWN.to_owned(), |seconds| micros(seconds * 1e6))
}

/// The median of each side.
pub(super) fn medians(pair: Pair) -> (Option<f64>, Option<f64>) {
    (pair.a.map(|times| times.median), pair.b.map(|times| times.median))
}

/// What a measured time is for.
pub(super) fn per_words(per: Per) -> &'static str {
    match per {
        Per::Step => "per step",
        Per::Call => "per call of compiled code",
        Per::Launch => "for as many launches",
    }
}

/// The class of a difference of times.
pub(super) fn difference_class(seconds: f64) -> &'static str {
    match seconds {
        _ if seconds > 0.0 => "worse",
        _ if seconds < 0.0 => "better",
        _ => "",
    }
}

/// The sentence of a row with its values: `Kernel builds: 6.32 s → 11.8 s`. Code is in backquotes.
pub(super) fn sentence(row: &DiffRow) -> String {
    let subject = &row.subject;
    let (a, b) = (row.a.seconds, row.b.seconds);
    match (row.aspect, &row.a.value, &row.b.value) {
        (
            Aspect::CompileTime | Aspect::Part | Aspect::FunctionTime | Aspect::DeviceTime | Aspect::Measured,
            ..,
        ) => {
            let per = row.per.map(|per| format!(" {}", per_words(per))).unwrap_or_default();
            // Kernels of one name differ in their sizes.
            let sizes = row.detail.as_deref().and_then(|detail| detail.split(';').next());
            let sizes = sizes.filter(|first| row.aspect == Aspect::Measured && first.starts_with("on "));
            let sizes = sizes.map(|sizes| format!(" {sizes}")).unwrap_or_default();
            format!("{subject}{sizes}{per}: {} → {}", time(a), time(b))
        }
        (Aspect::Torch, Some(old), Some(new)) => format!("{subject}: {old} → {new}"),
        (Aspect::Settings, old, new) if old.is_some() || new.is_some() => {
            format!("{subject}: {} → {}", setting(old), setting(new))
        }
        (Aspect::GraphBreaks | Aspect::Recompiles | Aspect::Failures, Some(old), Some(new)) if old != new => {
            format!("{subject}: {old} → {new}")
        }
        _ => subject.clone(),
    }
}

/// The first characters of a text.
pub(super) fn clip(text: &str, most: usize) -> String {
    shortened(text, most).into_owned()
}

/// A function's name as text: `f resumed at 9` for `torch_dynamo_resume_in_f_at_9`.
pub(super) fn function_name(name: &str, most: usize) -> String {
    match resumed(name) {
        Some((name, line)) => clip(&format!("{name} resumed at {line}"), most),
        None => clip(name, most),
    }
}

pub(super) fn setting(value: &Option<String>) -> String {
    let Some(value) = value else { return "not set".to_owned() };
    format!("`{}`", shortened(value, CELL).replace('`', "'"))
}

/// `file:line` of a row.
pub(super) fn place(row: &DiffRow) -> Option<String> {
    Some(file_line(&short_path(row.file.as_deref()?), row.line))
}

/// `on rank 1`, `on ranks 0 to 3 and 7`.
pub(super) fn ranks(row: &DiffRow) -> Option<String> {
    // The one that differs most comes first.
    let mut ranks = row.ranks.clone();
    ranks.sort_unstable();
    (!ranks.is_empty()).then(|| format!("on {}", ranks_by_number(&ranks)))
}

/// `A against B`, by the names of their first runs.
pub(super) fn against(comparison: &Comparison) -> String {
    let names = [&comparison.a, &comparison.b]
        .map(|side| side.first().map(|recording| recording.name.as_str()).unwrap_or_default());
    names.join(" against ")
}
