//! The Python package: its classes are those of the schema, and its tests pass against the program. Without a Python the tests
//! say that they were skipped, and so does each that needs pytest or torch and has none.

use crate::support::source;
use std::process::{Command, Output};

/// Runs Python at the top of the project, with the package and the built program; None if there is no Python. `TORCH_PYTHON`
/// names one that has torch and pytest.
fn python(arguments: &[&str]) -> Option<Output> {
    let named = std::env::var_os("TORCH_PYTHON");
    let mut command = Command::new(named.unwrap_or_else(|| "python3".into()));
    command.args(arguments).current_dir(source(""));
    command.env("PYTHONPATH", source("python")).env("PYTHONDONTWRITEBYTECODE", "1");
    command.env("TLPARSE", env!("CARGO_BIN_EXE_tlparse"));
    match command.output() {
        Ok(output) => Some(output),
        Err(error) => {
            eprintln!("skipped: there is no python3 ({error}); TORCH_PYTHON names another");
            None
        }
    }
}

fn succeeds(output: &Output) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

#[test]
fn the_classes_of_the_python_package_are_those_of_the_schema() {
    if let Some(output) = python(&["python/generate_facts.py", "--check"]) {
        succeeds(&output);
    }
}

#[test]
fn the_tests_of_the_python_package_pass_against_the_program() {
    if let Some(output) = python(&["-m", "unittest", "discover", "-v", "-s", "python/tests"]) {
        succeeds(&output);
        let said = String::from_utf8_lossy(&output.stderr);
        for skipped in said.lines().filter(|line| line.contains(" ... skipped ")) {
            eprintln!("skipped: {skipped}; TORCH_PYTHON names a Python that has torch and pytest");
        }
    }
}
