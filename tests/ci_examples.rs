//! examples/ci: the files parse, and their steps run on a stored log, with stubs for programs of others.

use crate::support::{Check, input, report, source, source_text};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;
use yaml_rust2::{Yaml, YamlLoader};

fn example(name: &str) -> String {
    source_text(&format!("examples/ci/{name}"))
}

fn yaml(name: &str) -> Yaml {
    let mut documents = YamlLoader::load_from_str(&example(name)).unwrap();
    assert_eq!(documents.len(), 1, "{name}");
    documents.remove(0)
}

/// The texts of a list, or of one text.
fn texts(yaml: &Yaml) -> Vec<String> {
    let one = |yaml: &Yaml| yaml.as_str().unwrap_or_else(|| panic!("{yaml:?} is no text")).to_owned();
    yaml.as_vec().map_or_else(|| vec![one(yaml)], |list| list.iter().map(one).collect())
}

/// A work folder as CI checks it out, with the project's budget and stubs for the programs that the steps call.
struct Ci {
    folder: TempDir,
    log: PathBuf,
}

impl Ci {
    /// In which the tests record that log.
    fn recording(log: &Path) -> Ci {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("torch-compile.toml"), example("torch-compile.toml")).unwrap();
        let bin = folder.path().join("bin");
        fs::create_dir(&bin).unwrap();
        let ci = Ci { folder, log: log.to_owned() };
        for program in ["pip", "cargo", "apt-get", "gh", "curl"] {
            ci.stand_in(program, "printf '%s\\n' \"$0 $*\" >> \"$CALLS\"\n");
        }
        ci.stand_in("python", "mkdir -p \"$TORCH_TRACE\" && cp \"$LOG\" \"$TORCH_TRACE/\"\n");
        ci
    }

    fn stand_in(&self, program: &str, script: &str) {
        let path = self.folder.path().join("bin").join(program);
        fs::write(&path, format!("#!/bin/sh\n{script}")).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    /// Runs a script as the runner does: it ends with the first command that fails.
    fn step(&self, script: &str) -> Output {
        let here = self.folder.path();
        let program = Path::new(assert_cmd::cargo::cargo_bin!("tlparse")).parent().unwrap();
        let path = format!("{}:{}:/usr/bin:/bin", here.join("bin").display(), program.display());
        let mut command = Command::new("bash");
        command.args(["-eo", "pipefail", "-c", script]).current_dir(here).env_clear().env("PATH", path);
        command.env("CALLS", here.join("calls")).env("LOG", &self.log).env("TRACE", here.join("trace"));
        command.env("CI_PROJECT_DIR", here).env("CI_API_V4_URL", "https://gitlab.example/api/v4");
        command.env("CI_PROJECT_ID", "1").env("CI_MERGE_REQUEST_IID", "2").env("COMMENT_TOKEN", "secret");
        command.env("GITHUB_STEP_SUMMARY", here.join("step_summary.md")).output().unwrap()
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.folder.path().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }
}

fn has_bash() -> bool {
    let there = Command::new("bash").arg("--version").output().is_ok();
    if !there {
        eprintln!("skipped: there is no bash");
    }
    there
}

/// Runs steps until one fails; the code of the last that ran.
fn run_all(ci: &Ci, steps: &[String]) -> (usize, i32) {
    for (index, step) in steps.iter().enumerate() {
        let done = ci.step(step);
        let code = done.status.code().unwrap();
        assert!(code == 0 || code == 3, "{step}\n{}", String::from_utf8_lossy(&done.stderr));
        if code != 0 {
            return (index, code);
        }
    }
    (steps.len(), 0)
}

#[test]
fn the_github_workflow_reports_uploads_comments_and_then_fails_if_a_budget_is_exceeded() {
    let workflow = yaml("github.yml");
    let steps = workflow["jobs"]["torch-compile"]["steps"].as_vec().unwrap();
    for step in steps {
        assert!(step["uses"].is_badvalue() != step["run"].is_badvalue(), "a step uses or runs: {step:?}");
    }
    let uploads: Vec<&str> = steps.iter().filter_map(|step| step["with"]["path"].as_str()).collect();
    assert_eq!(uploads, ["report"]);
    if !has_bash() {
        return;
    }
    let expressions = regex::Regex::new(r"\$\{\{[^}]*\}\}").unwrap();
    let scripts = steps.iter().filter_map(|step| step["run"].as_str());
    let scripts: Vec<String> = scripts.map(|run| expressions.replace_all(run, "7").into_owned()).collect();

    // A graph break and no failure: only the budget of the project fails it.
    let ci = Ci::recording(&input("23_dump_file").path);
    assert_eq!(run_all(&ci, &scripts), (scripts.len() - 1, 3), "the last step fails, and only that");
    assert!(ci.read("step_summary.md").contains("**exceeded**"));
    assert!(ci.read("calls").contains("gh pr comment 7 --body-file summary.md"), "{}", ci.read("calls"));
    let sarif: serde_json::Value = serde_json::from_str(&ci.read("torch-compile.sarif")).unwrap();
    assert!(!sarif["runs"][0]["results"].as_array().unwrap().is_empty());
    assert!(ci.read("report/index.html").contains("<!doctype html>"));

    let clean = Ci::recording(&input("01_inference").path);
    assert_eq!(run_all(&clean, &scripts), (scripts.len(), 0));
    assert!(
        clean
            .read("step_summary.md")
            .contains("All 3 budgets hold; 2 budgets are for functions that were not compiled")
    );
}

#[test]
fn the_gitlab_job_reports_its_tests_comments_and_then_fails_on_an_excess() {
    let file = yaml("gitlab.yml");
    let job = &file["torch-compile"];
    let kept = texts(&job["artifacts"]["paths"]);
    assert_eq!(kept, ["report/"]);
    assert_eq!(job["artifacts"]["reports"]["junit"].as_str(), Some("junit.xml"));
    if !has_bash() {
        return;
    }
    let mut scripts = texts(&job["before_script"]);
    scripts.extend(texts(&job["script"]));
    let ci = Ci::recording(&input("03_graph_breaks").path);
    assert_eq!(run_all(&ci, &scripts), (scripts.len() - 1, 3), "the last line fails, and only that");
    let junit = ci.read("junit.xml");
    assert!(
        roxmltree::Document::parse(&junit).unwrap().descendants().any(|node| node.has_tag_name("failure"))
    );
    let calls = ci.read("calls");
    assert!(
        calls.contains("/projects/1/merge_requests/2/notes") && calls.contains("body@summary.md"),
        "{calls}"
    );
    let clean = Ci::recording(&input("01_inference").path);
    assert_eq!(run_all(&clean, &scripts), (scripts.len(), 0));
}

#[test]
fn the_example_budget_is_valid_and_the_commands_of_its_readme_run() {
    Check::of([&report("01_inference").folder]).budget(&example("torch-compile.toml")).go().ends_with(0);
    if !has_bash() {
        return;
    }
    let readme = example("README.md");
    let commands = readme.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let ci = Ci::recording(&input("03_graph_breaks").path);
    ci.stand_in("git", "true\n");
    let done = ci.step(&format!("tlparse \"$LOG\" -o report\n{commands}"));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(ci.read("torch-compile.known.toml").contains("kind = \"graph_break\""));
    for file in crate::support::files_below(&source("examples/ci")) {
        assert!(file == "README.md" || readme.contains(&format!("`{file}`")), "{file}");
    }
}

#[test]
fn the_pytest_example_names_the_break_of_one_function() {
    let python =
        ["python3", "python"].into_iter().find(|name| Command::new(name).arg("--version").output().is_ok());
    let Some(python) = python else {
        eprintln!("skipped: there is no python");
        return;
    };
    let script = "import sys, pathlib\n\
                  sys.path.insert(0, sys.argv[1])\n\
                  sys.dont_write_bytecode = True\n\
                  import test_graph_breaks as example\n\
                  budget = example.BUDGET.replace('train_step', sys.argv[3]).replace('failures = 0', '')\n\
                  print('\\n'.join(example.check(sys.argv[2], budget, pathlib.Path(sys.argv[4]))))";
    let program = Path::new(assert_cmd::cargo::cargo_bin!("tlparse")).parent().unwrap();
    let known = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(program.to_owned()).chain(std::env::split_paths(&known));
    let path = std::env::join_paths(paths).unwrap();
    let of = |function: &str| {
        let folder = TempDir::new().unwrap();
        let mut command = Command::new(python);
        command.env("PATH", &path).args(["-c", script]).arg(source("examples/ci"));
        let done =
            command.arg(&input("03_graph_breaks").path).arg(function).arg(folder.path()).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap()
    };
    assert_eq!(of("inner_print").trim(), "`print` cannot be in a graph, at /app/s03_graph_breaks.py:11");
    assert_eq!(of("middle_of_nowhere").trim(), "");
}
