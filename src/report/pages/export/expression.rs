//! `symbolic_guard_information_<n>.html`: an expression that export had to decide: its stacks, and what to do.

use super::problems::{Shown, facts, meaning, trace};
use crate::limits::SENTENCE;
use crate::model::{Artifact, Compile, ExportKind, ExportProblem, Fields};
use crate::output::Page;
use crate::report::doc::{Block, Cell, Fact, Section, log, page};
use crate::report::kit::formats::clipped;
use crate::report::kit::paths;
use crate::report::kit::shell::{Shell, Tab};
use crate::report::kit::templates::Worker;
use crate::report::subject::Report;

/// PyTorch's pages about it: what they are called, and where they are.
const DOCS: [(&str, &str); 3] = [
    (
        "torch._check by example",
        "https://docs.pytorch.org/docs/stable/generated/exportdb/torch.dynamic-value.html",
    ),
    (
        "Dynamic sizes in the documentation of torch.export",
        "https://docs.pytorch.org/docs/stable/export.html#torch.export.Dim",
    ),
    (
        "Draft export in the documentation of PyTorch",
        "https://docs.pytorch.org/docs/stable/draft_export.html",
    ),
];

/// The page of the problem with this index in the model.
pub(super) fn page<'m>(
    report: Report<'m>,
    compile: &'m Compile,
    artifact: &'m Artifact,
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
        let export = &report.found.export;
        let failure = export.of_problem.get(index).and_then(|place| export.failures.get(*place));
        let shown = failure.and_then(|failure| Shown::of(report, 0, failure));
        let line = report.with_fields(problem.header, source_line)?;
        let mut blocks = vec![Block::Verdict { sentence: sentence(problem), notes: Vec::new() }];
        if let Some(shown) = &shown {
            blocks.extend(sections(report, problem, shown, line));
        }
        page::write_in(shell, report, &blocks, worker, out)
    }))
}

fn sections<'m>(
    report: Report<'m>,
    problem: &'m ExportProblem,
    shown: &'m Shown<'m>,
    line: Option<String>,
) -> [Block<'m>; 2] {
    let mut advice = meaning(&shown.finding);
    advice.extend(shown.finding.advice.iter().map(Block::Advice));
    let docs = DOCS.map(|(words, url)| Cell::LogLink { words: words.to_owned(), url: url.into() });
    advice.push(Block::Paragraph(Cell::Beside(docs.into(), ", ")));
    let mut facts = facts(report, shown);
    facts.extend(line.map(|line| Fact::new("Source line", Cell::Code(line.into()))));
    let mut stack = vec![Block::Facts(facts)];
    stack.extend(trace(report, problem));
    let about = "your lines, with those of torch folded between them";
    [
        Block::Section(Section::new("do", "What to do", advice)),
        Block::Section(Section::new("stack", "Stack", stack).about(about)),
    ]
}

/// The text of the user's line, from the record.
fn source_line(fields: &Fields<'_>) -> Option<String> {
    fields.get::<Fields<'_>>("frame_locals")?.text("loc")
}

fn sentence(problem: &ExportProblem) -> Cell<'_> {
    let subject = Cell::Code(clipped(&problem.subject, SENTENCE).0.into());
    let said = match (problem.kind, problem.result.as_deref()) {
        (ExportKind::Assumed, Some(result)) => {
            vec![" was assumed to be ".into(), log(clipped(result, SENTENCE).0), ".".into()]
        }
        (ExportKind::Undecided, _) => vec![" could not be decided.".into()],
        (ExportKind::Stopped, _) => vec![" is where the export stopped.".into()],
        (ExportKind::GuardEvaluated, _) => {
            vec![" was evaluated, and the program relies on the result.".into()]
        }
        _ => vec![" depends on data.".into()],
    };
    Cell::Beside([subject].into_iter().chain(said).collect(), "")
}
