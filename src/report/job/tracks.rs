//! Names and order of the processes and threads of a timeline, as events in the form of Chromium's traces.

use serde::Serialize;

/// An event of a timeline that says what a process or a thread is called, or where it stands among the others.
#[derive(Serialize)]
pub struct TrackEvent {
    name: &'static str,
    ph: &'static str,
    pid: u64,
    tid: u64,
    args: TrackArgs,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum TrackArgs {
    Name(String),
    SortIndex(u64),
}

impl TrackEvent {
    fn of(name: &'static str, pid: u64, tid: u64, args: TrackArgs) -> TrackEvent {
        TrackEvent { name, ph: "M", pid, tid, args }
    }

    /// What a process is called.
    pub fn process_name(pid: u64, name: String) -> TrackEvent {
        TrackEvent::of("process_name", pid, 0, TrackArgs::Name(name))
    }

    /// Where a process stands.
    pub fn process_order(pid: u64, index: u64) -> TrackEvent {
        TrackEvent::of("process_sort_index", pid, 0, TrackArgs::SortIndex(index))
    }

    /// What a thread is called.
    pub fn thread_name(pid: u64, tid: u64, name: String) -> TrackEvent {
        TrackEvent::of("thread_name", pid, tid, TrackArgs::Name(name))
    }

    /// Where a thread stands.
    pub fn thread_order(pid: u64, tid: u64, index: u64) -> TrackEvent {
        TrackEvent::of("thread_sort_index", pid, tid, TrackArgs::SortIndex(index))
    }
}
