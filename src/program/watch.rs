//! `tlparse --watch`: prints each compile of a running program, and rewrites its report when the logs stop growing.

use super::exit;
use super::report::Afterwards;
use super::terminal::{self, Bar, visible};
use std::process::ExitCode;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use tlparse::system::signals;
use tlparse::{CompileNews, Options, Registry, Watch, Written};

/// How often the logs are checked.
const LOOK: Duration = Duration::from_millis(200);
/// Checks without new records, 2 seconds, before the report is rewritten.
const REST_LOOKS: u32 = 10;
/// Characters of a reason in a line.
const MOST_REASON: usize = 160;

/// Watches until Ctrl-C.
pub fn run(mut options: Options, afterwards: &Afterwards) -> anyhow::Result<ExitCode> {
    let registry = Registry::default();
    tlparse::check_out(&options.out, options.overwrite)?;
    // The first signal that asks the program to end lets it write the report; a second one ends it.
    let (sender, stop) = channel();
    options.still_runs = true;
    signals::on_first_signal(move || {
        let _ = sender.send(());
    })?;
    let mut watch = Watch::new(&options.inputs, &registry);
    let paths: Vec<String> = options.inputs.iter().map(|path| path.display().to_string()).collect();
    terminal::print(&format!("Watching {} until Ctrl-C\n", visible(&paths.join(", "))))?;
    let (mut quiet, mut is_behind) = (0, false);
    let mut last = Ok(None);
    loop {
        let is_over = !matches!(stop.recv_timeout(LOOK), Err(RecvTimeoutError::Timeout));
        match watch.poll() {
            Ok(appended) => {
                tell(&appended.news);
                quiet = if appended.grew { 0 } else { quiet + 1 };
                is_behind |= appended.grew;
            }
            Err(error) => eprintln!("error: {error:#}"),
        }
        if is_behind && (is_over || quiet >= REST_LOOKS) {
            is_behind = false;
            tell(&watch.rest().unwrap_or_default().news);
            last = written(&options, &registry);
            if let (Ok(Some(written)), false) = (&last, is_over) {
                tell_report(written);
            }
            if let Ok(Some(_)) = last {
                // From now on the folder holds our report.
                options.overwrite = true;
            }
        }
        if is_over {
            return Ok(concluded(last, afterwards));
        }
    }
}

/// Writes the report. An error is printed, and the next report may succeed.
fn written(options: &Options, registry: &Registry) -> Result<Option<Written>, ()> {
    let written = Bar::to_the_end(|bar| tlparse::run(options, registry, bar));
    written.map(Some).map_err(|error| eprintln!("error: {error:#}"))
}

fn tell_report(written: &Written) {
    let verdict = written.summary.lines.first().map(ToString::to_string).unwrap_or_default();
    print(&format!("Report: {verdict} {}\n", written.folder.join("index.html").display()));
}

fn concluded(last: Result<Option<Written>, ()>, afterwards: &Afterwards) -> ExitCode {
    match last {
        Ok(Some(written)) => afterwards.conclude(&written),
        Ok(None) => {
            eprintln!("note: nothing was recorded, so there is no report");
            ExitCode::SUCCESS
        }
        Err(()) => ExitCode::from(exit::FAILED),
    }
}

/// Prints a line. If that fails, the report is still written.
fn print(line: &str) {
    if let Err(error) = terminal::print(&visible(line)) {
        eprintln!("error: {error:#}");
    }
}

fn tell(news: &[(Option<u64>, CompileNews)]) {
    for (rank, one) in news {
        let rank = rank.map(|rank| format!("rank {rank}  ")).unwrap_or_default();
        print(&format!("{rank}{}\n", line(one)));
    }
}

/// `3/1     ok       f at train.py:12   1.20 s   recompiled: L['x'] size mismatch`
fn line(news: &CompileNews) -> String {
    let function = news.function.as_ref().map_or_else(
        || "-".to_owned(),
        |function| {
            let file = function.file.as_deref().unwrap_or("-").rsplit('/').next().unwrap_or("-");
            match function.line {
                Some(line) => format!("{} at {file}:{line}", function.name),
                None => format!("{} at {file}", function.name),
            }
        },
    );
    let seconds = news.seconds.map_or_else(|| "-".to_owned(), |seconds| format!("{seconds:.2} s"));
    let mut line = format!("{:<8} {:<7} {} {seconds:>9}", news.id, news.status, short(&function));
    if let Some((reason, count)) = &news.recompiled {
        let more = if *count > 1 { format!(" ({count} reasons)") } else { String::new() };
        line.push_str(&format!("  recompiled: {}{more}", short(reason)));
    }
    if news.breaks > 0 {
        let reason = news.first_break.as_deref().unwrap_or("-");
        line.push_str(&format!("  graph breaks: {}, {}", news.breaks, short(reason)));
    }
    if let Some(failure) = &news.failure {
        line.push_str(&format!("  failed: {}", short(failure)));
    }
    line
}

/// The first line of a text, bounded and without hidden characters.
fn short(text: &str) -> String {
    let first = visible(text.lines().next().unwrap_or_default());
    let mut short: String = first.chars().take(MOST_REASON).collect();
    if first.chars().nth(MOST_REASON).is_some() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_was_compiled_how_it_ended_and_why_again() {
        let news = CompileNews {
            id: "3/1".to_owned(),
            status: "break",
            function: None,
            seconds: Some(1.234),
            recompiled: Some(("size\u{1b}[31m changed\nmore".to_owned(), 2)),
            breaks: 1,
            first_break: Some("print".to_owned()),
            failure: None,
        };
        assert_eq!(
            line(&news),
            "3/1      break   -    1.23 s  recompiled: size\\u{1b}[31m changed (2 reasons)  graph breaks: 1, print"
        );
    }
}
