//! Why a command recorded nothing: what its environment and its script say.

use crate::program::values::text_of;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Variables that turn compilation off when they are 1.
const SWITCHES: [&str; 2] = ["TORCH_COMPILE_DISABLE", "TORCHDYNAMO_DISABLE"];

/// One sentence on why this command may have compiled nothing.
pub fn why(command: &[OsString], variable: impl Fn(&str) -> Option<OsString>) -> String {
    if let Some(set) = SWITCHES.into_iter().find(|name| variable(name).is_some_and(|value| value == "1")) {
        return format!("{set}=1 is set, which turns torch.compile off; unset it");
    }
    let is_script = |word: &&OsString| Path::new(word).extension() == Some(OsStr::new("py"));
    let script = command.iter().find(is_script).map(Path::new);
    script.and_then(said_by).unwrap_or_else(|| format!("likely reasons: {}", tlparse::NOTHING_COMPILED))
}

/// What a script says about it.
fn said_by(script: &Path) -> Option<String> {
    let text = text_of(script, "script").ok()?;
    let shown = script.display();
    let mut before = "";
    for (number, line) in (1..).zip(text.lines()) {
        let code = line.split('#').next().unwrap_or_default().trim();
        if code.contains("set_stance(") && code.contains("force_eager") {
            return Some(format!(
                "{shown}:{number} sets the stance force_eager, under which nothing is compiled"
            ));
        }
        let is_statement = !before.ends_with(['(', ',', '=', '[', '{', '\\']);
        if is_statement && code.starts_with("torch.compile(") {
            return Some(format!(
                "{shown}:{number} does not use what torch.compile returns; write model = torch.compile(model), or \
                 model.compile()"
            ));
        }
        before = if code.is_empty() { before } else { code };
    }
    let names_it = text.contains("compile");
    (!names_it).then(|| format!("{shown} does not call torch.compile"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_throws_the_compiled_model_away_is_named() {
        let folder = tempfile::TempDir::new().unwrap();
        let script = folder.path().join("train.py");
        let said = |text: &str| {
            std::fs::write(&script, text).unwrap();
            said_by(&script).map(|said| said.replace(&script.display().to_string(), "train.py"))
        };
        let thrown = said("model = Net()\ntorch.compile(model, mode='max-autotune')\nmodel(x)\n").unwrap();
        assert!(thrown.starts_with("train.py:2 does not use what torch.compile returns"), "{thrown}");
        assert_eq!(said("run(\n    torch.compile(model),\n)\n@torch.compile\ndef f(x): ...\n"), None);
        assert_eq!(said("# torch.compile(model)\nmodel.compile()\n"), None);
        let stance = said("torch.compiler.set_stance('force_eager')\n").unwrap();
        assert!(stance.starts_with("train.py:1 sets the stance force_eager"), "{stance}");
        assert_eq!(said("print(1)\n").unwrap(), "train.py does not call torch.compile");
    }

    #[test]
    fn a_variable_that_turns_compilation_off_is_named_first() {
        let off = |name: &str| (name == "TORCHDYNAMO_DISABLE").then(|| OsString::from("1"));
        assert!(why(&["python".into(), "a.py".into()], off).starts_with("TORCHDYNAMO_DISABLE=1 is set"));
        let unknown = why(&["python".into(), "-m".into(), "pytest".into()], |_| None);
        assert!(
            unknown.starts_with("likely reasons: the program does not call what torch.compile"),
            "{unknown}"
        );
    }
}
