//! The pages of sizes, caches and settings for real logs.

use crate::support::log::contains;
use crate::support::{Log, Run, input, report, reports, select, text_of};

use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The rows of a table as the texts of their cells.
fn rows(name: &str, path: &str, table: &str) -> Vec<Vec<String>> {
    let page = report(name).page(path);
    let (row, cell) = (select(&format!("#{table} tbody tr")), select("td"));
    let html = page.one("main");
    html.select(&row).map(|row| row.select(&cell).map(|cell| text_of(cell)).collect()).collect()
}

fn dimension(name: &str, function: &str, input: &str, dim: &str) -> Vec<String> {
    // Dynamic dimensions come first; constant ones are folded below.
    let tables = ["dimensions-table", "constants-table"];
    let rows = tables.into_iter().flat_map(|table| rows(name, "shapes.html", table));
    // Dimensions with the same answer share a row.
    let of = |row: &[String]| row[0] == function && row[1] == input && row[2].split(", ").any(|of| of == dim);
    let mut rows = rows;
    let found = rows.find(|row| of(row));
    found.unwrap_or_else(|| panic!("no dimension {dim} of {input} in {function}"))
}

#[test]
fn shapes_html_says_whether_a_dimension_is_dynamic_and_since_when() {
    let log = "05_dynamic_shapes";
    let marked = dimension(log, "marked", "L['x']", "0");
    assert_eq!(
        (marked[3].as_str(), marked[4].as_str()),
        ("yes", "since [0/0], marked by the program, as s77")
    );
    let automatic = dimension(log, "automatic", "L['x']", "0");
    assert_eq!(automatic[3], "yes");
    assert!(automatic[4].starts_with("since [1/1] after tensor 'x' size mismatch"), "{}", automatic[4]);
    assert_eq!(dimension(log, "automatic", "L['x']", "1")[3], "no");
    // Equal sizes share a symbol: only the guards show that the second is dynamic too.
    assert_eq!(dimension(log, "equal_dims", "L['b']", "0")[3], "yes");
    let fixed = dimension(log, "<lambda>", "L['t']", "0");
    assert_eq!(fixed[3], "no, specialized");
    assert!(
        fixed[4].contains("specialized to 10") && fixed[4].contains("s05_dynamic_shapes.py:62"),
        "{}",
        fixed[4]
    );
}

#[test]
fn shapes_html_has_one_row_for_a_tensor_with_constant_sizes() {
    let tensor = dimension("03_graph_breaks", "outer", "L['x']", "1");
    assert_eq!((tensor[2].as_str(), tensor[3].as_str()), ("0, 1", "no"));
    // No constant size of this log has a reason, so that the table lacks their column.
    let sizes = tensor.last().unwrap().trim_end();
    assert!(sizes.starts_with("0/0 ") && sizes.ends_with(" [4, 8]"), "{sizes}");
}

#[test]
fn shapes_html_names_the_line_that_specialized_a_symbol() {
    let rows = rows("05_dynamic_shapes", "shapes.html", "specializations-table");
    let [first, ..] = rows.as_slice() else { panic!("no specialization") };
    assert_eq!(&first[1..5], ["s77", "L['x'].size()[0]", "12", "a guard allows only one value"]);
    assert!(
        first[5].contains("s05_dynamic_shapes.py:21") && first[5].contains("if x.shape[0] == 12:"),
        "{}",
        first[5]
    );
}

#[test]
fn caches_html_says_how_a_missed_key_differs() {
    // Keys of different functions are never compared, so that a log of first lookups lacks the column.
    let text = report("08_cache_miss").page("caches.html").text();
    assert!(text.contains("Not in this log: Differing components"), "{text}");
    let rows = rows("05_dynamic_shapes", "caches.html", "lookups-table");
    let first = rows.iter().find(|row| row[0].starts_with("1/0") && row[1] == "FX graph").unwrap();
    assert_eq!(first[3], "first lookup");
    let again = rows.iter().find(|row| row[0].starts_with("1/1") && row[1] == "FX graph").unwrap();
    for text in ["against [1/0]", "example_inputs[0]", "shape=torch.Size([4, 4])", "('s77',)"] {
        assert!(again[3].contains(text), "{text}: {}", again[3]);
    }
}

#[test]
fn caches_html_says_where_a_log_has_no_components_of_keys() {
    let without = "keys cannot be compared";
    let page = report("08_cache_miss").page("caches.html");
    assert!(!page.text().contains(without), "{}", page.text());
    let mut log = Log::of(input("08_cache_miss"));
    let mut removed = 0;
    for record in &mut log.records {
        let Ok(Value::Object(mut payload)) = serde_json::from_slice(&record.text()) else { continue };
        if payload.remove("components").is_some() {
            record.set_payload(serde_json::to_string(&payload).unwrap().as_bytes());
            removed += 1;
        }
    }
    assert!(removed > 0);
    let page = Run::of_bytes("no_components.log", &log.bytes()).args(["--strict"]).ok().page("caches.html");
    assert!(page.text().contains(without), "{}", page.text());
}

#[test]
fn caches_html_describes_a_cold_cache_in_one_sentence_and_each_cause_of_a_miss_once() {
    let page = report("05_dynamic_shapes").page("caches.html");
    let verdict = text_of(page.one("h1")).replace('\u{a0}', " ");
    assert!(
        verdict.starts_with("First run with an empty cache folder. 18 lookups of caches: 0 hits, 18 misses."),
        "{verdict}"
    );
    let notes = text_of(page.one(".hero")).replace('\u{a0}', " ");
    assert!(notes.contains("18 cache misses, first C++ build 6.51 s."), "{notes}");
    let causes = rows("05_dynamic_shapes", "caches.html", "causes-table");
    let of = |words: &str| {
        let same: Vec<_> = causes.iter().filter(|row| row[0].contains(words)).collect();
        assert_eq!(same.len(), 1, "{words}: {causes:?}");
        same[0].clone()
    };
    assert_eq!(of("first lookup of this function")[2], "7");
    let changed = of("inputs of the graph, the graph changed since the nearest earlier compile");
    assert_eq!(changed[2], "2");
    assert!(changed[3].contains("1/1") && changed[3].contains("2/1"), "{changed:?}");
}

#[test]
fn caches_html_gives_the_reason_and_exception_of_a_bypass() {
    let rows = rows("08_cache_bypass", "caches.html", "bypasses-table");
    assert_eq!(rows.len(), 2);
    assert!(rows[0][1].contains("Unsupported post grad custom pass") && rows[0][1].contains("Traceback"));
    assert_eq!((rows[0][2].as_str(), rows[0][3].as_str()), ("BypassAOTAutogradCache", "2"));
}

#[test]
fn configuration_html_shows_first_what_differs_between_compiles() {
    let rows = rows("05_dynamic_shapes", "configuration.html", "differences-table");
    let of = |value: &str| rows.iter().find(|row| row[2] == value).unwrap_or_else(|| panic!("no {value}"));
    assert_eq!(of("true")[1], "assume_static_by_default");
    for id in ["2/0", "2/1", "3/0"] {
        assert!(of("false")[3].contains(id), "{:?}", of("false"));
    }
}

#[test]
fn configuration_html_begins_with_changes_from_torchs_defaults() {
    // The name, its value, the default, and the compiles that had it.
    let changed = |log: &str| -> Vec<[String; 4]> {
        let rows = rows(log, "configuration.html", "changed-table").into_iter();
        let row = |row: Vec<String>| {
            [row[1].clone(), row[2].clone(), row[3].clone(), row.get(5).cloned().unwrap_or_default()]
        };
        rows.map(row).collect()
    };
    let dynamic = changed("05_dynamic_shapes");
    let of = |name: &str| {
        dynamic.iter().find(|row| row[0] == name).unwrap_or_else(|| panic!("{name}: {dynamic:?}"))
    };
    assert_eq!(of("capture_scalar_outputs")[1..3], ["true", "false"]);
    let some = of("assume_static_by_default");
    assert_eq!(some[1..3], ["false", "true"]);
    assert!(
        ["2/0", "2/1", "3/0"].iter().all(|id| some[3].contains(id)) && !some[3].contains("0/0"),
        "{some:?}"
    );
    // torch computes this one from the machine; the log has another value than was recorded.
    assert!(dynamic.iter().all(|row| row[0] != "compile_threads"));
    let page = report("05_dynamic_shapes").page("configuration.html");
    assert!(text_of(page.one("#changed")).contains("compile_threads = 1"));
    let verdict = text_of(page.one("h1")).replace('\u{a0}', " ");
    assert!(verdict.starts_with("3 settings differ from torch's defaults: "));
    // Changed settings come first.
    let sections = page.all("section").into_iter().filter_map(|section| section.value().attr("id"));
    assert_eq!(sections.collect::<Vec<_>>()[..3], ["changed", "versions", "differences"]);
}

#[test]
fn configuration_html_names_the_torch_that_it_compares_with() {
    let said = |log: &str| report(log).page("configuration.html").text();
    assert!(said("01_inference").contains("Compared with the defaults of torch 2.15.0+cu132."));
    assert!(said("01_inference").contains("No setting differs from torch's defaults"));
    let of_26 = said("21_torch26_03_graph_breaks");
    assert!(of_26.contains("torch 2.6.0+cu124"), "{}", &of_26[..400]);
    let of_28 = said("21_torch28_09_provenance");
    assert!(of_28.contains("torch 2.8.0+cu128"), "{}", &of_28[..400]);
}

#[test]
fn configuration_html_lists_every_setting_including_those_switched_off() {
    for log in ["01_inference", "03_graph_breaks"] {
        let listed = rows(log, "configuration.html", "settings-table");
        let shown: BTreeSet<&str> = listed.iter().map(|row| row[1].as_str()).collect();
        let configs = report(log).json["configs"].as_object().unwrap();
        for name in configs.values().flat_map(|config| config.as_object().unwrap().keys()) {
            assert!(shown.contains(name.as_str()), "{log}: {name}");
        }
        let page = report(log).page("configuration.html");
        let off = page.all("#settings-table tr[data-row~=off]").len();
        let is_off = |value: &Value| value.is_null() || *value == json!(false);
        assert_eq!(
            off,
            listed.iter().filter(|row| is_off(&serde_json::from_str(&row[2]).unwrap_or(json!("")))).count()
        );
        assert!(off > 300, "{log}: {off}");
        // Links lead to the settings of a module.
        for id in ["dynamo", "inductor"] {
            assert_eq!(page.all(&format!("#settings-table tr#{id}")).len(), 1);
        }
        assert!(page.all("#settings details[open]").is_empty(), "folded");
    }
}

#[test]
fn configuration_html_explains_the_fields_of_the_metrics_once() {
    let page = report("03_graph_breaks").page("configuration.html");
    let names: Vec<String> = page.all("#fields dt").into_iter().map(text_of).collect();
    assert!(names.iter().any(|name| name == "restart_reasons"), "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("entire_frame_compile_time_s ")), "{names:?}");
    assert!(page.all("#fields details[open]").is_empty());
}

#[test]
fn metrics_without_settings_have_a_configuration_html_that_says_so() {
    let mut log = Log::of(input("01_inference"));
    for index in log.all("compilation_metrics") {
        log.records[index].edit(|envelope| {
            let metrics = envelope["compilation_metrics"].as_object_mut().unwrap();
            metrics.retain(|field, _| !field.ends_with("_config"));
        });
    }
    log.records.retain(|record| !contains(&record.header, b"torch._functorch.config"));
    let report = Run::of_bytes("bare.log", &log.bytes()).ok();
    let page = report.page("configuration.html");
    assert!(text_of(page.one("h1")).starts_with("The log contains no settings"));
    assert!(!page.all("#fields dt").is_empty() && page.all("#changed").is_empty());
}

#[test]
fn pages_of_sizes_caches_and_settings_are_linked_only_if_they_exist() {
    for (name, report) in reports() {
        // The landing page, or the page that one of its entries leads to.
        let landing = report.page("index.html");
        let entries = landing.all("nav[aria-label=Report] a");
        let entries: Vec<String> =
            entries.iter().map(|entry| report.read(entry.attr("href").unwrap())).collect();
        for page in ["shapes.html", "caches.html", "configuration.html"] {
            let link = format!("href=\"{page}\"");
            assert_eq!(entries.iter().any(|entry| entry.contains(&link)), report.has(page), "{name}: {page}");
        }
        assert_eq!(report.has("caches.html"), !report.list("caches").is_empty(), "{name}");
    }
}
