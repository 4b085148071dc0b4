//! What a program printed beside its log, as far as torch or Python wrote it: messages about CUDA graphs and performance, and
//! tracebacks of exceptions. A console may hold anything else, of which nothing is kept.

use super::super::attachment::Attachment;
use super::super::compile_id::CompileId;
use super::super::envelope::readable_text;
use super::super::unpack::{Limit, Limited};
use super::form::without_colors;
use super::label::{HeaderIn, Label};
use super::printed::ConsoleLine;
use super::traceback::{TORCH_FAILURES, before_traceback, last_shown};
use crate::limits::{KEPT, LONG_LIST, LONGEST_LINE, SAME_NAME, beginning};
use std::io::{self, BufRead, BufReader, Read};
use std::mem;
use std::path::Path;

/// What `TORCH_LOGS` calls the messages that are kept.
const KEPT_LOGS: [&str; 2] = ["cudagraphs", "perf_hints"];
/// How a line ends behind which a traceback belongs to the one before it.
const CHAINED: [&str; 2] = [
    "direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
];
/// Beginnings of lines behind which a traceback is not that of the program.
const IGNORED: [&str; 2] = ["Exception ignored in", "--- Logging error ---"];
/// Lines of a traceback. Python shortens those of recursions.
const FRAME_LINES: usize = 2_000;

/// What was printed, in its order.
#[derive(Debug, Default)]
pub struct Printed {
    pub lines: Vec<PrintedLine>,
    pub tracebacks: Vec<PrintedTraceback>,
    /// Whether it is known to be of the run that wrote the logs.
    pub is_of_the_run: bool,
}

/// A line of a message of torch, or a warning of its compiler.
#[derive(Debug, Default)]
pub struct PrintedLine {
    /// The process; None for a warning, which does not name it.
    pub pid: Option<u64>,
    pub compile: Option<CompileId>,
    /// Whether it is about performance only.
    pub is_hint: bool,
    /// Whether it goes on with the message of the line before it.
    pub goes_on: bool,
    pub text: String,
}

/// An exception that Python printed.
#[derive(Debug, Default)]
pub struct PrintedTraceback {
    /// The process, if torch printed messages for it before.
    pub pid: Option<u64>,
    /// The rank that stands before its lines.
    pub rank: Option<u64>,
    /// The lines of its frames.
    pub frames: String,
    /// The class of the exception, with its module.
    pub error: String,
    pub message: String,
    /// Whether the process compiled or ran on behind it.
    pub went_on: bool,
}

/// Reads the console in a file, which may be packed.
///
/// # Errors
/// The file cannot be read, or unpacks to more than the limit.
pub fn printed(path: &Path, limit: Limit) -> io::Result<Printed> {
    printed_in(Attachment::on_disk(path).open()?, limit)
}

/// As [`printed`], of unpacked bytes.
pub(in super::super) fn printed_in(input: impl Read, limit: Limit) -> io::Result<Printed> {
    let mut input = BufReader::new(Limited::new(input, limit, 0));
    let (mut reader, mut line) = (Reader::default(), Vec::new());
    loop {
        line.clear();
        let most = LONGEST_PRINTED as u64;
        if (&mut input).take(most).read_until(b'\n', &mut line)? == 0 {
            reader.end_tracebacks(|_| true);
            return Ok(reader.printed);
        }
        // A line that is longer is read as several, of which only the first can begin something.
        reader.line(&readable_text(last_shown(&without_colors(&line))));
    }
}

/// The kernels of an autotuning that are kept, the fastest first.
const CHOICES: usize = 2;

/// Bytes of a line that are read at once.
const LONGEST_PRINTED: usize = 1 << 20;

#[derive(Default)]
struct Reader {
    printed: Printed,
    /// The prefix of the last message of torch.
    prefix: String,
    /// The processes that printed messages, with what stands before their lines.
    processes: Vec<(Label, u64)>,
    /// Of several processes, whose lines may be mixed.
    tracebacks: Vec<Open>,
    /// How many more kernels of an autotuning are kept.
    choices: usize,
    /// Whether the next traceback goes on with the last one, or is to be left out.
    is_chained: bool,
    is_ignored: bool,
}

/// A traceback whose end was not read yet.
struct Open {
    label: Label,
    read: PrintedTraceback,
    lines: usize,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if let Some(header) = HeaderIn::find(line.as_bytes()).filter(|header| !header.is_record) {
            let label = Label::of(header.label);
            self.end_tracebacks(|open| open.label == label);
            return self.message(line.get(header.label.len()..).unwrap_or_default(), &header);
        }
        if let Some(before) = before_traceback(line) {
            let label = Label::of(before);
            self.end_tracebacks(|open| open.label == label || label.is_empty());
            return self.begin_traceback(label);
        }
        let has_label =
            |open: &Open| !open.label.is_empty() && open.label.stripped(line.as_bytes()).is_some();
        let its = self.tracebacks.iter().position(has_label);
        let its = its.or_else(|| self.tracebacks.iter().position(|open| open.label.is_empty()));
        if its.and_then(|at| self.tracebacks.get_mut(at)).is_some_and(|open| open.take(line)) {
            return;
        }
        let label = its.and_then(|at| self.tracebacks.get(at)).map(|open| open.label.clone());
        self.end_tracebacks(|open| label.as_ref().is_none_or(|label| open.label == *label));
        self.is_chained |= CHAINED.iter().any(|end| line.ends_with(end));
        self.is_ignored =
            IGNORED.iter().any(|begin| line.starts_with(begin)) || self.is_ignored && !line.is_empty();
        let hint = PrintedLine { is_hint: true, ..PrintedLine::default() };
        if let Some(text) = warning_of_torch(line) {
            self.keep(hint, text);
        } else if line.starts_with("AUTOTUNE ") {
            self.keep(hint, line);
            self.choices = CHOICES;
        } else if self.choices > 0 && line.starts_with("  ") && line.contains(" ms ") {
            self.choices -= 1;
            let choice = line.split('%').next().unwrap_or(line).trim();
            self.keep(PrintedLine { goes_on: true, ..hint }, choice);
        }
    }

    fn message(&mut self, line: &str, header: &HeaderIn<'_>) {
        let Some(read) = ConsoleLine::parse(line) else { return };
        let label = Label::of(header.label);
        if self.processes.len() < LONG_LIST && !self.processes.iter().any(|(_, pid)| *pid == header.pid) {
            self.processes.push((label, header.pid));
        }
        let of_process = |one: &&mut PrintedTraceback| one.pid == Some(header.pid);
        self.printed.tracebacks.iter_mut().filter(of_process).for_each(|one| one.went_on = true);
        let goes_on = self.prefix == read.prefix;
        read.prefix.clone_into(&mut self.prefix);
        let Some(shown_by) = read.shown_by.filter(|name| KEPT_LOGS.contains(name)) else { return };
        let (compile, is_hint) = (read.compile, shown_by == "perf_hints");
        let said = PrintedLine { pid: Some(header.pid), compile, is_hint, goes_on, ..PrintedLine::default() };
        self.keep(said, read.message);
    }

    fn keep(&mut self, line: PrintedLine, text: &str) {
        if self.printed.lines.len() < KEPT {
            self.printed.lines.push(PrintedLine { text: beginning(text, LONGEST_LINE).to_owned(), ..line });
        }
    }

    fn begin_traceback(&mut self, label: Label) {
        let printed = self.processes.iter().rev().find(|(known, _)| *known == label);
        let pid = printed.or(self.processes.last()).map(|(_, pid)| *pid);
        let read = PrintedTraceback { pid, rank: label.rank(), ..PrintedTraceback::default() };
        if self.tracebacks.len() < LONG_LIST {
            self.tracebacks.push(Open { label, read, lines: 0 });
        }
    }

    fn end_tracebacks(&mut self, is_ended: impl Fn(&Open) -> bool) {
        let (ended, open) = mem::take(&mut self.tracebacks).into_iter().partition(|one| is_ended(one));
        self.tracebacks = open;
        let ended: Vec<Open> = ended;
        ended.into_iter().for_each(|one| self.end_traceback(one.read));
    }

    fn end_traceback(&mut self, read: PrintedTraceback) {
        let (is_chained, is_ignored) = (mem::take(&mut self.is_chained), mem::take(&mut self.is_ignored));
        if read.error.is_empty() || is_ignored {
            return;
        }
        let found = &mut self.printed.tracebacks;
        if is_chained && found.last().is_some_and(|one| one.rank == read.rank) {
            found.pop();
        }
        if found.len() >= SAME_NAME {
            found.remove(0);
        }
        found.push(read);
    }
}

impl Open {
    /// Takes a line; says whether it belongs to the traceback.
    fn take(&mut self, line: &str) -> bool {
        let text = match self.label.stripped(line.as_bytes()) {
            Some(rest) => readable_text(rest),
            None => line.into(),
        };
        self.lines += 1;
        let read = &mut self.read;
        // What torch says of a compile that failed has paragraphs.
        let has_paragraphs = TORCH_FAILURES.iter().any(|module| read.error.starts_with(module));
        if self.lines > FRAME_LINES || text.trim().is_empty() && !has_paragraphs {
            return false;
        }
        if !read.error.is_empty() {
            let is_message = read.message.len() + text.len() < LONGEST_LINE * 2;
            if is_message {
                read.message.push('\n');
                read.message.push_str(&text);
            }
            return is_message;
        }
        if text.starts_with(' ') {
            read.frames.push_str(beginning(&text, LONGEST_LINE));
            read.frames.push('\n');
            return true;
        }
        let (error, message) = text.split_once(": ").unwrap_or((text.trim_end_matches(':'), ""));
        let is_class = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        if !error.is_empty() && error.chars().all(is_class) {
            error.clone_into(&mut read.error);
            beginning(message, LONGEST_LINE).clone_into(&mut read.message);
        }
        !read.error.is_empty()
    }
}

/// The text of a warning that Python prints for torch's compiler: `/../torch/_inductor/compile_fx.py:322: UserWarning: ..`.
fn warning_of_torch(line: &str) -> Option<&str> {
    let (place, text) = line.split_once("UserWarning: ")?;
    (place.contains("/torch/_inductor/") && place.ends_with(": ")).then_some(text)
}
