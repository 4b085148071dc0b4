//! A program against upstream's library: writes the files of a log into a folder.

use std::path::{Path, PathBuf};
use tlparse::{ParseConfig, parse_path};

/// Writes them; the paths of all files.
pub fn run(log: &Path, out: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let config = ParseConfig { strict: true, ..Default::default() };
    let output = parse_path(&log.to_path_buf(), &config)?;
    let mut written = Vec::new();
    for (name, content) in output {
        let file = out.join(&name);
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(file, content)?;
        written.push(name);
    }
    Ok(written)
}
