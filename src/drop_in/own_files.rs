//! How a log is read, and the files of custom parsers: each record of the log is handed to them once more.

use super::parsers::{Envelope, ParserOutput, StructuredLogParser};
use crate::facts;
use crate::trace::{Entry, Limit, Prefix, Records, Source, SpanReader, clean_header, readable_text};
use anyhow::{Context, bail};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The files of a report: path and text of each.
pub type ParseOutput = Vec<(PathBuf, String)>;

/// How a log is read. Each field is the option of that name, see `tlparse --help`.
#[derive(Default)]
pub struct ParseConfig {
    /// A damaged record, or an error of a custom parser, is an error.
    pub strict: bool,
    /// A record with a stack in place of a compile id is an error.
    pub strict_compile_id: bool,
    /// Parsers that add files.
    pub custom_parsers: Vec<Box<dyn StructuredLogParser>>,
    /// HTML for the top of the landing page.
    pub custom_header_html: String,
    /// Has no effect: the library prints nothing.
    pub verbose: bool,
    /// Code is written as text, not as highlighted pages.
    pub plain_text: bool,
    /// The report on `torch.export` comes first.
    pub export: bool,
    /// Provenance pages are written for all compiles.
    pub inductor_provenance: bool,
}

/// The files of a report in memory, and those of the custom parsers behind them.
///
/// # Errors
/// The log cannot be read again, or it is read strictly and a parser fails.
pub(crate) fn with_own_files(
    report: BTreeMap<String, Vec<u8>>,
    log: &Path,
    config: &ParseConfig,
) -> anyhow::Result<ParseOutput> {
    let mut numbers = match report.get(facts::FILE) {
        Some(bytes) if !config.custom_parsers.is_empty() => Numbers::parse(bytes)?,
        _ => Numbers::default(),
    };
    let text = |bytes: Vec<u8>| {
        String::from_utf8(bytes).unwrap_or_else(|odd| readable_text(odd.as_bytes()).into_owned())
    };
    let mut files: ParseOutput =
        report.into_iter().map(|(path, bytes)| (PathBuf::from(path), text(bytes))).collect();
    if config.custom_parsers.is_empty() {
        return Ok(files);
    }
    let source = Source::open(log, Limit::default())?;
    let mut headers = SpanReader::new(&source);
    let mut records = Records::new(source.reader());
    while let Some(entry) = records.next().with_context(|| format!("could not read {}", log.display()))? {
        let Entry::Record(record) = entry else { continue };
        let header = clean_header(headers.span(record.header)?);
        let Some((_, json)) = Prefix::parse(&header.text) else { continue };
        let Ok(envelope) = serde_json::from_str::<Envelope>(json) else { continue };
        let payload = record.payload.and_then(|payload| payload.text).map(readable_text).unwrap_or_default();
        for parser in &config.custom_parsers {
            match made_by(&**parser, &envelope, &payload, record.line, &mut numbers) {
                Ok(made) => files.extend(made),
                Err(error) if config.strict => {
                    bail!("the parser {} failed at line {}: {error:#}", parser.name(), record.line)
                }
                Err(_) => {}
            }
        }
    }
    Ok(files)
}

/// The files that a parser makes of the record at a line.
fn made_by(
    parser: &dyn StructuredLogParser,
    envelope: &Envelope,
    payload: &str,
    line: u64,
    numbers: &mut Numbers,
) -> anyhow::Result<ParseOutput> {
    let Some(metadata) = parser.get_metadata(envelope) else { return Ok(Vec::new()) };
    let mut files = Vec::new();
    for one in parser.parse(numbers.next(line), metadata, envelope.rank, &envelope.compile_id, payload)? {
        numbers.own += 1;
        match one {
            ParserOutput::File(path, text) | ParserOutput::GlobalFile(path, text) => files.push((path, text)),
            ParserOutput::PayloadFile(path) => files.push((path, payload.to_owned())),
            ParserOutput::PayloadReformatFile(path, reformat) => files.push((path, reformat(payload)?)),
            ParserOutput::Link(..) => {}
        }
    }
    Ok(files)
}

/// A file with its running number, and the line of the record that it is made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Numbered {
    line: u64,
    number: u64,
}

/// The running numbers of the files of a report.
#[derive(Default)]
struct Numbers {
    /// The files, in the order of the log.
    files: Vec<Numbered>,
    /// How many files custom parsers have made.
    own: usize,
}

impl Numbers {
    fn parse(report: &[u8]) -> anyhow::Result<Numbers> {
        let report = facts::log_report(report).context("the report")?;
        let files = report.compiles.iter().flat_map(|compile| compile.artifacts.iter());
        Ok(Numbers::among(files.map(|file| Numbered { line: file.line, number: file.number }).collect()))
    }

    fn among(mut files: Vec<Numbered>) -> Numbers {
        files.sort_unstable();
        // Files that upstream does not have come last in the numbers, wherever their records are.
        let mut least = u64::MAX;
        files.reverse();
        files.retain(|file| {
            let is_in_order = file.number < least;
            least = least.min(file.number);
            is_in_order
        });
        files.reverse();
        Numbers { files, own: 0 }
    }

    /// The number of the next file of a record: that of the file that follows those of the record itself. Some files take
    /// two numbers, as they have a readable page.
    fn next(&self, line: u64) -> usize {
        let following = self.files.partition_point(|file| file.line <= line);
        let number = match self.files.get(following) {
            Some(file) => file.number,
            None => self.files.last().map_or(0, |file| file.number + 1),
        };
        usize::try_from(number).unwrap_or(usize::MAX).saturating_add(self.own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_number_is_that_of_the_file_that_upstream_writes_next() {
        // The file of line 20 is one that only this version has; that of line 30 has a readable page.
        let files = [(10, 0), (20, 7), (30, 1), (40, 3), (50, 4)];
        let files = files.map(|(line, number)| Numbered { line, number });
        let numbers = Numbers::among(files.to_vec());
        let next = [5, 10, 20, 30, 50].map(|line| numbers.next(line));
        assert_eq!(next, [0, 1, 1, 3, 5]);
    }
}
