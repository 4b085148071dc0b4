//! `search.html` of a job: findings, functions, kernels and files of all ranks, in the reports of the ranks that have them.

use super::job_report::JobReport;
use super::view::JobView;
use crate::facts::ranks::{Holders, Searched, SearchedKind};
use crate::model::words::{rank_folder, ranks_in};
use crate::output::{Page, RelPath};
use crate::report::kit::assets::SEARCH;
use crate::report::kit::editor::Editor;
use crate::report::kit::formats::{counted, whole};
use crate::report::kit::links::encoded;
use crate::report::kit::markup::paragraph;
use crate::report::kit::search_index::{Fact, IndexWriter};
use crate::report::kit::shell::{Shell, write_page};
use serde::Serialize;
use std::io::Write;

use crate::report::kit::templates::Worker;

/// Bytes of the index.
const MOST: u64 = 20 << 20;

/// The kinds of entries, in the order in which they are shown, with their titles.
const GROUPS: [(SearchedKind, &str); 6] = [
    (SearchedKind::Finding, "Findings"),
    (SearchedKind::Function, "Functions"),
    (SearchedKind::GraphBreak, "Graph breaks"),
    (SearchedKind::Measured, "Measured kernels and operators"),
    (SearchedKind::Kernel, "Kernels"),
    (SearchedKind::File, "Files of ranks"),
];

#[derive(Serialize)]
struct Head {
    page: &'static str,
}

pub(super) fn page<'m>(report: JobReport<'m>) -> Page<'m, Worker> {
    Page::rendered(RelPath::of_parts(&["search.html"]), move |worker, out| {
        let name = counted(report.job.ranks.len(), "rank", "ranks");
        let mut shell = Shell::of_job("Search", None, SEARCH);
        shell.around = report.around;
        shell.ranks = Some(super::page::ranges(report));
        shell.crumbs = vec![(name, Some("index.html".to_owned())), ("Search".to_owned(), None)];
        write_page(worker, out, &shell, |worker, out| body(JobView::new(report, worker), out))
    })
}

fn body(view: JobView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let names = &view.report.job.searched;
    writeln!(out, "{}", view.render("search_head", &Head { page: "index.html" })?.as_str())?;
    Editor::write_pattern(None, out)?;
    let mut index = IndexWriter::new(out, MOST);
    index.open()?;
    for (kind, title) in GROUPS {
        let of_kind = names.entries.iter().filter(|(entry, _)| entry.kind == kind);
        index.group(title, of_kind.filter_map(|(entry, holders)| fact(entry, holders)))?;
    }
    ["settings", "files", "texts"].into_iter().try_for_each(|name| index.list(name))?;
    index.close()?;
    let (rows, dropped) = (index.rows, index.dropped + names.left_out);
    let left_out = match dropped {
        0 => String::new(),
        count => format!(" Left out for the size of the page: {}.", counted(count, "name", "names")),
    };
    let words = format!(
        "{} names of findings, functions, graph breaks, kernels and files. What several ranks have is one entry, which leads \
         to the first of them. Settings, phases and lines of files are found by the search of a rank.{left_out}",
        whole(rows)
    );
    Ok(paragraph(out, words)?)
}

/// An entry with its ranks, and a link to its row in the first of them.
fn fact(entry: &Searched, holders: &Holders) -> Option<Fact> {
    let first = holders.ranks.first()?.start();
    let (path, anchor) = entry.href.split_once('#').unwrap_or((&entry.href, ""));
    // The path was in a file that anyone may have written.
    let path = RelPath::new(path)?;
    let anchor = match anchor.strip_prefix("find=") {
        Some(name) => format!("#find={}", encoded(name)),
        None if anchor.is_empty() => String::new(),
        None => format!("#{anchor}"),
    };
    let of = if holders.differs { format!(" in rank {first}") } else { String::new() };
    let detail = match holders.detail.as_str() {
        "" => ranks_in(&holders.ranks),
        detail => format!("{} · {detail}{of}", ranks_in(&holders.ranks)),
    };
    let href = format!("{}{anchor}", encoded(&format!("{}/{}", rank_folder(*first), path.as_str())));
    Some(Fact { main: entry.name.clone(), detail, href })
}
