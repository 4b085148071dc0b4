//! The string tables of a log: stacks name their files by number, and each process has its own numbers.

use std::collections::HashMap;

use super::maps::TextMap;
use crate::limits::{LONGEST_PATH, beginning};

/// The tables of the processes that wrote one log.
///
/// A reference can come before its definition, and a forked process uses strings that only its parent wrote. So a
/// reference is a slot that may be filled later.
#[derive(Default)]
pub struct StringTable {
    slots: Vec<Slot>,
    /// The slot that a process's number means now.
    current: HashMap<(u64, i64), u32>,
    /// The first definition of a number by any process, for processes that never define it.
    by_any: HashMap<i64, u32>,
    first_defined: HashMap<u64, i64>,
    first_pid: Option<u64>,
    /// Paths that frames carry themselves, in place of a number.
    literal: TextMap<Box<str>, u32>,
    /// The line of the record that is being read: a new slot is first referenced there.
    line: u64,
}

struct Slot {
    pid: u64,
    id: i64,
    line: u64,
    text: Option<Box<str>>,
}

/// A string of the table; valid for the table that gave it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FileRef(u32);

impl FileRef {
    /// No file: torch writes -1.
    pub const NONE: FileRef = FileRef(u32::MAX);
}

impl StringTable {
    /// Takes a definition of process `pid`. A later definition of the same number replaces it from then on.
    pub fn define(&mut self, pid: u64, id: i64, text: &str) {
        let first = self.first_defined.entry(pid).or_insert(id);
        *first = id.min(*first);
        if let Some(index) = self.fill(pid, id, text) {
            self.by_any.entry(id).or_insert(index);
        }
    }

    /// The string that number `id` means to process `pid` at this point of the log; -1 means no string.
    pub fn slot(&mut self, pid: u64, id: i64) -> FileRef {
        if id == -1 {
            return FileRef::NONE;
        }
        match self.current.get(&(pid, id)) {
            Some(index) => FileRef(*index),
            None => self.push(pid, id, None).map_or(FileRef::NONE, FileRef),
        }
    }

    /// The text; `None` for no file, and as long as nothing has defined it.
    pub fn get(&self, file: FileRef) -> Option<&str> {
        let slot = self.slots.get(file.0 as usize)?;
        let text = slot.text.as_deref().or_else(|| {
            let other = *self.by_any.get(&slot.id)?;
            self.slots.get(other as usize)?.text.as_deref()
        });
        text.map(|text| beginning(text, LONGEST_PATH))
    }

    /// The string that number `id` means to process `pid` at the end of the log, for stacks that are read again then.
    pub fn find(&self, pid: u64, id: i64) -> FileRef {
        let index = self.current.get(&(pid, id)).or_else(|| self.by_any.get(&id));
        index.map_or(FileRef::NONE, |index| FileRef(*index))
    }

    /// A path that a frame carries itself.
    pub fn literal(&mut self, path: &str) -> FileRef {
        if let Some(&index) = self.literal.get(path) {
            return FileRef(index);
        }
        let Ok(index) = u32::try_from(self.slots.len()) else { return FileRef::NONE };
        self.slots.push(Slot { pid: 0, id: -1, line: self.line, text: Some(path.into()) });
        self.literal.insert(path.into(), index);
        FileRef(index)
    }

    /// Sets the line of the log from which the following references come.
    pub fn at_line(&mut self, line: u64) {
        self.line = line;
    }

    /// The line that was read last.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The referenced strings that no process of this log defined, as (pid, number, line of the first reference), in
    /// order of first reference.
    pub fn unresolved(&self) -> Vec<(u64, i64, u64)> {
        let open = |slot: &&Slot| slot.text.is_none() && !self.by_any.contains_key(&slot.id);
        self.slots.iter().filter(open).map(|slot| (slot.pid, slot.id, slot.line)).collect()
    }

    /// Fills a reference that this log left open with a string found elsewhere; anything else is left as it is.
    pub fn adopt(&mut self, pid: u64, id: i64, text: &str) {
        let Some(slot) = self.current.get(&(pid, id)).and_then(|index| self.slots.get_mut(*index as usize))
        else {
            return;
        };
        slot.text.get_or_insert_with(|| text.into());
    }

    /// The smallest number that the process itself defined.
    pub fn first_defined(&self, pid: u64) -> Option<i64> {
        self.first_defined.get(&pid).copied()
    }

    /// The strings of the log's first process by number, in ascending order.
    pub fn table(&self) -> impl Iterator<Item = (i64, &str)> {
        let of_first = |slot: &(&(u64, i64), &u32)| Some(slot.0.0) == self.first_pid;
        let text = |index: u32| self.slots.get(index as usize)?.text.as_deref();
        let found = self.current.iter().filter(of_first);
        let mut table: Vec<(i64, &str)> =
            found.filter_map(|((_, id), index)| Some((*id, text(*index)?))).collect();
        table.sort_unstable();
        table.into_iter()
    }

    /// Fills the open slot of this number, or begins a new slot if it has another text already.
    fn fill(&mut self, pid: u64, id: i64, text: &str) -> Option<u32> {
        if let Some(index) = self.current.get(&(pid, id)).copied()
            && let Some(slot) = self.slots.get_mut(index as usize)
        {
            match slot.text.as_deref() {
                None => {
                    slot.text = Some(text.into());
                    return Some(index);
                }
                Some(old) if old == text => return Some(index),
                Some(_) => {}
            }
        }
        self.push(pid, id, Some(text.into()))
    }

    fn push(&mut self, pid: u64, id: i64, text: Option<Box<str>>) -> Option<u32> {
        self.first_pid.get_or_insert(pid);
        let index = u32::try_from(self.slots.len()).ok().filter(|index| *index != FileRef::NONE.0)?;
        self.slots.push(Slot { pid, id, line: self.line, text });
        self.current.insert((pid, id), index);
        Some(index)
    }
}
