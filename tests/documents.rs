//! README.md, the documents around it and docs/: what they quote is current, and their commands work.
//!
//! `INSTA_UPDATE=always cargo test --test report documents` rewrites the generated parts of docs/.

use crate::support::{Run, files_below, input, input_of, source, source_text};
use regex::Regex;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;
use tlparse::Registry;

/// README.md and everything that it leads to, as paths below the project.
fn documents() -> Vec<String> {
    let top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];
    let below = |folder: &str| {
        files_below(&source(folder))
            .into_iter()
            .map(move |file| format!("{folder}/{file}"))
            .collect::<Vec<_>>()
    };
    let files = [below("docs"), below("examples/ci")].concat();
    top.map(str::to_owned).into_iter().chain(files.into_iter().filter(|file| file.ends_with(".md"))).collect()
}

/// The generated part `name` of a document equals `content`, or is replaced by it if the environment says so.
fn generated(document: &str, name: &str, content: &str) {
    let (begin, end) = (format!("<!-- begin {name} -->\n"), format!("<!-- end {name} -->\n"));
    let text = source_text(document);
    let (before, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("{document} has no part {name}"));
    let (now, after) = rest.split_once(&end).unwrap_or_else(|| panic!("{document}: {name} does not end"));
    if now != content && std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        fs::write(source(document), format!("{before}{begin}{content}{end}{after}")).unwrap();
        return;
    }
    assert_eq!(now, content, "{document}: run INSTA_UPDATE=always cargo test --test report documents");
}

/// The files that a part of `site.rs` lists, as rows of a table: pages first, then data, then files of compiles.
fn table_of_files(part: &str) -> String {
    let file = Regex::new(r#"path:\s*"((?:\\.|[^"\\])*)",\s*about:\s*"((?:\\.|[^"\\])*)""#).unwrap();
    let unescaped = |text: &str| text.replace("\\\"", "\"");
    let mut files: Vec<(String, String)> =
        file.captures_iter(part).map(|found| (unescaped(&found[1]), unescaped(&found[2]))).collect();
    assert!(files.len() > 5, "{files:#?}");
    files.sort_by_key(|(path, _)| {
        let rank = match path {
            path if path == "index.html" => 0,
            path if path.contains('/') => 3,
            path if path.ends_with(".html") => 1,
            _ => 2,
        };
        (rank, path.clone())
    });
    let mut table = "| file | content |\n|---|---|\n".to_owned();
    for (path, about) in files {
        writeln!(table, "| `{path}` | {about} |").unwrap();
    }
    table
}

#[test]
fn the_list_of_files_is_the_one_that_reports_are_written_by() {
    let site = source_text("src/report/site.rs");
    let (log, job) = site.split_once("static JOB_FILES").unwrap();
    generated("docs/files.md", "files of a log", &table_of_files(log));
    generated("docs/files.md", "files of a job", &table_of_files(job));
}

#[test]
fn the_list_of_events_is_the_registrys() {
    let mut table = "| parser | events | what it makes of them |\n|---|---|---|\n".to_owned();
    for (name, keys, about) in Registry::default().describe() {
        let keys: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
        writeln!(table, "| {name} | {} | {about} |", keys.join(", ")).unwrap();
    }
    generated("docs/events.md", "events", &table);
}

#[test]
fn the_list_of_options_is_the_programs_help() {
    let help = |args: &[&str]| {
        let done = Run::bare().go_with(&[args, &["--help"]].concat());
        assert_eq!(done.code, Some(0), "{args:?}: {}", done.stderr);
        done.stdout
    };
    let main = help(&[]);
    let commands = main.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = commands.lines().filter_map(|line| line.split_whitespace().next());
    let mut text = String::new();
    for name in std::iter::once("").chain(names.filter(|name| *name != "help")) {
        let args: Vec<&str> = name.split_whitespace().collect();
        let lines: Vec<String> = help(&args).lines().map(|line| line.trim_end().to_owned()).collect();
        write!(text, "\n## {}\n\n```text\n{}\n```\n", format!("tlparse {name}").trim(), lines.join("\n"))
            .unwrap();
    }
    generated("docs/flags.md", "commands", &format!("{text}\n"));
}

#[test]
fn the_quoted_parser_is_the_example() {
    let example = source_text("examples/custom_parser.rs");
    let (_, rest) = example.split_once("// [readme:begin]\n").expect("the example marks what is quoted");
    let (quoted, _) = rest.split_once("// [readme:end]").expect("the example marks where the quotation ends");
    let quoted = format!("```rust\n{}\n```", quoted.trim());
    assert!(source_text("docs/library.md").contains(&quoted), "docs/library.md quotes another example");
}

#[test]
fn links_between_documents_lead_to_files() {
    let link = Regex::new(r"\]\(([^)#:]+)(?:#[^)]*)?\)").unwrap();
    for document in documents() {
        let folder = source(&document).parent().unwrap().to_owned();
        for found in link.captures_iter(&source_text(&document)) {
            assert!(folder.join(&found[1]).exists(), "{document} leads to {}", &found[1]);
        }
    }
}

#[test]
fn documents_keep_to_their_size() {
    for (document, lines) in [("README.md", 250), ("ARCHITECTURE.md", 200)] {
        let found = source_text(document).lines().count();
        assert!(found <= lines, "{document} has {found} lines");
    }
    for line in source_text("ARCHITECTURE.md").lines() {
        assert!(line.chars().count() <= 120, "over 120 columns: {line}");
    }
}

#[test]
fn no_document_installs_the_package_of_that_name_from_a_registry() {
    // crates.io and PyPI have upstream's tool under this name.
    let install = Regex::new(r"(?:cargo|pip|pipx|uv tool) install(?: --?[a-z]\S*| /\S+)* tlparse\b").unwrap();
    let examples = files_below(&source("examples")).into_iter().map(|file| format!("examples/{file}"));
    for file in documents().into_iter().chain(examples) {
        let found = install.find(&source_text(&file)).map(|found| found.as_str().to_owned());
        assert_eq!(found, None, "{file}");
    }
}

/// Whether the lines of a program are those that a document quotes: `...` stands for the end of a line, or for lines.
fn is_quoted(printed: &str, quoted: &str) -> Result<(), String> {
    let mut lines = printed.lines();
    let mut may_skip = false;
    for quote in quoted.lines() {
        if quote == "..." {
            may_skip = true;
            continue;
        }
        let start = quote.strip_suffix("...");
        let fits = |line: &str| start.map_or(line == quote, |start| line.starts_with(start));
        let found =
            if may_skip { lines.find(|line| fits(line)).is_some() } else { lines.next().is_some_and(fits) };
        if !found {
            return Err(format!("{quote}\n\nis not printed there:\n\n{printed}"));
        }
        may_skip = false;
    }
    Ok(())
}

#[test]
fn the_terminal_prints_what_the_readme_promises_for_its_own_log() {
    let readme = source_text("README.md");
    let start = readme.split("\n## Start\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let log = Regex::new(r"cargo run --release -- (\S+)").unwrap();
    let log = source(&log.captures(start).unwrap()[1]);
    let quoted = start.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let (quoted, report) = quoted.split_once("Report: ").unwrap();
    assert!(report.trim().ends_with("/tl_out/index.html"), "{report}");
    let done = Run::of(&log).go();
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let printed = format!("{}{}", done.stdout, done.stderr);
    is_quoted(&printed, quoted).unwrap();
    assert!(printed.lines().any(|line| line.starts_with("Report: ")), "{printed}");
}

#[test]
fn the_page_for_users_of_explain_quotes_what_is_printed() {
    let page = source_text("docs/explain.md");
    let console =
        Regex::new(r"(?s)```console\n\$ tlparse show ([^\n]+?) (tests/inputs/\S+)\n(.*?)```").unwrap();
    let quotes: Vec<_> = console.captures_iter(&page).collect();
    assert_eq!(quotes.len(), page.matches("```console").count());
    for quote in quotes {
        let (what, log) = (quote[1].split(' '), source(&quote[2]));
        let args: Vec<&str> = ["show"].into_iter().chain(what).chain([log.to_str().unwrap()]).collect();
        let done = Run::bare().go_with(&args);
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        is_quoted(&done.stdout, &quote[3]).unwrap();
    }
}

/// The commands of a document, block by block.
fn shell_blocks(document: &str) -> Vec<String> {
    let text = source_text(document);
    text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

fn stand_in(bin: &Path, program: &str, script: &str) {
    let path = bin.join(program);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn the_commands_of_the_readme_work_when_they_are_copied_in_their_order() {
    if Command::new("bash").arg("--version").output().is_err() {
        eprintln!("skipped: there is no bash");
        return;
    }
    let folder = TempDir::new().unwrap();
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    for project in ["tests", "examples"] {
        std::os::unix::fs::symlink(source(project), folder.path().join(project)).unwrap();
    }
    // The built program takes the place of the release build, and stored logs that of programs that use torch.
    stand_in(
        &bin,
        "cargo",
        "case \"$*\" in 'run --release -- '*) shift 3; exec tlparse \"$@\";; test | 'install --locked --path .' | \
         'run --example custom_parser -- '*) ;; *) exit 9;; esac",
    );
    let record = |logs: &[&Path]| {
        let copies = logs.iter().map(|log| format!("cp '{}' \"$TORCH_TRACE\"", log.display()));
        format!("set -e\nmkdir -p \"$TORCH_TRACE\"\n{}", copies.collect::<Vec<_>>().join("\n"))
    };
    stand_in(&bin, "python", &record(&[&input("01_inference").path]));
    stand_in(&bin, "torchrun", &record(&[&input_of("12_ddp_2", 0).path, &input_of("12_ddp_2", 1).path]));
    let blocks = shell_blocks("README.md");
    assert!(blocks.len() > 5, "{blocks:?}");
    let program = Path::new(assert_cmd::cargo::cargo_bin!("tlparse")).parent().unwrap();
    let path = format!("{}:{}:/usr/bin:/bin", bin.display(), program.display());
    for block in blocks {
        let mut bash = Command::new("bash");
        bash.args(["-euo", "pipefail", "-c", &block]).current_dir(folder.path());
        let done = bash.env_clear().env("PATH", &path).env("HOME", folder.path()).output().unwrap();
        assert!(done.status.success(), "{block}\n{}", String::from_utf8_lossy(&done.stderr));
    }
    for file in [
        "tl_out/index.html",
        "measured/performance.html",
        "job/rank_1/index.html",
        "redacted.zip",
        "tl_diff/diff.html",
    ] {
        assert!(folder.path().join(file).exists(), "{file}");
    }
}
