//! The buffers that each call in the wrapper reads and writes.

use super::kernel_source::KernelSources;
use super::{CodeText, library_call, operator, without_call};
use crate::read::source_text::{arguments, words};
use crate::trace::TextSet;

/// A statement of the wrapper.
#[derive(Debug, PartialEq, Eq)]
pub enum Statement<'t> {
    /// `to` is another name for `from`, or for a part of it.
    Alias {
        to: &'t str,
        from: &'t str,
        part: bool,
    },
    /// New memory.
    Fresh(&'t str),
    Call(WrapperCall<'t>),
    /// What the wrapper returns, in order; None for anything but a buffer.
    Return(Vec<Option<&'t str>>),
    /// One of the values that the C++ wrapper returns.
    Output(&'t str),
}

/// A call of a kernel or of an operator.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct WrapperCall<'t> {
    /// Line, from 1.
    pub line: u32,
    /// As the code names it.
    pub kernel: &'t str,
    /// The operator without library and overload; None for a generated kernel.
    pub operator: Option<&'t str>,
    pub reads: Vec<&'t str>,
    pub writes: Vec<&'t str>,
}

impl<'t> CodeText<'t> {
    /// The statements of a wrapper in the order of the text. `inputs` are the names of the graph's inputs.
    pub fn statements(&self, sources: &KernelSources<'_>, inputs: &TextSet<&str>) -> Vec<Statement<'t>> {
        let mut calls = self.calls.iter().peekable();
        let reader = MemoryReader { sources, inputs };
        let mut found = Vec::new();
        for (number, line) in (1_u32..).zip(self.text.split('\n')) {
            let mut called = false;
            while let Some(call) = calls.next_if(|call| call.line <= number) {
                if call.line == number && !called {
                    called = true;
                    found.push(Statement::Call(reader.call(number, line, call.kernel)));
                }
            }
            if !called && !line.trim_start().starts_with(['#', '/']) {
                found.extend(reader.statement(line));
            }
        }
        found
    }
}

struct MemoryReader<'r> {
    sources: &'r KernelSources<'r>,
    inputs: &'r TextSet<&'r str>,
}

impl MemoryReader<'_> {
    /// The name of an input or a buffer; in C++, possibly with the suffix of its handle.
    fn memory<'t>(&self, name: &'t str) -> Option<&'t str> {
        let name = name.strip_suffix("_handle").unwrap_or(name);
        let numbered = |start: &str| {
            let number = name.strip_prefix(start);
            number.is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
        };
        (self.inputs.contains(name) || numbered("buf") || numbered("tmp_tensor_handle_")).then_some(name)
    }

    fn memory_in<'t>(&self, text: &'t str) -> impl Iterator<Item = &'t str> {
        words(text).filter_map(|name| self.memory(name))
    }

    fn call<'t>(&self, line: u32, text: &'t str, kernel: &'t str) -> WrapperCall<'t> {
        let name = library_call(text).unwrap_or(kernel);
        let (before, after) = text.split_once(name).unwrap_or(("", text));
        let arguments = after.split_once('(').map(|(_, inner)| arguments(inner)).unwrap_or_default();
        let mut call = WrapperCall { line, kernel, ..WrapperCall::default() };
        if let Some(source) = self.sources.get(kernel).or_else(|| self.sources.get(without_call(kernel))) {
            let pointers = arguments.iter().zip(&source.parameters).filter(|(_, one)| one.is_pointer);
            for (argument, parameter) in pointers {
                let Some(memory) = self.memory_in(argument).next() else { continue };
                call.reads.extend(parameter.reads.then_some(memory));
                call.writes.extend(parameter.writes.then_some(memory));
            }
            return call;
        }
        // A collective in place is a node that is not.
        let own = operator(name).map_or(name, |(_, operator)| operator);
        let in_place = own.strip_suffix('_').filter(|_| !name.starts_with("aoti_torch_"));
        call.operator = Some(in_place.unwrap_or(own));
        call.writes.extend(before.split_once(" = ").and_then(|(to, _)| self.memory(to.trim())));
        for (place, argument) in arguments.iter().enumerate() {
            let first_is_out = name.starts_with("aoti_torch_") && name.ends_with("_out") && place == 0;
            let written = argument.starts_with("out=") || argument.starts_with('&') || first_is_out;
            let memory = self.memory_in(argument);
            if written { call.writes.extend(memory) } else { call.reads.extend(memory) }
        }
        if call.writes.is_empty() {
            // In place: `all_reduce_`.
            call.writes.extend(call.reads.first().copied());
        }
        call
    }

    fn statement<'t>(&self, line: &'t str) -> Option<Statement<'t>> {
        let text = line.trim();
        if let Some(items) = text.strip_prefix("return (") {
            let memory = arguments(items).into_iter().map(|item| self.memory_in(item).next());
            return Some(Statement::Return(memory.collect()));
        }
        let (to, value) = text.split_once(" = ")?;
        if to.starts_with("output_handles[") {
            return self.memory_in(value).next().map(Statement::Output);
        }
        let to = self.memory(to.rsplit(' ').next().unwrap_or(to))?;
        let value = value.split(';').next().unwrap_or(value);
        match self.memory_in(value).next() {
            Some(from) if from != to => Some(Statement::Alias { to, from, part: text.ends_with("# alias") }),
            None if value.starts_with("empty") || value.starts_with("torch.empty") => {
                Some(Statement::Fresh(to))
            }
            _ => None,
        }
    }
}
