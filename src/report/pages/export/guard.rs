//! `symbolic_guard_information_<n>.html`: an expression that export had to decide: its stacks, and what to do.

use crate::limits::SENTENCE;
use crate::model::{Artifact, Compile, ExportKind, ExportProblem, Fields};
use crate::output::Page;
use crate::report::kit::formats::clipped;
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close_section, paragraph, strong, write_line};
use crate::report::kit::paths;
use crate::report::kit::shell::{Shell, Tab, write_page};
use crate::report::kit::templates::Worker;
use crate::report::kit::view::View;
use crate::report::pages::export::{advice, failure, program};
use crate::report::subject::Report;
use std::io::Write;

/// The page of the problem with this index in the model.
pub(crate) fn page<'m>(
    report: Report<'m>,
    (compile, artifact): (&'m Compile, &'m Artifact),
    index: usize,
) -> Option<Page<'m, Worker>> {
    let problem = report.model.export.problems.get(index)?;
    let path = paths::artifact(compile, artifact, report.settings);
    Some(Page::rendered(path, move |worker, out| {
        let mut shell = Shell::of_compile(report, compile, Some("Symbolic guard"));
        if report.shows_export() {
            let href = format!("../{}", paths::export(report.settings));
            shell.tabs.push(Tab::away(href, "Export", None));
        }
        write_page(worker, out, &shell, |worker, out| {
            write(View::new(report, worker, 1), (index, problem), out)
        })
    }))
}

fn write(
    view: View<'_>,
    (index, problem): (usize, &ExportProblem),
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let export = &view.report.found.export;
    let line = view.report.with_fields(problem.header, source_line)?;
    let notes = vec![view.prose(&advice::explanation(problem))];
    write_line(out, &view.verdict(sentence(view, problem), notes)?)?;
    let section = |out: &mut dyn Write, id, title, about| {
        view.open_section(out, (id, title, about), None, Html::default())
    };
    section(out, "stack", "Stack", "the user's lines, innermost last")?;
    write_line(out, &failure::trace(view, problem))?;
    let mut facts = failure::facts(view, problem);
    facts.extend(line.as_deref().map(|loc| ("Source line", view.code(loc))));
    facts.extend(program::link(view, problem).map(|link| ("Program", link)));
    write_line(out, &Element::new("div").class("space-above").around(view.facts(facts)))?;
    close_section(out)?;

    section(out, "do", "What to do", "")?;
    let failure = export.of_problem.get(index).and_then(|&failure| export.failures.get(failure));
    let place = failure.and_then(|failure| failure.place.as_ref());
    write_line(out, &advice::advice(view, problem, place))?;
    let docs = Html::joined(advice::docs(view, problem.kind), ", ");
    paragraph(out, docs)?;
    close_section(out)?;

    Ok(())
}

/// The text of the user's line, from the record.
fn source_line(fields: &Fields<'_>) -> Option<String> {
    fields.get::<Fields<'_>>("frame_locals")?.text("loc")
}

fn sentence(view: View<'_>, problem: &ExportProblem) -> Html {
    let subject = view.code(clipped(&problem.subject, SENTENCE).0);
    let text = |text: &'static str| Html::escaped(text);
    match (problem.kind, problem.result.as_deref()) {
        (ExportKind::Assumed, Some(result)) => {
            let result = Html::escaped(clipped(result, SENTENCE).0);
            Html::joined([subject, text(" was assumed to be "), strong(&result), text(".")], "")
        }
        (ExportKind::Undecided, _) => Html::joined([subject, text(" could not be decided.")], ""),
        (ExportKind::GuardEvaluated, _) => {
            Html::joined([subject, text(" was evaluated, and the program relies on the result.")], "")
        }
        _ => Html::joined([subject, text(" depends on data.")], ""),
    }
}
