//! What to do: an entry for each finding, in the order of report.json: errors first, then by the seconds that were wasted,
//! could be avoided, or are saved by the next run. The first entries are in the open.

use crate::analysis::failed_in::failed_in;
use crate::analysis::failures::failure_causes;
use crate::analysis::findings::{EntryKey, checked};
use crate::analysis::{Finding, Severity};
use crate::limits::{FEW, IN_HEAD, SENTENCE, SHORT_LIST, SHORT_TABLE, SHOWN};
use crate::model::TextFrame;
use crate::report::data::{ENTRIES, saves, times};
use crate::report::doc::page::write_all;
use crate::report::doc::{Block, Card, Cell, Fact, Listing, Others, Rows, log, own, place_of_card};
use crate::report::kit::finding_facts::{compiles, facts, place_at, some};
use crate::report::kit::formats::{cost_words, first_sentence, is_library};
use crate::report::kit::prelude::*;
use crate::report::words::failures::where_to_look;

/// Findings listed for a group.
const MEMBERS: usize = 300;

/// Words of the title of an entry.
const LONGEST_TITLE: usize = 12;

/// Characters of a source line in the head of an entry.
const LONGEST_LOC: usize = 90;

/// Cards of an entry in the open.
const CARDS: usize = 2;

pub(crate) fn section(view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let findings = &view.report.found.findings;
    let tools = if findings.is_empty() { Html::default() } else { view.fold_button("findings-list") };
    let about = if findings.is_empty() { "" } else { "errors first, then by seconds" };
    view.open_section(out, ("findings", "What to do", about), None, tools)?;
    // What follows from a finding, whether directly or not, comes behind it.
    let shown = findings.get(..ENTRIES).unwrap_or(findings);
    let trees: Vec<&[Finding]> = shown.chunk_by(|_, next| next.caused_by.is_some()).collect();
    let is_action = |tree: &&&[Finding]| tree.first().is_some_and(is_action);
    let first = trees.iter().take(FEW).take_while(is_action).count();
    if first == 0 {
        paragraph(out, checked(findings, view.report.model))?;
    }
    if !findings.is_empty() {
        open_box(out, "findings-list")?;
        let (open, folded) = trees.split_at(first);
        let mut index = 0;
        open.iter().try_for_each(|tree| entry(view, out, &mut index, tree))?;
        if !folded.is_empty() {
            let rest = findings.len() - index;
            let lost: f64 = folded.iter().filter_map(|tree| tree.first()).map(Finding::lost_us).sum();
            let more = if first == 0 { "" } else { "more " };
            open_fold(
                out,
                "further",
                format!("{} {more}{}{}", whole(rest), findings_word(rest), together(lost)),
            )?;
            folded.iter().try_for_each(|tree| entry(view, out, &mut index, tree))?;
            write_all(rest_of(view, findings).as_slice(), view, out)?;
            close(out, "details")?;
        }
        close(out, "div")?;
    }
    Ok(close_section(out)?)
}

fn findings_word(count: usize) -> &'static str {
    if count == 1 { "finding" } else { "findings" }
}

/// Whether there is something to do about it, rather than to know.
fn is_action(one: &Finding) -> bool {
    let is_problem = one.severity != Severity::Info && !one.is_expected();
    is_problem || one.warm_us.is_some() || one.advice.iter().any(|advice| advice.code.is_some())
}

/// Begins a fold of entries; end it with `close(out, "details")`.
fn open_fold(out: &mut dyn Write, class: &'static str, summary: String) -> anyhow::Result<()> {
    write_line(out, &Element::new("details").class(class).open())?;
    Ok(write_line(out, &Element::new("summary").around(summary))?)
}

/// `, 3.2 s together`, if anything was lost.
fn together(lost_us: f64) -> String {
    if lost_us > 0.0 { format!(", {} together", micros(lost_us)) } else { String::new() }
}

/// The entry of a cause, with what followed from it folded below. The first one of the page is open.
fn entry(view: View<'_>, out: &mut dyn Write, index: &mut usize, tree: &[Finding]) -> anyhow::Result<()> {
    let [one, followed @ ..] = tree else { return Ok(()) };
    let is_open = *index == 0 && is_action(one);
    card(view, *index, one).write(view, is_open, out)?;
    *index += 1;
    if followed.is_empty() {
        return Ok(());
    }
    let lost: f64 = followed.iter().map(Finding::lost_us).sum();
    let count = counted(followed.len(), "finding follows", "findings follow");
    open_fold(out, "consequences", format!("{count} from this{}", together(lost)))?;
    for one in followed {
        card(view, *index, one).write(view, false, out)?;
        *index += 1;
    }
    Ok(close(out, "details")?)
}

fn card<'m>(view: View<'m>, index: usize, one: &'m Finding) -> Card<'m> {
    let (title, below) = head(one);
    let mut body = what_to_do(view, one);
    // Some hints repeat the detail.
    let detail = one.detail.as_deref();
    let detail = detail.filter(|detail| !one.hints().any(|hint| hint.starts_with(detail)));
    body.extend(detail.map(|text| Block::Paragraph(Cell::Prose(text.into()))));
    body.extend(stack(one));
    let mut of_entry = Vec::new();
    let compiles = if is_of_run(one) { Vec::new() } else { compiles(view.report, &one.compiles) };
    // The head has those of a few.
    if compiles.len() > IN_HEAD {
        let label = one.kind.facts().compiles_label.as_deref().unwrap_or("Compiles");
        of_entry.push(Fact::new(label, some(compiles.clone(), SHOWN)));
    }
    of_entry.extend(facts(view.report, one));
    body.push(Block::Facts(of_entry));
    if !one.members.is_empty() {
        body.extend(members(view, index, &one.members));
    }
    Card {
        id: format!("finding-{}", index + 1),
        kind: one.kind.label(),
        class: match one.severity {
            Severity::Info => "soft",
            severity => severity.word(),
        },
        title,
        below,
        compiles,
        cost: saves(one).unwrap_or_else(|| UNKNOWN.to_owned()),
        count: times(one),
        body,
    }
}

/// Whether its compiles say nothing: they are in the table of a group, or all of a run.
fn is_of_run(one: &Finding) -> bool {
    one.warm_us.is_some() || !one.members.is_empty()
}

/// What an entry is about in a few words, and the line below it with the rest of the title and its place. For some kinds
/// the source line comes first; what only the next run gains begins with what to do.
fn head(one: &Finding) -> (Cell<'_>, Cell<'_>) {
    let text = one.title.text();
    let whole = || Cell::Sentence(one.title.clone());
    let Shortened { short, rest } = beginning(&text, LONGEST_TITLE);
    let title = if rest.is_empty() { whole() } else { Cell::Prose(short.into()) };
    let first = one.advice.first().filter(|advice| one.warm_us.is_some() && advice.code.is_some());
    if let Some(advice) = first {
        let what = beginning(first_sentence(&advice.text).0.trim_end_matches('.'), LONGEST_TITLE);
        return (Cell::Prose(what.short.into()), whole());
    }
    let rest = (!rest.is_empty()).then(|| Cell::Prose(rest.into()));
    if !one.members.is_empty() {
        let of_members = match one.members.first().and_then(Finding::change) {
            Some(change) => Some(Cell::Beside(vec!["each: ".into(), Cell::Prose(change.into())], "")),
            None => {
                let file = one.members.first().and_then(|one| one.place.file.as_deref());
                file.map(|file| log(short_path(file)).class("soft"))
            }
        };
        return (title, Cell::Beside(rest.into_iter().chain(of_members).collect(), " · "));
    }
    let at = place_of_card(one.place.file.as_deref(), one.place.line);
    let loc = one.place.loc.as_deref().map(str::trim).filter(|loc| !loc.is_empty());
    let loc = loc.map(|loc| Cell::Code(clipped(loc, LONGEST_LOC).0.into()));
    match (one.place.file.is_some(), loc) {
        (true, Some(loc)) if one.kind.facts().code_first => (loc, Cell::Beside(vec![at, whole()], " · ")),
        (true, loc) => (title, Cell::Beside(rest.into_iter().chain([at]).chain(loc).collect(), " · ")),
        _ => (title, Cell::Beside(rest.into_iter().collect(), "")),
    }
}

/// A title in two parts.
#[derive(Debug, PartialEq)]
struct Shortened {
    short: String,
    /// What did not fit; empty if all of it did.
    rest: String,
}

/// The beginning of a title up to the last comma or colon within so many words, and the rest; code between backquotes stays
/// whole.
fn beginning(text: &str, most: usize) -> Shortened {
    if text.split_whitespace().count() <= most {
        return Shortened { short: text.to_owned(), rest: String::new() };
    }
    let whole = |at: &usize| text.get(..*at).is_some_and(|start| start.matches('`').count() % 2 == 0);
    let fits = |at: &usize| text.get(..*at).is_some_and(|start| start.split_whitespace().count() <= most);
    let clauses = text.match_indices([',', ':', ';', '(']).filter(|(at, mark)| {
        let before = text.get(..*at).is_some_and(|start| start.ends_with(' '));
        if *mark == "(" { before } else { text.get(at + 1..).is_some_and(|rest| rest.starts_with(' ')) }
    });
    let clause = clauses.map(|(at, _)| at).filter(fits).rfind(whole);
    let word = || text.match_indices(' ').map(|(at, _)| at).filter(fits).rfind(whole);
    let rest = |at: usize| text.get(at..).unwrap_or_default().trim_start_matches([',', ':', ';', ' ']);
    let start = |at: usize| text.get(..at).unwrap_or_default().trim_end();
    match (clause, word()) {
        (Some(at), _) => Shortened { short: start(at).to_owned(), rest: rest(at).to_owned() },
        (None, Some(at)) => Shortened { short: format!("{} …", start(at)), rest: rest(at).to_owned() },
        (None, None) => {
            let short = format!("{} …", clipped(text, LONGEST_LOC).0.replace('`', ""));
            Shortened { short, rest: text.to_owned() }
        }
    }
}

/// A card for each advice, or where to look for the cause of what has none.
fn what_to_do<'m>(view: View<'m>, one: &'m Finding) -> Vec<Block<'m>> {
    if !one.advice.is_empty() {
        let mut cards: Vec<Block<'m>> = one.advice.iter().map(Block::Advice).collect();
        let more = cards.split_off(cards.len().min(CARDS));
        let summary = counted(more.len(), "other way", "other ways");
        cards.extend((!more.is_empty()).then(|| Block::More { summary: own(summary), blocks: more }));
        return cards;
    }
    if one.severity == Severity::Info || !one.members.is_empty() || one.is_expected() {
        return Vec::new();
    }
    let mut sentences: Vec<Block<'m>> = places_to_look(view, one)
        .into_iter()
        .map(|text| Block::Paragraph(Cell::Prose(text.into())))
        .collect();
    if sentences.is_empty() {
        sentences.push(Block::Paragraph("No advice: the log does not show what would help.".into()));
    }
    sentences
}

/// Where to look for the cause of a failure that has no advice, in sentences.
fn places_to_look(view: View<'_>, one: &Finding) -> Vec<String> {
    let Some(EntryKey::Failure(place)) = one.entry else { return Vec::new() };
    let cause = failure_causes(view.report.model).into_iter().nth(place);
    cause.map(|cause| where_to_look(&cause, &failed_in(&cause))).unwrap_or_default()
}

/// The call stack, folded: the reader's own frames in the open.
fn stack(one: &Finding) -> Option<Block<'_>> {
    let all = &one.stack;
    // The head of the finding shows its place and source line.
    let at = |frame: &TextFrame| one.place.is_of(frame);
    if all.is_empty() || one.kind.facts().no_stack || all.len() == 1 && all.iter().all(at) {
        return None;
    }
    // The innermost frames say where it happened.
    let shown = all.get(all.len().saturating_sub(SHORT_TABLE)..).unwrap_or(all);
    let hit = shown.iter().rposition(at).or_else(|| shown.iter().rposition(|frame| !is_library(&frame.file)));
    let frames = counted(all.len(), "frame", "frames");
    let summary = match shown.len() < all.len() {
        true => format!("Call stack: the innermost {} of {frames}", whole(shown.len())),
        false => format!("Call stack: {frames}"),
    };
    Some(Block::More { summary: own(summary), blocks: vec![Block::Frames { frames: shown.to_vec(), hit }] })
}

/// The findings of a group: the costliest, and the rest folded.
fn members<'m>(view: View<'m>, index: usize, members: &'m [Finding]) -> Vec<Block<'m>> {
    let id = format!("finding-{}-first", index + 1);
    let (first, rest) = members.split_at(members.len().min(SHORT_LIST));
    let mut blocks = vec![Block::Table(rows(view, id, first, None))];
    if !rest.is_empty() {
        let lost: f64 = rest.iter().map(Finding::lost_us).sum();
        let summary = format!("{} more{}", whole(rest.len()), together(lost));
        let id = format!("finding-{}-rest", index + 1);
        let rows = Block::Table(rows(view, id, rest, None));
        blocks.push(Block::More { summary: own(summary), blocks: vec![rows] });
    }
    blocks
}

/// Findings without their own entry.
fn rest_of<'m>(view: View<'m>, findings: &'m [Finding]) -> Option<Block<'m>> {
    let rest = findings.get(ENTRIES..).filter(|rest| !rest.is_empty())?;
    Some(Block::Table(rows(view, "findings".to_owned(), rest, Some(ENTRIES))))
}

fn rows<'m>(view: View<'m>, id: String, findings: &'m [Finding], numbered: Option<usize>) -> Listing<'m> {
    let (most, what) = if numbered.is_some() { (SHORT_TABLE, "findings") } else { (MEMBERS, "places") };
    Rows::of(findings.iter().collect::<Vec<&'m Finding>>())
        .text("Function", |one| Cell::function(one.place.function.as_deref()))
        .text("Where", |one| place_at(one.place.file.as_deref(), one.place.line))
        .text("What", move |one| match (one.change(), &one.place.loc) {
            (Some(change), _) if numbered.is_none() => Cell::Prose(change.into()),
            (None, Some(loc)) if numbered.is_none() => Cell::Code(clipped(loc.trim(), LONGEST_LOC).0.into()),
            _ => Cell::Prose(clipped(&one.title.text(), SENTENCE).0.to_owned().into()),
        })
        .unsorted("Compiles", move |one| some(compiles(view.report, &one.compiles), IN_HEAD))
        .number("Cost", |one| {
            Cell::maybe(one.cost.as_ref(), |cost| Cell::Figure {
                value: one.lost_us(),
                shown: cost_words(cost.kind, cost.us),
            })
        })
        .anchored(move |at, _| Some(format!("finding-{}", numbered? + at + 1)))
        .first(most, Others::InFacts(what))
        .listing(id, "Findings", "")
}

#[cfg(test)]
mod tests {
    use super::{Shortened, beginning};

    #[test]
    fn a_long_title_is_cut_behind_a_clause_and_never_within_code_and_its_rest_is_kept() {
        for (text, short, rest) in [
            ("`f` was compiled 2 times", "`f` was compiled 2 times", ""),
            (
                "`f` runs in eager mode, as it broke: a b c d e f g",
                "`f` runs in eager mode, as it broke",
                "a b c d e f g",
            ),
            (
                "one two `three four, five six` seven eight nine ten",
                "one two …",
                "`three four, five six` seven eight nine ten",
            ),
            ("one two three four five six seven eight", "one two three four …", "five six seven eight"),
        ] {
            let most = if text.starts_with("one") { 4 } else { 9 };
            assert_eq!(beginning(text, most), Shortened { short: short.into(), rest: rest.into() });
        }
    }
}
