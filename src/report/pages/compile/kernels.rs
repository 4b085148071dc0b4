//! The user's lines behind the kernels of a compile, from the stacks that Inductor recorded of them.

use crate::analysis::is_library;
use crate::analysis::provenance::kernel_stacks;
use crate::limits::{IN_HEAD, LARGEST_TEXT, SHORT_TABLE};
use crate::model::{Artifact, Content, TextFrame, traceback};
use crate::report::doc::{Block, Cell, Others, Rows, Section, place};
use crate::report::kit::paths;
use crate::report::pages::compile::subject::ShownCompile;

/// A kernel with the innermost of the user's lines in each of its stacks.
struct Kernel {
    name: String,
    lines: Vec<TextFrame>,
}

/// The section of each file of stacks that can be read; the file has the whole stacks.
pub(super) fn sections<'m>(subject: ShownCompile<'m>) -> anyhow::Result<Vec<Section<'m>>> {
    let is_file =
        |artifact: &&Artifact| &*artifact.name == "inductor_provenance_tracking_kernel_stack_traces";
    let mut sections = Vec::new();
    for artifact in subject.compile.artifacts.iter().filter(is_file) {
        let Content::Payload(at, _) = &artifact.content else { continue };
        let text = if at.text_len > LARGEST_TEXT { String::new() } else { subject.report.payload(at)? };
        let kernels: Vec<Kernel> = kernel_stacks(&text).into_iter().flatten().map(kernel).collect();
        if kernels.is_empty() {
            continue;
        }
        let count = kernels.len();
        let list = Rows::of(kernels)
            .text("Kernel", |one| Cell::Code(one.name.as_str().into()))
            .text("Your lines", |one| {
                let lines = one.lines.iter().take(IN_HEAD).map(line);
                if one.lines.is_empty() { Cell::Unknown } else { Cell::Stacked(lines.collect()) }
            })
            .first(SHORT_TABLE, Others::Elsewhere("kernels are in the file"))
            .listing(format!("kernels-{}", artifact.number), "Lines behind kernels", "");
        let path = paths::best(subject.compile, artifact, subject.report.settings);
        let whole = Cell::File { path, name: "the whole stacks".into() };
        let blocks = vec![Block::Table(list), Block::Paragraph(whole)];
        let section = Section::new(format!("stacks-{}", artifact.number), "Lines behind kernels", blocks);
        sections.push(section.counted(count).without_tab());
    }
    Ok(sections)
}

fn kernel((name, stacks): (String, Vec<String>)) -> Kernel {
    let mut lines: Vec<TextFrame> = Vec::new();
    for stack in stacks {
        let mut frames = traceback(&stack);
        let own = frames.iter().rposition(|frame| !is_library(&frame.file));
        let frame = own.map(|own| frames.swap_remove(own)).or(frames.pop());
        lines.extend(
            frame.filter(|one| lines.iter().all(|other| (&other.file, other.line) != (&one.file, one.line))),
        );
    }
    Kernel { name, lines }
}

fn line(frame: &TextFrame) -> Cell<'_> {
    let place = place(Some(&frame.file), frame.line.try_into().ok());
    let code = frame.loc.as_deref().map(|loc| Cell::Code(loc.into()));
    Cell::Beside([place].into_iter().chain(code).collect(), " ")
}
