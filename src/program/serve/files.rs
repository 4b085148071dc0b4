//! Files of the served folder: from the path of an address to an open file and its type.

use anyhow::{Context, bail};
use percent_encoding::percent_decode_str;
use std::fs::File;
use std::path::Path;
use tlparse::ReportFolder;

/// Landing pages of a report and of a comparison.
const FIRST_PAGES: [&str; 2] = ["index.html", "diff.html"];

/// A folder that is served.
pub struct Folder {
    /// It is opened for each request, so that a report that replaces this one is found.
    report: ReportFolder,
    first_page: &'static str,
}

impl Folder {
    /// The folder of a report or a comparison.
    pub fn new(folder: &Path) -> anyhow::Result<Folder> {
        let root = folder.canonicalize();
        let root = root.with_context(|| format!("cannot open the report {}", folder.display()))?;
        let report = ReportFolder::at(&root);
        let Some(first_page) = FIRST_PAGES.into_iter().find(|page| report.has(page)) else {
            bail!(
                "{} is not a report: it has neither index.html nor diff.html; write one first: tlparse LOG -o DIR",
                folder.display()
            );
        };
        Ok(Folder { report, first_page })
    }

    /// The file at the path of an address, if it is in the folder, and its media type. A folder means its `index.html`; there
    /// are no listings.
    pub fn find(&self, path: &str) -> Option<(File, String)> {
        let path = percent_decode_str(path.strip_prefix('/')?).decode_utf8().ok()?;
        let path = match path.as_ref() {
            "" => self.first_page.to_owned(),
            folder if folder.ends_with('/') => format!("{folder}{}", FIRST_PAGES[0]),
            file => file.to_owned(),
        };
        Some((self.report.open(&path).ok()?, kind_of(Path::new(&path))))
    }
}

/// The media type of a file. Logs and lines of JSON are plain text, which browsers show instead of saving it.
fn kind_of(path: &Path) -> String {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("log" | "txt" | "jsonl" | "py" | "md" | "cpp" | "h") => "text/plain; charset=utf-8".to_owned(),
        _ => {
            let kind = mime_guess::from_path(path).first_or_octet_stream();
            match kind.type_() == mime_guess::mime::TEXT {
                true => format!("{kind}; charset=utf-8"),
                false => kind.to_string(),
            }
        }
    }
}
