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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_keeps_the_string_it_had_when_a_number_is_given_anew() {
        let mut table = StringTable::default();
        table.define(1, 0, "a.py");
        let old = table.slot(1, 0);
        table.define(1, 0, "b.py");
        assert_eq!(table.get(old), Some("a.py"));
        let new = table.slot(1, 0);
        assert_eq!(table.get(new), Some("b.py"));
        table.define(1, 0, "b.py");
        assert_eq!(table.slot(1, 0), new);
        assert_eq!(table.table().collect::<Vec<_>>(), [(0, "b.py")]);
    }

    #[test]
    fn strings_may_come_after_their_use() {
        let mut table = StringTable::default();
        let (a, b) = (table.slot(1, 0), table.slot(1, 1));
        assert_eq!(table.unresolved(), [(1, 0, 0), (1, 1, 0)]);
        table.define(1, 1, "b.py");
        assert_eq!((table.get(a), table.get(b)), (None, Some("b.py")));
        assert_eq!(table.unresolved(), [(1, 0, 0)]);
        assert_eq!(table.slot(1, 0), a);
    }

    #[test]
    fn a_forked_process_reads_its_parents_strings_until_it_defines_its_own() {
        let mut table = StringTable::default();
        table.define(1, 0, "parent.py");
        let inherited = table.slot(2, 0);
        assert_eq!(table.get(inherited), Some("parent.py"));
        assert!(table.unresolved().is_empty());
        table.define(1, 1, "of parent.py");
        table.define(2, 1, "of child.py");
        let (parent, child) = (table.slot(1, 1), table.slot(2, 1));
        assert_eq!((table.get(parent), table.get(child)), (Some("of parent.py"), Some("of child.py")));
        let found = |pid, id| table.get(table.find(pid, id));
        assert_eq!((found(2, 1), found(3, 0), found(2, 7)), (Some("of child.py"), Some("parent.py"), None));
        assert_eq!(
            (table.first_defined(1), table.first_defined(2), table.first_defined(3)),
            (Some(0), Some(1), None)
        );
        assert_eq!(table.table().count(), 2);
    }

    #[test]
    fn no_file_and_huge_numbers_cost_nothing() {
        let mut table = StringTable::default();
        assert_eq!(table.slot(1, -1), FileRef::NONE);
        assert_eq!(table.get(FileRef::NONE), None);
        table.define(1, i64::MAX, "far.py");
        let far = table.slot(1, i64::MAX);
        assert_eq!(table.get(far), Some("far.py"));
        table.slot(1, i64::MIN);
        assert_eq!(table.unresolved(), [(1, i64::MIN, 0)]);
    }

    #[test]
    fn a_string_found_elsewhere_fills_an_open_reference_only() {
        let mut table = StringTable::default();
        let open = table.slot(1, 0);
        table.define(1, 1, "own.py");
        let own = table.slot(1, 1);
        for id in 0..3 {
            table.adopt(1, id, "sibling.py");
        }
        assert_eq!((table.get(open), table.get(own)), (Some("sibling.py"), Some("own.py")));
        assert!(table.unresolved().is_empty());
        assert_eq!(table.table().collect::<Vec<_>>(), [(0, "sibling.py"), (1, "own.py")]);
    }
}
