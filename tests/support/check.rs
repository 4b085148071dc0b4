//! Calls of `tlparse check`.

use super::{Input, source};
use assert_cmd::Command;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// A call of `tlparse check` in an empty folder and environment.
pub struct Check {
    folder: TempDir,
    args: Vec<OsString>,
}

/// How it ended.
pub struct Verdict {
    /// Its exit code.
    pub code: Option<i32>,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// The folder that it ran in.
    pub folder: TempDir,
}

impl Check {
    /// Of logs, folders or reports.
    pub fn of<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Check {
        let args = paths.into_iter().map(|path| path.as_ref().as_os_str().to_owned()).collect();
        Check { folder: TempDir::new().unwrap(), args }
    }

    /// Of a stored log.
    pub fn of_input(input: &Input) -> Check {
        Check::of([&input.path])
    }

    /// Of a log of these bytes.
    pub fn of_bytes(bytes: &[u8]) -> Check {
        let mut check = Check::of::<&Path>([]);
        let path = check.write("trace.log", bytes);
        check.args.push(path.into());
        check
    }

    /// With these arguments.
    pub fn args<S: Into<OsString>>(mut self, args: impl IntoIterator<Item = S>) -> Check {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// With a budget file of that text.
    pub fn budget(self, text: &str) -> Check {
        let path = self.write("budget.toml", text.as_bytes());
        self.args([OsString::from("--budget"), path.into()])
    }

    /// With a file in the folder that it runs in; gives its path.
    pub fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// Runs it.
    pub fn go(self) -> Verdict {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("tlparse"));
        command.env_clear().current_dir(self.folder.path()).timeout(Duration::from_secs(300));
        let output = command.arg("check").args(&self.args).output().unwrap();
        Verdict {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            folder: self.folder,
        }
    }

    /// Runs it with `--format json`; its exit code has to be `code`.
    pub fn json(self, code: i32) -> Value {
        let verdict = self.args(["--format", "json"]).go().ends_with(code);
        serde_json::from_str(&verdict.stdout).unwrap()
    }
}

impl Verdict {
    /// Its exit code has to be this one.
    pub fn ends_with(self, code: i32) -> Verdict {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        self
    }

    /// Asserts the exit code and an empty standard output; returns the last line of standard error.
    pub fn fails(self, code: i32) -> String {
        let verdict = self.ends_with(code);
        assert_eq!(verdict.stdout, "");
        verdict.stderr
    }
}

/// The folder of the scripts that the stored logs were recorded from: their places are found below it.
pub fn scripts() -> PathBuf {
    source("tests/inputs/scripts")
}
