//! `caches.html`: what the caches of compiled code answered, and why they missed.

use crate::analysis::caches::{
    Component, Components, Difference, Key, cache_title, in_kinds, in_words, nearest, reason_words, sums,
};
use crate::model::{BorrowedText, CacheLookup, Compile, Content, Outcome, lenient};
use crate::output::{Page, RelPath};
use crate::report::kit::copy::copy_button;
use crate::report::kit::formats::{UNKNOWN, clipped, counted, micros, percent, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close_section, fold, long_text, note_below, put, span, stacked};
use crate::report::kit::paths;
use crate::report::kit::shell::{Shell, Tab, write_page};
use crate::report::kit::tables::{Head, Row, Table, Td};
use crate::report::kit::templates::Worker;
use crate::report::kit::view::View;
use crate::report::subject::Report;
use crate::trace::strict_json;
use indexmap::IndexMap;
use serde::Deserialize;
use std::io::Write;

/// Rows of the table of lookups; all of them stand in report.json.
const LISTED: usize = 2_000;

/// Lookups whose differing components are shown, and how many of each. Two keys of one program differ in the graph, its
/// inputs and a setting or two.
const COMPARED: usize = 400;
const DIFFERENCES: usize = 12;

/// Characters of a component's value and of its hash.
const LONGEST_VALUE: usize = 84;
const LONGEST_HASH: usize = 12;

/// Bytes of one artifact that are taken apart (real ones have 100 KB), and of all of them.
const LARGEST_READ: u64 = 16 << 20;
const MOST_READ: u64 = 1 << 30;

/// Different bypasses that are shown, and compiles that each names.
const BYPASSES: usize = 100;
const SHOWN: usize = 12;

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

/// What the artifact of a lookup that bypassed the cache says beyond the model.
#[derive(Deserialize, Default)]
struct WireBypass {
    #[serde(default, deserialize_with = "lenient")]
    cache_bypass_exception_type: Option<String>,
    #[serde(default, deserialize_with = "lenient")]
    cache_bypass_traceback: Option<Vec<String>>,
    #[serde(default, deserialize_with = "lenient")]
    cache_bypass_hard_exception: Option<bool>,
}

/// A bypass: cache, reason, exception, traceback, whether the exception was no deliberate one.
type Bypass = (String, Option<String>, Option<String>, String, bool);

/// What the artifacts of all lookups say; each is read once.
#[derive(Default)]
struct Evidence {
    components: Components,
    /// One a lookup.
    keys: Vec<Key>,
    /// Different bypasses with their lookups.
    bypasses: IndexMap<Bypass, Vec<usize>>,
    /// With which lookup each is compared.
    nearest: Vec<Option<usize>>,
}

impl Evidence {
    fn read(report: Report<'_>) -> anyhow::Result<Evidence> {
        let mut evidence = Evidence::default();
        let mut room = MOST_READ;
        for (index, lookup) in report.model.caches.iter().enumerate() {
            let text = text(report, lookup, &mut room)?;
            let json = strict_json(&text);
            let key: WireKey<'_> = serde_json::from_str(&json).unwrap_or_default();
            let components = key.components.unwrap_or_default();
            evidence.keys.push(evidence.components.key(components.iter().map(|text| &*text.0)));
            if lookup.outcome == Outcome::Bypass {
                let wire: WireBypass = serde_json::from_str(&json).unwrap_or_default();
                let bypass = (
                    lookup.cache.clone(),
                    lookup.reason.clone(),
                    wire.cache_bypass_exception_type,
                    wire.cache_bypass_traceback.unwrap_or_default().join("\n"),
                    wire.cache_bypass_hard_exception.unwrap_or(false),
                );
                evidence.bypasses.entry(bypass).or_default().push(index);
            }
        }
        evidence.nearest = nearest(report.model, &evidence.keys, &evidence.components);
        Ok(evidence)
    }

    /// In what the key of a lookup differs from that of an earlier one, and from which.
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
    if at.text_len > LARGEST_READ.min(*room) {
        return Ok(String::new());
    }
    *room -= at.text_len;
    report.payload(at)
}

fn found<'m>(report: Report<'m>, lookup: &CacheLookup) -> Option<(&'m Compile, &'m crate::model::Artifact)> {
    let compile = report.model.compiles.get(lookup.artifact.compile)?;
    Some((compile, compile.artifacts.get(lookup.artifact.place())?))
}

fn by_cache(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let sums = sums(view.report.model);
    let total = |of: fn(&crate::analysis::caches::CacheSum) -> usize| sums.values().map(of).sum::<usize>();
    let (hits, misses, bypasses) = (total(|s| s.hits), total(|s| s.misses), total(|s| s.bypasses));
    let saved = sums.values().filter_map(|s| s.saved_us).fold(0.0, |sum, us| sum + us);
    let saved = if saved > 0.0 { format!(", which saved {}", micros(saved)) } else { String::new() };
    // One sentence for a cold cache, as on the landing page.
    let findings = &view.report.found.findings;
    let missed =
        findings.iter().find(|one| one.kind.word == "cache_miss").map(|one| format!("{}. ", one.title));
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
    let about = "A miss found nothing under its key: it is compiled and then kept. A bypass is never kept, so it is compiled anew in \
         every process.";
    put(out, &view.verdict(sentence.into(), vec![about.into()])?)?;
    // Of a single cache the sentence says all.
    if sums.len() == 1 {
        return Ok(());
    }
    view.open_section(out, ("by-cache", "By cache", "what each answered"), None, Html::default())?;
    let heads = vec![
        Head::text("Cache"),
        Head::number("Lookups"),
        Head::number("Hits"),
        Head::number("Misses"),
        Head::number("Bypasses"),
        Head::number("Hit rate"),
        Head::number("Time saved").absent_if(sums.values().all(|s| s.saved_us.is_none())),
    ];
    let table = Table { id: "by-cache-table", label: "Answers by cache", heads };
    let rows = sums.iter().map(|(cache, sum)| {
        let all = sum.hits + sum.misses + sum.bypasses;
        let count = |n: usize| Td::number(n as f64, &whole(n));
        let rate = sum.hits as f64 / all as f64;
        Ok(Row::of(vec![
            Td::text(cache_title(cache)),
            count(all),
            count(sum.hits),
            count(sum.misses),
            count(sum.bypasses),
            Td::number(rate, &percent(sum.hits as f64, all as f64, false)),
            Td::maybe(sum.saved_us, micros),
        ]))
    });
    view.table(out, &table, rows)?;
    close_section(out)?;
    Ok(())
}

/// Why a key was missed.
#[derive(PartialEq, Eq, Hash)]
enum MissCause {
    /// The log has no earlier key of the function.
    First,
    /// An earlier key of the function differs in these kinds of components.
    Differs(Vec<String>),
    /// An earlier compile asked for the same key in vain.
    SameKey,
    /// The entry was found, but its guard does not hold.
    Guard,
    /// torch writes no components of the keys of this cache.
    NotRecorded,
}

impl MissCause {
    fn words(&self) -> String {
        match self {
            MissCause::First => "the first lookup of this function in the log".to_owned(),
            MissCause::Differs(parts) => {
                format!("{} changed since the nearest earlier compile of the function", parts.join(", "))
            }
            MissCause::SameKey => {
                "an earlier compile of the function asked for the same key, and found nothing either"
                    .to_owned()
            }
            MissCause::Guard => "an entry was found, but its guard does not hold for these sizes".to_owned(),
            MissCause::NotRecorded => {
                "not recorded: torch writes the keys of this cache without their parts".to_owned()
            }
        }
    }
}

/// Missed lookups (their places) by cause, each cause once.
fn miss_causes<'m>(report: Report<'m>, evidence: &Evidence) -> IndexMap<MissCause, Vec<&'m CacheLookup>> {
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

/// The causes of misses, each once with its compiles.
fn causes(view: View<'_>, out: &mut dyn Write, evidence: &Evidence) -> anyhow::Result<()> {
    let causes = miss_causes(view.report, evidence);
    if causes.is_empty() {
        return Ok(());
    }
    let about = "each cause once; the lookups below say what differs in each key";
    view.open_section(out, ("causes", "Why they missed", about), Some(whole(causes.len())), Html::default())?;
    let heads =
        vec![Head::text("Cause"), Head::text("Caches"), Head::number("Misses"), Head::unsorted("Compiles")];
    let table = Table { id: "causes-table", label: "Causes of misses", heads };
    let all = causes.len();
    let rows = causes.iter().take(BYPASSES).map(|(cause, lookups)| {
        let mut names: Vec<String> = Vec::new();
        let mut compiles: Vec<&Compile> = Vec::new();
        for lookup in lookups {
            let name = cache_title(&lookup.cache).to_owned();
            if !names.contains(&name) {
                names.push(name);
            }
            let compile = view.report.model.compiles.get(lookup.artifact.compile);
            // What is beyond those shown only needs to be counted, and may be as long as the log.
            let new =
                compile.filter(|c| compiles.len() <= SHOWN && compiles.iter().all(|known| known.id != c.id));
            compiles.extend(new);
        }
        let more = if compiles.len() > SHOWN { " and more" } else { "" };
        compiles.truncate(SHOWN);
        let pills = Html::joined([view.some_pills(&compiles, SHOWN)?, Html::escaped(more)], "");
        Ok(Row::of(vec![
            Td::text(&cause.words()).class("sentence"),
            Td::text(&names.join(", ")),
            Td::number(lookups.len() as f64, &whole(lookups.len())),
            Td::html(pills),
        ]))
    });
    view.table(out, &table, rows)?;
    view.beyond(out, all, all.min(BYPASSES), "causes")?;
    close_section(out)?;
    Ok(())
}

fn bypasses(view: View<'_>, out: &mut dyn Write, evidence: &Evidence) -> anyhow::Result<()> {
    let all = &evidence.bypasses;
    if all.is_empty() {
        return Ok(());
    }
    let about = "graphs that a cache would not take, one row per reason";
    view.open_section(out, ("bypasses", "Bypasses", about), Some(whole(all.len())), Html::default())?;
    let heads = vec![
        Head::text("Cache"),
        Head::text("Reason"),
        Head::text("Exception").absent_if(all.keys().all(|bypass| bypass.2.is_none())),
        Head::number("Times"),
        Head::unsorted("Compiles"),
    ];
    let table = Table { id: "bypasses-table", label: "Bypasses", heads };
    let rows: Vec<_> = all.iter().take(BYPASSES).collect();
    view.table(out, &table, rows.into_iter().map(|(bypass, at)| bypass_row(view, bypass, at)))?;
    view.beyond(out, all.len(), all.len().min(BYPASSES), "reasons")?;
    close_section(out)?;
    Ok(())
}

fn bypass_row(view: View<'_>, bypass: &Bypass, at: &[usize]) -> anyhow::Result<Row> {
    let (cache, reason, exception, traceback, hard) = bypass;
    let model = view.report.model;
    let mut compiles: Vec<&Compile> = Vec::new();
    for lookup in at.iter().filter_map(|index| model.caches.get(*index)) {
        let compile =
            model.compiles.get(lookup.artifact.compile).filter(|c| compiles.iter().all(|k| k.id != c.id));
        // What is beyond those shown only needs to be counted, and may be as long as the log.
        compiles.extend(compile.filter(|_| compiles.len() <= SHOWN));
    }
    let mut why = view.folded(reason.as_deref().unwrap_or("no reason recorded"), false);
    if !traceback.is_empty() {
        let lines = counted(traceback.lines().count(), "line", "lines");
        let traceback = fold(format!("Traceback, {lines}"), &long_text(traceback.as_str()));
        why = Html::joined([why, traceback], "");
    }
    let class = exception.as_deref().map_or(UNKNOWN, |e| e.rsplit('.').next().unwrap_or(e));
    let class = Html::joined([view.code(class), Html::escaped(if *hard { " (an error)" } else { "" })], "");
    let more = if compiles.len() > SHOWN { " and more" } else { "" };
    compiles.truncate(SHOWN);
    let pills = Html::joined([view.some_pills(&compiles, SHOWN)?, Html::escaped(more)], "");
    Ok(Row::of(vec![
        Td::text(cache_title(cache)),
        Td::html(why),
        Td::html(class),
        Td::number(at.len() as f64, &whole(at.len())),
        Td::html(pills),
    ]))
}

fn lookups(view: View<'_>, out: &mut dyn Write, evidence: &Evidence) -> anyhow::Result<()> {
    let all = &view.report.model.caches;
    let of = |outcome: Outcome| all.iter().filter(|lookup| lookup.outcome == outcome).count();
    let words = [("hit", Outcome::Hit), ("miss", Outcome::Miss), ("bypass", Outcome::Bypass)];
    let words = words.map(|(word, outcome)| (word, word, of(outcome)));
    let tools = view.narrow("lookups-table", "Filter by id or key", words)?;
    let about = "in the order of the log; a missed key against that of the nearest earlier compile of the same function";
    view.open_section(out, ("lookups", "Lookups", about), Some(whole(all.len())), tools)?;
    let heads = vec![
        Head::compiles("Compile"),
        Head::text("Cache"),
        Head::text("Answer"),
        Head::unsorted("Differing components").absent_if(evidence.nearest.iter().all(Option::is_none)),
        Head::number("Time saved").absent_if(all.iter().all(|lookup| lookup.saved_ns.is_none())),
        Head::text("Key").mono().about("Leads to what torch wrote of the lookup"),
    ];
    let table = Table { id: "lookups-table", label: "Lookups", heads };
    let mut compared = 0;
    let rows: Vec<_> = all.iter().take(LISTED).enumerate().collect();
    let rows = rows.into_iter().map(|(index, lookup)| {
        let differs = match lookup.outcome {
            Outcome::Miss => differs(view, evidence, index, &mut compared)?,
            _ => Html::escaped(UNKNOWN),
        };
        let row = row(view, lookup, differs)?;
        Ok(row.selected_by(lookup.outcome.word().to_owned()))
    });
    view.table(out, &table, rows)?;
    view.beyond(out, all.len(), all.len().min(LISTED), "lookups")?;
    if evidence.keys.iter().all(Key::is_empty) && of(Outcome::Miss) > 0 {
        note_below(out, Html::escaped("The log holds no components of keys, so they cannot be compared."))?;
    }
    close_section(out)?;
    Ok(())
}

fn row(view: View<'_>, lookup: &CacheLookup, differs: Html) -> anyhow::Result<Row> {
    let found = found(view.report, lookup);
    let pill =
        found.map_or_else(|| view.pill_of(lookup.compile.as_ref()), |(compile, _)| view.pill(compile))?;
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
        Td::html(Html::joined([pill, Html::escaped(&attempt)], "")).sorted(lookup.artifact.compile),
        Td::text(cache_title(&lookup.cache)),
        Td::html(answer),
        Td::html(differs),
        Td::maybe(lookup.saved_ns, |ns| micros(ns / 1e3)),
        Td::html(Html::joined([shown, copy], " ")).class("cache-key"),
    ]);
    Ok(match found {
        Some((_, artifact)) => row.anchored(format!("lookup-{}", artifact.number)),
        None => row,
    })
}

/// What differs, in words; the components themselves are folded behind.
fn differs(view: View<'_>, evidence: &Evidence, index: usize, compared: &mut usize) -> anyhow::Result<Html> {
    let Some((before, differences)) = evidence.differences(index) else {
        let first = evidence.keys.get(index).is_some_and(|key| !key.is_empty());
        return Ok(Html::escaped(if first { "first lookup" } else { UNKNOWN }));
    };
    let earlier = view.report.model.caches.get(before);
    let label =
        earlier.and_then(|e| e.compile.as_ref()).map_or_else(|| UNKNOWN.to_owned(), ToString::to_string);
    if differences.is_empty() {
        return Ok(Html::escaped(&format!("nothing: the same components as [{label}]")));
    }
    let words = Html::escaped(&format!("{}; against [{label}]", in_words(&differences).join(", ")));
    if differences.is_empty() || *compared >= COMPARED {
        return Ok(words);
    }
    *compared += 1;
    let mut facts = Vec::new();
    for difference in differences.iter().take(DIFFERENCES) {
        facts.push((difference.name, both(difference)));
    }
    let more = differences.len().saturating_sub(DIFFERENCES);
    if more > 0 {
        facts.push(("and more", Html::escaped(&counted(more, "component", "components"))));
    }
    let facts = view.facts(facts);
    Ok(fold(words, &facts))
}

/// A component before and now: what comes after the lines that both begin with, or their hashes where nothing does.
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
