//! A program against upstream's library: a step of a pipeline that puts every file into a store, by its path.

use std::collections::BTreeMap;
use std::path::Path;
use tlparse::{ParseConfig, parse_path};

/// What a store of objects does.
pub trait Store {
    /// Keeps an object.
    fn put(&mut self, key: &str, bytes: &[u8]);
}

impl Store for BTreeMap<String, Vec<u8>> {
    fn put(&mut self, key: &str, bytes: &[u8]) {
        self.insert(key.to_owned(), bytes.to_vec());
    }
}

/// Uploads the files of a log below a prefix.
pub fn run(log: &Path, prefix: &str, store: &mut dyn Store) -> anyhow::Result<usize> {
    let config = ParseConfig {
        plain_text: true,
        custom_header_html: "<p>job 7</p>".to_string(),
        ..Default::default()
    };
    let output = parse_path(&log.to_path_buf(), &config)?;
    for (path, content) in &output {
        store.put(&format!("{prefix}/{}", path.display()), content.as_bytes());
    }
    Ok(output.len())
}
