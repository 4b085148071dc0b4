//! The report on torch.export: its verdict on each stored log, its pages in both modes, and logs made to do harm.

use crate::browser::window;
use crate::pages::broken;
use crate::support::site::{read, site};
use crate::support::{Log, Page, Report, Run, input, inputs, report, select, text_of};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// The verdict of each log of an export, and the heads of its problems: kind, title, place and line, times.
const VERDICTS: [(&str, &str, &[&str]); 6] = [
    ("11_export_clean", "This log does not record whether export succeeded.", &[]),
    (
        "11_export_draft",
        "Exported, but correct only if 2 assumptions about the data hold.",
        &[
            "Assumption | Eq(u0, 4) depends on data | s11_export.py:22 · if a.shape[0] == 4: | 1 time",
            "Assumption | u1 > 2 depends on data | s11_export.py:25 · if picked.shape[0] > 2: | 1 time",
        ],
    ),
    ("11_export_draft_clean", "Exported without failures or assumptions about the data.", &[]),
    (
        "11_export_draft_ops",
        "Exported, but 3 fake kernels are missing or wrong.",
        &[
            "Fake kernel | corpus.no_fake.default has no fake kernel | s11_export.py:57 · a = torch.ops.corpus.no_fake(x) \
             | 1 time",
            "Fake kernel | The fake kernel of corpus.wrong_fake.default disagrees with the real one \
             | s11_export.py:58 · b = torch.ops.corpus.wrong_fake(a) | 1 time",
            "Fake kernel | The fake kernel of corpus.wrong_dtype.default disagrees with the real one \
             | s11_export.py:59 · return b.sum() + torch.ops.corpus.wrong_dtype(a).sum() | 1 time",
        ],
    ),
    ("11_export_dtrace", "Exported without failures or assumptions about the data.", &[]),
    (
        "21_torch28_11_draft",
        "Exported, but correct only if 2 assumptions about the data hold.",
        &[
            "Assumption | Eq(u0, 4) depends on data | s11_export.py:22 · if a.shape[0] == 4: | 1 time",
            "Assumption | u1 > 2 depends on data | s11_export.py:25 · if picked.shape[0] > 2: | 1 time",
        ],
    ),
];

fn exported(name: &str) -> Report {
    Run::of(&input(name).path).args(["--export", "--strict"]).ok()
}

/// The words of a text: spaces that do not break are spaces too.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn heading(page: &Page) -> String {
    words(&text_of(page.one("h1")))
}

/// The heads of the problems: kind, title, place and line, times.
fn failures(page: &Page) -> Vec<String> {
    let heads = page.all("#failure-list > details > summary");
    let head = |head: scraper::ElementRef<'_>| {
        let part = |of: &str| words(&text_of(head.select(&select(of)).next().unwrap()));
        let small = part(".what small");
        let title = part(".what").trim_end_matches(&small).trim().to_owned();
        [part(".kind"), title, small, part(".cost")].join(" | ")
    };
    heads.into_iter().map(head).collect()
}

/// The log of a draft export whose nth decision is changed.
fn decision(n: usize, change: impl FnOnce(&mut Value)) -> Log {
    let mut log = Log::of(input("11_export_draft"));
    log.edit("propagate_real_tensors_provenance", n, |e| change(&mut e["propagate_real_tensors_provenance"]));
    log
}

fn of(log: &Log) -> Report {
    Run::of_bytes("draft.log", &log.bytes()).args(["--strict"]).ok()
}

const FIRST: &str = "-_0_0_0/symbolic_guard_information_0.html";

#[test]
fn each_log_of_an_export_gets_its_verdict_with_operators_expressions_and_lines() {
    for (name, verdict, rows) in VERDICTS {
        let page = exported(name).page("index.html");
        assert_eq!(heading(&page), verdict, "{name}");
        assert_eq!(failures(&page), rows, "{name}");
    }
}

#[test]
fn without_the_flag_the_export_report_is_linked_from_the_landing_page() {
    for (name, verdict, rows) in VERDICTS {
        let report = report(name);
        let page = report.page("export.html");
        assert_eq!(
            (heading(&page), failures(&page)),
            (verdict.to_owned(), rows.iter().map(|r| r.to_string()).collect())
        );
        assert!(site(name)["index.html"].links.iter().any(|link| link == "export.html"), "{name}");
    }
    let others =
        inputs().iter().filter(|input| !input.name.contains("export") && !input.name.contains("draft"));
    let wrong: Vec<_> =
        others.filter(|input| report(&input.name).has("export.html")).map(|i| &i.name).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Parts of the names of logs that are also opened with the flag: all exports, and one each of what else has pages.
const OPENED: [&str; 6] = ["export", "draft", "03_graph_breaks", "10_aoti", "22_vllm", "23_dump_file"];

#[test]
fn with_the_flag_a_log_of_any_kind_opens_on_the_export_report_and_all_links_hold() {
    let some = |name: &str| OPENED.iter().any(|part| name.contains(part));
    for input in inputs().iter().filter(|input| some(&input.name)) {
        let plain = report(&input.name);
        let report = Run::from(input).args(["--export"]).ok();
        let pages = read(&report);
        assert_eq!(broken(&report, &pages), Vec::<String>::new(), "{}", input.name);
        for page in ["index.html", "report.html"] {
            let other = if page == "index.html" { "report.html" } else { "index.html" };
            assert!(pages[page].links.iter().any(|link| link == other), "{}: {page}", input.name);
        }
        // Behind the link that skips to the content, the first crumb of every other page is the landing page.
        let lost = pages.iter().filter(|(path, page)| {
            let landing = if path.contains('/') { "../report.html" } else { "report.html" };
            let first = page.links.iter().find(|link| !link.starts_with('#'));
            *path != "report.html" && first.is_none_or(|link| link != landing)
        });
        let lost: Vec<_> = lost.map(|(path, _)| path).collect();
        assert!(lost.is_empty(), "{}: {lost:?}", input.name);
        let own = ["export.html", "tlparse_index.html"];
        for file in plain.manifest().iter().filter(|file| !own.contains(&file.as_str())) {
            assert!(report.has(file), "{}: {file}", input.name);
        }
        for data in ["raw.jsonl", "raw.log", "chromium_events.json", "compile_directory.json"] {
            assert_eq!(report.bytes(data), plain.bytes(data), "{}: {data}", input.name);
        }
    }
}

#[test]
fn the_custom_header_is_on_the_export_report_and_not_on_the_landing_page() {
    let run =
        Run::of(&input("11_export_draft").path).args(["-e", "--custom-header-html", "<p id=\"mine\">7</p>"]);
    let report = run.ok();
    assert_eq!(report.page("index.html").all("#mine").len(), 1);
    assert!(report.page("report.html").all("#mine").is_empty());
}

#[test]
fn strict_and_empty_logs_end_as_without_the_flag() {
    let mut log = Log::of(input("11_export_draft"));
    let at = log.nth("exported_program", 0);
    log.records[at].payload.pop();
    let run = || Run::of_bytes("damaged.log", &log.bytes()).args(["--export"]);
    assert_eq!(heading(&run().ok().page("index.html")), VERDICTS[1].1);
    run().args(["--strict"]).ends_with(3);
    let empty = Run::of_bytes("empty.log", b"").args(["--export", "--strict"]).ok();
    assert_eq!(heading(&empty.page("index.html")), VERDICTS[0].1);
}

#[test]
fn the_page_of_a_decision_has_its_stacks_and_what_to_do() {
    for (name, folder) in [("11_export_draft", "-_0_0_0"), ("21_torch28_11_draft", "-_-_-_-")] {
        let report = report(name);
        let path = format!("{folder}/symbolic_guard_information_0.html");
        let page = report.page(&path);
        assert_eq!(heading(&page), "Eq(u0, 4) was assumed to be True.", "{name}");
        let text = page.text();
        for part in
            ["s11_export.py:22", "_wrapped_call_impl", "if a.shape[0] == 4:", "torch._check(a.shape[0] == 4)"]
        {
            assert!(text.contains(part), "{name}: {part} is not in {text}");
        }
        // The user's line stands before the frames of torch.
        assert!(text.find("s11_export.py:22") < text.find("_wrapped_call_impl"), "{name}");
        let links = &site(name)[&path].links;
        assert!(links.iter().any(|link| link == "../export.html"), "{links:?}");
        assert!(links.iter().any(|link| link.starts_with("https://docs.pytorch.org/")), "{links:?}");
    }
}

#[test]
fn a_problem_has_the_advice_of_its_finding_and_says_what_was_wrong() {
    for (name, parts) in [
        ("11_export_draft", ["torch._check(a.shape[0] == 4)", "Assumed True"]),
        (
            "11_export_draft_ops",
            ["mismatch between fake value u1 + 1 and real value 4", "register_fake(\"corpus::no_fake\")"],
        ),
    ] {
        let report = report(name);
        let text = words(&report.page("export.html").text());
        for part in parts {
            assert!(text.contains(part), "{name}: {part} is not in {text}");
        }
        for finding in report.list("findings").iter().filter(|one| one["kind"] == "export") {
            let hint = finding["hint"].as_str().unwrap().lines().next().unwrap().replace('`', "");
            assert!(text.contains(&hint), "{name}: {hint} is not in {text}");
        }
    }
}

#[test]
fn a_decision_without_its_fields_is_still_a_failure() {
    for key in ["frame_locals", "user_stack", "stack", "expr", "result", "expr_node_id", "symbol_to_sources"]
    {
        for value in [Value::Null, json!("odd"), json!([1]), json!({"a": 1})] {
            let log = decision(0, |p| p[key] = value.clone());
            let found = of(&log);
            assert_eq!(heading(&found.page("export.html")), VERDICTS[1].1, "{key} is {value}");
        }
    }
}

#[test]
fn text_of_a_record_never_becomes_markup() {
    let script = "</script><script>alert(4711)</script><img src=x onerror=alert(4711)>";
    let log = decision(0, |p| {
        p["frame_locals"] = json!({"loc": script, "locals": {script: [script]}, "symbols": {script: script}});
        p["symbol_to_sources"] = json!({"u0": script});
        p["expr"] = script.into();
        p["result"] = script.into();
    });
    let report = of(&log);
    for page in ["export.html", FIRST, "-_0_0_0/compile.html", "index.html"] {
        let text = report.read(page);
        assert!(!text.contains("<script>alert") && !text.contains("<img"), "{page}");
    }
    assert!(report.read(FIRST).contains("&lt;script&gt;alert(4711)"));
}

#[test]
fn repeated_problems_are_one_failure_and_a_violated_constraint_is_named() {
    let mut log = Log::of(input("11_export_draft"));
    log.edit("exported_program", 0, |e| e["frame_id"] = 1.into());
    let at = log.nth("propagate_real_tensors_provenance", 0);
    let again = log.records[at].like(&String::from_utf8_lossy(log.records[at].envelope()), None);
    let mut guard: Value = serde_json::from_slice(log.records[at].envelope()).unwrap();
    let mut fields = guard.as_object_mut().unwrap().remove("propagate_real_tensors_provenance").unwrap();
    fields["expr"] = "Eq(s77, 5)".into();
    fields["prefix"] = "eval".into();
    fields.as_object_mut().unwrap().remove("result");
    let context = guard.as_object().unwrap().clone();
    let mut envelope = serde_json::Map::from_iter([("guard_added".to_owned(), fields)]);
    envelope.extend(context);
    let guard = log.records[at].like(&Value::Object(envelope).to_string(), None);
    // The same expression on another line is a failure of its own.
    let mut elsewhere = again.clone();
    elsewhere.edit(|e| {
        let stack = e["propagate_real_tensors_provenance"]["user_stack"].as_array_mut().unwrap();
        stack.last_mut().unwrap()["line"] = 99.into();
    });
    log.records.splice(at..at, [again, guard]);
    log.records.insert(at + 3, elsewhere);
    let page = of(&log).page("export.html");
    assert!(
        heading(&page).starts_with("Exported on the second try, but correct only if 3 assumptions"),
        "{}",
        heading(&page)
    );
    let rows = failures(&page);
    assert_eq!(
        rows[0],
        "Assumption | Eq(u0, 4) depends on data | s11_export.py:22 · if a.shape[0] == 4: | 2 times"
    );
    assert_eq!(
        rows[1],
        "Guard | Eq(s77, 5) was decided for the sizes of the example | s11_export.py:22 · if a.shape[0] == 4: | 1 time"
    );
    assert_eq!(
        rows[2],
        "Assumption | Eq(u0, 4) depends on data | s11_export.py:99 · if a.shape[0] == 4: | 1 time"
    );
    assert_eq!(rows.len(), 4);
    let retry = words(&text_of(page.one("#retry")));
    assert!(
        retry.contains("after 0/0") && retry.contains("Exported as 1/0") && retry.contains("Dim.AUTO"),
        "{retry}"
    );
    // The program of the second try is that of the failures of the first.
    assert!(
        page.all("#failure-list a").iter().any(|a| a.value().attr("href").unwrap().starts_with("-_1_0_0/"))
    );
}

#[test]
fn a_log_without_a_program_is_not_called_clean() {
    for (name, verdict) in [
        ("11_export_draft", "No exported program: 2 assumptions about the data were made."),
        ("11_export_draft_clean", VERDICTS[0].1),
        (
            "11_export_dtrace",
            "An export began, but this log has no program: the export failed or was interrupted.",
        ),
    ] {
        let mut log = Log::of(input(name));
        let at = log.nth("exported_program", 0);
        log.records.remove(at);
        let report = Run::of_bytes("cut.log", &log.bytes()).args(["-e"]).ok();
        assert_eq!(heading(&report.page("index.html")), verdict, "{name}");
    }
    let mut log = Log::of(input("11_export_dtrace"));
    let at = log.nth("export", 0);
    let again = log.records[at].like(&String::from_utf8_lossy(log.records[at].envelope()), Some(b"start!"));
    log.records.push(again);
    let page = of(&log).page("export.html");
    assert_eq!(heading(&page), "Not every export in this log finished.");
    assert!(words(&page.text()).contains("2 exports began and 1 program finished"));
    // A failed compilation is no export, but may be the reason why there is no program.
    let failed = Run::of(&input("06_errors").path).args(["-e"]).ok().page("index.html");
    assert_eq!(heading(&failed), VERDICTS[0].1);
    assert!(words(&failed.text()).contains("failed compilations: one may be that of the export"));
    let text = exported("11_export_clean").page("index.html").text();
    assert!(text.contains("TORCH_DTRACE") && text.contains("draft_export"), "{text}");
}

#[test]
fn a_log_that_has_inputs_alone_says_neither_that_an_export_failed_nor_that_it_did_not() {
    // What torch writes is the same where the export raises an exception.
    let done = Run::of(&input("11_export_clean").path).args(["--strict"]).go();
    assert!(
        done.stdout.starts_with("This log does not record whether export succeeded.\n"),
        "{}",
        done.stdout
    );
    assert!(!done.stdout.contains(" failure,"), "{}", done.stdout);
    assert!(!report("11_export_clean").page("index.html").text().contains("No failure"));
    let page = report("11_export_clean").page("export.html").text();
    assert!(page.contains("TORCH_DTRACE") && page.contains("draft_export"), "{page}");
    let compiled = Run::of(&input("01_inference").path).go();
    assert!(compiled.stdout.contains(" failure,"), "{}", compiled.stdout);
}

#[test]
fn the_program_is_shown_with_signature_and_ranges_and_is_a_file() {
    let report = report("11_export_draft_clean");
    let section = words(&text_of(report.page("export.html").one("#program")));
    for part in
        ["p_lin_weight", "parameter lin.weight", "s77: [0, ∞]", "0 assertions", "highlighted, 24 lines"]
    {
        assert!(section.contains(part), "{part}: {section}");
    }
    let page = report.page("-_0_0_0/exported_program_0_readable.html");
    assert!(text_of(page.one(".lines")).contains("torch.ops.aten.linear.default"));
    let file = report.read("-_0_0_0/exported_program_0.txt");
    assert!(
        file.starts_with("ExportedProgram:\n") && file.contains("Range constraints: {s77: VR[0, int_oo]}")
    );
}

#[test]
fn a_guard_of_an_ordinary_compilation_does_not_make_it_an_export() {
    let mut log = Log::of(input("05_dynamic_shapes"));
    let at = log.nth("guard_added_fast", 0);
    let mut envelope: Value = serde_json::from_slice(log.records[at].envelope()).unwrap();
    let mut fields = envelope.as_object_mut().unwrap().remove("guard_added_fast").unwrap();
    fields["prefix"] = "eval".into();
    let mut with_event = serde_json::Map::from_iter([("guard_added".to_owned(), fields)]);
    with_event.extend(envelope.as_object().unwrap().clone());
    log.records[at].set_envelope(Value::Object(with_event).to_string().as_bytes());
    let run = || Run::of_bytes("guards.log", &log.bytes());
    assert!(!run().ok().has("export.html"));
    let asked = run().args(["--export"]).ok().page("index.html");
    assert_eq!(heading(&asked), VERDICTS[0].1);
    assert_eq!(failures(&asked).len(), 1);
}

#[test]
fn damaged_logs_of_an_export_still_give_a_report() {
    for name in ["11_export_draft", "11_export_draft_ops", "21_torch28_11_draft"] {
        let bytes = input(name).bytes();
        for part in 1..12 {
            let cut = &bytes[..bytes.len() * part / 12];
            Run::of_bytes("cut.log", cut).args(["--export"]).ok();
        }
    }
}

#[test]
fn export_pages_open_in_a_browser_without_a_word_and_fold_open() {
    let Some(window) = window() else { return };
    let report = exported("11_export_draft_ops");
    let draft = report_of_draft();
    for (folder, page) in [
        (report.folder.as_path(), "index.html"),
        (report.folder.as_path(), "report.html"),
        (draft, "export.html"),
        (draft, FIRST),
    ] {
        for scheme in ["light", "dark"] {
            window.scheme(scheme);
            window.open(&folder.join(page), "");
            window.quiet(&format!("{page} ({scheme})"));
            let over = window.number("document.documentElement.scrollWidth - innerWidth");
            assert!(over <= 0.0, "{page} is {over} pixels too wide");
        }
    }
    window.open(&report.folder.join("index.html"), "");
    window.value("document.querySelector('[data-fold=failure-list]').click()");
    assert_eq!(window.number("document.querySelectorAll('#failure-list > details[open]').length"), 3.0);
    serious_faults(
        &window,
        &[report.folder.join("index.html"), draft.join("export.html"), draft.join(FIRST)],
    );
}

fn report_of_draft() -> &'static Path {
    &report("11_export_draft").folder
}

/// Asks axe-core where `AXE_CORE` names it, as the test of all kinds of page does.
fn serious_faults(window: &crate::browser::Window, pages: &[std::path::PathBuf]) {
    let Some(axe) = std::env::var_os("AXE_CORE").map(|path| fs::read_to_string(path).unwrap()) else {
        println!("skipped: AXE_CORE does not name axe.min.js (npm install axe-core)");
        return;
    };
    for page in pages {
        window.open(page, "");
        window.value(&format!("(() => {{ {axe}; return 0; }})()"));
        for scheme in ["light", "dark"] {
            window.scheme(scheme);
            let found = window.value(crate::browser_axe::MODERATE);
            assert_eq!(found.as_str(), Some("[]"), "{} ({scheme})", page.display());
        }
    }
}
