//! `tlparse diff` on traces of torch.profiler alone: what a step and a launch cost, however many of them a trace covers.

use crate::diff::{diff, rows, subject};
use crate::performance::{events, trace};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// How a trace is made from a recorded one.
#[derive(Clone, Copy)]
struct Made {
    /// How often the recorded step runs.
    steps: u64,
    /// Whether the marks of torch.profiler are kept.
    marked: bool,
    /// By how much its kernels take longer.
    slower: f64,
}

const ONE: Made = Made { steps: 1, marked: true, slower: 1.0 };

/// A recorded step, repeated as torch.profiler would write it.
fn made(made: Made) -> Value {
    let mut given = trace("h100_vit.json.gz");
    let step = given["traceEvents"].as_array().unwrap().clone();
    let times =
        step.iter().filter(|event| event["dur"].is_number()).map(|event| event["ts"].as_f64().unwrap());
    let (first, last) =
        times.fold((f64::MAX, 0.0), |(first, last): (f64, f64), ts| (first.min(ts), last.max(ts)));
    let mut all = Vec::new();
    for number in 0..made.steps {
        for mut event in step.clone() {
            if let Some(ts) = event["ts"].as_f64() {
                event["ts"] = json!(ts + number as f64 * (last - first + 100_000.0));
            }
            for id in ["External id", "correlation"] {
                if let Some(value) = event["args"][id].as_u64() {
                    event["args"][id] = json!(value + number * 10_000_000);
                }
            }
            if event["name"].as_str().is_some_and(|name| name.starts_with("ProfilerStep#")) {
                if !made.marked {
                    continue;
                }
                event["name"] = json!(format!("ProfilerStep#{number}"));
            }
            if event["cat"] == "kernel" {
                event["dur"] = json!(event["dur"].as_f64().unwrap() * made.slower);
            }
            all.push(event);
        }
    }
    given["traceEvents"] = json!(all);
    given
}

/// The verdict and the comparison of two traces.
struct Told {
    verdict: String,
    json: Value,
    _folder: TempDir,
}

fn written(folder: &Path, name: &str, trace: &Value) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, trace.to_string()).unwrap();
    path
}

fn told(a: &Value, b: &Value, more: &[&str]) -> Told {
    let folder = TempDir::new().unwrap();
    let (a, b) = (written(folder.path(), "a.json", a), written(folder.path(), "b.json", b));
    let mut arguments: Vec<std::ffi::OsString> = vec![a.into(), b.into()];
    arguments.extend(more.iter().map(Into::into));
    let shown = diff(&arguments);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    arguments.push("--json".into());
    let json = serde_json::from_str(&diff(&arguments).stdout).unwrap();
    Told { verdict: shown.stdout.lines().next().unwrap().to_owned(), json, _folder: folder }
}

/// Seconds of a side of a row.
fn seconds(row: &Value, side: &str) -> f64 {
    row[side]["seconds"].as_f64().unwrap()
}

#[test]
fn five_steps_cost_the_same_as_one_whether_or_not_they_are_marked() {
    for marked in [true, false] {
        let (one, five) = (made(Made { marked, ..ONE }), made(Made { steps: 5, marked, ..ONE }));
        for (a, b) in [(&one, &five), (&five, &one)] {
            let told = told(a, b, &[]);
            assert!(rows(&told.json, "measured").is_empty(), "{:#}", told.json);
            assert_eq!(told.verdict, "A and B do not differ.");
        }
    }
}

#[test]
fn twice_the_time_of_each_launch_is_told_as_such_with_the_steps_of_both_sides() {
    for marked in [true, false] {
        let slow = made(Made { steps: 5, marked, slower: 2.0 });
        let told = told(&made(Made { marked, ..ONE }), &slow, &["--name-a", "before", "--name-b", "after"]);
        let measured = rows(&told.json, "measured");
        let kernels: Vec<&&Value> =
            measured.iter().filter(|row| subject(row).starts_with("Kernel")).collect();
        assert!(kernels.len() > 5, "{measured:#?}");
        for row in kernels {
            assert_eq!(row["kind"], "worse");
            assert_eq!(row["per"], if marked { "step" } else { "launch" });
            assert!((seconds(row, "b") / seconds(row, "a") - 2.0).abs() < 1e-3, "{row}");
        }
        let verdict = &told.verdict;
        assert!(verdict.starts_with("after takes ") && verdict.contains("more device time"), "{verdict}");
        let covers = if marked { " after has 5 steps, before has 1." } else { "does not say how many steps" };
        assert!(verdict.contains(covers), "{verdict}");
        assert!(verdict.contains("every launch of after is slower than every launch of before"), "{verdict}");
    }
}

#[test]
fn a_kernel_that_only_one_side_launches_is_new_or_gone_and_only_its_time_counts() {
    let with = made(ONE);
    let mut without = made(ONE);
    // The only kernel of its operator: another one would do the work in its place.
    let attention =
        |event: &&mut Value| event["name"].as_str().is_some_and(|name| name.contains("flash_fwd"));
    let longest = events(&mut without, "kernel").into_iter().find(attention).unwrap()["name"].clone();
    let launched: f64 = events(&mut without, "kernel")
        .into_iter()
        .filter(|event| event["name"] == longest)
        .map(|event| event["dur"].as_f64().unwrap())
        .sum();
    without["traceEvents"].as_array_mut().unwrap().retain(|event| event["name"] != longest);
    for (a, b, kind, side) in [(&without, &with, "new", "b"), (&with, &without, "gone", "a")] {
        let told = told(a, b, &[]);
        let measured = rows(&told.json, "measured");
        let kernels: Vec<&&Value> =
            measured.iter().filter(|row| subject(row).starts_with("Kernel")).collect();
        assert!(!kernels.is_empty() && kernels.iter().all(|row| row["kind"] == kind), "{measured:#?}");
        let sum: f64 = kernels.iter().map(|row| seconds(row, side)).sum();
        assert!((sum * 1e6 - launched).abs() < 0.01, "{sum} {launched}");
    }
}

#[test]
fn a_name_of_a_side_is_short_and_printable() {
    let folder = TempDir::new().unwrap();
    let one = written(folder.path(), "a.json", &made(ONE)).into_os_string();
    for name in ["", "a\u{1b}[31m", "a name of more than twenty-four characters", "one of a few words"] {
        let done = diff(&[one.clone(), one.clone(), "--name-a".into(), name.into()]);
        assert!(done.code == Some(2) && done.stderr.contains("give a name"), "{}", done.stderr);
    }
}

/// Kernels of a made program, with microseconds of a launch.
const KERNELS: [(&str, f64); 3] = [("first_kernel", 40.0), ("second_kernel", 100.0), ("third_kernel", 7.0)];

/// How often each of them is launched in a step.
const LAUNCHES: u64 = 20;

/// A trace of a program whose times are known: in each step, every kernel is launched twenty times, the n-th of them n
/// microseconds longer than the first.
fn generated(steps: u64, slower: f64, without: &str) -> Value {
    let mut all = Vec::new();
    let mut now = 1000.0;
    for step in 0..steps {
        let begin = now;
        for (name, us) in KERNELS.into_iter().filter(|(name, _)| *name != without) {
            for launch in 0..LAUNCHES {
                let id = all.len() as u64 + 1;
                let dur = (us + launch as f64) * slower;
                let call = json!({"ph": "X", "cat": "cpu_op", "name": format!("aten::{name}"), "pid": 1, "tid": 1, "ts": now,
                    "dur": 2.0, "args": {"External id": id, "Input Dims": [[8, 16]], "Input type": ["float"]}});
                let kernel = json!({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": now + 1.0, "dur": dur,
                    "args": {"External id": id, "correlation": id, "device": 0}});
                all.extend([call, kernel]);
                now += dur + 10.0;
            }
        }
        all.push(json!({"ph": "X", "cat": "user_annotation", "name": format!("ProfilerStep#{step}"), "pid": 1, "tid": 1,
            "ts": begin - 5.0, "dur": now - begin, "args": {}}));
        now += 500.0;
    }
    json!({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}], "traceEvents": all})
}

/// Microseconds of the mean launch: those of the first, and 0 to 19 more.
fn mean_us(us: f64) -> f64 {
    us + (LAUNCHES - 1) as f64 / 2.0
}

#[test]
fn twenty_launches_of_known_times_are_exact_per_launch_and_per_step() {
    let same = told(&generated(1, 1.0, ""), &generated(5, 1.0, ""), &[]);
    assert_eq!(same.verdict, "A and B do not differ.");
    let twice = told(&generated(1, 1.0, ""), &generated(5, 2.0, ""), &[]);
    let measured = rows(&twice.json, "measured");
    for (name, us) in KERNELS {
        let row = measured.iter().find(|row| subject(row).contains(name));
        let row = row.unwrap_or_else(|| panic!("{name} is not told: {measured:#?}"));
        assert_eq!(row["kind"], "worse");
        let step = LAUNCHES as f64 * mean_us(us) / 1e6;
        assert!(
            (seconds(row, "a") - step).abs() < 1e-9 && (seconds(row, "b") - 2.0 * step).abs() < 1e-9,
            "{row:#}"
        );
    }
}

#[test]
fn a_kernel_that_one_of_two_made_traces_lacks_is_new_or_gone_with_its_time_per_step() {
    let (with, without) = (generated(5, 1.0, ""), generated(1, 1.0, "second_kernel"));
    for (a, b, kind, side) in [(&without, &with, "new", "b"), (&with, &without, "gone", "a")] {
        let told = told(a, b, &[]);
        let measured = rows(&told.json, "measured");
        let kernels: Vec<&&Value> =
            measured.iter().filter(|row| subject(row).starts_with("Kernel")).collect();
        assert_eq!(kernels.len(), 1, "the others are the same: {kernels:#?}");
        assert_eq!(kernels[0]["kind"], kind);
        let step = LAUNCHES as f64 * mean_us(100.0) / 1e6;
        assert!((seconds(kernels[0], side) - step).abs() < 1e-9, "{:#}", kernels[0]);
    }
}

#[test]
fn another_kernel_for_the_same_operator_and_sizes_is_no_new_kernel() {
    // The same model on two devices, which have no kernel name in common.
    let told = told(
        &trace("h100_vit.json.gz"),
        &trace("mi300_vit.json.gz"),
        &["--name-a", "H100", "--name-b", "MI300X"],
    );
    let measured = rows(&told.json, "measured");
    let attention = measured.iter().find(|row| subject(row).contains("attention")).unwrap();
    assert_eq!((&attention["kind"], &attention["match"]), (&json!("worse"), &json!("operator")));
    let detail = attention["detail"].as_str().unwrap();
    assert!(detail.contains("flash_fwd_kernel → attn_fwd") && detail.contains("on 4×12×197×64"), "{detail}");
    assert!(told.verdict.starts_with("MI300X takes 40 %"), "{}", told.verdict);
    let devices = "The devices differ: NVIDIA H100 80GB HBM3 and AMD Instinct MI300X VF.";
    assert!(told.verdict.contains(devices), "{}", told.verdict);
}

#[test]
fn products_of_a_wider_layer_are_matched_by_operator_line_and_the_sizes_that_stayed() {
    let [narrow, wide] = ["24_profile", "24_profile_wide"].map(crate::performance::of_cpu);
    let folder = |report: &crate::support::Report| report.folder.as_os_str().to_owned();
    let shown = diff(&[folder(&narrow), folder(&wide), "--json".into()]);
    let json: Value = serde_json::from_str(&shown.stdout).unwrap();
    let products: Vec<(String, u64)> = rows(&json, "measured")
        .into_iter()
        .filter(|row| row["match"] == "shape")
        .map(|row| {
            let detail = row["detail"].as_str().unwrap();
            (detail.split(';').next().unwrap().to_owned(), row["line"].as_u64().unwrap())
        })
        .collect();
    for expected in [
        ("on 1024×512, 512×256, 1024×256 → 2048×512, 512×256, 2048×256", 23),
        ("on 512×1024, 1024×256, 512×256 → 512×2048, 2048×256, 512×256", 23),
        ("on 256×512, 512×1024, 256×1024 → 256×512, 512×2048, 256×2048", 24),
    ] {
        assert!(products.contains(&(expected.0.to_owned(), expected.1)), "{expected:?}: {products:#?}");
    }
}

#[test]
fn without_steps_a_kernel_that_is_gone_counts_for_as_many_launches_as_the_others() {
    let unmarked = |mut trace: Value| {
        let all = trace["traceEvents"].as_array_mut().unwrap();
        all.retain(|event| event["cat"] != "user_annotation");
        trace
    };
    let (with, without) = (unmarked(generated(5, 1.0, "")), unmarked(generated(1, 1.0, "second_kernel")));
    let told = told(&with, &without, &[]);
    let gone = rows(&told.json, "measured").into_iter().find(|row| row["kind"] == "gone").unwrap().clone();
    let step = LAUNCHES as f64 * mean_us(100.0) / 1e6;
    assert!((seconds(&gone, "a") - step).abs() < 1e-9, "of five steps, one: {gone:#}");
}

#[test]
fn of_several_traces_a_kernel_that_only_one_has_is_told_with_how_many() {
    let folder = TempDir::new().unwrap();
    let write = |name: &str, without: &str| {
        written(folder.path(), name, &generated(1, 1.0, without)).into_os_string()
    };
    let a = [write("a1.json", "third_kernel"), write("a2.json", "third_kernel")];
    let b = [write("b1.json", ""), write("b2.json", "third_kernel")];
    let words =
        ["--a".into(), a[0].clone(), a[1].clone(), "--b".into(), b[0].clone(), b[1].clone(), "--json".into()];
    let json: Value = serde_json::from_str(&diff(&words).stdout).unwrap();
    let row = rows(&json, "measured").into_iter().find(|row| subject(row).contains("third")).unwrap().clone();
    let detail = row["detail"].as_str().unwrap();
    assert!(detail.contains("in none of A and in 1 of 2 runs of B"), "{detail}");
}
