//! The library: parsers of its users, and the effect of their errors.

use crate::support::{Report, input, report};
use serde::Deserialize;
use std::fs;
use std::path::Path;
use tlparse::{
    Cell, Column, Event, Flow, Form, Language, Options, RankContext, Registry, RelPath, StructuredLogParser,
};

/// The report of the library with these parsers.
fn run(registry: Registry, log: &Path) -> (Report, tlparse::Written) {
    run_with(registry, log, false)
}

fn run_with(registry: Registry, log: &Path, plain_text: bool) -> (Report, tlparse::Written) {
    let folder = tempfile::tempdir().unwrap();
    let mut options = Options::new(log, folder.path().join("report"));
    options.settings.plain_text = plain_text;
    let outcome = tlparse::run(&options, &registry, &()).unwrap();
    (Report::new(outcome.folder.clone(), Some(folder)), outcome)
}

/// Handles the graphs that a built-in parser would handle, and makes a file and a table of each.
struct OwnGraphs {
    seen: usize,
}

#[derive(Deserialize)]
struct Sizes {
    sizes: serde_json::Map<String, serde_json::Value>,
}

impl StructuredLogParser for OwnGraphs {
    fn name(&self) -> &'static str {
        "own_graphs"
    }

    fn about(&self) -> &'static str {
        "Lists the inputs of each graph."
    }

    fn keys(&self) -> &'static [&'static str] {
        // Less specific than the key of the built-in parser, and still asked first.
        &["dynamo_output_*"]
    }

    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        self.seen += 1;
        let sizes: Sizes = event.metadata()?;
        cx.artifact_of_payload(event, "own_graph", Form::Text);
        cx.artifact("own_note", format!("graph {} <b>", self.seen), Form::Text);
        cx.artifact("own_code", format!("seen = {}\n", self.seen), Form::Code(Language::Python));
        let columns = [Column::text("Name"), Column::text("Size")];
        let mut section = cx.section("own-sizes", "Sizes of my graphs", "One row an input.", &columns);
        for (name, size) in sizes.sizes {
            section.row(vec![Cell::Text(name), Cell::Text(size.to_string())]);
        }
        Ok(Flow::Handled)
    }
}

#[test]
fn a_parser_of_the_user_is_asked_first_and_its_files_are_in_the_report() {
    let registry = Registry::default().with(|| Box::new(OwnGraphs { seen: 0 }));
    assert_eq!(registry.describe()[0].0, "own_graphs");
    let (own, outcome) = run(registry, &input("01_inference").path);
    assert!(outcome.summary.intact);
    let files = own.manifest();
    let with = |part: &str| files.iter().filter(|path| path.contains(part)).collect::<Vec<_>>();
    assert!(with("/dynamo_output_graph_").is_empty(), "the built-in parser was not asked");
    assert_eq!(with("/own_graph_").len(), 1);
    assert_eq!(own.read(with("/own_note_")[0]), "graph 1 <b>");
    let listed: Vec<&str> = own.compile("0/0")["artifacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| a["name"].as_str().unwrap())
        .collect();
    assert!(listed.contains(&"own_graph") && listed.contains(&"own_note"), "{listed:?}");
    assert_eq!(own.json["integrity"], report("01_inference").json["integrity"]);
}

#[test]
fn code_of_a_users_parser_is_a_page_and_a_text_where_plain_text_is_asked_for() {
    let file = |plain_text: bool| {
        let registry = Registry::default().with(|| Box::new(OwnGraphs { seen: 0 }));
        let (own, _) = run_with(registry, &input("01_inference").path, plain_text);
        let path = own.manifest().into_iter().find(|path| path.contains("/own_code_")).unwrap();
        let text = own.read(&path);
        (path, text)
    };
    let (page, html) = file(false);
    assert!(page.ends_with(".html") && html.contains("<html"), "{page}");
    let (path, text) = file(true);
    assert!(path.ends_with(".txt"), "{path}");
    assert_eq!(text, "seen = 1\n");
}

/// Fails on every graph.
struct Failing;

impl StructuredLogParser for Failing {
    fn name(&self) -> &'static str {
        "failing"
    }

    fn about(&self) -> &'static str {
        "Never understands a graph."
    }

    fn keys(&self) -> &'static [&'static str] {
        &["dynamo_output_graph", "artifact:before_*"]
    }

    fn parse(&mut self, _: &Event<'_>, _: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        anyhow::bail!("this graph is beyond me")
    }
}

#[test]
fn an_error_of_a_parser_is_listed_and_the_next_parser_is_asked() {
    let (failed, outcome) = run(Registry::default().with(|| Box::new(Failing)), &input("01_inference").path);
    assert!(!outcome.summary.intact);
    let plain = report("01_inference");
    let events = |event: &str| plain.integrity()["events"][event].as_u64().unwrap_or(0);
    let artifacts = plain.integrity()["artifacts"].as_object().unwrap();
    let before: u64 =
        artifacts.iter().filter(|(n, _)| n.starts_with("before_")).map(|(_, c)| c.as_u64().unwrap()).sum();
    assert_eq!(failed.count("parser_errors"), events("dynamo_output_graph") + before);
    let problem = &failed.integrity()["problems"][0];
    assert_eq!(problem["kind"], "parser_errors");
    assert!(problem["detail"].as_str().unwrap().contains("failing: this graph is beyond me"), "{problem}");
    for key in ["compiles", "graph_breaks", "caches", "compile_time"] {
        assert_eq!(failed.json[key], plain.json[key], "{key}");
    }
    let mut files = failed.manifest();
    files.retain(|file| plain.has(file));
    assert_eq!(files, plain.manifest());
}

/// Places files at paths that it chooses, some of which are refused.
struct Placing;

impl StructuredLogParser for Placing {
    fn name(&self) -> &'static str {
        "placing"
    }

    fn about(&self) -> &'static str {
        "Places a file for each graph."
    }

    fn keys(&self) -> &'static [&'static str] {
        &["dynamo_output_graph", "artifact:before_*"]
    }

    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        let path = |parts: &[&str]| RelPath::of_parts(parts);
        if event.key == "artifact" {
            cx.global_file(&path(&["index.html"]), "mine".to_owned())?;
        }
        cx.global_file(&path(&["my_page.html"]), "<h1>mine</h1>".to_owned())?;
        cx.global_file_of_payload(event, &path(&["graphs", "first.py"]))?;
        let notes = path(&[&cx.folder(), "notes.html"]);
        cx.global_file(&notes, "notes".to_owned())?;
        let columns = [Column::text("Name")];
        let mut page = cx.page(&path(&["tables.html"]), "My tables")?;
        page.section("names", "Names of graphs", "one <b>", &columns).row(vec![Cell::Text("<i>".to_owned())]);
        Ok(Flow::Handled)
    }
}

#[test]
fn a_parser_of_the_user_chooses_full_paths_and_never_takes_one_of_the_reports() {
    let log = &input("01_inference").path;
    let placing = || Registry::default().with(|| Box::new(Placing));
    let (own, _) = run(placing(), log);
    assert_eq!(own.read("my_page.html"), "<h1>mine</h1>");
    assert_eq!(own.read("-_0_0_0/notes.html"), "notes");
    assert!(own.read("graphs/first.py").contains("def forward"));
    let page = own.read("tables.html");
    assert!(
        page.contains("Names of graphs") && page.contains("&lt;i&gt;") && !page.contains("<i>"),
        "{page}"
    );
    assert!(own.read("index.html").contains("my_page.html"), "the directory lists it");
    let listed = own.compile("0/0")["artifacts"].as_array().unwrap();
    assert!(listed.iter().any(|a| a["path"] == "my_page.html" && a["name"] == "my_page"), "{listed:?}");
    // A path that is refused is listed with the record.
    let problems = own.integrity()["problems"].to_string();
    assert!(problems.contains("placing: no file can be placed at index.html"), "{problems}");
    // The report is one of ours all the same.
    let mut options = Options::new(log, &own.folder);
    options.overwrite = true;
    tlparse::run(&options, &placing(), &()).unwrap();
    fs::write(own.folder.join("thesis.html"), "").unwrap();
    let refused = tlparse::run(&options, &placing(), &()).unwrap_err();
    assert!(refused.to_string().contains("thesis.html"), "{refused}");
}

#[test]
fn a_report_in_memory_has_the_files_of_one_on_disk() {
    for name in ["01_inference", "17_fork"] {
        let log = &input(name).path;
        let memory = tlparse::run_in_memory(&Options::new(log, ""), &Registry::default(), &()).unwrap();
        let (disk, written) = run(Registry::default(), log);
        assert_eq!(memory.files.keys().cloned().collect::<Vec<_>>(), disk.manifest());
        for (path, bytes) in &memory.files {
            assert!(*bytes == disk.bytes(path), "{name}: {path}");
        }
        assert_eq!(memory.summary.lines, written.summary.lines);
    }
}

/// Counts all events and passes them on; says at the end how many there were.
struct Counting {
    seen: usize,
}

impl StructuredLogParser for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn about(&self) -> &'static str {
        "Counts the events of a log."
    }

    fn keys(&self) -> &'static [&'static str] {
        &["*"]
    }

    fn parse(&mut self, event: &Event<'_>, _: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        assert!(event.line > 0 && !event.key.is_empty());
        self.seen += 1;
        Ok(Flow::Ignored)
    }

    fn finish(self: Box<Self>, cx: &mut RankContext<'_>) -> anyhow::Result<()> {
        cx.compile(None, 0).artifact("count", self.seen.to_string(), Form::Text);
        Ok(())
    }
}

#[test]
fn a_parser_may_look_at_every_event_and_speak_at_the_end() {
    let (counted, outcome) =
        run(Registry::default().with(|| Box::new(Counting { seen: 0 })), &input("01_inference").path);
    assert!(outcome.summary.intact);
    let path = counted.manifest().into_iter().find(|path| path.contains("/count_")).expect("it wrote a file");
    let seen: u64 = counted.read(&path).parse().unwrap();
    let records = counted.json["log"]["records"].as_u64().unwrap();
    let strings = counted.json["integrity"]["events"]["str"].as_u64().unwrap();
    assert_eq!(seen, records - strings, "strings are resolved before a parser is asked");
}
