//! What torch reports in records of its own: nested regions with several backward passes, results that no cache could
//! store, kernels that a language within Python compiled again and again.

use super::basis::Basis;
use super::finding::{Finding, Severity, Value};
use super::kind::KindOfFinding;
use crate::model::sentence::{code, count, own, sentence};
use crate::model::words::duration;
use crate::model::{Model, NativeCompile, Sentence, Trouble, TroubleKind};
use indexmap::IndexMap;

/// Compiles of one kernel from which its cache does not work.
const AGAIN: usize = 2;

pub(super) fn of_log(Basis { model, .. }: Basis<'_>) -> Vec<Finding> {
    let mut groups: IndexMap<(TroubleKind, Option<&str>), Vec<&Trouble>> = IndexMap::new();
    for one in &model.troubles {
        groups.entry((one.kind, one.subject.as_deref())).or_default().push(one);
    }
    let told = groups.into_iter().filter_map(|((kind, subject), same)| {
        let first = *same.first()?;
        let mut found = trouble(kind, subject, same.len(), first);
        found.count = same.len() as u64;
        found.concern(same.iter().map(|one| one.compile));
        Some(found)
    });
    told.chain(native(model)).collect()
}

fn trouble(kind: TroubleKind, subject: Option<&str>, times: usize, first: &Trouble) -> Finding {
    let named: Option<Sentence> = subject.map(|subject| sentence![" ", code(subject)]);
    let lines = || first.text.lines().take(20).map(str::to_owned).collect::<Vec<_>>();
    match kind {
        TroubleKind::BackwardVariant => {
            let title = sentence!["The nested region", named, " has ", times + 1, " backward passes"];
            let mut found = Finding::new(KindOfFinding::BackwardVariants, Severity::Warning, title);
            found.fact("Gradients of the new one", Value::Code(lines()));
            found
        }
        TroubleKind::NotStored => {
            let title = sentence![
                "AOTAutograd's cache could not store ",
                count(times, "result", "results"),
                named.map(|named| sentence![":", named])
            ];
            let mut found = Finding::new(KindOfFinding::CacheError, Severity::Warning, title);
            found.say("not_stored", &[]);
            found.fact("Exception", Value::Code(lines()));
            found
        }
        TroubleKind::NotLoaded => {
            let title =
                sentence![count(times, "precompiled result", "precompiled results"), " could not be loaded"];
            let mut found = Finding::new(KindOfFinding::CacheError, Severity::Warning, title);
            found.say("not_loaded", &[]);
            found.fact("Exception", Value::Code(lines()));
            found
        }
        TroubleKind::MemoryEstimate => {
            let title = own("torch's check of its estimate of memory failed".to_owned());
            Finding::new(KindOfFinding::MemoryEstimate, Severity::Info, title)
        }
        TroubleKind::OverlapCycle => {
            let title = own("Overlap scheduling made dependencies in a circle".to_owned());
            let mut found = Finding::new(KindOfFinding::OverlapCycle, Severity::Warning, title);
            found.fact("The log says", Value::Code(lines()));
            found
        }
    }
}

/// Kernels that were compiled again though nothing about them changed: the cache of their language does not keep them.
fn native(model: &Model) -> Vec<Finding> {
    let mut kernels: IndexMap<(&str, &str, &str), Vec<&NativeCompile>> = IndexMap::new();
    for one in model.native_compiles.iter().filter(|one| one.compiled) {
        kernels.entry((&one.op, &one.dsl, &one.key)).or_default().push(one);
    }
    let again = kernels.into_iter().filter(|(_, same)| same.len() >= AGAIN);
    let found = again.map(|((op, dsl, key), same)| {
        let us: f64 = same.iter().skip(1).map(|one| one.us).sum();
        let title =
            sentence![code(op), " was compiled ", same.len(), " times by ", code(dsl), " with the same key"];
        let mut found = Finding::new(KindOfFinding::NativeCompiles, Severity::Warning, title);
        found.say("again", &[("time", &duration(us))]);
        found.fact("Key", Value::Code(vec![key.to_owned()]));
        found.count = same.len() as u64;
        found.concern(same.iter().map(|one| one.compile));
        found
    });
    found.collect()
}
