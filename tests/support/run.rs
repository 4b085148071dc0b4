//! Runs the built program.

use super::{Input, Report};
use assert_cmd::Command;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;
use tempfile::TempDir;

/// A call of the program. It runs in an empty folder with an empty environment, and writes to `report` there.
pub struct Run {
    folder: TempDir,
    input: Option<OsString>,
    args: Vec<OsString>,
    out: Option<PathBuf>,
    stdin: Vec<u8>,
    env: Vec<(OsString, OsString)>,
}

impl Run {
    /// On a log, a folder or anything else that a path can name.
    pub fn of(path: impl AsRef<Path>) -> Run {
        Run { input: Some(path.as_ref().as_os_str().to_owned()), ..Run::bare() }
    }

    /// On a log with these bytes, in the folder of the report, under that name.
    pub fn of_bytes(name: &str, bytes: &[u8]) -> Run {
        let run = Run::bare();
        let path = run.folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        Run { input: Some(path.into()), ..run }
    }

    /// The path that it reads.
    pub fn path(&self) -> String {
        self.input.as_ref().unwrap().to_str().unwrap().to_owned()
    }

    /// Without any path.
    pub fn bare() -> Run {
        let folder = TempDir::new().unwrap();
        let out = Some(folder.path().join("report"));
        Run { folder, input: None, args: Vec::new(), out, stdin: Vec::new(), env: Vec::new() }
    }

    /// With these flags.
    pub fn args<S: Into<OsString>>(mut self, args: impl IntoIterator<Item = S>) -> Run {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Into another folder.
    pub fn out(mut self, out: impl Into<PathBuf>) -> Run {
        self.out = Some(out.into());
        self
    }

    /// Without `-o`.
    pub fn without_out(mut self) -> Run {
        self.out = None;
        self
    }

    /// With bytes on standard input.
    pub fn stdin(mut self, bytes: Vec<u8>) -> Run {
        self.stdin = bytes;
        self
    }

    /// With a variable in the otherwise empty environment.
    pub fn env(mut self, name: &str, value: impl AsRef<Path>) -> Run {
        self.env.push((name.into(), value.as_ref().as_os_str().to_owned()));
        self
    }

    /// Runs it.
    pub fn go(self) -> Done {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("tlparse"));
        command.env_clear().envs(self.env.iter().cloned()).current_dir(self.folder.path());
        // No run takes minutes; a run that hangs must not hang the suite.
        command.timeout(Duration::from_secs(300)).write_stdin(self.stdin.clone());
        command.args(&self.input).arg("--no-browser");
        if let Some(out) = &self.out {
            command.arg("-o").arg(out);
        }
        let output = command.args(&self.args).output().unwrap();
        self.done(output)
    }

    /// Runs a subcommand with these arguments and nothing else.
    pub fn go_with(self, args: &[&str]) -> Done {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("tlparse"));
        command.env_clear().envs(self.env.iter().cloned()).current_dir(self.folder.path());
        let output = command.timeout(Duration::from_secs(300)).args(args).output().unwrap();
        self.done(output)
    }

    fn done(self, output: Output) -> Done {
        let folder = self.out.unwrap_or_else(|| self.folder.path().join("tl_out"));
        Done {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            folder,
            work: self.folder,
        }
    }

    /// Runs it and asserts the exit code 0.
    pub fn ok(self) -> Report {
        self.ends_with(0)
    }

    /// Runs it and asserts the exit code; returns the report.
    pub fn ends_with(self, code: i32) -> Report {
        self.go().report(code)
    }
}

impl From<&Input> for Run {
    fn from(input: &Input) -> Run {
        Run::of(&input.path)
    }
}

/// A call that ended.
pub struct Done {
    /// Its exit code; None when it was killed.
    pub code: Option<i32>,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// The folder of its report.
    pub folder: PathBuf,
    /// The folder it ran in, removed when this is dropped.
    pub work: TempDir,
}

impl Done {
    /// The report, after asserting the exit code.
    pub fn report(self, code: i32) -> Report {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        let mut report = Report::new(self.folder, Some(self.work));
        report.stdout = self.stdout;
        report
    }

    /// Asserts the exit code and an empty standard output; returns the last line of standard error.
    pub fn fails(&self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        assert_eq!(self.stdout, "");
        self.stderr.lines().last().unwrap_or_default().to_owned()
    }
}
