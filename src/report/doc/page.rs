//! Pages of a report as blocks: a function makes them of the report, and their sections become its tabs.

use super::cell::{Cell, Fact, log};
use super::html::{Surface, facts, html, section, table, tools};
use super::listing::Listing;
use crate::analysis::findings::{Advice, Cost};
use crate::limits::NAMED;
use crate::model::{Compile, Sentence, TextFrame};
use crate::report::kit::formats::{UNKNOWN, cost_words, short_path, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{
    block, close, close_finding, close_section, heading, long_text, note_below, open_box, open_more,
    paragraph, write_line,
};
use crate::report::kit::shell::{Shell, Tab, write_page};
use crate::report::kit::templates::Worker;
use crate::report::kit::verdict::FindingEntry;
use crate::report::kit::view::View;
use crate::report::subject::Report;
use std::borrow::Cow;
use std::io::Write;

/// A piece of a page.
pub(crate) enum Block<'m> {
    /// What the page says, in a sentence with words below it.
    Verdict {
        sentence: Cell<'m>,
        notes: Vec<Cell<'m>>,
    },
    /// Blocks below a title.
    Section(Section<'m>),
    /// A section with a table.
    List(Listing<'m>),
    /// Only a table.
    Table(Listing<'m>),
    Heading(Sentence),
    Paragraph(Cell<'m>),
    /// Words below a table.
    Note(&'static str),
    Facts(Vec<Fact<'m>>),
    /// What to do.
    Advice(&'m Advice),
    /// Entries that unfold, below this anchor.
    Cards {
        id: &'static str,
        cards: Vec<Card<'m>>,
    },
    /// A traceback with the frames of the user's files in front.
    Traceback(&'m [TextFrame]),
    /// A traceback in which the frames of libraries are folded between those of the user; one of them is marked.
    Frames {
        frames: Vec<TextFrame>,
        hit: Option<usize>,
    },
    /// Blocks that few readers need, folded.
    More {
        summary: Cell<'m>,
        blocks: Vec<Block<'m>>,
    },
    /// A text of the log that keeps its lines.
    Text(Cow<'m, str>),
    /// A part of the page that is drawn, or too large to be a value: a chart, a tree, thousands of links.
    Drawn(Drawing<'m>),
}

/// Writes a part of a page.
pub(crate) type Drawing<'m> = Box<dyn Fn(View<'_>, &mut dyn Write) -> anyhow::Result<()> + 'm>;

/// Blocks below a title.
pub(crate) struct Section<'m> {
    /// Its anchor.
    pub id: Cow<'m, str>,
    pub title: Cow<'m, str>,
    /// Words beside the title.
    pub about: Cow<'m, str>,
    /// The number beside the title.
    pub count: Option<usize>,
    /// Whether it has a tab.
    pub in_tabs: bool,
    pub blocks: Vec<Block<'m>>,
}

/// An entry that unfolds. The first of several is open.
pub(crate) struct Card<'m> {
    /// Its anchor.
    pub id: String,
    /// Its kind in a word, with the class that colors it.
    pub kind: &'static str,
    pub class: &'static str,
    pub title: Cell<'m>,
    /// The line below the title, mostly a [`place_of_card`]; a summary has no links.
    pub below: Cell<'m>,
    pub compiles: Vec<&'m Compile>,
    /// What it cost, mostly by [`cost_of_card`]; may be empty.
    pub cost: String,
    /// How often.
    pub count: String,
    pub body: Vec<Block<'m>>,
}

/// Where in the user's program the entry of a card is.
pub(crate) fn place_of_card<'m>(file: Option<&'m str>, line: Option<u64>) -> Cell<'m> {
    let Some(file) = file else { return Cell::Unknown };
    let short = short_path(file);
    let text = line.map_or_else(|| short.to_string(), |line| format!("{short}:{line}"));
    Cell::Titled(file.into(), Box::new(log(text).class("soft nowrap")))
}

/// What the entry of a card cost.
pub(crate) fn cost_of_card(cost: Option<&Cost>) -> String {
    cost.map_or_else(|| UNKNOWN.to_owned(), |cost| cost_words(cost.kind, cost.us))
}

/// Writes a page at the top of a report. Its sections and lists are its tabs.
pub(crate) fn write(
    report: Report<'_>,
    title: &str,
    blocks: &[Block<'_>],
    worker: &mut Worker,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    write_in(Shell::top(report, title), report, blocks, worker, out)
}

/// The same for a page with a frame of its own, which may be in a folder.
pub(crate) fn write_in(
    mut shell: Shell<'_>,
    report: Report<'_>,
    blocks: &[Block<'_>],
    worker: &mut Worker,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    shell.tabs.extend(blocks.iter().filter_map(Block::tab));
    let depth = shell.delivery.depth();
    write_page(worker, out, &shell, |worker, out| write_all(blocks, View::new(report, worker, depth), out))
}

/// Writes blocks into a page that has its frame already.
pub(crate) fn write_all(blocks: &[Block<'_>], view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    blocks.iter().try_for_each(|block| block.write(view, out))
}

impl Block<'_> {
    fn tab(&self) -> Option<Tab> {
        match self {
            Block::Section(one) if one.in_tabs => {
                Some(Tab::section(&one.id, &one.title, one.count.map(whole)))
            }
            Block::List(one) => Some(Tab::section(&one.id, &one.title, Some(whole(one.count())))),
            _ => None,
        }
    }

    fn write(&self, view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
        let on = Surface::Whole(view);
        match self {
            Block::Verdict { sentence, notes } => {
                let notes = notes.iter().map(|note| html(note, on)).collect();
                Ok(write_line(out, &view.verdict(html(sentence, on), notes)?)?)
            }
            Block::Section(one) => one.write(view, out),
            Block::List(list) => section(on, out, list),
            Block::Table(list) => table(on, out, list),
            Block::Heading(sentence) => Ok(heading(out, view.sentence(sentence))?),
            Block::Paragraph(cell) => Ok(paragraph(out, html(cell, on))?),
            Block::Note(words) => Ok(note_below(out, *words)?),
            Block::Facts(all) => Ok(write_line(out, &facts(on, all))?),
            Block::Advice(advice) => Ok(write_line(out, &block(view.fix_card(advice)?))?),
            Block::Cards { id, cards } => {
                open_box(out, id)?;
                cards.iter().enumerate().try_for_each(|(at, card)| card.write(view, at == 0, out))?;
                Ok(close(out, "div")?)
            }
            Block::Traceback(frames) => Ok(write_line(out, &block(view.own_traceback(frames)))?),
            Block::Frames { frames, hit } => {
                Ok(write_line(out, &block(view.traceback_in_parts(frames, *hit)))?)
            }
            Block::More { summary, blocks } => {
                open_more(out, html(summary, on))?;
                write_line(out, &controls(view, blocks)?)?;
                blocks.iter().try_for_each(|block| block.write(view, out))?;
                Ok(close(out, "details")?)
            }
            Block::Text(text) => Ok(write_line(out, &long_text(&**text))?),
            Block::Drawn(draw) => draw(view, out),
        }
    }
}

/// The controls of the first of these blocks that has any.
fn controls(view: View<'_>, blocks: &[Block<'_>]) -> anyhow::Result<Html> {
    for block in blocks {
        match block {
            Block::Cards { id, .. } => return Ok(view.fold_button(id)),
            Block::Table(list) if list.filter.is_some() => return tools(Surface::Whole(view), list),
            _ => {}
        }
    }
    Ok(Html::default())
}

impl<'m> Section<'m> {
    /// A section that is a tab of its page.
    pub fn new(
        id: impl Into<Cow<'m, str>>,
        title: impl Into<Cow<'m, str>>,
        blocks: Vec<Block<'m>>,
    ) -> Section<'m> {
        Section { id: id.into(), title: title.into(), about: "".into(), count: None, in_tabs: true, blocks }
    }

    /// Adds words beside the title.
    pub fn about(self, about: impl Into<Cow<'m, str>>) -> Section<'m> {
        Section { about: about.into(), ..self }
    }

    /// Adds a number beside the title.
    pub fn counted(self, count: usize) -> Section<'m> {
        Section { count: Some(count), ..self }
    }

    /// Leaves it out of the tabs.
    pub fn without_tab(self) -> Section<'m> {
        Section { in_tabs: false, ..self }
    }

    fn write(&self, view: View<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
        let head = (&*self.id, &*self.title, &*self.about);
        view.open_section(out, head, self.count.map(whole), controls(view, &self.blocks)?)?;
        self.blocks.iter().try_for_each(|block| block.write(view, out))?;
        Ok(close_section(out)?)
    }
}

impl Card<'_> {
    pub fn write(&self, view: View<'_>, open: bool, out: &mut dyn Write) -> anyhow::Result<()> {
        let head = FindingEntry {
            id: self.id.clone(),
            open,
            class: self.class,
            kind: self.kind,
            title: html(&self.title, Surface::Whole(view)),
            place: match &self.below {
                Cell::Unknown => Html::default(),
                below => html(below, Surface::Whole(view)),
            },
            pills: view.plain_pills(&self.compiles, NAMED),
            cost: self.cost.clone(),
            count: self.count.clone(),
            ..FindingEntry::default()
        };
        write_line(out, &view.finding(&head)?)?;
        self.body.iter().try_for_each(|block| block.write(view, out))?;
        Ok(close_finding(out)?)
    }
}
