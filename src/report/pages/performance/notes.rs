//! What stands out: the findings about measured kernels, by time.

use crate::analysis::Topic;
use crate::analysis::findings::{Finding, Severity};
use crate::model::sentence::sentence;
use crate::report::kit::links::{MOST_MEASURED, measured_kernel_anchor};
use crate::report::kit::prelude::*;

/// Findings about measurements.
pub(super) fn all(view: View<'_>) -> Vec<&Finding> {
    let findings = view.report.found.findings.iter();
    findings.filter(|finding| finding.kind.topic == Some(Topic::Performance)).collect()
}

/// Writes the section if there are any.
pub(super) fn write(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let all = all(view);
    if all.is_empty() {
        return Ok(());
    }
    let note = "figures that cannot be true, and kernels far from every limit";
    view.open_section(out, ("notes", "What stands out", note), Some(whole(all.len())), Html::default())?;
    write_line(out, &Element::new("ul").class("box notes").open())?;
    for finding in all {
        write_line(out, &entry(view, finding))?;
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
