//! Log bytes to records: the grammar of a `TORCH_TRACE` log, and nothing about what its events mean.
//!
//! A log is a sequence of records. Each is one header line (a glog prefix and a JSON object) and, when the object
//! carries `has_payload`, the lines after it that begin with a tab. [`Source`] opens an input, [`Records`] reads it
//! once from front to back and never fails on its content: what does not fit the grammar is a [`Damage`].
#![deny(clippy::indexing_slicing)]

mod archive;
mod attachment;
mod batch;
#[cfg(test)]
mod cases_tests;
mod clock;
mod collected;
mod compile_id;
mod damage;
mod discover;
mod envelope;
mod glob;
mod header;
mod intake;
mod json;
mod json_forms;
mod lines;
mod maps;
mod names;
mod payload;
mod payload_list;
mod peek;
mod prefix;
mod records;
mod runs;
mod siblings;
mod sorted;
mod source;
mod strings;
mod unpack;

pub use attachment::Attachment;
pub use clock::{Clock, Stamp, instant};
pub use collected::{Printed, PrintedLine, PrintedTraceback, printed};
pub use compile_id::{CompileId, FrameId, bracketed_without_id, folder_without_id};
pub use damage::{Damage, DamageKind};
pub use discover::{
    CONSOLE_FILE, Folder, entries, files_ending, log_files, logs_in, logs_of_report, named_logs, newest_log,
};
pub use envelope::{Envelope, clean_header, first_event, has_half_pair, readable_text, strict_json};
pub use glob::expanded;
pub use intake::Opener;
pub use json::{
    JsonCursor, JsonStep, WrittenField, is_key, nests_deeper, string_length, written_fields, written_value,
};
pub use json_forms::{compact_json, ordered_json};
pub use maps::{OrderedMap, TextHasher, TextMap, TextSet};
pub(crate) use maps::{push_mostly_one, shared};
pub use names::rank_of_file_name;
pub(crate) use names::{STDIN, shown};
pub use payload::{Md5, PayloadRef, Span};
pub use payload_list::{ListedPayload, PayloadList};
#[cfg(test)]
use peek::Peek;
pub use prefix::{LocalTime, Prefix};
pub use records::{Entry, Payload, Record, Records};
pub use runs::{Log, RankLogs, Run, group};
pub use siblings::strings_from_siblings;
pub use sorted::{Merge, Sorted, SortedRecord, Sorter, halves_of, word_of};
pub use source::{Source, SpanReader, base_name, is_log_changed};
pub use strings::{FileRef, StringTable};
pub use unpack::{Limit, packed, unpacked};
