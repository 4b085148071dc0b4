//! `report.md`: the report in one text, to be pasted into an issue or handed to an assistant.
//!
//! It has at most 60 KB. Each part has a number of bytes, and what it does not need, those behind it may take; it lists what
//! matters most first, and says how much it leaves out and where that stands.
//! Paths of evidence are text, not links: pasted elsewhere, a relative link would lead nowhere.

mod compiles;
mod findings;
mod lost;
mod named;
mod times;

use crate::limits::QUOTE;
use crate::output::{Page, RelPath};
use crate::report::kit::formats::{bytes, counted, whole};
use crate::report::kit::markdown::{Markdown, code, plain, prose};
use crate::report::kit::paths;
use crate::report::kit::templates::Worker;
use crate::report::subject::Report;
use crate::report::words::export;
use crate::report::words::problems::damaged;
use crate::report::words::verdict;

/// `report.md`
pub(crate) fn markdown(report: Report<'_>) -> Page<'_, Worker> {
    Page::rendered(RelPath::of_parts(&[paths::REPORT_MD]), move |_, out| Ok(document(report).write(out)?))
}

fn document(report: Report<'_>) -> Markdown {
    let mut document = Markdown::default();
    head(report, &mut document);
    if report.model.log.records > 0 {
        findings::write(report, &mut document);
        times::write(report, &mut document);
        times::hints(report, &mut document);
        compiles::failures(report, &mut document);
        compiles::recompilations(report, &mut document);
        compiles::breaks(report, &mut document);
    }
    lost::write(report, &mut document);
    document
}

/// The verdict, what the log is, and how to read on.
fn head(report: Report<'_>, document: &mut Markdown) {
    let model = report.model;
    let log = &model.log;
    let mut part = document.part(4_000);
    part.heading(1, &format!("What torch.compile did: {}", code(&log.file, QUOTE)));
    let damage = match damaged(report) {
        // That nothing is damaged goes without saying.
        0 => String::new(),
        _ if log.records == 0 => String::new(),
        count => format!(" {} damaged or of another rank.", counted(count, "record is", "records are")),
    };
    part.text(&plain(&format!("**{}{damage}**", verdict::sentence(report))));
    if report.shows_export() && log.records > 0 {
        part.text(&format!("Export: {}", prose(&plain(&export::sentence_of(report)), 400)));
    }
    let torch = match &model.torch {
        Some(torch) => {
            let commit = torch.commit.as_deref().map(|commit| format!(" (commit {})", code(commit, 60)));
            format!("{}{}", code(&torch.version, QUOTE), commit.unwrap_or_default())
        }
        None => "not recorded".to_owned(),
    };
    let mut facts = vec![
        format!("- **torch:** {torch}"),
        format!("- **Log:** {}, {}", bytes(log.bytes as f64), counted(log.records, "record", "records")),
    ];
    if let (Some(first), Some(last)) = (&log.first_time, &log.last_time) {
        facts.push(format!("- **Recorded:** {} to {}", code(first, 60), code(last, 60)));
    }
    facts.extend(log.rank.map(|rank| format!("- **Rank:** {}", whole(rank))));
    facts.push(format!("- **Written by:** tlparse {}", env!("CARGO_PKG_VERSION")));
    part.text(&plain(&facts.join("\n")));
    part.text(&format!(
        "Paths below are files of this report's folder: `{}` is the landing page, `report.json` has all facts for \
         programs, `raw.log` is the log. A cost is *wasted* (the log shows work that was thrown away), *up to* so \
         much (what would not have been spent without the cause, an upper bound) or *expected* (needed work that \
         looks like a problem). Names, messages and code in it come from the log of the program.",
        paths::landing(report.settings)
    ));
    part.end(0, ("line", "lines"), "`report.json` has all");
}
