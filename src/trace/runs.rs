//! Which logs of a folder belong together. A folder that was traced into several times holds several runs. A run has one
//! log per rank, or several where a rank forked.

use std::path::PathBuf;
use std::time::SystemTime;

use super::names::{is_torch_name, name_of};
use super::peek::Peek;
use super::prefix::LocalTime;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Log {
    pub path: PathBuf,
    /// Its rank: from its name, else from the first record that has one.
    pub rank: Option<u64>,
    pub changed: SystemTime,
    /// What its beginning and end say.
    pub peek: Peek,
}

impl Log {
    /// A log that has not been read yet.
    pub fn unread(path: PathBuf, changed: Option<SystemTime>) -> Log {
        let changed = changed.unwrap_or(SystemTime::UNIX_EPOCH);
        Log { path, rank: None, changed, peek: Peek::default() }
    }

    /// Whether torch gave it its name.
    pub(super) fn is_torchs(&self) -> bool {
        is_torch_name(&name_of(&self.path))
    }

    pub fn name(&self) -> String {
        name_of(&self.path).into_owned()
    }
}

/// The logs of one rank in one run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RankLogs {
    /// The rank; `None` for a program that is not a distributed job.
    pub rank: Option<u64>,
    /// The log of the process that is not a forked child; of several that ran at the same time, the one that wrote last.
    pub main: Log,
    /// Its forked children and further processes, in order of time.
    pub others: Vec<Log>,
}

impl RankLogs {
    /// The main log, then the others.
    pub fn logs(&self) -> impl Iterator<Item = &Log> {
        std::iter::once(&self.main).chain(&self.others)
    }

    /// A log without further ones.
    pub fn alone(log: Log) -> RankLogs {
        RankLogs { rank: log.rank, main: log, others: Vec::new() }
    }
}

/// The logs that were written together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Run {
    /// By rank, ascending; logs without a rank first.
    pub ranks: Vec<RankLogs>,
}

impl Run {
    /// All its logs, rank by rank.
    pub fn logs(&self) -> impl Iterator<Item = &Log> {
        self.ranks.iter().flat_map(RankLogs::logs)
    }

    /// Logs of processes that have a rank.
    pub fn ranked(&self) -> impl Iterator<Item = &RankLogs> {
        self.ranks.iter().filter(|rank| rank.rank.is_some())
    }

    fn newest(&self) -> Option<SystemTime> {
        self.logs().map(|log| log.changed).max()
    }

    fn add(&mut self, log: Log) {
        match self.ranks.iter_mut().find(|logs| logs.rank == log.rank) {
            Some(logs) => logs.others.push(log),
            None => {
                let place = self.ranks.partition_point(|known| known.rank < log.rank);
                self.ranks.insert(place, RankLogs::alone(log));
            }
        }
    }

    /// A forked child without a rank of its own belongs to the process that started last before it.
    fn adopt(&mut self, mut log: Log, began: Moment) {
        let parent =
            self.ranks.iter().filter(|logs| moments(&logs.main).is_some_and(|(from, _)| from <= began));
        let parent = parent.max_by_key(|logs| (logs.rank.is_none(), moments(&logs.main)));
        if log.rank.is_none() {
            log.rank = parent.and_then(|logs| logs.rank);
        }
        self.add(log);
    }
}

/// A time that can be compared across New Year although torch writes no year: true marks the new year.
type Moment = (bool, LocalTime);

/// Groups logs into runs, oldest first.
///
/// A new run begins with a log of a rank (or of no rank) whose earlier log in the current run had ended by then. A
/// forked child (its string table begins with its parent's) joins the run it was forked in, and so does a process
/// that ran beside another of its rank. A log without a record has no time: it joins the newest run where its rank is
/// missing there, else it is the newest run if it was written last. What fits nowhere is given back.
pub fn group(logs: Vec<Log>) -> (Vec<Run>, Vec<Log>) {
    let (mut timed, mut empty): (Vec<Log>, Vec<Log>) =
        logs.into_iter().partition(|log| log.peek.span.is_some());
    let new_year = has_month(&timed, 12) && has_month(&timed, 1);
    let begins = |log: &Log| moments(log).map(|(first, _)| over_new_year(first, new_year));
    timed.sort_by(|a, b| (begins(a), a.peek.forked, &a.path).cmp(&(begins(b), b.peek.forked, &b.path)));
    let mut runs: Vec<Run> = Vec::new();
    for log in timed {
        let Some(began) = begins(&log) else { continue };
        let Some(run) = runs.last_mut() else {
            runs.push(Run { ranks: vec![RankLogs::alone(log)] });
            continue;
        };
        let ended = |logs: &RankLogs| {
            let own = logs.logs().filter(|log| !log.peek.forked);
            own.filter_map(moments).all(|(_, last)| over_new_year(last, new_year) < began)
        };
        if log.peek.forked {
            run.adopt(log, began);
        } else if run.ranks.iter().any(|logs| logs.rank == log.rank && ended(logs)) {
            runs.push(Run { ranks: vec![RankLogs::alone(log)] });
        } else {
            run.add(log);
        }
    }
    empty.sort_by(|a, b| a.path.cmp(&b.path));
    let left = place_empty(&mut runs, empty);
    runs.iter_mut().flat_map(|run| &mut run.ranks).for_each(put_main_first);
    (runs, left)
}

fn put_main_first(logs: &mut RankLogs) {
    for other in &mut logs.others {
        let key = |log: &Log| (!log.peek.forked, log.changed);
        if (key(other), &other.path) > (key(&logs.main), &logs.main.path) {
            std::mem::swap(other, &mut logs.main);
        }
    }
    logs.others.sort_by(|a, b| (a.peek.span, &a.path).cmp(&(b.peek.span, &b.path)));
}

fn place_empty(runs: &mut Vec<Run>, empty: Vec<Log>) -> Vec<Log> {
    let mut left = Vec::new();
    for log in empty {
        match runs.last_mut() {
            None => runs.push(Run { ranks: vec![RankLogs::alone(log)] }),
            Some(run) if run.ranks.iter().all(|logs| logs.rank != log.rank) => run.add(log),
            Some(run) if run.newest().is_some_and(|newest| newest < log.changed) => {
                runs.push(Run { ranks: vec![RankLogs::alone(log)] })
            }
            Some(_) => left.push(log),
        }
    }
    left
}

/// The times of the first and the last record. `over_new_year` adjusts them to the other logs of the folder.
fn moments(log: &Log) -> Option<(Moment, Moment)> {
    let (first, last) = log.peek.span?;
    Some(((false, first), (last.month < first.month, last)))
}

fn has_month(logs: &[Log], month: u8) -> bool {
    logs.iter().filter_map(|log| log.peek.span).any(|(first, _)| first.month == month)
}

/// In a folder where some logs begin in December and others in January, January is the later one.
fn over_new_year((wrapped, time): Moment, new_year: bool) -> Moment {
    (wrapped || (new_year && time.month == 1), time)
}
