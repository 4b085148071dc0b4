//! What assistants use: `tlparse mcp`, asked directly and by the official client, and the skill, whose commands run.

use crate::support::{Run, input, report, source, source_text};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tempfile::TempDir;

/// A server, and a client that speaks JSON-RPC with it.
pub struct Session {
    server: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    temporary: TempDir,
    asked: u64,
}

impl Session {
    /// A server that was just started.
    pub fn start() -> Session {
        let temporary = TempDir::new().unwrap();
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("tlparse"));
        command.arg("mcp").env("TMPDIR", temporary.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let (to, from) = (server.stdin.take(), BufReader::new(server.stdout.take().unwrap()));
        let mut session = Session { server, to, from, temporary, asked: 0 };
        let client = json!({"name": "test", "version": "1"});
        let begun = session.call(
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}),
        );
        assert_eq!(begun["result"]["serverInfo"]["name"], "tlparse");
        session.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        session
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.to.as_mut().unwrap(), "{message}").unwrap();
    }

    /// A request and its response.
    fn call(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        let response: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(response["id"], id, "{response}");
        response
    }

    /// The answer of a tool: its text, or its error.
    pub fn ask(&mut self, tool: &str, arguments: Value) -> Result<String, String> {
        let response = self.call("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = &response["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{response}")).to_owned();
        assert!(text.len() < 50_000, "{tool} answers with {} characters", text.len());
        if result["isError"] == true { Err(text) } else { Ok(text) }
    }

    /// Ends the input, as an assistant does that is closed; the folder of temporary files is then empty.
    pub fn end(mut self) {
        self.to = None;
        assert!(self.server.wait().unwrap().success());
        let left = std::fs::read_dir(self.temporary.path()).unwrap().count();
        assert_eq!(left, 0, "temporary files are left");
    }
}

#[test]
fn an_assistant_opens_a_log_and_gets_from_the_finding_to_the_line_of_generated_code() {
    let mut session = Session::start();
    let tools = session.call("tools/list", json!({}));
    let tools = tools["result"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 8);
    for tool in tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
        for (name, field) in tool["inputSchema"]["properties"].as_object().unwrap() {
            assert!(
                field["description"].is_string() || field["$ref"].is_string() || field["allOf"].is_array(),
                "{name}"
            );
        }
    }
    let log = input("03_graph_breaks").path.display().to_string();
    let first = session.ask("findings", json!({})).unwrap_err();
    assert!(first.contains("call open with a path"), "{first}");
    let opened = session.ask("open", json!({"path": log})).unwrap();
    assert!(opened.contains("2 failures, 7 distinct graph breaks"), "{opened}");
    let findings = session.ask("findings", json!({"lines": 1})).unwrap();
    let finding: Value = serde_json::from_str(findings.lines().next().unwrap()).unwrap_or_default();
    let told = report("03_graph_breaks");
    let title = told.json["findings"][0]["title"].as_str().unwrap();
    assert!(finding["title"] == title || findings.contains("more characters]"), "{findings}");
    let compile = session.ask("compile", json!({"id": "1/0"})).unwrap();
    let file = compile.lines().find(|line| line.contains("inductor_output_code")).unwrap();
    let code = session
        .ask("artifact", json!({"compile": "1/0", "name": file, "first_line": 2, "lines": 3}))
        .unwrap();
    assert_eq!(code.lines().count(), 4, "{code}");
    assert!(code.contains("[lines 2 to 4 of ") && code.contains("go on with first_line 5]"), "{code}");
    let by_name = session.ask(
        "artifact",
        json!({"compile": "1/0", "name": "inductor_output_code", "first_line": 2, "lines": 3}),
    );
    assert_eq!(by_name.unwrap(), code);
    let found = session.ask("search", json!({"text": "torch.ops.aten.ADD"})).unwrap();
    assert!(found.contains("aot_inference_graph"), "{found}");
    session.end();
}

#[test]
fn a_finished_report_answers_as_its_log_does_and_is_not_changed() {
    let finished = report("03_graph_breaks");
    let folder = finished.folder.display().to_string();
    let log = input("03_graph_breaks").path.display().to_string();
    let before = crate::support::files_below(&finished.folder);
    let mut session = Session::start();
    for (tool, mut arguments) in [
        ("findings", json!({})),
        ("list", json!({"what": "recompiles"})),
        ("artifact", json!({"compile": "1/0", "name": "inductor_output_code", "lines": 2000})),
        ("artifact", json!({"compile": "1/0", "name": "dynamo_output_graph"})),
        ("check", json!({"budget": "graph_breaks = 0"})),
    ] {
        let [of_log, of_report] = [&log, &folder].map(|path| {
            arguments["report"] = json!(path);
            session.ask(tool, arguments.clone()).unwrap()
        });
        assert_eq!(of_log, of_report, "{tool}");
    }
    let same = session.ask("diff", json!({"a": log, "b": folder})).unwrap();
    assert!(same.contains("do not differ") && !same.contains("/.tlparse-"), "{same}");
    session.end();
    assert_eq!(crate::support::files_below(&finished.folder), before);
}

#[test]
fn what_cannot_be_answered_is_said_in_a_sentence_and_nothing_leads_out_of_a_report() {
    let mut session = Session::start();
    let log = input("03_graph_breaks").path.display().to_string();
    for (tool, arguments, why) in [
        ("open", json!({"path": "/nowhere"}), "cannot open /nowhere: no such file or folder"),
        ("open", json!({"path": "-"}), "standard input is where the questions come from"),
        ("compile", json!({"id": "99/9", "report": log}), "has no compile 99/9"),
        ("artifact", json!({"compile": "1/0", "name": "nothing"}), "has no file nothing; it has "),
        ("artifact", json!({"compile": "1/0", "name": "x", "part": "../.."}), "has no part"),
        ("artifact", json!({"compile": "1/0", "name": "x", "part": "/etc"}), "has no part"),
        ("check", json!({"budget": "graph_brakes = 0"}), "graph_brakes"),
        ("search", json!({"text": " "}), "give a text"),
        ("list", json!({"what": "everything"}), "unknown list everything; choose one of findings, compiles"),
    ] {
        let said = session.ask(tool, arguments).unwrap_err();
        assert!(said.contains(why), "{tool}: {said}");
        assert!(!said.contains(".tlparse-"), "a temporary folder is named: {said}");
    }
    session.end();
}

#[test]
fn ranks_of_a_job_are_parts_of_its_report_and_notes_are_told() {
    let mut session = Session::start();
    let folder = source("tests/inputs/12_ddp_2").display().to_string();
    let opened = session.ask("open", json!({"path": folder})).unwrap();
    assert!(opened.contains("rank"), "{opened}");
    let all = session.ask("list", json!({"what": "compiles"})).unwrap();
    assert!(all.contains("== rank 0") && all.contains("== rank 1"), "{all}");
    let one = session.ask("list", json!({"what": "compiles", "part": "rank_1"})).unwrap();
    assert!(!one.contains("== rank"), "{one}");
    session.end();
}

#[test]
fn a_program_that_is_no_client_is_told_what_this_is() {
    let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("tlparse"));
    let done = command.arg("mcp").write_stdin("hello\n").output().unwrap();
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(1));
    assert!(told.contains("Model Context Protocol"), "{told}");
}

/// A Python with the official client: that of `MCP_PYTHON` or of the system, or one that is installed for the tests.
fn python_with_client() -> Option<PathBuf> {
    let can = |python: &Path| {
        let done = Command::new(python).args(["-c", "import mcp"]).stderr(Stdio::null()).status();
        done.is_ok_and(|status| status.success())
    };
    let named = std::env::var_os("MCP_PYTHON").map(PathBuf::from);
    if let Some(python) = named.into_iter().chain([PathBuf::from("python3")]).find(|python| can(python)) {
        return Some(python);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mcp-client");
    let python = folder.join("bin/python");
    if can(&python) {
        return Some(python);
    }
    let quiet = |command: &mut Command| {
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    let made = quiet(Command::new("python3").args(["-m", "venv"]).arg(&folder))
        && quiet(Command::new(&python).args(["-m", "pip", "install", "--quiet", "--timeout", "10", "mcp"]));
    (made && can(&python)).then_some(python)
}

#[test]
fn the_official_client_of_python_gets_the_same_answers() {
    let Some(python) = python_with_client() else {
        eprintln!("skipped: there is no Python with the package mcp, and it could not be installed");
        return;
    };
    let mut command = Command::new(python);
    command.arg(source("tests/assistants/client.py")).arg(assert_cmd::cargo::cargo_bin!("tlparse"));
    command.arg(&input("03_graph_breaks").path).arg(&input("04_recompiles").path);
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let tools = String::from_utf8_lossy(&done.stdout).into_owned();
    assert_eq!(tools.trim(), "tools artifact check compile diff findings list open search");
}

/// The commands in the blocks of shell of a document.
fn commands(document: &str) -> Vec<String> {
    let blocks = document.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    blocks.map(str::to_owned).collect()
}

/// Runs a script where `python` stands for a program that compiles: it records a stored log.
fn shell(folder: &Path, script: &str) -> std::process::Output {
    let bin = folder.join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    let python = bin.join("python");
    std::fs::write(&python, "#!/bin/sh\nmkdir -p \"$TORCH_TRACE\" && cp \"$LOG\" \"$TORCH_TRACE/\"\n")
        .unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let program = Path::new(assert_cmd::cargo::cargo_bin!("tlparse")).parent().unwrap();
    let path = format!("{}:{}:/usr/bin:/bin", bin.display(), program.display());
    let mut command = Command::new("sh");
    command.args(["-c", script]).current_dir(folder).env_clear().env("PATH", path);
    command.env("LOG", &input("03_graph_breaks").path).output().unwrap()
}

#[test]
#[cfg(unix)]
fn every_command_of_the_skill_runs_on_a_log() {
    let skill = source_text("skills/tlparse/SKILL.md");
    let (head, _) = skill.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    assert!(head.contains("name: tlparse\n") && head.contains("description: "), "{head}");
    let folder = TempDir::new().unwrap();
    let mut ran = 0;
    for line in commands(&skill).iter().flat_map(|block| block.lines()).filter(|line| !line.trim().is_empty())
    {
        let done = shell(folder.path(), line);
        // A budget that is exceeded is what the log has.
        let expected: &[i32] = if line.starts_with("tlparse check") { &[0, 3] } else { &[0] };
        let code = done.status.code().unwrap();
        assert!(expected.contains(&code), "{line}: {code}\n{}", String::from_utf8_lossy(&done.stderr));
        ran += 1;
    }
    assert!(ran >= 10, "only {ran} commands");
}

#[test]
fn what_the_skill_and_the_page_on_assistants_name_exists() {
    let skill = source_text("skills/tlparse/SKILL.md");
    let help = Run::bare().go_with(&["--help"]).stdout;
    for command in regex::Regex::new(r"tlparse ([a-z]+) ").unwrap().captures_iter(&skill) {
        let name = &command[1];
        let known = help.contains(&format!("\n  {name} ")) || ["trace", "before", "after"].contains(&name);
        assert!(known, "there is no tlparse {name}");
    }
    let page = source_text("docs/assistants.md");
    for tool in ["open", "findings", "list", "compile", "artifact", "search", "diff", "check"] {
        assert!(page.contains(&format!("`{tool}`")), "{tool}");
    }
    assert!(source_text("README.md").contains("docs/assistants.md"));
}
