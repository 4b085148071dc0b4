use crate::report::pages::rendered_in_tests::rendered;
use crate::report::subject::Settings;

/// The landing page of a log, and the pages on which it continues, with their paths.
fn pages_of(log: &str, settings: &Settings) -> Vec<(String, String)> {
    rendered(log, settings, super::pages)
}

fn landing(log: &str) -> String {
    pages_of(log, &Settings::default()).remove(0).1
}

/// A record as torch writes it to a log.
fn record(envelope: &str) -> String {
    format!("V1120 04:43:12.653000 7 torch/_dynamo/x.py:1] {{{envelope}}}\n")
}

fn start(frame: u32, name: &str) -> String {
    let stack = format!(r#"[{{"line": 3, "name": "{name}", "filename": 0}}]"#);
    record(&format!(
        r#""dynamo_start": {{"stack": {stack}}}, "frame_id": {frame}, "frame_compile_id": 0, "attempt": 0"#
    ))
}

#[test]
fn an_empty_log_says_that_nothing_was_recorded_and_why() {
    let page = landing("");
    assert!(page.contains("Nothing was recorded"));
    assert!(page.contains("before <code>import torch</code>"));
}

#[test]
fn text_of_the_log_is_escaped() {
    let log = record(r#""str": ["/app/<script>alert(1)</script>.py", 0]"#)
        + &start(0, "<img src=x onerror=alert(1)>");
    let page = landing(&log);
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;"));
    assert!(!page.contains("<img") && !page.contains("<script>alert"));
}

#[test]
fn a_custom_header_is_on_top_unchanged_and_its_scripts_may_run() {
    let header = "<p class=\"x\">Ours</p><script>alert(1)</script>";
    let settings = Settings { custom_header: Some(header.to_owned()), ..Settings::default() };
    let page = pages_of(&start(0, "f"), &settings).remove(0).1;
    assert!(page.contains(&format!("<body>\n{header}\n<a class=\"skip\"")));
    // printf 'alert(1)' | openssl dgst -sha256 -binary | base64
    assert!(page.contains("sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI="));
}

#[test]
fn every_attempt_has_an_anchor_on_the_landing_page() {
    let again = record(r#""compilation_metrics": {}, "frame_id": 0, "frame_compile_id": 0, "attempt": 1"#);
    let page = landing(&(start(0, "f") + &again));
    for id in ["[0/0]", "[0/0_1]"] {
        assert_eq!(page.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
    }
}

#[test]
fn a_directory_of_more_than_200_compiles_has_its_own_pages_and_keeps_the_anchors() {
    let log: String = (0..201).map(|frame| start(frame, "f")).collect();
    let pages = pages_of(&log, &Settings::default());
    let names: Vec<&str> = pages.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["index.html", "directory_1.html", "directory_2.html"]);
    assert!(pages[0].1.contains("<a id=\"[200/0]\" href=\"directory_2.html#[200/0]\""));
    assert!(pages[2].1.contains("id=\"[200/0]\""));
}

#[test]
fn more_than_500_functions_have_their_own_page() {
    let log: String = (0..501).map(|frame| start(frame, &format!("f{frame}"))).collect();
    let pages = pages_of(&log, &Settings::default());
    let (_, all) = pages.iter().find(|(name, _)| name == "functions.html").unwrap();
    assert_eq!(all.matches("<tr id=\"function-").count(), 501);
    assert_eq!(pages[0].1.matches("<tr id=\"function-").count(), 500);
}

#[test]
fn a_stack_of_any_depth_nests_only_so_deep() {
    let frame = |line| format!(r#"{{"line": {line}, "name": "f", "filename": -1}}"#);
    let mut log = String::new();
    for id in 0..600u32 {
        // Each stack branches off one frame deeper than the one before.
        let mut frames: Vec<String> = (0..id).map(frame).collect();
        frames.push(frame(10_000));
        let stack = frames.join(", ");
        log += &record(&format!(
            r#""dynamo_start": {{"stack": [{stack}]}}, "frame_id": {id}, "frame_compile_id": 0, "attempt": 0"#
        ));
    }
    let page = landing(&log);
    let (mut depth, mut deepest) = (0i32, 0);
    for tag in page.split("<").map(|text| text.split('>').next().unwrap_or_default()) {
        match tag.split(' ').next() {
            Some("ul") => depth += 1,
            Some("/ul") => depth -= 1,
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    assert_eq!(depth, 0);
    assert!(deepest <= 130, "{deepest}");
}
