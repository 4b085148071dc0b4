//! The page of the user's files line by line: its figures are those of report.json, and it reads only what it may.

use crate::performance::of_cpu;
use crate::support::{Page, Report, Run, input, report, select, text_of};
use scraper::ElementRef;
use serde_json::Value;
use std::fs;

/// The page of a report.
fn source(report: &Report) -> Page {
    report.page("source.html")
}

/// The row of a line of the first file.
fn row<'p>(page: &'p Page, line: &Value) -> ElementRef<'p> {
    let cell = page.one(&format!("#L{line}"));
    cell.parent().and_then(ElementRef::wrap).unwrap()
}

/// The number of a line in a column with this heading; 0 for an empty cell.
fn number(page: &Page, line: ElementRef<'_>, column: &str) -> f64 {
    let table =
        line.ancestors().filter_map(ElementRef::wrap).find(|element| element.value().name() == "table");
    let heads: Vec<String> = table.unwrap().select(&select("thead tr > *")).map(text_of).collect();
    let Some(at) = heads.iter().position(|head| head == column) else { return 0.0 };
    let cells: Vec<ElementRef<'_>> = line.select(&select("td")).collect();
    assert_eq!(cells.len(), heads.len(), "{}: a cell for each column", page.path);
    seconds(&text_of(cells[at]))
}

/// A number, or a duration in seconds.
fn seconds(text: &str) -> f64 {
    let (number, unit) = text.split_once('\u{a0}').unwrap_or((text, ""));
    let scale = match unit {
        "us" => 1e-6,
        "ms" => 1e-3,
        _ => 1.0,
    };
    if number.is_empty() { 0.0 } else { scale * number.replace(',', "").parse::<f64>().unwrap() }
}

/// The sum of a column over all lines of a page.
fn sum(page: &Page, column: &str) -> f64 {
    page.all(".lined tr.known").into_iter().map(|line| number(page, line, column)).sum()
}

fn total(list: &[Value], of: impl Fn(&Value) -> Option<f64>) -> f64 {
    list.iter().filter_map(of).sum()
}

#[test]
fn the_lines_of_a_log_add_up_to_its_report_json() {
    for name in ["03_graph_breaks", "04_recompiles", "06_errors", "14_llama_infer", "02_train_mlp"] {
        let (report, page) = (report(name), source(report(name)));
        let time = total(report.list("compiles"), |compile| compile["time"]["seconds"].as_f64());
        let shown = sum(&page, "Compile time");
        assert!((time - shown).abs() < 0.01 * time, "{name}: {time} s, and {shown} s by line");
        let breaks = total(report.list("graph_breaks"), |one| one["count"].as_f64());
        assert_eq!(sum(&page, "Breaks"), breaks, "{name}");
        assert_eq!(sum(&page, "Again"), report.list("recompiles").len() as f64, "{name}");
        assert_eq!(sum(&page, "Fails"), report.list("failures").len() as f64, "{name}");
    }
}

#[test]
fn the_line_of_a_break_has_the_break_and_its_advice() {
    let (report, page) = (report("03_graph_breaks"), source(report("03_graph_breaks")));
    for found in report.list("graph_breaks") {
        let line = row(&page, &found["line"]);
        assert_eq!(number(&page, line, "Breaks"), found["count"].as_f64().unwrap(), "{found}");
        assert!(line.attr("class").unwrap().contains("found"));
        let happened = text_of(page.one(&format!("#at-L{}", found["line"])));
        for finding in report.list("findings").iter().filter(|finding| finding["line"] == found["line"]) {
            let title = finding["title"].as_str().unwrap().replace('`', "");
            assert!(happened.contains(&title), "{title} is not in {happened}");
        }
    }
    assert!(text_of(page.one("#at-L11")).contains("if not torch.compiler.is_compiling()"), "what to do");
}

#[test]
fn dynamo_read_and_captured_the_lines_that_the_verdict_counts() {
    let page = source(report("03_graph_breaks"));
    let verdict = text_of(page.one("h1"));
    // Counted by hand in the program: 23 lines are in functions that Dynamo read, and 14 have operators.
    assert!(verdict.contains("Dynamo read 23\u{a0}lines and captured 14."), "{verdict}");
    assert!(verdict.contains("Line 11 breaks the graph 4\u{a0}times."), "{verdict}");
    assert!(verdict.contains("Line 65 makes loop_with_break run in eager mode."), "{verdict}");
    let captured = page.all(".lined tr.known").into_iter().filter(|line| number(&page, *line, "Ops") > 0.0);
    assert_eq!(captured.count(), 14);
    assert!(page.all("#L54").is_empty(), "a line that no record quotes is a gap");
}

#[test]
fn a_line_has_its_operators_with_their_shapes_and_its_kernels() {
    let page = source(report("03_graph_breaks"));
    let happened = text_of(page.one("#at-L16"));
    for piece in
        ["2\u{a0}operators captured in 1\u{a0}graph", "sum_1", "f32[]", "gt", "b8[]", "cpp_fused_gt_sum_0"]
    {
        assert!(happened.contains(piece), "{piece} is not in {happened}");
    }
}

#[test]
fn a_compile_that_begins_in_a_library_counts_at_the_line_that_called_it() {
    let page = source(report("14_llama_infer"));
    let line = row(&page, &44.into());
    assert!(number(&page, line, "Compile time") > 14.0);
    assert!(text_of(page.one("#at-L44")).contains("LlamaForCausalLM"));
    let llama = page.all("section[id^='file-']").into_iter().find(|section| {
        section.select(&select("h2")).any(|head| text_of(head).contains("modeling_llama.py"))
    });
    assert!(
        text_of(llama.unwrap()).contains("query_states = self.q_proj"),
        "lines of libraries are known, too"
    );
}

#[test]
fn the_measured_time_of_a_line_is_that_of_report_json() {
    let report = of_cpu("24_profile");
    let page = source(&report);
    let lines = report.json["performance"]["lines"].as_array().unwrap();
    assert!(lines.len() > 3);
    for line in lines {
        let row = row(&page, &line["line"]);
        let (shown, us) = (number(&page, row, "Kernel time"), line["us"].as_f64().unwrap());
        assert!((shown - us / 1e6).abs() < 0.02 * shown, "{line}: {shown} s");
    }
    assert!(text_of(page.one("h1")).contains("of kernel time"), "{}", text_of(page.one("h1")));
}

#[test]
fn places_in_the_report_lead_to_their_lines() {
    let report = report("03_graph_breaks");
    for (page, css) in [
        ("index.html", "#findings a[href='source.html#L11']"),
        ("graph_breaks.html", "a[href='source.html#L28']"),
        ("kernels.html", "#lines a[href='source.html#L10']"),
        ("-_1_0_0/compile.html", "a[href='../source.html#L9']"),
    ] {
        assert!(!report.page(page).all(css).is_empty(), "{page} has no {css}");
    }
}

#[test]
fn with_sources_the_whole_file_is_shown_and_what_ran_in_eager_mode_is_marked() {
    let log = input("03_graph_breaks");
    let scripts = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inputs/scripts");
    let report = Run::from(log).args(["--sources"]).args([&scripts]).ok();
    let page = source(&report);
    let text = fs::read_to_string(scripts.join("s03_graph_breaks.py")).unwrap();
    let shown: Vec<String> = page.all(".lined tr:not(.gap) td.text").into_iter().map(text_of).collect();
    assert_eq!(shown.join("\n").trim_end(), text.trim_end());
    let eager: Vec<String> = page.all(".lined tr:has(td.eager) td.number").into_iter().map(text_of).collect();
    assert_eq!(eager, ["42", "43", "44", "45", "63", "64", "66"]);
    assert!(text_of(page.one("h1")).starts_with("Of 97\u{a0}lines of s03_graph_breaks.py"));
}

#[test]
fn a_line_that_reads_otherwise_in_the_file_says_that_the_file_has_changed() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s03_graph_breaks.py"), "import torch\n".repeat(20)).unwrap();
    let report = Run::from(input("03_graph_breaks")).args(["--sources"]).args([folder.path()]).ok();
    let happened = text_of(source(&report).one("#at-L10"));
    assert!(happened.contains("The file has changed since. The log has here: y = x + 1"), "{happened}");
}

#[cfg(unix)]
#[test]
fn a_hostile_path_reads_no_file_outside_of_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (inside, outside) = (folder.path().join("in"), folder.path().join("out"));
    fs::create_dir(&inside).unwrap();
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("secret.py"), "password_4711 = 1\n".repeat(99)).unwrap();
    std::os::unix::fs::symlink(&outside, inside.join("linked")).unwrap();
    fs::write(inside.join(".env"), "password_4711 = 1\n".repeat(99)).unwrap();
    let bytes = [&b"password_4711 = 1\n".repeat(99)[..], &[0xff, 0xfe]].concat();
    fs::write(inside.join("bytes.py"), bytes).unwrap();
    let text = fs::read(&input("03_graph_breaks").path).unwrap();
    let text = String::from_utf8(text).unwrap();
    let secret = outside.join("secret.py");
    for path in
        ["../out/secret.py", "/app/linked/secret.py", "/app/../out/secret.py", "/app/.env", "/app/bytes.py"]
            .into_iter()
            .chain(secret.to_str())
    {
        let log = text.replace("/app/s03_graph_breaks.py", path);
        let report = Run::of_bytes("hostile.log", log.as_bytes()).args(["--sources"]).args([&inside]).ok();
        for page in report.pages() {
            assert!(!report.read(&page).contains("password_4711"), "{path}: {page}");
        }
    }
}

#[test]
fn hidden_files_and_those_that_git_ignores_stay_out_and_a_note_names_what_is_in() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let text = fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inputs/scripts/s03_graph_breaks.py"),
    );
    let secret = format!("{}\npassword_4711 = 1\n", text.unwrap());
    for (path, ignored) in [
        ("model/net.py", false),
        (".config/net.py", true),
        ("model/.net.py", true),
        ("local/net.py", true),
        ("model/settings.py", true),
        ("model/generated/net.py", true),
        ("model/generated/kept.py", false),
        ("private.py", true),
    ] {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::create_dir_all(root.join(".git/info")).unwrap();
        fs::write(root.join(".gitignore"), "/local/\nsettings.py\n").unwrap();
        fs::write(root.join("model/.gitignore"), "generated/*\n!generated/kept.py\n").unwrap();
        fs::write(root.join(".git/info/exclude"), "private.py\n").unwrap();
        fs::write(root.join(path), &secret).unwrap();
        let log = fs::read_to_string(&input("03_graph_breaks").path).unwrap();
        let log = log.replace("/app/s03_graph_breaks.py", &format!("/app/{path}"));
        let done = Run::of_bytes("private.log", log.as_bytes()).args(["--sources"]).args([root]).go();
        let below = root.canonicalize().unwrap().display().to_string();
        let note = match ignored {
            false => format!("note: the report holds the whole text of these files below {below}: {path}\n"),
            true => format!("note: hidden or ignored by git below {below}, so not in the report: {path}\n"),
        };
        assert!(done.stderr.contains(&note), "{path}: {}", done.stderr);
        let report = done.report(0);
        let holds = report.pages().iter().any(|page| report.read(page).contains("password_4711"));
        assert_eq!(holds, !ignored, "{path}");
        fs::remove_file(root.join(path)).unwrap();
    }
}

#[test]
fn hostile_names_and_lines_are_text() {
    let text = String::from_utf8(fs::read(&input("03_graph_breaks").path).unwrap()).unwrap();
    let hostile = "<img src=x onerror=alert(4711)>";
    let log = text
        .replace("/app/s03_graph_breaks.py", &format!("/app/{hostile}.py"))
        .replace("code: y = x + 1", &format!("code: {hostile}"));
    let report = Run::of_bytes("hostile.log", log.as_bytes()).ok();
    let page = source(&report);
    assert!(page.all("img").is_empty() && page.all("[onerror]").is_empty());
    assert!(page.text().contains(hostile), "it is shown");
}

#[test]
fn a_folder_of_sources_that_does_not_exist_is_a_wrong_call() {
    let done = Run::from(input("01_inference")).args(["--sources", "gone"]).go();
    assert_ne!(done.code, Some(0));
    assert!(done.stderr.contains("--sources gone"), "{}", done.stderr);
}

#[test]
fn a_redacted_report_has_no_source_page() {
    let report = Run::from(input("03_graph_breaks")).args(["--redact"]).ok();
    assert!(!report.has("source.html"));
    let done = Run::from(input("03_graph_breaks")).args(["--redact", "--sources"]).go();
    assert_eq!(done.code, Some(2), "{}", done.stderr);
}
