//! Graph breaks, recompilations and errors: torch's texts, parsed.

use super::break_forms::Placeless;
use super::{Event, Flow, ParseEvents, RankContext};
use crate::limits::SAME_NAME;
use crate::model::break_block::{catalog_url, explanation, hints};
use crate::model::words::file_name;
use crate::model::{
    BreakOccurrence, ErrorTrace, Form, GraphBreak, Reason, ReasonSource, Recompile, TextFrame, traceback,
};
use crate::trace::CompileId;
use crate::trace::{TextMap, TextSet};
use regex::Regex;
use std::sync::Arc;

/// `dynamo_graph_break_reason`: where and why Dynamo could not go on tracing.
#[derive(Default)]
pub(super) struct GraphBreaks {
    address: Option<Regex>,
    distinct: TextMap<(String, Option<String>, Option<u64>), usize>,
    /// Entries with the compiles that they list.
    hit: TextSet<(usize, Option<CompileId>)>,
}

impl ParseEvents for GraphBreaks {
    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        let artifact = cx.artifact_of_payload(event, "dynamo_graph_break_reason", Form::Text);
        let address = match &mut self.address {
            Some(known) => known,
            none => none.insert(Regex::new("( at )?0x[0-9a-fA-F]+")?),
        };
        let mut found = read_break(&event.payload_text().unwrap_or_default());
        found.reason = address.replace_all(&found.reason, "").into_owned();
        let stack = found.stack.clone();
        let id = event.compile_id.cloned();
        let key = (found.reason.clone(), found.file.clone(), found.line);
        let next = cx.model().graph_breaks.len();
        let index = *self.distinct.entry(key).or_insert(next);
        if let Some(compile) = cx.here() {
            compile.graph_breaks += 1;
            compile.first_break.get_or_insert(index);
        }
        let breaks = &mut cx.model().graph_breaks;
        if index == breaks.len() {
            breaks.push(found);
        }
        if let Some(entry) = breaks.get_mut(index) {
            entry.count += 1;
            let known = entry.occurrences.iter().rev().take(SAME_NAME);
            let known = known.map(|one| &one.stack).find(|known| ***known == *stack);
            let stack = known.map_or_else(|| Arc::from(stack), Arc::clone);
            entry.occurrences.push(BreakOccurrence { artifact: artifact.place, stack });
            if self.hit.insert((index, id.clone())) {
                entry.compiles.push(id);
            }
        }
        Ok(Flow::Handled)
    }
}

/// Parses the text of a break. Everything is optional: torch 2.6 writes only a reason and tracebacks.
pub(super) fn read_break(text: &str) -> GraphBreak {
    if let Some(Placeless { frames, exception, place }) = Placeless::read(text) {
        let reason = exception.lines().next().unwrap_or_default().trim().to_owned();
        let (file, line) = place.unzip();
        return GraphBreak { reason, file, line, stack: frames, ..of_block(&exception) };
    }
    let place = text.lines().find_map(|l| l.strip_prefix("Graph break in user code at "));
    let (file, line) = place.and_then(file_and_line).unzip();
    // Only torch's own block: the tracebacks after it may quote another break.
    let block = text.split("User code traceback:").next().unwrap_or(text);
    let context = block
        .lines()
        .find_map(|l| l.strip_prefix("Graph Break Reason: "))
        .filter(|_| block.contains("\n  Explanation:"))
        .filter(|l| !next_line_is_explanation(block, l));
    GraphBreak {
        reason: reason(block),
        context: context.map(|c| c.trim().to_owned()),
        file,
        line,
        stack: user_code(text, "User code traceback:"),
        ..of_block(block)
    }
}

/// What torch's block about a break says, but for its reason and place.
fn of_block(block: &str) -> GraphBreak {
    let url = catalog_url(block);
    let page = url.and_then(|url| file_name(url).strip_suffix(".html"));
    GraphBreak {
        explanation: explanation(block),
        debug_context: debug_context(block),
        hints: hints(block),
        gb_id: page.filter(|page| is_catalog_id(page)).map(str::to_owned),
        url: url.map(str::to_owned),
        ..GraphBreak::default()
    }
}

/// The frames below a heading, up to the next empty line.
fn user_code(text: &str, heading: &str) -> Vec<TextFrame> {
    let below = text.split_once(heading).map_or("", |(_, rest)| rest.trim_start_matches(['\n', '\r']));
    traceback(below.split("\n\n").next().unwrap_or_default())
}

/// Whether the `Graph Break Reason: ` line is the reason itself, without a sentence around it.
fn next_line_is_explanation(block: &str, line: &str) -> bool {
    block.lines().skip_while(|l| !l.ends_with(line)).nth(1).is_some_and(|l| l.starts_with("  Explanation:"))
}

/// `/app/x.py:11` as file and line.
fn file_and_line(place: &str) -> Option<(String, u64)> {
    let (file, line) = place.trim().rsplit_once(':')?;
    Some((file.to_owned(), line.parse().ok()?))
}

/// The line above `  Explanation:`, but for indented ones, which say in what it happened: `  Higher Order Operator: ..`; if there
/// is none, the first line after `Reason: `.
fn reason(block: &str) -> String {
    let is_explanation = |line: &&str| line.starts_with("  Explanation:");
    let above = block
        .lines()
        .take_while(|line| !is_explanation(line))
        .filter(|line| !line.trim().is_empty() && !line.starts_with("  "));
    let behind = || block.lines().find_map(|line| Some(line.split_once("Reason: ")?.1));
    let is_explained = block.lines().any(|line| is_explanation(&line));
    let line = above.last().filter(|_| is_explained).or_else(behind).unwrap_or_default();
    line.trim().trim_start_matches("Graph Break Reason: ").trim_start_matches("Reason: ").to_owned()
}

/// The text after `  Developer debug context: ` of the first break of a block, up to the next empty line.
fn debug_context(block: &str) -> Option<String> {
    let own = block.split("*** While handling").next().unwrap_or(block);
    let (_, rest) = own.split_once("  Developer debug context:")?;
    let text = rest.split("\n\n").next().unwrap_or(rest);
    let text = text.lines().map(str::trim).collect::<Vec<_>>().join("\n").trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// Whether it is an id of torch's catalog: `gb0059`.
fn is_catalog_id(page: &str) -> bool {
    let digits = page.strip_prefix("gb").unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) fn parse_recompile_reasons(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    cx.artifact_of_payload(event, "recompile_reasons", Form::Json);
    let text = event.payload_text().unwrap_or_default();
    // A single reason is plain text although the record says that it is JSON; several reasons are a list.
    let texts: Vec<String> = serde_json::from_str(&text)
        .or_else(|_| serde_json::from_str(&text).map(|reason| vec![reason]))
        .unwrap_or_else(|_| vec![text.into_owned()]);
    let reasons = texts.iter().map(|text| read_reason(text)).collect();
    cx.model().recompiles.push(Recompile { compile: event.compile_id.cloned(), writer: event.pid, reasons });
    Ok(Flow::Handled)
}

pub(super) fn parse_dynamo_error(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    cx.artifact_of_payload(event, "dynamo_error", Form::Text);
    let text = event.payload_text().unwrap_or_default();
    let frames = user_code(&text, "from user code:");
    let raised = tracebacks(&text);
    if !frames.is_empty() || !raised.is_empty() {
        let compile = cx.compile_at_hand();
        cx.model().error_traces.push(ErrorTrace { compile, frames, raised });
    }
    Ok(Flow::Handled)
}

/// The tracebacks of an exception and of those that caused it, without the user's code that was being traced. Each ends
/// where the text of its exception begins, which may quote other files.
pub(super) fn tracebacks(text: &str) -> Vec<Vec<TextFrame>> {
    let head = text.split("\nfrom user code:").next().unwrap_or(text);
    let blocks = head.split("Traceback (most recent call last):").skip(1);
    let frames = blocks.map(|block| {
        let lines = block.trim_start_matches(['\n', '\r']).split_inclusive('\n');
        let indented: String = lines.take_while(|line| line.starts_with(' ')).collect();
        traceback(&indented)
    });
    frames.filter(|frames| !frames.is_empty()).collect()
}

/// Parses a reason: `0/0: k == 2   # return x*k  # file:7 in f`, perhaps with a user stack below.
pub(super) fn read_reason(reason: &str) -> Reason {
    let (head, stack) = halves(reason, "\nUser stack trace:");
    let (against, text) = match head.split_once(": ") {
        Some((id, text)) if CompileId::parse(id).is_some() && !id.contains(' ') => {
            (Some(id.to_owned()), text)
        }
        _ => (None, head),
    };
    let (guard, tail) = halves(text, "  # ");
    let (source, hint) = tail.map_or((None, None), source_and_hint);
    Reason {
        against,
        text: text.to_owned(),
        guard: guard.trim().to_owned(),
        source,
        hint,
        user_stack: stack.map(traceback).unwrap_or_default(),
    }
}

/// The text before a mark, and the text behind it if it is there.
fn halves<'t>(text: &'t str, mark: &str) -> (&'t str, Option<&'t str>) {
    text.split_once(mark).map_or((text, None), |(before, behind)| (before, Some(behind)))
}

/// `return x*k  # file:7 in f (HINT: ..)` as the source line and the hint.
fn source_and_hint(tail: &str) -> (Option<ReasonSource>, Option<String>) {
    let (tail, hint) = halves(tail, "(HINT: ");
    (source_line(tail), hint.map(|hint| hint.trim_end().trim_end_matches(')').to_owned()))
}

/// `return x*k  # file:7 in f`. For a condition on sizes, torch adds in brackets where it comes from, and may name further
/// lines. A `#` that is part of the source line is not followed by a place.
fn source_line(tail: &str) -> Option<ReasonSource> {
    let places = tail.match_indices("# ").map(|(at, mark)| (at, at + mark.len()));
    places.into_iter().find_map(|(end, start)| {
        let (place, rest) = tail.get(start..)?.split_once(" in ")?;
        let (file, line) = file_and_line(place.trim())?;
        let function = rest.split(" (").next().unwrap_or(rest).trim();
        let code = tail.get(..end)?.trim();
        Some(ReasonSource { code: code.to_owned(), file, line, function: function.to_owned() })
    })
}
