//! `caches.html`: hits, misses and bypasses of the caches of compiled code, and why they missed.

use crate::analysis::caches::{
    Component, Components, Difference, Key, cache_title, in_kinds, in_words, nearest, reason_words, sums,
};
use crate::analysis::findings::KindOfFinding;
use crate::analysis::{Finding, Topic};
use crate::limits::{LARGEST_ARTIFACT, LONG_LIST, LONG_TABLE, SHORT_LIST, SHORT_TABLE};
use crate::model::{BorrowedText, CacheLookup, Compile, Content, Outcome, lenient};
use crate::output::{Page, RelPath};
use crate::report::kit::copy::copy_button;
use crate::report::kit::formats::{UNKNOWN, clipped, counted, micros, percent, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{
    Element, block, close_section, fold, heading, long_text, note_below, span, stacked, write_line,
};
use crate::report::kit::paths;
use crate::report::kit::shell::{Shell, Tab, write_page};
use crate::report::kit::tables::{Row, Table, TableCell, TableColumn};
use crate::report::kit::templates::Worker;
use crate::report::kit::view::View;
use crate::report::subject::Report;
use crate::trace::strict_json;
use indexmap::{IndexMap, IndexSet};
use serde::Deserialize;
use std::io::Write;

/// Characters shown of a component's value and of its hash.
const LONGEST_VALUE: usize = 84;
const LONGEST_HASH: usize = 12;

/// Bytes read of all artifacts together; real ones have 100 KB each.
const MOST_READ: u64 = 1 << 30;

pub(crate) fn page<'m>(report: Report<'m>) -> Page<'m, Worker> {
    Page::rendered(RelPath::of_parts(&["caches.html"]), move |worker, out| {
        let evidence = Evidence::read(report)?;
        let mut shell = Shell::top(report, "Caches");
        if sums(report.model).len() > 1 {
            shell.tabs.push(Tab::section("by-cache", "By cache", None));
        }
        let missed_for = miss_causes(report, &evidence).len();
        if missed_for > 0 {
            shell.tabs.push(Tab::section("causes", "Why they missed", Some(whole(missed_for))));
        }
        if !evidence.bypasses.is_empty() {
            let count = Some(whole(evidence.bypasses.len()));
            shell.tabs.push(Tab::section("bypasses", "Bypasses", count));
        }
        shell.tabs.push(Tab::section("lookups", "Lookups", Some(whole(report.model.caches.len()))));
        write_page(worker, out, &shell, |worker, out| {
            let view = View::new(report, worker, 0);
            headline(view, out)?;
            to_do(view, out)?;
            by_cache(view, out)?;
            causes(view, out, &evidence)?;
            bypasses(view, out, &evidence)?;
            lookups(view, out, &evidence)
        })
    })
}

/// The components of a lookup's key. A log of 300 MB has half a million of them, so they are not copied.
#[derive(Deserialize, Default)]
struct WireKey<'a> {
    #[serde(borrow, default)]
    components: Option<Vec<BorrowedText<'a>>>,
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
            let key: WireKey<'_> = serde_json::from_str(&json).unwrap_or_default();
            let components = key.components.unwrap_or_default();
            evidence.keys.push(evidence.components.key(components.iter().map(|text| &*text.0)));
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

fn found<'m>(report: Report<'m>, lookup: &CacheLookup) -> Option<(&'m Compile, &'m crate::model::Artifact)> {
    let compile = report.model.compiles.get(lookup.artifact.compile)?;
    Some((compile, compile.artifacts.get(lookup.artifact.place())?))
}

/// What can be done about misses and bypasses, from the findings about caches.
fn to_do(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let findings = view.report.found.findings.iter();
    let is_about_caches = |one: &&Finding| {
        let of_caches = one.kind.facts().topic == Some(Topic::Caches) || one.kind == KindOfFinding::FirstRun;
        of_caches && !one.advice.is_empty()
    };
    let about = findings.filter(is_about_caches);
    let about: Vec<_> = about.collect();
    if about.is_empty() {
        return Ok(());
    }
    view.open_section(out, ("to-do", "What to do", ""), None, Html::default())?;
    for finding in about {
        heading(out, view.sentence(&finding.sentence()))?;
        for advice in &finding.advice {
            write_line(out, &block(view.fix_card(advice)?))?;
        }
    }
    Ok(close_section(out)?)
}

fn headline(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let sums = sums(view.report.model);
    let total = |of: fn(&crate::analysis::caches::CacheSum) -> usize| sums.values().map(of).sum::<usize>();
    let (hits, misses, bypasses) = (total(|s| s.hits), total(|s| s.misses), total(|s| s.bypasses));
    let saved = sums.values().filter_map(|s| s.saved_us).fold(0.0, |sum, us| sum + us);
    let saved = if saved > 0.0 { format!(", which saved {}", micros(saved)) } else { String::new() };
    // The landing page's sentence about a cold cache.
    let findings = &view.report.found.findings;
    let missed = findings
        .iter()
        .find(|one| one.kind == KindOfFinding::CacheMiss)
        .map(|one| format!("{}. ", one.title));
    let sentence = format!(
        "{}{} of {}: {}{saved}, {}, {}.",
        missed.unwrap_or_default(),
        counted(view.report.model.caches.len(), "lookup", "lookups"),
        match sums.keys().next() {
            Some(one) if sums.len() == 1 => format!("the {} cache", cache_title(one)),
            _ => "caches".to_owned(),
        },
        counted(hits, "hit", "hits"),
        counted(misses, "miss", "misses"),
        counted(bypasses, "bypass", "bypasses")
    );
    let about = "After a miss, the code is compiled and stored under its key. After a bypass it is not stored, so every process \
         compiles it again.";
    Ok(write_line(out, &view.verdict(sentence.into(), vec![about.into()])?)?)
}

fn by_cache(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let sums = sums(view.report.model);
    // With one cache, the summary is enough.
    if sums.len() == 1 {
        return Ok(());
    }
    view.open_section(out, ("by-cache", "By cache", "hits and misses per cache"), None, Html::default())?;
    let columns = vec![
        TableColumn::text("Cache"),
        TableColumn::number("Lookups"),
        TableColumn::number("Hits"),
        TableColumn::number("Misses"),
        TableColumn::number("Bypasses").absent_if(sums.values().all(|s| s.bypasses == 0)),
        TableColumn::number("Hit rate"),
        TableColumn::number("Time saved").absent_if(sums.values().all(|s| s.saved_us.is_none())),
    ];
    let table = Table { id: "by-cache-table", label: "Answers by cache", columns };
    let rows = sums.iter().map(|(cache, sum)| {
        let all = sum.hits + sum.misses + sum.bypasses;
        let rate = sum.hits as f64 / all as f64;
        Row::of(vec![
            TableCell::text(cache_title(cache)),
            TableCell::count(all),
            TableCell::count(sum.hits),
            TableCell::count(sum.misses),
            TableCell::count(sum.bypasses),
            TableCell::number(rate, &percent(sum.hits as f64, all as f64, false)),
            TableCell::maybe(sum.saved_us, micros),
        ])
    });
    view.table(out, &table, rows)?;
    Ok(close_section(out)?)
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

/// Writes the table of causes.
fn causes(view: View<'_>, out: &mut dyn Write, evidence: &Evidence<'_>) -> anyhow::Result<()> {
    let causes = miss_causes(view.report, evidence);
    if causes.is_empty() {
        return Ok(());
    }
    let about = "one row per cause; the table of lookups shows the difference of each key";
    view.open_section(out, ("causes", "Why they missed", about), Some(whole(causes.len())), Html::default())?;
    let columns = vec![
        TableColumn::text("Cause"),
        TableColumn::text("Caches"),
        TableColumn::number("Misses"),
        TableColumn::unsorted("Compiles"),
    ];
    let table = Table { id: "causes-table", label: "Causes of misses", columns };
    let all = causes.len();
    let rows = causes.iter().take(LONG_LIST).map(|(cause, lookups)| {
        let names: IndexSet<&str> = lookups.iter().map(|lookup| cache_title(&lookup.cache)).collect();
        Row::of(vec![
            TableCell::text(&cause.words()).class("sentence"),
            TableCell::text(&Vec::from_iter(names).join(", ")),
            TableCell::count(lookups.len()),
            TableCell::html(compiles_of(view, lookups)),
        ])
    });
    view.table(out, &table, rows)?;
    view.beyond(out, all, all.min(LONG_LIST), "causes")?;
    Ok(close_section(out)?)
}

fn bypasses(view: View<'_>, out: &mut dyn Write, evidence: &Evidence<'_>) -> anyhow::Result<()> {
    let all = &evidence.bypasses;
    if all.is_empty() {
        return Ok(());
    }
    let about = "graphs that cannot be cached, one row per reason";
    view.open_section(out, ("bypasses", "Bypasses", about), Some(whole(all.len())), Html::default())?;
    let columns = vec![
        TableColumn::text("Cache"),
        TableColumn::text("Reason"),
        TableColumn::text("Exception").absent_if(all.keys().all(|bypass| bypass.exception.is_none())),
        TableColumn::number("Times"),
        TableColumn::unsorted("Compiles"),
    ];
    let table = Table { id: "bypasses-table", label: "Bypasses", columns };
    let rows = all.iter().take(LONG_LIST).map(|(bypass, lookups)| bypass_row(view, bypass, lookups));
    view.table(out, &table, rows)?;
    view.beyond(out, all.len(), all.len().min(LONG_LIST), "reasons")?;
    Ok(close_section(out)?)
}

/// The first compiles of these lookups, each once.
fn compiles_of(view: View<'_>, lookups: &[&CacheLookup]) -> Html {
    let mut compiles: Vec<&Compile> = Vec::new();
    for lookup in lookups {
        let compile = view.report.model.compiles.get(lookup.artifact.compile);
        // The list may be as long as the log, and one more than are shown is enough to say that there are more.
        let is_new =
            |c: &&Compile| compiles.len() <= SHORT_LIST && compiles.iter().all(|known| known.id != c.id);
        let new = compile.filter(is_new);
        compiles.extend(new);
    }
    let more = if compiles.len() > SHORT_LIST { " and more" } else { "" };
    compiles.truncate(SHORT_LIST);
    Html::joined([view.some_pills(&compiles, SHORT_LIST), more.into()], "")
}

fn bypass_row(view: View<'_>, bypass: &Bypass<'_>, lookups: &[&CacheLookup]) -> Row {
    let mut why = view.folded(bypass.reason.unwrap_or("no reason recorded"), false);
    if !bypass.traceback.is_empty() {
        let lines = counted(bypass.traceback.lines().count(), "line", "lines");
        let traceback = fold(format!("Traceback, {lines}"), &long_text(bypass.traceback.as_str()));
        why = Html::joined([why, traceback], "");
    }
    let class = bypass.exception.as_deref().map_or(UNKNOWN, |e| e.rsplit('.').next().unwrap_or(e));
    let class =
        Html::joined([view.code(class), Html::escaped(if bypass.is_error { " (an error)" } else { "" })], "");
    Row::of(vec![
        TableCell::text(cache_title(bypass.cache)),
        TableCell::html(why),
        TableCell::html(class),
        TableCell::count(lookups.len()),
        TableCell::html(compiles_of(view, lookups)),
    ])
}

fn lookups(view: View<'_>, out: &mut dyn Write, evidence: &Evidence<'_>) -> anyhow::Result<()> {
    let all = &view.report.model.caches;
    let of = |outcome: Outcome| all.iter().filter(|lookup| lookup.outcome == outcome).count();
    let words = [("hit", Outcome::Hit), ("miss", Outcome::Miss), ("bypass", Outcome::Bypass)];
    let words = words.map(|(word, outcome)| (word, word, of(outcome)));
    let tools = view.narrow("lookups-table", "Filter by id or key", words)?;
    let about = "in log order; a missed key is compared with the nearest earlier one for the same function";
    view.open_section(out, ("lookups", "Lookups", about), Some(whole(all.len())), tools)?;
    let columns = vec![
        TableColumn::compiles("Compile"),
        TableColumn::text("Cache"),
        TableColumn::text("Answer"),
        TableColumn::unsorted("Differing components").absent_if(!evidence.tell_apart()),
        TableColumn::number("Time saved").absent_if(all.iter().all(|lookup| lookup.saved_ns.is_none())),
        TableColumn::text("Key").mono().about("Opens torch's record of the lookup"),
    ];
    let table = Table { id: "lookups-table", label: "Lookups", columns };
    let mut compared = 0;
    let rows = all.iter().take(LONG_TABLE).enumerate().map(|(index, lookup)| {
        let differs = match lookup.outcome {
            Outcome::Miss => differs(view, evidence, index, &mut compared),
            _ => Html::escaped(UNKNOWN),
        };
        let row = row(view, lookup, differs);
        row.selected_by(lookup.outcome.word().to_owned())
    });
    view.table(out, &table, rows)?;
    view.beyond(out, all.len(), all.len().min(LONG_TABLE), "lookups")?;
    if evidence.keys.iter().all(Key::is_empty) && of(Outcome::Miss) > 0 {
        note_below(out, Html::escaped("The log has no components of keys, so keys cannot be compared."))?;
    }
    Ok(close_section(out)?)
}

fn row(view: View<'_>, lookup: &CacheLookup, differs: Html) -> Row {
    let found = found(view.report, lookup);
    let pill = found.map_or_else(|| view.pill_of(lookup.compile.as_ref()), |(compile, _)| view.pill(compile));
    let attempt = if lookup.attempt > 0 { format!(" attempt {}", lookup.attempt) } else { String::new() };
    let mut answer = match lookup.outcome {
        Outcome::Bypass => span("warn", "bypass"),
        _ => Html::escaped(lookup.outcome.word()),
    };
    if let Some(reason) = reason_words(lookup) {
        answer = Html::joined([answer, view.folded(&reason, false)], ": ");
    }
    let key = lookup.key.as_deref();
    let file = found.map(|(compile, artifact)| {
        let path = paths::artifact(compile, artifact, view.report.settings);
        view.link(&view.href(&path), key.unwrap_or("file"))
    });
    let shown = file.unwrap_or_else(|| span("", key.unwrap_or(UNKNOWN)));
    let copy = key.map(|_| copy_button("")).unwrap_or_default();
    let row = Row::of(vec![
        TableCell::html(Html::joined([pill, Html::escaped(&attempt)], "")).sorted(lookup.artifact.compile),
        TableCell::text(cache_title(&lookup.cache)),
        TableCell::html(answer),
        TableCell::html(differs),
        TableCell::maybe(lookup.saved_ns, |ns| micros(ns / 1e3)),
        TableCell::html(Html::joined([shown, copy], " ")).class("cache-key"),
    ]);
    match found {
        Some((_, artifact)) => row.anchored(format!("lookup-{}", artifact.number)),
        None => row,
    }
}

/// The differing components in words, with their values in a fold.
fn differs(view: View<'_>, evidence: &Evidence<'_>, index: usize, compared: &mut usize) -> Html {
    let Some((before, differences)) = evidence.differences(index) else {
        let first = evidence.keys.get(index).is_some_and(|key| !key.is_empty());
        return Html::escaped(if first { "first lookup" } else { UNKNOWN });
    };
    let earlier = view.report.model.caches.get(before);
    let label =
        earlier.and_then(|e| e.compile.as_ref()).map_or_else(|| UNKNOWN.to_owned(), ToString::to_string);
    if differences.is_empty() {
        return Html::escaped(&format!("nothing: same components as [{label}]"));
    }
    let words = Html::escaped(&format!("{}; against [{label}]", in_words(&differences).join(", ")));
    if differences.is_empty() || *compared >= SHORT_TABLE {
        return words;
    }
    *compared += 1;
    let mut facts = Vec::new();
    for difference in differences.iter().take(SHORT_LIST) {
        facts.push((difference.name, both(difference)));
    }
    let more = differences.len().saturating_sub(SHORT_LIST);
    if more > 0 {
        facts.push(("and more", Html::escaped(&counted(more, "component", "components"))));
    }
    let facts = view.facts(facts);
    fold(words, &facts)
}

/// The old and the new value of a component without the lines at the start that are equal; their hashes if all lines are
/// equal.
fn both(difference: &Difference<'_>) -> Html {
    let value = |of: Option<&Component>| of.map_or_else(String::new, |component| component.value.clone());
    let (old, new) = (value(difference.old), value(difference.new));
    let same = old.char_indices().zip(new.chars()).take_while(|((_, a), b)| a == b).last();
    let same = same.map_or(0, |((at, last), _)| at + last.len_utf8());
    let lines = old.get(..same).and_then(|same| same.rfind('\n')).map_or(0, |at| at + 1);
    let piece = |class: &str, component: Option<&Component>, value: &str| {
        let component = component?;
        let words: Vec<&str> = value.get(lines..)?.split_whitespace().collect();
        let (text, cut) = (words.join(" "), if lines > 0 { "… " } else { "" });
        let (text, more) = clipped(&text, LONGEST_VALUE);
        let text = if old == new {
            format!("{} {text}", clipped(&component.hash, LONGEST_HASH).0)
        } else {
            format!("{cut}{text}{}", if more { " …" } else { "" })
        };
        Some(Element::new("code").class(class).around(text))
    };
    let pieces = [piece("old", difference.old, &old), piece("new", difference.new, &new)];
    stacked(pieces.into_iter().flatten())
}
