//! The landing page of a job.

use super::JobReport;
use super::verdict;
use crate::output::{Page, RelPath};
use crate::report::Html;
use crate::report::Worker;
use crate::report::parts::Pieces;
use crate::report::shell::{Shell, write_page};
use std::io::Write;

pub(super) fn page<'m>(report: JobReport<'m>) -> Page<'m, Worker> {
    Page::rendered(RelPath::of_parts(&["index.html"]), move |worker, out| {
        let ranks = crate::report::units::counted(report.job.ranks.len(), "rank", "ranks");
        let shell = Shell::of_job(&ranks, report.settings.custom_header.as_deref());
        write_page(worker, out, &shell, |worker, out| {
            let _ = Pieces { worker, depth: 0 };
            let sentence = Html::escaped(&verdict::sentence(report));
            writeln!(out, "<div class=\"hero\"><h1>{}</h1></div>", sentence.as_str())?;
            Ok(())
        })
    })
}
