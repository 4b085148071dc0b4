//! Opens inputs of all shapes. The members of an archive are unpacked into one temporary file without a name, so nothing of it is
//! left however the program ends, and no name in an archive becomes a path on the disk.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};

use crate::hidden::is_hidden;
use crate::limits::CELL;

use super::archive::{ArchiveKind, for_each_member};
use super::attachment::Attachment;
use super::collected::{Form, Printed, Restored, printed, printed_in, restore};
use super::envelope::{clean_header, without_bom};
use super::names::{STDIN, is_log_name, name_of, shown, siblings_of};
use super::payload::Span;
use super::prefix::Prefix;
use super::source::{Source, StoredLog, base_name};
use super::unpack::{Limit, Limited, Packing, copy_unpacked, unpacked, unpacking};

/// Endings of archives within an archive. Files of other programs, such as saved models, are zips too.
const ARCHIVE_ENDINGS: [&str; 5] = [".zip", ".tar", ".tgz", ".tar.gz", ".tar.zst"];
/// How deep archives may be nested.
const MOST_LEVELS: usize = 2;
/// Bytes of a file without the name of a log that are searched for a first record.
const HEAD: u64 = 4 << 10;
/// How names of files end that may be attachments, and bytes of one that are looked at.
const ATTACHMENT_ENDINGS: [&str; 3] = [".json", ".json.gz", ".json.zst"];
const ATTACHMENT_HEAD: u64 = 64 << 10;
/// Reports hold files that look like attachments, and begin like this.
const OF_REPORT: &str = "chromium_";

/// Opens the inputs of a run.
#[derive(Debug)]
pub struct Opener {
    limit: Limit,
    /// What came from archives, one log after the other, and how many bytes that is. Plain logs need no temporary file.
    store: Option<Arc<File>>,
    used: u64,
    logs: BTreeMap<PathBuf, StoredLog>,
    /// Files of archives that are kept but are not logs, in archive order.
    attachments: Vec<Attachment>,
    /// Whether a file that begins like this is one of them.
    is_wanted: fn(&[u8]) -> bool,
    /// What came from standard input, still packed.
    stdin: Option<File>,
    /// Lines between records that were left out when logs were restored.
    left_out: u64,
}

impl Opener {
    /// Opens inputs that unpack to no more than the limit, and keeps JSON files of archives that begin in a certain way.
    pub fn new(limit: Limit, is_wanted: fn(&[u8]) -> bool) -> Opener {
        let (logs, attachments) = (BTreeMap::new(), Vec::new());
        Opener { limit, store: None, used: 0, logs, attachments, is_wanted, stdin: None, left_out: 0 }
    }

    /// What was kept besides logs.
    pub fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }

    /// How many lines between records were left out, because they are output of the program beside them.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Opens a log on the disk, from an archive, or from standard input.
    ///
    /// # Errors
    /// It cannot be opened, or unpacks to more than the limit.
    pub fn open(&self, path: &Path) -> Result<Source> {
        if let (Some(log), Some(store)) = (self.logs.get(path), &self.store) {
            return Ok(Source::at(Arc::clone(store), log.clone(), Some(self.beside(path)))?);
        }
        if path != Path::new(STDIN) {
            return Source::open(path, self.limit);
        }
        let Some(spooled) = &self.stdin else {
            return Source::spooled(path, io::stdin().lock(), self.limit);
        };
        let about = || "cannot read standard input".to_owned();
        let mut file = spooled.try_clone().with_context(about)?;
        file.rewind().with_context(about)?;
        Source::of_file(path, file, self.limit, about)
    }

    /// What a program printed beside what a log was made of, which is a console; None for one from an archive.
    ///
    /// # Errors
    /// It cannot be read again.
    pub fn printed(&self, path: &Path) -> io::Result<Option<Printed>> {
        let is_input = |path: &&Path| *path == Path::new(STDIN) || path.is_file();
        // The log of one of several processes is named below the input.
        match (path.ancestors().take(2).find(is_input), &self.stdin) {
            (Some(input), Some(spooled)) if input == Path::new(STDIN) => {
                let mut file = spooled.try_clone()?;
                file.rewind()?;
                printed_in(unpacked(file)?, self.limit).map(Some)
            }
            (input, _) => input.map(|input| printed(input, self.limit)).transpose(),
        }
    }

    /// The logs of an archive, sorted by name; None if the input is not an archive. Standard input is read to its end.
    ///
    /// # Errors
    /// The archive is damaged, holds no log, or goes beyond a limit.
    pub fn unpack(&mut self, path: &Path) -> Result<Option<Vec<PathBuf>>> {
        let shown = shown(path);
        let about = || format!("cannot read {shown}");
        let mut file = if path == Path::new(STDIN) {
            let mut file = tempfile::tempfile().with_context(about)?;
            let copied = io::copy(&mut Limited::new(io::stdin().lock(), self.limit, 0), &mut file);
            copied.with_context(about)?;
            self.stdin = Some(file.try_clone().with_context(about)?);
            file
        } else if path.is_file() {
            // Where it cannot be opened, whoever reads it says so.
            let Ok(file) = File::open(path) else { return Ok(None) };
            file
        } else {
            return Ok(None);
        };
        let Some(kind) = ArchiveKind::detect(&mut file).with_context(about)? else {
            return self.restore(&mut file, path).with_context(about);
        };
        let logs =
            self.members(&mut file, kind, path, 1).with_context(|| format!("cannot unpack {shown}"))?;
        if logs.is_empty() {
            bail!(
                "{shown} is an archive without a log: none of its files is one that torch wrote with TORCH_TRACE=DIR"
            );
        }
        Ok(Some(logs))
    }

    /// The logs of the processes whose lines a job system mixed in a file. None for a log as torch wrote it.
    fn restore(&mut self, file: &mut File, path: &Path) -> Result<Option<Vec<PathBuf>>> {
        // What is damaged is told by whoever reads it.
        let Ok((packing, stream)) = unpacking(&mut *file) else { return Ok(None) };
        let mut stream = Limited::new(stream, self.limit, self.used);
        let Ok((Some(form), sample)) = Form::of_stream(&mut stream) else { return Ok(None) };
        let stream = sample.as_slice().chain(stream);
        let (restored, incomplete) = match packing {
            Packing::Plain => (restore(stream, form, false)?, None),
            _ => {
                let mut unpacked = tempfile::tempfile()?;
                let (_, incomplete) = copy_unpacked(stream, &mut unpacked)?;
                unpacked.rewind()?;
                (restore(unpacked, form, false)?, incomplete)
            }
        };
        let is_one = restored.len() == 1;
        let mut found = Vec::new();
        for Restored { name, mut file, left_out } in restored {
            let own = if is_one { path.to_owned() } else { self.unused(path_of(path, &name)) };
            let store = self.store()?;
            let offset = (&*store).seek(SeekFrom::End(0))?;
            let len = io::copy(&mut file, &mut &*store)?;
            self.used = self.used.saturating_add(len);
            self.left_out += left_out;
            let span = Span { offset, len };
            self.logs
                .insert(own.clone(), StoredLog { path: own.clone(), span, incomplete: incomplete.clone() });
            found.push(own);
        }
        found.sort();
        Ok((!found.is_empty()).then_some(found))
    }

    /// The path, with a number if another log has it.
    fn unused(&self, path: PathBuf) -> PathBuf {
        let name = name_of(&path).into_owned();
        let numbered = (2..).map(|number| path.with_file_name(format!("{name} {number}")));
        let mut all = std::iter::once(path.clone()).chain(numbered);
        all.find(|path| !self.logs.contains_key(path)).unwrap_or(path)
    }

    /// The file in which logs are stored.
    fn store(&mut self) -> Result<Arc<File>> {
        if let Some(store) = &self.store {
            return Ok(Arc::clone(store));
        }
        let store = tempfile::tempfile().context("no temporary file can be made")?;
        Ok(Arc::clone(self.store.insert(Arc::new(store))))
    }

    /// The logs beside a stored one that torch may have written in the same run, in the order in which they are searched.
    fn beside(&self, path: &Path) -> Vec<StoredLog> {
        let files_in = |folder: &Path| {
            self.logs.keys().filter(|other| other.parent() == Some(folder)).cloned().collect()
        };
        siblings_of(path, files_in).iter().filter_map(|path| self.logs.get(path).cloned()).collect()
    }

    /// Stores the logs of an archive and of those in it.
    fn members(
        &mut self,
        file: &mut File,
        kind: ArchiveKind,
        within: &Path,
        level: usize,
    ) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for_each_member(file, kind, self.limit, &mut |name, content| {
            let path = path_of(within, name);
            if is_archive_name(name) {
                found.extend(self.archive_within(&path, content, level)?);
            } else if let Some(log) = self.store_member(&path, content)? {
                found.push(log.path.clone());
                self.logs.insert(log.path.clone(), log);
            }
            Ok(())
        })?;
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// The logs of an archive within another.
    fn archive_within(&mut self, path: &Path, content: &mut dyn Read, level: usize) -> Result<Vec<PathBuf>> {
        if level >= MOST_LEVELS {
            bail!(
                "{} is an archive in an archive in an archive, and {MOST_LEVELS} levels are the limit; unpack it first",
                path.display()
            );
        }
        let mut file = tempfile::tempfile()?;
        let about = || format!("{}", path.display());
        io::copy(&mut Limited::new(content, self.limit, self.used), &mut file).with_context(about)?;
        match ArchiveKind::detect(&mut file)? {
            Some(kind) => self.members(&mut file, kind, path, level + 1).with_context(about),
            None => Ok(Vec::new()),
        }
    }

    /// Copies a member into the store, if it is a log, by its name or because it begins with a record, or an attachment. The
    /// result is the log.
    fn store_member(&mut self, path: &Path, content: &mut dyn Read) -> Result<Option<StoredLog>> {
        let is_named = is_log_name(&name_of(path));
        let may_be_attachment = may_be_attachment(path);
        let looked_at = if may_be_attachment { ATTACHMENT_HEAD } else { HEAD };
        let mut head = Vec::new();
        let found = unpacking(content).and_then(|(packing, mut stream)| {
            (&mut stream).take(looked_at).read_to_end(&mut head)?;
            Ok((packing, stream))
        });
        let about = || path.display().to_string();
        let (packing, stream) = match found {
            // Damage in a file that is not needed does not matter, and a packed log may be cut.
            Err(_) if !is_named => return Ok(None),
            found => found.with_context(about)?,
        };
        let is_attachment = may_be_attachment && (self.is_wanted)(&head);
        if !is_attachment && !is_named && !begins_with_record(&head) {
            return Ok(None);
        }
        let store = self.store()?;
        let offset = (&*store).seek(SeekFrom::End(0))?;
        let stream = Limited::new(head.as_slice().chain(stream), self.limit, self.used);
        let (len, incomplete) = copy_unpacked(stream, &mut &*store).with_context(about)?;
        if let (Packing::Plain, Some(why)) = (packing, &incomplete) {
            bail!("{}: {why}", path.display());
        }
        self.used = self.used.saturating_add(len);
        // The content is unpacked.
        let path = path.with_file_name(base_name(path));
        let span = Span { offset, len };
        if is_attachment {
            self.attachments.push(Attachment::stored(path, store, span));
            return Ok(None);
        }
        Ok(Some(StoredLog { path, span, incomplete }))
    }
}

/// What a member is called: the archive, then its parts without those that mean other folders.
fn path_of(within: &Path, name: &str) -> PathBuf {
    let parts = name.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | ".."));
    parts.fold(within.to_owned(), |path, part| path.join(clean(part)))
}

/// A part of a name, bounded and without what a terminal would act on.
fn clean(part: &str) -> String {
    let bounded = part.char_indices().take_while(|(at, c)| at + c.len_utf8() <= CELL);
    bounded.map(|(_, c)| if is_hidden(c) { '_' } else { c }).collect()
}

fn may_be_attachment(path: &Path) -> bool {
    let name = name_of(path).to_ascii_lowercase();
    !name.starts_with(OF_REPORT) && ATTACHMENT_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

fn is_archive_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ARCHIVE_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Whether the first line is the header of a record.
fn begins_with_record(head: &[u8]) -> bool {
    let end = memchr::memchr(b'\n', head).unwrap_or(head.len());
    let line = clean_header(without_bom(head.get(..end).unwrap_or_default(), 1));
    Prefix::parse(&line.text).is_some_and(|(_, json)| json.starts_with('{'))
}
