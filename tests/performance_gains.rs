//! What the page of measured kernels says first: what can be gained, and what stands out.

use crate::performance::{performance, rows, trace_path};
use crate::support::Run;
use crate::support::html::text_of;

#[test]
fn the_first_sentence_says_what_can_be_gained_and_the_page_of_a_trace_alone_begins_the_report() {
    let report = Run::of(trace_path("h100_qwen.json.gz")).ok();
    let said = "Attention reaches 19 % of its ceiling: up to 2.2 ms of 50 ms to gain.";
    for page in ["index.html", "performance.html"] {
        let text = report.page(page).text().replace('\u{a0}', " ");
        assert!(text.contains(said), "{page}: {text}");
    }
    assert!(performance(&report)["summary"].as_str().unwrap().starts_with(said));
    let far = rows(&report, "kernels").iter().filter(|kernel| kernel["reached"].as_f64() < Some(0.25));
    let most = far.filter_map(|kernel| kernel["gain_us"].as_f64()).fold(0.0, f64::max);
    assert!((most - 2200.0).abs() < 50.0, "{most}");
    for kernel in rows(&report, "kernels") {
        let (Some(gain), Some(reached)) = (kernel["gain_us"].as_f64(), kernel["reached"].as_f64()) else {
            continue;
        };
        let sum = kernel["sum_us"].as_f64().unwrap();
        assert!((gain - sum * (1.0 - reached)).abs() < 0.01 && reached <= 0.9, "{kernel}");
    }
}

#[test]
fn at_most_five_things_stand_out_each_with_a_reason() {
    for name in ["h100_qwen.json.gz", "h100_vit.json.gz", "mi300_vit.json.gz"] {
        let report = Run::of(trace_path(name)).ok();
        let page = report.page("performance.html");
        let entries = page.all("#notes .notes > li");
        assert!((2..=5).contains(&entries.len()), "{name}: {}", entries.len());
        for entry in entries {
            let text = text_of(entry);
            assert!(text.len() > 60, "{name}: {text}");
        }
    }
}
