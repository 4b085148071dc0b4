//! Names of the compared facts, and the settings that record them.

use crate::analysis::job::{Comparison, Unknown, rank_words};
use crate::facts::ranks::{Aspect, FactValue, Job, RankSummary, Step};
use std::borrow::Cow;

/// Why ranks that do not differ in a kind of fact are not known to be equal; None where each has all of it.
pub(super) fn lacking(job: &Job, comparison: &Comparison) -> Option<String> {
    let is_cut =
        |ranks: &[usize]| ranks.iter().all(|rank| job.ranks.get(*rank).is_some_and(|rank| rank.is_cut()));
    let (how, ranks) = match (comparison.left_out.as_slice(), comparison.in_part.as_slice()) {
        ([], []) => return None,
        ([], ranks) => ("in part on", ranks),
        (ranks, _) if is_cut(ranks) => ("not reached by", ranks),
        (ranks, _) => ("no data on", ranks),
    };
    Some(format!("{how} {}", rank_words(job, ranks)))
}

/// Why no log has a kind of fact, where the logs say that, and how to record it.
pub(super) fn reason(job: &Job, aspect: Aspect, why: Unknown) -> Cow<'static, str> {
    let version = |rank: &RankSummary| Some(job.texts.maybe(rank.torch)?.to_owned());
    let known = job.ranks.iter().filter_map(version).next();
    let setting = || {
        let mut steps = job.ranks.iter().flat_map(|rank| rank.steps(Aspect::Settings));
        let own = |step: &Step| match step.value {
            Some(FactValue::Setting { name, value, .. }) if job.texts.get(name) == "log_tlparse" => {
                Some(value)
            }
            _ => None,
        };
        steps.find_map(own).map(|value| job.texts.get(value) == "true")
    };
    match (why, aspect) {
        (Unknown::NotRecorded, Aspect::TensorMeta) if setting() == Some(false) => {
            "`torch._inductor.config.log_tlparse` is False in these logs: set it to True, or `LOG_TLPARSE=1` in the \
            environment"
                .into()
        }
        (Unknown::NotRecorded, Aspect::TensorMeta) if setting() == Some(true) => {
            "`log_tlparse` is on, but Inductor compiled no graph".into()
        }
        (Unknown::NotRecorded, Aspect::Collectives) if known.as_deref().is_some_and(has_no_schedules) => {
            format!("torch {} records no schedules; 2.9 and newer do", known.unwrap_or_default()).into()
        }
        _ => setting_for(aspect, why).into(),
    }
}

/// Whether a version of torch is older than the first that records schedules of collectives.
fn has_no_schedules(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().ok());
    parts.next().flatten().zip(parts.next().flatten()).is_some_and(|version| version < (2, 9))
}

fn setting_for(aspect: Aspect, why: Unknown) -> &'static str {
    match (why, aspect) {
        (Unknown::NoRank, _) => "no rank's log could be read",
        (Unknown::Cached, _) => {
            "torch records this only for graphs that it compiles, but graphs came from a cache; \
            `TORCHINDUCTOR_FORCE_DISABLE_CACHES=1` compiles all graphs"
        }
        (Unknown::OneRank, _) => "only one rank's log has it",
        (_, Aspect::ExecOrder) => {
            "run the program inside `with torch._inductor.debug.record_and_log_graph_execution_order():`"
        }
        (_, Aspect::Collectives) => {
            "torch 2.9 and newer record a schedule for each graph in which Inductor compiles a collective; \
            it does not include collectives that DDP or FSDP call outside of graphs"
        }
        (_, Aspect::TensorMeta) => {
            "set `torch._inductor.config.log_tlparse = True`, or `LOG_TLPARSE=1` in the environment"
        }
        (_, Aspect::Inputs) => "torch 2.5 and newer describe the input tensors of each compilation",
        (_, Aspect::ProcessGroups) => "no generated code in the logs calls a collective",
        (_, Aspect::CacheKeys) => "no log records cache lookups",
        (_, Aspect::Cache) => {
            "there were no cache lookups: caches are disabled, or no graph reached Inductor"
        }
        (_, Aspect::Settings) => "no compilation has metrics with settings",
        _ => "no log has it",
    }
}
