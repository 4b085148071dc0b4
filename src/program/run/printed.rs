//! Keeps what the command writes to standard error, where torch and Python report what happens while it runs. It still
//! reaches our own standard error at once; where that is a terminal, the command gets one too, so that colors and progress
//! bars are as they would be.

use std::fs::File;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;
use tlparse::system::terminals::{PseudoTerminal, to_standard_error};

/// What torch is asked to print, unless the user asked for something.
const TORCH_LOGS: &str = "cudagraphs,perf_hints";
/// Bytes of the beginning and of the end that are kept: programs may print for days.
const KEPT_FIRST: usize = 64 << 20;
const KEPT_LAST: usize = 1 << 20;
/// Bytes by which the beginning of a message is recognized: `[rank100]:V1126`.
const SHORTEST_START: usize = 15;
/// How long what was printed may take to arrive after the command ended, and longer if something it started still prints.
const PATIENCE: Duration = Duration::from_millis(500);

/// The other end of the command's standard error.
pub struct Printed {
    source: Box<dyn Read + Send>,
    kept: Kept,
    shown: Shown,
}

/// What is being kept.
pub struct Keeping {
    path: PathBuf,
    ended: Receiver<()>,
}

impl Printed {
    /// Lets a command write to us; None where the system cannot do that, and the command then writes where we do.
    pub fn of(command: &mut Command, folder: &Path) -> Option<Printed> {
        let (source, program): (Box<dyn Read + Send>, Stdio) = if std::io::stderr().is_terminal() {
            let PseudoTerminal { program, output } = PseudoTerminal::open().ok()?;
            (Box::new(output), program.into())
        } else {
            let (output, program) = std::io::pipe().ok()?;
            (Box::new(output), program.into())
        };
        let path = folder.join(tlparse::CONSOLE_FILE);
        let file = File::options().write(true).create_new(true).open(&path).ok()?;
        command.stderr(program);
        let is_asked = std::env::var_os("TORCH_LOGS").is_some();
        if !is_asked {
            command.env("TORCH_LOGS", TORCH_LOGS);
        }
        let shown = Shown { hides: !is_asked, is_at_start: true, held: Vec::new() };
        Some(Printed { source, kept: Kept { path, file, bytes: 0, last: Vec::new() }, shown })
    }

    /// Passes on what comes. The command must run, and nobody else may hold its end.
    pub fn keep(mut self) -> Keeping {
        let (tell, ended) = channel();
        let path = self.kept.path.clone();
        let pass_on = move || {
            let mut bytes = vec![0; 64 << 10];
            while let Ok(count @ 1..) = self.source.read(&mut bytes) {
                let new = bytes.get(..count).unwrap_or_default();
                to_standard_error(&self.shown.of(new));
                self.kept.add(new);
            }
            to_standard_error(&self.shown.held);
            self.kept.end();
            let _ = tell.send(());
        };
        thread::spawn(pass_on);
        Keeping { path, ended }
    }
}

impl Keeping {
    /// The file with what the command printed, which has ended; None if it printed nothing.
    pub fn file(self) -> Option<PathBuf> {
        let _ = self.ended.recv_timeout(PATIENCE);
        std::fs::metadata(&self.path).is_ok_and(|file| file.len() > 0).then_some(self.path)
    }
}

/// A file with the beginning and the end of what was printed.
struct Kept {
    path: PathBuf,
    file: File,
    bytes: usize,
    /// The end, beyond the beginning.
    last: Vec<u8>,
}

impl Kept {
    fn add(&mut self, new: &[u8]) {
        if self.bytes < KEPT_FIRST {
            let _ = self.file.write_all(new);
        } else {
            self.last.extend_from_slice(new);
            let surplus = self.last.len().saturating_sub(KEPT_LAST);
            if surplus > KEPT_LAST {
                self.last.drain(..surplus);
            }
        }
        self.bytes = self.bytes.saturating_add(new.len());
    }

    fn end(&mut self) {
        let _ = self.file.write_all(&self.last);
    }
}

/// What of it reaches the terminal: all but details of torch that only we asked for.
struct Shown {
    hides: bool,
    /// Whether the next byte begins a line.
    is_at_start: bool,
    /// The beginning of a line that may be such a detail.
    held: Vec<u8>,
}

impl Shown {
    fn of(&mut self, new: &[u8]) -> Vec<u8> {
        if !self.hides {
            return new.to_vec();
        }
        // Behind a progress bar, a message begins within a line; torch writes each at once.
        self.is_at_start |= self.held.is_empty() && new.len() > SHORTEST_START && may_be_detail(new);
        let mut shown = Vec::with_capacity(new.len());
        for piece in new.split_inclusive(|byte| *byte == b'\n') {
            let is_whole = piece.ends_with(b"\n");
            if !self.is_at_start && self.held.is_empty() {
                shown.extend_from_slice(piece);
            } else {
                self.held.extend_from_slice(piece);
                if is_whole && is_detail(&self.held) {
                    self.held.clear();
                } else if is_whole || !may_be_detail(&self.held) {
                    shown.append(&mut self.held);
                }
            }
            self.is_at_start = is_whole;
        }
        shown
    }
}

/// `V1126 23:30:38.911000 454 torch/_inductor/scheduler.py:6545] [0/0] [__cudagraphs] ..`; not a warning.
fn is_detail(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let head = text.split_once("] ").filter(|(head, _)| head.contains(" torch/"));
    let logs = TORCH_LOGS.split(',').map(|log| format!("[__{log}]"));
    may_be_detail(line) && head.is_some_and(|(_, rest)| logs.into_iter().any(|log| rest.contains(&log)))
}

/// Whether a line begins like a detail, behind `[rank0]:` in a distributed run.
fn may_be_detail(line: &[u8]) -> bool {
    const RANK: &[u8] = b"[rank";
    let message = match line.strip_prefix(RANK) {
        Some(rest) => {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            match rest.get(digits..).unwrap_or_default() {
                [] | b"]" => return true,
                [b']', b':', message @ ..] => message,
                _ => return false,
            }
        }
        None if RANK.starts_with(line) => return true,
        None => line,
    };
    let [level, date @ ..] = message else { return true };
    matches!(level, b'V' | b'I') && date.iter().take(4).all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_that_nobody_asked_for_are_hidden_however_they_arrive_and_all_else_is_shown_at_once() {
        let detail =
            "V1126 23:30:38.911000 454 torch/_inductor/scheduler.py:6545] [0/0] [__cudagraphs] Created\n";
        let warning = detail.replace("V1126", "W1126");
        let of_rank = format!("[rank12]:{detail}");
        let printed = format!("In 5%|#  | 1/20\r{warning}{detail}{of_rank}V1126 is mine\n[1/2] step\n 10%|#");
        for size in [1, 7, 1000] {
            let mut shown = Shown { hides: true, is_at_start: true, held: Vec::new() };
            let mut all: Vec<u8> = printed.as_bytes().chunks(size).flat_map(|new| shown.of(new)).collect();
            assert_eq!(shown.held, b"", "a progress bar is not held back");
            all.append(&mut shown.held);
            assert_eq!(
                String::from_utf8(all).unwrap(),
                printed.replace(&of_rank, "").replace(detail, ""),
                "{size}"
            );
        }
    }

    #[test]
    fn of_what_is_too_long_the_beginning_and_the_end_are_kept() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("console.txt");
        let mut kept =
            Kept { file: File::create(&path).unwrap(), path: path.clone(), bytes: 0, last: Vec::new() };
        kept.add(b"first ");
        kept.bytes = KEPT_FIRST;
        (0..50).for_each(|_| kept.add(&vec![b'-'; 100 << 10]));
        kept.add(b" last");
        kept.end();
        let text = std::fs::read(path).unwrap();
        assert!(text.starts_with(b"first -") && text.ends_with(b"- last"));
        assert!(text.len() < 3 * KEPT_LAST, "{}", text.len());
    }
}
