//! The paths that a report may have.

/// The paths that a report may have, written as its documentation writes them. `output` knows nothing of pages: its caller
/// passes the list.
///
/// A path is that of a file at the top (`directory_<k>.html`), of a file in a folder (`payloads/<md5>.txt`, `<id>/compile.html`),
/// or of a folder with a report of its own (`rank_<n>/`). `<id>` is the folder of a compile; `<k>`, `<n>`, `<pid>` and `<number>`
/// are numbers and `<md5>` and `<hash>` hashes; `*` and other words are any text.
#[derive(Debug, Clone)]
pub struct Entries {
    paths: Vec<String>,
    /// What the reports within have; None if that is the same.
    of_parts: Option<Box<Entries>>,
}

impl Entries {
    #[must_use]
    pub fn new(paths: Vec<String>) -> Self {
        Entries { paths, of_parts: None }
    }

    /// The same, where the reports within have other paths.
    #[must_use]
    pub fn with_parts(self, of_parts: Entries) -> Self {
        Entries { of_parts: Some(Box::new(of_parts)), ..self }
    }

    /// Whether a report has a file or a folder of this name at its top.
    #[must_use]
    pub fn have_at_top(&self, name: &str) -> bool {
        self.paths.iter().any(|path| fits(path.split('/').next().unwrap_or_default(), name))
    }

    /// Whether a report has a file of this path.
    #[must_use]
    pub fn have(&self, path: &str) -> bool {
        match path.rsplit_once('/') {
            Some((folder, name)) => self.files_in(folder).any(|pattern| fits(pattern, name)),
            None => self.files().any(|pattern| fits(pattern, path)),
        }
    }

    /// The patterns of the files at the top.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(String::as_str).filter(|path| !path.contains('/'))
    }

    /// The patterns of the files in a folder that holds no report; none if a report has no such folder.
    pub(super) fn files_in(&self, folder: &str) -> impl Iterator<Item = &str> {
        let parts = self.paths.iter().filter_map(|path| path.split_once('/'));
        parts.filter(move |(of, name)| !name.is_empty() && fits(of, folder)).map(|(_, name)| name)
    }

    /// What the report in the folder of this name has; None if no report is in a folder of this name.
    pub(super) fn of_part(&self, name: &str) -> Option<&Entries> {
        let mut parts = self.paths.iter().filter_map(|path| path.strip_suffix('/'));
        parts.any(|part| fits(part, name)).then(|| self.of_parts.as_deref().unwrap_or(self))
    }
}

/// Whether a name fits a pattern.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let Some(mark) = pattern.find(['*', '<']) else { return pattern == name };
    let (before, rest) = pattern.split_at(mark);
    let Some(name) = name.strip_prefix(before) else { return false };
    let (word, after) = match rest.strip_prefix('<') {
        Some(rest) => rest.split_once('>').unwrap_or((rest, "")),
        None => ("", rest.trim_start_matches('*')),
    };
    let is_word = |text: &str| match word {
        "k" | "n" | "pid" | "number" => is_number(text),
        "md5" => text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "hash" => text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "id" => is_compile_folder(text),
        _ => true,
    };
    let mut ends = (0..=name.len()).filter_map(|end| name.split_at_checked(end));
    ends.any(|(text, rest)| is_word(text) && fits(after, rest))
}

/// `<compiled autograd>_<frame>_<compile>_<attempt>`, a missing part being `-`.
pub fn is_compile_folder(name: &str) -> bool {
    name.split('_').count() == 4
        && name.split('_').all(|part| part == "-" || is_number(part) || is_odd_part(part))
}

/// A part of an id that is not a number ends in `-` and a hash of eight digits.
fn is_odd_part(part: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-');
    part.rsplit_once('-').is_some_and(|(text, hash)| {
        text.bytes().all(allowed) && hash.len() == 8 && hash.bytes().all(|b| b.is_ascii_hexdigit())
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Entries as reports have them.
#[cfg(test)]
pub(super) fn entries_of_tests() -> Entries {
    const PATHS: [&str; 15] = [
        "chromium_events.json",
        "compile_directory.json",
        "directory_<k>.html",
        "dump_file/*.html",
        "graph_breaks.html",
        "index.html",
        "payloads/<md5>.txt",
        "process_<pid>/",
        "provenance_tracking_<folder>.html",
        "rank_<n>/",
        "raw.jsonl",
        "raw.log",
        "report.json",
        "<id>/compile.html",
        "<id>/<name>_<number>.<ext>",
    ];
    Entries::new(PATHS.map(str::to_owned).to_vec())
}
