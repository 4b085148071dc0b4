//! Texts of the log that conclusions need and the model does not hold: guard trees, captured graphs and settings of
//! functions that were compiled again, and graphs of compiles whose work on a device raises a question.

use super::device_questions::with_questions;
use crate::limits::{LARGEST_TEXT, READ_TOGETHER, SAME_NAME, SEARCHED};
use crate::model::{Compile, CompileIndex, Content, Model};
use crate::trace::{FrameId, PayloadRef, Span, TextMap, TextSet};
use fxhash::FxHashMap;
use std::io;

/// Compiles of a function that are read: its recompile limit is 8 by default.
const MOST_VERSIONS: usize = 40;

#[derive(Debug, Clone, Copy)]
pub enum TextOfLog<'m> {
    /// The payload of a record.
    Payload(&'m PayloadRef),
    /// The header of a record.
    Header(Span),
}

impl TextOfLog<'_> {
    fn bytes(&self) -> u64 {
        match self {
            TextOfLog::Payload(payload) => payload.text_len,
            TextOfLog::Header(span) => span.len,
        }
    }
}

/// Settings of Dynamo that decide what a new size or number does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DynamoSettings {
    /// Whether a size that changed becomes dynamic; `dynamic=False` turns it off.
    pub automatic_dynamic_shapes: Option<bool>,
    /// Whether a float is part of the compiled code.
    pub specialize_float: Option<bool>,
}

/// The texts, by compile.
#[derive(Debug, Default)]
pub struct GuardTexts {
    trees: FxHashMap<CompileIndex, String>,
    graphs: FxHashMap<CompileIndex, String>,
    settings: FxHashMap<CompileIndex, DynamoSettings>,
    devices: FxHashMap<CompileIndex, DeviceTexts>,
}

/// Texts of a compile that say what runs on which device.
#[derive(Debug, Default)]
pub struct DeviceTexts {
    /// The graphs that Inductor generated code for.
    pub lowered: Vec<String>,
    /// The graph that Dynamo captured.
    pub captured: Option<String>,
    /// `ViewAndMutationMeta`: which inputs are written, and which always have the same address.
    pub metadata: Option<String>,
}

impl GuardTexts {
    /// Reads the texts of the functions that were compiled again because of a size or a number.
    pub fn of_log(
        model: &Model,
        mut read: impl FnMut(TextOfLog<'_>) -> io::Result<String>,
    ) -> io::Result<GuardTexts> {
        let mut texts = GuardTexts::default();
        let mut room = READ_TOGETHER;
        let mut read = |text: Option<TextOfLog<'_>>| -> io::Result<Option<String>> {
            let Some(text) = text.filter(|text| text.bytes() <= LARGEST_TEXT.min(room)) else {
                return Ok(None);
            };
            room -= text.bytes();
            read(text).map(Some)
        };
        for index in compiles_to_read(model) {
            let Some(compile) = model.compiles.get(index) else { continue };
            let tree = payload(compile, "dynamo_cpp_guards_str").map(TextOfLog::Payload);
            let graph = payload(compile, "dynamo_output_graph").map(TextOfLog::Payload);
            let config = config(model, compile).map(TextOfLog::Header);
            texts.trees.extend(read(tree)?.map(|text| (index, text)));
            texts.graphs.extend(read(graph)?.map(|text| (index, text)));
            texts.settings.extend(read(config)?.map(|text| (index, settings(&text))));
        }
        for index in with_questions(model).into_iter().take(SEARCHED) {
            let Some(compile) = model.compiles.get(index) else { continue };
            let mut of = DeviceTexts::default();
            for graph in payloads(compile, "inductor_post_grad_graph").take(SAME_NAME) {
                of.lowered.extend(read(Some(TextOfLog::Payload(graph)))?);
            }
            of.captured = read(payload(compile, "dynamo_output_graph").map(TextOfLog::Payload))?;
            of.metadata = read(payload(compile, "aot_forward_graph_fw_metadata").map(TextOfLog::Payload))?;
            texts.devices.insert(index, of);
        }
        Ok(texts)
    }

    /// The graphs of a compile whose work on a device raises a question.
    pub(super) fn on_device(&self, compile: CompileIndex) -> Option<&DeviceTexts> {
        self.devices.get(&compile)
    }

    pub fn tree(&self, compile: CompileIndex) -> Option<&str> {
        self.trees.get(&compile).map(String::as_str)
    }

    /// The graph that Dynamo captured in a compile.
    pub fn graph(&self, compile: CompileIndex) -> Option<&str> {
        self.graphs.get(&compile).map(String::as_str)
    }

    pub fn settings(&self, compile: CompileIndex) -> DynamoSettings {
        self.settings.get(&compile).copied().unwrap_or_default()
    }

    /// Texts that a test writes.
    #[cfg(test)]
    pub fn of_trees(trees: impl IntoIterator<Item = (CompileIndex, String)>) -> GuardTexts {
        GuardTexts { trees: trees.into_iter().collect(), ..GuardTexts::default() }
    }
}

/// Compiles of the functions that a size or a number compiled again, in the order of the log.
fn compiles_to_read(model: &Model) -> Vec<CompileIndex> {
    let asked =
        model.recompiles.iter().filter(|one| one.reasons.iter().any(|reason| is_asked(&reason.guard)));
    let frames = asked.filter_map(|one| one.compile.as_ref().filter(|id| id.has_frame()));
    let frames: TextSet<FrameId> = frames.map(|id| id.frame()).collect();
    if frames.is_empty() {
        return Vec::new();
    }
    let mut versions: TextMap<FrameId, usize> = TextMap::default();
    let mut compiles = Vec::new();
    for (index, compile) in model.compiles.indexed() {
        let frame = compile.id.as_ref().filter(|id| id.has_frame()).map(|id| id.frame());
        let Some(frame) = frame.filter(|frame| frames.contains(frame)) else { continue };
        let version = versions.entry(frame).or_default();
        *version += 1;
        if *version <= MOST_VERSIONS && compiles.len() < SEARCHED {
            compiles.push(index);
        }
    }
    compiles
}

/// Whether a failed guard is about a size, a stride or a number.
pub(super) fn is_asked(guard: &str) -> bool {
    let of_tensor = ["size mismatch", "stride mismatch", ".size()[", ".stride()["];
    let number = guard.rsplit_once(" == ").is_some_and(|(_, value)| value.trim().parse::<f64>().is_ok());
    of_tensor.iter().any(|part| guard.contains(part)) || number || guard.contains(" <= ")
}

/// The last payload of that name.
fn payload<'c>(compile: &'c Compile, name: &'c str) -> Option<&'c PayloadRef> {
    payloads(compile, name).next()
}

/// The payloads of that name in the last attempt that has one, the last one first.
fn payloads<'c>(compile: &'c Compile, name: &'c str) -> impl Iterator<Item = &'c PayloadRef> {
    let mut named = compile.artifacts.iter().rev().filter(move |one| &*one.name == name).peekable();
    let attempt = named.peek().map(|last| last.attempt);
    named.take_while(move |one| Some(one.attempt) == attempt).filter_map(|one| match &one.content {
        Content::Payload(payload, _) => Some(payload),
        _ => None,
    })
}

/// The header that holds Dynamo's configuration in this compile.
fn config(model: &Model, compile: &Compile) -> Option<Span> {
    let record = compile.metrics.iter().rev().find(|record| !record.configs.is_empty())?;
    let (_, md5) = record.configs.iter().find(|(field, _)| &**field == "dynamo_config")?;
    model.configs.get(md5).map(|config| config.header)
}

/// Reads the settings from a header, in which the configuration is JSON within a string of JSON.
pub(super) fn settings(header: &str) -> DynamoSettings {
    let flag = |name: &str| {
        let (_, rest) = header.split_once(&format!("\"{name}\\\": "))?;
        match rest.split([',', '}']).next()?.trim() {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    };
    DynamoSettings {
        automatic_dynamic_shapes: flag("automatic_dynamic_shapes"),
        specialize_float: flag("specialize_float"),
    }
}
