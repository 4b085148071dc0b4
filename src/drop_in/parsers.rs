//! Parsers of your own, as upstream's library takes them.

pub use super::metadata::*;

use std::fmt;
use std::path::PathBuf;

/// Turns records of a log into files.
pub trait StructuredLogParser {
    /// What the record holds for this parser; None if it does not want the record.
    fn get_metadata<'e>(&self, envelope: &'e Envelope) -> Option<Metadata<'e>>;

    /// The files that become of the record. `lineno` is the running number of the next file, for [`build_file_path`].
    ///
    /// # Errors
    /// Whatever the parser cannot use. The files of the record are then missing, unless the log is read strictly.
    fn parse<'e>(
        &self,
        lineno: usize,
        metadata: Metadata<'e>,
        rank: Option<u32>,
        compile_id: &Option<CompileId>,
        payload: &str,
    ) -> anyhow::Result<ParserResults>;

    /// What errors call it.
    fn name(&self) -> &'static str;
}

/// What becomes of a record.
pub type ParserResults = Vec<ParserOutput>;

/// Changes a payload before it is written.
pub type Reformat = fn(&str) -> Result<String, anyhow::Error>;

/// A file, or a link. Paths are relative to the report.
pub enum ParserOutput {
    /// A file with this text.
    File(PathBuf, String),
    /// The same, for files of the whole log.
    GlobalFile(PathBuf, String),
    /// The payload of the record.
    PayloadFile(PathBuf),
    /// The payload of the record, changed by a function.
    PayloadReformatFile(PathBuf, Reformat),
    /// Name and address of a link, which is no file.
    Link(String, String),
}

/// The path of a file in the folder of its compile: `-_0_0_0/name_12.txt` for `name.txt` and 12.
#[must_use]
pub fn build_file_path(filename: &str, lineno: usize, compile_id: &Option<CompileId>) -> PathBuf {
    let folder = compile_id.clone().unwrap_or_default().as_directory_name();
    let name = match filename.rsplit_once('.') {
        Some((stem, extension)) => format!("{stem}_{lineno}.{extension}"),
        None => format!("{filename}_{lineno}"),
    };
    PathBuf::from(folder).join(name)
}

impl CompileId {
    /// The folder of its files: `-_0_0_0`.
    #[must_use]
    pub fn as_directory_name(&self) -> String {
        let parts = [self.compiled_autograd_id, self.frame_id, self.frame_compile_id, self.attempt];
        parts.map(|part| part.map_or_else(|| "-".to_owned(), |number| number.to_string())).join("_")
    }
}

impl fmt::Display for CompileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |part: Option<u32>| part.map_or_else(|| "-".to_owned(), |number| number.to_string());
        f.write_str("[")?;
        if let Some(id) = self.compiled_autograd_id {
            write!(f, "!{id}/")?;
        }
        write!(f, "{}/{}", part(self.frame_id), part(self.frame_compile_id))?;
        match self.attempt {
            None | Some(0) => f.write_str("]"),
            Some(attempt) => write!(f, "_{attempt}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CompileId, build_file_path};

    #[test]
    fn files_stand_in_the_folder_of_their_compile_with_their_number() {
        let id = CompileId {
            frame_id: Some(3),
            frame_compile_id: Some(1),
            attempt: Some(0),
            ..CompileId::default()
        };
        let path = |name: &str, id: Option<CompileId>| build_file_path(name, 12, &id).display().to_string();
        assert_eq!(path("graph.txt", Some(id.clone())), "-_3_1_0/graph_12.txt");
        assert_eq!(path("graph", None), "-_-_-_-/graph_12");
        assert_eq!(id.to_string(), "[3/1]");
    }
}
