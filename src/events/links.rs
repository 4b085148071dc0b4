//! Links that the log asks to show, and sources of generated modules.

use super::{Event, Flow, ParseEvents, RankContext};
use crate::model::{Content, DumpFile};
use crate::trace::{Md5, TextMap, readable_text};

pub(super) fn parse_links(event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
    let fields = event.fields();
    let url = fields.text("url").ok_or_else(|| anyhow::anyhow!("it has no url"))?;
    cx.link(event.name.unwrap_or(&url), &url);
    cx.listed_if_any(event);
    Ok(Flow::Handled)
}

/// `dump_file`: the source behind frames of a file called `<eval_with_key>.7`.
#[derive(Default)]
pub(super) struct DumpFiles {
    stems: TextMap<String, Vec<Md5>>,
}

impl ParseEvents for DumpFiles {
    fn parse(&mut self, event: &Event<'_>, cx: &mut RankContext<'_>) -> anyhow::Result<Flow> {
        let Some(payload) = event.payload else { anyhow::bail!("it has no payload") };
        cx.kept_payload(payload);
        let name = event.name.unwrap_or("dump_file");
        let key = frame_name(name);
        let known = self.stems.entry(file_stem(&key)).or_default();
        if known.contains(&payload.at.md5) {
            return Ok(Flow::Handled);
        }
        known.push(payload.at.md5);
        // Different processes use the same names, and so does one process after a reset.
        let stem = match known.len() {
            1 => file_stem(&key),
            again => format!("{}_{again}", file_stem(&key)),
        };
        let index = cx.model().dump_files.len();
        cx.add(&stem, Content::DumpFile(index));
        let lines = payload.text.map_or(0, |text| readable_text(text).lines().count() as u64);
        let file = DumpFile { name: name.to_owned(), key, stem, at: payload.at, lines, line: event.line };
        cx.model().dump_files.push(file);
        Ok(Flow::Handled)
    }
}

/// What stack frames call the file: `<eval_with_key>.7`, without the `from ..` that some names carry.
pub(super) fn frame_name(name: &str) -> String {
    name.split(" from ").next().unwrap_or(name).trim().to_owned()
}

/// `eval_with_key_7` of `<eval_with_key>.7`.
pub(super) fn file_stem(key: &str) -> String {
    let letters = key.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { ' ' });
    let words: String = letters.take(100).collect();
    words.split_whitespace().collect::<Vec<_>>().join("_")
}
