//! The head of the page: what Dynamo read and captured of the program, and its worst lines.

use super::file::File;
use super::files;
use super::subject::ShownSource;
use crate::analysis::lines::{Counts, LineFacts};
use crate::limits::NAMED_BRIEFLY;
use crate::report::kit::prelude::*;
use std::cmp::Reverse;

/// Share of the kernel time that the lines named first have together.
const MOST_OF_TIME: f64 = 0.9;

/// The sentence with notes below it.
pub(super) fn verdict(view: View<'_>, subject: &ShownSource<'_>) -> anyhow::Result<Html> {
    if subject.lines.is_empty() {
        return empty(view);
    }
    let own: Vec<File<'_>> = files::files_of(subject, false).collect();
    let library = files::files_of(subject, true).map(|file| file.file.counts().operators).sum::<u64>();
    let captured = own.iter().map(|file| file.file.counts().operators).sum::<u64>();
    let leading = own.iter().flat_map(|file| file.listed().map(|line| (*file, line)));
    let leading = leading.max_by(|(_, a), (_, b)| a.counts.us.total_cmp(&b.counts.us));
    let sentence = match own.first() {
        Some(_) if captured == 0 && library > 0 && leading.is_some() => of_library(view, subject, leading),
        Some(first) => of_program(view, &own, *first),
        None => Html::joined(
            [strong("No line of your program"), " is in this log, but lines of libraries are.".into()],
            "",
        ),
    };
    view.verdict(sentence, notes(view, subject, &own))
}

/// A log that names no line at all.
fn empty(view: View<'_>) -> anyhow::Result<Html> {
    let sentence = Html::joined([strong("No line of your program"), " is in this log.".into()], "");
    let note = "torch writes lines with the stack of each compile, above the operators of captured graphs, and with graph \
                breaks, from version 2.4 on. A log that was cut off before the first of these has none.";
    view.verdict(sentence, vec![note.into()])
}

/// A program that only calls a library: the line that leads there, and where the operators come from.
fn of_library(view: View<'_>, subject: &ShownSource<'_>, leading: Option<(File<'_>, &LineFacts)>) -> Html {
    let Some((file, line)) = leading else { return Html::default() };
    let names = &view.report.found.names;
    let name = line.compiles.first().and_then(|index| names.at(*index)).map(|name| view.title_of(name));
    let place = format!("{}:{}", short_path(&file.file.file), line.number);
    let link = Element::new("a").href(&format!("#{}", file.panel_anchor(line))).around(place);
    let libraries: Vec<File<'_>> = files::files_of(subject, true).collect();
    let all: u64 = libraries.iter().map(|file| file.file.counts().operators).sum();
    let most = libraries.iter().max_by_key(|file| (file.file.counts().operators, Reverse(file.place)));
    let mut pieces = vec![link, " calls ".into(), name.unwrap_or_else(|| "a library".into()), ", ".into()];
    pieces.extend([strong(micros(line.counts.us)), " to compile. All ".into()]);
    pieces.extend([
        strong(counted(all, "operator", "operators")),
        " come from files that are not yours".into(),
    ]);
    if let Some(most) = most {
        let share = percent(most.file.counts().operators as f64, all as f64, false);
        let href = format!("#{}", files::anchor(most.place));
        let link = Element::new("a").href(&href).around(short_path(&most.file.file).as_ref());
        pieces.extend([format!(", {share} of them from ").into(), link]);
    }
    pieces.push(". ".into());
    pieces.extend(worst(view, &libraries));
    Html::joined(pieces, "")
}

/// How much was read and captured, then the worst break and the worst failure, or the lines that take the device's time.
fn of_program(view: View<'_>, own: &[File<'_>], first: File<'_>) -> Html {
    let lines = |of: fn(&LineFacts) -> bool| {
        own.iter().flat_map(|file| &file.file.lines).filter(|line| of(line)).count()
    };
    let read = lines(|line| line.read);
    let captured = lines(|line| line.counts.operators > 0);
    let name = match own.len() {
        1 => view.code(&short_path(&first.file.file)),
        several => counted(several, "file", "files").into(),
    };
    let all = match (own.len(), first.whole()) {
        (1, Some(all)) => {
            vec!["Of ".into(), strong(counted(all.len(), "line", "lines")), " of ".into(), name]
        }
        _ => vec!["Of ".into(), name],
    };
    let captured = match captured {
        0 => " and captured nothing. ".into(),
        some => Html::joined([" and captured ".into(), strong(whole(some)), ". ".into()], ""),
    };
    let read = [", Dynamo read ".into(), strong(counted(read, "line", "lines")), captured];
    let mut pieces: Vec<Html> = all.into_iter().chain(read).collect();
    pieces.extend(worst(view, own));
    Html::joined(pieces, "")
}

/// The lines to look at.
fn worst(view: View<'_>, own: &[File<'_>]) -> Vec<Html> {
    let all = || own.iter().flat_map(|file| file.listed().map(|line| (*file, line)));
    // Of equal ones the first.
    let most = |of: fn(&Counts) -> u64| {
        let found = all().filter(|(_, line)| of(&line.counts) > 0);
        found.min_by_key(|(_, line)| Reverse(of(&line.counts)))
    };
    let mut pieces = Vec::new();
    let broken = most(|counts| counts.breaks);
    if let Some((file, line)) = broken {
        let times = strong(counted(line.counts.breaks, "time", "times"));
        pieces.extend([named(file, line, "warn"), " breaks the graph ".into(), times, ". ".into()]);
    }
    // Another line than the one just named, if there is one.
    let is_named = |line: &LineFacts| broken.is_some_and(|(_, other)| std::ptr::eq(line, other));
    let failed = all().filter(|(_, line)| line.counts.fails > 0);
    if let Some((file, line)) = failed.min_by_key(|(_, line)| (is_named(line), Reverse(line.counts.fails))) {
        pieces.push(named(file, line, "err"));
        pieces.extend(failure(view, line));
    }
    if pieces.is_empty() {
        pieces = of_time(own);
        pieces.push("No line breaks the graph or makes a compile fail.".into());
    }
    pieces
}

/// What a line did whose compile failed: a break at which Dynamo cannot resume leaves the function to Python.
fn failure(view: View<'_>, line: &LineFacts) -> Vec<Html> {
    let first = line.failed.first().and_then(|index| view.report.found.names.at(*index));
    match first.filter(|_| line.counts.breaks > 0) {
        Some(name) => vec![" makes ".into(), view.title_of(name), " run in eager mode. ".into()],
        None => vec![" makes a compile fail. ".into()],
    }
}

/// The lines whose kernels take most of the device's time.
fn of_time(own: &[File<'_>]) -> Vec<Html> {
    let mut timed: Vec<(File<'_>, &LineFacts, f64)> = Vec::new();
    for file in own {
        let of = |line: &'_ LineFacts| file.subject.measured(line).map(|time| time.us);
        timed.extend(file.listed().filter_map(|line| Some((*file, line, of(line)?))));
    }
    timed.sort_by(|(_, _, a), (_, _, b)| b.total_cmp(a));
    let all: f64 = timed.iter().map(|(_, _, us)| us).sum();
    let mut sum = 0.0;
    let mut names = Vec::new();
    for (file, line, us) in timed.iter().take(NAMED_BRIEFLY) {
        sum += us;
        names.push(named(*file, line, ""));
        if sum >= MOST_OF_TIME * all {
            break;
        }
    }
    if names.is_empty() {
        return Vec::new();
    }
    let takes = if names.len() == 1 { " takes " } else { " take " };
    let share = strong(percent(sum, all, false));
    vec![
        Html::joined(names, " and "),
        takes.into(),
        share,
        " of ".into(),
        strong(micros(all)),
        " of kernel time. ".into(),
    ]
}

/// A line as a link to what happened there.
fn named(file: File<'_>, line: &LineFacts, class: &str) -> Html {
    let text = match file.place {
        0 => format!("Line {}", line.number),
        _ => format!("{}:{}", short_path(&file.file.file), line.number),
    };
    let href = format!("#{}", file.panel_anchor(line));
    Element::new("a").class(class).href(&href).around(text)
}

fn notes(view: View<'_>, subject: &ShownSource<'_>, files: &[File<'_>]) -> Vec<Html> {
    let counts = files.iter().fold(Counts::default(), |sum, file| sum.plus(file.file.counts()));
    let all = subject.lines.files.iter().fold(subject.lines.elsewhere, |sum, file| sum.plus(file.counts()));
    let mut words = Vec::new();
    if counts.breaks > 0 {
        let lines =
            files.iter().flat_map(|file| &file.file.lines).filter(|line| line.counts.breaks > 0).count();
        let lines = counted(lines, "line breaks", "lines break");
        words.push(format!("{lines} the graph, {} in all.", counted(counts.breaks, "time", "times")));
    }
    if all.us > 0.0 {
        let (own, all) = (micros(counts.us), micros(all.us));
        let begin = match own == all {
            true => format!("All {all} of compile time begin in your files"),
            false if counts.us <= 0.0 => format!("None of {all} of compile time begins in your files"),
            false => format!("{own} of {all} of compile time begin in your files"),
        };
        let once: f64 = files.iter().flat_map(|file| &file.file.lines).map(|line| line.one_off_us).sum();
        words.push(match once > 0.0 {
            true => format!("{begin}; {} of it is once a process or a machine.", micros(once)),
            false => format!("{begin}."),
        });
    }
    let mut notes = vec![words.join(" ").into()];
    let read = files.iter().filter(|file| file.whole().is_some()).count();
    notes.push(match read {
        0 => {
            let option = view.code("tlparse LOG --sources DIR");
            let words = "The page shows the lines that the log quotes; ";
            Html::joined([words.into(), option, " shows whole files, if they are below DIR.".into()], "")
        }
        some => {
            let files = counted(some, "file was", "files were");
            format!("{files} read from the folder of sources; gray lines are not in the log.").into()
        }
    });
    notes
}
