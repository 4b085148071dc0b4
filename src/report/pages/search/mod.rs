//! `search.html`: full-text search. The page contains its index, so it works from disk.

mod entries;
mod files;
mod lines;
mod settings;
mod texts;

use crate::limits::LIST;
use crate::model::Content;
use crate::output::{Page, RelPath};
use crate::report::kit::editor::Editor;
use crate::report::kit::formats::{bytes, counted, whole};
use crate::report::kit::markup::write_line;
use crate::report::kit::paths;
use crate::report::kit::search_index::IndexWriter;
use crate::report::kit::shell::{Shell, write_page};
use crate::report::kit::templates::Worker;
use crate::report::kit::view::View;
use crate::report::subject::Report;
use lines::LONGEST_LINE;
use serde::Serialize;
use texts::Indexed;

/// Largest index, in percent of the report.
const SHARE: u64 = 15;

/// Largest index in bytes. A browser parses this much JSON in about a second.
const MOST: u64 = 20 << 20;

/// Link shown without scripts.
#[derive(Serialize)]
struct Landing {
    page: &'static str,
}

pub(crate) fn page<'m>(report: Report<'m>) -> Page<'m, Worker> {
    Page::rendered(RelPath::of_parts(&["search.html"]), move |worker, out| {
        let mut shell = Shell::top(report, "Search");
        shell.search = false;
        write_page(worker, out, &shell, |worker, out| {
            let view = View::new(report, worker, 0);
            writeln!(
                out,
                "{}",
                view.render("search_head", &Landing { page: paths::landing(report.settings) })?.as_str()
            )?;
            let most = room(report);
            Editor::write_pattern(report.settings.editor.as_ref(), out)?;
            let mut index = IndexWriter::new(out, most);
            index.open()?;
            entries::write(report, &mut index)?;
            settings::write(report, &mut index)?;
            let files = files::write(report, &mut index)?;
            let named = files.len();
            let indexed = texts::write(report, files, &mut index)?;
            index.close()?;
            let foot = foot(named, &indexed, &index);
            write_line(out, &view.render("search_foot", &foot)?)?;
            Ok(())
        })
    })
}

/// Bytes for the index. The report is at least as large as the log and the texts of its artifacts; of a trace alone, only its
/// kernels are in the index.
fn room(report: Report<'_>) -> u64 {
    if report.is_trace_alone() {
        return MOST;
    }
    let artifacts = report.model.compiles.iter().flat_map(|compile| &compile.artifacts);
    let texts: u64 = artifacts
        .map(|artifact| match &artifact.content {
            Content::Payload(at, _) => at.text_len,
            Content::Text(text, _) => text.len() as u64,
            _ => 0,
        })
        .sum();
    (report.model.log.bytes.saturating_add(texts) / 100).saturating_mul(SHARE).min(MOST)
}

#[derive(Serialize)]
struct Foot {
    facts: String,
    files: String,
    lines: String,
    texts: String,
    chars: String,
    dropped: Option<String>,
    absent: String,
    share: u64,
    most: String,
    kinds: Vec<Kind>,
}

#[derive(Serialize)]
struct Kind {
    name: String,
    files: String,
    bytes: String,
}

fn foot(named: usize, indexed: &Indexed<'_>, index: &IndexWriter<'_>) -> Foot {
    let mut absent: Vec<_> = indexed.absent.iter().collect();
    absent.sort_by_key(|(name, (_, size))| (std::cmp::Reverse(*size), **name));
    let count: usize = absent.iter().map(|(_, (count, _))| count).sum();
    let size: u64 = absent.iter().map(|(_, (_, size))| size).sum();
    let kinds = absent.iter().take(LIST).map(|(name, (count, size))| Kind {
        name: (**name).to_owned(),
        files: counted(*count, "file", "files"),
        bytes: bytes(*size as f64),
    });
    Foot {
        facts: whole(index.rows),
        files: counted(named, "file", "files"),
        lines: counted(indexed.lines, "distinct line", "distinct lines"),
        texts: counted(indexed.texts, "text", "texts"),
        chars: whole(LONGEST_LINE),
        dropped: (index.dropped > 0).then(|| counted(index.dropped, "fact or name", "facts or names")),
        absent: format!("{} ({})", counted(count, "file", "files"), bytes(size as f64)),
        share: SHARE,
        most: bytes(MOST as f64),
        kinds: kinds.collect(),
    }
}
