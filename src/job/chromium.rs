//! The chromium events of all ranks as one file: the process of an event is its rank.

use super::events::for_each_event;
use crate::model::Fields;
use crate::output::RankFolder;
use anyhow::Result;
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// Streams the ranks' files, one event at a time.
pub(super) fn write(folders: &[RankFolder], out: &mut dyn Write) -> Result<()> {
    let mut events = Events { out, any: false };
    for folder in folders {
        let rank = folder.rank;
        let name = format!("rank {rank}");
        events.write(
            &json!({"name": "process_name", "ph": "M", "pid": rank, "tid": 0, "args": {"name": name}})
                .to_string(),
        )?;
        events.write(&json!({"name": "process_sort_index", "ph": "M", "pid": rank, "tid": 0, "args": {"sort_index": rank}}).to_string())?;
        events.copy(&folder.path, rank, None)?;
        for (pid, path) in &folder.processes {
            let name = format!("process {pid}");
            events.write(
                &json!({"name": "thread_name", "ph": "M", "pid": rank, "tid": pid, "args": {"name": name}})
                    .to_string(),
            )?;
            events.copy(path, rank, Some(*pid))?;
        }
    }
    events.out.write_all(if events.any { b"\n]\n" } else { b"[]\n" })?;
    Ok(())
}

struct Events<'o> {
    out: &'o mut dyn Write,
    any: bool,
}

impl Events<'_> {
    fn write(&mut self, event: &str) -> Result<()> {
        self.out.write_all(if self.any { b",\n" } else { b"[\n" })?;
        self.any = true;
        Ok(self.out.write_all(event.as_bytes())?)
    }

    /// Copies the events of one report.
    fn copy(&mut self, folder: &Path, rank: u64, process: Option<u64>) -> Result<()> {
        let mut outcome = Ok(());
        for_each_event(folder, |fields| {
            outcome = self.write(&moved(fields, rank, process));
            outcome.is_ok()
        });
        outcome
    }
}

/// The event with its rank as process and its own process as thread.
fn moved(fields: &Fields<'_>, rank: u64, process: Option<u64>) -> String {
    let mut text = String::from("{");
    for (key, value) in fields.iter() {
        if key == "pid" || (key == "tid" && process.is_some()) {
            continue;
        }
        text.push_str(&json!(key).to_string());
        text.push_str(": ");
        text.push_str(value.get());
        text.push_str(", ");
    }
    if let Some(process) = process {
        text.push_str(&format!("\"tid\": {process}, "));
    }
    text.push_str(&format!("\"pid\": {rank}}}"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_keeps_all_but_its_process() {
        let fields = Fields::parse(r#"{"pid": 0, "name": "a\"b", "args": {"pid": 1}, "tid": 0}"#).unwrap();
        assert_eq!(moved(&fields, 7, None), r#"{"name": "a\"b", "args": {"pid": 1}, "tid": 0, "pid": 7}"#);
        assert_eq!(moved(&fields, 7, Some(9)), r#"{"name": "a\"b", "args": {"pid": 1}, "tid": 9, "pid": 7}"#);
    }
}
