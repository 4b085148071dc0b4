//! Ids of the texts and lists in the reports of a job's ranks: equal ids mean equal content.

use std::num::NonZeroU32;

/// A place in a list that holds each entry once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct EntryId(NonZeroU32);

impl EntryId {
    /// A job has fewer than 4 billion entries of a kind; beyond, all are the last.
    fn of_index(index: usize) -> EntryId {
        let place = u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1);
        EntryId(NonZeroU32::new(place).unwrap_or(NonZeroU32::MAX))
    }

    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

macro_rules! ids {
    ($($(#[$about:meta])* $name:ident;)*) => {
        $(
            $(#[$about])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $name(EntryId);

            impl $name {
                pub(super) fn of_index(index: usize) -> $name {
                    $name(EntryId::of_index(index))
                }

                pub fn index(self) -> usize {
                    self.0.index()
                }
            }
        )*
    };
}

ids! {
    TextId;
    TextListId;
    TensorListId;
    /// A compile of a function, whatever its id on a rank: in the order in which ranks first compile it.
    GraphId;
}

/// A line in a program, or a whole file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodePlace {
    pub file: TextId,
    pub line: Option<i64>,
}
