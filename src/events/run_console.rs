//! Lines of a console to facts: CUDA graphs, exceptions, hints.

use crate::limits::{DEEPEST_STACK, KEPT_OF_ONE, LISTED, LONG_LIST};
use crate::model::{
    Console, ConsoleGraphs, Failure, Hint, Model, RaisedException, SeenObstacle, frame_of_line, traceback,
};
use crate::trace::{CompileId, OrderedMap, Printed, PrintedLine, PrintedTraceback};
use std::iter::successors;

/// What torch gives as the reason where it was not asked for CUDA graphs.
const NOT_ASKED: &str = "partition includes all ops when cudagraphs is disabled";
/// The error of a function that was compiled too often.
const LIMIT_EXCEEDED: &str = "RecompileLimitExceeded";
/// Exceptions with which people and launchers end a program; what went wrong is in another process, or nothing did.
const ENDINGS: [&str; 4] = ["KeyboardInterrupt", "SystemExit", "ChildFailedError", "GeneratorExit"];

/// What a console says of the process that wrote a log; `is_only` says that no other process of the program has a log.
pub fn console_of(printed: &Printed, model: &Model, is_only: bool) -> Console {
    let has_pid = |pid: Option<u64>| pid.is_some_and(|pid| model.log.pids.contains(&pid));
    let is_own = |pid: Option<u64>| has_pid(pid) || pid.is_none() && is_only;
    // Torch compiled in other processes only: the console is of another run.
    let compiles = |line: &&PrintedLine| line.compile.is_some();
    let mut compiled = printed.lines.iter().filter(compiles).peekable();
    let is_of_others =
        !printed.is_of_the_run && compiled.peek().is_some() && !compiled.any(|line| has_pid(line.pid));
    let mut reader = Reader::default();
    for line in &printed.lines {
        match is_own(line.pid) && !is_of_others {
            true => reader.line(line),
            false => reader.found.of_others += u64::from(line.pid.is_some()),
        }
    }
    let mut found = reader.found;
    found.graphs = reader.graphs.into_values().collect();
    let is_its = |one: &&PrintedTraceback| match one.rank {
        Some(rank) => model.log.rank == Some(rank),
        None => has_pid(one.pid) || is_only && !is_of_others,
    };
    let tracebacks = printed.tracebacks.iter().filter(is_its);
    found.exceptions = tracebacks.filter_map(exception).collect();
    found
}

/// The exception that ended the program, where it is that of a compile and the log was made of this console: in another log,
/// it has a record.
pub fn add_failure(model: &mut Model) {
    let last = model.console.as_ref().and_then(|console| console.exceptions.last());
    let Some(last) = last.filter(|last| model.log.console.is_some() && !last.went_on) else { return };
    let Some((module, class)) = last.error.rsplit_once('.') else { return };
    if !matches!(module, "torch._dynamo.exc" | "torch._inductor.exc") {
        return;
    }
    // torch raises it again, for export.
    let is_violated = class == "UserError" && last.message.starts_with("Constraints violated");
    let error = if is_violated { "ConstraintViolationError" } else { class }.to_owned();
    let reason = Some(last.message.clone());
    // At the recompile limit, the warning before it named the compile.
    let refused = model.failures.iter_mut().rev().find(|one| one.error == LIMIT_EXCEEDED);
    match refused.filter(|_| error.starts_with("FailOn")) {
        Some(refused) => (refused.error, refused.reason) = (error, reason),
        None => model.failures.push(Failure { error, reason, ..Failure::default() }),
    }
}

fn exception(one: &PrintedTraceback) -> Option<RaisedException> {
    let class = one.error.rsplit('.').next().unwrap_or_default();
    let mut stack = traceback(&one.frames);
    stack.drain(..stack.len().saturating_sub(DEEPEST_STACK));
    let (error, message) = (one.error.clone(), one.message.clone());
    (!ENDINGS.contains(&class)).then_some(RaisedException { error, message, stack, went_on: one.went_on })
}

/// What the lines of a message that follow are about.
#[derive(Default, PartialEq)]
enum Within {
    #[default]
    Nothing,
    Outside,
    Skipped,
    Hint,
}

#[derive(Default)]
struct Reader {
    found: Console,
    graphs: OrderedMap<Option<CompileId>, ConsoleGraphs>,
    within: Within,
    /// The compile whose message goes on.
    compile: Option<CompileId>,
    /// The size for which a recording begins.
    size: Option<String>,
}

impl Reader {
    fn line(&mut self, line: &PrintedLine) {
        let text = line.text.trim();
        if (line.goes_on || self.within == Within::Outside) && self.goes_on(line, text) {
            return;
        }
        self.within = Within::Nothing;
        self.compile.clone_from(&line.compile);
        if let Some(reason) = reason_of_skip(text) {
            self.within = Within::Skipped;
            add(&mut self.graphs().skipped, String::new(), reason);
        } else if let Some(reason) = text.strip_prefix("cudagraph partition due to ") {
            self.within = Within::Outside;
            add(&mut self.graphs().outside, String::new(), without_found(reason));
        } else if let Some((_, rest)) = text.split_once(": reason=") {
            self.outside(rest);
        } else if let Some(rest) = text.strip_prefix("Created ") {
            self.parts(rest);
        } else if let Some((_, key)) = text.split_once("Recording cudagraph tree for symint key ") {
            self.size = Some(key.to_owned());
        } else if text.starts_with("Recording function") {
            self.recording();
        } else if text.starts_with("Re-recording function") {
            let reason = text.split_once("reason=").map_or(text, |(_, reason)| reason).to_owned();
            let again = &mut self.graphs().again;
            again.extend((again.len() < LISTED).then_some(reason));
        } else if line.is_hint {
            self.hint(text);
        }
    }

    /// Takes a further line of a message; says whether it was one.
    fn goes_on(&mut self, line: &PrintedLine, text: &str) -> bool {
        match self.within {
            Within::Outside | Within::Skipped => {
                let is_skip = self.within == Within::Skipped;
                let graphs = self.graphs();
                let list = if is_skip { &mut graphs.skipped } else { &mut graphs.outside };
                let Some(last) = list.last_mut().filter(|last| last.stack.len() < DEEPEST_STACK) else {
                    return false;
                };
                if let Some(frame) = frame_of_line(text) {
                    // Of a reason that is given again, the place is known.
                    last.stack.extend((last.count == 1).then_some(frame));
                    return true;
                }
                let is_code =
                    last.stack.last().is_some_and(|frame| frame.loc.is_none()) && line.text.starts_with("  ");
                if let Some(frame) = last.stack.last_mut().filter(|_| is_code) {
                    frame.loc = Some(text.to_owned());
                }
                is_code
            }
            Within::Hint => {
                if let Some(hint) = self.found.hints.last_mut().filter(|hint| hint.count == 1) {
                    hint.text.push(' ');
                    hint.text.push_str(text);
                }
                true
            }
            Within::Nothing => false,
        }
    }

    /// The entry of the compile at hand; without one beyond the limit.
    fn graphs(&mut self) -> &mut ConsoleGraphs {
        let is_kept = self.graphs.len() < LISTED || self.graphs.contains_key(&self.compile);
        let compile = self.compile.clone().filter(|_| is_kept);
        let entry = self.graphs.entry(compile.clone());
        entry.or_insert_with(|| ConsoleGraphs { compile, ..ConsoleGraphs::default() })
    }

    /// `2 graph partitions: 1 cudagraphable, 1 non-cudagraphable`
    fn parts(&mut self, text: &str) {
        let number = |part: &str| part.split_whitespace().next()?.parse::<u64>().ok();
        let parts = text.split_once(" graph partitions: ").and_then(|(_, rest)| rest.split_once(", "));
        let Some([Some(good), Some(bad)]) = parts.map(|(good, bad)| [good, bad].map(number)) else { return };
        let graphs = self.graphs();
        graphs.parts = graphs.parts.saturating_add(good);
        graphs.other_parts = graphs.other_parts.saturating_add(bad);
    }

    /// `cpu ops, ir=ComputedBuffer, fx=aten.sum.default(mul)`
    fn outside(&mut self, text: &str) {
        let (reason, node) = text.split_once(", ir=").unwrap_or((text, ""));
        if reason == NOT_ASKED {
            return;
        }
        let (ir, call) = node.split_once(", fx=").unwrap_or((node, ""));
        let operator = call.split('(').next().filter(|name| !name.is_empty()).unwrap_or(ir);
        self.within = Within::Outside;
        add(&mut self.graphs().outside, operator.to_owned(), reason);
    }

    fn recording(&mut self) {
        let size = self.size.take();
        let graphs = self.graphs();
        graphs.recordings += 1;
        if let Some(size) =
            size.filter(|size| graphs.sizes.len() < KEPT_OF_ONE && !graphs.sizes.contains(size))
        {
            graphs.sizes.push(size);
        }
    }

    fn hint(&mut self, text: &str) {
        self.within = Within::Hint;
        let hints = &mut self.found.hints;
        match hints.iter().position(|one| one.compile == self.compile && one.text.starts_with(text)) {
            Some(at) => {
                // It stands last, as that is where a message goes on.
                let mut known = hints.remove(at);
                known.count += 1;
                hints.push(known);
            }
            None if hints.len() < LONG_LIST => {
                hints.push(Hint { compile: self.compile.clone(), text: text.to_owned(), count: 1 });
            }
            None => self.within = Within::Nothing,
        }
    }
}

/// Adds what keeps something out of CUDA graphs; one that was named before is counted, and stands last.
fn add(list: &mut Vec<SeenObstacle>, operator: String, reason: &str) {
    let known =
        list.iter().position(|one| one.operator == operator && one.reason == reason && one.stack.is_empty());
    let known = known.map(|at| list.remove(at));
    let mut one = known.unwrap_or_else(|| SeenObstacle {
        operator,
        reason: reason.to_owned(),
        ..SeenObstacle::default()
    });
    one.count += 1;
    if list.len() < LISTED {
        list.push(one);
    }
}

/// The reason of `skipping cudagraphs due to mutated inputs (1 instances). Found from : `. Some versions of torch say the
/// beginning twice.
fn reason_of_skip(text: &str) -> Option<&str> {
    successors(after_skip(text), |reason| after_skip(reason)).last().map(without_found)
}

fn after_skip(text: &str) -> Option<&str> {
    let rest =
        text.strip_prefix("skipping cudagraph").or_else(|| text.strip_prefix("disabling cudagraph"))?;
    rest.strip_prefix('s').unwrap_or(rest).strip_prefix(" due to ")
}

fn without_found(reason: &str) -> &str {
    reason.split(". Found from").next().unwrap_or(reason).trim_end_matches('.')
}
