//! A recompilation that not all ranks have.

use crate::analysis::classify;
use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::groups::Group;
use crate::analysis::job::names::NamedFunction;
use crate::analysis::job::names::short;
use crate::analysis::job::sides::{Extra, Sides, does_not, verb};
use crate::analysis::{Change, ChangeKind};
use crate::facts::ranks::{Aspect, FactValue, SharedFinding, Step};
use crate::facts::{line_number, owned};
use crate::model::Sentence;
use crate::model::sentence::{self, code, compile_id, sentence};

/// Kinds of findings in the report of a rank that are about recompilations.
const IN_RANKS: [&str; 3] = ["recompilation", "recompile_limit", "specialization"];

pub(super) fn finding(sides: &Sides<'_>) -> Finding {
    let extra = sides.extra();
    if let Some(finding) = extra.as_ref().and_then(|extra| at_limit(sides, extra)) {
        return finding;
    }
    let (step, doing) = match &extra {
        Some(extra) => (Some(extra.step), extra.doing),
        None => (sides.theirs.or(sides.mine), sides.other),
    };
    let mut finding = sides.finding(KindOfFinding::RecompilesDiffer, Severity::Warning, title(sides));
    advise(&mut finding, guard(sides, step).map(classify));
    if let Some(hint) = hint_of_rank(sides, step, doing) {
        finding.advise(hint);
    }
    if let Some(FactValue::Recompiled { function, place, .. }) = step.and_then(|step| step.value) {
        let graph = step.and_then(|step| step.graph);
        sides.place(&mut finding, place.or(NamedFunction::new(sides.texts(), graph, function).place));
    }
    finding
}

/// The guard that failed, of the closest version.
fn guard<'s>(sides: &'s Sides<'_>, step: Option<Step>) -> Option<&'s str> {
    match step?.value? {
        FactValue::Recompiled { guards, .. } => {
            sides.texts().list(guards).first().map(|guard| sides.texts().get(*guard))
        }
        _ => None,
    }
}

/// What to check, by the kind of the guard.
fn advise(finding: &mut Finding, change: Option<Change>) {
    let subject = change.as_ref().and_then(|change| change.subject());
    let subject =
        subject.map_or_else(|| "what the guard checks".to_owned(), |subject| format!("`{subject}`"));
    let case = match change.map(|change| change.kind) {
        Some(
            ChangeKind::Size
            | ChangeKind::ZeroOne
            | ChangeKind::EqualSizes
            | ChangeKind::Relation
            | ChangeKind::Stride
            | ChangeKind::StorageOffset,
        ) => "size",
        Some(ChangeKind::GradMode | ChangeKind::Training) => "mode",
        Some(ChangeKind::Dtype | ChangeKind::Device | ChangeKind::RequiresGrad) => "type",
        _ => "other",
    };
    finding.say(case, &[("subject", &subject)]);
}

/// What the report of a rank advises about this compile.
fn hint_of_rank(sides: &Sides<'_>, step: Option<Step>, doing: &Group) -> Option<String> {
    let id = sides.id(step)?;
    let rank = sides.job.ranks.get(*doing.ranks.first()?)?;
    // What serves more values does not help a version that failed.
    let graph = step.and_then(|step| step.graph);
    if rank.steps(Aspect::Failures).iter().any(|failed| failed.graph == graph) {
        return None;
    }
    let rank = rank.number;
    let of_rank = sides.job.shared.iter().find(|shared| {
        let finding = &shared.finding;
        IN_RANKS.contains(&&*finding.kind)
            && finding.compile_ids.iter().flatten().any(|compile| **compile == *id)
            && shared.ranks.binary_search(&rank).is_ok()
    })?;
    Some(without_hard_marks(of_rank.finding.hint.as_deref()?)).filter(|hint| !hint.is_empty())
}

/// The sentences that do not advise `mark_dynamic`, which raises where ranks or other inputs give the size a fixed value.
pub(in crate::analysis::job) fn without_hard_marks(hint: &str) -> String {
    let is_fine = |sentence: &&str| !sentence.contains("dynamo.mark_dynamic(");
    let lines = hint.lines().map(|line| line.split_inclusive(". ").filter(is_fine).collect::<String>());
    let lines: Vec<String> = lines.map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n").trim().to_owned()
}

/// Ranks that compile a function up to the limit, where others do not: what their reports say of it.
fn at_limit(sides: &Sides<'_>, extra: &Extra<'_>) -> Option<Finding> {
    let number = |group: &Group| Some(sides.job.ranks.get(*group.ranks.first()?)?.number);
    let (doing, lacking) = (number(extra.doing)?, number(extra.lacking)?);
    let is_of = |shared: &SharedFinding, rank| shared.ranks.binary_search(&rank).is_ok();
    let mut reached =
        sides.job.shared.iter().filter(|shared| is_of(shared, doing) && !is_of(shared, lacking));
    let told = &reached.find(|shared| *shared.finding.kind == *KindOfFinding::RecompileLimit.word())?.finding;
    let reaches =
        verb(extra.doing, " reaches the limit of recompilations, ", " reach the limit of recompilations, ");
    let (who, others) = (sides.who(extra.doing), sides.who(extra.lacking));
    let title =
        sentence![who, reaches, others, does_not(extra.lacking), ": ", sentence::quoted(&*told.title)];
    let mut finding = Finding::new(KindOfFinding::RecompilesDiffer, Severity::Warning, title);
    (finding.place.file, finding.place.line) = (owned(&told.file), line_number(told.line));
    finding.in_job.compile_ids = told.compile_ids.iter().flatten().map(|id| id.to_string()).collect();
    finding.advise_all(told.hint.as_deref().map(without_hard_marks).filter(|hint| !hint.is_empty()));
    Some(finding.with_ranks(extra.doing.ranks.clone()))
}

fn title(sides: &Sides<'_>) -> Sentence {
    let extra = sides.extra().and_then(|extra| Some((extra.step.value?, extra)));
    let Some((FactValue::Recompiled { function, guards, .. }, extra)) = extra else {
        return sides.plainly("recompiles", "recompile");
    };
    let texts = sides.texts();
    let changed = |guards| changed(texts.list(guards).first().map_or("", |guard| texts.get(*guard)));
    let name = NamedFunction::new(texts, extra.step.graph, function).words();
    let id = sides.id(Some(extra.step)).map(|id| sentence![" as ", compile_id(id)]);
    let rival = if extra.doing.ranks == sides.other.ranks { sides.mine } else { sides.theirs };
    let lacking = sides.who(extra.lacking);
    let tail = match rival.and_then(|step| step.value) {
        Some(FactValue::Recompiled { function: same, guards: others, .. }) if same == function => {
            sentence![changed(guards), " there, ", changed(others), " on ", lacking]
        }
        _ => sentence![changed(guards), "; ", lacking, does_not(extra.lacking)],
    };
    let recompiles = verb(extra.doing, " recompiles ", " recompile ");
    sentence![sides.who(extra.doing), recompiles, name, id, ": ", tail]
}

/// What a failed guard says has changed: `x.shape[0] is 12, was 16`.
fn changed(guard: &str) -> Sentence {
    let change = classify(guard);
    let of_tensor = change.kind.is_of_tensor();
    let value = |text: String| if of_tensor { sentence::value(text) } else { sentence::quoted(text) };
    match (change.subject(), change.old, change.new) {
        (Some(what), Some(old), Some(new)) => sentence![code(what), " is ", value(new), ", was ", value(old)],
        (Some(what), Some(old), None) => sentence![code(what), " is no longer ", value(old)],
        _ => sentence![code(short(guard)), " fails"],
    }
}
