//! The chromium events in the report of a rank, one line each.

use crate::limits::DEEPEST_JSON;
use crate::model::Fields;
use crate::trace::nests_deeper;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Bytes of an event; longer ones are passed over. A phase with everything that torch notes about it has a few kilobytes.
const LONGEST: u64 = 16 << 20;

/// Gives each event of the report in `folder` to `take`, until that says that it wants no more. A line that is not an event
/// is passed over, and so is a file that cannot be read: the rank's own report says what is wrong with it.
pub(super) fn for_each_event(folder: &Path, mut take: impl FnMut(&Fields<'_>) -> bool) {
    let path = folder.join("chromium_events.json");
    if !std::fs::metadata(&path).is_ok_and(|metadata| metadata.is_file()) {
        return;
    }
    let Ok(file) = File::open(&path) else { return };
    let mut reader = BufReader::with_capacity(64 << 10, file);
    let mut line = Vec::new();
    loop {
        line.clear();
        match reader.by_ref().take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = line.trim_ascii();
        let text = text.strip_suffix(b",").unwrap_or(text);
        if let Ok(text) = str::from_utf8(text)
            && text.starts_with('{')
            && !nests_deeper(text, DEEPEST_JSON)
            && let Ok(fields) = Fields::parse(text)
            && !take(&fields)
        {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_event_or_nests_too_deep_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let deep = format!("{{\"name\": {}{}}}", "[".repeat(DEEPEST_JSON), "]".repeat(DEEPEST_JSON));
        let lines = ["[", "{\"name\": 1},", "7,", &format!("{deep},"), "{\"name\": 2", "{\"name\": 3}", "]"];
        std::fs::write(folder.path().join("chromium_events.json"), lines.join("\n")).unwrap();
        let mut names = Vec::new();
        for_each_event(folder.path(), |event| {
            names.extend(event.number("name"));
            true
        });
        assert_eq!(names, [1.0, 3.0]);
    }
}
