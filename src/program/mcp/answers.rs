//! The texts of answers, each from the part of the library that the command line uses too.

use super::bounded::Answer;
use super::library::Library;
use super::requests::{Artifact, Check, Compile, Diff, Findings, List, Search};
use crate::program::opened::Opened;
use anyhow::{Context, bail};
use tlparse::{
    Budget, Checked, DiffOptions, Format, Registry, ReportFile, ReportFolder, Showing, Shown, ShownList,
    SourceTree, Subject,
};

/// Text that is searched for one answer, in bytes.
const MOST_SEARCHED: usize = 512 << 20;
/// Lines that an answer to a search has.
const MOST_HITS: usize = 1_000;
/// Characters of a line that was found.
const LONGEST_HIT: usize = 200;
/// Names of files that an error lists.
const MOST_NAMES: usize = 60;

/// What was opened: the verdict, notes, and the summary of the report.
pub fn opened(opened: &Opened) -> anyhow::Result<Answer> {
    let mut notes = notes(&opened.notes);
    let mut text: String = opened.verdict.iter().map(|line| format!("{line}\n")).collect();
    let summary = ReportFolder::at(&opened.folder).summary();
    match summary.with_context(|| format!("the summary of {}", opened.path))? {
        Some(summary) => text = format!("{text}\n{summary}"),
        // A list of several reports has no summary of its own; a folder without any has no facts either.
        None if opened.verdict.is_empty() => {
            let shown = Shown::at(&opened.folder, &Subject::Overview).map_err(|error| opened.told(&error))?;
            text = shown.text(WIDE);
        }
        None => notes.push("Ask about one of them with part: log_1, log_2 and so on.".to_owned()),
    }
    Ok(Answer { notes, text })
}

fn notes<'n>(notes: impl IntoIterator<Item = &'n String>) -> Vec<String> {
    notes.into_iter().map(|note| format!("note: {note}")).collect()
}

/// Tables that are not cut to the width of a terminal.
const WIDE: Showing = Showing { width: None, all: true };

/// A list of the report.
pub fn list(library: &Library, request: &List) -> anyhow::Result<Answer> {
    let subject = Subject::parse(&request.what, None).with_context(|| {
        format!("unknown list {}; choose one of {}", request.what, Subject::lists().join(", "))
    })?;
    let shown = request.asked(library)?.show(&subject)?;
    Ok(if request.json { shown.jsonl() } else { shown.text(WIDE) }.into())
}

/// The findings as objects of `report.json`, a line each.
pub fn findings(library: &Library, request: &Findings) -> anyhow::Result<Answer> {
    let found = request.asked(library)?.show(&Subject::List(ShownList::Findings))?.jsonl();
    Ok(if found.is_empty() { Answer::note("There are no findings.") } else { found.into() })
}

/// All that belongs to a compile, and the names of its files.
pub fn compile(library: &Library, request: &Compile) -> anyhow::Result<Answer> {
    let asked = request.asked(library)?;
    let mut text = asked.show(&Subject::Compile(request.id.clone()))?.text(WIDE);
    text.push_str("\nFiles, for the tool artifact:\n");
    for file in asked.files()?.iter().filter(|file| file.is_of(&request.id)) {
        text.push_str(&format!("{}{}\n", file.below, file.path));
    }
    Ok(text.into())
}

/// The text of a file.
pub fn artifact(library: &Library, request: &Artifact) -> anyhow::Result<Answer> {
    let asked = request.asked(library)?;
    let files = asked.files()?;
    let of_compile: Vec<&ReportFile> = files.iter().filter(|file| file.is_of(&request.compile)).collect();
    if of_compile.is_empty() {
        bail!("{} has no files of a compile {}", asked.opened.path, request.compile);
    }
    let is_path = |file: &&&ReportFile| format!("{}{}", file.below, file.path) == request.name;
    let is_name = |file: &&&ReportFile| file.name == request.name;
    let begins = |file: &&&ReportFile| file.name.starts_with(&request.name);
    // The last one is what was run: earlier attempts were discarded.
    let found = of_compile.iter().find(is_path);
    let found =
        found.or_else(|| of_compile.iter().rfind(is_name)).or_else(|| of_compile.iter().rfind(begins));
    match found {
        Some(file) => file.text().map(Answer::from).map_err(|error| asked.opened.told(&error)),
        None => {
            let mut names: Vec<&str> = of_compile.iter().map(|file| file.name.as_str()).collect();
            names.dedup();
            names.truncate(MOST_NAMES);
            bail!("compile {} has no file {}; it has {}", request.compile, request.name, names.join(", "))
        }
    }
}

/// The lines of findings and files that contain a text.
pub fn search(library: &Library, request: &Search) -> anyhow::Result<Answer> {
    let asked = request.asked(library)?;
    let wanted = request.text.to_lowercase();
    if wanted.trim().is_empty() {
        bail!("give a text to search for");
    }
    let mut found = Found { wanted, hits: Vec::new(), searched: 0, left_out: Vec::new() };
    found.look("findings", &asked.show(&Subject::List(ShownList::Findings))?.jsonl());
    for file in asked.files()? {
        let name = format!("{}{}", file.below, file.path);
        if found.is_full() {
            found.left_out.push(format!("{name} and all after it: this is as much as one answer searches"));
            break;
        }
        match file.text() {
            Ok(text) => found.look(&name, &text),
            Err(why) => found.left_out.push(asked.opened.told(&why).to_string()),
        }
    }
    Ok(found.told())
}

/// What a search has found so far.
struct Found {
    wanted: String,
    hits: Vec<String>,
    searched: usize,
    left_out: Vec<String>,
}

impl Found {
    fn is_full(&self) -> bool {
        self.hits.len() >= MOST_HITS || self.searched > MOST_SEARCHED
    }

    fn look(&mut self, place: &str, text: &str) {
        self.searched += text.len();
        for (number, line) in (1..).zip(text.lines()) {
            if self.hits.len() < MOST_HITS && line.to_lowercase().contains(&self.wanted) {
                let line: String = line.trim().chars().take(LONGEST_HIT).collect();
                self.hits.push(format!("{place}:{number}: {line}"));
            }
        }
    }

    fn told(self) -> Answer {
        let text = self.hits.iter().map(|hit| format!("{hit}\n")).collect();
        let nothing = self.hits.is_empty().then(|| "Nothing was found.".to_owned());
        // Pages that are no text of the log, such as tables of events, have none.
        let left_out = self.left_out.first();
        let left_out =
            left_out.map(|first| format!("Not searched: {}, such as {first}", self.left_out.len()));
        Answer { notes: nothing.into_iter().chain(left_out).collect(), text }
    }
}

/// The comparison of two runs.
pub fn diff(library: &Library, request: &Diff) -> anyhow::Result<Answer> {
    let a = library.beside(&request.a, &request.profiles_a)?;
    let b = library.beside(&request.b, &request.profiles_b)?;
    let options = DiffOptions {
        a: vec![a.folder.clone()],
        b: vec![b.folder.clone()],
        names: ["A".to_owned(), "B".to_owned()],
        // The traces are part of the reports.
        ..DiffOptions::default()
    };
    let compared =
        tlparse::diff(&options, &Registry::default(), &()).map_err(|error| b.told(&a.told(&error)))?;
    let mut notes = notes(a.notes.iter().chain(&b.notes).chain(&compared.notes));
    notes.insert(0, format!("A is {}, B is {}", a.path, b.path));
    // Where the reports of logs stand is of no use to anybody: they are called by their paths.
    Ok(Answer { notes, text: b.named(&a.named(&compared.markdown)) })
}

/// The verdict on a budget.
pub fn check(library: &Library, request: &Check) -> anyhow::Result<Answer> {
    let asked = request.asked(library)?;
    let budget = Budget::parse(&request.budget).context("the budget")?;
    let mut checked = Checked::default();
    checked.add(&asked.folder, None).map_err(|error| asked.opened.told(&error))?;
    if checked.is_empty() {
        bail!("nothing was recorded, so there is nothing to check");
    }
    let verdict = checked.verdict(&budget, None);
    let text = verdict.show(Format::Text, &SourceTree::of_current_folder()?)?;
    Ok(Answer { notes: notes(verdict.notes()), text })
}
