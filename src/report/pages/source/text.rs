//! The text of lines: from the log, or from the files themselves.

use crate::analysis::lines::{LineFacts, LineState, Lines, LinesOfFile};
use crate::model::Language;
use crate::report::kit::prelude::*;
use std::collections::BTreeMap;

/// Bytes of colors in a file.
const MOST_COLORS: usize = 1_000_000;

/// The text of a file.
#[derive(Default)]
pub(super) struct Text {
    /// All lines, in colors; None if the file was not given.
    pub(super) whole: Option<Vec<TextLine>>,
    /// The known lines that the page shows, by number.
    known: BTreeMap<u64, Html>,
    /// Known lines whose text in the file differs from the one in the log.
    pub(super) changed: Vec<u64>,
}

/// A line of a file.
pub(super) struct TextLine {
    pub(super) code: Html,
    /// Whether it is empty.
    pub(super) is_blank: bool,
    /// Whether it is in a function that runs in eager mode.
    pub(super) is_eager: bool,
}

impl Text {
    /// The text of a line that the page shows; None if neither the log nor the file has it.
    pub(super) fn of(&self, line: &LineFacts) -> Option<&Html> {
        let whole = || self.whole.as_ref()?.get(usize::try_from(line.number).ok()?.checked_sub(1)?);
        whole().map(|line| &line.code).or_else(|| self.known.get(&line.number))
    }
}

/// The texts of all files of which the page shows lines, by the place of the file.
pub(super) fn texts(report: Report<'_>, worker: &mut Worker) -> anyhow::Result<Vec<Text>> {
    let lines: &Lines = &report.found.lines;
    lines.files.iter().map(|file| text(report, worker, file)).collect()
}

fn text(report: Report<'_>, worker: &mut Worker, file: &LinesOfFile) -> anyhow::Result<Text> {
    let mut text = Text::default();
    if !file.is_listed() {
        return Ok(text);
    }
    if let Some(source) = report.settings.sources.as_ref().and_then(|tree| tree.read(&file.file)) {
        let plain: Vec<&str> = source.lines().collect();
        text.changed = changed(file, &plain);
        text.whole = Some(whole(worker, file, &source, &plain)?);
    }
    for line in file.lines.iter().filter(|line| line.listed) {
        if let Some(code) = &line.code {
            let colored = colored(worker, code)?.pop();
            text.known.insert(line.number, colored.unwrap_or_default());
        }
    }
    Ok(text)
}

/// The lines of a text as HTML.
fn colored(worker: &mut Worker, text: &str) -> anyhow::Result<Vec<Html>> {
    let mut html = Vec::new();
    let frame = (|_: u32, _: &mut String| {}, |html: &mut String| html.push('\n'));
    worker.highlighter()?.write_framed((Language::Python, text), MOST_COLORS, &mut html, frame)?;
    let html = String::from_utf8(html)?;
    Ok(html.lines().map(Html::trusted).collect())
}

fn whole(
    worker: &mut Worker,
    file: &LinesOfFile,
    source: &str,
    plain: &[&str],
) -> anyhow::Result<Vec<TextLine>> {
    let eager = eager(file, plain);
    let lines = colored(worker, source)?.into_iter().zip(plain).zip(eager);
    let lines =
        lines.map(|((code, plain), is_eager)| TextLine { code, is_blank: plain.trim().is_empty(), is_eager });
    Ok(lines.collect())
}

/// Known lines that read otherwise in the file. The log drops indents, and quotes the first line of a statement.
fn changed(file: &LinesOfFile, plain: &[&str]) -> Vec<u64> {
    let differs = |line: &&LineFacts| {
        let at = usize::try_from(line.number).ok().and_then(|number| plain.get(number.checked_sub(1)?));
        match (at, line.code.as_deref()) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(there), Some(code)) => {
                let first = code.lines().next().unwrap_or_default().trim();
                !there.trim().starts_with(first)
            }
        }
    };
    file.lines.iter().filter(differs).map(|line| line.number).collect()
}

/// Which lines are in a function whose compile failed: from its first line on, what is indented deeper.
fn eager(file: &LinesOfFile, plain: &[&str]) -> Vec<bool> {
    let mut eager = vec![false; plain.len()];
    let begins = file.lines.iter().filter(|line| line.begins);
    let failed: Vec<usize> = file
        .lines
        .iter()
        .filter(|line| line.state() == LineState::Failed)
        .flat_map(|line| {
            begins.clone().filter(|begin| begin.compiles.iter().any(|c| line.failed.contains(c)))
        })
        .filter_map(|begin| usize::try_from(begin.number).ok()?.checked_sub(1))
        .collect();
    for first in failed {
        let body = body(plain, first);
        eager.get_mut(body).into_iter().flatten().for_each(|line| *line = true);
    }
    eager
}

/// The lines below the `def` of a function that begins at `first`, possibly with decorators.
fn body(plain: &[&str], first: usize) -> std::ops::Range<usize> {
    let rest = || plain.iter().enumerate().skip(first);
    let is_def =
        |line: &str| line.trim_start().starts_with("def ") || line.trim_start().starts_with("async def ");
    let Some((def, line)) = rest().find(|(_, line)| is_def(line)) else { return first..first };
    let depth = indent(line);
    let is_outside =
        |(at, line): &(usize, &&str)| *at > def && !line.trim().is_empty() && indent(line) <= depth;
    let mut end = rest().find(is_outside).map_or(plain.len(), |(at, _)| at);
    while end > def + 1 && plain.get(end - 1).is_some_and(|line| line.trim().is_empty()) {
        end -= 1;
    }
    def + 1..end
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_of_a_function_ends_where_the_indent_does() {
        let text = [
            "@torch.compile",
            "def f(x):",
            "    for i in x:",
            "",
            "        g(i)",
            "    return x",
            "",
            "y = 1",
        ];
        assert_eq!(body(&text, 0), 2..6);
        assert_eq!(body(&text, 7), 7..7);
    }
}
