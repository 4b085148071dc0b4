//! Ranks that ask the cache for different graphs although nothing else differs.

use crate::analysis::findings::{Finding, KindOfFinding, Severity};
use crate::analysis::job::groups::Group;
use crate::analysis::job::names::in_brackets;
use crate::analysis::job::sides::Sides;
use crate::model::sentence::{code, sentence};
use crate::model::{Fact, FactValue, Step};

static KIND: KindOfFinding = KindOfFinding::difference(Fact::CacheKeys, "cache_keys_differ", "Cache keys");

const ADVICE: &str = "A key holds the graph, its inputs with their devices, and settings. Ranks on different devices have different keys; on one device, compare the components of the keys on the caches pages of the ranks.";

pub(super) fn finding(sides: &Sides<'_>) -> Finding {
    let side = |group: &Group, step: Option<Step>| match step.and_then(|step| step.value) {
        Some(FactValue::Key { graph, key, .. }) => {
            let key: String = sides.texts().get(key).chars().take(12).collect();
            let compile = sentence![sides.id_or_dash(step), in_brackets(sides.texts(), graph)];
            sentence![code(format!("{key}…")), " for ", compile, " on ", sides.who(group)]
        }
        _ => sentence!["nothing more on ", sides.who(group)],
    };
    let (theirs, mine) = (side(sides.other, sides.theirs), side(sides.most, sides.mine));
    let title = sentence!["the FX graph cache is asked for ", theirs, ", ", mine];
    sides.finding(&KIND, Severity::Info, title).with_advice(ADVICE)
}
