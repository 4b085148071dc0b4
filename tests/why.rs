//! The pages that say why: graph breaks and recompilations.

use crate::support::{report, select, text_of};

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
fn each_function_that_recompiled_has_what_changed_and_the_values_in_order() {
    let rows = rows("04_recompiles", "recompilations.html", "#overview-table");
    let expected = [
        ("hits_limit", "size x.shape[0] | 2 → 3 → 4 → 5 → 6 → 7 → 8 → 9 → 10"),
        ("by_shape", "size x.shape[1] | 4 → 6 → 10 → 17"),
        ("by_dtype", "dtype x.dtype | Float → Double → Long → BFloat16"),
        ("by_python_scalar", "Python value k | 1 → 2 → 3 → 2.5"),
        ("by_grad_mode", "global or grad state grad_mode"),
        ("call_closure", "Python value fn.__closure__[0].cell_contents | 1 → 2"),
        ("by_attribute", "Python value cfg.mode | 'add' → 'mul'"),
    ];
    assert_eq!(rows.len(), expected.len(), "{rows:#?}");
    for (function, changed) in expected {
        assert!(
            rows.iter().any(|row| row.starts_with(function) && row.contains(changed)),
            "no {function}: {changed} in {rows:#?}"
        );
    }
    assert!(rows[0].starts_with("hits_limit"), "who reached the limit comes first");
}

#[test]
fn the_page_of_recompilations_compares_the_guards_and_the_inputs() {
    let page = report("04_recompiles").page("recompilations.html");
    let evidence = text_of(page.one("#why-_0_1_0")).replace('\u{a0}', " ");
    for part in [
        "tensor 'x' size mismatch at index 1. expected 4, actual 6",
        "size=[3, 4 → 6], stride=[4 → 6, 1]",
        "2 stand only in one of them",
        "[3, 4] → [3, 6]",
    ] {
        assert!(evidence.contains(part), "no {part} in {evidence}");
    }
    let changed: Vec<String> = page.all("#why-_0_1_0 pre .new").into_iter().map(text_of).collect();
    assert_eq!(changed, ["6", "6"]);
}

#[test]
fn a_function_over_the_limit_is_told_of_with_the_way_out() {
    let page = report("04_recompiles").page("recompilations.html");
    assert!(text_of(page.one("main h1")).contains("reached the limit of 8"));
    let section = text_of(page.one("#f-_3_0_0"));
    assert!(section.contains("torch._dynamo.mark_dynamic(x, 0)"), "{section}");
    assert!(section.contains("limit reached, not compiled"), "{section}");
}

/// The finding about a function's recompiles.
fn recompile(name: &str, function: &str) -> serde_json::Value {
    let start = format!("`{function}` ");
    let mut found = report(name).list("findings").to_vec();
    found.retain(|one| {
        one["kind"] == "recompilation" && one["title"].as_str().is_some_and(|t| t.starts_with(&start))
    });
    assert_eq!(found.len(), 1, "{name}: {function}");
    found.remove(0)
}

#[test]
fn each_kind_of_guard_is_told_alike_whichever_torch_wrote_it() {
    // What fails in each function is said in tests/inputs/scripts/s25_guards.py.
    let expected = [
        ("rank_of_tensor", "number of dimensions `x.ndim`: 1 -> 2"),
        ("alias", "inputs `x` and `y` are the same tensor now"),
        ("subclass", "type of `x`: torch.Tensor -> __main__.Tagged"),
        ("int_value", "number `k`: 2 -> 3 -> 4"),
        ("int_becomes_dynamic", "number `k`: 2 -> 3, then made dynamic"),
        ("string", "string `mode`: 'add' -> 'sub'"),
        ("list_length", "`len(xs)`: 1 -> 2 -> 3"),
        ("function_identity", "another function as `f`"),
        ("size_automatic", "size `x.shape[0]`: 4 -> 6, then made dynamic"),
        ("size_static", "size `x.shape[0]`: 4 -> 6"),
        ("relation_even", "`x.shape[0] % 8 == 0` no longer holds (`x.shape[0]` is 17)"),
        ("relation_sizes", "`x.shape[0] == 2*y.shape[0]` no longer holds (`x.shape[0]` is 8)"),
        ("size_one", "size `x.shape[0]` is 1, and sizes 0 and 1 have versions of their own"),
        ("global_value", "number `GLOBAL`: 2 -> 3"),
        ("iterator", "length of the iterator `it`: 2 -> 3"),
    ];
    for name in ["25_guards", "21_torch28_25_guards", "21_torch26_25_guards"] {
        for (function, what) in expected {
            let found = recompile(name, function);
            let title = found["title"].as_str().unwrap();
            assert!(title.ends_with(&format!(" times: {what}")), "{name}: {title}");
        }
    }
}

#[test]
fn expected_recompiles_are_information() {
    for function in ["dtype", "grad_mode", "inference_mode", "bool_flag", "string", "size_one"] {
        assert_eq!(recompile("25_guards", function)["severity"], "info", "{function}");
        assert_eq!(recompile("21_torch26_25_guards", function)["severity"], "info", "{function}");
    }
    for function in ["size_automatic", "int_value", "autocast", "marked_dynamic", "alias"] {
        assert_eq!(recompile("25_guards", function)["severity"], "warning", "{function}");
    }
}

#[test]
fn a_limit_that_raises_is_not_told_as_eager_mode() {
    let found = report("25_guards").list("findings");
    let limit = found.iter().find(|one| one["kind"] == "recompile_limit").unwrap();
    let title = limit["title"].as_str().unwrap();
    assert!(title.starts_with("`<lambda>` raises at the recompile limit of 2: size `x.shape[0]`"), "{title}");
}

#[test]
fn each_graph_break_has_its_traceback_its_cost_and_its_occurrences() {
    let report = report("03_graph_breaks");
    let page = report.page("graph_breaks.html");
    for index in 1..=report.list("graph_breaks").len() {
        let entry = page.one(&format!("#break-{index}"));
        let marked: Vec<String> = entry.select(&select("pre .hit")).map(text_of).collect();
        assert_eq!(marked.len(), entry.select(&select("pre")).count(), "{index}: {marked:?}");
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
        text.contains("While this break was handled, another one followed")
            && text.contains("graph break in loop")
    );
}

#[test]
fn logs_without_breaks_or_recompilations_have_no_such_pages() {
    let report = report("11_export_clean");
    assert!(!report.has("graph_breaks.html") && !report.has("recompilations.html"));
}
