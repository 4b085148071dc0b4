//! The pages that say why: graph breaks and recompilations.

use crate::support::{report, select, text_of};
use serde_json::json;

/// The rows of a table as text, cells separated by ` | `.
fn rows(name: &str, path: &str, table: &str) -> Vec<String> {
    let page = report(name).page(path);
    let cells = select("td");
    let rows = page.all(&format!("{table} > tbody > tr"));
    let row = |row: scraper::ElementRef<'_>| {
        let cells: Vec<String> = row.select(&cells).map(text_of).collect();
        cells.join(" | ").replace('\u{a0}', " ").split_whitespace().collect::<Vec<_>>().join(" ")
    };
    rows.into_iter().map(row).collect()
}

#[test]
fn report_json_has_the_change_the_compared_version_and_others_that_failed_alike() {
    let change = |kind: &str, subject: &str, values: [&str; 2], against: &str, same_for: &[&str]| {
        let [old, new] = values;
        // Versions for dtypes and flags are what a program is meant to have.
        let expected = kind != "size";
        json!({
            "kind": kind, "subject": subject, "old": old, "new": new, "against": against, "same_for": same_for,
            "became_dynamic": false, "expected": expected,
        })
    };
    let recompiles = report("04_recompiles").json["recompiles"].as_array().unwrap();
    let expected = [
        ("0/1", change("size", "x.shape[1]", ["4", "6"], "0/0", &[])),
        ("0/3", change("size", "x.shape[1]", ["10", "17"], "0/2", &["0/1", "0/0"])),
        ("1/2", change("dtype", "x.dtype", ["Double", "Long"], "1/1", &["1/0"])),
        // The oldest version has the same k.
        ("2/4", change("Python value", "flag", ["True", "False"], "2/0", &[])),
    ];
    for (id, change) in expected {
        let recompile = recompiles.iter().find(|one| one["compile_id"] == id).unwrap();
        assert_eq!(recompile["change"], change, "{id}");
    }
    let refused = recompiles.iter().filter(|one| one["at_limit"] == true);
    assert_eq!(refused.map(|one| &one["compile_id"]).collect::<Vec<_>>(), ["3/8"]);
    let dynamic = recompiles.iter().filter(|one| one["change"]["became_dynamic"] == true);
    assert_eq!(dynamic.map(|one| &one["compile_id"]).collect::<Vec<_>>(), ["4/1"]);
}

#[test]
fn each_function_that_recompiled_has_what_changed_and_the_values_in_order() {
    let page = report("04_recompiles").page("recompilations.html");
    let plain = |text: String| text.replace('\u{a0}', " ").split_whitespace().collect::<Vec<_>>().join(" ");
    let told: Vec<String> =
        page.all("#recompiled > details > summary .what").into_iter().map(text_of).map(plain).collect();
    // Who reached the limit comes first, then who lost most; what is expected comes last.
    let expected = [
        "hits_limit: size x.shape[0] 2 → 3 → 4 → 5 → 6 → 7 → 8 → 9 → 10",
        "by_shape: size x.shape[1] 4 → 6 → 10 → 17",
        "by_python_scalar: Python value k 1 → 2 → 3 → 2.5",
        "call_closure: Python value fn.__closure__[0].cell_contents 1 → 2",
        "by_dtype: dtype x.dtype Float → Double → Long → BFloat16",
        "by_grad_mode: global or grad state grad_mode",
        "by_attribute: Python value cfg.mode 'add' → 'mul'",
    ];
    assert_eq!(told.len(), expected.len(), "{told:#?}");
    for (told, expected) in told.iter().zip(expected) {
        assert!(told.starts_with(expected), "{told} is not {expected}");
    }
}

#[test]
fn the_page_of_recompilations_compares_the_guards_and_the_inputs() {
    let page = report("04_recompiles").page("recompilations.html");
    let evidence = text_of(page.one("#why-_0_1_0")).replace('\u{a0}', " ");
    for part in [
        "tensor 'x' size mismatch at index 1. expected 4, actual 6",
        "size=[3, 4 → 6], stride=[4 → 6, 1]",
        "2 are in only one of them",
        "[3, 4] → [3, 6]",
    ] {
        assert!(evidence.contains(part), "no {part} in {evidence}");
    }
    let changed: Vec<String> = page.all("#why-_0_1_0 pre .new").into_iter().map(text_of).collect();
    assert_eq!(changed, ["6", "6"]);
}

#[test]
fn a_function_over_the_limit_is_reported_with_the_fix() {
    let page = report("04_recompiles").page("recompilations.html");
    assert!(text_of(page.one("main h1")).contains("reached the limit of 8"));
    let section = text_of(page.one("#f-_3_0_0"));
    assert!(section.contains("Remove it from torch.compile"), "{section}");
    assert!(section.contains("limit reached, not compiled"), "{section}");
}

/// What an expert says of one function of `tests/inputs/scripts/s25_guards.py`, which has one for each kind of guard.
struct Answer {
    /// The first compile of the function; the three logs number them alike.
    first: &'static str,
    /// What changed, as the title ends.
    changed: &'static str,
    /// A part of the advice.
    advice: &'static str,
    /// Whether the versions are needed whatever the program does.
    expected: bool,
}

const fn advised(first: &'static str, changed: &'static str, advice: &'static str) -> Answer {
    Answer { first, changed, advice, expected: false }
}

const fn expected(first: &'static str, changed: &'static str, advice: &'static str) -> Answer {
    Answer { first, changed, advice, expected: true }
}

/// Functions of which all three versions of torch tell the same.
const ALIKE: [Answer; 31] = [
    advised("1/0", "stride `x.stride(0)`: 1 -> 2, then made dynamic", "Give it one layout"),
    expected("2/0", "dtype `x.dtype`: Float -> Double -> Long", "One version per dtype is expected"),
    expected("3/0", "`x.requires_grad`: False -> True", "with and one without"),
    expected("4/0", "grad mode changed", "torch.no_grad()"),
    expected("5/0", "grad mode changed", "torch.inference_mode()"),
    advised("7/0", "`deterministic_algorithms` changed", "torch.use_deterministic_algorithms"),
    advised("8/0", "`num_threads` changed", "torch.set_num_threads"),
    advised("9/0", "`default_dtype` changed", "torch.set_default_dtype"),
    expected("10/0", "number of dimensions `x.ndim`: 1 -> 2", "a version for each is expected"),
    advised("12/0", "inputs `x` and `y` are the same tensor now", "`.clone()`"),
    advised("13/0", "type of `x`: torch.Tensor -> __main__.Tagged", "one type"),
    advised("14/0", "number `k`: 2 -> 3 -> 4", "`dynamic=False` is set"),
    advised("15/0", "number `k`: 2 -> 3, then made dynamic", "Nothing to do"),
    advised("16/0", "number `k`: 0.5 -> 1.5, then made dynamic", "Nothing to do"),
    expected("18/0", "string `mode`: 'add' -> 'sub'", "one version per value"),
    advised("21/0", "`len(xs)`: 1 -> 2 -> 3", "one version per length is expected"),
    advised("22/0", "`len(d)`: 1 -> 2", "one version per length is expected"),
    advised("23/0", "number `d['k']`: 1 -> 2, then made dynamic", "Nothing to do"),
    advised("24/0", "number `t[1]`: 2 -> 3, then made dynamic", "Nothing to do"),
    advised("26/0", "another function as `f`", "Define it once"),
    expected("32/0", "dtype `x.dtype`: Float -> Double", "One version per dtype"),
    advised("34/0", "number `r.stop`: 3 -> 4, then made dynamic", "Nothing to do"),
    advised(
        "36/0",
        "size `x.shape[0]`: 4 -> 6, then made dynamic",
        "Mark `x.shape[0]` as dynamic before the first call",
    ),
    advised("37/0", "size `x.shape[0]`: 4 -> 6", "dynamic=False"),
    advised(
        "38/0",
        "`x.shape[0] % 8 == 0` no longer holds (`x.shape[0]` is 17)",
        "a version for each side is expected",
    ),
    advised(
        "39/0",
        "`x.shape[0] == 2*y.shape[0]` no longer holds (`x.shape[0]` is 8)",
        "a version for each side is expected",
    ),
    expected(
        "41/0",
        "size `x.shape[0]` is 1, and sizes 0 and 1 have versions of their own",
        "a version of its own is expected",
    ),
    advised("43/0", "number `GLOBAL`: 2 -> 3", "Pass `GLOBAL` as an argument"),
    advised("44/0", "number `make.__defaults__[0]`: 1 -> 2 -> 3", "one version per value"),
    advised("45/0", "number `k`: 1 -> 2, then made dynamic", "Nothing to do"),
    advised("46/0", "length of the iterator `it`: 2 -> 3", "items left in `it`"),
];

/// What torch 2.15 writes otherwise than the versions before it.
const OF_TORCH_2_15: [Answer; 8] = [
    advised("6/0", "`autocast(cpu)_enabled` changed", "the same autocast context"),
    advised("11/0", "type of `x`: torch.Tensor -> int, which runs in eager mode", "torch.tensor("),
    expected("17/0", "flag `flag`: True -> False", "one version per value"),
    expected("20/0", "another enum member as `c`", "one version per member"),
    expected("28/0", "`fn.training`: True -> False", "one for evaluation"),
    advised("33/0", "items of the set `s`: with 'a' -> without 'a'", "all its items before the first call"),
    advised("42/0", "the dynamic marks of an input changed", "every call in the same way"),
    advised("47/0", "backend: eager -> aot_eager -> eager", "one backend object"),
];

/// What torch 2.8 writes: no classes of objects, no names of backends.
const OF_TORCH_2_8: [Answer; 8] = [
    advised("6/0", "`autocast` changed", "the same autocast context"),
    advised("11/0", "type of `x`: torch.Tensor -> int -> float", "torch.tensor("),
    expected("17/0", "flag `flag`: True -> False", "one version per value"),
    advised("20/0", "another object as `c`", "the members of an enum"),
    expected("28/0", "`fn.training`: True -> False", "one for evaluation"),
    advised("33/0", "items of the set `s`: {'a'} -> {'b'}", "all its items before the first call"),
    advised("42/0", "dynamic marks of `x`: not marked -> marked", "every call in the same way"),
    advised("47/0", "another backend, or a race of threads", "with one backend"),
];

/// What torch 2.6 writes: flags by their address, autocast by dispatch keys.
const OF_TORCH_2_6: [Answer; 8] = [
    advised(
        "6/0",
        "autocast changed for `x` (dispatch keys gone: none; new: AutocastCPU)",
        "autocast context",
    ),
    advised("11/0", "type of `x`: torch.Tensor -> int -> float", "torch.tensor("),
    expected("17/0", "flag `flag` changed", "one version per value"),
    advised("20/0", "another object as `c`", "the members of an enum"),
    expected("28/0", "`fn.training` changed", "one for evaluation"),
    advised("33/0", "items of the set `s`: {'a'} -> {'b'}", "all its items before the first call"),
    advised("42/0", "dynamic marks of `x`: not marked -> marked", "every call in the same way"),
    advised("47/0", "another backend, or a race of threads", "with one backend"),
];

#[test]
fn each_kind_of_guard_has_its_cause_its_advice_and_its_cost_whichever_torch_wrote_it() {
    let logs = [
        ("25_guards", &OF_TORCH_2_15),
        ("21_torch28_25_guards", &OF_TORCH_2_8),
        ("21_torch26_25_guards", &OF_TORCH_2_6),
    ];
    for (name, own) in logs {
        for Answer { first, changed, advice, expected } in ALIKE.iter().chain(own) {
            let mut findings = report(name).list("findings").iter();
            let found =
                findings.find(|one| one["kind"] == "recompilation" && one["compile_ids"][0] == *first);
            let found = found.unwrap_or_else(|| panic!("{name}: no finding about {first}"));
            let title = found["title"].as_str().unwrap();
            assert!(title.ends_with(changed), "{name} {first}: {title}");
            let hint = found["hint"].as_str().unwrap_or_default();
            assert!(hint.contains(advice), "{name} {first}: {hint}");
            let (severity, kind) = if *expected { ("info", "expected") } else { ("warning", "avoidable") };
            assert_eq!(found["severity"], severity, "{name} {first}: {title}");
            // A version that took less than a microsecond, or that no metrics time, costs nothing.
            let told = found["cost"]["kind"].as_str().unwrap_or(kind);
            assert_eq!(told, kind, "{name} {first}: {title}");
        }
    }
}

#[test]
fn a_function_with_several_changes_is_reported_with_all_of_them() {
    let layout = "layout of `x`: `x.stride(0) == x.shape[1]*x.stride(1)` no longer holds";
    let expected = [
        ("0/0", vec!["size `x.shape[1]`: 4 -> 2, then made dynamic", layout]),
        ("25/0", vec!["number `o`: 2 -> 2.5, then made dynamic", "type of `o`"]),
        ("29/0", vec!["number `self.step`: 0 -> 1"]),
        ("30/0", vec!["`c.scale`: 1.0 -> 2.0", "`c.layers[0].eps`"]),
        ("31/0", vec!["size of the parameter or buffer `w.shape[1]`: 3 -> 5"]),
        ("40/0", vec!["x.shape[0] <= 100` no longer holds (`x.shape[0]` is 200)"]),
    ];
    for name in ["25_guards", "21_torch28_25_guards", "21_torch26_25_guards"] {
        let findings = report(name).list("findings");
        for (first, parts) in &expected {
            let found = findings.iter().find(|one| one["compile_ids"][0] == *first).unwrap();
            let title = found["title"].as_str().unwrap();
            assert!(parts.iter().all(|part| title.contains(part)), "{name}: {title}");
        }
        // Nothing is ever marked by the call that raises where the mark does not fit.
        let texts = findings.iter().flat_map(|one| one["advice"].as_array().into_iter().flatten());
        let texts: Vec<String> = texts.map(|one| format!("{} {}", one["text"], one["code"])).collect();
        let raising =
            texts.iter().filter(|text| text.replace("maybe_mark_dynamic", "").contains("mark_dynamic("));
        assert_eq!(raising.collect::<Vec<_>>(), Vec::<&String>::new(), "{name}");
    }
}

#[test]
fn a_size_that_a_later_version_proves_is_marked_with_the_compiles_that_it_saves() {
    // 36/1 has the size open, and its guards hold for the size of 36/0. Other functions of this log broke or gave up, so that
    // no number is promised.
    let found =
        report("25_guards").list("findings").iter().find(|one| one["compile_ids"][0] == "36/0").unwrap();
    let [mark, setting] = found["advice"].as_array().unwrap().as_slice() else { panic!("{found}") };
    assert_eq!(mark["code"], "torch._dynamo.maybe_mark_dynamic(x, 0)");
    assert!(mark["evidence"][0].as_str().unwrap().contains("/dynamo_cpp_guards_str_"), "{mark}");
    assert!(mark["promise"].is_null(), "{mark}");
    assert_eq!(mark["tried"]["kind"], "batch_size.2", "{mark}");
    assert_eq!(setting["code"], "TORCH_COMPILE_DYNAMIC_SOURCES=\"L['x']\"");
}

#[test]
fn a_limit_that_raises_is_not_described_as_eager_mode() {
    for name in ["25_guards", "21_torch28_25_guards", "21_torch26_25_guards"] {
        let found = report(name).list("findings");
        let limit = found.iter().find(|one| one["kind"] == "recompile_limit").unwrap();
        let title = limit["title"].as_str().unwrap();
        let told = " raises at the recompile limit of 2: size `x.shape[0]`: 3 -> 4 -> 5";
        assert!(title.ends_with(told), "{name}: {title}");
        assert!(
            limit["hint"].as_str().unwrap().contains("raises instead of running in eager mode"),
            "{name}: {limit}"
        );
    }
}

#[test]
fn each_graph_break_has_its_traceback_its_cost_and_its_occurrences() {
    let report = report("03_graph_breaks");
    let page = report.page("graph_breaks.html");
    for index in 1..=report.list("graph_breaks").len() {
        let entry = page.one(&format!("#break-{index}"));
        let marked: Vec<String> = entry.select(&select("pre .hit")).map(text_of).collect();
        assert_eq!(marked.len(), entry.select(&select("pre:not(.fix pre)")).count(), "{index}: {marked:?}");
        let rows = entry.select(&select("tbody tr")).count() as u64;
        assert_eq!(Some(rows), report.list("graph_breaks")[index - 1]["count"].as_u64());
    }
    let first = text_of(page.one("#break-1")).replace('\u{a0}', " ");
    assert!(first.contains("print(\"shape\", tuple(y.shape))"), "{first}");
    let rows = rows("03_graph_breaks", "graph_breaks.html", "#break-1-table");
    assert!(rows[0].starts_with("0/0 empty | outer |") && rows[0].contains("| 3/0 empty |"), "{rows:#?}");
}

#[test]
fn a_break_that_followed_from_another_is_shown_with_it() {
    let text = report("03_graph_breaks").page("graph_breaks.html").text();
    assert!(
        text.contains("Another break occurred while this one was handled")
            && text.contains("graph break in loop")
    );
}

#[test]
fn logs_without_breaks_or_recompilations_lack_their_pages() {
    let report = report("11_export_clean");
    assert!(!report.has("graph_breaks.html") && !report.has("recompilations.html"));
}

#[test]
fn the_debug_context_of_a_break_is_in_report_json_the_finding_and_the_page() {
    let mut compared = 0;
    for name in ["03_graph_breaks", "21_torch28_25_guards", "25_guards"] {
        let report = report(name);
        let page = report.page("graph_breaks.html").text();
        let details: Vec<&str> =
            report.list("findings").iter().filter_map(|one| one["detail"].as_str()).collect();
        for context in report.list("graph_breaks").iter().filter_map(|one| one["debug_context"].as_str()) {
            let first = context.lines().next().unwrap();
            assert!(page.contains(first), "{name}: the page has no {first}");
            // An address says nothing to a reader, so a finding leaves it out.
            let told = first.split(" at 0x").next().unwrap();
            assert!(details.iter().any(|detail| detail.contains(told)), "{name}: no finding has {told}");
            compared += 1;
        }
    }
    assert!(compared > 4, "{compared} breaks");
}
