//! When a rank compiled: the phases in its `chromium_events.json` by part of the compiler.

use crate::analysis::part_of_phase;
use crate::facts::Interval;
use crate::facts::ranks::{CompileInterval, PartInterval, RankTimeline};
use crate::limits::{KEPT, KEPT_OF_ONE};
use crate::model::{BorrowedText, CompilerPart};
use crate::trace::{TextMap, WrittenField, written_value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Intervals of one part that are nearer than this are one, microseconds.
const NEAR_US: f64 = 1_000.0;

/// The timelines of the ranks that are shown, made from their events in the order of their reports.
pub(crate) struct Timelines<'t> {
    /// Numbers of the ranks, with their places in the job.
    shown: BTreeMap<u64, usize>,
    /// The rank whose events are at hand.
    current: Option<(usize, Phases)>,
    done: &'t mut Vec<(usize, RankTimeline)>,
}

impl<'t> Timelines<'t> {
    /// Of these ranks, by number, each with its place in the job. They are put into `done`.
    pub(super) fn new(shown: BTreeMap<u64, usize>, done: &'t mut Vec<(usize, RankTimeline)>) -> Self {
        Timelines { shown, current: None, done }
    }

    /// Whether that of a rank is shown.
    pub(super) fn are_shown_of(&self, rank: u64) -> bool {
        self.shown.contains_key(&rank)
    }

    /// Adds the next events of a rank. Those of a rank come one after the other.
    pub(super) fn add(&mut self, rank: u64, noted: &Noted) {
        let Some(&place) = self.shown.get(&rank) else { return };
        if self.current.as_ref().is_none_or(|(current, _)| *current != place) {
            self.end_current();
        }
        let (_, phases) = self.current.get_or_insert_with(|| (place, Phases::default()));
        phases.add_all(noted);
    }

    fn end_current(&mut self) {
        self.done.extend(self.current.take().map(|(place, phases)| (place, phases.timeline)));
    }

    /// At the end of the events.
    pub(super) fn finish(mut self) {
        self.end_current();
        self.done.sort_by_key(|(place, _)| *place);
    }
}

/// What the timeline needs of a block of events. It is taken from them where they are read, by several threads, and put
/// together in order by one.
#[derive(Default)]
pub(super) struct Noted(Vec<NotedEvent>);

struct NotedEvent {
    name: String,
    edge: Edge,
    ts: f64,
    pid: u64,
    /// The id of its compile.
    compile: Option<String>,
}

/// What an event says of its phase.
#[derive(Clone, Copy)]
enum Edge {
    Begin,
    End,
    Other,
}

impl Noted {
    /// Notes an event. One without a name, a kind or a time is passed over.
    pub fn add(&mut self, event: &[WrittenField<'_>]) {
        let (mut name, mut edge, mut ts, mut pid, mut args) = (None, None, None, None, None);
        for field in event {
            match field.key {
                "\"name\"" => name = text(field.value),
                "\"ph\"" => edge = text(field.value).map(|ph| Edge::named(&ph)),
                "\"ts\"" => ts = number(field.value).filter(|ts| ts.is_finite()),
                "\"pid\"" => pid = number(field.value),
                "\"args\"" => args = Some(field.value),
                _ => {}
            }
        }
        let (Some(name), Some(edge), Some(ts)) = (name, edge, ts) else { return };
        let compile = args.and_then(|args| text(written_value(args, "compile_id")?));
        self.0.push(NotedEvent {
            name: name.into_owned(),
            edge,
            ts,
            pid: pid.unwrap_or_default() as u64,
            compile: compile.map(Cow::into_owned),
        });
    }
}

impl Edge {
    fn named(ph: &str) -> Edge {
        match ph {
            "B" => Edge::Begin,
            "E" => Edge::End,
            _ => Edge::Other,
        }
    }
}

/// A text; None where the value is of another type.
fn text(value: &str) -> Option<Cow<'_, str>> {
    // Names and ids need no escapes, and were checked when the event was.
    let plain = value.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    if let Some(plain) = plain.filter(|text| memchr::memchr(b'\\', text.as_bytes()).is_none()) {
        return Some(Cow::Borrowed(plain));
    }
    serde_json::from_str(value).ok().map(|BorrowedText(text)| text)
}

/// A number; None where the value is of another type.
fn number(value: &str) -> Option<f64> {
    serde_json::from_str(value).ok()
}

/// A phase that has begun and not ended.
struct OpenPhase {
    name: String,
    part: Option<CompilerPart>,
}

/// The phases of one process.
#[derive(Default)]
struct TimelineProcess {
    open: Vec<OpenPhase>,
    /// How many phases of each name are open, so that an end without a begin needs no search.
    names: TextMap<String, usize>,
    /// The time of its last event.
    last_us: f64,
}

impl TimelineProcess {
    fn begin(&mut self, name: &str, part: Option<CompilerPart>) {
        match self.names.get_mut(name) {
            Some(open) => *open += 1,
            None => drop(self.names.insert(name.to_owned(), 1)),
        }
        self.open.push(OpenPhase { name: name.to_owned(), part });
    }

    fn end(&mut self, name: &str) {
        if self.names.get(name).is_none_or(|&open| open == 0) {
            return;
        }
        while let Some(phase) = self.open.pop() {
            if let Some(open) = self.names.get_mut(&phase.name) {
                *open = open.saturating_sub(1);
            }
            if phase.name == name {
                return;
            }
        }
    }
}

/// The phases that were read so far.
#[derive(Default)]
struct Phases {
    timeline: RankTimeline,
    processes: TextMap<u64, TimelineProcess>,
    /// The place of each compile in the timeline.
    compiles: TextMap<String, usize>,
}

impl Phases {
    fn add_all(&mut self, noted: &Noted) {
        noted.0.iter().for_each(|event| self.add(event));
    }

    fn add(&mut self, event: &NotedEvent) {
        let (name, ts) = (&*event.name, event.ts);
        if let Some(id) = &event.compile {
            self.seen_in(id, ts);
        }
        let process = self.processes.entry(event.pid).or_default();
        let part = process.open.last().and_then(|phase| phase.part);
        let since = std::mem::replace(&mut process.last_us, ts);
        match event.edge {
            Edge::Begin => process.begin(name, part_of_phase(name).or(part)),
            // An end closes the nearest begin of its name; what stands above that was left open.
            Edge::End => process.end(name),
            Edge::Other => {}
        }
        if let Some(part) = part.filter(|_| ts > since) {
            self.worked(part, Interval { start_us: since, end_us: ts });
        }
    }

    /// A compile is known to have run at this time.
    fn seen_in(&mut self, id: &str, at_us: f64) {
        if let Some(known) = self.compiles.get(id).and_then(|at| self.timeline.compiles.get_mut(*at)) {
            known.interval.end_us = known.interval.end_us.max(at_us);
        } else if id != "None" && self.compiles.len() < KEPT_OF_ONE {
            self.compiles.insert(id.to_owned(), self.timeline.compiles.len());
            let interval = Interval { start_us: at_us, end_us: at_us };
            self.timeline.compiles.push(CompileInterval { id: id.to_owned(), interval });
        }
    }

    /// A part of the compiler was at work.
    fn worked(&mut self, part: CompilerPart, interval: Interval) {
        let parts = &mut self.timeline.parts;
        let is_room = parts.len() < KEPT;
        match parts.last_mut() {
            Some(last) if last.part == part && interval.start_us - last.interval.end_us < NEAR_US => {
                last.interval.end_us = last.interval.end_us.max(interval.end_us);
            }
            _ if is_room => parts.push(PartInterval { part, interval }),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::written_fields;

    fn fields(event: &str) -> Vec<WrittenField<'_>> {
        written_fields(event).collect()
    }

    fn phases(events: &[(&str, &str, f64, &str)]) -> RankTimeline {
        let mut phases = Phases::default();
        let event = |(name, ph, ts, id): &(&str, &str, f64, &str)| {
            let args = format!(r#"{{"config": "{{\"x\": 1}}", "compile_id": "{id}"}}"#);
            // The same name whether it is written with escapes or without.
            let name = if *ph == "E" { name.replacen('o', "\\u006f", 1) } else { (*name).to_owned() };
            format!(r#"{{"name": "{name}", "ph": "{ph}", "ts": {}, "args": {args}, "pid": 7}}"#, ts * 1e6)
        };
        // An event is read the same wherever a block ends.
        for block in events.chunks(2) {
            let mut noted = Noted::default();
            block.iter().for_each(|one| noted.add(&fields(&event(one))));
            phases.add_all(&noted);
        }
        phases.timeline
    }

    #[test]
    fn ends_without_a_begin_need_no_search_through_all_that_is_open() {
        let begin = std::time::Instant::now();
        let mut phases = Phases::default();
        for (ph, name) in [("B", "begun"), ("E", "never begun")] {
            let event = format!(r#"{{"name": "{name}", "ph": "{ph}", "ts": 1.0}}"#);
            let mut noted = Noted::default();
            (0..50_000).for_each(|_| noted.add(&fields(&event)));
            phases.add_all(&noted);
        }
        // With a search for each, this takes a minute.
        assert!(begin.elapsed().as_secs() < 20, "{:?}", begin.elapsed());
        let open: Vec<usize> = phases.processes.values().map(|process| process.open.len()).collect();
        assert_eq!(open, [50_000]);
    }

    #[test]
    fn an_instant_belongs_to_the_innermost_phase_that_is_a_part_of_the_compiler() {
        let found = phases(&[
            ("dynamo", "B", 0.0, "0/0"),
            ("gc", "B", 1.0, "0/0"),
            ("gc", "E", 2.0, "0/0"),
            ("compile_file", "B", 3.0, "0/0"),
            ("compile_file", "E", 5.0, "0/0"),
            ("left open", "B", 6.0, "0/0"),
            ("dynamo", "E", 7.0, "0/0"),
            ("dynamo", "B", 9.0, "1/0"),
            ("dynamo", "E", 10.0, "1/0"),
        ]);
        let (dynamo, builds) = (CompilerPart::Dynamo, CompilerPart::KernelBuilds);
        let parts =
            found.parts.iter().map(|one| (one.part, one.interval.start_us / 1e6, one.interval.end_us / 1e6));
        assert_eq!(
            parts.collect::<Vec<_>>(),
            [(dynamo, 0.0, 3.0), (builds, 3.0, 5.0), (dynamo, 5.0, 7.0), (dynamo, 9.0, 10.0)]
        );
        let compiles = found.compiles.iter().map(|one| (one.id.as_str(), one.interval.end_us / 1e6));
        assert_eq!(compiles.collect::<Vec<_>>(), [("0/0", 7.0), ("1/0", 10.0)]);
    }
}
