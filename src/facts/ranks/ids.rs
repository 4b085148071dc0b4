//! Ids of the texts and lists in the reports of a job's ranks: equal ids mean equal content.

use std::num::NonZeroU32;

macro_rules! ids {
    ($($(#[$about:meta])* $name:ident;)*) => {
        $(
            $(#[$about])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub struct $name(NonZeroU32);

            impl $name {
                /// A job has fewer than 4 billion entries of a kind; any beyond that share the last id.
                pub(super) fn of_index(index: usize) -> $name {
                    $name(NonZeroU32::MIN.saturating_add(u32::try_from(index).unwrap_or(u32::MAX)))
                }

                pub fn index(self) -> usize {
                    self.0.get() as usize - 1
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
