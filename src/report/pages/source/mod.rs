//! `source.html`: the user's files line by line, with what the log knows of each line.

mod columns;
mod file;
mod files;
mod operators;
mod panel;
mod sheet;
mod subject;
mod text;
mod verdict;

use crate::analysis::lines::LineFacts;
use crate::limits::KEPT;
use crate::report::doc::page::write_all;
use crate::report::doc::{Block, Cell, FoundRow, Others, Rows};
use crate::report::kit::prelude::*;
use crate::report::subject::ToSearch;
use file::File;
use subject::ShownSource;

/// Whether the log is about compiles, or names lines otherwise.
pub(crate) fn present(report: Report<'_>) -> bool {
    let has_compiles = || report.model.identified().next().is_some();
    !report.is_trace_alone() && (!report.found.lines.is_empty() || has_compiles())
}

pub(crate) fn page(report: Report<'_>) -> Page<'_, Worker> {
    Page::rendered(RelPath::of_parts(&[links::SOURCE]), move |worker, out| write(report, worker, out))
}

/// A line of the user's of which the page has more to tell.
struct Told<'m> {
    file: &'m str,
    line: &'m LineFacts,
    address: String,
}

/// These lines.
pub(crate) fn searched(report: Report<'_>, to: &mut ToSearch<'_>) -> anyhow::Result<()> {
    let all =
        report.found.lines.files.iter().flat_map(|file| file.lines.iter().map(move |line| (file, line)));
    let told = all.filter_map(|(file, line)| {
        let address = links::source_line(report, &file.file, line.number)?;
        Some(Told { file: &file.file, line, address })
    });
    let lines = Rows::of(told.collect::<Vec<_>>())
        .text("Function", |one| Cell::function(one.line.function.as_deref()))
        .text("Code", |one| Cell::maybe(one.line.code.as_deref(), |code| Cell::Code(code.into())))
        .found(|_, one| {
            FoundRow::at(format!("{}:{}", short_path(one.file), one.line.number), &*one.address)
                .more([one.file])
        })
        .first(KEPT, Others::InFacts("lines"));
    to("Places in the program", &[lines.listing("lines", "Places in the program", "")])
}

fn write(report: Report<'_>, worker: &mut Worker, out: &mut dyn Write) -> anyhow::Result<()> {
    let texts = text::texts(report, worker)?;
    let subject = ShownSource::of(report, texts)?;
    let mut shell = Shell { viewer: true, ..Shell::top(report, "Source") };
    let own: Vec<File<'_>> = files::files_of(&subject, false).collect();
    let libraries: Vec<File<'_>> = files::files_of(&subject, true).collect();
    let count = |files: &[File<'_>]| Some(whole(files.len()));
    if !own.is_empty() {
        shell.tabs.push(Tab::section("files", "Your files", count(&own)));
    }
    if !libraries.is_empty() {
        shell.tabs.push(Tab::section("libraries", "Library files", count(&libraries)));
    }
    if let Some(first) = own.iter().chain(&libraries).find(|file| file.file.is_listed()) {
        let name = short_path(&first.file.file);
        shell.tabs.push(Tab::section(&files::anchor(first.place), &name, None));
    }
    write_page(worker, out, &shell, |worker, out| {
        let view = View::new(report, worker, 0);
        write_line(out, &verdict::verdict(view, &subject)?)?;
        if subject.lines.is_empty() {
            return Ok(());
        }
        let tables: Vec<_> = [Some(files::of_user(&subject)), files::libraries(&subject)]
            .into_iter()
            .flatten()
            .map(Block::Section)
            .collect();
        write_all(&tables, view, out)?;
        for file in own.iter().chain(&libraries).filter(|file| file.file.is_listed()) {
            lines(view, *file, out)?;
        }
        Ok(())
    })
}

/// A file with its lines; those of a library are folded.
fn lines(view: View<'_>, file: File<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let name = short_path(&file.file.file);
    let id = files::anchor(file.place);
    let known = file.file.lines.len();
    let (count, note) = match file.whole() {
        Some(all) => {
            (counted(all.len(), "line", "lines"), format!("{} of them are known to the log", whole(known)))
        }
        None => (
            counted(known, "known line", "known lines"),
            "the lines that the log names; a compile counts at the line where it begins".to_owned(),
        ),
    };
    let tools = if file.whole().is_some() { whole_button() } else { Html::default() };
    view.open_section(out, (&id, &name, &note), Some(count), tools)?;
    if file.file.is_library {
        open_more(out, "Lines of this file")?;
    }
    legend(file, out)?;
    sheet::write(view, file, out)?;
    if file.file.is_library {
        close(out, "details")?;
    }
    Ok(close_section(out)?)
}

/// Shows or hides lines that the log does not know; it needs a script.
fn whole_button() -> Html {
    let button =
        Element::new("button").class("button").attribute("data-whole", "").around("Known lines only");
    Element::new("div").class("tools needs-script").hidden().around(button)
}

/// What the bars beside the code mean.
fn legend(file: File<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut states = vec![
        ("captured", "captured in a graph"),
        ("breaks", "breaks the graph"),
        ("failed", "a compile fails here"),
        ("read", "read or called, nothing captured"),
    ];
    if file.whole().is_some() {
        states.insert(3, ("eager", "ran in eager mode"));
    }
    let entries = states.into_iter().map(|(class, words)| {
        let mark = Element::new("i").class(&format!("state {class}")).empty();
        Element::new("span").around(Html::joined([mark, words.into()], " "))
    });
    let key = |key: &str| Element::new("kbd").around(key);
    let keys =
        [key("j"), key("k"), "next and previous known line,".into(), key("n"), key("p"), "finding".into()];
    let keys = Element::new("span").class("soft needs-script wide").hidden().around(Html::joined(keys, " "));
    write_line(out, &Element::new("div").class("legend").around(Html::joined(entries.chain([keys]), "\n")))?;
    Ok(())
}
