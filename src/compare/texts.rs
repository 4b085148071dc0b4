//! Graphs and generated code of a compile, side by side.

use super::recording::{Compile, LogRun, TextFile};
use crate::analysis::CodeText;
use crate::facts::text_of;
use crate::limits::LARGEST_TEXT;
use crate::report_folder::ReportFolder;

/// A compile that a table links to.
#[derive(Debug, Clone, Default)]
pub(crate) struct CompileRef {
    pub id: String,
    /// `ok`, `break`, ..
    pub status: String,
    /// Folder of its page within the recording's report; empty if it has none.
    pub folder: String,
}

impl CompileRef {
    pub fn new(log: &LogRun, compile: &Compile) -> CompileRef {
        let folder = match compile.folder.as_str() {
            "" => String::new(),
            folder => format!("{}{folder}", log.folder),
        };
        CompileRef { id: compile.id.clone(), status: compile.status.clone(), folder }
    }
}

/// A compile with the folder of its report.
#[derive(Debug, Clone, Default)]
pub(crate) struct CompileTexts {
    /// Id, status and folder of its page.
    pub link: CompileRef,
    /// The folder of its log's report within the recording's: empty, or `rank_0/`.
    pub below: String,
    /// The report of its log.
    report: ReportFolder,
    /// Its graphs and code.
    files: Vec<TextFile>,
}

impl CompileTexts {
    pub(super) fn new(log: &LogRun, compile: &Compile) -> CompileTexts {
        CompileTexts {
            link: CompileRef::new(log, compile),
            below: log.folder.clone(),
            report: log.report.clone(),
            files: compile.texts.clone(),
        }
    }

    /// The text of a file; otherwise why there is none, to follow the words `the file`.
    pub fn read(&self, file: &TextFile) -> Result<String, String> {
        text_of(&self.report, &file.path, LARGEST_TEXT)
    }
}

/// A compile of a function on both sides; a side is None if it lacks the compile.
#[derive(Debug, Clone, Default)]
pub(crate) struct ComparedCompile {
    pub a: Option<CompileTexts>,
    pub b: Option<CompileTexts>,
}

/// A text that one or both sides have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ComparedText<'c> {
    /// What it is.
    pub kind: CodeText,
    /// Its number among texts of its kind, from 1, and how many there are.
    pub number: (usize, usize),
    pub a: Option<&'c TextFile>,
    pub b: Option<&'c TextFile>,
}

impl ComparedCompile {
    /// The texts of both sides in pairs, in the order of compilation.
    pub fn texts(&self) -> Vec<ComparedText<'_>> {
        let beside = |kind: CodeText| {
            let (a, b) = (of_kind(&self.a, kind), of_kind(&self.b, kind));
            let count = a.len().max(b.len());
            (0..count).map(move |at| ComparedText {
                kind,
                number: (at + 1, count),
                a: a.get(at).copied(),
                b: b.get(at).copied(),
            })
        };
        CodeText::SHOWN.into_iter().flat_map(beside).collect()
    }
}

/// The files of a kind on a side.
fn of_kind(side: &Option<CompileTexts>, kind: CodeText) -> Vec<&TextFile> {
    let files = side.as_ref().map_or(&[][..], |side| side.files.as_slice());
    files.iter().filter(|file| file.kind == kind).collect()
}
