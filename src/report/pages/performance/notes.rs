//! What stands out: the findings about measured kernels, by time.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::performance::Performance;
use crate::limits::LONG_TABLE;
use crate::model::sentence::sentence;
use crate::report::kit::links::measured_kernel_anchor;
use crate::report::kit::prelude::*;
use crate::report::words::performance::stands_out::{Cost, Entry, StandsOut, stands_out};

/// How many entries the list has.
pub(super) fn count(report: Report<'_>, found: &Performance) -> usize {
    stands_out(report, found).len()
}

/// Writes the section if there are any.
pub(super) fn write(view: View<'_>, found: &Performance, out: &mut dyn Write) -> anyhow::Result<()> {
    let all = stands_out(view.report, found);
    if all.is_empty() {
        return Ok(());
    }
    let note =
        "doubtful figures first, then kernels far from their limit, then by what could be gained at most";
    view.open_section(out, ("notes", "What stands out", note), Some(whole(all.len())), Html::default())?;
    write_line(out, &Element::new("ul").class("box notes").open())?;
    for one in all {
        let item = match one {
            StandsOut::Finding(finding) => of_finding(view, finding),
            StandsOut::Entry(entry) => of_entry(view, &entry),
        };
        write_line(out, &item)?;
    }
    close(out, "ul")?;
    Ok(close_section(out)?)
}

fn of_entry(view: View<'_>, entry: &Entry) -> Html {
    let mut words = vec![view.prose(&entry.sentence), " ".into()];
    words.extend(row_link(view, entry.kernel));
    words.push(block(small(view.prose(&entry.reason))));
    let cost = span("cost", entry.cost.map_or_else(|| UNKNOWN.to_owned(), Cost::words));
    item(span(entry.class, entry.label), words, cost)
}

/// A link to the row of a kernel, if the table has it.
fn row_link(view: View<'_>, kernel: Option<usize>) -> Option<Html> {
    let shown = kernel.filter(|place| *place < LONG_TABLE)?;
    Some(view.link(&format!("#{}", measured_kernel_anchor(shown)), "Its row"))
}

fn item(label: Html, words: Vec<Html>, cost: Html) -> Html {
    Element::new("li").around(Html::joined([label, block(Html::joined(words, "")), cost], ""))
}

fn of_finding(view: View<'_>, finding: &Finding) -> Html {
    let flag = match (finding.kind, finding.severity) {
        (KindOfFinding::ImplausibleKernel | KindOfFinding::WrongCounts, _) => "flag wrong",
        (_, Severity::Info) => "flag",
        _ => "flag far",
    };
    let kind = span(flag, finding.kind.label());
    let mut words = vec![view.sentence(&sentence![finding.title.clone(), "."]), " ".into()];
    words.extend(row_link(view, finding.kernel()));
    words.extend(finding.detail.as_ref().map(|detail| block(small(view.prose(detail)))));
    words.extend(finding.hints().map(|hint| block(small(view.prose(hint)))));
    // The entry of such a finding is the place of its kernel.
    let measured = view.report.found.performance.as_ref();
    let kernel = measured.zip(finding.kernel()).and_then(|(found, entry)| found.kernels.get(entry));
    let time = kernel.map_or_else(|| UNKNOWN.to_owned(), |kernel| micros(kernel.sum_us));
    let cost = span("cost", time);
    item(kind, words, cost)
}
