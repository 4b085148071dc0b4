//! `graph_breaks.html`: every distinct graph break with its place, its cost and advice.

use crate::analysis::findings::{Cost, EntryKey, Finding, by_entry, useful_hints};
use crate::analysis::{BreakText, FurtherBreak, Hit, break_text};
use crate::limits::{LARGEST_NOTE, LONG_LIST, LONG_TABLE, NAMED, SHOWN};
use crate::model::{ArtifactIndex, Compile, CompileIndex, Content, GraphBreak};
use crate::output::{Page, RelPath};
use crate::report::doc::{
    Block, Card, Cell, Fact, Listing, Others, Rows, Section, cost_of_card, count, log, micros as us, own,
    page, place, place_of_card,
};
use crate::report::kit::formats::{counted, micros};
use crate::report::kit::links;
use crate::report::kit::paths;
use crate::report::kit::templates::Worker;
use crate::report::subject::Report;
use fxhash::{FxHashMap, FxHashSet};

/// A break, its first text, and its cost.
struct Broken<'m> {
    /// Its index in the model, which is its anchor.
    index: usize,
    found: &'m GraphBreak,
    text: BreakText,
    occurrences: Vec<Occurrence>,
    /// The finding about it.
    finding: Option<&'m Finding>,
}

impl<'m> Broken<'m> {
    fn cost(&self) -> Option<&'m Cost> {
        self.finding.and_then(|finding| finding.cost.as_ref())
    }
}

/// One occurrence of a break.
struct Occurrence {
    artifact: ArtifactIndex,
    /// Microseconds of discarded attempts; a share if the compile hit several breaks.
    thrown_away: Option<f64>,
    /// Compiles of the functions that resume after the break.
    resumes: Vec<CompileIndex>,
}

/// The page, if there are breaks.
pub(crate) fn page(report: Report<'_>) -> Page<'_, Worker> {
    Page::rendered(RelPath::of_parts(&[links::GRAPH_BREAKS]), move |worker, out| {
        let breaks = read(report)?;
        page::write(report, "Graph breaks", &blocks(report, &breaks), worker, out)
    })
}

fn blocks<'m>(report: Report<'m>, breaks: &'m [Broken<'m>]) -> Vec<Block<'m>> {
    let entries = breaks.get(..LONG_LIST).unwrap_or(breaks);
    let cards = entries.iter().map(|one| card(report, one)).collect();
    let mut list = vec![Block::Cards { id: "breaks-list", cards }];
    let rest = breaks.get(LONG_LIST..).unwrap_or_default();
    list.extend((!rest.is_empty()).then(|| Block::Table(further_breaks(report, rest))));
    let section = Section::new("breaks", "Graph breaks", list)
        .about("one entry per reason and place, most time lost first")
        .counted(breaks.len());
    vec![verdict(breaks), Block::Section(section)]
}

/// All breaks, the most expensive first, then the most frequent.
fn read(report: Report<'_>) -> anyhow::Result<Vec<Broken<'_>>> {
    let model = report.model;
    let mut left = LONG_TABLE;
    let findings = by_entry(&report.found.findings);
    let mut breaks = Vec::new();
    for (index, (found, hits)) in model.graph_breaks.iter().zip(&report.found.breaks).enumerate() {
        let mut one =
            Broken { index, found, text: BreakText::default(), occurrences: Vec::new(), finding: None };
        one.finding = findings.get(&EntryKey::Break(index)).copied();
        let of: FxHashMap<CompileIndex, &Hit> = hits.iter().map(|hit| (hit.compile, hit)).collect();
        for occurrence in &found.occurrences {
            if one.text.frames.is_empty() {
                one.text = text(report, occurrence.artifact, &mut left)?;
            }
            let hit = of.get(&occurrence.artifact.compile);
            one.occurrences.push(Occurrence {
                artifact: occurrence.artifact,
                thrown_away: hit.and_then(|hit| hit.thrown_away_us),
                resumes: hit.map(|hit| hit.resumes.clone()).unwrap_or_default(),
            });
        }
        breaks.push(one);
    }
    breaks.sort_by(|a, b| {
        let cost =
            |one: &Broken<'_>| one.cost().filter(|cost| cost.kind.is_loss()).map_or(0.0, |cost| cost.us);
        cost(b).total_cmp(&cost(a)).then(b.found.count.cmp(&a.found.count))
    });
    Ok(breaks)
}

/// The text of an occurrence; empty once the limit is reached.
fn text(report: Report<'_>, at: ArtifactIndex, left: &mut usize) -> anyhow::Result<BreakText> {
    let artifact = report.model.compiles.get(at.compile).and_then(|c| c.artifacts.get(at.place()));
    let Some(Content::Payload(at, _)) = artifact.map(|a| &a.content) else { return Ok(BreakText::default()) };
    if at.text_len > LARGEST_NOTE || *left == 0 {
        return Ok(BreakText::default());
    }
    *left -= 1;
    Ok(break_text(&report.payload(at)?))
}

fn verdict<'m>(breaks: &[Broken<'_>]) -> Block<'m> {
    let occurrences = || breaks.iter().flat_map(|one| &one.occurrences);
    let hit: FxHashSet<CompileIndex> = occurrences().map(|o| o.artifact.compile).collect();
    let lost = breaks.iter().filter_map(Broken::cost).filter(|cost| cost.kind.is_loss());
    let us: f64 = lost.map(|cost| cost.us).sum();
    let time = if us > 0.0 { format!(" wasted {} of compile time", micros(us)) } else { String::new() };
    let sentence = format!(
        "{} in {}{time}.",
        counted(breaks.len(), "distinct graph break", "distinct graph breaks"),
        counted(hit.len(), "compilation", "compilations"),
    );
    Block::Verdict {
        sentence: own(sentence),
        notes: vec![
            "At a graph break Dynamo compiles what it has, runs the line as Python and goes on in a new function, the resume \
             function. Wasted are attempts that were thrown away; several breaks of a compile share them. Compiling the resume \
             functions does not count: most of that work is needed without the break, too."
                .into(),
        ],
    }
}

fn card<'m>(report: Report<'m>, one: &'m Broken<'m>) -> Card<'m> {
    let found = one.found;
    let mut facts = Vec::new();
    let is_in_own_words = one.finding.is_some_and(|finding| finding.title.text() != found.reason);
    facts.extend(is_in_own_words.then(|| Fact::new("Reason", Cell::Prose(found.reason.as_str().into()))));
    facts.extend(
        found
            .context
            .as_deref()
            .map(|when| Fact::new("When", Cell::Prose(when.trim_end_matches(':').into()))),
    );
    facts.extend(
        found.debug_context.as_deref().map(|context| Fact::new("Debug context", Cell::Code(context.into()))),
    );
    facts.extend(what_to_do(one));
    facts.extend(found.url.as_deref().map(|url| read_more(found.gb_id.as_deref(), url)));
    let mut body = Vec::new();
    body.extend(found.explanation.as_deref().map(|text| Block::Paragraph(Cell::Prose(text.into()))));
    body.extend((!facts.is_empty()).then_some(Block::Facts(facts)));
    body.extend((!one.text.frames.is_empty()).then_some(Block::Traceback(&one.text.frames)));
    body.extend(one.text.further.iter().flat_map(further));
    body.push(Block::Table(occurrences(report, one)));
    Card {
        id: links::graph_break_anchor(one.index),
        kind: "Graph break",
        class: "warning",
        title: match one.finding {
            Some(finding) => Cell::Sentence(finding.title.clone()),
            None => Cell::Prose(found.reason.as_str().into()),
        },
        below: place_of_card(found.file.as_deref(), found.line),
        compiles: compiles(report, found),
        cost: cost_of_card(one.cost()),
        count: counted(found.count, "time", "times"),
        body,
    }
}

fn compiles<'m>(report: Report<'m>, found: &GraphBreak) -> Vec<&'m Compile> {
    found.compiles.iter().filter_map(|id| report.model.compile(id.as_ref())).collect()
}

/// The advice of its finding; a break without a finding has torch's hints that a user can follow.
fn what_to_do<'m>(one: &'m Broken<'m>) -> Option<Fact<'m>> {
    let Some(finding) = one.finding else { return hints(&one.found.hints) };
    (!finding.advice.is_empty()).then(|| Fact::new("What to do", Cell::Advice(&finding.advice)))
}

fn hints(hints: &[String]) -> Option<Fact<'static>> {
    let hints = useful_hints(hints.to_vec());
    (!hints.is_empty()).then(|| Fact::new("What to do", Cell::Hints(hints.into())))
}

fn read_more<'m>(id: Option<&str>, url: &'m str) -> Fact<'m> {
    let words = match id {
        Some(id) => format!("{id} in the graph break catalog"),
        None => "the graph break catalog".to_owned(),
    };
    Fact::new("Read more", Cell::LogLink { words, url: url.into() })
}

fn further(one: &FurtherBreak) -> [Block<'_>; 2] {
    let id = one.url.as_deref().and_then(|url| url.rsplit('/').next()?.strip_suffix(".html"));
    let mut facts = vec![Fact::new("Reason", Cell::Prose(one.reason.as_str().into()))];
    facts.extend(one.explanation.as_deref().map(|text| Fact::new("Explanation", Cell::Prose(text.into()))));
    facts.extend(hints(&one.hints));
    facts.extend(one.url.as_deref().map(|url| read_more(id, url)));
    [Block::Heading("Another break occurred while this one was handled".into()), Block::Facts(facts)]
}

fn occurrences<'m>(report: Report<'m>, one: &'m Broken<'m>) -> Listing<'m> {
    let of = move |occurrence: &Occurrence| report.model.compiles.get(occurrence.artifact.compile);
    let resumes = move |occurrence: &Occurrence| {
        occurrence.resumes.iter().filter_map(|index| report.model.compiles.get(*index)).collect::<Vec<_>>()
    };
    Rows::of(one.occurrences.iter().collect::<Vec<&'m Occurrence>>())
        .compile("Compile", move |it| Cell::maybe(of(it), Cell::CompileBeside))
        .text("Function", move |it| {
            let is_named = |compile: &&Compile| {
                let index = report.model.by_id.get(&compile.id);
                index.is_some_and(|index| report.found.names.at(*index).is_some())
            };
            Cell::maybe(of(it).filter(is_named), Cell::FunctionOf)
        })
        .number("Thrown away", |it| us(it.thrown_away.filter(|us| *us > 0.0)))
        .unsorted("Led to", move |it| match resumes(it) {
            none if none.is_empty() => Cell::Unknown,
            compiles => Cell::SomeCompiles { compiles, most: NAMED, beside_names: true },
        })
        .number("Their time", move |it| {
            us(resumes(it).iter().filter_map(|one| one.compile_us()).reduce(|sum, us| sum + us))
        })
        .unsorted("Record", move |it| {
            let compile = of(it);
            let artifact = compile.and_then(|one| Some((one, one.artifacts.get(it.artifact.place())?)));
            Cell::maybe(artifact, |(compile, artifact)| Cell::File {
                path: paths::artifact(compile, artifact, report.settings),
                name: "as text".into(),
            })
        })
        .first(SHOWN, Others::Elsewhere("are left out"))
        .listing(links::graph_break_anchor(one.index), "Occurrences of this break", "")
}

fn further_breaks<'m>(report: Report<'m>, rest: &'m [Broken<'m>]) -> Listing<'m> {
    Rows::of(rest)
        .text("Reason", |one| log(one.found.reason.as_str()))
        .text("Place", |one| {
            place(one.found.file.as_deref(), one.found.line.and_then(|line| line.try_into().ok()))
        })
        .number("Times", |one| count(Some(one.found.count)))
        .number("Cost", |one| us(one.cost().map(|cost| cost.us)))
        .unsorted("Compiles", move |one| Cell::SomeCompiles {
            compiles: compiles(report, one.found),
            most: NAMED,
            beside_names: false,
        })
        .anchored(|_, one| Some(links::graph_break_anchor(one.index)))
        .first(LONG_TABLE, Others::InFacts("graph breaks"))
        .listing("further-breaks", "Further graph breaks", "")
}
