//! What helps to install the program: completions of shells, manual pages, the wheel's description.

use crate::support::{Run, source_text};
use std::io::Write;
use std::process::{Command, Stdio};

const SUBCOMMANDS: [&str; 10] =
    ["combine", "check", "diff", "run", "show", "repro", "serve", "mcp", "completions", "man"];

fn printed(args: &[&str]) -> String {
    let done = Run::bare().go_with(args);
    assert_eq!(done.code, Some(0), "{args:?}: {}", done.stderr);
    done.stdout
}

#[test]
fn completions_know_every_subcommand_and_option() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = printed(&["completions", shell]);
        for name in SUBCOMMANDS {
            assert!(script.contains(name), "{shell}: {name}");
        }
        for option in ["strict-compile-id", "zip", "update-baseline", "threshold"] {
            assert!(script.contains(option), "{shell}: {option}");
        }
    }
}

#[test]
fn bash_takes_its_script() {
    let Ok(mut bash) = Command::new("bash").args(["-n"]).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn()
    else {
        return;
    };
    bash.stdin.take().unwrap().write_all(printed(&["completions", "bash"]).as_bytes()).unwrap();
    let done = bash.wait_with_output().unwrap();
    assert!(done.status.success() && done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn the_manual_page_names_every_subcommand_and_each_has_its_own() {
    let page = printed(&["man"]);
    assert!(page.contains(".TH tlparse 1") && page.contains("TORCH_TRACE"), "{page:.300}");
    for name in SUBCOMMANDS {
        assert!(page.contains(&format!("tlparse\\-{name}(1)")), "{name} is not in {page}");
        let own = printed(&["man", name]);
        assert!(own.contains(&format!(".TH tlparse-{name} 1")), "{name}: {own:.300}");
    }
    let none = Run::bare().go_with(&["man", "nothing"]);
    assert_eq!(none.code, Some(2));
    assert!(none.stderr.contains("no subcommand \"nothing\""), "{}", none.stderr);
}

#[test]
fn the_wheel_is_described_as_the_crate_is() {
    let (cargo, wheel) = (source_text("Cargo.toml"), source_text("pyproject.toml"));
    for key in ["name", "description", "license"] {
        let line = |text: &str| {
            let found = text.lines().find(|line| line.starts_with(&format!("{key} = ")));
            found.unwrap_or_else(|| panic!("{key}")).to_owned()
        };
        assert_eq!(line(&cargo), line(&wheel), "{key}");
    }
    assert!(wheel.contains("bindings = \"bin\""));
}
