//! What the caches answered, and how close a function is to torch's limits.

use crate::analysis::caches::{cache_title, reason_words};
use crate::model::{CacheLookup, Outcome};
use crate::report::doc::{Cell, log, own};
use crate::report::kit::formats::{micros, whole};
use crate::report::pages::compile::subject::ShownCompile;

/// `torch._dynamo.config.recompile_limit` and `accumulated_recompile_limit` by default.
const LIMIT: u64 = 8;
const ACCUMULATED_LIMIT: u64 = 256;

/// What each cache answered.
pub(super) fn answers<'m>(subject: ShownCompile<'m>) -> Option<Cell<'m>> {
    let lookups = subject.of.caches.at(subject.index);
    // Only the page of all lookups shows how a missed key differs from earlier ones.
    let more = Cell::from("keys, and how they differ").linked("caches.html#lookups");
    let answers = lookups.iter().map(|lookup| answer(lookup)).chain([more]);
    (!lookups.is_empty()).then(|| Cell::Beside(answers.collect(), "; "))
}

/// What a cache answered, and why.
fn answer(lookup: &CacheLookup) -> Cell<'_> {
    let answer = own(format!("{} {}", cache_title(&lookup.cache), lookup.outcome.word()));
    let mut parts = vec![match lookup.outcome {
        Outcome::Hit | Outcome::Miss => answer,
        Outcome::Bypass => answer.class("warn"),
    }];
    if lookup.attempt > 0 {
        parts.push(own(format!("in attempt {}", lookup.attempt)));
    }
    parts.extend(lookup.saved_ns.map(|ns| own(format!("saved {}", micros(ns / 1e3)))));
    parts.extend(reason_words(lookup).map(log));
    Cell::Beside(parts, ", ")
}

/// Which version of the function it is, compared with the limits at which torch gives up.
pub(super) fn versions<'m>(subject: ShownCompile<'m>) -> Option<Cell<'m>> {
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
    let setting = Cell::Code("torch._dynamo.config.recompile_limit".into());
    let mut pieces = vec![own(limit), setting, ".".into()];
    if version >= LIMIT {
        pieces.extend([" ".into(), Cell::from("That is the limit.").class("warn")]);
    }
    Some(Cell::Beside(pieces, ""))
}
