//! `_readable.html` beside the stack traces of kernels: the user's lines behind each kernel.

use crate::analysis::provenance::{KernelStacks as Kernels, kernel_stacks};
use crate::model::{Artifact, Compile};
use crate::output::{Page, RelPath};
use crate::report::kit::formats::counted;
use crate::report::kit::highlight::LARGEST_LISTING;
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close, note_below, source_lines, write_line};
use crate::report::kit::paths;
use crate::report::kit::shell::{Shell, write_page};
use crate::report::kit::templates::Worker;
use crate::report::kit::view::View;
use crate::report::pages::code::{Group, Item, Side, Text, write_plain};
use crate::report::subject::Report;
use serde::Serialize;
use std::io::Write;

/// Kernels up to which a page needs no index.
const FEW: usize = 16;

pub(crate) fn page<'m>(
    report: Report<'m>,
    path: RelPath,
    (compile, artifact): (&'m Compile, &'m Artifact),
    text: Text<'m>,
) -> Page<'m, Worker> {
    Page::rendered(path, move |worker, out| {
        let mut shell = Shell::of_compile(report, compile, Some("stacks of kernels"));
        shell.viewer = true;
        write_page(worker, out, &shell, |worker, out| {
            let view = View::new(report, worker, 1);
            match kernel_stacks(&text.read(report)?) {
                Some(kernels) => write_kernels(view, (compile, artifact), &kernels, out),
                None => {
                    write_line(out, &head(view, (compile, artifact), None)?)?;
                    let whole = view.href(&paths::artifact(compile, artifact, report.settings));
                    write_plain(view, &text, Some(whole), out)
                }
            }
        })
    })
}

#[derive(Serialize)]
struct Head {
    pill: Html,
    function: Html,
    about: String,
    without: String,
    json: String,
}

fn head(
    view: View<'_>,
    (compile, artifact): (&Compile, &Artifact),
    kernels: Option<&Kernels>,
) -> anyhow::Result<Html> {
    let empty = kernels.into_iter().flatten().filter(|(_, stacks)| stacks.is_empty());
    let without: Vec<&str> = empty.map(|(kernel, _)| kernel.as_str()).collect();
    let about = match kernels {
        None => "This is not the JSON that torch writes here, so it is shown verbatim".to_owned(),
        Some(kernels) if kernels.is_empty() => "The log names no kernels".to_owned(),
        Some(kernels) => {
            format!("{} with their source lines", counted(kernels.len(), "kernel", "kernels"))
        }
    };
    let context = Head {
        pill: view.pill_beside(compile),
        function: view.named(compile),
        about,
        without: without.join(", "),
        json: view.href(&paths::artifact(compile, artifact, view.report.settings)),
    };
    view.render("kernel_stacks_head", &context)
}

/// Kernels have no text between them, because scripts compare this text.
fn write_kernels(
    view: View<'_>,
    about: (&Compile, &Artifact),
    kernels: &Kernels,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    write_line(out, &head(view, about, Some(kernels))?)?;
    let shown = kernels_that_fit(kernels);
    let items = kernels.iter().take(shown).zip(1_usize..).map(|((kernel, stacks), number)| {
        Item::new(format!("#k{number}"), (kernel, kernel), counted(stacks.len(), "stack", "stacks"))
    });
    // A few kernels need no index.
    if kernels.len() > FEW {
        let groups = vec![Group::new("Kernels", items.collect())];
        write_line(out, &Element::new("div").class("with-side").open())?;
        write_line(out, &view.render("code_side", &Side { groups })?)?;
    }
    write_line(out, &Element::new("div").open())?;
    for ((kernel, stacks), number) in kernels.iter().take(shown).zip(1_usize..) {
        let heading = Element::new("h2").class("space-around").id(&format!("k{number}"));
        write_line(out, &heading.around(view.code(kernel)))?;
        if !stacks.is_empty() {
            let stacks = stacks.iter().map(|stack| Element::new("span").around(stack.trim_matches('\n')));
            write_line(out, &source_lines(Html::joined(stacks, "\n")))?;
        }
    }
    if shown < kernels.len() {
        let rest = counted(kernels.len() - shown, "more kernel", "more kernels");
        let json = view.href(&paths::artifact(about.0, about.1, view.report.settings));
        let words = format!("{rest} would make the page too large; ");
        note_below(out, Html::joined([words.into(), view.link(&json, "the JSON"), " has all.".into()], ""))?;
    }
    close(out, "div")?;
    if kernels.len() > FEW {
        close(out, "div")?;
    }
    Ok(())
}

/// Bytes of markup per kernel, and per stack.
const FRAME: usize = 120;

/// How many kernels the page has room for.
fn kernels_that_fit(kernels: &Kernels) -> usize {
    let mut room = LARGEST_LISTING;
    let fits = |(kernel, stacks): &(&String, &Vec<String>)| {
        let stacks = stacks.iter().map(|stack| Html::escaped_len(stack) + FRAME);
        let bytes = FRAME + Html::escaped_len(kernel) + stacks.sum::<usize>();
        room.checked_sub(bytes).inspect(|left| room = *left).is_some()
    };
    kernels.iter().take_while(fits).count()
}
