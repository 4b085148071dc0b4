//! Records in their order, in memory that does not grow with their number: what is more than a megabyte goes, each
//! part sorted, to a temporary file without a name, and the parts are merged while they are read.

use super::payload::Span;
use super::source::ReaderAt;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};

/// Bytes of records that are held in memory.
const HELD: usize = 1 << 20;
/// Bytes of a part that are read at once.
const READ_AT_ONCE: usize = 8 << 10;

/// A few numbers that are kept with millions of their kind.
pub trait SortedRecord: Copy {
    /// An array of words that holds the record.
    type Words: AsRef<[u64]> + AsMut<[u64]> + Default;

    fn to_words(&self) -> Self::Words;

    /// The record that words hold.
    fn of_words(words: Self::Words) -> Self;

    /// Which of two comes first. Equal ones stay in the order in which they were added.
    fn order(&self, other: &Self) -> Ordering;
}

/// Two numbers in one word.
pub fn word_of(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// The two numbers of a word.
pub fn halves_of(word: u64) -> (u32, u32) {
    ((word >> 32) as u32, (word & u64::from(u32::MAX)) as u32)
}

/// Takes records in any order.
#[derive(Debug)]
pub struct Sorter<R> {
    /// How many are held before they go to the file.
    most: usize,
    added: Sorted<R>,
}

type Order<R> = fn(&R, &R) -> Ordering;

impl<R: SortedRecord> Default for Sorter<R> {
    fn default() -> Self {
        Sorter::by(R::order)
    }
}

impl<R> Sorter<R> {
    /// Takes records that are wanted in another order than their own.
    pub fn by(order: Order<R>) -> Sorter<R> {
        let added = Sorted { held: Vec::new(), count: 0, order, file: None, parts: Vec::new() };
        Sorter { most: HELD / size_of::<R>().max(1), added }
    }
}

impl<R: SortedRecord> Sorter<R> {
    /// How many records there are.
    pub fn count(&self) -> usize {
        self.added.count
    }

    /// Adds a record.
    pub fn push(&mut self, record: R) {
        if self.added.held.len() >= self.most && self.added.spill().is_err() {
            // Where no file can be written, there is still memory.
            self.most = usize::MAX;
        }
        self.added.held.push(record);
        self.added.count += 1;
    }

    /// The records in their order.
    pub fn sorted(mut self) -> Sorted<R> {
        self.added.held.sort_by(self.added.order);
        self.added
    }
}

/// Records in their order.
#[derive(Debug)]
pub struct Sorted<R> {
    held: Vec<R>,
    count: usize,
    order: Order<R>,
    file: Option<File>,
    /// Where in the file the sorted parts are.
    parts: Vec<Span>,
}

impl<R: SortedRecord> Default for Sorted<R> {
    fn default() -> Self {
        Sorter::default().added
    }
}

impl<R: SortedRecord> Sorted<R> {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Moves the records in memory to the file.
    fn spill(&mut self) -> io::Result<()> {
        self.held.sort_by(self.order);
        let mut file = match &self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile()?),
        };
        let offset = self.parts.last().map_or(0, |part| part.offset + part.len);
        file.seek(SeekFrom::Start(offset))?;
        let mut out = BufWriter::with_capacity(READ_AT_ONCE * 8, file);
        let mut len = 0;
        for record in &self.held {
            for word in record.to_words().as_ref() {
                out.write_all(&word.to_le_bytes())?;
                len += size_of::<u64>() as u64;
            }
        }
        out.flush()?;
        self.parts.push(Span { offset, len });
        self.held.clear();
        Ok(())
    }

    /// All records, as often as they are asked for.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    pub fn iter(&self) -> io::Result<Merge<'_, R>> {
        let mut merge = Merge { heads: BinaryHeap::new(), parts: Vec::new() };
        if let Some(file) = &self.file {
            merge
                .parts
                .extend(self.parts.iter().map(|part| Box::new(records_in(file, *part)) as SortedPart<'_, R>));
        }
        // Of equal records, the one added last comes last.
        merge.parts.push(Box::new(self.held.iter().copied().map(Ok)));
        for (place, part) in merge.parts.iter_mut().enumerate() {
            let first = part.next().transpose()?;
            merge.heads.extend(first.map(|record| RunHead { record, place, order: self.order }));
        }
        Ok(merge)
    }
}

impl<R: SortedRecord> FromIterator<R> for Sorted<R> {
    fn from_iter<I: IntoIterator<Item = R>>(records: I) -> Self {
        let mut sorter = Sorter::default();
        records.into_iter().for_each(|record| sorter.push(record));
        sorter.sorted()
    }
}

/// The records of a part of the file.
fn records_in<R: SortedRecord>(file: &File, part: Span) -> impl Iterator<Item = io::Result<R>> {
    let mut bytes = BufReader::with_capacity(READ_AT_ONCE, ReaderAt::new(file, part));
    let size = size_of_val(R::Words::default().as_ref()).max(1) as u64;
    (0..part.len / size).map(move |_| {
        let mut words = R::Words::default();
        for word in words.as_mut() {
            let mut of_word = [0; size_of::<u64>()];
            bytes.read_exact(&mut of_word)?;
            *word = u64::from_le_bytes(of_word);
        }
        Ok(R::of_words(words))
    })
}

/// Records of several parts, in one order.
pub struct Merge<'s, R> {
    /// The next record of each part that has one.
    heads: BinaryHeap<RunHead<R>>,
    /// What follows in each part.
    parts: Vec<SortedPart<'s, R>>,
}

type SortedPart<'s, R> = Box<dyn Iterator<Item = io::Result<R>> + 's>;

struct RunHead<R> {
    record: R,
    place: usize,
    order: Order<R>,
}

impl<R> Ord for RunHead<R> {
    /// A heap gives its largest first, so what comes first is larger.
    fn cmp(&self, other: &Self) -> Ordering {
        (self.order)(&other.record, &self.record).then(other.place.cmp(&self.place))
    }
}

impl<R> PartialOrd for RunHead<R> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<R> PartialEq for RunHead<R> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<R> Eq for RunHead<R> {}

impl<R: SortedRecord> Merge<'_, R> {
    /// The next record in order; None after the last.
    ///
    /// # Errors
    /// The temporary file cannot be read.
    pub fn next(&mut self) -> io::Result<Option<R>> {
        let Some(mut head) = self.heads.peek_mut() else { return Ok(None) };
        let record = head.record;
        match self.parts.get_mut(head.place).and_then(Iterator::next).transpose()? {
            Some(following) => head.record = following,
            None => drop(PeekMut::pop(head)),
        }
        Ok(Some(record))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, Copy, PartialEq)]
    struct Numbered {
        key: u32,
        number: u32,
        length: f64,
    }

    impl SortedRecord for Numbered {
        type Words = [u64; 2];

        fn to_words(&self) -> [u64; 2] {
            [word_of(self.key, self.number), self.length.to_bits()]
        }

        fn of_words([names, length]: [u64; 2]) -> Self {
            let (key, number) = halves_of(names);
            Numbered { key, number, length: f64::from_bits(length) }
        }

        fn order(&self, other: &Self) -> Ordering {
            self.key.cmp(&other.key)
        }
    }

    fn read(sorted: &Sorted<Numbered>) -> Vec<Numbered> {
        let mut merge = sorted.iter().unwrap();
        std::iter::from_fn(|| merge.next().unwrap()).collect()
    }

    #[test]
    fn records_come_in_order_however_many_are_held_and_equal_ones_as_they_were_added() {
        let added: Vec<Numbered> = (0..10_000)
            .map(|number| Numbered { key: number * 7919 % 1_000, number, length: f64::from(number) / 3.0 })
            .collect();
        let mut expected = added.clone();
        expected.sort_by_key(|record| record.key);
        for most in [7, 97, 3_000, 10_000, usize::MAX] {
            let mut sorter = Sorter { most, added: Sorted::default() };
            added.iter().for_each(|record| sorter.push(*record));
            let sorted = sorter.sorted();
            assert_eq!((sorted.count, sorted.file.is_some()), (10_000, most < 10_000));
            assert!(read(&sorted) == expected, "holding {most}");
            assert!(read(&sorted) == expected, "they can be read again");
        }
    }

    #[test]
    fn two_readers_of_one_file_do_not_disturb_each_other() {
        let mut sorter = Sorter { most: 500, added: Sorted::default() };
        (0..4_000).for_each(|number| sorter.push(Numbered { key: number, number, length: 0.0 }));
        let sorted = sorter.sorted();
        let (mut left, mut right) = (sorted.iter().unwrap(), sorted.iter().unwrap());
        for number in 0..4_000 {
            let both = [left.next(), right.next()].map(|record| record.unwrap().unwrap().number);
            assert_eq!(both, [number; 2]);
        }
        assert_eq!(left.next().unwrap(), None);
    }
}
