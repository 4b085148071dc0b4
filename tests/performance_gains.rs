//! What the page of measured kernels says first: what can be gained, and what stands out.

use crate::performance::{events, performance, report_of, rows, trace, trace_path};
use crate::support::html::text_of;
use crate::support::{Report, Run};
use serde_json::json;

#[test]
fn the_first_sentence_says_what_can_be_gained_and_the_page_of_a_trace_alone_begins_the_report() {
    let report = Run::of(trace_path("h100_qwen.json.gz")).ok();
    let said = "Attention reaches 19 % of what the device can do: up to 2.2 ms of 50 ms to gain.";
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
        assert!(
            (gain - sum * (1.0 - reached)).abs() < 0.01 && (reached <= 0.95 || kernel["from_cache"] == true),
            "{kernel}"
        );
    }
}

#[test]
fn at_most_five_things_stand_out_each_with_a_reason() {
    for name in ["h100_qwen.json.gz", "h100_vit.json.gz", "mi300_vit.json.gz"] {
        let report = Run::of(trace_path(name)).ok();
        let page = report.page("performance.html");
        let entries = page.all("#notes-table tbody tr");
        assert!((2..=5).contains(&entries.len()), "{name}: {}", entries.len());
        for entry in entries {
            let text = text_of(entry);
            assert!(text.len() > 60, "{name}: {text}");
        }
    }
}

#[test]
fn a_slow_kernel_is_a_finding_only_if_it_is_worth_two_percent_and_an_impossible_one_always() {
    let titles = |report: &Report, kind: &str| {
        let of_kind = report.list("findings").iter().filter(|finding| finding["kind"] == kind);
        of_kind.map(|finding| finding["title"].to_string()).collect::<Vec<_>>()
    };
    let (mut worth, mut not_worth) = (0, 0);
    for name in ["h100_qwen.json.gz", "h100_vit.json.gz", "mi300_vit.json.gz"] {
        let report = Run::of(trace_path(name)).ok();
        let least = 0.02 * performance(&report)["time"]["busy_us"].as_f64().unwrap();
        let far = rows(&report, "kernels").iter().filter(|kernel| kernel["verdict"] == "far from its limit");
        let (large, small): (Vec<_>, Vec<_>) =
            far.partition(|kernel| kernel["sum_us"].as_f64() >= Some(least));
        assert!(titles(&report, "slow_kernel").len() >= large.len(), "{name}");
        let more = titles(&report, "slow_kernel").len() - large.len();
        let wide = rows(&report, "kernels").iter().filter(|kernel| {
            kernel["verdict"] == "far: room, or launch-bound" && kernel["sum_us"].as_f64() >= Some(least)
        });
        assert_eq!(more, wide.count(), "{name}");
        (worth, not_worth) = (worth + large.len(), not_worth + small.len());
    }
    assert!(worth > 0 && not_worth > 0, "{worth} and {not_worth}");
    let mut given = trace("h100_qwen.json.gz");
    for event in events(&mut given, "kernel") {
        if event["name"].as_str().unwrap().contains("flash_fwd_kernel") {
            event["dur"] = json!(0.05);
        }
    }
    let report = report_of(&given);
    assert_eq!(titles(&report, "implausible_kernel").len(), 1, "{}", report.json["findings"]);
}

#[test]
fn the_terminal_shows_what_the_page_says_with_names_that_can_be_read() {
    let report = Run::of(trace_path("h100_qwen.json.gz")).ok();
    let shown = Run::bare().go_with(&["show", "performance", report.folder.to_str().unwrap()]).stdout;
    let plain = |text: String| text.replace('\u{a0}', " ");
    let page = plain(report.page("performance.html").text());
    let stands_out = performance(&report)["stands_out"].as_array().unwrap();
    assert_eq!(stands_out.len(), report.page("performance.html").all("#notes-table tbody tr").len());
    for entry in stands_out {
        for part in ["label", "text", "reason"].map(|part| entry[part].as_str().unwrap()) {
            assert!(shown.contains(part), "{part}: {shown}");
            assert!(page.contains(&part.replace('`', "")), "{part}: {page}");
        }
    }
    for part in [
        "1,707 runs on NVIDIA H100 80GB HBM3",
        "aten::silu 16×559×2816: vectorized_elementwise_kernel<silu>",
        "62 % of the bf16 peak",
        "near a limit",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("at::native"), "names of templates are shortened: {shown}");
    assert!(page.contains("The smaller of 990 TFLOP/s in bf16 and of 3.35 TB/s times the FLOPs per byte"));
}

#[test]
fn a_clock_in_the_trace_corrects_the_peak_and_an_option_comes_before_it() {
    let share = |report: &crate::support::Report| {
        let product = rows(report, "kernels").iter().find(|kernel| kernel["operator"] == "aten::mm").unwrap();
        (product["share_of_peak"].as_f64().unwrap(), product["share_of_bandwidth"].as_f64().unwrap())
    };
    let mut given = trace("h100_qwen.json.gz");
    let (peak, bandwidth) = share(&report_of(&given));
    // torch.profiler writes what add_metadata_json("clock_mhz", "915") was given; half of the 1830 MHz of the data sheet.
    given["clock_mhz"] = json!(915);
    let slow = report_of(&given);
    assert!((share(&slow).0 / peak - 2.0).abs() < 1e-9 && share(&slow).1 == bandwidth);
    let device = &performance(&slow)["device"];
    assert_eq!((&device["clock_mhz"], &device["clock_from"]), (&json!(915.0), &json!("trace")));
    let text = slow.page("performance.html").text();
    assert!(text.contains("at 915 MHz, the clock that the trace states"), "{text}");
    let bytes = given.to_string();
    let forced = Run::of_bytes("trace.json", bytes.as_bytes()).args(["--clock", "1830"]).ok();
    assert_eq!(share(&forced).0, peak);
    assert_eq!(performance(&forced)["device"]["clock_from"], "option");
    // A profiler may sample the clock instead.
    given.as_object_mut().unwrap().remove("clock_mhz");
    let mut sampled = given.clone();
    for (ts, mhz) in [(1, 900.0), (2, 930.0)] {
        let sample = json!({"ph": "C", "name": "SM Clock (MHz)", "pid": "GPU 0 Counters", "ts": ts, "args": {"": mhz}});
        sampled["traceEvents"].as_array_mut().unwrap().push(sample);
    }
    assert_eq!(performance(&report_of(&sampled))["device"]["clock_mhz"], 915.0);
    for odd in [json!("fast"), json!(-3), json!(1e30), json!(null), json!([915])] {
        given["clock_mhz"] = odd.clone();
        assert_eq!(share(&report_of(&given)).0, peak, "{odd}");
    }
}

#[test]
fn nothing_is_called_far_from_a_limit_where_the_limit_that_could_bind_it_is_unknown() {
    let mut given = trace("h100_vit.json.gz");
    for device in given["deviceProperties"].as_array_mut().unwrap() {
        // The bandwidth of this name depends on the variant.
        device["name"] = json!("NVIDIA A100");
    }
    let report = report_of(&given);
    let mut judged = 0;
    for kernel in rows(&report, "kernels") {
        let verdict = kernel["verdict"].as_str().unwrap_or_default();
        assert!(!verdict.contains("far") && kernel["gain_us"].is_null(), "{kernel:#}");
        judged += usize::from(kernel["share_of_peak"].as_f64() > Some(0.25));
    }
    assert!(judged > 0, "what is close to the peak is close to a limit in any case");
}

#[test]
fn a_clock_that_no_device_has_is_wrong_usage() {
    for clock in ["0", "nan", "99999", "fast"] {
        let run = Run::of(trace_path("h100_vit.json.gz")).args(["--clock", clock]).go();
        assert_eq!(run.code, Some(2), "{clock}");
        assert!(run.stderr.contains("give the clock in MHz"), "{clock}: {}", run.stderr);
    }
}
