//! Restores records: sorts lines by process, joins broken ones, and finds the payload of each record.

use super::super::envelope::readable_text;
use super::super::payload::{MAX_PAYLOAD_IN_MEMORY, Md5};
use super::form::{Form, TAB, columns, declared, without_colors};
use super::label::{HeaderIn, Label};
use super::printed::{Console, ConsoleLine};
use super::traceback::{before_traceback, last_shown};

use crate::limits::SEARCHED;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, Write};

/// A log of one process.
pub(in super::super) struct Restored {
    /// The name that its label has; empty if it has none.
    pub name: String,
    /// Its records, as torch wrote them. The position is the start.
    pub file: File,
    /// How many lines are neither of a record nor of a damaged one. They are in no log.
    pub left_out: u64,
}

/// A process whose lines were found.
struct Process {
    label: Label,
    /// As the headers have it.
    pid: u64,
    file: BufWriter<File>,
    /// The header that was read last, and the lines after it; no header before the first.
    group: Vec<Vec<u8>>,
    /// Bytes of them.
    held: usize,
    /// Lines of its own output between records.
    left_out: u64,
    /// Makes records of its messages.
    console: Console,
}

/// How payload lines are told from others.
#[derive(Clone, Copy)]
enum Mark {
    Tab,
    /// A tab, or nothing at all where white space at the end of lines was removed.
    TabOrNothing,
    /// So many spaces, or nothing at all.
    Spaces(usize),
}

/// Restores the logs in an input. All processes share one log if they are to be read `together`.
///
/// # Errors
/// The input cannot be read, or there is no room for temporary files.
pub(in super::super) fn restore(input: impl Read, form: Form, together: bool) -> io::Result<Vec<Restored>> {
    let mut restorer = Restorer { form, together, processes: Vec::new(), last: 0, before: Vec::new() };
    let mut input = BufReader::new(input);
    // A line that may be broken, as far as it was joined; and whether the last part of it fills the width.
    let (mut line, mut joined, mut is_full) = (Vec::new(), Vec::new(), false);
    loop {
        line.clear();
        (&mut input).take(MAX_PAYLOAD_IN_MEMORY as u64).read_until(b'\n', &mut line)?;
        let plain = if form.is_colored { without_colors(&line) } else { line.as_slice().into() };
        let goes_on = is_full && !plain.is_empty() && joined.len() < MAX_PAYLOAD_IN_MEMORY;
        if goes_on && (is_open(&joined) && HeaderIn::find(&plain).is_none() || !restorer.begins_line(&plain))
        {
            joined.truncate(without_newline(&joined).len());
        } else {
            restorer.take(&joined)?;
            joined.clear();
        }
        is_full = form.width.is_some_and(|width| columns(without_newline(&plain)) == width);
        joined.extend_from_slice(&plain);
        if line.is_empty() {
            return restorer.finish();
        }
    }
}

/// Whether a line begins a record whose metadata has no end yet.
fn is_open(line: &[u8]) -> bool {
    HeaderIn::find(line).is_some_and(|header| header.is_record && !header.is_whole)
}

fn without_newline(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

struct Restorer {
    form: Form,
    together: bool,
    processes: Vec<Process>,
    /// The process of the line before.
    last: usize,
    /// What comes before the first header.
    before: Vec<u8>,
}

impl Restorer {
    /// Whether a line is not the rest of the one before it.
    fn begins_line(&self, line: &[u8]) -> bool {
        let is_marked = line.starts_with(b"\t") || self.form.lost_tabs && line.starts_with(b"        ");
        let has_label =
            |process: &Process| !process.label.is_empty() && process.label.stripped(line).is_some();
        is_marked || HeaderIn::find(line).is_some() || self.processes.iter().any(has_label)
    }

    /// Takes a line, with its newline.
    fn take(&mut self, line: &[u8]) -> io::Result<()> {
        if line.is_empty() {
            return Ok(());
        }
        let of_last = self.processes.get(self.last).and_then(|process| process.label.stripped(line));
        if let Some(payload) = of_last.filter(|rest| rest.starts_with(b"\t")) {
            let payload = payload.to_vec();
            return self.add(self.last, payload);
        }
        if let Some(header) = HeaderIn::find(line).filter(|header| header.is_record || self.form.is_console) {
            let text = line.get(header.label.len()..).unwrap_or_default().to_vec();
            self.last = self.process(&Label::of(header.label), header.pid)?;
            if self.form.is_console {
                return self.message(self.last, &text);
            }
            self.settle(self.last)?;
            return self.add(self.last, text);
        }
        if self.form.is_console {
            // What others print is not needed, but that a process printed it.
            if self.form.has_only_exceptions
                && let Some(before) = before_traceback(&readable_text(last_shown(&without_colors(line))))
            {
                self.process(&Label::of(before), 0)?;
            }
            return Ok(());
        }
        let has_label =
            |process: &Process| !process.label.is_empty() && process.label.stripped(line).is_some();
        let labelled = self.processes.iter().position(has_label);
        let unlabelled = || self.processes.iter().rposition(|process| process.label.is_empty());
        let Some(at) = labelled.or_else(unlabelled).or(self.processes.len().checked_sub(1)) else {
            if self.before.len() < MAX_PAYLOAD_IN_MEMORY {
                self.before.extend_from_slice(line);
            }
            return Ok(());
        };
        self.last = at;
        let rest =
            self.processes.get(at).and_then(|process| process.label.stripped(line)).unwrap_or(line).to_vec();
        self.add(at, rest)
    }

    /// The place of the process with this label. Headers without a label belong to the same process if they have the same id.
    fn process(&mut self, label: &Label, pid: u64) -> io::Result<usize> {
        let is_it = |process: &Process| {
            let is_shared = !self.form.is_console && (!self.form.is_labelled || !label.is_empty());
            process.label == *label && (is_shared || process.pid == pid)
        };
        if let Some(at) = self.processes.iter().position(is_it) {
            return Ok(at);
        }
        if self.processes.len() >= SEARCHED {
            return Ok(self.processes.len() - 1);
        }
        let file = match self.processes.first() {
            Some(first) if self.together => first.file.get_ref().try_clone()?,
            _ => tempfile::tempfile()?,
        };
        let mut file = BufWriter::new(file);
        if !self.form.is_labelled {
            file.write_all(&std::mem::take(&mut self.before))?;
        }
        self.processes.push(Process {
            label: label.clone(),
            pid,
            file,
            group: Vec::new(),
            held: 0,
            left_out: 0,
            console: Console::new(label.rank()),
        });
        Ok(self.processes.len() - 1)
    }

    /// Takes a line of a message of torch.
    fn message(&mut self, at: usize, line: &[u8]) -> io::Result<()> {
        let text = readable_text(without_newline(line));
        match (self.processes.get_mut(at), ConsoleLine::parse(&text)) {
            (Some(process), Some(line)) => process.console.take(&line, &mut process.file),
            _ => Ok(()),
        }
    }

    /// Adds a line to those after the last header of a process.
    fn add(&mut self, at: usize, line: Vec<u8>) -> io::Result<()> {
        let Some(process) = self.processes.get_mut(at) else { return Ok(()) };
        process.held += line.len();
        process.group.push(line);
        // So large a payload is not checked.
        if process.held > MAX_PAYLOAD_IN_MEMORY { self.settle(at) } else { Ok(()) }
    }

    /// Writes the last header of a process with what follows it.
    fn settle(&mut self, at: usize) -> io::Result<()> {
        let Some(process) = self.processes.get_mut(at) else { return Ok(()) };
        process.held = 0;
        let group = std::mem::take(&mut process.group);
        let Some((header, lines)) = group.split_first() else { return Ok(()) };
        process.file.write_all(header)?;
        let mark = declared(header).map_or(Mark::Tab, |hash| mark_of(lines, hash));
        let mut others = Vec::new();
        for line in lines {
            match payload_text(line, mark) {
                Some(text) => {
                    process.file.write_all(b"\t")?;
                    process.file.write_all(text)?;
                    process.file.write_all(line.get(without_newline(line).len()..).unwrap_or_default())?;
                }
                None => others.push(line),
            }
        }
        for line in others {
            if self.form.is_labelled && !is_of_record(line) {
                process.left_out += 1;
            } else {
                process.file.write_all(line)?;
            }
        }
        if self.together { process.file.flush() } else { Ok(()) }
    }

    fn finish(mut self) -> io::Result<Vec<Restored>> {
        (0..self.processes.len()).try_for_each(|at| self.settle(at))?;
        if self.form.is_console {
            // What starts the ranks prints an exception, too.
            if self.form.has_only_exceptions && self.processes.iter().any(|one| one.label.rank().is_some()) {
                self.processes.retain(|one| one.label.rank().is_some());
            }
            for process in &mut self.processes {
                process.console.finish(&mut process.file)?;
                process.file.flush()?;
            }
            // Workers that build kernels print too.
            if self.processes.iter().any(|process| process.console.has_compiles()) {
                self.processes.retain(|process| process.console.has_compiles());
            }
        }
        if self.together {
            self.processes.truncate(1);
        }
        // Before a process knew its rank, its lines had no label.
        let (unlabelled, labelled): (Vec<Process>, Vec<Process>) =
            self.processes.into_iter().partition(|process| process.label.is_empty());
        let mut found: Vec<(Process, Option<Process>)> =
            labelled.into_iter().map(|process| (process, None)).collect();
        for process in unlabelled {
            match found.iter_mut().find(|(later, before)| later.pid == process.pid && before.is_none()) {
                Some((_, before)) => *before = Some(process),
                None => found.push((process, None)),
            }
        }
        found.into_iter().map(|(process, before)| Restored::of(process, before)).collect()
    }
}

impl Restored {
    /// The log of a process, which begins with what it wrote `before` it had a label.
    fn of(process: Process, before: Option<Process>) -> io::Result<Restored> {
        let (name, mut left_out) = (process.label.name(), process.left_out);
        let mut file = process.file.into_inner()?;
        if let Some(before) = before {
            left_out += before.left_out;
            let mut first = before.file.into_inner()?;
            file.rewind()?;
            io::copy(&mut file, &mut first)?;
            file = first;
        }
        file.rewind()?;
        Ok(Restored { name, file, left_out })
    }
}

/// Whether a line looks like a part of a damaged record: a payload without header, or the beginning of a header.
fn is_of_record(line: &[u8]) -> bool {
    match line {
        [b'\t', ..] => true,
        [b'V' | b'I' | b'W' | b'E' | b'C', date @ ..] => {
            date.iter().take_while(|byte| byte.is_ascii_digit()).count() == 4
        }
        _ => false,
    }
}

/// How the payload with this hash is marked among these lines.
fn mark_of(lines: &[Vec<u8>], hash: Md5) -> Mark {
    let contents =
        || lines.iter().map(|line| without_newline(line)).filter(|line| !line.trim_ascii().is_empty());
    let indentation = |line: &[u8]| line.iter().take_while(|byte| **byte == b' ').count();
    let least = contents().map(indentation).min().unwrap_or_default();
    let marks = [Mark::Tab, Mark::TabOrNothing, Mark::Spaces(TAB), Mark::Spaces(least), Mark::Spaces(0)];
    let is_proven = |mark: &Mark| {
        let mut context = md5::Context::new();
        for (number, text) in lines.iter().filter_map(|line| payload_text(line, *mark)).enumerate() {
            context.consume(if number > 0 { b"\n".as_slice() } else { b"" });
            context.consume(text);
        }
        Md5(context.finalize().0) == hash
    };
    let has_tabs = contents().any(|line| line.starts_with(b"\t"));
    let likely = if has_tabs || least == 0 { Mark::Tab } else { Mark::Spaces(least) };
    marks.into_iter().find(is_proven).unwrap_or(likely)
}

/// The text of a line, without its mark and newline; `None` if it is not of the payload.
fn payload_text(line: &[u8], mark: Mark) -> Option<&[u8]> {
    let line = without_newline(line);
    let is_blank = || line.trim_ascii().is_empty();
    match mark {
        Mark::Tab => line.strip_prefix(b"\t"),
        Mark::TabOrNothing => line.strip_prefix(b"\t").or_else(|| is_blank().then_some(b"")),
        Mark::Spaces(count) => match line.split_at_checked(count) {
            Some((spaces, text)) if spaces.iter().all(|byte| *byte == b' ') => Some(text),
            _ => is_blank().then_some(b""),
        },
    }
}
