//! `report.md`: small enough to paste, the same numbers as the landing page, and nothing of the log becomes markup.

use crate::support::{Log, Report, Run, input, job, reports, text_of};
use serde_json::Value;

/// Bytes that the file may have.
const MOST: usize = 60_000;

/// The text outside of code, as GitHub reads it: blocks between fences and code between backquotes are taken out.
fn outside_of_code(markdown: &str) -> String {
    let mut text = String::new();
    let mut fence: Option<&str> = None;
    for line in markdown.lines() {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            Some(open) if ticks.len() >= open.len() && line == ticks => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 && !line[ticks.len()..].contains('`') => fence = Some(ticks),
            None => {
                text.push_str(&without_spans(line));
                text.push('\n');
            }
        }
    }
    assert_eq!(fence, None, "a block of code has no end");
    text
}

/// A line without its inline code.
fn without_spans(line: &str) -> String {
    let (mut text, mut rest) = (String::new(), line);
    while let Some(start) = rest.find('`') {
        text.push_str(&rest[..start]);
        rest = &rest[start..];
        let ticks = rest.len() - rest.trim_start_matches('`').len();
        let (fence, inside) = rest.split_at(ticks);
        let end = inside
            .match_indices(fence)
            .map(|(at, _)| at)
            .find(|at| !inside[at + ticks..].starts_with('`') && !inside[..*at].ends_with('`'));
        let end = end.unwrap_or_else(|| panic!("code without an end: {line}"));
        text.push_str("CODE");
        rest = &inside[end + ticks..];
    }
    text.push_str(rest);
    text
}

fn plain(text: &str) -> String {
    text.replace('\u{a0}', " ")
}

#[test]
fn each_report_has_a_text_of_at_most_60_kb_that_begins_with_the_verdict() {
    for (name, report) in reports() {
        let text = report.read("report.md");
        assert!(text.len() <= MOST, "{name}: {} bytes", text.len());
        assert!(text.starts_with("# What torch.compile did: `"), "{name}");
        assert!(text.contains("\n## What was lost\n"), "{name}");
        let landing = report.page("index.html");
        assert!(landing.attributes("href").contains(&"report.md"), "{name}: the landing page leads to it");
    }
}

#[test]
fn no_text_of_a_real_log_has_a_meaning_in_markdown() {
    for (name, report) in reports() {
        let text = outside_of_code(&report.read("report.md"));
        for line in text.lines() {
            let words = line.trim_start_matches('#').trim_start_matches('|');
            for mark in ["<", "@", "](", "://", "#", "~", "$", "\\", "_"] {
                assert!(!words.contains(mark), "{name}: {mark} in {line}");
            }
        }
    }
}

#[test]
fn paths_of_evidence_are_files_of_the_report() {
    let mut seen = 0;
    for (name, report) in reports() {
        let text = report.read("report.md");
        for line in text.lines().filter_map(|line| line.strip_prefix("- **Evidence:** ")) {
            for path in line.split(", ").filter(|path| !path.starts_with("and ")) {
                let path = path.trim_matches('`').split('#').next().unwrap();
                assert!(path.ends_with('…') || report.has(path), "{name}: {path}");
                seen += 1;
            }
        }
    }
    assert!(seen > 100, "{seen} paths");
}

/// The head of each finding in the text: its number, its title without marks of code, and the line below it.
fn heads(text: &str) -> Vec<(usize, String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let heads = lines.iter().enumerate().filter_map(|(at, line)| {
        let (number, title) = line.strip_prefix("### ")?.split_once(". ")?;
        Some((number.parse().ok()?, title.replace('`', ""), (*lines.get(at + 2)?).to_owned()))
    });
    heads.collect()
}

#[test]
fn findings_have_the_cost_the_count_and_the_order_of_the_landing_page() {
    let mut compared = 0;
    for (name, report) in reports() {
        let landing = report.page("index.html");
        let heads = heads(&report.read("report.md"));
        let all = report.list("findings");
        let left_out =
            report.read("report.md").contains("left out here: `report.json` has all under `findings`");
        assert!(heads.len() == all.len() || left_out, "{name}: {} of {}", heads.len(), all.len());
        for (number, title, below) in &heads {
            let about = format!("{name}: {title}: {below}");
            let finding = &all[number - 1];
            assert!(below.starts_with(finding["severity"].as_str().unwrap()), "{about}");
            let entries = landing.all(&format!("details#finding-{number} > summary .cost"));
            let Some(entry) = entries.first() else { continue };
            let shown = plain(&text_of(*entry));
            let parts: Vec<&str> = below.split(" · ").skip(1).collect();
            let expected = match parts.as_slice() {
                [cost, count] => format!("{}{count}", cost.trim_matches('*')),
                [count] => format!("–{count}"),
                other => panic!("{about}: {other:?}"),
            };
            assert_eq!(shown.replace(' ', ""), expected.replace(' ', ""), "{about}");
            compared += 1;
        }
    }
    assert!(compared > 60, "{compared} findings");
}

/// A log whose names and messages are made to become markup, links and mentions.
fn hostile() -> Report {
    let evil = "@torvalds #1 [x](javascript:alert(1)) ![y](https://evil.example/y.png) <script>alert(1)</script> \
                | a \\| b | `code` ``` <!-- **bold** www.evil.example \n# heading\n- list\n```\nx";
    let mut log = Log::of(input("03_graph_breaks"));
    for index in log.all("dynamo_start") {
        log.records[index].edit(|envelope| {
            for frame in envelope["dynamo_start"]["stack"].as_array_mut().unwrap() {
                frame["name"] = evil.into();
                frame["loc"] = evil.into();
            }
        });
    }
    for index in log.all("compilation_metrics") {
        log.records[index].edit(|envelope| {
            let metrics = &mut envelope["compilation_metrics"];
            for key in ["co_name", "co_filename", "fail_type", "fail_reason"] {
                metrics[key] = evil.into();
            }
            metrics["restart_reasons"] = serde_json::json!([evil]);
        });
    }
    for index in log.all("chromium_event") {
        let mut event: Value = serde_json::from_slice(&log.records[index].text()).unwrap();
        event["name"] = format!("{} {evil}", event["name"].as_str().unwrap()).into();
        log.records[index].set_payload(event.to_string().as_bytes());
    }
    Run::of_bytes("@evil|`x`.log", &log.bytes()).ok()
}

#[test]
fn texts_of_a_hostile_log_become_neither_links_nor_mentions_nor_markup() {
    let report = hostile();
    let text = report.read("report.md");
    assert!(text.len() <= MOST, "{} bytes", text.len());
    assert!(text.contains("@torvalds"), "the log's text is quoted");
    let outside = outside_of_code(&text);
    for mark in
        ["@torvalds", "](", "<script", "<!--", "https://", "www.", "javascript:", "# heading", "**bold**"]
    {
        assert!(
            !outside.contains(mark),
            "{mark}: {}",
            outside.lines().find(|line| line.contains(mark)).unwrap()
        );
    }
    // A row of a table has as many cells as its head.
    let mut cells = None;
    for line in text.lines() {
        let count = line.starts_with('|').then(|| bars(line));
        if let (Some(count), Some(of_head)) = (count, cells) {
            assert_eq!(count, of_head, "{line}");
        }
        cells = count;
    }
}

/// Bars that end a cell: those behind an even number of backslashes.
fn bars(line: &str) -> usize {
    let mut backslashes = 0;
    let ends = line.chars().filter(|c| {
        let is_end = *c == '|' && backslashes % 2 == 0;
        backslashes = if *c == '\\' { backslashes + 1 } else { 0 };
        is_end
    });
    ends.count()
}

#[test]
fn a_log_that_exceeds_the_limit_says_how_much_is_left_out() {
    let mut log = Log::of(input("03_graph_breaks"));
    let reasons: Vec<usize> = log.all("artifact");
    let like = reasons.iter().find_map(|index| {
        let record = &log.records[*index];
        let text = String::from_utf8(record.text()).ok()?;
        text.starts_with("Graph break").then(|| (record.clone(), text))
    });
    let (like, text) = like.expect("a graph break");
    let envelope = String::from_utf8(like.envelope().to_vec()).unwrap();
    for n in 0..400 {
        let text = text.replace("Explanation:", &format!("Explanation: number {n}")).replacen(
            ".py:",
            &format!(".py:{n}"),
            9,
        );
        log.records.push(like.like(&envelope, Some(text.as_bytes())));
    }
    let report = Run::of_bytes("many.log", &log.bytes()).ok();
    assert!(report.list("graph_breaks").len() > 300, "{}", report.list("graph_breaks").len());
    let text = report.read("report.md");
    assert!(text.len() <= MOST, "{} bytes", text.len());
    assert!(text.contains("graph breaks left out here: `report.json` has all"), "{text}");
}

#[test]
fn a_job_has_a_report_md_too() {
    for name in ["12_ddp_crash", "13_div_break", "13_div_colls"] {
        let folder = &job(name).folder;
        let text = std::fs::read_to_string(folder.join("report.md")).unwrap();
        assert!(text.len() <= MOST && text.starts_with("# What torch.compile did: a job of "), "{name}");
        let json: Value =
            serde_json::from_slice(&std::fs::read(folder.join("report.json")).unwrap()).unwrap();
        let titles: Vec<String> = heads(&text).into_iter().map(|(_, title, _)| title).collect();
        assert_eq!(titles.len(), json["findings"].as_array().unwrap().len(), "{name}");
        for (title, finding) in titles.iter().zip(json["findings"].as_array().unwrap()) {
            let wanted = finding["title"].as_str().unwrap().replace('`', "");
            assert!(title.ends_with(&wanted), "{name}: {title}, {wanted}");
        }
        outside_of_code(&text);
        for rank in json["ranks"].as_array().unwrap() {
            let of_rank = folder.join(rank["dir"].as_str().unwrap()).join("report.md");
            assert!(of_rank.exists(), "{name}: {}", of_rank.display());
        }
    }
}
