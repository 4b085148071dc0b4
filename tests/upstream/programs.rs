//! Runs the three programs on a log and keeps what each gives below a folder of its own.

mod custom_parser;
mod readme;
mod upload;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn keep(out: &Path, name: &str, bytes: &[u8]) -> anyhow::Result<()> {
    let file = out.join(name);
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder)?;
    }
    Ok(std::fs::write(file, bytes)?)
}

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let (Some(log), Some(out)) = (arguments.next(), arguments.next()) else {
        anyhow::bail!("usage: LOG OUT");
    };
    readme::run(&log, &out.join("readme"))?;
    for (path, text) in custom_parser::run(&log)? {
        keep(&out.join("custom_parser"), &path.to_string_lossy(), text.as_bytes())?;
    }
    let mut store = BTreeMap::new();
    upload::run(&log, "jobs/7", &mut store)?;
    for (key, bytes) in &store {
        keep(&out.join("upload"), key, bytes)?;
    }
    Ok(())
}
