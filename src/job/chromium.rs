//! The chromium events of all ranks as one file: the process of an event is its rank.

use crate::model::Fields;
use crate::output::RankFolder;
use anyhow::Result;
use serde_json::json;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

/// Bytes of an event; longer ones are left out. A phase with everything that torch notes about it has a few kilobytes.
const LONGEST: u64 = 16 << 20;

/// Streams the ranks' files, one event at a time.
pub(super) fn write(folders: &[RankFolder], out: &mut dyn Write) -> Result<()> {
    let mut events = Events { out, any: false, line: Vec::new() };
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
    line: Vec<u8>,
}

impl Events<'_> {
    fn write(&mut self, event: &str) -> Result<()> {
        self.out.write_all(if self.any { b",\n" } else { b"[\n" })?;
        self.any = true;
        Ok(self.out.write_all(event.as_bytes())?)
    }

    /// Copies the events of one report, which are one per line. A line that is not an event is left out, and so is a file
    /// that cannot be read: the rank's own report says what is wrong with it.
    fn copy(&mut self, folder: &Path, rank: u64, process: Option<u64>) -> Result<()> {
        let path = folder.join("chromium_events.json");
        if !std::fs::metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
            return Ok(());
        }
        let Ok(file) = File::open(&path) else { return Ok(()) };
        let mut reader = BufReader::with_capacity(64 << 10, file);
        let mut line = std::mem::take(&mut self.line);
        loop {
            line.clear();
            match reader.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
            let text = line.trim_ascii();
            let text = text.strip_suffix(b",").unwrap_or(text);
            if let Ok(text) = str::from_utf8(text)
                && text.starts_with('{')
                && let Ok(fields) = Fields::parse(text)
            {
                self.write(&moved(&fields, rank, process))?;
            }
        }
        self.line = line;
        Ok(())
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
