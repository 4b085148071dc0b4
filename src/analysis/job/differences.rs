//! A difference between ranks in a sentence, with what it leads to.

use super::findings::{JobFinding, JobKind};
use super::groups::{Comparison, First, Group};
use super::words::rank_words;
use crate::analysis::{Severity, classify, resumed};
use crate::model::{Fact, Job, Step, TextId};

/// Ranks of the largest group that are named; more are counted.
const NAMED: usize = 8;

/// Characters of a value that stand in a sentence.
const LONGEST: usize = 160;

const HANG: &str = "Ranks that run different graphs call their collectives in another order or number, and the job hangs until its timeout.";
const CHECK_BRANCH: &str = "Check what depends on the rank before that place: a branch on the rank, on data or on a size, another input, another environment.";
const RECOMPILE: &str = "While one rank compiles, the others wait in their next collective, up to the timeout (10 minutes for NCCL). Check that all ranks get inputs of the same sizes and types, or mark the size as dynamic with torch._dynamo.mark_dynamic.";
const SIZES: &str = "A collective on tensors of different sizes hangs, fails or mixes data up. Check that each rank gets a batch of the same size (drop_last in its sampler), or pad it.";
const CACHES: &str = "Results do not differ, times do: while one rank compiles, the others wait in their next collective, up to the timeout. Share the cache directory between ranks, or warm it on each node.";
const SETTINGS: &str = "Settings change what is generated, so they may be the cause of other differences. Set the same environment variables and torch._dynamo / torch._inductor options on each rank.";

const ENDS: &str = "A compile is missing its end where the process stopped in it.";

/// The two sides of a difference: the largest group and the first that parts from it there.
struct Sides<'j> {
    job: &'j Job,
    first: &'j First,
    most: &'j Group,
    other: &'j Group,
    /// Groups in all.
    groups: usize,
    /// What stands there.
    mine: Option<Step>,
    theirs: Option<Step>,
}

impl<'j> Sides<'j> {
    fn of(job: &'j Job, comparison: &'j Comparison) -> Option<Sides<'j>> {
        let first = comparison.first.as_ref()?;
        let mine = *first.by_group.first()?;
        let value = |step: &Option<Step>| step.and_then(|step| step.value);
        let at = first.by_group.iter().position(|step| value(step) != value(&mine))?;
        let theirs = *first.by_group.get(at)?;
        let (most, other) = (comparison.groups.first()?, comparison.groups.get(at)?);
        Some(Sides { job, first, most, other, groups: comparison.groups.len(), mine, theirs })
    }

    fn text(&self, step: Option<Step>) -> Option<&'j str> {
        self.job.value(&step?).map(short)
    }

    /// The value without the id in front.
    fn bare(&self, step: Option<Step>) -> Option<&'j str> {
        let text = self.job.value(&step?)?;
        let id = self.job.texts.maybe(step?.compile);
        Some(id.and_then(|id| text.strip_prefix(id)).unwrap_or(text).trim_start())
    }

    fn id(&self, step: Option<Step>) -> Option<&'j str> {
        self.job.texts.maybe(step?.compile)
    }

    fn who(&self, group: &Group) -> String {
        let count = group.ranks.len();
        if count <= NAMED || group.ranks != self.most.ranks {
            return rank_words(self.job, &group.ranks);
        }
        if self.groups == 2 { format!("the other {count} ranks") } else { format!("most ranks ({count})") }
    }

    /// The group that does something which the other does not do at all, with it: the smaller one where both do.
    fn extra(&self) -> Option<(&'j Group, &'j Group, Step)> {
        let lacks = |group: &Group, step: &Step| group.steps.iter().all(|own| own.value != step.value);
        let theirs = self.theirs.filter(|step| lacks(self.most, step));
        let mine = self.mine.filter(|step| lacks(self.other, step));
        match (theirs, mine) {
            (Some(step), _) => Some((self.other, self.most, step)),
            (None, Some(step)) => Some((self.most, self.other, step)),
            (None, None) => None,
        }
    }

    /// `rank 1 has x, rank 0 has y`
    fn plainly(&self, verb: &str) -> String {
        let side = |group: &Group, step: Option<Step>| match self.text(step) {
            Some(text) => format!("{} {verb} `{text}`", self.who(group)),
            None => format!("{} {verb} nothing more", self.who(group)),
        };
        format!("{}, {}", side(self.other, self.theirs), side(self.most, self.mine))
    }

    /// The function of a compile on the ranks of a group.
    fn function(&self, group: &Group, compile: Option<TextId>) -> Option<&'j str> {
        let rank = self.job.ranks.get(*group.ranks.first()?)?;
        let step = rank.fact(Fact::CompileIds)?.iter().find(|step| step.compile == compile)?;
        let (_, rest) = self.job.value(step)?.split_once(' ')?;
        Some(rest.rsplit_once(" at ").map_or(rest, |(name, _)| name))
    }
}

/// The finding about a difference.
pub(super) fn finding(job: &Job, comparison: &Comparison) -> Option<JobFinding> {
    let sides = Sides::of(job, comparison)?;
    let (severity, hint) = match comparison.fact {
        Fact::TensorMeta => (Severity::Warning, SIZES.to_owned()),
        Fact::Cache => (Severity::Warning, CACHES.to_owned()),
        Fact::Config => (Severity::Warning, SETTINGS.to_owned()),
        Fact::Recompiles => (Severity::Error, RECOMPILE.to_owned()),
        _ => (Severity::Error, format!("{HANG} {CHECK_BRANCH}")),
    };
    let (title, detail) = match comparison.fact {
        Fact::GraphBreaks => (graph_break(&sides), None),
        Fact::Recompiles => (recompile(&sides), None),
        Fact::Failures => (failure(&sides), None),
        Fact::CompileIds => (compile(&sides), Some(compile_counts(&sides))),
        Fact::Collectives => collective(&sides),
        Fact::TensorMeta => (tensors(&sides), None),
        Fact::ExecOrder => (order(&sides), None),
        Fact::Config => (sides.plainly("runs with"), None),
        Fact::Cache => cache(&sides),
        Fact::Status => (compile_wise(&sides, "ends as"), Some(ENDS.to_owned())),
        Fact::Ops => (compile_wise(&sides, "captures so many operations:"), None),
    };
    let mut finding = JobFinding::new(JobKind::Differs(comparison.fact), severity, title);
    finding.detail = detail.into_iter().chain(further(comparison)).reduce(|all, one| format!("{all}\n{one}"));
    finding.hint = Some(hint);
    finding.ranks = sides.other.ranks.clone();
    let ids = [sides.theirs, sides.mine].into_iter().filter_map(|step| sides.id(step).map(str::to_owned));
    finding.compiles = ids.collect();
    finding.compiles.dedup();
    (finding.file, finding.line) = place_of(&sides, comparison.fact).unzip();
    Some(finding)
}

/// How many more groups there are.
fn further(comparison: &Comparison) -> Option<String> {
    let more = comparison.groups.len().saturating_sub(2);
    (more > 0).then(|| format!("{} different lists in all.", more + 2))
}

/// The place in the user's program that a value begins or ends with.
fn place_of(sides: &Sides<'_>, fact: Fact) -> Option<(String, u64)> {
    let step = match fact {
        Fact::GraphBreaks => sides.extra()?.2,
        Fact::CompileIds => sides.theirs.or(sides.mine)?,
        _ => return None,
    };
    let text = sides.job.value(&step)?;
    let place = match fact {
        Fact::GraphBreaks => text.split_once(": ")?.0,
        _ => text.rsplit_once(" at ")?.1,
    };
    let (file, line) = place.rsplit_once(':')?;
    Some((file.to_owned(), line.parse().ok()?))
}

fn graph_break(sides: &Sides<'_>) -> String {
    let Some((doing, lacking, step)) = sides.extra() else { return sides.plainly("breaks at") };
    let text = sides.job.value(&step).unwrap_or_default();
    let (place, reason) = text.split_once(": ").unwrap_or(("an unknown place", text));
    let id = sides.id(Some(step)).map(|id| format!(" in {id}")).unwrap_or_default();
    let verb = if doing.ranks.len() == 1 { "breaks its graph" } else { "break their graph" };
    format!(
        "{} {verb} at `{}`{id}, {} {}: {}",
        sides.who(doing),
        file_name(place),
        sides.who(lacking),
        does_not(lacking),
        short(reason),
    )
}

fn recompile(sides: &Sides<'_>) -> String {
    let Some((doing, lacking, step)) = sides.extra() else { return sides.plainly("recompiles") };
    let text = sides.job.value(&step).unwrap_or_default();
    let (function, guards) = text.split_once(": ").unwrap_or((text, ""));
    let name = function.split(" (").next().unwrap_or(function);
    let id = sides.id(Some(step)).map(|id| format!(" as {id}")).unwrap_or_default();
    let verb = if doing.ranks.len() == 1 { "recompiles" } else { "recompile" };
    let rival = if doing.ranks == sides.other.ranks { sides.mine } else { sides.theirs };
    let rival = rival.and_then(|step| sides.job.value(&step)).and_then(|text| text.split_once(": "));
    let why = changed(guards);
    let tail = match rival.filter(|(other, _)| *other == function) {
        Some((_, other)) => format!("{} there, {} on {}", why, changed(other), sides.who(lacking)),
        None => format!("{why}; {} {}", sides.who(lacking), does_not(lacking)),
    };
    format!("{} {verb} `{name}`{id}: {tail}", sides.who(doing))
}

/// What a failed guard says has changed: `x.shape[0] is 12, was 16`.
fn changed(guards: &str) -> String {
    let guard = guards.split("; ").next().unwrap_or(guards);
    let change = classify(guard);
    match (change.subject(), change.old, change.new) {
        (Some(what), Some(old), Some(new)) => format!("`{what}` is {new}, was {old}"),
        (Some(what), Some(old), None) => format!("`{what}` is no longer {old}"),
        _ => format!("`{}` fails", short(guard)),
    }
}

fn failure(sides: &Sides<'_>) -> String {
    let Some((doing, lacking, step)) = sides.extra() else { return sides.plainly("fails with") };
    let id = sides.id(Some(step)).map(|id| format!(" {id}")).unwrap_or_default();
    let verb = if doing.ranks.len() == 1 { "fails" } else { "fail" };
    let text = short(sides.job.value(&step).unwrap_or_default());
    format!(
        "{} {verb} to compile{id}, {} {}: {text}",
        sides.who(doing),
        sides.who(lacking),
        does_not(lacking)
    )
}

fn compile(sides: &Sides<'_>) -> String {
    let side = |group: &Group, step: Option<Step>| {
        let verb = if group.ranks.len() == 1 { "compiles" } else { "compile" };
        match step {
            Some(step) => {
                let name = function_words(sides.function(group, step.compile).unwrap_or("unknown function"));
                let id = sides.id(Some(step)).unwrap_or_default();
                format!("{} {verb} {name} as {id}", sides.who(group))
            }
            None => format!("{} {verb} nothing more", sides.who(group)),
        }
    };
    format!("{}, {}", side(sides.other, sides.theirs), side(sides.most, sides.mine))
}

/// `0/0 (f) ends as missing on rank 1, ok on rank 0`
fn compile_wise(sides: &Sides<'_>, verb: &str) -> String {
    let step = sides.theirs.or(sides.mine);
    let name = sides.function(sides.other, step.and_then(|step| step.compile)).map(function_words);
    let name = name.map(|name| format!(" ({name})")).unwrap_or_default();
    format!(
        "{}{name} {verb} {} on {}, {} on {}",
        sides.id(step).unwrap_or("–"),
        sides.text(sides.theirs).unwrap_or("nothing"),
        sides.who(sides.other),
        sides.text(sides.mine).unwrap_or("nothing"),
        sides.who(sides.most),
    )
}

/// `4 compilations on rank 1, 3 on rank 0`
fn compile_counts(sides: &Sides<'_>) -> String {
    let (other, most) = (sides.other.steps.len(), sides.most.steps.len());
    format!("Compilations: {other} on {}, {most} on {}.", sides.who(sides.other), sides.who(sides.most))
}

fn collective(sides: &Sides<'_>) -> (String, Option<String>) {
    let op = |step| sides.bare(step).map(operation);
    let (theirs, mine) = (op(sides.theirs), op(sides.mine));
    let calls = |group: &Group| -> Vec<Option<String>> {
        group.steps.iter().map(|step| sides.bare(Some(*step)).map(str::to_owned)).collect()
    };
    if theirs.is_some() && theirs == mine {
        let (there, here) = (sides.id(sides.theirs).unwrap_or("–"), sides.id(sides.mine).unwrap_or("–"));
        let name = mine.unwrap_or_default();
        let verb = if sides.other.ranks.len() == 1 { "schedules" } else { "schedule" };
        let title = format!(
            "{} {verb} `{name}` in {there}, {} in {here}",
            sides.who(sides.other),
            sides.who(sides.most)
        );
        let same = calls(sides.other) == calls(sides.most);
        return (
            title,
            same.then(|| {
                "Both schedule the same collectives in the same order, in other compiles.".to_owned()
            }),
        );
    }
    let side = |group: &Group, step: Option<Step>| match op(step) {
        Some(op) => format!("`{op}` in {} on {}", sides.id(step).unwrap_or("–"), sides.who(group)),
        None => format!("none on {}", sides.who(group)),
    };
    let number = sides.first.index + 1;
    let title = format!(
        "operation {number} of the collective schedule is {}, {}",
        side(sides.other, sides.theirs),
        side(sides.most, sides.mine)
    );
    let counts = format!(
        "Operations scheduled: {} on {}, {} on {}.",
        sides.other.steps.len(),
        sides.who(sides.other),
        sides.most.steps.len(),
        sides.who(sides.most)
    );
    (title, Some(counts))
}

/// `torch.ops._c10d_functional.all_reduce_.default` is `all_reduce_`.
fn operation(op: &str) -> &str {
    let name = op.strip_suffix(".default").unwrap_or(op);
    name.rsplit('.').next().unwrap_or(name)
}

fn tensors(sides: &Sides<'_>) -> String {
    let (Some(theirs), Some(mine)) = (sides.bare(sides.theirs), sides.bare(sides.mine)) else {
        return sides.plainly("has");
    };
    let (Some((op, after)), Some((other_op, before))) = (theirs.split_once(": "), mine.split_once(": "))
    else {
        return sides.plainly("has");
    };
    let (there, here) = (sides.id(sides.theirs), sides.id(sides.mine));
    if op != other_op || there != here {
        return format!(
            "graphs hold other operations: `{}` in {} on {}, `{}` in {} on {}",
            short(operation(op)),
            there.unwrap_or("–"),
            sides.who(sides.other),
            short(operation(other_op)),
            here.unwrap_or("–"),
            sides.who(sides.most)
        );
    }
    // The first output that differs, with its dtype and sizes; strides follow from them nearly always.
    let outputs = after.split(", ").zip(before.split(", "));
    let (after, before) = outputs.into_iter().find(|(a, b)| a != b).unwrap_or((after, before));
    let sizes = |text: &str| text.split('/').next().unwrap_or_default().to_owned();
    let (after, before) = match sizes(after) == sizes(before) {
        true => (short(after).to_owned(), short(before).to_owned()),
        false => (sizes(after), sizes(before)),
    };
    let name = sides.function(sides.other, sides.theirs.and_then(|step| step.compile));
    let name = name.map(|name| format!(" (`{name}`)")).unwrap_or_default();
    format!(
        "in {}{name}, `{}` gives `{after}` on {}, `{before}` on {}",
        there.unwrap_or("–"),
        short(op),
        sides.who(sides.other),
        sides.who(sides.most)
    )
}

fn order(sides: &Sides<'_>) -> String {
    let number = sides.first.index + 1;
    let side = |group: &Group, step: Option<Step>| match sides.bare(step) {
        Some(name) => {
            let id = sides.id(step).map(|id| format!(" ({id})")).unwrap_or_default();
            format!("{}{id} on {}", function_words(name), sides.who(group))
        }
        None => format!("none on {}", sides.who(group)),
    };
    format!("graph {number} to run is {}, {}", side(sides.other, sides.theirs), side(sides.most, sides.mine))
}

fn cache(sides: &Sides<'_>) -> (String, Option<String>) {
    let word = |step| sides.bare(step).and_then(|text| text.rsplit_once(' '));
    let counts = |group: &Group| {
        let all: Vec<&str> =
            group.steps.iter().filter_map(|step| Some(sides.job.value(step)?.rsplit_once(' ')?.1)).collect();
        let count = |outcome: &str| all.iter().filter(|one| **one == outcome).count();
        let bypassed = match count("bypass") {
            0 => String::new(),
            bypassed => format!(", bypassed {bypassed}"),
        };
        format!("{}: hit {}, missed {}{bypassed}", sides.who(group), count("hit"), count("miss"))
    };
    let detail = format!("Lookups on {}; {}.", counts(sides.other), counts(sides.most));
    let title = match (word(sides.theirs), word(sides.mine), sides.id(sides.theirs), sides.id(sides.mine)) {
        (Some((cache, theirs)), Some((other, mine)), Some(there), Some(here))
            if cache == other && there == here =>
        {
            let said = |group: &Group, outcome: &str| {
                format!("{} {}", sides.who(group), outcome_words(group, outcome))
            };
            let (other, most) = (said(sides.other, theirs), said(sides.most, mine));
            format!("{other} the {cache} cache for {there}, {most} it")
        }
        (theirs, mine, there, here) => {
            let said = |group: &Group, lookup: Option<(&str, &str)>, id: Option<&str>| match lookup {
                Some((cache, outcome)) => format!(
                    "{} {} the {cache} cache for {}",
                    sides.who(group),
                    outcome_words(group, outcome),
                    id.unwrap_or("a graph without id")
                ),
                None if group.ranks.len() == 1 => format!("{} looks up nothing more", sides.who(group)),
                None => format!("{} look up nothing more", sides.who(group)),
            };
            format!("{}, {}", said(sides.other, theirs, there), said(sides.most, mine, here))
        }
    };
    (title, Some(detail))
}

/// What a group's lookup came to, as a verb.
fn outcome_words(group: &Group, outcome: &str) -> &'static str {
    match (outcome, group.ranks.len() == 1) {
        ("hit", true) => "hits",
        ("hit", false) => "hit",
        ("miss", true) => "misses",
        ("miss", false) => "miss",
        (_, true) => "bypasses",
        (_, false) => "bypass",
    }
}

fn does_not(group: &Group) -> &'static str {
    if group.ranks.len() == 1 { "does not" } else { "do not" }
}

/// A function's name as code; `f` resumed at 9 for a resume function.
fn function_words(name: &str) -> String {
    match resumed(name) {
        Some((function, line)) => format!("`{}` resumed at {line}", short(function)),
        None => format!("`{}`", short(name)),
    }
}

/// `x.py:28` of `/app/x.py:28`.
fn file_name(place: &str) -> &str {
    place.rsplit(['/', '\\']).next().unwrap_or(place)
}

/// The beginning of a text that may be long.
fn short(text: &str) -> &str {
    text.char_indices().nth(LONGEST).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}
