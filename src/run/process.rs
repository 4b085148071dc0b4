//! Reads the logs of one process and those that it forked, one after the other.

use super::profiles::Profiled;
use super::task::{LogOutcome, LogTask, Work, WriteLog};
use crate::model::Process;
use crate::options::RunSummary;
use crate::output::Sink;
use crate::report::SummaryLine;
use crate::trace::{Log, RankLogs};
use std::collections::BTreeSet;

/// Writes the report of a process to `sink`, and those of its further processes to folders below it.
pub(crate) fn for_each_process(
    work: Work<'_>,
    logs: &RankLogs,
    sink: &Sink,
    write_log: WriteLog,
) -> anyhow::Result<RunSummary> {
    let processes = processes(&logs.others);
    let total = bytes_of(logs);
    let mut summary = RunSummary::default();
    let mut before = 0;
    let all = std::iter::once((&logs.main, None)).chain(logs.others.iter().zip(processes.iter().map(Some)));
    for (log, process) in all {
        let progress = |done: u64| work.progress.reading(before + done, total.max(before + done));
        let below = process.map(|process| sink.below(&process.dir));
        let task = LogTask {
            processes: if process.is_none() { &processes } else { &[] },
            profiled: if process.is_none() { Profiled::OnlyLog } else { Profiled::FurtherProcess },
            around: work.around.clone(),
            progress: &progress,
            ..LogTask::new(&log.path, below.as_ref().unwrap_or(sink), work.threads())
        };
        match (write_log(work, &task)?, process) {
            (LogOutcome::Written(one), None) => summary = one,
            (LogOutcome::Written(one), Some(process)) => {
                let text = one.lines.first().map(|verdict| format!("{}: {}", process.words(), verdict.text));
                summary.lines.extend(text.map(SummaryLine::plain));
                summary = summary.with(one);
            }
            (LogOutcome::Unreadable(error), None) => return Err(error),
            (LogOutcome::Unreadable(error), Some(process)) => {
                summary.intact = false;
                summary.notes.push(format!("{}: {error:#}", process.words()));
            }
            (LogOutcome::Parts(_), _) => {}
        }
        before += log.peek.bytes;
    }
    Ok(summary)
}

fn bytes_of(logs: &RankLogs) -> u64 {
    let known = logs.logs().map(|log| log.peek.bytes).sum();
    // Sizes of logs that the user named are not known yet.
    if known > 0 { known } else { std::fs::metadata(&logs.main.path).map_or(0, |file| file.len()) }
}

/// The further processes of a rank, with their folders. Two processes with the same id get different folders.
pub(super) fn processes(others: &[Log]) -> Vec<Process> {
    let mut taken = BTreeSet::new();
    let process = |log: &Log| {
        let mut number = log.peek.pid.unwrap_or_default();
        while !taken.insert(number) {
            number = number.wrapping_add(1);
        }
        Process {
            dir: format!("process_{number}"),
            pid: log.peek.pid,
            file: log.name(),
            forked: log.peek.forked,
        }
    };
    others.iter().map(process).collect()
}
