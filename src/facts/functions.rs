//! The names by which a reader may ask for a function: all that a report prints.

use super::cross_rank::ReaderName;
use super::identity::function_of;
use super::log::{Compile, Function, LogReport};
use super::text::line_number;
use crate::model::words::{file_name, fits_pattern, resumed};
use crate::trace::TextMap;

/// A compile of a function that the log names.
pub(crate) struct NamedCompile<'r> {
    pub compile: &'r Compile<'r>,
    pub function: FunctionName<'r>,
}

/// The compiles whose functions are known, in their order, with the names that the log's reader has for them. One that torch
/// refused, at the limit of versions, has the function of its frame.
pub(crate) fn named_compiles<'r>(
    compiles: impl IntoIterator<Item = &'r Compile<'r>> + Clone,
    names: impl IntoIterator<Item = &'r ReaderName<'r>>,
) -> impl Iterator<Item = NamedCompile<'r>> {
    let readers: TextMap<&str, &ReaderName<'_>> = names.into_iter().map(|one| (&*one.id, one)).collect();
    let frame = |compile: &'r Compile<'r>| Some(compile.id.as_deref()?.rsplit_once('/')?.0);
    let all = compiles.clone().into_iter();
    let frames: TextMap<&str, &Function<'_>> =
        all.filter_map(|one| Some((frame(one)?, one.function.as_ref()?))).collect();
    compiles.into_iter().filter_map(move |compile| {
        let function = compile.function.as_ref().or_else(|| frames.get(frame(compile)?).copied());
        let reader = compile.id.as_deref().and_then(|id| readers.get(id)).copied();
        let called = reader.and_then(|reader| reader.file.as_deref());
        let title = reader.map(|reader| &*reader.title);
        let lines = [function.map(|function| function.line), reader.map(|reader| reader.line)];
        let function = FunctionName {
            name: function.and_then(|function| function.name.as_deref()).or(title)?,
            title,
            file: called.or(function.and_then(|function| function.file.as_deref())),
            lines: lines.map(|line| line_number(line.flatten())),
        };
        Some(NamedCompile { compile, function })
    })
}

impl LogReport<'_> {
    /// Its compiles whose functions are known.
    pub fn named_compiles(&self) -> impl Iterator<Item = NamedCompile<'_>> {
        named_compiles(&self.compiles, self.cross_rank.names.iter().flat_map(|all| all.iter()))
    }
}

/// A function as a report knows it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FunctionName<'n> {
    /// As torch names it: `forward`.
    pub name: &'n str,
    /// What the pages call it: `Net.forward`.
    pub title: Option<&'n str>,
    pub file: Option<&'n str>,
    /// The lines of its definition, and of the call that leads to it.
    pub lines: [Option<u64>; 2],
}

impl<'n> FunctionName<'n> {
    /// What a list calls it: `Net.forward`, `Net.forward resumed at 81`.
    pub fn words(&self) -> std::borrow::Cow<'n, str> {
        match resumed(self.name) {
            Some((base, line)) => format!("{} resumed at {line}", self.title.unwrap_or(base)).into(),
            None => self.title.unwrap_or(self.name).into(),
        }
    }

    /// Whether it is asked for: `forward`, `Net.forward`, `net.forward` or `model.net.forward` of `model/net.py`, `net.py:12`, and
    /// each name with its place behind it, as in `Net.forward (net.py:12)`. `*` is any text.
    pub fn is_called(&self, asked: &str) -> bool {
        let asked = asked.replace('`', "");
        match asked.trim_end_matches(')').rsplit_once([' ', '(']) {
            Some((name, place)) if place.contains(':') => {
                let name = name.trim_end_matches(['(', ' ']).trim_end_matches(" at").trim_end();
                self.is_at(place) && self.is_named(name)
            }
            _ => self.is_named(&asked) || self.is_at(&asked),
        }
    }

    /// Whether `net.py:12` is where it is defined or called.
    fn is_at(&self, place: &str) -> bool {
        let Some((file, line)) = place.rsplit_once(':') else { return false };
        let is_file = self.file.is_some_and(|own| file_name(own) == file_name(file));
        is_file && self.lines.iter().flatten().any(|own| line.parse() == Ok(*own))
    }

    fn is_named(&self, asked: &str) -> bool {
        let name = function_of(self.name);
        let titles = self.title.into_iter().chain([self.name, name]);
        if titles.into_iter().any(|known| fits_pattern(asked, known)) {
            return true;
        }
        let Some(file) = self.file else { return false };
        let path = file.replace(['\\', '/'], ".");
        let module = path.strip_suffix(".py").unwrap_or(&path);
        let in_module = |name: &str| {
            let full = format!("{module}.{name}");
            let tails = full.match_indices('.').map(|(at, _)| at + 1).chain([0]);
            // The name alone was compared above.
            tails
                .filter_map(|at| full.get(at..))
                .any(|tail| tail.len() > name.len() && fits_pattern(asked, tail))
        };
        in_module(name) || self.title.is_some_and(in_module)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_asked_for_by_any_name_that_a_report_prints() {
        let forward = FunctionName {
            name: "forward",
            title: Some("Net.forward"),
            file: Some("/app/model/net.py"),
            lines: [Some(12), Some(40)],
        };
        for asked in [
            "forward",
            "net.forward",
            "model.net.forward",
            "model.*",
            "for*",
            "Net.forward",
            "net.Net.forward",
            "`Net.forward`",
            "Net.forward (net.py:12)",
            "forward at /app/model/net.py:12",
            "net.py:12",
            "net.py:40",
        ] {
            assert!(forward.is_called(asked), "{asked}");
        }
        for asked in [
            "backward",
            "et.forward",
            "model.forward",
            "other.net.forward",
            "net",
            "net.py:13",
            "Net (net.py:12)",
        ] {
            assert!(!forward.is_called(asked), "{asked}");
        }
        let resumed = FunctionName { name: "torch_dynamo_resume_in_f_at_9", ..FunctionName::default() };
        assert!(resumed.is_called("f") && resumed.is_called("torch_dynamo_resume_in_f_at_9"));
    }
}
