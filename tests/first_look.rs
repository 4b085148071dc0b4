//! What a reader sees first on each page: the answer, then what to do, then the rest, folded where it is the same in each
//! log.

use crate::browser::window;
use crate::support::{Run, input, report, select, text_of};

fn plain(text: &str) -> String {
    text.replace('\u{a0}', " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_page_of_times_says_first_where_the_time_went_and_folds_how_to_read_it() {
    let page = report("03_graph_breaks").page("time.html");
    let verdict = plain(&text_of(page.one("main h1")));
    assert!(verdict.contains("% of the compiler's 35.2 s went to Kernel builds, then "), "{verdict}");
    let hints = page.one("#chart details.more");
    assert!(hints.attr("open").is_none());
    assert!(text_of(hints).contains("Drag to pan") && text_of(hints).contains("Keys in the chart"));
    page.one("a#chart-perfetto[href='https://ui.perfetto.dev']");
}

#[test]
fn dynamic_sizes_come_first_and_constant_ones_are_folded() {
    let page = report("05_dynamic_shapes").page("shapes.html");
    let rows = page.all("#dimensions-table tbody tr");
    assert!(!rows.is_empty());
    for row in rows {
        assert!(!text_of(row).contains(" no "), "{}", text_of(row));
    }
    let constant = page.all("details.more #constants-table tbody tr");
    assert!(constant.iter().all(|row| text_of(*row).contains("no")) && !constant.is_empty());
}

#[test]
fn the_page_of_caches_begins_with_what_can_be_done_and_has_no_empty_column() {
    let page = report("08_cache_bypass").page("caches.html");
    let sections: Vec<&str> = page.all("main > section").iter().filter_map(|one| one.attr("id")).collect();
    assert_eq!(sections.first(), Some(&"to-do"), "{sections:?}");
    for name in ["03_graph_breaks", "08_cache_bypass", "08_cache_miss"] {
        let page = report(name).page("caches.html");
        for table in page.all("table") {
            let columns = table.select(&select("th")).count();
            let rows: Vec<Vec<String>> = table
                .select(&select("tbody tr"))
                .map(|row| row.select(&select("td")).map(text_of).collect())
                .collect();
            let is_empty =
                |column: usize| rows.iter().all(|row| matches!(row[column].trim(), "" | "–" | "-"));
            let empty: Vec<usize> = (0..columns).filter(|column| is_empty(*column)).collect();
            assert!(empty.is_empty(), "{name}: columns {empty:?} of {:?}", table.attr("id"));
        }
    }
}

#[test]
fn the_name_of_a_kernel_leads_to_its_body_and_the_line_beside_it_to_its_call() {
    let page = report("01_inference").page("kernels.html");
    let row = page
        .all("#kernels-table tbody tr")
        .into_iter()
        .find(|row| text_of(*row).contains("cpp_fused"))
        .unwrap();
    let links: Vec<&str> =
        row.select(&select("td > a, td > span > a")).filter_map(|link| link.attr("href")).collect();
    let (body, call) = (links[0], links[1]);
    assert!(body.contains("inductor_output_code") && body.contains("#L"), "{links:?}");
    assert_ne!(body, call);
    let (path, line) = body.split_once("#L").unwrap();
    let code = report("01_inference").page(path);
    let line: usize = line.parse().unwrap();
    let text = text_of(code.one(&format!("#L{line}")));
    assert!(text.contains("cpp_fused"), "line {line}: {text}");
}

#[test]
fn generated_code_opens_at_its_kernels_and_a_link_to_an_import_unfolds_them() {
    let Some(window) = window() else { return };
    let report = report("01_inference");
    let path = report.pages().into_iter().find(|path| path.contains("inductor_output_code")).unwrap();
    window.open(&report.folder.join(&path), "");
    let first = "document.querySelector('#L1').getBoundingClientRect().height";
    assert_eq!(window.number(first), 0.0);
    let number = "document.querySelectorAll('.folded-line').length";
    let folded = window.number(number);
    assert!(folded > 5.0, "{folded}");
    // The numbers of the lines below count the folded ones.
    window.click(".with-side button, .code + button, main button");
    assert_eq!(window.number(number), 0.0);
    assert!(window.number(first) > 10.0);
    window.open(&report.folder.join(&path), "#L2");
    assert_eq!(window.number(number), 0.0, "a link to a folded line shows it");
    window.quiet("code");
}

#[test]
fn the_landing_page_of_errors_begins_with_what_to_do() {
    let page = report("06_errors").page("index.html");
    let first = plain(&text_of(page.one("#findings-list > details[open]")));
    assert!(first.contains("fix bad_post_grad_pass, s06_errors.py:62"), "{first}");
    let sections: Vec<&str> = page.all("main > section").iter().filter_map(|one| one.attr("id")).collect();
    assert_eq!(&sections[..2], ["findings", "functions"]);
    assert!(report("01_inference").page("index.html").all("#findings .kind.error").is_empty());
}

#[test]
fn a_first_visit_finds_ids_and_statuses_explained_beside_the_stacks_and_phases_in_the_glossary() {
    for name in ["03_graph_breaks", "12_ddp_2", "01_inference"] {
        let page = report(name).page("index.html");
        let legend = page.one("#stacks > details.more");
        let text = plain(&text_of(legend));
        for word in ["Compile id", "second version", "ok compiled", "Dynamo, AOTAutograd and Inductor"] {
            assert!(text.contains(word), "{name}: {word}: {text}");
        }
        for link in legend.select(&select("a")) {
            let anchor = link.attr("href").unwrap().strip_prefix('#').unwrap();
            page.one(&format!("#about [id='{anchor}']"));
        }
        let glossary = plain(&text_of(page.one("#words")));
        assert_eq!(glossary.contains("DDP optimizer"), name == "12_ddp_2", "{name}");
    }
}

#[test]
fn the_landing_page_says_how_to_share_a_report() {
    let share = plain(&text_of(report("01_inference").page("index.html").one("#share")));
    assert!(share.contains("--zip") && share.contains("--redact"), "{share}");
}

#[test]
fn ids_of_a_redacted_report_are_pills_that_lead_to_their_row_and_times_have_bars() {
    let redacted = Run::of(&input("06_errors").path).args(["--redact"]).ok();
    let page = redacted.page("index.html");
    let pills = page.all("#findings-table a.pill.status-error");
    assert!(!pills.is_empty());
    for pill in pills {
        let anchor = pill.attr("href").unwrap().strip_prefix('#').unwrap();
        let row = text_of(page.one(&format!("#compiles-table tr[id='{anchor}']")));
        assert!(row.contains("error"), "{row}");
    }
    assert!(page.all("#compiles-table .bar").len() > 3 && page.all(".bar.big").len() == 1);
}

#[test]
fn the_pages_of_metrics_and_of_kernel_stacks_have_the_navigation_of_all_pages() {
    let report = report("09_provenance");
    for kind in ["compilation_metrics", "kernel_stack_traces", "compile.html", "inductor_output_code"] {
        let path =
            report.pages().into_iter().find(|path| path.contains(kind)).unwrap_or_else(|| panic!("{kind}"));
        let page = report.page(&path);
        let links: Vec<String> = page.all(".tabs nav a").into_iter().map(text_of).collect();
        for name in ["Overview", "Source", "Problems", "Time", "Kernels"] {
            assert!(links.iter().any(|link| link == name), "{path}: {links:?}");
        }
    }
}
