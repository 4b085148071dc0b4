//! Follows the logs of a running program.

use crate::events::{Follower, Registry};
use crate::model::CompileNews;
use crate::trace::{log_files, rank_of_file_name};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes of one read.
const WINDOW: u64 = 8 << 20;

/// Follows logs, and folders in which logs appear.
pub struct Watch<'r> {
    paths: Vec<PathBuf>,
    registry: &'r Registry,
    logs: BTreeMap<PathBuf, FollowedLog>,
}

/// What was appended since the last call.
#[derive(Debug, Default)]
pub struct Appended {
    /// Compiles that ended, each with the rank of its log, if its name has one.
    pub news: Vec<(Option<u64>, CompileNews)>,
    /// Whether a log grew or appeared.
    pub grew: bool,
}

struct FollowedLog {
    follower: Follower,
    read: u64,
    rank: Option<u64>,
}

impl<'r> Watch<'r> {
    /// Plain logs, and folders that need not exist yet.
    #[must_use]
    pub fn new(paths: &[PathBuf], registry: &'r Registry) -> Watch<'r> {
        Watch { paths: paths.to_vec(), registry, logs: BTreeMap::new() }
    }

    /// Reads what was appended since the last call, including new logs.
    ///
    /// # Errors
    /// A log cannot be read.
    pub fn poll(&mut self) -> Result<Appended> {
        let mut found = Appended::default();
        for path in self.paths.clone() {
            let logs = if path.is_file() { vec![path] } else { log_files(&path) };
            // Compressed logs do not grow.
            for log in logs.into_iter().filter(|log| log.extension().is_none_or(|ending| ending == "log")) {
                self.read(&log, &mut found).with_context(|| format!("cannot read {}", log.display()))?;
            }
        }
        Ok(found)
    }

    /// Finishes records that may have been incomplete, once the logs have stopped growing.
    ///
    /// # Errors
    /// As [`Watch::poll`].
    pub fn rest(&mut self) -> Result<Appended> {
        let mut found = Appended::default();
        for log in self.logs.values_mut() {
            let news = log.follower.rest()?;
            found.news.extend(news.into_iter().map(|news| (log.rank, news)));
        }
        Ok(found)
    }

    fn read(&mut self, path: &Path, found: &mut Appended) -> Result<()> {
        let mut file = File::open(path)?;
        let len = file.metadata()?.len();
        let registry = self.registry;
        let rank = path.file_name().and_then(|name| rank_of_file_name(&name.to_string_lossy()));
        let new = || FollowedLog { follower: Follower::new(registry), read: 0, rank };
        let log = self.logs.entry(path.to_owned()).or_insert_with(|| {
            found.grew = true;
            new()
        });
        if len < log.read {
            // The log was overwritten.
            *log = new();
        }
        file.seek(SeekFrom::Start(log.read))?;
        while log.read < len {
            let mut appended = Vec::new();
            let read = (&mut file).take(WINDOW.min(len - log.read)).read_to_end(&mut appended)? as u64;
            if read == 0 {
                break;
            }
            log.read += read;
            found.grew = true;
            let news = log.follower.feed(&appended)?;
            found.news.extend(news.into_iter().map(|news| (log.rank, news)));
        }
        Ok(())
    }
}
