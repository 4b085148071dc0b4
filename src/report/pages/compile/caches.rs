//! What the caches answered, and how close a function is to torch's limits.

use crate::analysis::caches::{cache_title, reason_words};
use crate::model::{CacheLookup, Outcome};
use crate::report::kit::prelude::*;
use crate::report::pages::compile::subject::ShownCompile;

/// `torch._dynamo.config.recompile_limit` and `accumulated_recompile_limit` by default.
const LIMIT: u64 = 8;
const ACCUMULATED_LIMIT: u64 = 256;

/// What each cache answered.
pub(crate) fn answers(view: View<'_>, subject: ShownCompile<'_>) -> Option<Html> {
    let lookups = subject.of.caches.at(subject.index);
    // Only the page of all lookups shows how a missed key differs from earlier ones.
    let page = format!("{}#lookups", view.href_of("caches.html"));
    let more = (!lookups.is_empty()).then(|| view.link(&page, "keys, and how they differ"));
    more.map(|more| Html::joined(lookups.iter().map(|lookup| answer(view, lookup)).chain([more]), "; "))
}

/// What a cache answered, and why.
fn answer(view: View<'_>, lookup: &CacheLookup) -> Html {
    let answer = format!("{} {}", cache_title(&lookup.cache), lookup.outcome.word());
    let mut parts: Vec<Html> = vec![match lookup.outcome {
        Outcome::Hit | Outcome::Miss => answer.into(),
        Outcome::Bypass => span("warn", answer),
    }];
    if lookup.attempt > 0 {
        parts.push(format!("in attempt {}", lookup.attempt).into());
    }
    parts.extend(lookup.saved_ns.map(|ns| Html::from(format!("saved {}", micros(ns / 1e3)))));
    parts.extend(reason_words(lookup).map(|reason| view.folded(&reason, false)));
    Html::joined(parts, ", ")
}

/// Which version of the function it is, compared with the limits at which torch gives up.
pub(crate) fn versions(subject: ShownCompile<'_>) -> Option<Html> {
    let facts = subject.compile.outcome()?;
    let size = facts.cache_size.unwrap_or(0);
    let all = facts.accumulated_cache_size.filter(|all| *all > size);
    if size == 0 && all.is_none() {
        return None;
    }
    let version = size.saturating_add(1);
    let all = all.map_or_else(String::new, |all| {
        format!(
            ", and {} of at most {ACCUMULATED_LIMIT} over all objects that share its code",
            whole(all.saturating_add(1))
        )
    });
    let limit =
        format!("{} of at most {LIMIT}{all}; after that the function runs uncompiled, see ", whole(version));
    let setting = Element::new("code").around("torch._dynamo.config.recompile_limit");
    let mut pieces = vec![limit.into(), setting, ".".into()];
    if version >= LIMIT {
        pieces.extend([" ".into(), span("warn", "That is the limit.")]);
    }
    Some(Html::joined(pieces, ""))
}
