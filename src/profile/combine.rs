//! The traces of several ranks in one file: a process for each rank, all of them on one clock.

use super::pieces::{TracePiece, for_each_piece};
use super::scan::Event;
use crate::limits::KEPT;
use crate::model::Fields;
use crate::trace::{Attachment, TextMap};
use anyhow::{Context, Result};
use serde_json::value::RawValue;
use std::io::{self, Write};

pub(crate) struct RankTrace<'t> {
    pub file: &'t Attachment,
    /// The number of its process in the combined file.
    pub process: u64,
    pub name: String,
}

/// What separates the ids of two ranks. Viewers read numbers up to 2^53, so there is room for two million ranks.
const IDS_OF_A_RANK: u64 = 1 << 32;

/// Fields of `args` by which a launch and the calls that made it are joined.
const IDS: [&str; 2] = ["External id", "correlation"];

/// Names of events that name a process; in the combined file, a process is a rank.
const OF_PROCESSES: [&str; 3] = ["process_name", "process_labels", "process_sort_index"];

/// Writes the events of all traces. Nothing else is copied, as fields beside the events may describe the environment of the
/// run.
///
/// # Errors
/// A trace cannot be opened, or `out` cannot be written.
pub(crate) fn combine(traces: &[RankTrace<'_>], out: &mut dyn Write) -> Result<Combined> {
    let clocks = traces.iter().map(|trace| clock_of(trace.file)).collect::<Result<Vec<_>>>()?;
    // Without the clock of each trace, none can be moved.
    let without_clock = clocks.iter().filter(|clock| clock.is_none()).count();
    let clocks: Option<Vec<u64>> = clocks.into_iter().collect();
    let first = clocks.as_ref().and_then(|clocks| clocks.iter().min().copied());
    out.write_all(b"{\"displayTimeUnit\": \"ms\",\n")?;
    if let Some(first) = first {
        writeln!(out, "\"baseTimeNanoseconds\": {first},")?;
    }
    out.write_all(b"\"traceEvents\": [")?;
    let mut left_out = 0;
    for (place, trace) in traces.iter().enumerate() {
        let clock = clocks.as_ref().and_then(|clocks| clocks.get(place).copied());
        let later_ns = clock.zip(first).map_or(0, |(clock, first)| clock - first);
        let name = serde_json::to_string(&trace.name)?;
        let process = trace.process;
        out.write_all(if place == 0 { b"\n" } else { b",\n" })?;
        write!(
            out,
            "{{\"ph\": \"M\", \"pid\": {process}, \"tid\": 0, \"ts\": 0, \"name\": \"process_name\", \"args\": {{\"name\": {name}}}}},\n\
             {{\"ph\": \"M\", \"pid\": {process}, \"tid\": 0, \"ts\": 0, \"name\": \"process_sort_index\", \
             \"args\": {{\"sort_index\": {process}}}}}"
        )?;
        let mut copy =
            Copy { out, process, later_us: later_ns as f64 / 1e3, threads: TextMap::default(), left_out: 0 };
        for_each_piece(open(trace.file)?, |piece| match piece {
            TracePiece::Event(event) => copy.event(&event),
            TracePiece::Field { .. } => Ok(()),
            TracePiece::Unreadable => {
                copy.left_out += 1;
                Ok(())
            }
        })?;
        left_out += copy.left_out;
    }
    out.write_all(b"\n]}\n")?;
    Ok(Combined { left_out, without_clock })
}

/// What became of the traces.
#[derive(Debug, Default)]
pub(crate) struct Combined {
    /// Events that were left out because they are not valid JSON.
    pub(crate) left_out: u64,
    /// Traces that do not say what their times count from. If one does not, none was moved.
    pub(crate) without_clock: usize,
}

fn open(trace: &Attachment) -> Result<impl io::Read> {
    trace.open().with_context(|| format!("cannot read {}", trace.path().display()))
}

/// `baseTimeNanoseconds`, which the times of the events count from. It may stand behind them.
fn clock_of(trace: &Attachment) -> Result<Option<u64>> {
    let mut clock = None;
    for_each_piece(open(trace)?, |piece| {
        if let TracePiece::Field { name: "baseTimeNanoseconds", value } = piece {
            clock = serde_json::from_slice(value).ok();
        }
        Ok(())
    })?;
    Ok(clock)
}

struct Copy<'o> {
    out: &'o mut dyn Write,
    process: u64,
    /// By how much its clock is later than the earliest one.
    later_us: f64,
    /// Numbers of the threads and streams of all processes of the trace.
    threads: TextMap<String, usize>,
    left_out: u64,
}

impl Copy<'_> {
    fn event(&mut self, event: &Event<'_>) -> io::Result<()> {
        let text = std::str::from_utf8(event.text).ok();
        let Some(fields) = text.and_then(|text| Fields::parse(text).ok()) else {
            self.left_out += 1;
            return Ok(());
        };
        let name = fields.text("name").unwrap_or_default();
        if fields.text("ph").as_deref() == Some("M") && OF_PROCESSES.contains(&name.as_str()) {
            return Ok(());
        }
        let thread = self.thread(&fields);
        let mut written = vec![format!("\"pid\": {}, \"tid\": {thread}", self.process)];
        for (name, value) in fields.iter() {
            let value = match name {
                "pid" | "tid" => continue,
                "ts" => self.time(value),
                "id" => self.id(value),
                "args" => self.args(value)?,
                _ => value.get().to_owned(),
            };
            written.push(format!("{}: {value}", serde_json::to_string(name)?));
        }
        write!(self.out, ",\n{{{}}}", written.join(", "))
    }

    /// The number of a thread; those beyond the bound share one.
    fn thread(&mut self, fields: &Fields<'_>) -> usize {
        let of = |name: &str| fields.raw(name).map_or("", RawValue::get);
        let key = format!("{} {}", of("pid"), of("tid"));
        let next = self.threads.len() + 1;
        match next > KEPT {
            true => self.threads.get(&key).copied().unwrap_or(next),
            false => *self.threads.entry(key).or_insert(next),
        }
    }

    fn time(&self, value: &RawValue) -> String {
        match value.get().parse::<f64>() {
            Ok(us) if self.later_us > 0.0 => format!("{:.3}", us + self.later_us),
            _ => value.get().to_owned(),
        }
    }

    /// What joins the two ends of an arrow, or a launch with its call: different in each rank.
    fn id(&self, value: &RawValue) -> String {
        let text = value.get();
        match (text.parse::<u64>(), text.strip_prefix('"')) {
            (Ok(id), _) if id < IDS_OF_A_RANK => {
                self.process.saturating_mul(IDS_OF_A_RANK).saturating_add(id).to_string()
            }
            (Ok(_), _) => format!("\"{}:{text}\"", self.process),
            (Err(_), Some(rest)) => format!("\"{}:{rest}", self.process),
            (Err(_), None) => text.to_owned(),
        }
    }

    /// `args` with the ids of this rank.
    fn args(&self, value: &RawValue) -> io::Result<String> {
        let text = value.get();
        let Some(fields) = Fields::parse(text).ok().filter(|_| IDS.iter().any(|id| text.contains(id))) else {
            return Ok(text.to_owned());
        };
        let mut written = Vec::new();
        for (name, value) in fields.iter() {
            let value = if IDS.contains(&name) { self.id(value) } else { value.get().to_owned() };
            written.push(format!("{}: {value}", serde_json::to_string(name)?));
        }
        Ok(format!("{{{}}}", written.join(", ")))
    }
}
