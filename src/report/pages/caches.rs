//! `caches.html`: hits, misses and bypasses of the caches of compiled code, and why they missed.

use crate::analysis::caches::{
    CacheSum, Component, Components, Difference, Key, cache_title, in_kinds, in_words, nearest, reason_words,
    sums,
};
use crate::analysis::findings::KindOfFinding;
use crate::analysis::{Finding, Topic};
use crate::limits::{LARGEST_ARTIFACT, LONG_LIST, LONG_TABLE, SHORT_LIST, SHORT_TABLE};
use crate::model::{Artifact, CacheLookup, Compile, Content, Outcome, capital, lenient};
use crate::output::{Page, RelPath};
use crate::report::doc::{
    Block, Cell, Fact, Filter, Listing, Others, Rows, Section, log, micros as us, own, page,
};
use crate::report::kit::formats::{UNKNOWN, clipped, counted, micros, percent};
use crate::report::kit::paths;
use crate::report::kit::templates::Worker;
use crate::report::subject::Report;
use crate::trace::strict_json;
use indexmap::{IndexMap, IndexSet};
use serde::Deserialize;

/// Characters shown of a component's value and of its hash.
const LONGEST_VALUE: usize = 84;
const LONGEST_HASH: usize = 12;

/// Bytes read of all artifacts together; real ones have 100 KB each.
const MOST_READ: u64 = 1 << 30;

pub(crate) fn page<'m>(report: Report<'m>) -> Page<'m, Worker> {
    Page::rendered(RelPath::of_parts(&["caches.html"]), move |worker, out| {
        let evidence = Evidence::read(report)?;
        page::write(report, "Caches", &blocks(report, &evidence), worker, out)
    })
}

fn blocks<'m>(report: Report<'m>, evidence: &'m Evidence<'m>) -> Vec<Block<'m>> {
    let mut blocks = vec![headline(report)];
    blocks.extend(to_do(report));
    // With one cache, the summary is enough.
    let by_cache = by_cache(report);
    blocks.extend((by_cache.count() > 1).then_some(Block::List(by_cache)));
    let lists = [causes(report, evidence), bypasses(report, evidence)];
    blocks.extend(lists.into_iter().filter(|list| list.count() > 0).map(Block::List));
    blocks.push(Block::List(lookups(report, evidence)));
    let missed = report.model.caches.iter().any(|lookup| lookup.outcome == Outcome::Miss);
    if missed && evidence.keys.iter().all(Key::is_empty) {
        blocks.push(Block::Note("The log has no components of keys, so keys cannot be compared."));
    }
    blocks
}

/// Fields of a bypass's artifact that the model does not keep.
#[derive(Deserialize, Default)]
struct WireBypass {
    #[serde(default, deserialize_with = "lenient")]
    cache_bypass_exception_type: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    cache_bypass_traceback: Option<Vec<String>>,
    #[serde(default, deserialize_with = "lenient")]
    cache_bypass_hard_exception: Option<bool>,
}

/// Why a cache was bypassed.
#[derive(PartialEq, Eq, Hash)]
struct Bypass<'m> {
    cache: &'m str,
    reason: Option<&'m str>,
    exception: Option<String>,
    traceback: String,
    /// Whether the exception is an error, and not torch's own way to bypass the cache.
    is_error: bool,
}

/// The contents of the artifacts of all lookups; each is read once.
#[derive(Default)]
struct Evidence<'m> {
    components: Components,
    /// One per lookup.
    keys: Vec<Key>,
    /// Distinct bypasses with their lookups.
    bypasses: IndexMap<Bypass<'m>, Vec<&'m CacheLookup>>,
    /// The earlier lookup that each lookup is compared with.
    nearest: Vec<Option<usize>>,
}

impl<'m> Evidence<'m> {
    fn read(report: Report<'m>) -> anyhow::Result<Self> {
        let mut evidence = Evidence::default();
        let mut room = MOST_READ;
        for lookup in &report.model.caches {
            let text = text(report, lookup, &mut room)?;
            let json = strict_json(&text);
            evidence.keys.push(evidence.components.key_of_artifact(&json));
            if lookup.outcome == Outcome::Bypass {
                let wire: WireBypass = serde_json::from_str(&json).unwrap_or_default();
                let bypass = Bypass {
                    cache: &lookup.cache,
                    reason: lookup.reason.as_deref(),
                    exception: wire.cache_bypass_exception_type,
                    traceback: wire.cache_bypass_traceback.unwrap_or_default().join("\n"),
                    is_error: wire.cache_bypass_hard_exception.unwrap_or(false),
                };
                evidence.bypasses.entry(bypass).or_default().push(lookup);
            }
        }
        evidence.nearest = nearest(report.model, &evidence.keys, &evidence.components);
        Ok(evidence)
    }

    /// Whether the components of any two keys differ, among those that are compared.
    fn tell_apart(&self) -> bool {
        let known =
            self.nearest.iter().enumerate().filter(|(_, nearest)| nearest.is_some()).take(SHORT_TABLE);
        let differs = |index| self.differences(index).is_some_and(|(_, differences)| !differences.is_empty());
        known.map(|(index, _)| index).any(differs)
    }

    /// The earlier lookup to compare with, and the components that differ from it.
    fn differences(&self, index: usize) -> Option<(usize, Vec<Difference<'_>>)> {
        let before = (*self.nearest.get(index)?)?;
        Some((before, self.components.differences(self.keys.get(before)?, self.keys.get(index)?)))
    }
}

/// The text of a lookup's artifact; empty where it has none, or is too large.
fn text(report: Report<'_>, lookup: &CacheLookup, room: &mut u64) -> anyhow::Result<String> {
    let artifact = found(report, lookup).map(|(_, artifact)| artifact);
    let Some(Content::Payload(at, _)) = artifact.map(|artifact| &artifact.content) else {
        return Ok(String::new());
    };
    if at.text_len > LARGEST_ARTIFACT.min(*room) {
        return Ok(String::new());
    }
    *room -= at.text_len;
    report.payload(at)
}

fn found<'m>(report: Report<'m>, lookup: &CacheLookup) -> Option<(&'m Compile, &'m Artifact)> {
    let compile = report.model.compiles.get(lookup.artifact.compile)?;
    Some((compile, compile.artifacts.get(lookup.artifact.place())?))
}

/// What can be done about misses and bypasses, from the findings about caches.
fn to_do<'m>(report: Report<'m>) -> Option<Block<'m>> {
    let is_about_caches =
        |one: &&Finding| one.kind.facts().topic == Some(Topic::Caches) || one.kind == KindOfFinding::FirstRun;
    let about = report.found.findings.iter().filter(is_about_caches).filter(|one| !one.advice.is_empty());
    let blocks: Vec<Block<'m>> = about
        .flat_map(|one| {
            // The headline has its sentence already.
            let is_told = cold_cache(report).is_some_and(|told| std::ptr::eq(told, one));
            let heading = (!is_told).then(|| Block::Heading(one.sentence()));
            heading.into_iter().chain(one.advice.iter().map(Block::Advice))
        })
        .collect();
    (!blocks.is_empty()).then(|| Block::Section(Section::new("to-do", "What to do", blocks).without_tab()))
}

/// The finding about a cold cache, whose sentence the headline has.
fn cold_cache(report: Report<'_>) -> Option<&Finding> {
    let mut findings = report.found.findings.iter();
    findings.find(|one| [KindOfFinding::CacheMiss, KindOfFinding::FirstRun].contains(&one.kind))
}

fn headline<'m>(report: Report<'m>) -> Block<'m> {
    let sums = sums(report.model, &report.found.saved);
    let total = |of: fn(&CacheSum) -> usize| sums.values().map(of).sum::<usize>();
    let (hits, misses, bypasses) = (total(|s| s.hits), total(|s| s.misses), total(|s| s.bypasses));
    let saved = sums.values().filter_map(|s| s.saved_us).fold(0.0, |sum, us| sum + us);
    let saved = if saved > 0.0 { format!(", which saved {}", micros(saved)) } else { String::new() };
    let cold = cold_cache(report).map(|one| one.title.text());
    // What made up the time is a note.
    let (first, parts) = cold.as_deref().map_or((None, None), |title| match title.split_once(": ") {
        Some((first, parts)) => (Some(first), Some(parts)),
        None => (Some(title), None),
    });
    let first = first.map(|first| format!("{first}. "));
    let sentence = format!(
        "{}{} of {}: {}{saved}, {}{}.",
        first.unwrap_or_default(),
        counted(report.model.caches.len(), "lookup", "lookups"),
        match sums.keys().next() {
            Some(one) if sums.len() == 1 => format!("the {} cache", cache_title(one)),
            _ => "caches".to_owned(),
        },
        counted(hits, "hit", "hits"),
        counted(misses, "miss", "misses"),
        if bypasses > 0 { format!(", {}", counted(bypasses, "bypass", "bypasses")) } else { String::new() }
    );
    let about = "After a miss, the code is compiled and stored under its key. After a bypass it is not stored, so every process \
         compiles it again.";
    let notes =
        parts.map(|parts| log(format!("{}.", capital(parts)))).into_iter().chain([about.into()]).collect();
    Block::Verdict { sentence: log(sentence), notes }
}

/// A cache with what it answered.
struct OneCache<'m> {
    name: &'m str,
    sum: CacheSum,
}

impl OneCache<'_> {
    fn lookups(&self) -> usize {
        self.sum.hits + self.sum.misses + self.sum.bypasses
    }
}

fn by_cache<'m>(report: Report<'m>) -> Listing<'m> {
    let sums = sums(report.model, &report.found.saved).into_iter().map(|(name, sum)| OneCache { name, sum });
    Rows::of(sums.collect::<Vec<_>>())
        .text("Cache", |one| log(cache_title(one.name)))
        .number("Lookups", |one| one.lookups().into())
        .number("Hits", |one| one.sum.hits.into())
        .number("Misses", |one| one.sum.misses.into())
        .number("Bypasses", |one| Some(one.sum.bypasses).filter(|count| *count > 0).into())
        .number("Hit rate", |one| {
            let (hits, all) = (one.sum.hits as f64, one.lookups() as f64);
            Cell::Figure { value: hits / all, shown: percent(hits, all, false) }
        })
        .number("Time saved", |one| us(one.sum.saved_us))
        .about("hits and misses per cache")
        .listing("by-cache", "By cache", "")
}

/// Why a key was missed.
#[derive(PartialEq, Eq, Hash)]
enum MissCause {
    /// The log has no earlier key for the function.
    First,
    /// These kinds of components differ from an earlier key for the function.
    Differs(Vec<String>),
    /// An earlier compile looked up the same key, and missed too.
    SameKey,
    /// There was an entry, but its guard failed.
    Guard,
    /// torch does not log the components of this cache's keys.
    NotRecorded,
}

impl MissCause {
    fn words(&self) -> String {
        match self {
            MissCause::First => "first lookup of this function in the log".to_owned(),
            MissCause::Differs(parts) => {
                format!("{} changed since the nearest earlier compile of the function", parts.join(", "))
            }
            MissCause::SameKey => {
                "an earlier compile of the function looked up the same key, and missed too".to_owned()
            }
            MissCause::Guard => "an entry was found, but its guard fails for these sizes".to_owned(),
            MissCause::NotRecorded => {
                "not recorded: torch logs the keys of this cache without their components".to_owned()
            }
        }
    }
}

/// Misses by cause.
fn miss_causes<'m>(report: Report<'m>, evidence: &Evidence<'_>) -> IndexMap<MissCause, Vec<&'m CacheLookup>> {
    let mut causes: IndexMap<MissCause, Vec<&CacheLookup>> = IndexMap::new();
    for (index, lookup) in report.model.caches.iter().enumerate() {
        if lookup.outcome != Outcome::Miss {
            continue;
        }
        let cause = match evidence.differences(index) {
            _ if lookup.reason.as_deref().is_some_and(|reason| reason.starts_with("guard_miss")) => {
                MissCause::Guard
            }
            Some((_, differences)) if differences.is_empty() => MissCause::SameKey,
            Some((_, differences)) => MissCause::Differs(in_kinds(&differences)),
            None if evidence.keys.get(index).is_some_and(|key| !key.is_empty()) => MissCause::First,
            None => MissCause::NotRecorded,
        };
        causes.entry(cause).or_default().push(lookup);
    }
    causes
}

fn causes<'m>(report: Report<'m>, evidence: &Evidence<'_>) -> Listing<'m> {
    let causes: Vec<_> = miss_causes(report, evidence).into_iter().collect();
    Rows::of(causes)
        .text("Cause", |(cause, _)| log(cause.words()).class("sentence"))
        .text("Caches", |(_, lookups)| {
            let names: IndexSet<&str> = lookups.iter().map(|lookup| cache_title(&lookup.cache)).collect();
            log(Vec::from_iter(names).join(", "))
        })
        .number("Misses", |(_, lookups)| lookups.len().into())
        .unsorted("Compiles", move |(_, lookups)| compiles_of(report, lookups))
        .about("one row per cause; the table of lookups shows the difference of each key")
        .first(LONG_LIST, Others::InFacts("causes"))
        .listing("causes", "Why they missed", "")
}

fn bypasses<'m>(report: Report<'m>, evidence: &'m Evidence<'m>) -> Listing<'m> {
    Rows::of(evidence.bypasses.iter().collect::<Vec<_>>())
        .text("Cache", |(bypass, _)| log(cache_title(bypass.cache)))
        .text("Reason", |(bypass, _)| {
            let reason = log(bypass.reason.unwrap_or("no reason recorded"));
            let lines = counted(bypass.traceback.lines().count(), "line", "lines");
            let traceback = Cell::FoldedText {
                summary: Box::new(own(format!("Traceback, {lines}"))),
                text: bypass.traceback.as_str().into(),
            };
            Cell::Beside(
                [reason].into_iter().chain((!bypass.traceback.is_empty()).then_some(traceback)).collect(),
                "",
            )
        })
        .text("Exception", |(bypass, _)| {
            Cell::maybe(bypass.exception.as_deref(), |exception| {
                let class = Cell::Code(exception.rsplit('.').next().unwrap_or(exception).into());
                Cell::Beside(vec![class, if bypass.is_error { " (an error)".into() } else { "".into() }], "")
            })
        })
        .number("Times", |(_, lookups)| lookups.len().into())
        .unsorted("Compiles", move |(_, lookups)| compiles_of(report, lookups))
        .about("graphs that cannot be cached, one row per reason")
        .first(LONG_LIST, Others::InFacts("reasons"))
        .listing("bypasses", "Bypasses", "")
}

/// The first compiles of these lookups, each once.
fn compiles_of<'m>(report: Report<'m>, lookups: &[&CacheLookup]) -> Cell<'m> {
    let mut compiles: Vec<&Compile> = Vec::new();
    for lookup in lookups {
        let compile = report.model.compiles.get(lookup.artifact.compile);
        // The list may be as long as the log, and one more than are shown is enough to say that there are more.
        let is_new =
            |c: &&Compile| compiles.len() <= SHORT_LIST && compiles.iter().all(|known| known.id != c.id);
        let new = compile.filter(is_new);
        compiles.extend(new);
    }
    let more = if compiles.len() > SHORT_LIST { " and more" } else { "" };
    compiles.truncate(SHORT_LIST);
    Cell::Beside(
        vec![Cell::SomeCompiles { compiles, most: SHORT_LIST, beside_names: false }, more.into()],
        "",
    )
}

/// A lookup with what its key is compared with.
struct ComparedLookup<'m> {
    lookup: &'m CacheLookup,
    /// Its compile and its artifact.
    found: Option<(&'m Compile, &'m Artifact)>,
    /// How its key differs, in a cell.
    differs: Cell<'m>,
}

const ANSWERS: [(&str, &str); 3] = [("hit", "hit"), ("miss", "miss"), ("bypass", "bypass")];

fn lookups<'m>(report: Report<'m>, evidence: &'m Evidence<'m>) -> Listing<'m> {
    let tell_apart = evidence.tell_apart();
    let mut compared = 0;
    let all = report.model.caches.iter().enumerate().map(|(index, lookup)| ComparedLookup {
        lookup,
        found: found(report, lookup),
        differs: match lookup.outcome {
            Outcome::Miss if tell_apart && index < LONG_TABLE => {
                differs(report, evidence, index, &mut compared)
            }
            _ => Cell::Unknown,
        },
    });
    Rows::of(all.collect::<Vec<_>>())
        .compile("Compile", |one| compile_of(one))
        .text("Cache", |one| log(cache_title(&one.lookup.cache)))
        .text("Answer", |one| answer(one.lookup))
        .unsorted("Differing components", |one| one.differs.clone())
        .number("Time saved", |one| us(one.lookup.saved_ns.map(|ns| ns / 1e3)))
        .text("Key", move |one| key(report, one))
        .mono()
        .explained("Opens torch's record of the lookup")
        .anchored(|_, one| one.found.map(|(_, artifact)| format!("lookup-{}", artifact.number)))
        .filtered(Filter { hint: "Filter by id or key", words: ANSWERS.to_vec() }, |one| {
            one.lookup.outcome.word().into()
        })
        .about("in log order; a missed key is compared with the nearest earlier one for the same function")
        .first(LONG_TABLE, Others::InFacts("lookups"))
        .listing("lookups", "Lookups", "")
}

fn compile_of<'r>(one: &'r ComparedLookup<'_>) -> Cell<'r> {
    let attempt = one.lookup.attempt;
    match one.found {
        Some((compile, _)) => {
            let after = if attempt > 0 { format!(" attempt {attempt}") } else { String::new() };
            Cell::Compile { compile, after }
        }
        None => Cell::maybe(one.lookup.compile.as_ref(), |id| Cell::Code(id.to_string().into())),
    }
}

fn answer(lookup: &CacheLookup) -> Cell<'_> {
    let word: Cell<'_> = lookup.outcome.word().into();
    let word = if lookup.outcome == Outcome::Bypass { word.class("warn") } else { word };
    match reason_words(lookup) {
        Some(reason) => Cell::Beside(vec![word, log(reason)], ": "),
        None => word,
    }
}

fn key<'r>(report: Report<'_>, one: &'r ComparedLookup<'_>) -> Cell<'r> {
    let key = one.lookup.key.as_deref();
    let shown = match one.found {
        Some((compile, artifact)) => Cell::File {
            path: paths::artifact(compile, artifact, report.settings),
            name: key.unwrap_or("file").into(),
        },
        None => Cell::maybe(key, log),
    };
    let copy = if key.is_some() { Cell::CopyButton } else { "".into() };
    Cell::Beside(vec![shown, copy], " ").class("cache-key")
}

/// The differing components in words, with their values in a fold.
fn differs<'m>(
    report: Report<'m>,
    evidence: &'m Evidence<'m>,
    index: usize,
    compared: &mut usize,
) -> Cell<'m> {
    let Some((before, differences)) = evidence.differences(index) else {
        let first = evidence.keys.get(index).is_some_and(|key| !key.is_empty());
        return if first { "first lookup".into() } else { Cell::Unknown };
    };
    let earlier = report.model.caches.get(before).and_then(|earlier| earlier.compile.as_ref());
    let label = earlier.map_or_else(|| UNKNOWN.to_owned(), ToString::to_string);
    if differences.is_empty() {
        return log(format!("nothing: same components as [{label}]"));
    }
    let words = log(format!("{}; against [{label}]", in_words(&differences).join(", ")));
    if *compared >= SHORT_TABLE {
        return words;
    }
    *compared += 1;
    let shown = differences.iter().take(SHORT_LIST);
    let mut facts: Vec<_> = shown.map(|one| Fact::new(one.name.to_owned(), both(one))).collect();
    let more = differences.len().saturating_sub(SHORT_LIST);
    facts.extend((more > 0).then(|| Fact::new("and more", own(counted(more, "component", "components")))));
    Cell::Fold { summary: Box::new(words), facts }
}

/// The old and the new value of a component without the lines at the start that are equal; their hashes if all lines are
/// equal.
fn both<'r>(difference: &Difference<'_>) -> Cell<'r> {
    let value = |of: Option<&Component>| of.map_or_else(String::new, |component| component.value.clone());
    let (old, new) = (value(difference.old), value(difference.new));
    let same = old.char_indices().zip(new.chars()).take_while(|((_, a), b)| a == b).last();
    let same = same.map_or(0, |((at, last), _)| at + last.len_utf8());
    let lines = old.get(..same).and_then(|same| same.rfind('\n')).map_or(0, |at| at + 1);
    let piece = |class: &'static str, component: Option<&Component>, value: &str| {
        let component = component?;
        let words: Vec<&str> = value.get(lines..)?.split_whitespace().collect();
        let (text, cut) = (words.join(" "), if lines > 0 { "… " } else { "" });
        let (text, more) = clipped(&text, LONGEST_VALUE);
        let text = if old == new {
            format!("{} {text}", clipped(&component.hash, LONGEST_HASH).0)
        } else {
            format!("{cut}{text}{}", if more { " …" } else { "" })
        };
        Some(Cell::ClassedCode(class, text))
    };
    let pieces = [piece("old", difference.old, &old), piece("new", difference.new, &new)];
    Cell::Stacked(pieces.into_iter().flatten().collect())
}
