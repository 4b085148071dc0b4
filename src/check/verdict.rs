//! Checks items against a budget and a baseline.

use super::baseline::Baseline;
use super::budget::{Budget, Limit};
use super::read::CheckedLog;
use crate::analysis::Severity;
use crate::compare::items::{CompiledFunction, FunctionPlace, Item};
use crate::facts::{Aspect, FunctionName, Identity, line_number};
use crate::model::words::{duration, most_similar};
use indexmap::IndexMap;
use std::cmp::Ordering;

/// Whether logs stay within a budget.
#[derive(Debug)]
pub struct Verdict {
    pub(crate) checks: Vec<Check>,
    /// Number of known items; None without a baseline.
    pub(crate) known: Option<usize>,
    /// Names of the checked logs: `rank 0`, or the file.
    pub(crate) logs: Vec<String>,
    /// Whether a log ends within a compile.
    pub(crate) cut_off: bool,
    /// Notes that do not fail the check, such as a function that no log has.
    pub(crate) notes: Vec<String>,
}

/// One limit, and how much of it is used.
#[derive(Debug)]
pub(crate) struct Check {
    pub limit: Limit,
    /// The largest amount in a log or, for `recompiles_per_function`, in a function.
    pub found: f64,
    /// Whether it limits a function that no log has, so that it says nothing about the logs.
    pub matches_nothing: bool,
    /// What exceeds it, errors and costly items first; empty if it holds.
    pub excesses: Vec<Excess>,
}

/// What exceeds a budget; equal items at one place are merged.
#[derive(Debug, Clone)]
pub(crate) struct Excess {
    /// The first of them, with the path of its page as the user names the report.
    pub item: Item,
    /// How often it occurs in the log that has most of it.
    pub count: f64,
    /// Indices of the logs that have it.
    pub logs: Vec<usize>,
    /// The same in every run.
    pub fingerprint: String,
}

impl Check {
    fn new(limit: &Limit) -> Check {
        Check { limit: limit.clone(), found: 0.0, matches_nothing: false, excesses: Vec::new() }
    }

    pub(crate) fn holds(&self) -> bool {
        self.found <= self.limit.most
    }
}

impl Excess {
    /// Errors first, then the costliest.
    pub(crate) fn order(&self, other: &Excess) -> Ordering {
        self.item.severity.cmp(&other.item.severity).then(other.lost().total_cmp(&self.lost()))
    }

    /// The function that has it.
    pub(crate) fn function(&self) -> Option<&str> {
        self.item.functions.first().map(|function| function.name.as_str())
    }

    /// Seconds that were wasted or could have been avoided.
    fn lost(&self) -> f64 {
        self.item.cost.as_ref().filter(|cost| *cost.kind != *"expected").map_or(0.0, |cost| cost.seconds)
    }
}

impl Verdict {
    /// Whether all budgets hold. Those of a log that was cut off are not known to.
    #[must_use]
    pub fn holds(&self) -> bool {
        !self.cut_off && self.checks.iter().all(Check::holds)
    }

    /// Notes that do not fail the check.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// A log with its items that are not in the baseline.
struct NewItems<'l> {
    log: &'l CheckedLog,
    items: Vec<&'l Item>,
}

/// Checks each log against the budget on its own.
pub(super) fn judge(logs: &[CheckedLog], budget: &Budget, baseline: Option<&Baseline>) -> Verdict {
    let mut known = 0;
    let divided: Vec<NewItems<'_>> = logs
        .iter()
        .map(|log| {
            let (items, of_log) = match baseline {
                Some(baseline) => baseline.divide(&log.found.items),
                None => (log.found.items.iter().collect(), 0),
            };
            known += of_log;
            NewItems { log, items }
        })
        .collect();
    let mut notes = Vec::new();
    let checks = budget.limits.iter().map(|limit| {
        let unknown = limit.function.as_ref().filter(|name| !logs.iter().any(|log| has_function(log, name)));
        if let Some(pattern) = unknown {
            let meant = similar(logs, pattern).map(|name| format!("; did you mean {name:?}?"));
            let meant = meant.unwrap_or_default();
            notes.push(format!(
                "no compiled function is called {pattern:?}, so its budgets say nothing{meant}"
            ));
        }
        let is_of_time = limit.aspect == Aspect::CompileTime;
        let check = if is_of_time { seconds(limit, &divided) } else { counted(limit, &divided) };
        Check { matches_nothing: unknown.is_some(), ..check }
    });
    let checks = checks.collect();
    notes.dedup();
    Verdict {
        checks,
        known: baseline.map(|_| known),
        logs: logs.iter().map(|log| log.name.clone()).collect(),
        cut_off: logs.iter().any(|log| log.cut_off),
        notes,
    }
}

/// Whether a pattern of the budget file names a function of a log.
fn is_called(log: &CheckedLog, function: &FunctionPlace, pattern: &str) -> bool {
    let compiled = log.found.functions.iter().find(|one| one.place == *function);
    let titles = compiled.into_iter().flat_map(|one| &one.titles).map(|title| Some(title.as_str()));
    let name = FunctionName {
        name: &function.name,
        title: None,
        file: function.file.as_deref(),
        lines: [line_number(function.line), None],
    };
    titles.chain([None]).any(|title| FunctionName { title, ..name }.is_called(pattern))
}

fn has_function(log: &CheckedLog, pattern: &str) -> bool {
    let compiled = log.found.functions.iter().map(|one| &one.place);
    let within = log.found.items.iter().flat_map(|item| &item.functions);
    compiled.chain(within).any(|function| is_called(log, function, pattern))
}

/// The function of the logs whose name is most like that of a pattern.
fn similar<'l>(logs: &'l [CheckedLog], pattern: &str) -> Option<&'l str> {
    let compiled = logs.iter().flat_map(|log| &log.found.functions);
    let names = compiled.flat_map(|one| one.titles.iter().chain([&one.place.name])).map(String::as_str);
    most_similar(pattern, names)
}

/// The items of a log that count towards a limit.
fn counting<'l>(limit: &'l Limit, log: &'l NewItems<'l>) -> impl Iterator<Item = &'l Item> {
    let of_function = |item: &&Item| {
        let pattern = limit.function.as_deref();
        let is_called = |pattern| item.functions.iter().any(|function| is_called(log.log, function, pattern));
        pattern.is_none_or(is_called)
    };
    log.items.iter().copied().filter(|item| item.aspect == limit.aspect).filter(of_function)
}

/// Checks each log, or each function of each log on its own.
fn counted(limit: &Limit, logs: &[NewItems<'_>]) -> Check {
    let per_function = limit.aspect == Aspect::Recompiles && limit.function.is_none();
    let mut check = Check::new(limit);
    let mut excesses = Excesses::default();
    for (index, log) in logs.iter().enumerate() {
        let mut groups: IndexMap<Option<&FunctionPlace>, Vec<&Item>> = IndexMap::new();
        for item in counting(limit, log) {
            let function = item.functions.first().filter(|_| per_function);
            groups.entry(function).or_default().push(item);
        }
        for items in groups.into_values() {
            let amount: f64 = items.iter().map(|item| item.amount).sum();
            check.found = check.found.max(amount);
            if amount > limit.most {
                excesses.add(index, log.log, items.into_iter());
            }
        }
    }
    check.excesses = excesses.ranked();
    check
}

/// Checks the compile time of each log, or of all functions that match.
fn seconds(limit: &Limit, logs: &[NewItems<'_>]) -> Check {
    let mut check = Check::new(limit);
    for (index, log) in logs.iter().enumerate() {
        let found = &log.log.found;
        let is_own = |one: &&CompiledFunction| {
            limit.function.as_ref().is_some_and(|pattern| is_called(log.log, &one.place, pattern))
        };
        let own: Vec<&CompiledFunction> = found.functions.iter().filter(is_own).collect();
        let amount = match limit.function {
            None => found.compile_seconds,
            Some(_) => own.iter().map(|one| one.seconds).sum(),
        };
        check.found = check.found.max(amount);
        if amount > limit.most {
            let own = own.first().map(|one| &one.place);
            let identity = Identity { kind: "compile_seconds".to_owned(), ..Identity::default() };
            let title = slow_title(limit, amount, &found.functions);
            let item = Item::new(Aspect::CompileTime, identity, own.into_iter().cloned().collect(), title);
            let item = Item {
                severity: Severity::Error,
                file: own.and_then(|function| function.file.clone()),
                line: own.and_then(|function| u64::try_from(function.line?).ok()),
                page: log.log.page("time.html"),
                ..item
            };
            check.excesses.push(Excess { item, count: 1.0, logs: vec![index], fingerprint: limit.name() });
        }
    }
    check
}

/// The compile time and, for a whole log, the slowest functions.
fn slow_title(limit: &Limit, amount: f64, functions: &[CompiledFunction]) -> String {
    let words = limit.words(amount);
    let mut costliest: Vec<&CompiledFunction> = functions.iter().filter(|one| one.seconds > 0.0).collect();
    costliest.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let time = |seconds: f64| duration(seconds * 1e6);
    let named = costliest.iter().take(3).map(|one| format!("{} {}", one.place.name, time(one.seconds)));
    let named: Vec<String> = named.collect();
    match (limit.function.is_none(), named.is_empty()) {
        (true, false) => format!("{words}, most of it {}", named.join(", ")),
        _ => format!("compilation took {}", time(amount)),
    }
}

/// Excesses of several logs; equal ones are merged.
#[derive(Default)]
struct Excesses(IndexMap<ExcessKey, Excess>);

#[derive(PartialEq, Eq, Hash)]
struct ExcessKey {
    title: String,
    file: Option<String>,
    line: Option<u64>,
}

impl Excesses {
    fn add<'i>(&mut self, index: usize, log: &CheckedLog, items: impl Iterator<Item = &'i Item>) {
        let mut counts: IndexMap<ExcessKey, f64> = IndexMap::new();
        for item in items {
            let key = || ExcessKey { title: item.title.clone(), file: item.file.clone(), line: item.line };
            *counts.entry(key()).or_default() += item.amount;
            let excess = self.0.entry(key()).or_insert_with(|| excess_of(item, log));
            if excess.logs.last() != Some(&index) {
                excess.logs.push(index);
            }
        }
        for (key, count) in counts {
            if let Some(excess) = self.0.get_mut(&key) {
                excess.count = excess.count.max(count);
            }
        }
    }

    /// Errors first, then the costliest.
    fn ranked(self) -> Vec<Excess> {
        let mut all: Vec<Excess> = self.0.into_values().collect();
        all.sort_by(Excess::order);
        all
    }
}

fn excess_of(item: &Item, log: &CheckedLog) -> Excess {
    let page = item.page.as_deref().and_then(|page| log.page(page));
    let fingerprint = item.identity.fingerprint();
    Excess { item: Item { page, ..item.clone() }, count: 0.0, logs: Vec::new(), fingerprint }
}
