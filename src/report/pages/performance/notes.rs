//! What stands out: the findings about measured kernels, by time.

use super::stands_out;
use crate::analysis::Topic;
use crate::analysis::findings::{Finding, Severity};
use crate::analysis::performance::Performance;
use crate::model::sentence::sentence;
use crate::report::kit::links::{MOST_MEASURED, measured_kernel_anchor};
use crate::report::kit::prelude::*;

/// Entries of the list; the table below has all kernels.
const MOST: usize = 5;
/// Findings among them.
const MOST_FINDINGS: usize = 3;

/// Findings about measurements, without kernels far from their limit: these have entries that say what can be gained.
fn findings(view: View<'_>) -> Vec<&Finding> {
    let findings = view.report.found.findings.iter();
    let of_topic = findings.filter(|finding| finding.kind.topic == Some(Topic::Performance));
    of_topic.filter(|finding| finding.kind.word != "slow_kernel").take(MOST_FINDINGS).collect()
}

/// How many entries the list has.
pub(super) fn count(view: View<'_>, found: &Performance) -> usize {
    (findings(view).len() + stands_out::entries(found).len()).min(MOST)
}

/// Writes the section if there are any.
pub(super) fn write(view: View<'_>, found: &Performance, out: &mut dyn Write) -> anyhow::Result<()> {
    let count = count(view, found);
    if count == 0 {
        return Ok(());
    }
    let note =
        "doubtful figures first, then kernels far from their limit, then by what could be gained at most";
    view.open_section(out, ("notes", "What stands out", note), Some(whole(count)), Html::default())?;
    write_line(out, &Element::new("ul").class("box notes").open())?;
    let told = findings(view).into_iter().map(|finding| entry(view, finding));
    let others = stands_out::entries(found).into_iter().map(|entry| stands_out::item(view, &entry));
    for item in told.chain(others).take(MOST) {
        write_line(out, &item)?;
    }
    close(out, "ul")?;
    Ok(close_section(out)?)
}

fn entry(view: View<'_>, finding: &Finding) -> Html {
    let flag = match (finding.kind.word, finding.severity) {
        ("implausible_kernel" | "wrong_counts", _) => "flag wrong",
        (_, Severity::Info) => "flag",
        _ => "flag far",
    };
    let kind = span(flag, finding.kind.label);
    let mut words = vec![view.sentence(&sentence![finding.title.clone(), "."]), " ".into()];
    let row = finding.topic_entry.filter(|entry| *entry < MOST_MEASURED);
    words.extend(row.map(|entry| view.link(&format!("#{}", measured_kernel_anchor(entry)), "Its row")));
    words.extend(finding.detail.as_ref().map(|detail| block(small(view.prose(detail)))));
    words.extend(finding.hints().map(|hint| block(small(view.prose(hint)))));
    // The entry of such a finding is the place of its kernel.
    let measured = view.report.found.performance.as_ref();
    let kernel = measured.zip(finding.topic_entry).and_then(|(found, entry)| found.kernels.get(entry));
    let time = kernel.map_or_else(|| UNKNOWN.to_owned(), |kernel| micros(kernel.sum_us));
    let cost = span("cost", time);
    Element::new("li").around(Html::joined([kind, block(Html::joined(words, "")), cost], ""))
}
