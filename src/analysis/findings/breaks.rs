//! Graph breaks: what could not be traced, which tracing was discarded, and what was compiled in addition.

use super::basis::Basis;
use super::cost::{Claim, Work};
use super::finding::{EntryKey, Finding, FurtherReading, Severity, Value};
use super::kind::KindOfFinding;
use super::prose;
use super::rules::Told;
use crate::analysis::failures::failed_at_breaks;
use crate::analysis::names::in_functions;
use crate::analysis::own_code::{is_python, is_torch};
use crate::analysis::user_place::{UserPlace, is_without_file, own_frame};
use crate::analysis::{Hit, is_library, resumed, resumed_us};
use crate::facts::safe::{break_number, catalog_entry_of};
use crate::model::sentence::{own, sentence};
use crate::model::words::{counted, duration, without_addresses};
use crate::model::{BreakOccurrence, GraphBreak, Model, TextFrame};

/// One finding per reason and place. A break that only made compiles fail is part of the failure's finding.
pub(super) fn of_log(basis: Basis<'_>) -> Vec<Finding> {
    let model = basis.model;
    let told = model.graph_breaks.iter().zip(basis.breaks).enumerate();
    let failed = failed_at_breaks(model);
    told.filter(|(index, (one, _))| !one.compiles.iter().all(|compile| failed.contains(&(*index, compile))))
        .map(|(index, (one, hits))| Finding {
            entry: Some(EntryKey::Break(index)),
            ..finding(basis, one, hits)
        })
        .collect()
}

fn finding(basis: Basis<'_>, one: &GraphBreak, hits: &[Hit]) -> Finding {
    let model = basis.model;
    let place = place(one);
    let told = Told::of_break(model, one, &place);
    let title = told.plain().unwrap_or_else(|| prose::short_reason(&one.reason));
    let entry = own(catalog_entry_of(one.gb_id.as_deref().and_then(break_number).as_deref()));
    let title = title.or_redacted(sentence![entry, in_functions(model, hits.iter().map(|hit| hit.compile))]);
    let severity = if within_torch(model, one) { Severity::Info } else { Severity::Warning };
    let mut found = Finding::new(KindOfFinding::GraphBreak, severity, title.clone());
    found.count = one.count.max(1);
    found.detail = detail(one, severity);
    found.place = place;
    found.stack.clone_from(&one.stack);
    match severity {
        // torch's hints are for whoever can change the code that breaks.
        Severity::Info if hits.iter().all(|hit| hit.is_all_eager(model)) => {
            found.advise("Nothing to do: torch runs the whole function in eager mode for such calls.")
        }
        Severity::Info => {
            found.advise("Nothing to do: torch runs this part in eager mode and resumes after it.")
        }
        _ => found.advise_all(told.advice()),
    }
    for hit in hits {
        let share = hit.thrown_away_us.unwrap_or_default();
        // Time that the user cannot save is not counted as lost.
        let claim = match severity {
            Severity::Info => Claim::expected,
            _ => Claim::wasted,
        };
        found.claim(
            claim(Work::Discarded, vec![hit.compile], "of tracing thrown away".to_owned()).at_most(share),
        );
    }
    if let Some(words) = resumed_words(basis, hits) {
        found.fact("Behind the break", Value::Prose(words));
    }
    found.compiles = hits.iter().map(|hit| hit.compile).collect();
    if let Some(own) = own_frame(&one.stack)
        .filter(|own| one.file.as_deref().is_some_and(is_library) && one.file.as_ref() != Some(&own.file))
    {
        found.called_from = Some(UserPlace::of_frame(own));
        let TextFrame { file, line, function, loc } = own;
        let code = loc.as_deref().unwrap_or_default();
        found.fact("Called from", Value::Code(vec![format!("{file}:{line} in {function}  {code}")]));
    }
    if !one.reason.is_empty() && title != one.reason.as_str() {
        found.fact("Reason in the log", Value::Prose(one.reason.clone()));
    }
    if let Some(context) = &one.context {
        found.fact("When", Value::Prose(context.trim_end_matches(':').to_owned()));
    }
    if let Some(context) = &one.debug_context {
        let lines = context.lines().map(without_addresses).collect();
        found.fact("Debug context", Value::Code(lines));
    }
    found.read_more = one.url.as_ref().map(|url| catalog(one, url));
    found.reason = one.reason.clone();
    found
}

/// torch's page about it.
fn catalog(one: &GraphBreak, url: &str) -> FurtherReading {
    let name = one.gb_id.as_deref().unwrap_or("torch's page");
    FurtherReading { name: format!("{name} in the graph break catalog"), url: url.to_owned() }
}

/// torch's explanation, and the text that the call would have written: it often names what to set to have no call.
fn detail(one: &GraphBreak, severity: Severity) -> Option<String> {
    let explanation = one.explanation.as_deref().map(|text| full_stop(&without_addresses(text.trim())));
    let mut sentences: Vec<String> = explanation.into_iter().collect();
    if let Some(text) = one.debug_context.as_deref().and_then(message) {
        sentences.push(format!("The call says: \"{}.\"", text.trim_end_matches('.')));
    }
    if severity == Severity::Info {
        sentences.push("The code that breaks and the code that calls it are torch's own.".to_owned());
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// The sentence with a full stop, where another one follows.
fn full_stop(text: &str) -> String {
    if text.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '`' | ')' | '\'' | '"')) {
        return format!("{text}.");
    }
    text.to_owned()
}

/// The text among the arguments of a call, where it is a sentence: `args: [ConstantVariable(str: 'a is unset.')]`.
fn message(debug_context: &str) -> Option<&str> {
    let (_, rest) = debug_context.split_once("ConstantVariable(str: ")?;
    let quote = rest.chars().next().filter(|mark| matches!(mark, '\'' | '"'))?;
    let rest = rest.strip_prefix(quote)?;
    let text = rest.get(..rest.find(&format!("{quote})"))?)?;
    text.contains(' ').then_some(text)
}

/// Whether the break is in code of torch or of Python that torch's own code calls: no frame from the compiled function
/// on is the user's or of a library that the user chose.
fn within_torch(model: &Model, one: &GraphBreak) -> bool {
    let inner = |file: &str| is_torch(file) || is_python(file);
    let compiled = |hit: &BreakOccurrence| {
        let function = model.compiles.get(hit.artifact.compile)?.function.as_ref()?;
        Some((
            resumed(&function.name).map_or(function.name.as_str(), |(name, _)| name),
            function.file.as_deref()?,
        ))
    };
    let within = |hit: &BreakOccurrence| {
        let Some((name, file)) = compiled(hit) else { return false };
        // The compiled function is the last frame with its name; the frames above called it.
        let entry = hit.stack.iter().rposition(|frame| frame.function == name && frame.file == file);
        let inside = hit.stack.iter().skip(entry.unwrap_or(hit.stack.len()));
        // Code of Python that the user calls is the user's business: of what calls a function of Python, torch has to
        // be the nearest.
        let caller = hit.stack.iter().take(entry.unwrap_or(0)).rev().find(|frame| !is_python(&frame.file));
        let by_torch = is_torch(file) || caller.is_some_and(|frame| is_torch(&frame.file));
        inner(file)
            && by_torch
            && one.file.as_deref().is_some_and(inner)
            && inside.into_iter().all(|frame| inner(&frame.file))
    };
    !one.occurrences.is_empty() && one.occurrences.iter().all(within)
}

/// The resume functions after the break. Their code would be compiled without the break too, so they are not a cost.
fn resumed_words(Basis { model, on_device, .. }: Basis<'_>, hits: &[Hit]) -> Option<String> {
    let resumes = || hits.iter().flat_map(|hit| &hit.resumes);
    let count = resumes().count();
    // Operators on the CPU have a finding of their own.
    let on_host = resumes().filter(|compile| on_device.runs_on_host(**compile));
    let cpp_us: f64 = on_host.map(|compile| on_device.cpp_us(*compile)).sum();
    let us = resumed_us(model, hits) - cpp_us;
    if count == 0 {
        return None;
    }
    let functions = counted(count, "resume function", "resume functions");
    let time = if us > 0.0 { format!(", {}", duration(us)) } else { String::new() };
    let beside = if cpp_us > 0.0 {
        format!(" beside {} of building C++ for the CPU", duration(cpp_us))
    } else {
        String::new()
    };
    Some(format!(
        "{functions} (the code behind the break){time}{beside}, of which most is needed anyway. When the model runs, nothing is fused across the break, and \
         each part has guards and a wrapper of its own."
    ))
}

/// Where torch says that it broke, with the line's text from the stack; of code without a file, the line that calls it.
fn place(one: &GraphBreak) -> UserPlace {
    let place = UserPlace::of_line(one.file.as_ref(), one.line);
    let caller = one.file.as_deref().filter(|file| is_without_file(file)).and_then(|_| own_frame(&one.stack));
    match caller.or(one.stack.last().filter(|frame| place.is_of(frame))) {
        Some(frame) => UserPlace::of_frame(frame),
        None => place,
    }
}
