//! What a parser can add to the report.

use super::Event;
use super::placed::PlacedFiles;
use super::sections::{Head, PageTables, SectionRows};
use super::stacks::{self, Texts};
use crate::limits::LONG_LIST;
use crate::model::{
    Advice, AdviceKind, Artifact, ArtifactIndex, Attempt, Cell, Column, Compile, CompileIndex, Content,
    Failure, Form, MadeExpression, Model, Outcome, PayloadPlace, Place, ProblemKind, Readable, Stack,
    TablesPage,
};
use crate::rel_path::RelPath;
use crate::trace::{CompileId, Payload, TextMap, TextSet, push_mostly_one};
use anyhow::ensure;
use serde_json::value::RawValue;

/// The state of reading a log: the model so far, and what records share.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) model: Model,
    pub(super) texts: Texts,
    /// How each symbolic expression was made, by the id of its object.
    pub(super) expressions: TextMap<i64, MadeExpression>,
    /// The next running number of a file, as upstream counts.
    pub(super) next_number: u32,
    /// How many files upstream does not have. Their numbers come last, so that every path of upstream's report is one of ours.
    pub(super) uncounted: u32,
    pub(super) placed: Option<PayloadPlace>,
    /// The paths that a library user's parsers chose.
    pub(super) placed_files: PlacedFiles,
    /// Their pages.
    pages: TextMap<RelPath, ArtifactId>,
    /// All attempts that records named so far.
    attempts: TextSet<(CompileIndex, u32)>,
}

impl Reading {
    /// The compile of that id, which is created if no record named it before. The attempt is noted.
    pub(super) fn compile_and_attempt(&mut self, id: Option<&CompileId>, attempt: u32) -> CompileIndex {
        let index = self.model.compile_index(id);
        let order = u32::try_from(self.attempts.len()).unwrap_or(u32::MAX);
        if self.attempts.insert((index, attempt))
            && let Some(compile) = self.model.compiles.get_mut(index)
        {
            push_mostly_one(&mut compile.attempts, Attempt { number: attempt, order });
        }
        index
    }
}

/// The first number of a file that upstream does not have, until the log is read.
pub(super) const UNCOUNTED: u32 = 1 << 31;

impl Reading {
    fn number(&mut self, counted: bool) -> u32 {
        let next = if counted { &mut self.next_number } else { &mut self.uncounted };
        let number = *next;
        *next += 1;
        if counted { number } else { UNCOUNTED.saturating_add(number) }
    }

    /// Gives the files that upstream does not have the numbers behind all others.
    pub(super) fn number_the_rest(&mut self) {
        let first = self.next_number;
        let settled =
            |number: u32| number.checked_sub(UNCOUNTED).map_or(number, |place| first.saturating_add(place));
        let model = &mut self.model;
        for artifact in model.compiles.iter_mut().flat_map(|compile| &mut compile.artifacts) {
            artifact.number = settled(artifact.number);
        }
        model.aot_ids =
            std::mem::take(&mut model.aot_ids).into_iter().map(|(at, id)| (settled(at), id)).collect();
    }
}

/// Gives a parser access to the report of one log. Files, rows and links go to the compile of the event at hand.
pub struct RankContext<'a> {
    pub(super) reading: &'a mut Reading,
    /// Compile of the event at hand; None at the end of a log.
    pub(super) compile: Option<CompileIndex>,
    pub(super) attempt: u32,
    pub(super) line: u64,
    /// The subgraph that the record at hand names.
    pub(super) subgraph: Option<&'a str>,
    /// Whether upstream reads the record at hand: in a log with ranks, it drops those without one.
    pub(super) is_counted: bool,
}

impl RankContext<'_> {
    /// The model, for the parsers of this crate.
    pub(super) fn model(&mut self) -> &mut Model {
        &mut self.reading.model
    }

    /// Whatever is added next goes to this compile and attempt. The compile is created if no record named it before.
    pub fn compile(&mut self, id: Option<&CompileId>, attempt: u32) -> &mut Self {
        self.compile = Some(self.reading.compile_and_attempt(id, attempt));
        self.attempt = attempt;
        self
    }

    /// The compile to which a parser adds something. At the end of a log there is no current event: what a parser adds then
    /// without naming a compile is listed with the records that have no compile id.
    pub(super) fn compile_at_hand(&mut self) -> CompileIndex {
        let attempt = self.attempt;
        *self.compile.get_or_insert_with(|| self.reading.compile_and_attempt(None, attempt))
    }

    /// The compile of the event at hand.
    pub(super) fn here(&mut self) -> Option<&mut Compile> {
        self.reading.model.compiles.get_mut(self.compile?)
    }

    /// Adds the event's payload as a file of the compile, `<name>_<number>.<ext>`. The text is not kept in memory: it is
    /// copied from the log when the report is written. If the event has no payload, the file is empty.
    pub fn artifact_of_payload(&mut self, event: &Event<'_>, name: &str, form: Form) -> ArtifactId {
        let id = self.add(name, payload_of(event, form));
        self.note_graph(id, event.payload);
        id
    }

    /// Adds a file with this text.
    pub fn artifact(&mut self, name: &str, text: String, form: Form) -> ArtifactId {
        self.add(name, Content::Text(text, form))
    }

    /// Keeps a payload under its md5 and lists it with the compile, for events that have no file of their own.
    pub(super) fn listed_payload(&mut self, payload: &Payload<'_>, name: &str) -> ArtifactId {
        self.reading.model.keep_payload(payload.at);
        let id = self.uncounted(|cx| cx.add(name, Content::Payload(payload.at, Form::Text)));
        if let Some(artifact) = self.artifact_mut(id) {
            artifact.place = Place::Payloads;
        }
        self.note_graph(id, Some(payload));
        id
    }

    /// Adds files that upstream does not have.
    pub(super) fn uncounted<T>(&mut self, add: impl FnOnce(&mut Self) -> T) -> T {
        let was_counted = std::mem::replace(&mut self.is_counted, false);
        let added = add(self);
        self.is_counted = was_counted;
        added
    }

    /// Notes whether the text begins like a graph, because some names do not say so.
    fn note_graph(&mut self, id: ArtifactId, payload: Option<&Payload<'_>>) {
        let text = payload.and_then(|payload| payload.text).unwrap_or_default();
        if is_graph(text.get(..SNIFFED).unwrap_or(text))
            && let Some(artifact) = self.artifact_mut(id)
        {
            artifact.graph = true;
        }
    }

    /// Lists the payload, if there is one, of an event whose fields are shown elsewhere.
    pub(super) fn listed_if_any(&mut self, event: &Event<'_>) {
        if let Some(payload) = event.payload {
            self.listed_payload(payload, event.name.unwrap_or(event.key));
        }
    }

    /// Keeps a payload under its md5 without listing it.
    pub(super) fn kept_payload(&mut self, payload: &Payload<'_>) {
        self.reading.placed = Some(self.reading.model.keep_payload(payload.at));
    }

    /// Adds a file or a link.
    pub(super) fn add(&mut self, name: &str, content: Content) -> ArtifactId {
        let compile = self.compile_at_hand();
        let number = self.reading.number(self.is_counted);
        let holds_payload = matches!(content, Content::Payload(..) | Content::Empty(_));
        let artifact = Artifact {
            line: self.line,
            attempt: self.attempt,
            subgraph: self.subgraph.map(str::to_owned),
            cache: cache_and_outcome(name).map(|(_, outcome)| outcome),
            content,
            ..Artifact::named(self.reading.texts.text(name), number)
        };
        let mut id = ArtifactId { place: ArtifactIndex::new(compile, 0), number };
        if let Some(compile) = self.reading.model.compiles.get_mut(compile) {
            id.place = ArtifactIndex::new(id.place.compile, compile.artifacts.len());
            push_mostly_one(&mut compile.artifacts, artifact);
        }
        if holds_payload {
            self.reading.placed = Some(PayloadPlace::Artifact(id.place));
        }
        id
    }

    /// An artifact that was just added, to set more of its fields.
    pub(super) fn artifact_mut(&mut self, id: ArtifactId) -> Option<&mut Artifact> {
        self.reading.model.compiles.get_mut(id.place.compile)?.artifacts.get_mut(id.place.place())
    }

    /// Adds a `_readable.html` page beside an artifact that holds something.
    pub(super) fn readable(&mut self, id: ArtifactId, readable: Readable) {
        if let Some(artifact) = self.artifact_mut(id)
            && !matches!(artifact.content, Content::Empty(_))
        {
            artifact.readable = Some(readable);
            // The page of stacks is the only one of these that upstream has, and it takes a number there.
            if readable == Readable::KernelStacks && id.number < UNCOUNTED {
                self.reading.next_number += 1;
            }
        }
    }

    /// Adds a link to the compile's files; it is shown as text unless it is http, https or relative.
    pub fn link(&mut self, name: &str, url: &str) {
        self.add(name, Content::Link(url.to_owned()));
    }

    /// The table `id` on the page of the compile, to which rows can be added. It is created when it is first asked for.
    pub fn section(
        &mut self,
        id: &'static str,
        title: &str,
        note: &str,
        columns: &[Column],
    ) -> SectionRows<'_> {
        let compile = self.compile_at_hand();
        let Reading { model, texts, .. } = &mut *self.reading;
        let sections = model.compiles.get_mut(compile).map(|compile| &mut compile.sections);
        SectionRows::find_or_add(sections, texts, id, [title, note], columns)
    }

    /// The table `id` of `tables.txt`.
    pub(super) fn table(&mut self, id: &str) -> SectionRows<'_> {
        self.table_with(id, None)
    }

    /// The same with a note that the parser writes.
    pub(super) fn table_with(&mut self, id: &str, note: Option<&str>) -> SectionRows<'_> {
        let Some(head) = Head::with_id(id) else { return SectionRows::default() };
        self.section(head.id, head.title, note.unwrap_or(head.note), &head.columns)
    }

    /// The folder of the compile and attempt at hand, such as `-_0_0_0`: where a path below it begins.
    pub fn folder(&mut self) -> String {
        self.compile_at_hand();
        let attempt = self.attempt;
        self.here().map(|compile| compile.folder(attempt)).unwrap_or_default()
    }

    /// Writes a file with this text at `path`, relative to the top of the report, and lists it with the current compile.
    /// `--overwrite` accepts a report with such files, because its `report.json` lists them.
    ///
    /// ```
    /// # use tlparse::{RankContext, RelPath};
    /// # fn place(cx: &mut RankContext<'_>) -> anyhow::Result<()> {
    /// cx.global_file(&RelPath::of_parts(&["checkpoints", "steps.csv"]), "step,seconds\n".to_owned())?;
    /// let beside_the_compile = RelPath::of_parts(&[&cx.folder(), "notes.html"]);
    /// cx.global_file(&beside_the_compile, "<h1>Notes</h1>".to_owned())?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The report uses that path itself, or another file has it; upper and lower case count as the same. Returned from
    /// [`parse`](super::StructuredLogParser::parse), the error is listed as damage of the record, and the report is
    /// written without the file. The report uses its pages and data files (`index.html`, `report.json`), its folders
    /// (`payloads/`, `rank_0/`), and in the folder of a compile `compile.html`, `graphs.html` and names that end in a
    /// number before their extension (`graph_12.txt`).
    pub fn global_file(&mut self, path: &RelPath, text: String) -> anyhow::Result<ArtifactId> {
        self.place(path, Content::Text(text, Form::Text))
    }

    /// The same with the payload of an event, which is copied from the log and not kept in memory.
    ///
    /// # Errors
    /// As [`global_file`](Self::global_file).
    pub fn global_file_of_payload(
        &mut self,
        event: &Event<'_>,
        path: &RelPath,
    ) -> anyhow::Result<ArtifactId> {
        self.place(path, payload_of(event, Form::Text))
    }

    /// The page `path` at the top of the report, with this heading, to which tables can be added. It is created when it is
    /// first asked for, looks like the other pages, and is listed with the compile that was current then.
    ///
    /// # Errors
    /// As [`global_file`](Self::global_file); or `path` is in a folder or does not end in `.html`.
    pub fn page(&mut self, path: &RelPath, title: &str) -> anyhow::Result<PageTables<'_>> {
        ensure!(
            path.as_str().ends_with(".html") && !path.as_str().contains('/'),
            "a page is at the top of the report and ends in .html, and {path} does not"
        );
        let id = match self.reading.pages.get(path) {
            Some(id) => *id,
            None => {
                let tables = TablesPage { title: title.to_owned(), sections: Vec::new() };
                let id = self.place(path, Content::Tables(tables))?;
                self.reading.pages.insert(path.clone(), id);
                id
            }
        };
        let Reading { model, texts, .. } = &mut *self.reading;
        let compile = model.compiles.get_mut(id.place.compile);
        let sections = match compile.and_then(|compile| compile.artifacts.get_mut(id.place.place())) {
            Some(Artifact { content: Content::Tables(page), .. }) => Some(&mut page.sections),
            _ => None,
        };
        Ok(PageTables::new(sections, texts))
    }

    fn place(&mut self, path: &RelPath, content: Content) -> anyhow::Result<ArtifactId> {
        self.reading.placed_files.take(path)?;
        let file = path.as_str().rsplit('/').next().unwrap_or_default();
        let name = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let id = self.add(name, content);
        if let Some(artifact) = self.artifact_mut(id) {
            artifact.path = Some(path.clone());
        }
        Ok(id)
    }

    /// A failure of the compile at hand.
    pub fn failure(&mut self, failure: Failure) {
        self.model().failures.push(failure);
    }

    /// Something that must be seen on the landing page, such as a worker that died.
    pub fn advice(&mut self, title: &str, text: String) {
        self.notice(AdviceKind::Notice, title, text);
    }

    /// The same, for a kind of failure that has its own finding.
    pub(super) fn notice(&mut self, kind: AdviceKind, title: &str, text: String) {
        let advice = Advice { kind, title: title.to_owned(), text, compile: self.compile, line: self.line };
        self.model().advice.push(advice);
    }

    /// Reads a list of frames as torch writes it (`[{"line", "name", "filename", "loc"}]`), with the string table of
    /// the process `pid`. None when the value is not such a list or has no frame.
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
            && compile.lost.len() < LONG_LIST
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

fn payload_of(event: &Event<'_>, form: Form) -> Content {
    event.payload.map_or(Content::Empty(form), |payload| Content::Payload(payload.at, form))
}

/// How many bytes of a text are searched for the beginning of a graph: only imports and comments come before it.
const SNIFFED: usize = 4096;

/// Whether a text begins like a graph: `class GraphModule(..`, `def forward(..`, `graph(%x ..`, `graph():`.
fn is_graph(start: &[u8]) -> bool {
    start.split(|byte| *byte == b'\n').any(|line| {
        let line = line.trim_ascii_start();
        [&b"class "[..], b"def ", b"graph("].iter().any(|begin| line.starts_with(begin))
    })
}

/// The cache and the result of a lookup, by the name of its artifact: `fx_graph` and miss of `fx_graph_cache_miss`.
pub(super) fn cache_and_outcome(name: &str) -> Option<(&str, Outcome)> {
    let (cache, word) = name.rsplit_once("_cache_")?;
    Some((cache, Outcome::ALL.into_iter().find(|outcome| outcome.word() == word)?))
}

/// Which artifact of which compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArtifactId {
    pub(super) place: ArtifactIndex,
    pub(super) number: u32,
}
