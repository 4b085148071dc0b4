//! Cuts the JSON of a trace into its top-level fields and its events, without holding more than one of them.

use super::scan::Event;
use std::io::{self, Read};

/// How much is read at once.
const CHUNK: usize = 1 << 20;
/// Bytes of one event or field that are kept. The largest recorded events, calls with a hundred inputs, have about 20 KB.
const LARGEST: usize = 16 << 20;
/// The field that holds the events.
const EVENTS: &str = "traceEvents";

pub(super) enum TracePiece<'b> {
    /// A top-level field other than the events, with the text of its value.
    Field {
        name: &'b str,
        value: &'b [u8],
    },
    Event(Event<'b>),
    /// An entry of the list that is not an object, or is too large.
    Unreadable,
}

/// Gives every piece of a trace to `take`, in the order of the file. The result says why the reading ended early, when it
/// did.
///
/// # Errors
/// The first one of `take`.
pub(super) fn for_each_piece(
    reader: impl Read,
    mut take: impl FnMut(TracePiece<'_>) -> io::Result<()>,
) -> io::Result<Option<String>> {
    let mut text = Window { reader, buffer: Vec::new(), start: 0, end: 0, at: 0 };
    let mut taken = Ok(());
    let read = pieces(&mut text, &mut |piece| {
        taken = take(piece);
        if taken.is_ok() { Ok(()) } else { Err(odd("it is not wanted any more")) }
    });
    taken?;
    Ok(read.err().map(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => format!("it ends in the middle, after {} bytes", text.position()),
        _ => format!("after {} bytes: {error}", text.position()),
    }))
}

fn pieces<R: Read>(
    text: &mut Window<R>,
    take: &mut impl FnMut(TracePiece<'_>) -> io::Result<()>,
) -> io::Result<()> {
    match text.token()? {
        Some(b'[') => return events(text, take),
        Some(b'{') => text.advance(1),
        _ => return Err(odd("it does not begin as a trace does")),
    }
    loop {
        match text.token()? {
            Some(b'}') => return Ok(()),
            Some(b'"') => {}
            Some(_) => return Err(odd("a field has no name")),
            None => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
        let name = text.value()?.and_then(|name| serde_json::from_slice::<String>(name).ok());
        let name = name.ok_or_else(|| odd("a field's name cannot be read"))?;
        if text.token()? != Some(b':') {
            return Err(odd("a field has no value"));
        }
        text.advance(1);
        if name == EVENTS && text.token()? == Some(b'[') {
            events(text, take)?;
        } else {
            text.token()?;
            if let Some(value) = text.value()? {
                take(TracePiece::Field { name: &name, value })?;
            }
        }
    }
}

/// The list of events, from its bracket on.
fn events<R: Read>(
    text: &mut Window<R>,
    take: &mut impl FnMut(TracePiece<'_>) -> io::Result<()>,
) -> io::Result<()> {
    text.advance(1);
    loop {
        let is_event = match text.token()? {
            Some(b']') => {
                text.advance(1);
                return Ok(());
            }
            Some(b'}' | b':') => return Err(odd("the list of events is broken")),
            Some(first) => first == b'{',
            None => return Err(io::ErrorKind::UnexpectedEof.into()),
        };
        if is_event && let Some(event) = Event::at_start(text.rest()) {
            let length = event.text.len();
            take(TracePiece::Event(event))?;
            text.advance(length);
            continue;
        }
        // It continues after what was read, or is broken.
        match text.value()?.filter(|_| is_event).and_then(Event::at_start) {
            Some(event) => take(TracePiece::Event(event))?,
            None => take(TracePiece::Unreadable)?,
        }
    }
}

fn odd(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// The part of the text that is in memory.
struct Window<R> {
    reader: R,
    buffer: Vec<u8>,
    /// What is not consumed yet, in the buffer.
    start: usize,
    end: usize,
    /// Bytes of the text before the buffer.
    at: u64,
}

impl<R: Read> Window<R> {
    fn rest(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    fn position(&self) -> u64 {
        self.at + self.end as u64
    }

    fn advance(&mut self, by: usize) {
        self.start = (self.start + by).min(self.end);
    }

    /// Appends more of the text to the buffer. False at its end.
    fn more(&mut self) -> io::Result<bool> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.at += self.start as u64;
            self.end -= self.start;
            self.start = 0;
        }
        if self.buffer.len() < self.end + CHUNK {
            self.buffer.resize(self.end + CHUNK, 0);
        }
        let free = self.buffer.get_mut(self.end..).unwrap_or_default();
        let read = self.reader.read(free)?;
        self.end += read;
        Ok(read > 0)
    }

    /// The next byte that is neither white space nor a comma; None at the end of the text.
    fn token(&mut self) -> io::Result<Option<u8>> {
        loop {
            let space = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
            let skipped = self.rest().iter().take_while(|byte| space(byte)).count();
            self.advance(skipped);
            if let Some(byte) = self.rest().first() {
                return Ok(Some(*byte));
            }
            if !self.more()? {
                return Ok(None);
            }
        }
    }

    /// Consumes the value that begins here and gives its text; None where it is too large to be kept.
    fn value(&mut self) -> io::Result<Option<&[u8]>> {
        let mut skim = Skim::default();
        let mut seen = 0;
        let mut kept = true;
        loop {
            let unseen = self.rest().get(seen..).unwrap_or_default();
            if let Some(end) = skim.end_in(unseen) {
                let from = self.start;
                self.advance(seen + end);
                let whole = self.buffer.get(from..from + seen + end);
                return Ok(whole.filter(|_| kept));
            }
            seen += unseen.len();
            if seen > LARGEST {
                kept = false;
            }
            if !kept {
                self.advance(seen);
                seen = 0;
            }
            if !self.more()? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

/// Looks for the end of a value, over as many pieces of text as it takes.
#[derive(Default)]
struct Skim {
    depth: usize,
    in_string: bool,
    escaped: bool,
    begun: bool,
}

impl Skim {
    /// How many bytes of `text` belong to the value, when it ends there.
    fn end_in(&mut self, text: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            if self.in_string {
                at = self.string(text, at)?;
                if !self.in_string && self.depth == 0 {
                    return Some(at);
                }
                continue;
            }
            match byte {
                b'"' => self.in_string = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' | b',' if self.depth == 0 => return Some(at),
                b'}' | b']' => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        return Some(at + 1);
                    }
                }
                _ if self.depth == 0 && self.begun && byte.is_ascii_whitespace() => return Some(at),
                _ => {}
            }
            self.begun = true;
            at += 1;
        }
        None
    }

    /// Moves to the byte after the end of a string or after an escape; None if the text ends first.
    fn string(&mut self, text: &[u8], at: usize) -> Option<usize> {
        if self.escaped {
            self.escaped = false;
            return Some(at + 1);
        }
        let found = at + memchr::memchr2(b'"', b'\\', text.get(at..)?)?;
        if text.get(found) == Some(&b'\\') {
            self.escaped = true;
        } else {
            self.in_string = false;
        }
        Some(found + 1)
    }
}
