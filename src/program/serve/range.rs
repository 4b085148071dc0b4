//! The `Range` header of a request.

/// The requested part of a file.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum Wanted {
    /// All of it.
    Whole,
    /// The bytes from `first` to `last`, both included.
    Part {
        /// The first byte.
        first: u64,
        /// The last byte; not before the first.
        last: u64,
    },
    /// Bytes beyond the end of the file.
    Beyond,
}

impl Wanted {
    /// The meaning of a `Range` header for a file of `length` bytes. As the standard says, an unknown value means the
    /// whole file; so do several ranges.
    pub fn of(range: Option<&str>, length: u64) -> Wanted {
        let range = range.and_then(|range| range.trim().strip_prefix("bytes="));
        let Some((first, last)) = range.and_then(|range| range.trim().split_once('-')) else {
            return Wanted::Whole;
        };
        match (number(first), number(last)) {
            _ if range.is_some_and(|range| range.contains(',')) => Wanted::Whole,
            (Some(first), _) if first >= length && (last.is_empty() || number(last).is_some()) => {
                Wanted::Beyond
            }
            (Some(first), Some(last)) if first <= last => Wanted::Part { first, last: last.min(length - 1) },
            (Some(first), None) if last.is_empty() => Wanted::Part { first, last: length - 1 },
            // The last `count` bytes.
            (None, Some(count)) if first.is_empty() => match count.min(length) {
                0 => Wanted::Beyond,
                count => Wanted::Part { first: length - count, last: length - 1 },
            },
            _ => Wanted::Whole,
        }
    }
}

/// A number made of digits only: `parse` alone would accept `+1`.
fn number(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_cut_to_the_file() {
        let part = |first, last| Wanted::Part { first, last };
        for (range, wanted) in [
            ("bytes=0-0", part(0, 0)),
            ("bytes=2-5", part(2, 5)),
            ("bytes=2-500", part(2, 9)),
            ("bytes=9-", part(9, 9)),
            ("bytes=-3", part(7, 9)),
            ("bytes=-300", part(0, 9)),
        ] {
            assert_eq!(Wanted::of(Some(range), 10), wanted, "{range}");
        }
    }

    #[test]
    fn what_lies_beyond_the_file_is_refused() {
        for range in ["bytes=10-", "bytes=10-20", "bytes=18446744073709551615-", "bytes=-0"] {
            assert_eq!(Wanted::of(Some(range), 10), Wanted::Beyond, "{range}");
        }
        for range in ["bytes=0-", "bytes=-5", "bytes=0-0"] {
            assert_eq!(Wanted::of(Some(range), 0), Wanted::Beyond, "{range} of an empty file");
        }
    }

    #[test]
    fn what_is_not_understood_asks_for_the_whole() {
        let odd = [
            "bytes=5-2",
            "bytes=-",
            "bytes=a-b",
            "bytes=+1-2",
            "lines=1-2",
            "bytes",
            "bytes=0-1,4-5",
            "bytes=1-x",
        ];
        for range in odd {
            assert_eq!(Wanted::of(Some(range), 10), Wanted::Whole, "{range}");
        }
        assert_eq!(Wanted::of(Some("bytes=99999999999999999999-"), 10), Wanted::Whole);
        assert_eq!(Wanted::of(None, 10), Wanted::Whole);
    }
}
