//! examples/jobs, action.yml and the scripts of the release: what they run, runs on stored logs. Programs of others are stand-ins,
//! except Ray and torchrun, which run where Python has them.

use crate::support::{input, source, source_text};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;
use yaml_rust2::{Yaml, YamlLoader};

/// A folder with the logs of two ranks and stand-ins for programs of others.
struct Site {
    folder: TempDir,
}

impl Site {
    fn new() -> Site {
        let site = Site { folder: TempDir::new().unwrap() };
        fs::create_dir(site.path("bin")).unwrap();
        fs::create_dir(site.path("trace")).unwrap();
        for entry in fs::read_dir(source("tests/inputs/12_ddp_2")).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), site.path("trace").join(entry.file_name())).unwrap();
        }
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn stand_in(&self, program: &str, script: &str) {
        let path = self.path("bin").join(program);
        fs::write(&path, format!("#!/bin/bash\n{script}")).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    /// A command with the built program and the stand-ins on its path.
    fn command(&self, program: &str) -> Command {
        let built = Path::new(assert_cmd::cargo::cargo_bin!("tlparse")).parent().unwrap();
        let known = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new(program);
        command.current_dir(self.folder.path());
        command.env("PATH", format!("{}:{}:{known}", self.path("bin").display(), built.display()));
        command.env("TRACES", self.path("trace")).env("OUT", self.path("report"));
        command
    }

    fn bash(&self, arguments: &[&str]) -> Output {
        self.command("bash").args(arguments).output().unwrap()
    }

    /// The report of the job is complete: both ranks are in it.
    fn has_report_of_both_ranks(&self) {
        let text = fs::read_to_string(self.path("report/report.json")).unwrap();
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(report["kind"], "job", "{text:.300}");
        for rank in 0..2 {
            assert!(self.path(&format!("report/rank_{rank}/index.html")).is_file(), "rank {rank}");
        }
    }
}

fn succeeds(done: &Output) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(done.status.success(), "{}{}", text(&done.stdout), text(&done.stderr));
}

fn has_bash() -> bool {
    let there = Command::new("bash").arg("--version").output().is_ok();
    if !there {
        eprintln!("skipped: there is no bash");
    }
    there
}

/// What `sbatch` does: it runs the wrapped command once per element of the array.
const SBATCH: &str = r#"
for argument in "$@"; do
  case $previous in --wrap) wrapped=$argument ;; esac
  case $argument in --array=0-*) last=${argument#--array=0-} ;; esac
  previous=$argument
done
for task in $(seq 0 "${last:-0}"); do
  SLURM_ARRAY_TASK_ID=$task bash -c "$wrapped" >&2 || exit
done
echo "7;cluster"
"#;

#[test]
fn the_slurm_example_reports_on_each_rank_and_combines_them() {
    if !has_bash() {
        return;
    }
    let site = Site::new();
    site.stand_in("sbatch", SBATCH);
    let script = source("examples/jobs/slurm.sh");
    succeeds(&site.command("bash").arg(script).env("RANKS", "2").output().unwrap());
    site.has_report_of_both_ranks();
}

/// The script of a container of a Job.
fn script_of(job: &Yaml) -> &str {
    let command = job["spec"]["template"]["spec"]["containers"][0]["command"].as_vec().unwrap();
    assert_eq!((command[0].as_str(), command[1].as_str()), (Some("bash"), Some("-c")));
    command[2].as_str().unwrap()
}

#[test]
fn the_kubernetes_example_reports_on_each_rank_and_combines_them() {
    let jobs = YamlLoader::load_from_str(&source_text("examples/jobs/kubernetes.yaml")).unwrap();
    let [ranks, combine] = jobs.as_slice() else { panic!("two Jobs: {jobs:?}") };
    assert_eq!(ranks["spec"]["completionMode"].as_str(), Some("Indexed"));
    for job in &jobs {
        let spec = &job["spec"]["template"]["spec"];
        assert_eq!(spec["volumes"][0]["name"], spec["containers"][0]["volumeMounts"][0]["name"]);
    }
    if !has_bash() {
        return;
    }
    let site = Site::new();
    for rank in ["0", "1"] {
        let mut pod = site.command("bash");
        succeeds(&pod.args(["-c", script_of(ranks)]).env("JOB_COMPLETION_INDEX", rank).output().unwrap());
    }
    succeeds(&site.command("bash").args(["-c", script_of(combine)]).env("RANKS", "2").output().unwrap());
    site.has_report_of_both_ranks();
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
fn the_ray_example_reports_on_each_rank_and_combines_them() {
    let Some(python) = python_with("ray") else { return };
    let site = Site::new();
    let mut command = site.command(&python);
    command.arg(source("examples/jobs/ray_ranks.py")).arg(site.path("trace")).arg(site.path("report"));
    succeeds(&command.output().unwrap());
    site.has_report_of_both_ranks();
}

#[test]
fn the_torchrun_example_reports_on_a_training_and_keeps_its_exit_code() {
    if !has_bash() {
        return;
    }
    // What torchrun leaves behind: the logs of both ranks, and the exit code of a training that failed.
    let site = Site::new();
    fs::rename(site.path("trace"), site.path("recorded")).unwrap();
    site.stand_in("torchrun", "mkdir -p \"$TORCH_TRACE\" && cp recorded/* \"$TORCH_TRACE\" && exit 3\n");
    let done = site.bash(&[&source("examples/jobs/torchrun.sh").to_string_lossy(), "2", "train.py"]);
    assert_eq!(done.status.code(), Some(3), "{}", String::from_utf8_lossy(&done.stderr));
    site.has_report_of_both_ranks();
}

#[test]
fn a_training_under_the_real_torchrun_has_a_report_of_both_ranks() {
    let Some(python) = python_with("torch.distributed.run").filter(|_| has_bash()) else { return };
    let site = Site::new();
    fs::remove_dir_all(site.path("trace")).unwrap();
    fs::write(
        site.path("train.py"),
        "import torch, torch.distributed as dist\n\
         dist.init_process_group('gloo')\n\
         model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 8))\n\
         torch.compile(model, backend='aot_eager')(torch.ones(4, 8)).sum().backward()\n\
         dist.destroy_process_group()\n",
    )
    .unwrap();
    site.stand_in("torchrun", &format!("exec {python} -m torch.distributed.run \"$@\"\n"));
    succeeds(&site.bash(&[&source("examples/jobs/torchrun.sh").to_string_lossy(), "2", "train.py"]));
    site.has_report_of_both_ranks();
}

#[test]
fn the_readme_of_the_job_examples_names_each_of_them() {
    let readme = source_text("examples/jobs/README.md");
    for file in crate::support::files_below(&source("examples/jobs")) {
        assert!(file == "README.md" || readme.contains(&format!("`{file}`")), "{file}");
    }
}

/// The scripts of the action with the values of its environment, in order.
fn steps_of_action(action: &Yaml, inputs: &[(&str, &str)]) -> Vec<(String, Vec<(String, String)>)> {
    let steps = action["runs"]["steps"].as_vec().unwrap();
    let runs = steps.iter().filter(|step| !step["run"].is_badvalue());
    let value = |expression: &str| {
        let name = expression.trim_start_matches("${{ inputs.").trim_end_matches(" }}");
        let given = inputs.iter().find(|(input, _)| *input == name).map(|(_, value)| (*value).to_owned());
        given.or_else(|| action["inputs"][name]["default"].as_str().map(str::to_owned)).unwrap_or_default()
    };
    let env = |step: &Yaml| -> Vec<(String, String)> {
        let env = step["env"].as_hash().into_iter().flatten();
        env.map(|(name, text)| (name.as_str().unwrap().to_owned(), value(text.as_str().unwrap()))).collect()
    };
    runs.map(|step| (step["run"].as_str().unwrap().to_owned(), env(step))).collect()
}

#[test]
fn the_action_installs_reports_and_fails_with_its_last_step_if_a_budget_is_exceeded() {
    let action = YamlLoader::load_from_str(&source_text("action.yml")).unwrap().remove(0);
    assert_eq!(action["runs"]["using"].as_str(), Some("composite"));
    if !has_bash() {
        return;
    }
    let site = Site::new();
    site.stand_in("python", "printf '%s\\n' \"$*\" >> calls\n");
    let log = &input("03_graph_breaks").path;
    fs::write(site.path("budget.toml"), source_text("examples/ci/torch-compile.toml")).unwrap();
    let log = log.to_string_lossy();
    let inputs = [("trace", &*log), ("budget", "budget.toml"), ("wheel", "https://example.org/a.whl")];
    let steps = steps_of_action(&action, &inputs);
    let count = steps.len();
    for (place, (script, env)) in steps.into_iter().enumerate() {
        assert!(!script.contains("${{"), "values reach a script as environment only: {script}");
        let mut step = site.command("bash");
        step.args(["-eo", "pipefail", "-c", &script]).envs(env);
        let done = step.env("GITHUB_STEP_SUMMARY", site.path("summary.md")).output().unwrap();
        let expected = if place + 1 == count { 3 } else { 0 };
        assert_eq!(done.status.code(), Some(expected), "{script}\n{}", String::from_utf8_lossy(&done.stderr));
    }
    assert!(
        fs::read_to_string(site.path("calls")).unwrap().contains("pip install https://example.org/a.whl")
    );
    assert!(fs::read_to_string(site.path("summary.md")).unwrap().contains("**exceeded**"));
    assert!(site.path("torch-compile-report/index.html").is_file());
}

/// A copy of the files that a release changes.
fn release_copy() -> TempDir {
    let folder = TempDir::new().unwrap();
    for name in ["Cargo.toml", "pyproject.toml", "README.md"] {
        fs::write(folder.path().join(name), source_text(name)).unwrap();
    }
    folder
}

#[test]
fn a_release_writes_its_own_address_and_absolute_links() {
    let Some(python) = python_with("zipfile") else { return };
    let folder = release_copy();
    let mut command = Command::new(&python);
    command.arg(source(".github/release_metadata.py")).args(["https://example.org/owner/tlparse", "v0.5.0"]);
    succeeds(&command.current_dir(folder.path()).output().unwrap());
    let text = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(text("Cargo.toml").contains("repository = \"https://example.org/owner/tlparse\""));
    let pyproject: toml::Table = text("pyproject.toml").parse().unwrap();
    let urls = pyproject["project"]["urls"].as_table().unwrap();
    assert_eq!(
        urls["Changelog"].as_str(),
        Some("https://example.org/owner/tlparse/blob/v0.5.0/CHANGELOG.md")
    );
    let relative = regex::Regex::new(r"\]\([^h#]").unwrap();
    assert!(!relative.is_match(&text("README.md")), "every picture and link is absolute");
    assert!(text("README.md").contains("(https://example.org/owner/tlparse/raw/v0.5.0/docs/pictures/"));
}

#[test]
fn the_program_of_a_wheel_is_packed_where_binstall_looks_for_it() {
    let Some(python) = python_with("zipfile") else { return };
    let folder = TempDir::new().unwrap();
    let wheel = folder.path().join("tlparse-0.5.0-py3-none-any.whl");
    let script = "import sys, zipfile\n\
                  with zipfile.ZipFile(sys.argv[1], 'w') as wheel:\n    \
                  wheel.writestr('tlparse/__init__.py', '')\n    \
                  wheel.writestr('tlparse-0.5.0.data/scripts/tlparse', 'a program')";
    succeeds(&Command::new(&python).args(["-c", script]).arg(&wheel).output().unwrap());
    let mut command = Command::new(&python);
    command
        .arg(source(".github/pack_program.py"))
        .arg(&wheel)
        .arg("x86_64-unknown-linux-gnu")
        .arg(folder.path());
    succeeds(&command.output().unwrap());
    let cargo = source_text("Cargo.toml");
    assert!(cargo.contains("tlparse-{ target }{ archive-suffix }") && cargo.contains("pkg-fmt = \"tgz\""));
    let packed = fs::File::open(folder.path().join("tlparse-x86_64-unknown-linux-gnu.tgz")).unwrap();
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(packed));
    let mut entry = archive.entries().unwrap().next().unwrap().unwrap();
    assert_eq!(entry.path().unwrap().to_string_lossy(), "tlparse");
    assert_eq!(entry.header().mode().unwrap() & 0o111, 0o111, "it can be run");
    let mut text = String::new();
    std::io::Read::read_to_string(&mut entry, &mut text).unwrap();
    assert_eq!(text, "a program");
}

#[test]
fn the_release_workflow_builds_for_every_system_and_publishes_nowhere_else() {
    let workflow =
        YamlLoader::load_from_str(&source_text(".github/workflows/release.yml")).unwrap().remove(0);
    let built = workflow["jobs"]["build"]["strategy"]["matrix"]["include"].as_vec().unwrap();
    let targets: Vec<&str> = built.iter().map(|one| one["target"].as_str().unwrap()).collect();
    for part in ["linux-gnu", "linux-musl", "apple-darwin", "windows-msvc"] {
        assert!(targets.iter().any(|target| target.ends_with(part)), "{part}: {targets:?}");
    }
    let text = source_text(".github/workflows/release.yml");
    assert!(!text.contains("maturin publish") && !text.contains("cargo publish") && !text.contains("twine"));
    for script in ["release_metadata.py", "pack_program.py"] {
        assert!(text.contains(script) && source(&format!(".github/{script}")).is_file(), "{script}");
    }
}
