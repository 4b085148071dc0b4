//! When a rank compiled: the phases in its `chromium_events.json` by part of the compiler.

use super::events::{BLOCK_BYTES, for_each_event, next_lines, open};
use crate::analysis::part_of_phase;
use crate::model::{BorrowedText, CompileStretch, PartStretch, RankTimeline, Stretch};
use crate::trace::TextMap;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::path::Path;

/// Stretches that are kept: a row of a thousand pixels shows no more.
const MOST_STRETCHES: usize = 20_000;

/// Compiles whose times are kept.
const MOST_COMPILES: usize = 2_000;

/// Stretches of one part that are nearer than this are one, microseconds.
const NEAR_US: f64 = 1_000.0;

/// Reads the timeline of the rank whose report stands in `folder`; an empty one where there are no events.
pub(super) fn read(folder: &Path) -> RankTimeline {
    let mut phases = Phases::default();
    if let Some(mut events) = open(folder) {
        loop {
            let lines = next_lines(&mut events, BLOCK_BYTES);
            if lines.is_empty() {
                break;
            }
            for_each_event(&lines, |text| {
                if let Ok(event) = serde_json::from_str(text) {
                    phases.add(&event);
                }
            });
        }
    }
    phases.timeline
}

/// What is needed of an event. Of its arguments, which are half of its bytes, the others are passed over in the same
/// reading. An event that has one of these fields twice, or arguments that are not an object, is passed over: torch writes
/// neither.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    ph: Option<&'a RawValue>,
    #[serde(borrow)]
    ts: Option<&'a RawValue>,
    #[serde(borrow)]
    pid: Option<&'a RawValue>,
    #[serde(borrow)]
    args: Option<Arguments<'a>>,
}

#[derive(Deserialize)]
struct Arguments<'a> {
    #[serde(borrow)]
    compile_id: Option<&'a RawValue>,
}

/// A text; None where the field is missing or of another type.
fn text(field: Option<&RawValue>) -> Option<Cow<'_, str>> {
    serde_json::from_str(field?.get()).ok().map(|BorrowedText(text)| text)
}

/// A number; None where the field is missing or of another type.
fn number(field: Option<&RawValue>) -> Option<f64> {
    serde_json::from_str(field?.get()).ok()
}

/// A phase that has begun and not ended.
struct OpenPhase {
    name: String,
    part: Option<usize>,
}

/// The phases of one process.
#[derive(Default)]
struct Process {
    open: Vec<OpenPhase>,
    /// How many phases of each name are open, so that an end without a begin needs no search.
    names: TextMap<String, usize>,
    /// The time of its last event.
    last_us: f64,
}

impl Process {
    fn begin(&mut self, name: &str, part: Option<usize>) {
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
    processes: TextMap<u64, Process>,
    /// The place of each compile in the timeline.
    compiles: TextMap<String, usize>,
}

impl Phases {
    fn add(&mut self, event: &Event<'_>) {
        let (Some(name), Some(ph), Some(ts)) = (text(event.name), text(event.ph), number(event.ts)) else {
            return;
        };
        if !ts.is_finite() {
            return;
        }
        if let Some(id) = event.args.as_ref().and_then(|args| text(args.compile_id)) {
            self.seen_in(&id, ts);
        }
        let process = self.processes.entry(number(event.pid).unwrap_or_default() as u64).or_default();
        let part = process.open.last().and_then(|phase| phase.part);
        let since = std::mem::replace(&mut process.last_us, ts);
        match &*ph {
            "B" => process.begin(&name, part_of_phase(&name).or(part)),
            // An end closes the nearest begin of its name; what stands above that was left open.
            "E" => process.end(&name),
            _ => {}
        }
        if let Some(part) = part.filter(|_| ts > since) {
            self.worked(part, Stretch { start_us: since, end_us: ts });
        }
    }

    /// A compile is known to have run at this time.
    fn seen_in(&mut self, id: &str, at_us: f64) {
        if let Some(known) = self.compiles.get(id).and_then(|at| self.timeline.compiles.get_mut(*at)) {
            known.stretch.end_us = known.stretch.end_us.max(at_us);
        } else if id != "None" && self.compiles.len() < MOST_COMPILES {
            self.compiles.insert(id.to_owned(), self.timeline.compiles.len());
            let stretch = Stretch { start_us: at_us, end_us: at_us };
            self.timeline.compiles.push(CompileStretch { id: id.to_owned(), stretch });
        }
    }

    /// A part of the compiler was at work.
    fn worked(&mut self, part: usize, stretch: Stretch) {
        let parts = &mut self.timeline.parts;
        let is_room = parts.len() < MOST_STRETCHES;
        match parts.last_mut() {
            Some(last) if last.part == part && stretch.start_us - last.stretch.end_us < NEAR_US => {
                last.stretch.end_us = last.stretch.end_us.max(stretch.end_us);
            }
            _ if is_room => parts.push(PartStretch { part, stretch }),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phases(events: &[(&str, &str, f64, &str)]) -> RankTimeline {
        let mut phases = Phases::default();
        for (name, ph, ts, id) in events {
            let text = format!(
                r#"{{"name": "{name}", "ph": "{ph}", "ts": {}, "pid": 7, "args": {{"compile_id": "{id}"}}}}"#,
                ts * 1e6
            );
            phases.add(&serde_json::from_str(&text).unwrap());
        }
        phases.timeline
    }

    #[test]
    fn ends_without_a_begin_need_no_search_through_all_that_is_open() {
        let begin = std::time::Instant::now();
        let mut phases = Phases::default();
        for (ph, name) in [("B", "begun"), ("E", "never begun")] {
            let text = format!(r#"{{"name": "{name}", "ph": "{ph}", "ts": 1.0}}"#);
            (0..50_000).for_each(|_| phases.add(&serde_json::from_str(&text).unwrap()));
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
        let parts =
            found.parts.iter().map(|one| (one.part, one.stretch.start_us / 1e6, one.stretch.end_us / 1e6));
        assert_eq!(parts.collect::<Vec<_>>(), [(0, 0.0, 3.0), (4, 3.0, 5.0), (0, 5.0, 7.0), (0, 9.0, 10.0)]);
        let compiles = found.compiles.iter().map(|one| (one.id.as_str(), one.stretch.end_us / 1e6));
        assert_eq!(compiles.collect::<Vec<_>>(), [("0/0", 7.0), ("1/0", 10.0)]);
    }
}
