//! A program against upstream's library: a parser of its own keeps graphs in upper case and counts the lines of payloads.

use std::path::{Path, PathBuf};
use tlparse::parsers::{
    CompileId, Envelope, Metadata, ParserOutput, ParserResults, StructuredLogParser, build_file_path,
};
use tlparse::{ParseConfig, parse_path};

struct Loud;

impl StructuredLogParser for Loud {
    fn name(&self) -> &'static str {
        "loud"
    }

    fn get_metadata<'e>(&self, e: &'e Envelope) -> Option<Metadata<'e>> {
        e.artifact.as_ref().filter(|artifact| artifact.name == "before_joint_graph").map(Metadata::Artifact)
    }

    fn parse<'e>(
        &self,
        lineno: usize,
        metadata: Metadata<'e>,
        _rank: Option<u32>,
        compile_id: &Option<CompileId>,
        payload: &str,
    ) -> anyhow::Result<ParserResults> {
        let Metadata::Artifact(artifact) = metadata else { anyhow::bail!("not an artifact") };
        let id = compile_id.as_ref().map(|id| id.to_string()).unwrap_or_default();
        let counted = format!("{} of {id} has {} lines\n", artifact.name, payload.lines().count());
        Ok(vec![
            ParserOutput::PayloadReformatFile(build_file_path("loud.txt", lineno, compile_id), |text| {
                Ok(text.to_uppercase())
            }),
            ParserOutput::GlobalFile(PathBuf::from("lines.txt"), counted),
        ])
    }
}

/// The files that the parser adds.
pub fn run(log: &Path) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let config = ParseConfig { custom_parsers: vec![Box::new(Loud)], ..ParseConfig::default() };
    let output = parse_path(&log.to_path_buf(), &config)?;
    let is_own = |path: &Path| path == Path::new("lines.txt") || path.to_string_lossy().contains("/loud_");
    Ok(output.into_iter().filter(|(path, _)| is_own(path)).collect())
}
