use crate::report::pages::rendered_in_tests::rendered;
use crate::report::pages::{code, guards};
use crate::report::subject::Settings;
use std::collections::BTreeMap;

/// Pages of compiles, code and guards of a log, by path.
fn pages_of(log: &str) -> BTreeMap<String, String> {
    let pages = rendered(log, &Settings::default(), |report| {
        let pages = super::pages(report).into_iter().chain(super::records(report));
        pages.chain(code::listing::pages(report)).chain(guards::pages(report)).collect()
    });
    pages.into_iter().collect()
}

/// A record of compile `0/<compile>`, with its payload.
fn record(compile: u32, event: &str, payload: Option<&str>) -> String {
    let context = format!(r#""frame_id": 0, "frame_compile_id": {compile}, "attempt": 0"#);
    let hash = payload.map(|p| format!(r#", "has_payload": "{:x}""#, md5::compute(p))).unwrap_or_default();
    let lines: String =
        payload.iter().flat_map(|p| p.split('\n')).map(|line| format!("\t{line}\n")).collect();
    format!("V1120 04:43:12.653000 7 torch/_dynamo/x.py:1] {{{event}, {context}{hash}}}\n{lines}")
}

#[test]
fn every_field_of_a_metrics_record_is_on_the_page_of_its_compile_and_its_file_leads_there() {
    let metrics = r#""compilation_metrics": {"co_name": "f", "graph_op_count": 3, "new_field": "something <new>",
        "dynamo_cumulative_compile_time_us": 1500000, "gc_time_us": null, "cache_size": 0, "entire_frame_compile_time_s": 1.5, "restart_reasons": ["a", "b"],
        "dynamo_config": "{\"cache_size_limit\": 8, \"verbose\": false}"}"#;
    let pages = pages_of(&record(0, &metrics.replace('\n', " "), None));
    let page = &pages["-_0_0_0/compile.html"];
    for text in [
        "id=\"metrics-0\"",
        "new_field",
        "something &lt;new>",
        "1.50\u{a0}s",
        "Not set: gc",
        "configuration.html#dynamo",
        "cache_size = 0\n",
        "= a, b\n",
        "entire_frame_compile_time_s = 1.5\n",
    ] {
        assert!(page.contains(text), "no {text}");
    }
    assert!(page.contains("href=\"compilation_metrics_0.html\""));
    let file = &pages["-_0_0_0/compilation_metrics_0.html"];
    assert!(file.contains("href=\"../-_0_0_0/compile.html#metrics-0\""), "{file}");
}

#[test]
fn a_compile_without_metrics_has_a_page_that_says_so() {
    let stack = r#""dynamo_start": {"stack": [{"line": 3, "name": "f", "filename": 0}]}"#;
    let pages = pages_of(&record(0, stack, None));
    assert!(pages["-_0_0_0/compile.html"].contains("No metrics: the log ends"));
}

#[test]
fn a_recompile_names_the_failed_guard_and_its_compile() {
    let log = record(0, r#""compilation_metrics": {"co_name": "f", "graph_op_count": 1}"#, None)
        + &record(
            1,
            r#""artifact": {"name": "recompile_reasons", "encoding": "json"}"#,
            Some("0/0: k == <2>  # return x  # a.py:7 in f"),
        )
        + &record(1, r#""compilation_metrics": {"co_name": "f", "graph_op_count": 1}"#, None);
    let page = &pages_of(&log)["-_0_1_0/compile.html"];
    assert!(page.contains("was not taken: <code>k == &lt;2&gt;</code>"), "{page}");
    assert!(page.contains("../-_0_0_0/compile.html"));
    assert!(page.contains("a.py:7"));
}

#[test]
fn code_is_escaped_and_its_lines_are_anchors() {
    let code = "# AOT ID: ['0_backward']\nx = '</code><script>alert(1)</script>'";
    let pages = pages_of(&record(0, r#""inductor_output_code": {"filename": "/tmp/cabc.py"}"#, Some(code)));
    let page = &pages["-_0_0_0/inductor_output_code_cabc_0.html"];
    assert!(page.contains("Output code of the backward of"));
    assert!(page.contains("<li id=\"L2\">") && !page.contains("<script>alert"));
}

#[test]
fn guards_that_are_not_a_list_do_not_stop_the_run() {
    for (payload, words) in [("nonsense", "Not the list"), (r#"[{"code": "L['x'] is <1>"}]"#, "is &lt;1&gt;")]
    {
        let pages = pages_of(&record(0, r#""dynamo_guards": {}"#, Some(payload)));
        assert!(pages["-_0_0_0/dynamo_guards_0.html"].contains(words), "{payload}");
    }
}

#[test]
fn a_damaged_payload_is_marked_where_its_file_is_listed() {
    let damaged = record(0, r#""dynamo_output_graph": {}"#, Some("graph")).replace("\tgraph", "\tgrap");
    let next = record(0, r#""dynamo_start": {"stack": [{"line": 3, "name": "f", "filename": 0}]}"#, None);
    assert!(pages_of(&(damaged.clone() + &next))["-_0_0_0/compile.html"].contains("damaged: payload hash"));
    assert!(pages_of(&damaged)["-_0_0_0/compile.html"].contains("damaged: cut short"));
}

#[test]
fn long_values_of_a_metrics_record_are_folded() {
    let failed = r#""compilation_metrics": {"fail_type": "E", "fail_reason": "one\ntwo", "stack_trace": ["Line: 3, Name: f, Filename: a.py"], "other_text": "a\nb"}"#;
    let page = &pages_of(&record(0, failed, None))["-_0_0_0/compile.html"];
    for text in [
        "fail_reason <span class=\"soft\">2\u{a0}lines</span>",
        // The log has no stack to compare it with.
        "stack_trace = Line: 3",
        "other_text <span class=\"soft\">2\u{a0}lines</span>",
    ] {
        assert!(page.contains(text), "no {text} in {page}");
    }
}

#[test]
fn an_object_of_plain_values_is_shown_as_a_list_of_them() {
    let metrics = r#""compilation_metrics": {"co_name": "f", "usage": {"fx_cache": true, "mode": "a<b"}, "nested": {"a": [1]}}"#;
    let page = &pages_of(&record(0, metrics, None))["-_0_0_0/compile.html"];
    assert!(page.contains("usage = fx_cache: true, mode: a&lt;b\n"), "{page}");
    assert!(page.contains("nested = {\"a\": [1]}\n"), "{page}");
}

#[test]
fn the_guard_tree_shows_places_that_have_guards_with_the_readers_lines() {
    let tree = "TREE_GUARD_MANAGER:\n+- RootGuardManager\n\
        | +- GuardManager: source=L['model'], accessed_by=x, type=<class 'a.Net'>, tag_safe=(True, False)\n\
        | | +- GuardManager: source=L['model']._modules, accessed_by=x, type=<class 'dict'>, tag_safe=(True, False)\n\
        | | | +- ID_MATCH: ___check_obj_id(L['model']._modules, 140484560331344), type=<class 'dict'>  # x = m(x)  # app/a.py:7 in f\n\
        | | | +- LENGTH_CHECK: len(L['model']._modules) == 2  # for m in self  # nn/modules/container.py:416 in __iter__\n\
        | | +- GuardManager: source=L['model'].unguarded, accessed_by=x, type=<class 'int'>, tag_safe=(True, False)\n\
        Guard latency = 3.00 us";
    let start = r#""dynamo_start": {"stack": [{"line": 3, "name": "f", "filename": 0}]}"#;
    let log = record(0, start, None) + &record(0, r#""dynamo_cpp_guards_str": {}"#, Some(tree));
    let page = &pages_of(&log)["-_0_0_0/compile.html"];
    for line in [
        "<summary>model._modules <span class=\"soft\">dict, 2</span></summary>",
        "<li><span class=\"soft\">LENGTH_CHECK</span> len(model._modules) == 2</li>",
        "140484560331344), type=&lt;class 'dict'&gt; <span class=\"soft\">a.py:7</span></li>",
    ] {
        assert!(page.contains(line), "no {line} in {page}");
    }
    assert!(!page.contains("unguarded"));
}
