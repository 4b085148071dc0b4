//! What `TORCH_LOGS` prints, as the records that `TORCH_TRACE` would have written. Torch writes the same texts to both, so every
//! reader of records can read them. Times, graphs and code are not printed, and are not made up.

use super::super::compile_id::CompileId;
use super::super::payload::Md5;
use super::super::prefix::Prefix;
use super::symbols::{DYNAMIC, LineInFile, SPECIALIZATION, SymbolEvent, SymbolPlace, is_about_symbols};
use crate::limits::{KEPT, LISTED, TRIED};
use regex::Regex;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::sync::LazyLock;

/// The event that says that a log was made of console output.
const CONSOLE: &str = "console_output";
/// The prefix where torch printed no message: no month has the number 0.
const NO_PREFIX: &str = "V0000 00:00:00.000000 0 torch/_dynamo/convert_frame.py:0] ";
/// Lines of one message. The longest recorded, a guard tree, has some hundreds.
const LINES: usize = 20_000;
/// How messages begin that may follow each other at the same place.
const STARTS: [&str; 8] = [
    "Recompiling function ",
    "Graph break in user code at ",
    "Graph break (",
    "Graph break: from user code at",
    "torch._dynamo hit config.",
    "torchdynamo start tracing ",
    "propagate_real_tensors ",
    "GUARDS:",
];

/// A function, as the message about its compile, its recompilation or its limit names it.
const FUNCTION: &str = r"^\s*(Recompiling function |torchdynamo start tracing |function: ')(?<function>.*?)( in | |' \()(?<file>.*):(?<line>\d+)\)?\s*$";

static READ_FUNCTION: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(FUNCTION).ok());

/// A line of torch's console output, behind what a job system put before it.
pub(super) struct ConsoleLine<'a> {
    /// From the level, with the time, the process and the place within torch, to the bracket behind the line number.
    pub prefix: &'a str,
    id: Option<CompileNumbers>,
    /// The same as torch writes it, also where it is one of compiled autograd.
    pub compile: Option<CompileId>,
    /// `recompiles`: what `TORCH_LOGS` calls it.
    pub shown_by: Option<&'a str>,
    pub message: &'a str,
}

/// `[3/8_1]`
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct CompileNumbers {
    frame: u32,
    compile: u32,
    attempt: u32,
}

impl<'a> ConsoleLine<'a> {
    /// Reads a line that begins with its level; `None` for all but messages of torch.
    pub fn parse(line: &'a str) -> Option<ConsoleLine<'a>> {
        let (found, rest) = Prefix::parse(line)?;
        if rest.starts_with('{') || !found.path.starts_with("torch/") {
            return None;
        }
        let prefix = line.get(..line.len() - rest.len())?;
        let mut read = ConsoleLine { prefix, id: None, compile: None, shown_by: None, message: rest };
        while let Some((tag, after)) = read.message.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            if let Some(name) = tag.strip_prefix("__") {
                read.shown_by = Some(name);
            } else if let Some(id) = CompileId::parse(tag).filter(|id| id.odd_part().is_none()) {
                read.id = CompileNumbers::parse(tag).or(read.id);
                read.compile = Some(id);
            } else {
                break;
            }
            read.message = after.strip_prefix(' ').unwrap_or(after);
        }
        Some(read)
    }
}

impl CompileNumbers {
    fn parse(text: &str) -> Option<CompileNumbers> {
        let (frame, rest) = text.split_once('/')?;
        let (compile, attempt) = rest.split_once('_').unwrap_or((rest, "0"));
        let (frame, compile, attempt) = (frame.parse().ok()?, compile.parse().ok()?, attempt.parse().ok()?);
        Some(CompileNumbers { frame, compile, attempt })
    }
}

/// Makes records of one process out of the lines that it printed.
#[derive(Default)]
pub(super) struct Console {
    /// The rank of the process, if its lines name it.
    rank: Option<u64>,
    message: Option<Message>,
    /// Compiles that have a record of their start.
    started: BTreeSet<(u32, u32)>,
    /// Compiles whose reasons were printed.
    explained: BTreeSet<(u32, u32)>,
    /// Names of files, with their numbers.
    strings: BTreeMap<String, usize>,
    /// Whole names of files, from printed stacks.
    files: BTreeSet<String>,
    /// What was printed about symbols. It is written last, as it shortens the names of files.
    symbols: Vec<OfSymbol>,
    /// What `TORCH_LOGS` was seen to show.
    shown: BTreeSet<String>,
    names_compile: bool,
}

/// Lines that belong together.
struct Message {
    head: MessageHead,
    shown_by: String,
    lines: Vec<String>,
}

/// The prefix and the compile of a message, which its records have too.
#[derive(Clone)]
struct MessageHead {
    prefix: String,
    id: Option<CompileNumbers>,
}

/// An event about a symbol of a compile.
struct OfSymbol {
    head: MessageHead,
    event: SymbolEvent,
}

impl Console {
    pub fn new(rank: Option<u64>) -> Console {
        Console { rank, ..Console::default() }
    }

    /// Whether any message named a compile.
    pub fn has_compiles(&self) -> bool {
        self.names_compile
    }

    /// Takes the next line; writes the message before it if this one begins another.
    pub fn take(&mut self, line: &ConsoleLine<'_>, out: &mut dyn Write) -> io::Result<()> {
        let is_dynamic = line.shown_by.is_none() && is_about_symbols(line.message);
        let shown_by = if is_dynamic { DYNAMIC } else { line.shown_by.unwrap_or_default() };
        let starts = is_dynamic
            || STARTS.iter().any(|start| line.message.trim_start_matches("Step 1: ").starts_with(start));
        let goes_on = self.message.as_ref().is_some_and(|message| {
            message.head.id == line.id && message.shown_by == shown_by && message.lines.len() < LINES
        });
        if starts || !goes_on {
            self.finish_message(out)?;
            let head = MessageHead { prefix: line.prefix.to_owned(), id: line.id };
            self.message = Some(Message { head, shown_by: shown_by.to_owned(), lines: Vec::new() });
        }
        self.names_compile |= line.id.is_some();
        if let Some(message) = &mut self.message {
            message.lines.push(line.message.to_owned());
        }
        Ok(())
    }

    /// Writes what is left; of a process without messages of torch, that there is a console.
    pub fn finish(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.finish_message(out)?;
        if self.shown.is_empty() {
            let head = MessageHead { prefix: NO_PREFIX.to_owned(), id: None };
            self.record(out, &head, json!({ CONSOLE: { "shown": "" } }), None)?;
        }
        self.write_symbols(out)
    }

    fn finish_message(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let Some(Message { head, shown_by, lines }) = self.message.take() else { return Ok(()) };
        self.learn_files(&lines);
        if self.shown.insert(shown_by.clone()) {
            let shown = json!({ CONSOLE: { "shown": shown_by } });
            self.record(out, &head.without_id(), shown, None)?;
        }
        let first = lines.first().map_or("", |first| first.trim_start_matches("Step 1: "));
        if first.starts_with("Recompiling function ") {
            self.define(out, &head, first, true)?;
            return self.explain(out, &head, &reasons(&lines));
        }
        if first.starts_with("torchdynamo start tracing ") {
            return self.define(out, &head, first, true);
        }
        if let Some(rest) = first.strip_prefix("torch._dynamo hit config.") {
            return self.limit(out, &head, &lines, rest);
        }
        // Warnings that begin so have no reason, and their break is printed as well.
        if first.starts_with("Graph break") && shown_by == "graph_breaks" {
            let event = json!({"artifact": {"name": "dynamo_graph_break_reason", "encoding": "string"}});
            let mut text = lines.join("\n");
            // The stack of a break that was printed before is left out: `Graph break (details suppressed) in user code at ..`.
            if let Some((_, rest)) =
                text.split_once(" suppressed").and_then(|(_, rest)| rest.split_once(") in user code at "))
            {
                text = format!("Graph break in user code at {rest}");
            }
            return self.record(out, &head, event, Some(text.trim_end()));
        }
        if first == "GUARDS:" {
            let is_of_tree = |line: &&String| !line.starts_with("Guard eval latency");
            let tree: Vec<_> = lines.iter().skip(1).take_while(is_of_tree).map(String::as_str).collect();
            return self.record(out, &head, json!({"dynamo_cpp_guards_str": {}}), Some(&tree.join("\n")));
        }
        if let Some(event) = SymbolEvent::parse(first).filter(|_| self.symbols.len() < KEPT) {
            self.symbols.push(OfSymbol { head, event });
        }
        Ok(())
    }

    /// The names in lines like `File "/app/a.py", line 8, in f`.
    fn learn_files(&mut self, lines: &[String]) {
        let names =
            lines.iter().filter_map(|line| line.trim_start().strip_prefix("File \"")?.split_once('"'));
        let room = LISTED.saturating_sub(self.files.len());
        self.files.extend(names.map(|(name, _)| name.to_owned()).take(room));
    }

    /// What was printed about symbols, each with the whole name of its file.
    fn write_symbols(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let symbols = std::mem::take(&mut self.symbols);
        // Which size became a constant is said where its symbol is made.
        let mut sources: BTreeMap<(Option<CompileNumbers>, &str), &str> = BTreeMap::new();
        let mut conditions: BTreeMap<Option<CompileNumbers>, &SymbolEvent> = BTreeMap::new();
        for OfSymbol { head, event } in &symbols {
            let symbol = event.text("symbol");
            let mut fields = event.fields.clone();
            let mut place = event.place.as_ref();
            if event.key == SPECIALIZATION {
                let source = sources.get(&(head.id, symbol));
                fields.insert("sources".into(), source.into_iter().copied().collect());
                // It follows from the condition before it, unless one that says so literally is printed second, as until torch
                // 2.6. That one is found by its text.
                let equal = format!("Eq({symbol}, {})", event.text("value"));
                let before = conditions.get(&head.id).filter(|one| one.names(symbol));
                let is_literal = |one: &OfSymbol| one.head.id == head.id && one.event.text("expr") == equal;
                let is_it = |one: &&&SymbolEvent| {
                    one.text("expr") == equal || !symbols.iter().take(LISTED).any(is_literal)
                };
                place = before.filter(is_it).and_then(|one| one.place.as_ref());
            } else if let Some(source) = event.fields.get("source").and_then(Value::as_str) {
                sources.insert((head.id, symbol), source);
            } else if event.place.is_some() {
                conditions.insert(head.id, event);
            }
            if let Some(SymbolPlace { traced, code, asked }) = place {
                let mut stack = vec![self.frame(out, head, traced, code)?];
                fields.insert("user_stack".into(), json!(stack));
                // Where torch itself asked is of no account.
                if let Some(asked) = asked.as_ref().filter(|asked| asked.file == traced.file) {
                    stack.push(self.frame(out, head, asked, "")?);
                    fields.insert("stack".into(), json!(stack));
                }
            }
            self.record(out, head, json!({ event.key: fields }), None)?;
        }
        Ok(())
    }

    fn frame(
        &mut self,
        out: &mut dyn Write,
        head: &MessageHead,
        at: &LineInFile,
        code: &str,
    ) -> io::Result<Value> {
        let file = self.file_number(out, head, &self.whole_name(&at.file))?;
        let code = Some(code).filter(|code| !code.is_empty());
        Ok(json!({"line": at.line, "name": at.function, "filename": file, "loc": code}))
    }

    /// The name of the file that torch printed without its first folders, if exactly one is known that ends so.
    fn whole_name(&self, file: &str) -> String {
        let known = self.files.iter().chain(self.strings.keys()).filter(|known| known.ends_with(file));
        let known: BTreeSet<&String> = known.collect();
        known.first().filter(|_| known.len() == 1).map_or(file, |only| only.as_str()).to_owned()
    }

    /// The number of a file's name, which has a record.
    fn file_number(&mut self, out: &mut dyn Write, head: &MessageHead, file: &str) -> io::Result<usize> {
        let next = self.strings.len();
        if let Some(number) = self.strings.get(file) {
            return Ok(*number);
        }
        self.strings.insert(file.to_owned(), next);
        self.record(out, &head.without_id(), json!({"str": [file, next]}), None)?;
        Ok(next)
    }

    /// `recompile_limit (8)`, then the function and the guard that failed last.
    fn limit(
        &mut self,
        out: &mut dyn Write,
        head: &MessageHead,
        lines: &[String],
        first: &str,
    ) -> io::Result<()> {
        for line in lines {
            self.define(out, head, line, false)?;
        }
        let number = first.split_once('(').and_then(|(_, rest)| rest.split_once(')')?.0.parse::<u64>().ok());
        if let Some(limit) = number.filter(|_| !first.starts_with("accumulated")) {
            self.record(out, &head.without_id(), json!({ CONSOLE: { "limit": limit } }), None)?;
        }
        let Some(id) = head.id else { return Ok(()) };
        // What torch records of the compile that it refused; the words are those of the message.
        let metrics = json!({
            "compile_id": format!("{}/{}", id.frame, id.compile),
            "fail_type": "RecompileLimitExceeded",
            "fail_reason": lines.first(),
        });
        self.record(out, head, json!({ "compilation_metrics": metrics }), None)?;
        let last = lines.iter().find_map(|line| line.trim_start().strip_prefix("last reason: "));
        match last.filter(|_| !self.explained.contains(&(id.frame, id.compile))) {
            Some(reason) => self.explain(out, head, &[reason.trim().to_owned()]),
            None => Ok(()),
        }
    }

    /// The start of the compile whose function a line names, if it `starts`, and of those of that function before it, which
    /// were not printed.
    fn define(
        &mut self,
        out: &mut dyn Write,
        head: &MessageHead,
        line: &str,
        starts: bool,
    ) -> io::Result<()> {
        let found = READ_FUNCTION.as_ref().and_then(|function| function.captures(line));
        let function = found.and_then(|found| LineInFile::of(&found, ["file", "line", "function"]));
        let (Some(function), Some(id)) = (function, head.id) else { return Ok(()) };
        let before = id.compile.saturating_sub(TRIED as u32)..id.compile;
        let before = before.map(|compile| CompileNumbers { compile, attempt: 0, ..id });
        for id in before.chain(starts.then_some(id)) {
            if self.started.insert((id.frame, id.compile)) {
                let file = self.file_number(out, head, &function.file)?;
                let frame = json!({"line": function.line, "name": function.function, "filename": file});
                let of_compile = MessageHead { id: Some(id), ..head.clone() };
                self.record(out, &of_compile, json!({"dynamo_start": {"stack": [frame]}}), None)?;
            }
        }
        Ok(())
    }

    fn explain(&mut self, out: &mut dyn Write, head: &MessageHead, reasons: &[String]) -> io::Result<()> {
        let Some(id) = head.id.filter(|_| !reasons.is_empty()) else { return Ok(()) };
        self.explained.insert((id.frame, id.compile));
        let event = json!({"artifact": {"name": "recompile_reasons", "encoding": "json"}});
        // Torch writes one reason as it is, and several as a list.
        let text = match reasons {
            [only] => only.clone(),
            several => serde_json::to_string(several)?,
        };
        self.record(out, head, event, Some(&text))
    }

    /// Writes a record with the prefix and the id of a message.
    fn record(
        &self,
        out: &mut dyn Write,
        head: &MessageHead,
        mut event: Value,
        payload: Option<&str>,
    ) -> io::Result<()> {
        let id = head.id;
        let hash = payload.map(|payload| Md5::of(payload.as_bytes()).to_string());
        let context = [
            ("rank", self.rank.map(Into::into)),
            ("frame_id", id.map(|id| id.frame.into())),
            ("frame_compile_id", id.map(|id| id.compile.into())),
            ("attempt", id.map(|id| id.attempt.into())),
            ("has_payload", hash.map(Into::into)),
        ];
        if let Some(fields) = event.as_object_mut() {
            fields.extend(context.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
        }
        writeln!(out, "{}{event}", head.prefix)?;
        payload
            .into_iter()
            .flat_map(|payload| payload.split('\n'))
            .try_for_each(|line| writeln!(out, "\t{line}"))
    }
}

impl MessageHead {
    fn without_id(&self) -> MessageHead {
        MessageHead { id: None, ..self.clone() }
    }
}

/// The reasons in lines like `    - 0/0: tensor 'x' size mismatch at index 0. expected 4, actual 5`. Lines without an id go on.
fn reasons(lines: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in lines.iter().filter_map(|line| line.trim_start().strip_prefix("- ")) {
        let begins = line.split_once(": ").is_some_and(|(id, _)| CompileNumbers::parse(id).is_some());
        match found.last_mut() {
            Some(reason) if !begins => {
                reason.push('\n');
                reason.push_str(line);
            }
            _ => found.push(line.to_owned()),
        }
    }
    found
}
