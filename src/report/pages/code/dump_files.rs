//! `dump_file/*.html`: sources of generated modules, which stack frames link to.

use crate::limits::SHOWN;
use crate::model::{CompileIndex, DumpFile, Language};
use crate::output::Page;
use crate::report::kit::formats::counted;
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close, write_line};
use crate::report::kit::paths;
use crate::report::kit::shell::{Shell, write_page};
use crate::report::kit::templates::Worker;
use crate::report::kit::view::View;
use crate::report::pages::code::{Text, write_code, write_plain};
use crate::report::subject::Report;
use crate::trace::TextMap;
use serde::Serialize;
use std::io::Write;
use std::sync::Arc;

/// For each name in frames, the compiles with such a frame on their stack: indices into the model's.
type Users<'m> = TextMap<&'m str, Vec<CompileIndex>>;

pub(crate) fn pages(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let files = &report.model.dump_files;
    if files.is_empty() {
        return Vec::new();
    }
    let users = Arc::new(users(report));
    let pages = files.iter().map(|file| {
        let users = Arc::clone(&users);
        Page::rendered(paths::dump_file(&file.stem), move |worker, out| {
            write(report, file, &users, (worker, out))
        })
    });
    pages.collect()
}

fn users(report: Report<'_>) -> Users<'_> {
    let model = report.model;
    let mut users: Users<'_> = model.dump_files.iter().map(|file| (file.key.as_str(), Vec::new())).collect();
    for (index, compile) in model.compiles.indexed() {
        for frame in compile.stack.iter().flat_map(|stack| stack.iter()) {
            let file = model.strings.get(frame.file).unwrap_or_default();
            let known = users.get_mut(file).filter(|known| known.last() != Some(&index));
            if let Some(known) = known {
                known.push(index);
            }
        }
    }
    users
}

#[derive(Serialize)]
struct Head<'a> {
    key: &'a str,
    name: Option<&'a str>,
    lines: String,
    line: u64,
    users: Option<Html>,
    more: usize,
    plain: String,
}

fn write(
    report: Report<'_>,
    file: &DumpFile,
    users: &Users<'_>,
    (worker, out): (&mut Worker, &mut dyn Write),
) -> anyhow::Result<()> {
    let mut shell = Shell::below(report, &file.key);
    shell.viewer = true;
    write_page(worker, out, &shell, |worker, out| {
        let text = Text::Payload(file.at);
        let code = text.by_lines(report)?;
        let view = View::new(report, worker, 1);
        let used_by = users.get(file.key.as_str()).map_or(&[][..], Vec::as_slice);
        let compiles = used_by.iter().take(SHOWN).filter_map(|index| report.model.compiles.get(*index));
        let pills = compiles.map(|compile| view.pill(compile)).collect::<Vec<_>>();
        let head = Head {
            key: &file.key,
            name: (file.name != file.key).then_some(file.name.as_str()),
            lines: match &code {
                None => "too large to be highlighted".to_owned(),
                Some(code) => counted(code.lines().count(), "line", "lines"),
            },
            line: file.line,
            users: (!pills.is_empty()).then(|| Html::joined(pills, " ")),
            more: used_by.len().saturating_sub(SHOWN),
            plain: view.href(&paths::payload(file.at.md5)),
        };
        write_line(out, &view.render("dump_file_head", &head)?)?;
        if let Some(code) = code {
            write_line(out, &Element::new("div").class("page-body").open())?;
            write_code(worker, out, (Language::Python, &code), None)?;
            return Ok(close(out, "div")?);
        }
        write_plain(view, &text, Some(view.href(&paths::payload(file.at.md5))), out)
    })
}
