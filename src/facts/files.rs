//! Texts among the files of a report.

use crate::rel_path::RelPath;
use crate::report_folder::ReportFolder;
use std::io::Read;

/// Artifacts whose texts are compared, between ranks and between runs, by the begin of their names.
const COMPARED: [&str; 4] =
    ["dynamo_output_graph", "dynamo_cpp_guards_str", "fx_graph_cache_", "aotautograd_cache_"];

/// Whether a comparison reads a file of a report. A report that only its reader needs consists of these.
pub(crate) fn is_compared(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name == super::FILE || COMPARED.iter().any(|artifact| name.starts_with(artifact))
}

/// Bytes at the start of a code page that contain the link to its plain text.
const HEAD_OF_PAGE: u64 = 64 << 10;

/// The text of a file of a report, of at most `most` bytes; that of a code page is what the page shows. Otherwise why there is
/// none, to follow the words `the file`.
pub(crate) fn text_of(report: &ReportFolder, path: &RelPath, most: u64) -> Result<String, String> {
    let plain = match path.as_str().ends_with(".html") {
        true => &plain_text_of(report, path).ok_or("has no plain text in the report")?,
        false => path,
    };
    report.text(plain.as_str(), most).map_err(|error| error.to_string())
}

/// The plain text of a code page, which the page links in its head.
fn plain_text_of(report: &ReportFolder, page: &RelPath) -> Option<RelPath> {
    const LINK: &str = "href=\"../payloads/";
    let mut head = Vec::new();
    report.open(page.as_str()).ok()?.take(HEAD_OF_PAGE).read_to_end(&mut head).ok()?;
    let head = String::from_utf8_lossy(&head);
    let name = head.split_once("<main")?.1.split_once(LINK)?.1.split_once('"')?.0;
    let (folder, _) = page.as_str().rsplit_once('/')?;
    let above = folder.rsplit_once('/').map_or(String::new(), |(above, _)| format!("{above}/"));
    RelPath::new(&format!("{above}payloads/{name}"))
}
