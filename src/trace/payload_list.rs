//! Places of very many payloads in little memory.

use super::payload::{PayloadRef, Span};

/// What is needed to read a payload: a [`PayloadRef`] without its hash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListedPayload {
    pub span: Span,
    /// Bytes of the decoded text.
    pub text_len: u64,
    /// Whether one carriage return is taken from the end of each line.
    pub strip_cr: bool,
    /// Whether its text is known to be JSON that every parser accepts unchanged.
    pub is_strict: bool,
}

impl From<&PayloadRef> for ListedPayload {
    fn from(payload: &PayloadRef) -> Self {
        let PayloadRef { span, text_len, strip_cr, .. } = *payload;
        ListedPayload { span, text_len, strip_cr, is_strict: false }
    }
}

/// A list of payloads in the order of the log.
///
/// A log has a chromium event for each begin and each end of a phase, ten times as many as compiles have files. So each
/// number is kept as its difference from the expected one, in as few bytes as it needs: six for most events, where
/// a [`PayloadRef`] has 56.
#[derive(Debug, Default, Clone)]
pub struct PayloadList {
    bytes: Vec<u8>,
    /// Where the last payload ends.
    end: u64,
}

impl PayloadList {
    pub fn push(&mut self, payload: impl Into<ListedPayload>) {
        let payload = payload.into();
        let Span { offset, len } = payload.span;
        self.push_number(offset.wrapping_sub(self.end));
        self.push_number(len);
        // Each line has a tab that the text lacks, so that the text is a little shorter than its lines.
        self.push_number(len.wrapping_sub(payload.text_len));
        self.push_number(u64::from(payload.strip_cr) | u64::from(payload.is_strict) << 1);
        self.end = offset.wrapping_add(len);
    }

    /// Seven bits per byte, lowest first; the highest bit says that more follow.
    fn push_number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    pub fn iter(&self) -> impl Iterator<Item = ListedPayload> {
        let mut bytes = self.bytes.iter().copied();
        let mut end = 0_u64;
        std::iter::from_fn(move || {
            let offset = end.wrapping_add(number(&mut bytes)?);
            let len = number(&mut bytes)?;
            let text_len = len.wrapping_sub(number(&mut bytes)?);
            let flags = number(&mut bytes)?;
            let (strip_cr, is_strict) = (flags & 1 != 0, flags & 2 != 0);
            end = offset.wrapping_add(len);
            Some(ListedPayload { span: Span { offset, len }, text_len, strip_cr, is_strict })
        })
    }

    /// Gives back memory that no payload uses.
    pub fn shrink_to_fit(&mut self) {
        self.bytes.shrink_to_fit();
    }
}

fn number(bytes: &mut impl Iterator<Item = u8>) -> Option<u64> {
    let (mut number, mut shift) = (0_u64, 0);
    loop {
        let byte = bytes.next()?;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_are_read_as_they_were_added_in_a_few_bytes_each() {
        let of = |offset, len, text_len, strip_cr| ListedPayload {
            span: Span { offset, len },
            text_len,
            strip_cr,
            is_strict: len % 3 == 0,
        };
        let usual = (0..1000).map(|at| of(700 * at + 180, 500 + at % 2, 480, at % 2 == 0));
        // No log has these, and no order is asked of a caller.
        let odd = [of(0, 0, 0, true), of(u64::MAX, u64::MAX, 0, false), of(3, 5, u64::MAX >> 1, true)];
        let payloads: Vec<ListedPayload> = usual.chain(odd).collect();
        let mut list = PayloadList::default();
        payloads.iter().for_each(|payload| list.push(*payload));
        let read: Vec<ListedPayload> = list.iter().collect();
        assert_eq!(read, payloads);
        assert!(list.bytes.len() < 7 * payloads.len(), "{} bytes", list.bytes.len());
    }
}
