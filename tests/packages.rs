//! What installs the program and what runs it elsewhere: the release workflow, the action, the image, and the examples for
//! clusters, whose commands run on stored logs.

use crate::support::{input, input_of, source, source_text};
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;
use yaml_rust2::{Yaml, YamlLoader};

fn yaml(file: &str) -> Yaml {
    let mut documents =
        YamlLoader::load_from_str(&source_text(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    assert_eq!(documents.len(), 1, "{file}");
    documents.remove(0)
}

/// A folder with stand-ins for programs of others, in which scripts run.
struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Place {
        let place = Place { folder: TempDir::new().unwrap() };
        std::fs::create_dir(place.path("bin")).unwrap();
        place
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    fn stand_in(&self, program: &str, script: &str) {
        let path = self.path("bin").join(program);
        std::fs::write(&path, format!("#!/bin/bash\n{script}\n")).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    /// Runs a program as a runner does, with some variables.
    fn run(&self, program: &str, args: &[&str], variables: &[(&str, &str)]) -> Output {
        let built = Path::new(assert_cmd::cargo::cargo_bin!("tlparse")).parent().unwrap();
        let path = format!("{}:{}:/usr/bin:/bin", self.path("bin").display(), built.display());
        let mut command = Command::new(program);
        command.args(args).current_dir(self.folder.path()).env_clear().env("PATH", path);
        command.envs(variables.iter().copied()).output().unwrap()
    }

    fn bash(&self, script: &str, variables: &[(&str, &str)]) -> Output {
        self.run("bash", &["-eo", "pipefail", "-c", script], variables)
    }

    /// A folder with the logs of two ranks.
    fn job(&self) -> String {
        let traces = self.path("traces");
        std::fs::create_dir(&traces).unwrap();
        for rank in [0, 1] {
            let log = input_of("12_ddp_2", rank);
            std::fs::copy(&log.path, traces.join(log.file_name())).unwrap();
        }
        traces.display().to_string()
    }
}

fn has_bash() -> bool {
    let there = Command::new("bash").arg("--version").output().is_ok();
    if !there {
        eprintln!("skipped: there is no bash");
    }
    there
}

fn succeeds(done: &Output) {
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

/// The report of the job says that both ranks are there.
fn is_report_of_job(folder: &Path) {
    let facts = std::fs::read_to_string(folder.join("report.json")).unwrap();
    let facts: serde_json::Value = serde_json::from_str(&facts).unwrap();
    assert_eq!(facts["kind"], "job");
    assert_eq!(facts["ranks"].as_array().unwrap().len(), 2);
}

#[test]
fn the_slurm_example_reports_on_each_rank_and_then_on_the_job() {
    if !has_bash() {
        return;
    }
    let place = Place::new();
    let traces = place.job();
    // Runs each element of the array at once, as a cluster with room does.
    place.stand_in(
        "sbatch",
        "last=0\nwhile [ $# -gt 0 ]; do case \"$1\" in --array=0-*) last=${1#--array=0-}; array=yes;; --wrap) \
         wrap=$2; shift;; esac; shift; done\nfor index in $(seq 0 $last); do\n  if [ -n \"$array\" ]; then export \
         SLURM_ARRAY_TASK_ID=$index; fi\n  sh -c \"$wrap\" >&2 || exit 1\ndone\necho 7",
    );
    let script = source("examples/slurm_ranks.sh").display().to_string();
    let done = place.run("bash", &[&script, &traces, "report", "2", "--partition=cpu"], &[]);
    succeeds(&done);
    is_report_of_job(&place.path("report"));
    let usage = place.run("bash", &[&script], &[]);
    assert_eq!(usage.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&usage.stderr).contains("slurm_ranks.sh TRACES OUT RANKS"));
}

#[test]
fn the_torchrun_example_records_reports_and_keeps_the_exit_code_of_the_job() {
    if !has_bash() {
        return;
    }
    let place = Place::new();
    let traces = place.job();
    place.stand_in("torchrun", "mkdir -p \"$TORCH_TRACE\"; cp \"$JOB\"/* \"$TORCH_TRACE\"; exit ${CODE:-0}");
    let script = source("examples/torchrun_report.sh").display().to_string();
    let run =
        |code: &str| place.run("bash", &[&script, "2", "train.py"], &[("JOB", &traces), ("CODE", code)]);
    succeeds(&run("0"));
    is_report_of_job(&place.path("report"));
    assert_eq!(run("5").status.code(), Some(5));
}

#[test]
fn the_kubernetes_example_reports_on_each_rank_and_then_on_the_job() {
    if !has_bash() {
        return;
    }
    let place = Place::new();
    let traces = place.job();
    let [ranks, combine] = ["ranks", "combine"].map(|name| yaml(&format!("examples/kubernetes/{name}.yaml")));
    let out = place.path("report").display().to_string();
    let run = |job: &Yaml, index: &str| {
        let spec = &job["spec"]["template"]["spec"];
        assert_eq!(job["kind"].as_str(), Some("Job"));
        assert_eq!(spec["securityContext"]["runAsNonRoot"].as_bool(), Some(true));
        let container = &spec["containers"][0];
        let named = container["env"].as_vec().unwrap().iter().filter_map(|one| one["name"].as_str());
        let variables: Vec<(&str, &str)> = named
            .map(|name| (name, if name == "TRACES" { traces.as_str() } else { out.as_str() }))
            .chain([("JOB_COMPLETION_INDEX", index)])
            .collect();
        let command =
            container["command"].as_vec().unwrap().iter().chain(container["args"].as_vec().unwrap());
        let words: Vec<&str> = command.map(|word| word.as_str().unwrap()).collect();
        succeeds(&place.run(words[0], &words[1..], &variables));
    };
    assert_eq!(ranks["spec"]["completionMode"].as_str(), Some("Indexed"));
    std::fs::create_dir(place.path("report")).unwrap();
    run(&ranks, "0");
    run(&ranks, "1");
    run(&combine, "0");
    is_report_of_job(&place.path("report"));
}

/// The script of a step, where each input stands for a value, and its variables.
fn step(step: &Yaml, inputs: &[(&str, &str)]) -> (String, Vec<(String, String)>) {
    let filled = |text: &str| {
        let filled = inputs.iter().fold(text.to_owned(), |text, (name, value)| {
            text.replace(&format!("${{{{ inputs.{name} }}}}"), value)
        });
        filled.replace("${{ github.action_path }}", "/checkout")
    };
    let script = step["run"].as_str().unwrap().to_owned();
    assert!(!script.contains("${{"), "a value is put into a script instead of a variable: {script}");
    let variables = step["env"].as_hash().unwrap().iter();
    (
        script,
        variables
            .map(|(name, value)| (name.as_str().unwrap().to_owned(), filled(value.as_str().unwrap())))
            .collect(),
    )
}

#[test]
fn the_action_installs_what_it_is_given_reports_and_fails_on_an_excess() {
    if !has_bash() {
        return;
    }
    let action = yaml("action.yml");
    assert_eq!(action["runs"]["using"].as_str(), Some("composite"));
    let run = |log: &Path, wheel: &str, budget: &str| {
        let place = Place::new();
        place.stand_in("pip", "echo \"$@\" >> pip_was_given");
        std::fs::write(place.path("budget.toml"), "graph_breaks = 0\n").unwrap();
        let trace = log.display().to_string();
        let inputs =
            [("trace", &*trace), ("wheel", wheel), ("report", "out"), ("budget", budget), ("baseline", "")];
        let mut code = 0;
        for one in action["runs"]["steps"].as_vec().unwrap() {
            let (script, variables) = step(one, &inputs);
            let mut variables: Vec<(&str, &str)> =
                variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            variables.push(("GITHUB_STEP_SUMMARY", "summary.md"));
            let done = place.bash(&script, &variables);
            code = done.status.code().unwrap();
            assert!(code == 0 || code == 3, "{script}\n{}", String::from_utf8_lossy(&done.stderr));
        }
        let read = |name: &str| std::fs::read_to_string(place.path(name)).unwrap();
        assert!(read("out/index.html").contains("<!doctype html>"));
        assert!(read("out.sarif").contains("\"version\": \"2.1.0\""));
        assert!(!read("summary.md").is_empty());
        (code, read("pip_was_given").trim().to_owned())
    };
    let broken = &input("03_graph_breaks").path;
    assert_eq!(
        run(broken, "https://example.org/t.whl", "budget.toml"),
        (3, "install --quiet https://example.org/t.whl".into())
    );
    assert_eq!(run(&input("01_inference").path, "", "").0, 0);
    assert_eq!(run(&input("01_inference").path, "", "").1, "install --quiet /checkout");
}

#[test]
fn a_release_has_a_wheel_and_a_binary_for_each_system_and_checksums() {
    let workflow = yaml(".github/workflows/release.yml");
    let targets = |job: &str| -> Vec<String> {
        let rows = workflow["jobs"][job]["strategy"]["matrix"]["include"].as_vec().unwrap();
        rows.iter().map(|row| row["target"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(targets("wheels"), targets("binaries"));
    for system in ["linux-gnu", "linux-musl", "apple-darwin", "windows-msvc"] {
        assert!(targets("wheels").iter().any(|target| target.ends_with(system)), "{system}");
    }
    let text = source_text(".github/workflows/release.yml");
    assert!(text.contains("sha256sum") && text.contains("--compatibility manylinux_2_17"));
    assert!(!text.contains("maturin publish") && !text.contains("cargo publish"), "the names are others'");
    let cargo: toml::Table = source_text("Cargo.toml").parse().unwrap();
    let address = cargo["package"]["metadata"]["binstall"]["pkg-url"].as_str().unwrap();
    assert!(address.ends_with("/tlparse-{ target }.tar.gz") && text.contains("tlparse-${{ matrix.target }}"));
}

#[test]
fn the_metadata_of_a_release_say_where_it_comes_from_and_its_readme_has_no_relative_link() {
    let folder = TempDir::new().unwrap();
    for file in ["Cargo.toml", "pyproject.toml", "README.md"] {
        std::fs::copy(source(file), folder.path().join(file)).unwrap();
    }
    let mut command = Command::new("python3");
    command.arg(source(".ci/release_metadata.py")).args(["https://example.org/me/tlparse", "v1.2.3"]);
    let Ok(done) = command.arg(folder.path()).output() else {
        eprintln!("skipped: there is no python3");
        return;
    };
    succeeds(&done);
    let read = |file: &str| std::fs::read_to_string(folder.path().join(file)).unwrap();
    let cargo: toml::Table = read("Cargo.toml").parse().unwrap();
    assert_eq!(cargo["package"]["repository"].as_str(), Some("https://example.org/me/tlparse"));
    let project: toml::Table = read("pyproject.toml").parse().unwrap();
    assert_eq!(project["project"]["urls"]["Source"].as_str(), Some("https://example.org/me/tlparse"));
    let readme = read("README.md");
    assert!(readme.contains("](https://example.org/me/tlparse/raw/v1.2.3/docs/pictures/landing.png)"));
    let relative = regex::Regex::new(r"\]\((?:docs|examples|tests|skills|[A-Z]+\.md)").unwrap();
    assert!(!relative.is_match(&readme), "{:?}", relative.find(&readme));
}

#[test]
fn the_image_is_built_from_pinned_bases_and_runs_without_rights() {
    let text = source_text("Dockerfile");
    let bases: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("FROM ")).collect();
    let pinned = regex::Regex::new(r"^[a-z]+:\d+\.\d+[\w.-]*").unwrap();
    assert!(bases.len() == 2 && bases.iter().all(|base| pinned.is_match(base)), "{bases:?}");
    let cargo: toml::Table = source_text("Cargo.toml").parse().unwrap();
    let rust = cargo["package"]["rust-version"].as_str().unwrap();
    assert!(bases[0].starts_with(&format!("rust:{rust}.")), "{}: Cargo.toml asks for {rust}", bases[0]);
    assert!(text.contains("\nUSER tlparse\n"));
}

/// A Python that has a module.
fn python_with(module: &str) -> Option<String> {
    let wanted = std::env::var("TLPARSE_TEST_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let tried = Command::new(&wanted).args(["-c", &format!("import {module}")]).output();
    if tried.is_ok_and(|done| done.status.success()) {
        return Some(wanted);
    }
    eprintln!("skipped: {wanted} has no {module}; TLPARSE_TEST_PYTHON names one that has it");
    None
}

#[test]
fn the_ray_example_reports_on_each_rank_and_then_on_the_job() {
    let Some(python) = python_with("ray") else { return };
    let place = Place::new();
    let traces = place.job();
    let script = source("examples/ray_ranks.py").display().to_string();
    succeeds(&place.run(&python, &[&script, &traces, "report"], &[]));
    is_report_of_job(&place.path("report"));
}

#[test]
fn a_training_under_the_real_torchrun_has_a_report_of_both_ranks() {
    let Some(python) = python_with("torch.distributed.run").filter(|_| has_bash()) else { return };
    let place = Place::new();
    std::fs::write(
        place.path("train.py"),
        "import torch, torch.distributed as dist\n\
         dist.init_process_group('gloo')\n\
         model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 8))\n\
         torch.compile(model, backend='aot_eager')(torch.ones(4, 8)).sum().backward()\n\
         dist.destroy_process_group()\n",
    )
    .unwrap();
    place.stand_in("torchrun", &format!("exec {python} -m torch.distributed.run \"$@\""));
    let script = source("examples/torchrun_report.sh").display().to_string();
    succeeds(&place.run("bash", &[&script, "2", "train.py"], &[]));
    is_report_of_job(&place.path("report"));
}
