//! The kernels of generated code, counted by name.

use crate::limits::KEPT;
use std::sync::Arc;

/// Kernels by name: how often each is defined, or called where a library has it.
///
/// A compile has two or three, and there may be ten thousand compiles: a list in order of names takes a fourth of what a
/// map would.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct KernelCounts(Vec<(Arc<str>, u64)>);

impl KernelCounts {
    /// All of them, in order of names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(name, count)| (&**name, *count))
    }

    /// Adds what a text has; names beyond the limit are left out. Texts of one name are best one text.
    pub fn add(&mut self, counts: impl IntoIterator<Item = (Arc<str>, u64)>) {
        let known = self.0.len();
        for (name, count) in counts {
            let sorted = self.0.get(..known).unwrap_or_default();
            match sorted.binary_search_by(|(other, _)| other.cmp(&name)) {
                Ok(at) => self.0.get_mut(at).into_iter().for_each(|(_, sum)| *sum += count),
                Err(_) if self.0.len() < KEPT => self.0.push((name, count)),
                Err(_) => {}
            }
        }
        self.0.sort_unstable();
        self.0.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_several_texts_are_added_up_in_order_of_names() {
        let mut counts = KernelCounts::default();
        let of =
            |names: &[(&str, u64)]| names.iter().map(|(name, n)| ((*name).into(), *n)).collect::<Vec<_>>();
        counts.add(of(&[("mm", 2), ("triton_1", 1)]));
        counts.add(of(&[("add", 1), ("mm", 3), ("z", 1)]));
        let all: Vec<(&str, u64)> = counts.iter().collect();
        assert_eq!(all, [("add", 1), ("mm", 5), ("triton_1", 1), ("z", 1)]);
    }

    #[test]
    fn names_beyond_the_limit_are_left_out_and_known_ones_counted_on() {
        let mut counts = KernelCounts::default();
        counts.add((0..KEPT).map(|number| (format!("{number:06}").into(), 1)));
        counts.add([("000000".into(), 1), ("new".into(), 1)]);
        assert_eq!(counts.iter().count(), KEPT);
        assert_eq!(counts.iter().next(), Some(("000000", 2)));
    }
}
