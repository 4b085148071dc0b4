//! The stored logs, unpacked where they are compressed.

use super::{Log, files_below, source};
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

/// One stored log.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its scenario; the second and further logs of a scenario have `#1`, `#2`.. behind it.
    pub name: String,
    /// The plain log, under the name that torch gave it, beside the scenario's other logs.
    pub path: PathBuf,
    /// The file as it is stored: the log itself, or its `.zst`.
    pub stored: PathBuf,
}

impl Input {
    /// Bytes of the plain log.
    pub fn bytes(&self) -> Vec<u8> {
        fs::read(&self.path).unwrap()
    }

    /// The name that torch gave the log.
    pub fn file_name(&self) -> String {
        self.path.file_name().unwrap().to_str().unwrap().to_owned()
    }
}

impl Log {
    /// A stored log.
    pub fn of(input: &Input) -> Log {
        Log::parse(&input.bytes())
    }
}

/// All stored logs, by name.
pub fn inputs() -> &'static [Input] {
    static INPUTS: OnceLock<Vec<Input>> = OnceLock::new();
    INPUTS.get_or_init(|| {
        let stored = files_below(&source("tests/inputs"));
        let logs = stored.iter().filter(|path| path.ends_with(".log") || path.ends_with(".log.zst"));
        let mut found: Vec<Input> = Vec::new();
        for relative in logs {
            let (scenario, _) = relative.split_once('/').expect("a log stands in the folder of its scenario");
            let before = found.iter().filter(|i| i.name.split('#').next() == Some(scenario)).count();
            let name = if before == 0 { scenario.to_owned() } else { format!("{scenario}#{before}") };
            let stored = source("tests/inputs").join(relative);
            let path = match relative.strip_suffix(".zst") {
                Some(plain) => unpack(&stored, plain),
                None => stored.clone(),
            };
            found.push(Input { name, path, stored });
        }
        found
    })
}

/// The log of that name: a scenario, or `12_ddp_2#1` for the second log of one.
pub fn input(name: &str) -> &'static Input {
    inputs().iter().find(|i| i.name == name).unwrap_or_else(|| panic!("no log {name} in tests/inputs"))
}

/// The log of one rank of a scenario with several.
pub fn input_of(scenario: &str, rank: usize) -> &'static Input {
    let part = format!("rank_{rank}_");
    let fits = |i: &&Input| i.name.split('#').next() == Some(scenario) && i.file_name().contains(&part);
    inputs().iter().find(fits).unwrap_or_else(|| panic!("no rank {rank} in {scenario}"))
}

/// Unpacks into a folder that all tests share. It is below the build's own folder for temporary files, so that what
/// a killed run leaves goes away with `cargo clean`.
pub(super) fn unpack(stored: &PathBuf, plain: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("inputs");
    let path = root.join(plain);
    let packed = fs::read(stored).unwrap();
    let bytes = zstd::decode_all(packed.as_slice()).unwrap();
    let is_there = fs::metadata(&path).is_ok_and(|m| m.len() == bytes.len() as u64);
    if !is_there || fs::read(&path).ok().as_ref() != Some(&bytes) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        // Two tests may unpack at once: each writes its own file, and both give the same.
        let partial = tempfile::NamedTempFile::new_in(&root).unwrap();
        fs::write(partial.path(), bytes).unwrap();
        partial.persist(&path).unwrap();
    }
    path
}
