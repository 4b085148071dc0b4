//! All that a parser can do: what it adds to the report.

use super::Event;
use super::expressions::Expressions;
use super::stacks::{self, Texts};
use crate::model::{
    Advice, AdviceKind, Artifact, ArtifactIndex, Attempt, Cell, Column, Compile, CompileIndex, Content,
    Failure, Form, Model, Outcome, PayloadPlace, Place, ProblemKind, Readable, Section, Stack,
};
use crate::trace::{CompileId, Payload};
use serde_json::value::RawValue;

/// What is being read: the model so far, and what is shared between records.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) model: Model,
    pub(super) texts: Texts,
    pub(super) expressions: Expressions,
    pub(super) next_number: u32,
    pub(super) placed: Option<PayloadPlace>,
    attempts: u32,
}

impl Reading {
    /// The compile of that id, with that attempt noted; made where no record named it yet.
    pub(super) fn compile_and_attempt(&mut self, id: Option<&CompileId>, attempt: u32) -> CompileIndex {
        let index = self.model.compile_index(id);
        if let Some(compile) = self.model.compiles.get_mut(index)
            && compile.attempts.iter().all(|a| a.number != attempt)
        {
            compile.attempts.push(Attempt { number: attempt, order: self.attempts });
            self.attempts += 1;
        }
        index
    }
}

/// Gives a parser access to the report of one log. Files, rows and links go to the compile of the event at hand.
pub struct RankContext<'a> {
    pub(super) reading: &'a mut Reading,
    /// Compile of the event at hand; at the end of a log there is none.
    pub(super) compile: Option<CompileIndex>,
    pub(super) attempt: u32,
    pub(super) line: u64,
}

impl RankContext<'_> {
    /// The model, for the parsers of this crate.
    pub(super) fn model(&mut self) -> &mut Model {
        &mut self.reading.model
    }

    /// Makes what follows go to that compile and attempt; it is created where no record named it yet.
    pub fn compile(&mut self, id: Option<&CompileId>, attempt: u32) -> &mut Self {
        self.compile = Some(self.reading.compile_and_attempt(id, attempt));
        self.attempt = attempt;
        self
    }

    /// The compile to which a parser adds something. At the end of a log there is no event at hand: what a parser adds
    /// without naming a compile goes to the records without an id.
    pub(super) fn compile_at_hand(&mut self) -> CompileIndex {
        let attempt = self.attempt;
        *self.compile.get_or_insert_with(|| self.reading.compile_and_attempt(None, attempt))
    }

    /// The compile of the event at hand.
    pub(super) fn here(&mut self) -> Option<&mut Compile> {
        self.reading.model.compiles.get_mut(self.compile?)
    }

    /// Adds the event's payload as a file of the compile, `<name>_<number>.<ext>`; the text is copied from the log
    /// when the report is written and does not pass memory. An event without payload gives an empty file.
    pub fn artifact_of_payload(&mut self, event: &Event<'_>, name: &str, form: Form) -> ArtifactId {
        let content = match event.payload {
            Some(payload) => Content::Payload(payload.at, form),
            None => Content::Empty(form),
        };
        let id = self.add(name, content, Place::Compile, true);
        self.note_graph(id, event.payload);
        id
    }

    /// Adds a file with the text given.
    pub fn artifact(&mut self, name: &str, text: String, form: Form) -> ArtifactId {
        self.add(name, Content::Text(text, form), Place::Compile, false)
    }

    /// Keeps a payload under its md5 and lists it with the compile, for events that have no file of their own.
    pub(super) fn listed_payload(&mut self, payload: &Payload<'_>, name: &str) -> ArtifactId {
        self.reading.model.payloads.entry(payload.at.md5).or_insert(payload.at);
        let id = self.add(name, Content::Payload(payload.at, Form::Text), Place::Payloads, true);
        self.note_graph(id, Some(payload));
        id
    }

    /// Notes whether the text begins as a graph does, for names that say nothing.
    fn note_graph(&mut self, id: ArtifactId, payload: Option<&Payload<'_>>) {
        let text = payload.and_then(|payload| payload.text).unwrap_or_default();
        if is_graph(text.get(..SNIFFED).unwrap_or(text))
            && let Some(artifact) = self.artifact_mut(id)
        {
            artifact.graph = true;
        }
    }

    /// Lists the payload of an event that is told otherwise and usually has none.
    pub(super) fn listed_if_any(&mut self, event: &Event<'_>) {
        if let Some(payload) = event.payload {
            self.listed_payload(payload, event.name.unwrap_or(event.key));
        }
    }

    /// Keeps a payload under its md5 without listing it.
    pub(super) fn kept_payload(&mut self, payload: &Payload<'_>) {
        self.reading.model.payloads.entry(payload.at.md5).or_insert(payload.at);
        self.reading.placed = Some(PayloadPlace::Payloads(payload.at.md5));
    }

    /// Adds the page of the metrics record that stands at `index` in the compile; returns its number.
    pub(super) fn metrics_page(&mut self, name: &str, index: usize) -> u32 {
        self.add(name, Content::Metrics(index), Place::Compile, false).number
    }

    /// Adds the page of the export problem that stands at `index` in the model; returns its place among the files of
    /// the compile.
    pub(super) fn guard_page(&mut self, index: usize) -> usize {
        self.add("symbolic_guard_information", Content::Guard(index), Place::Compile, false).place.artifact
    }

    fn add(&mut self, name: &str, content: Content, place: Place, holds_payload: bool) -> ArtifactId {
        let compile = self.compile_at_hand();
        let number = self.reading.next_number;
        self.reading.next_number += 1;
        let artifact = Artifact {
            name: name.to_owned(),
            number,
            line: self.line,
            attempt: self.attempt,
            cache: cache_outcome(name),
            content,
            place,
            readable: None,
            graph: false,
            unknown: false,
        };
        let mut id = ArtifactId { place: ArtifactIndex { compile, artifact: 0 }, number };
        if let Some(compile) = self.reading.model.compiles.get_mut(compile) {
            id.place.artifact = compile.artifacts.len();
            compile.artifacts.push(artifact);
        }
        if holds_payload {
            self.reading.placed = Some(PayloadPlace::Artifact(id.place));
        }
        id
    }

    /// The artifact that was just added, to say more of it.
    pub(super) fn artifact_mut(&mut self, id: ArtifactId) -> Option<&mut Artifact> {
        self.reading.model.compiles.get_mut(id.place.compile)?.artifacts.get_mut(id.place.artifact)
    }

    /// Adds a `_readable.html` page beside an artifact that holds something.
    pub(super) fn readable(&mut self, id: ArtifactId, readable: Readable) {
        if let Some(artifact) = self.artifact_mut(id)
            && !matches!(artifact.content, Content::Empty(_))
        {
            artifact.readable = Some(readable);
        }
    }

    /// Whether the payload of the event at hand has a file.
    pub(super) fn payload_is_placed(&self) -> bool {
        self.reading.placed.is_some()
    }

    /// Lists the page of a generated module with the compile.
    pub(super) fn listed_dump_file(&mut self, stem: &str, index: usize) {
        self.add(stem, Content::DumpFile(index), Place::Compile, false);
    }

    /// A link among the compile's files; shown as text unless it is http, https or relative.
    pub fn link(&mut self, name: &str, url: &str) {
        self.add(name, Content::Link(url.to_owned()), Place::Compile, false);
    }

    /// The table `id` on the page of the compile, made where it is not there yet; give it rows.
    pub fn section(
        &mut self,
        id: &'static str,
        title: &str,
        note: &str,
        columns: &[Column],
    ) -> SectionRows<'_> {
        let compile = self.compile_at_hand();
        let sections = match self.reading.model.compiles.get_mut(compile) {
            Some(compile) => &mut compile.sections,
            None => return SectionRows { section: None },
        };
        if !sections.iter().any(|s| s.id == id) {
            let columns = columns.to_vec();
            sections.push(Section {
                id,
                title: title.to_owned(),
                note: note.to_owned(),
                columns,
                rows: Vec::new(),
            });
        }
        SectionRows { section: sections.iter_mut().find(|s| s.id == id) }
    }

    /// A failure of the compile at hand.
    pub fn failure(&mut self, failure: Failure) {
        self.model().failures.push(failure);
    }

    /// Something that must be seen on the landing page, such as a worker that died.
    pub fn advice(&mut self, title: &str, text: String) {
        self.notice(AdviceKind::Notice, title, text);
    }

    /// The same, of a kind that findings know.
    pub(super) fn notice(&mut self, kind: AdviceKind, title: &str, text: String) {
        let advice = Advice { kind, title: title.to_owned(), text, compile: self.compile, line: self.line };
        self.model().advice.push(advice);
    }

    /// Reads a list of frames as torch writes it (`[{"line", "name", "filename", "loc"}]`), with the string table of
    /// the process `pid`. None when it is no such list or has no frame.
    pub fn stack(&mut self, pid: u64, frames: &RawValue) -> Option<Stack> {
        stacks::read(frames, pid, &mut self.reading.model.strings, &mut self.reading.texts)
    }

    /// A field of the event that holds a stack, as a cell.
    pub fn stack_cell(&mut self, event: &Event<'_>, field: &str) -> Cell {
        let stack = event.fields().raw(field).and_then(|raw| self.stack(event.pid, raw));
        Cell::Stack(stack)
    }

    /// Lists a record that its parser could not use, also with its compile.
    pub(super) fn lost(&mut self, line: u64, detail: String) {
        if let Some(compile) = self.here()
            && compile.lost.len() < MOST_LOST
        {
            compile.lost.push((line, detail.clone()));
        }
        self.diagnostic(ProblemKind::ParserErrors, line, detail);
    }

    /// Lists something wrong with a line of the log.
    pub fn diagnostic(&mut self, kind: ProblemKind, line: u64, detail: impl Into<String>) {
        self.model().integrity.add(kind, line, detail);
    }
}

/// Bytes of a text that are looked at to tell a graph from other texts: what stands above it is imports and comments.
const SNIFFED: usize = 4096;

/// Whether a text begins as a graph does: `class GraphModule(..`, `def forward(..`, `graph(%x ..`, `graph():`.
fn is_graph(start: &[u8]) -> bool {
    start.split(|byte| *byte == b'\n').any(|line| {
        let line = line.trim_ascii_start();
        [&b"class "[..], b"def ", b"graph("].iter().any(|begin| line.starts_with(begin))
    })
}

/// Unusable records that are listed with a compile; all are counted.
const MOST_LOST: usize = 100;

/// What a cache answered, by the name of its artifact.
fn cache_outcome(name: &str) -> Option<Outcome> {
    [("_cache_hit", Outcome::Hit), ("_cache_miss", Outcome::Miss), ("_cache_bypass", Outcome::Bypass)]
        .into_iter()
        .find_map(|(suffix, outcome)| name.ends_with(suffix).then_some(outcome))
}

/// Which artifact of which compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArtifactId {
    pub(super) place: ArtifactIndex,
    pub(super) number: u32,
}

/// Takes the rows of a section.
pub struct SectionRows<'a> {
    section: Option<&'a mut Section>,
}

impl SectionRows<'_> {
    /// Adds a row, one cell a column; a cell that is missing is unknown, one too many is left out.
    pub fn row(&mut self, mut cells: Vec<Cell>) -> &mut Self {
        if let Some(section) = &mut self.section {
            cells.resize(section.columns.len(), Cell::Unknown);
            section.rows.push(cells);
        }
        self
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.section.as_ref().map_or(0, |section| section.rows.len())
    }

    /// Adds one to the count in the last cell of a row.
    pub fn count(&mut self, row: usize) {
        let row = self.section.as_mut().and_then(|section| section.rows.get_mut(row));
        if let Some(Cell::Number(count, _)) = row.and_then(|row| row.last_mut()) {
            *count += 1.0;
        }
    }
}
