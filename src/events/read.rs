//! The pass over a log: from records through parsers to the model.

use super::budget::{Budget, is_streamed};
use super::context::{RankContext, Reading};
use super::placed::IsOwnPath;
use super::registry::{Parsers, Registry};
use super::{Event, finish};
use crate::limits::{DEEPEST_JSON, LISTED};
use crate::model::{CompileIndex, Integrity, LastRecord, Model, ProblemKind, RawRecord};
use crate::trace::{
    CompileId, Damage, DamageKind, Entry, OrderedMap, Payload, Record, Records, STDIN, Source, Stamp,
    nests_deeper, readable_text, shown, strict_json,
};
use anyhow::{Context, bail};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::path::Path;

/// The records of one rank in a log that several ranks wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankPart {
    pub rank: u64,
    /// The processes whose records without a rank belong to this rank.
    pub pids: Vec<u64>,
}

impl RankPart {
    /// One part per rank, ascending, if several ranks wrote the log; otherwise empty.
    pub fn all_of(model: &Model) -> Vec<RankPart> {
        let mut parts: Vec<RankPart> = Vec::new();
        for &(pid, rank) in &model.ranks {
            match parts.iter_mut().find(|part| part.rank == rank) {
                Some(part) => part.pids.push(pid),
                None => parts.push(RankPart { rank, pids: vec![pid] }),
            }
        }
        // If a process changed its rank, its records without a rank belong to its first rank.
        let mut claimed: Vec<u64> = Vec::new();
        for part in &mut parts {
            part.pids.retain(|pid| !claimed.contains(pid));
            claimed.extend(&part.pids);
        }
        // Processes that never name a rank are listed with the first rank.
        if let Some(first) = parts.first_mut() {
            first.pids.extend(model.log.pids.iter().filter(|pid| !claimed.contains(pid)));
        }
        parts.sort_by_key(|part| part.rank);
        if parts.len() > 1 { parts } else { Vec::new() }
    }

    fn holds(&self, record: &Record<'_>) -> bool {
        match record.envelope.rank {
            Some(rank) => rank == self.rank,
            None => self.pids.contains(&record.pid),
        }
    }
}

/// Reads a whole log, or the `part` of it that one rank wrote, on `threads` threads. `progress` is called with the number of
/// bytes read; `is_own_path` says which paths the report itself uses, so that no parser places a file there.
///
/// # Errors
/// The log cannot be read, or has content but no record. Damage is not an error: it is listed in the model's integrity.
pub fn read_log(
    source: &Source,
    registry: &Registry,
    part: Option<&RankPart>,
    threads: NonZeroUsize,
    progress: &dyn Fn(u64),
    is_own_path: IsOwnPath,
) -> anyhow::Result<Model> {
    let mut reader = Reader::new(registry);
    reader.reading.placed_files.is_own_path = Some(is_own_path);
    reader.reading.model.log.rank = part.map(|part| part.rank);
    // Another thread reads, cuts and hashes the records that come next, if there is one to spare. Where each rank of a job has
    // one, as all processors are busy with others, the whole job took 3 % longer with two.
    std::thread::scope(|scope| {
        let mut records = match threads {
            NonZeroUsize::MIN => Records::new(source.reader()),
            _ => Records::ahead(scope, source.reader()),
        };
        loop {
            let at = records.offset();
            let entry = records.next().with_context(|| format!("could not read {}", source.name()))?;
            match entry {
                Some(Entry::Record(record)) if part.is_some_and(|part| !part.holds(&record)) => {}
                Some(Entry::Record(record)) => reader.record(&record),
                Some(Entry::Damage(damage)) => reader.damage(&damage),
                None => return anyhow::Ok(()),
            }
            progress(at);
        }
    })?;
    progress(source.len());
    Ok(reader.finish(source))
}

/// Refuses a file that has content but no record: it is not a log.
///
/// # Errors
/// The file is not a log; the error says what to give instead.
pub fn check_is_log(model: &Model) -> anyhow::Result<()> {
    if model.log.records == 0 && !model.integrity.problems.is_empty() {
        let file = &model.log.file;
        // Torch prints to standard error, which a pipe leaves out.
        let console =
            if file == STDIN { ", or pipe what torch prints, too: program 2>&1 | tlparse -" } else { "." };
        bail!(
            "{} holds no TORCH_TRACE record. Run the program with TORCH_TRACE=DIR and give the log that torch writes \
             there, or the folder itself{console}",
            shown(Path::new(file))
        );
    }
    Ok(())
}

pub(super) struct Reader {
    reading: Reading,
    parsers: Parsers,
    budget: Budget,
    /// Whether upstream reads the record at hand: in a log with ranks, it drops those without one.
    is_counted: bool,
}

impl Reader {
    /// At the start of a log.
    pub fn new(registry: &Registry) -> Self {
        Reader {
            reading: Reading::default(),
            parsers: registry.instances(),
            budget: Budget::default(),
            is_counted: true,
        }
    }

    /// What is known so far; much is settled only at the end of the log.
    pub fn model(&self) -> &Model {
        &self.reading.model
    }

    fn damage(&mut self, damage: &Damage) {
        let kind = match damage.kind {
            DamageKind::BadPrefix => ProblemKind::BadPrefix,
            DamageKind::BadJson => ProblemKind::BadJson,
            DamageKind::BadPayloadMd5 => ProblemKind::BadPayloadMd5,
            DamageKind::Truncated => ProblemKind::Truncated,
            DamageKind::NonUtf8 => ProblemKind::NonUtf8,
        };
        self.reading.model.integrity.add(kind, damage.line, damage.detail.as_str());
    }

    pub fn record(&mut self, record: &Record<'_>) {
        for damage in &record.problems {
            self.damage(damage);
        }
        let stamp = self.note_log(record);
        self.reading.model.strings.at_line(record.line);
        let key = record.envelope.events.first().map_or(NO_KEY, |(key, _)| key.as_str());
        if !self.budget.has_room_for(record, self.reading.model.compiles.len()) {
            let Integrity { events, unknown_events, .. } = &mut self.reading.model.integrity;
            for counts in [events, unknown_events] {
                if let Some(count) = counts.get_mut(key) {
                    *count += 1;
                }
            }
            return;
        }
        count(&mut self.reading.model.integrity.events, key);
        self.reading.placed = None;
        if self.is_of_other_rank(record) {
            self.other_rank(record, key);
        } else {
            self.own(record, stamp);
        }
        if !is_streamed(record) {
            self.reading.model.raw.push(RawRecord {
                header: record.header,
                stamp,
                payload: self.reading.placed,
            });
        }
    }

    /// Facts about the file as a whole.
    fn note_log(&mut self, record: &Record<'_>) -> Stamp {
        let model = &mut self.reading.model;
        let stamp = model.clock.tick(record.time);
        let log = &mut model.log;
        log.records += 1;
        model.first.get_or_insert(stamp);
        model.last = Some(stamp);
        // Searched from the end: consecutive records are mostly of the same process.
        if !log.pids.iter().rev().any(|&pid| pid == record.pid) && log.pids.len() < LISTED {
            log.pids.push(record.pid);
        }
        if let Some(rank) = record.envelope.rank {
            let named = (record.pid, rank);
            if !model.ranks.iter().rev().any(|known| *known == named) && model.ranks.len() < LISTED {
                model.ranks.push(named);
            }
        }
        stamp
    }

    /// Whether the record is of another rank than the log. A record without a rank belongs to the rank of the log.
    fn is_of_other_rank(&mut self, record: &Record<'_>) -> bool {
        let Some(rank) = record.envelope.rank else { return false };
        *self.reading.model.log.rank.get_or_insert(rank) != rank
    }

    fn other_rank(&mut self, record: &Record<'_>, key: &str) {
        let model = &mut self.reading.model;
        let rank = record.envelope.rank.unwrap_or_default();
        let own = model.log.rank.unwrap_or_default();
        let detail = format!("{key} of rank {rank}, in the log of rank {own}");
        model.integrity.add(ProblemKind::OtherRank, record.line, detail);
        let other = model.other_ranks.entry(rank).or_default();
        if other.lines.0 == 0 {
            other.lines.0 = record.line;
        }
        other.lines.1 = record.line;
        count(&mut other.events, key);
        if let Some(id) = &record.envelope.compile_id {
            count(&mut other.compiles, &id.to_string());
        }
        for (key, value) in &record.envelope.events {
            if key == "artifact" {
                count(&mut model.integrity.artifacts, name_of(value).as_deref().unwrap_or(NO_KEY));
            }
        }
        let Some(payload) = &record.payload else { return };
        // Chromium events of all ranks go into one file, but spans of other ranks are not added to this rank's.
        if key == "chromium_event" && is_json(payload) {
            model.chromium.push(&payload.at);
        } else {
            self.reading.placed = Some(model.keep_payload(payload.at));
        }
    }

    fn own(&mut self, record: &Record<'_>, stamp: Stamp) {
        self.is_counted = record.envelope.rank.is_some() || self.reading.model.log.rank.is_none();
        for (key, value) in &record.envelope.events {
            if key == "str" {
                self.string(record, value);
                continue;
            }
            let compile = self.note_compile(record, stamp);
            let name = name_of(value);
            self.reading.model.last_record = Some(LastRecord {
                event: name.as_deref().unwrap_or(key).to_owned(),
                compile: record.envelope.compile_id.clone(),
                pid: record.pid,
            });
            if key == "artifact" {
                count(&mut self.reading.model.integrity.artifacts, name.as_deref().unwrap_or(NO_KEY));
            }
            self.note_stack(record, key, name.as_deref());
            let event = Event { name: name.as_deref(), ..event(record, key, value, stamp) };
            self.dispatch(&event, compile);
        }
        if let (true, Ok(value)) =
            (record.envelope.events.is_empty(), serde_json::from_str::<&RawValue>("{}"))
        {
            let compile = self.note_compile(record, stamp);
            let event = Event { name: None, ..event(record, NO_KEY, value, stamp) };
            self.dispatch(&event, compile);
        }
        self.keep_payload(record);
    }

    fn dispatch(&mut self, event: &Event<'_>, compile: CompileIndex) {
        let mut cx = RankContext {
            reading: &mut self.reading,
            compile: Some(compile),
            attempt: event.attempt,
            line: event.line,
            subgraph: event.subgraph,
            is_counted: self.is_counted,
        };
        self.parsers.dispatch(event, &mut cx);
    }

    /// Keeps a payload under its hash if no parser made a file of it. Chromium events have their own file.
    fn keep_payload(&mut self, record: &Record<'_>) {
        let Some(payload) = &record.payload else { return };
        let streamed = record.envelope.events.iter().any(|(key, _)| key == "chromium_event");
        if self.reading.placed.is_none() && !streamed {
            self.reading.placed = Some(self.reading.model.keep_payload(payload.at));
        }
    }

    fn string(&mut self, record: &Record<'_>, value: &RawValue) {
        match serde_json::from_str::<(Cow<'_, str>, i64)>(value.get()) {
            Ok((text, id)) => self.reading.model.strings.define(record.pid, id, &text),
            Err(error) => {
                let detail = format!("str: {error}");
                self.reading.model.integrity.add(ProblemKind::ParserErrors, record.line, detail);
            }
        }
    }

    /// The compile of the record, with the attempt that it names.
    fn note_compile(&mut self, record: &Record<'_>, stamp: Stamp) -> CompileIndex {
        let envelope = &record.envelope;
        let index = self.reading.compile_and_attempt(envelope.compile_id.as_ref(), envelope.attempt);
        let Model { compiles, integrity, .. } = &mut self.reading.model;
        let Some(compile) = compiles.get_mut(index) else { return index };
        compile.records += 1;
        if envelope.half_an_id {
            integrity.add(ProblemKind::ParserErrors, record.line, "frame_compile_id without frame_id");
        }
        if compile.first.is_none() {
            compile.first = Some(stamp);
            if let Some(odd) = envelope.compile_id.as_ref().and_then(CompileId::odd_part) {
                let detail = format!("compile id {odd}: torch writes numbers");
                integrity.add(ProblemKind::ParserErrors, record.line, detail);
            }
        }
        index
    }

    /// Notes a record that has a framework stack in place of a compile id.
    fn note_stack(&mut self, record: &Record<'_>, key: &str, name: Option<&str>) {
        let Some(raw) = record.envelope.stack.as_deref() else { return };
        self.reading.model.integrity.stacks_without_id += 1;
        let reading = &mut self.reading;
        let strings = &mut reading.model.strings;
        let Some(stack) = super::stacks::read(raw, record.pid, strings, &mut reading.texts) else {
            return;
        };
        let event = name.map_or_else(|| key.to_owned(), |name| format!("{key} {name}"));
        finish::add_stackless(&mut reading.model.stackless, event, stack, record.line);
    }

    fn finish(mut self, source: &Source) -> Model {
        self.budget.report(&mut self.reading.model.integrity);
        let mut cx = RankContext {
            reading: &mut self.reading,
            compile: None,
            attempt: 0,
            line: 0,
            subgraph: None,
            is_counted: true,
        };
        self.parsers.finish(&mut cx);
        self.reading.number_the_rest();
        let mut model = self.reading.model;
        finish::conclude(&mut model, source);
        model
    }
}

/// Whether a payload can be copied into a JSON file unchanged.
fn is_json(payload: &Payload<'_>) -> bool {
    let text = payload.text.map(readable_text).unwrap_or_default();
    let text = strict_json(&text);
    serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok() && !nests_deeper(&text, DEEPEST_JSON)
}

/// The `name` in an event's value, if it is a text.
fn name_of(value: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(borrow)]
        name: Option<&'a RawValue>,
    }
    // Most records are events of the timeline, whose value is `{}`.
    if value.get().len() < r#"{"name":0}"#.len() {
        return None;
    }
    // Metrics have up to 40 KB and no name. An event that has a name begins with it, or is small.
    let head = value.get().get(..128).unwrap_or(value.get());
    if value.get().len() > 4096 && !head.contains("\"name\"") {
        return None;
    }
    let Named { name } = serde_json::from_str(value.get()).ok()?;
    serde_json::from_str(name?.get()).ok()
}

/// The name under which records without an event key, and artifacts without a name, are counted.
const NO_KEY: &str = "(none)";

/// Counts a key; memory for it is allocated only the first time.
fn count(counts: &mut OrderedMap<String, u64>, key: &str) {
    match counts.get_mut(key) {
        Some(count) => *count += 1,
        None => {
            counts.insert(key.to_owned(), 1);
        }
    }
}

/// The event of a record, without its name.
fn event<'a>(record: &'a Record<'_>, key: &'a str, value: &'a RawValue, stamp: Stamp) -> Event<'a> {
    Event {
        key,
        name: None,
        value,
        line: record.line,
        header: record.header,
        pid: record.pid,
        stamp,
        compile_id: record.envelope.compile_id.as_ref(),
        attempt: record.envelope.attempt,
        subgraph: record.envelope.subgraph.as_deref(),
        payload: record.payload.as_ref(),
    }
}
