//! What happened at a line: findings with their advice, compiles, operators, kernels.

use super::file::File;
use super::operators::Operator;
use crate::analysis::findings::Advice;
use crate::analysis::lines::{LineFacts, LineState};
use crate::analysis::{Finding, Severity};
use crate::limits::{FIRST, IN_HEAD, IN_ROW, KERNELS_LISTED, NAMED_BRIEFLY, SENTENCE, SHORT_NAME};
use crate::model::words::shortened;
use crate::model::{Compile, CompileIndex};
use crate::report::data::ENTRIES;
use crate::report::kit::formats::cost_words;
use crate::report::kit::graph_files::graphs_href;
use crate::report::kit::prelude::*;

/// Characters of a column of operators.
const WIDEST_COLUMN: usize = 24;

/// Bytes that are left for lines when no more is told of what happened at each of them.
const ROOM_FOR_LINES: usize = 1_500_000;

/// What happened at a line.
pub(super) fn panel(view: View<'_>, file: File<'_>, line: &LineFacts) -> anyhow::Result<Html> {
    let mut pieces = vec![head(view, file, line), Element::new("p").around(sentence(file, line))];
    if view.worker.room() < ROOM_FOR_LINES {
        let words = "What happened here would make the page too large; report.json has it.";
        pieces.push(Element::new("p").class("soft").around(words));
        return Ok(article(file, line, pieces));
    }
    pieces.extend(changed(view, file, line));
    pieces.extend(findings(view, line)?);
    pieces.extend(compiles(view, line));
    pieces.extend(operators(view, file, line));
    pieces.extend(kernels(view, file, line));
    if line.guards > 0 {
        let guards = counted(line.guards, "guard names", "guards name");
        pieces.push(Element::new("p").class("soft").around(format!("{guards} this line.")));
    }
    pieces.extend(links_of(view, file, line));
    Ok(article(file, line, pieces))
}

fn article(file: File<'_>, line: &LineFacts, pieces: Vec<Html>) -> Html {
    let label = format!("Line {}", line.number);
    let article = Element::new("article").id(&file.panel_anchor(line)).attribute("aria-label", &label);
    article.around(Html::joined(pieces, "\n"))
}

fn head(view: View<'_>, file: File<'_>, line: &LineFacts) -> Html {
    let number = span("line-number", line.number.to_string());
    let code = file.subject.texts.get(file.place).and_then(|text| text.of(line)).cloned();
    let heading = Element::new("h3").around(Html::joined([number, code.unwrap_or_default()], " "));
    let mut about = Vec::new();
    if let Some(function) = &line.function {
        about.extend(["in ".into(), view.code(clipped(function, SHORT_NAME).0)]);
    }
    let editor = view.report.settings.editor.as_ref();
    if let Some(href) = editor.and_then(|editor| editor.href(&file.file.file, Some(line.number))) {
        about.extend([" ".into(), view.link(&href, "open in the editor")]);
    }
    let about = (!about.is_empty()).then(|| Element::new("p").class("soft").around(Html::joined(about, "")));
    block(Html::joined([heading].into_iter().chain(about), ""))
}

/// What became of the line, in a sentence or two.
fn sentence(file: File<'_>, line: &LineFacts) -> Html {
    let counts = line.counts;
    let mut pieces: Vec<Html> = Vec::new();
    if counts.fails > 0 {
        let fails = counted(counts.fails, "compile", "compiles");
        pieces.extend([strong(fails), " failed here. ".into()]);
    }
    if counts.breaks > 0 {
        let times = strong(counted(counts.breaks, "time", "times"));
        let words =
            ". What is above it is compiled, this line runs in Python, and a new compile begins after it. ";
        pieces.extend(["The graph breaks here ".into(), times, words.into()]);
    }
    if counts.again > 0 {
        let compiles = counted(counts.again, "compile was made", "compiles were made");
        pieces.extend([strong(compiles), " again because of this line. ".into()]);
    }
    if counts.operators > 0 {
        pieces.extend(captured(file, line));
    }
    if let Some(time) = file.subject.measured(line) {
        let words = " on the device in the trace. ";
        pieces.extend(["Its kernels took ".into(), strong(micros(time.us)), words.into()]);
    }
    if pieces.is_empty() {
        let words = match line.state() {
            _ if counts.compiles > 0 && line.begins => "A compiled function begins here.",
            _ if counts.compiles > 0 => "Compiles begin here.",
            LineState::Called => "This line called what was compiled. Dynamo did not read it.",
            _ => "Dynamo read this line; no operator was captured from it.",
        };
        pieces.push(words.into());
    }
    Html::joined(pieces, "")
}

fn captured(file: File<'_>, line: &LineFacts) -> [Html; 3] {
    let kernels = file.subject.kernels_of(file.place, line.number).len();
    let kernels = match kernels {
        0 => ". ".to_owned(),
        count => format!(", which became {}. ", counted(count, "kernel", "kernels")),
    };
    let graphs = counted(line.captured_in.len(), "graph", "graphs");
    let operators = counted(line.counts.operators, "operator", "operators");
    [strong(operators), format!(" captured in {graphs}").into(), kernels.into()]
}

/// That the file is no longer the one that ran.
fn changed(view: View<'_>, file: File<'_>, line: &LineFacts) -> Option<Html> {
    let text = file.subject.texts.get(file.place)?;
    if !text.changed.contains(&line.number) {
        return None;
    }
    let words = match &line.code {
        Some(code) => vec!["The file has changed since. The log has here: ".into(), view.code(code.trim())],
        None => vec!["The file has changed since: it has no such line.".into()],
    };
    Some(Element::new("p").class("warn").around(Html::joined(words, "")))
}

fn findings(view: View<'_>, line: &LineFacts) -> anyhow::Result<Vec<Html>> {
    let all = &view.report.found.findings;
    let (mut pieces, mut before) = (Vec::new(), String::new());
    for &index in line.findings.iter().take(IN_HEAD) {
        let Some(whole) = all.get(index) else { continue };
        let here = |one: &&Finding| one.place.line == Some(line.number);
        let one = whole.members.iter().find(here).unwrap_or(whole);
        let hint = one.hint().or_else(|| whole.hint()).unwrap_or_default();
        let is_again = !hint.is_empty() && hint == before;
        pieces.push(finding(view, (index, whole, one), is_again)?);
        before = hint;
    }
    let more = line.findings.len().saturating_sub(IN_HEAD);
    pieces.extend((more > 0).then(|| soft(format!("{} more", counted(more, "finding", "findings")))));
    Ok(pieces)
}

fn finding(
    view: View<'_>,
    (index, whole, one): (usize, &Finding, &Finding),
    is_again: bool,
) -> anyhow::Result<Html> {
    let class = match whole.severity {
        Severity::Info => "soft",
        severity => severity.word(),
    };
    let kind = Element::new("span").class(&format!("kind {class}")).around(whole.kind.label());
    let cost = one.cost.as_ref().map_or_else(String::new, |cost| cost_words(cost.kind, cost.us));
    let title = match clipped(&one.title.text(), SENTENCE) {
        (start, true) => Html::escaped(&format!("{start} …")),
        _ => view.sentence(&one.title),
    };
    let mut pieces = vec![
        Element::new("p").class("ends").around(Html::joined([kind, span("cost", cost)], " ")),
        Element::new("p").around(title),
    ];
    let advice = if one.advice.is_empty() { &whole.advice } else { &one.advice };
    if is_again {
        pieces.push(Element::new("p").class("advice").around("What to do: as above."));
    } else {
        let cards = advice.iter().take(NAMED_BRIEFLY).map(|advice| what_to_do(view, advice));
        pieces.extend(cards.collect::<anyhow::Result<Vec<Html>>>()?);
    }
    let compiles: Vec<&Compile> =
        view.compiles(&one.compiles).into_iter().filter(|compile| compile.id.is_some()).collect();
    if !compiles.is_empty() {
        pieces.push(block(view.some_pills(&compiles, FIRST)));
    }
    if index < ENTRIES {
        let href = format!("{}#finding-{}", view.href_of(paths::landing(view.report.settings)), index + 1);
        pieces.push(Element::new("p").around(view.link(&href, "the finding in full")));
    }
    Ok(Element::new("div").class(&format!("event {class}")).around(Html::joined(pieces, "")))
}

/// A card where the lines to write or a promise are known, else a sentence.
fn what_to_do(view: View<'_>, advice: &Advice) -> anyhow::Result<Html> {
    let card = view.fix_card(advice)?;
    Ok(if advice.has_card() { card } else { Element::new("div").class("advice").around(card) })
}

/// A heading with what stands below it.
fn part(title: &str, body: Html) -> Html {
    block(Html::joined([Element::new("h4").around(title), body], ""))
}

fn compiles(view: View<'_>, line: &LineFacts) -> Option<Html> {
    let of = |index: &CompileIndex| view.report.model.compiles.get(*index);
    let rows = line.compiles.iter().filter_map(of).take(FIRST).map(|compile| {
        let name = block(Html::joined([view.pill_beside(compile), view.named(compile)], " "));
        let time = compile.compile_us().map_or_else(|| UNKNOWN.to_owned(), micros);
        Element::new("li").class("ends").around(Html::joined([name, span("cost", time)], ""))
    });
    let rows: Vec<Html> = rows.collect();
    if rows.is_empty() {
        return None;
    }
    let mut pieces = vec![Element::new("ul").around(Html::joined(rows, ""))];
    let more = line.counts.compiles.saturating_sub(FIRST as u64);
    if more > 0 {
        let all = format!("{} more, {} together", whole(more), micros(line.counts.us));
        pieces.push(Element::new("p").class("soft").around(all));
    }
    if line.one_off_us > 0.0 {
        let us = micros(line.one_off_us);
        let words = format!("{us} of it are once a process or a machine; the bar leaves them out.");
        pieces.push(Element::new("p").class("soft").around(words));
    }
    Some(part("Compiles that begin here", Html::joined(pieces, "")))
}

fn operators(view: View<'_>, file: File<'_>, line: &LineFacts) -> Option<Html> {
    let found = file.subject.operators.of(file.place, line.number);
    if found.is_empty() {
        return None;
    }
    let mut body = Vec::new();
    for of_graph in found.chunk_by(|a, b| a.compile == b.compile) {
        let compile = of_graph.first().and_then(|one| view.report.model.compiles.get(one.compile));
        body.extend(compile.map(|compile| block(view.pill(compile))));
        body.push(Element::new("pre").around(in_columns(of_graph)));
    }
    let more = line.counts.operators.saturating_sub(FIRST as u64);
    if more > 0 {
        body.push(Element::new("p").class("soft").around(format!("{} more", whole(more))));
    }
    Some(part("Captured operators", Html::joined(body, "")))
}

/// Value, target and shape of each operator in columns of text: a large page has thousands of them.
fn in_columns(operators: &[Operator]) -> String {
    let width = |of: fn(&Operator) -> &str| {
        let widths = operators.iter().map(|one| of(one).chars().count());
        widths.filter(|width| *width <= WIDEST_COLUMN).max().unwrap_or(0)
    };
    let (values, targets) = (width(|one| &one.value), width(|one| &one.target));
    let line = |one: &Operator| {
        let Operator { value, target, shape, .. } = one;
        let shape = shape.as_deref().unwrap_or_default();
        format!("{value:values$}  {target:targets$}  {shape}").trim_end().to_owned()
    };
    operators.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn kernels(view: View<'_>, file: File<'_>, line: &LineFacts) -> Option<Html> {
    let subject = file.subject;
    let places = subject.kernels_of(file.place, line.number);
    let mut kernels: Vec<_> =
        places.iter().filter_map(|place| Some((*place, subject.kernels.kernels.get(*place)?))).collect();
    kernels.sort_by(|(_, a), (_, b)| b.measured.sum_us.total_cmp(&a.measured.sum_us));
    let rows = kernels.iter().take(IN_ROW).map(|(place, kernel)| {
        let anchor = links::kernel_of_code_anchor(kernel.run, kernel.first_place);
        let href = (*place < KERNELS_LISTED).then(|| format!("{}#{anchor}", view.href_of(links::KERNELS)));
        let name = shortened(&kernel.name, SHORT_NAME);
        let name = Element::new("code").title(&kernel.name).around(view.link_if(href.as_deref(), &name));
        let sum_us = kernel.measured.sum_us;
        let time = if kernel.measured.count > 0 { micros(sum_us) } else { String::new() };
        Element::new("li").class("ends").around(Html::joined([name, span("cost", time)], ""))
    });
    let rows: Vec<Html> = rows.collect();
    if rows.is_empty() {
        return None;
    }
    let mut body = vec![Element::new("ul").around(Html::joined(rows, ""))];
    let more = kernels.len().saturating_sub(IN_ROW);
    if more > 0 {
        body.push(Element::new("p").class("soft").around(format!("{} more", whole(more))));
    }
    Some(part("Kernels", Html::joined(body, "")))
}

fn links_of(view: View<'_>, file: File<'_>, line: &LineFacts) -> Option<Html> {
    let model = view.report.model;
    let mut links = Vec::new();
    let captured = line.captured_in.first().and_then(|index| model.compiles.get(*index));
    if let Some(href) = captured.and_then(|compile| graphs_href(view, compile)) {
        links.push(view.link(&href, "graphs"));
    }
    links.extend(line.breaks.first().map(|index| links::graph_break(view, *index, "the break in full")));
    let measured = line.measured.and_then(|index| links::measured_line(view, index));
    if let Some(href) = measured.filter(|_| file.subject.measured(line).is_some()) {
        links.push(view.link(&href, "measured time"));
    }
    (!links.is_empty()).then(|| Element::new("p").class("spaced-links").around(Html::joined(links, "")))
}
