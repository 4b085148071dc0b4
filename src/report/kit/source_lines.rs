//! Addresses of lines of the program on the page that shows what happened at each of them.

use crate::report::subject::Report;

/// The page of lines.
pub(crate) const SOURCE: &str = "source.html";

/// The anchor of a line on the page of lines, by the place of its file: `L81` of the first file.
pub(crate) fn source_line_anchor(file: usize, line: u64) -> String {
    match file {
        0 => format!("L{line}"),
        _ => format!("f{}-L{line}", file + 1),
    }
}

/// Address of a line of the user's on the page of lines, relative to the report's top; None if the page does not show it, or
/// has nothing to tell of it: stacks name many lines that only called what was compiled.
pub(crate) fn source_line(report: Report<'_>, file: &str, line: u64) -> Option<String> {
    let lines = &report.found.lines;
    let (place, facts) = lines.find(file, line)?;
    let is_own = lines.files.get(place).is_some_and(|file| !file.is_library);
    (is_own && facts.listed && facts.has_more_to_tell())
        .then(|| format!("{SOURCE}#{}", source_line_anchor(place, line)))
}
