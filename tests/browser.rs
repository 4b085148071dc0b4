//! The pages in a real browser, opened from disk: nothing is asked of the network, nothing goes wrong, clicks work.
//!
//! The browser is `$CHROME`, or else Chromium where Debian installs it. Without one, the tests say so and pass; in CI they
//! fail.

pub use crate::support::window::{Window, window};
use crate::support::{Report, Run, input, report};

/// Pages of one kind that are opened in each report.
const PAGES_A_KIND: usize = 1;

/// The kind of a page: its name without numbers and hashes.
fn kind(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap();
    let folder = if path.starts_with("dump_file/") { "dump_file" } else { "" };
    let known = [
        "inductor_output_code",
        "compilation_metrics",
        "dynamo_guards",
        "kernel_stack_traces",
        "provenance_tracking",
    ];
    let kind = known.iter().find(|known| name.contains(*known)).map_or(name, |known| known);
    if folder.is_empty() { kind.to_owned() } else { folder.to_owned() }
}

/// Some pages of each kind, each with its kind.
pub fn one_of_each_kind(report: &Report) -> Vec<(String, String)> {
    let mut kinds: Vec<String> = Vec::new();
    let mut chosen: Vec<_> = report.pages().into_iter().map(|path| (kind(&path), path)).collect();
    chosen.retain(|(kind, _)| {
        kinds.push(kind.clone());
        kinds.iter().filter(|known| *known == kind).count() <= PAGES_A_KIND
    });
    chosen
}

#[test]
fn the_policy_is_at_work_and_this_test_would_see_what_goes_wrong() {
    let Some(window) = window() else { return };
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("bad.html");
    let text = report("11_export_clean").read("index.html");
    let bad = text
        .replace("</main>", "<script>alert(1)</script><img src=\"https://example.invalid/x.png\"></main>");
    assert_ne!(bad, text);
    std::fs::write(&page, bad).unwrap();
    window.open(&page, "");
    let wrong = window.take_wrong().join("\n");
    assert!(wrong.contains("script-src") || wrong.contains("inline script"), "{wrong}");
    assert!(wrong.contains("img-src") || wrong.contains("example.invalid"), "{wrong}");
}

#[test]
fn the_stack_trie_folds() {
    let Some(window) = window() else { return };
    window.open(&report("03_graph_breaks").folder.join("index.html"), "");
    let summary = "#trie details > summary";
    let open = "document.querySelector('#trie details').open";
    let shown = "document.querySelector('#trie details > ul').checkVisibility()";
    assert!(window.is_true(open) && window.is_true(shown));
    window.click(summary);
    assert!(!window.is_true(open), "a click folds it");
    assert!(!window.is_true(shown), "what is folded is hidden");
    window.click(summary);
    assert!(window.is_true(open) && window.is_true(shown), "another click unfolds it");
    let all = "[...document.querySelectorAll('#trie details')].every(d => d.open)";
    let button = "#stacks [data-fold=trie]";
    window.click(button);
    let first = window.is_true(all);
    window.click(button);
    assert_ne!(first, window.is_true(all), "the button folds and unfolds all");
    window.quiet("folding");
}

#[test]
fn a_compile_id_in_the_trie_leads_to_its_artifacts() {
    let Some(window) = window() else { return };
    window.open(&report("03_graph_breaks").folder.join("index.html"), "");
    let place = "document.getElementById('[5/0]')";
    assert!(window.is_true(&format!(
        "{place} !== null && document.querySelector('#trie a[href=\"#[5/0]\"]') !== null"
    )));
    assert!(!window.is_true(&format!("{place}.open")), "the files of a compile are folded at first");
    window.click("#trie a[href='#[5/0]']");
    // The address changes first, then the page's script opens what it names.
    window.value("new Promise(done => setTimeout(done, 50))");
    assert!(window.is_true(&format!("{place}.open")));
    let artifact = format!(
        "[...{place}.querySelectorAll('a')].find(a => a.getAttribute('href').startsWith('-_5_0_0/'))"
    );
    assert!(window.is_true(&format!("{artifact}.checkVisibility()")));
    let seen = format!("(r => r.top >= 0 && r.top < innerHeight)({place}.getBoundingClientRect())");
    assert!(window.is_true(&seen), "it is scrolled to");
    window.quiet("a click on an id");
    let target = window.value(&format!("{artifact}.href"));
    window.go(target.as_str().unwrap());
    assert!(window.is_true("document.body !== null"));
}

#[test]
fn tables_are_sorted_by_a_click_on_their_head() {
    let Some(window) = window() else { return };
    window.open(&report("03_graph_breaks").folder.join("index.html"), "#function-1");
    let head = "#functions-table th[data-sort=num] button";
    let column = "document.querySelector('#functions-table th[data-sort=num]').cellIndex";
    let values = format!(
        "[...document.querySelectorAll('#functions-table tbody tr')].map(r => {{ const c = r.cells[{column}]; return +(c.dataset.v ?? c.textContent); }})"
    );
    let sorted = |up: bool| {
        let order = if up { "<=" } else { ">=" };
        format!("(v => v.length > 3 && v.every((x, i) => i === 0 || v[i - 1] {order} x))({values})")
    };
    let press = || window.click(head);
    press();
    let first_is_down = window.is_true(&sorted(false));
    assert!(first_is_down || window.is_true(&sorted(true)), "{}", window.value(&values));
    press();
    assert!(window.is_true(&sorted(first_is_down)), "the second click turns the order round");
    window.quiet("sorting");
}

#[test]
fn tables_are_filtered_by_text_and_by_status() {
    let Some(window) = window() else { return };
    window.open(&report("03_graph_breaks").folder.join("index.html"), "#function-1");
    let shown =
        "[...document.querySelectorAll('#functions-table tbody tr')].filter(r => r.checkVisibility()).length";
    let all = window.number(shown);
    window.type_into("input[data-for='functions-table']", "inner_branch");
    let some = window.number(shown);
    assert!(some > 0.0 && some < all, "{some} of {all} rows");
    let choose = |css: &str, value: &str| {
        window.value(&format!(
            "(e => {{ e.value = '{value}'; e.dispatchEvent(new Event('input')); }})(document.querySelector(\"{css}\"))"
        ));
    };
    choose("input[data-for='functions-table']", "");
    assert_eq!(window.number(shown), all);
    choose("select[data-for='functions-table']", "error");
    let failed = window.number(shown);
    assert!(failed > 0.0 && failed < all, "{failed} of {all} rows");
    window.quiet("filtering");
}

/// The page of the graphs of the only compile of a log that trains, at one of its graphs.
fn graphs(window: &Window, chosen: &str) {
    window.open(&report("02_train_mlp").folder.join("-_0_0_0/graphs.html"), "");
    window.value(&format!(
        "(e => {{ e.value = [...e.options].findIndex(o => o.text.startsWith('{chosen} ')); e.onchange(); }})(
            document.getElementById('left'))"
    ));
}

#[test]
fn a_click_on_a_value_of_a_graph_marks_its_definition_and_uses_and_lists_them() {
    let Some(window) = window() else { return };
    graphs(&window, "aot_forward_graph");
    window.value(
        "[...document.querySelectorAll('#graph .value')].find(v => v.textContent === 'addmm').id = 'addmm'",
    );
    window.click("#addmm");
    let marked = "[...document.querySelectorAll('#graph .value.hit')]";
    // Its definition, two operators and the output; `addmm_1` is another value.
    assert_eq!(window.number(&format!("{marked}.length")), 4.0);
    assert!(window.is_true(&format!("{marked}.every(v => v.textContent === 'addmm')")));
    let listed = window.value("document.getElementById('uses').textContent");
    for part in ["defined, line 15", "mulused, line 16", "mul_1used, line 17", "outputused, line 58"] {
        assert!(listed.as_str().unwrap().contains(part), "{listed}");
    }
    assert!(window.is_true("document.getElementById('value').textContent.includes('4 KB')"));
    window.quiet("a click on a value");
}

#[test]
fn a_value_of_a_graph_is_chosen_by_its_name_with_the_keyboard() {
    let Some(window) = window() else { return };
    graphs(&window, "aot_forward_graph");
    window.type_into("#side input", "var_mean");
    window.press("Enter");
    assert_eq!(window.number("document.querySelectorAll('#graph .value.hit').length"), 4.0);
    window.press("Escape");
    assert_eq!(window.number("document.querySelectorAll('#graph .hit').length"), 0.0);
    window.quiet("a value chosen by name");
}

#[test]
fn a_line_of_the_users_code_leads_to_its_lines_in_all_graphs_and_in_generated_code() {
    let Some(window) = window() else { return };
    graphs(&window, "aot_forward_graph");
    window.click("#graph .source-mark");
    assert!(window.number("document.querySelectorAll('#graph .line.hit').length") > 30.0);
    let links = |test: &str| format!("[...document.querySelectorAll('#side a')].some(a => {test})");
    assert!(window.is_true(&links("a.hash.startsWith('#1-L')")), "no line of the captured graph");
    assert!(
        window.is_true(&links("/inductor_output_code_.*html#L/.test(a.href)")),
        "no line of generated code"
    );
    window.quiet("a line of the user's code");
}

#[test]
fn two_graphs_of_a_compile_are_compared_line_by_line() {
    let Some(window) = window() else { return };
    graphs(&window, "aot_joint_graph");
    window.value("(e => { e.value = 4; e.onchange(); })(document.getElementById('right'))");
    let lines =
        |class: &str| format!("[...document.querySelectorAll('#sides .{class}')].map(l => l.textContent)");
    assert!(window.is_true(&format!("{}.some(l => l.includes('class inner_f('))", lines("old"))));
    assert!(window.is_true(&format!("{}.some(l => l.includes('class GraphModule('))", lines("new"))));
    assert!(
        window.number("document.querySelectorAll('#sides .fold-row').length") > 0.0,
        "equal lines are folded"
    );
    // Torch's own pair: only the id below the texts differs, which is no difference.
    window.click("#pairs button");
    assert!(window.is_true("document.getElementById('said').textContent.endsWith('are equal.')"));
    window.quiet("graphs compared");
}

#[test]
fn relative_links_carry_the_pages_query() {
    let Some(window) = window() else { return };
    window.open(&report("03_graph_breaks").folder.join("index.html"), "?token=7&x=y");
    let links = |test: &str| {
        window.is_true(&format!(
            "[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href')).{test}"
        ))
    };
    assert!(links("some(h => h.endsWith('compile.html?token=7&x=y'))"));
    assert!(
        links("filter(h => /^https?:/.test(h)).every(h => !h.includes('token=7'))"),
        "others' links are left alone"
    );
    window.quiet("a page with a query");
}

#[test]
fn pages_are_complete_without_script() {
    let Some(window) = window() else { return };
    window.switch_scripts_off();
    window.open(&report("03_graph_breaks").folder.join("index.html"), "");
    let document = window.content();
    assert!(
        document.contains("class=\"tools needs-script\" hidden"),
        "controls that need a script stay hidden"
    );
    assert!(document.contains("functions-table"));
}

#[test]
fn a_report_of_a_hostile_log_is_quiet_too() {
    let Some(window) = window() else { return };
    let mut log = crate::support::Log::of(input("03_graph_breaks"));
    let script = "</script><script>alert(1)</script><img src=x onerror=alert(2)>";
    for index in log.all("dynamo_start") {
        log.records[index].edit(|envelope| {
            for frame in envelope["dynamo_start"]["stack"].as_array_mut().unwrap() {
                frame["name"] = script.into();
            }
        });
    }
    log.edit("artifact", 2, |envelope| envelope["artifact"]["name"] = script.into());
    let hostile = Run::of_bytes("hostile.log", &log.bytes()).ok();
    for (_, path) in one_of_each_kind(&hostile) {
        window.open(&hostile.folder.join(&path), "");
        window.quiet(&path);
    }
}

#[test]
fn the_custom_header_and_its_script_are_at_work() {
    let Some(window) = window() else { return };
    let header =
        "<p id=\"mine\">Job 7</p><script>document.getElementById('mine').dataset.ran = 'yes'</script>";
    let report = Run::of(&input("11_export_clean").path).args(["--custom-header-html", header]).ok();
    window.open(&report.folder.join("index.html"), "");
    assert!(window.is_true("document.getElementById('mine').dataset.ran === 'yes'"));
    window.quiet("a page with a custom header");
}

#[test]
fn the_form_of_each_page_finds_a_function_and_a_kernel_and_keeps_the_hosts_query() {
    let Some(window) = window() else { return };
    let report = report("01_inference");
    let compile = report.pages().into_iter().find(|path| path.ends_with("/compile.html")).unwrap();
    for (page, query) in [("index.html", ""), (compile.as_str(), "?token=7")] {
        window.open(&report.folder.join(page), query);
        window.type_into(".page-head input[name=q]", "cpp_fused");
        window.follow(|| {
            window.press("Enter");
        });
        window.wait_for("#found a");
        let said = window.value("document.getElementById('count').textContent");
        let said = said.as_str().unwrap();
        assert!(said.contains("kernels") && said.contains("lines of files"), "{page}: {said}");
        let links = |test: &str| {
            window.is_true(&format!(
                "[...document.querySelectorAll('#found a')].map(a => a.getAttribute('href')).{test}"
            ))
        };
        assert!(links("some(h => /output_code.*#L\\d+$/.test(h))"), "{page}");
        assert!(links("every(h => !h.includes('q=cpp'))"), "{page}");
        let kept = !query.is_empty();
        assert!(links(&format!("every(h => h.includes('token=7') === {kept})")), "{page}");
        window.quiet(page);
    }
    // The link leads to the line that was found.
    window.follow(|| window.click("#found a[href*='output_code']"));
    window.wait_for(".lines>:target");
    let line = window.value("document.querySelector('.lines>:target').textContent");
    assert!(line.as_str().unwrap().contains("cpp_fused"), "{line}");
}

#[test]
fn the_search_says_what_it_does_not_find_and_is_used_by_keyboard() {
    let Some(window) = window() else { return };
    window.open(&report("03_graph_breaks").folder.join("search.html"), "?q=inner_branch");
    assert!(window.is_true("document.activeElement.id === 'query'"), "one may type at once");
    window.press("ArrowDown");
    assert!(window.is_true("document.activeElement.matches('#found a')"));
    assert!(window.is_true("document.querySelector('#found mark').textContent === 'inner_branch'"));
    window.press("ArrowUp");
    assert!(window.is_true("document.activeElement.id === 'query'"));
    window.open(&report("03_graph_breaks").folder.join("search.html"), "?q=%3Cb%3Eno%20such%20(thing");
    let said = window.value("document.getElementById('count').textContent");
    assert!(said.as_str().unwrap().starts_with("Nothing"), "{said}");
    assert!(window.is_true("document.querySelector('#found').children.length === 0"));
    window.quiet("the search");
    window.switch_scripts_off();
    window.open(&report("03_graph_breaks").folder.join("search.html"), "?q=x");
    assert!(window.content().contains("Searching needs JavaScript"));
}

#[test]
fn lines_of_code_are_copied_as_they_are_and_a_click_on_a_number_makes_the_line_the_address() {
    let Some(window) = window() else { return };
    let report = report("02_train_mlp");
    let path = report.manifest().into_iter().find(|path| path.contains("inductor_output_code")).unwrap();
    let text = report.page(&path).one("a[href^='../payloads/']").attr("href").unwrap().to_owned();
    let text = report.read(text.trim_start_matches("../"));
    window.open(&report.folder.join(&path), "");
    // Imports and helpers are folded.
    assert!(window.is_true("document.getElementById('L3').offsetHeight === 0"));
    window.click("[data-begins] > button");
    let copied = window.value(
        "(() => { const range = document.createRange(), line = n => document.getElementById(`L${n}`); \
         range.setStart(line(3), 0); range.setEndAfter(line(47)); getSelection().removeAllRanges(); \
         getSelection().addRange(range); return getSelection().toString(); })()",
    );
    let lines: Vec<&str> = text.lines().skip(2).take(45).collect();
    assert_eq!(copied.as_str().unwrap().trim_end(), lines.join("\n").trim_end());
    window.value(
        "(() => { const line = document.getElementById('L5'), at = line.getBoundingClientRect(); \
         line.dispatchEvent(new MouseEvent('click', { bubbles: true, clientX: at.left + 5 })); })()",
    );
    assert_eq!(window.value("location.hash").as_str(), Some("#L5"));
    assert!(window.is_true("document.querySelector('.lines>:target').textContent.startsWith('import')"));
    window.quiet("a click on a line's number");
}
