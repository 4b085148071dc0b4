//! All settings of the log in one folded table with a filter by name, including those switched off.

use super::changed::{Compared, about, short};
use crate::limits::LONG_TABLE;
use crate::report::doc::{Block, Cell, Filter, Listing, Others, Rows, Section, own};
use crate::report::kit::config_kinds::Kind;
use crate::report::kit::formats::counted;
use crate::report::kit::log_settings::OFF;
use std::collections::BTreeSet;

/// The settings of the most used configuration of each kind.
pub(super) fn section<'m>(kinds: &'m [Kind], compared: &Compared<'_>) -> Option<Block<'m>> {
    let settings: Vec<Selected<'m>> = settings(kinds).map(|one| Selected::of(one, compared)).collect();
    let count = settings.len();
    let note = match kinds.iter().any(|kind| kind.configs.len() > 1 || kind.unread > 0) {
        true => "as in most compilations; those that differ between compilations are listed above",
        false => "as in all compilations",
    };
    let modules = kinds.iter().map(|kind| Cell::from(kind.module)).collect();
    let summary = format!("{}, including those switched off", counted(count, "setting", "settings"));
    let blocks = vec![
        Block::Paragraph(Cell::Beside(modules, ", ").class("soft")),
        Block::More { summary: own(summary), blocks: vec![Block::Table(listing(kinds, settings))] },
    ];
    let section = Section::new("settings", "All settings", blocks).about(note).counted(count);
    (count > 0).then_some(Block::Section(section))
}

fn listing<'m>(kinds: &'m [Kind], settings: Vec<Selected<'m>>) -> Listing<'m> {
    let titles = kinds.iter().map(|kind| (kind.id, kind.title));
    let filter = Filter { hint: "Filter by name", words: CHOICES.into_iter().chain(titles).collect() };
    // Links go to the settings of a module: the first of them has the anchor.
    let starts = settings.chunk_by(|one, next| one.setting.kind.id == next.setting.kind.id);
    let starts: BTreeSet<usize> = starts
        .scan(0, |at, of_kind| {
            let start = *at;
            *at += of_kind.len();
            Some(start)
        })
        .collect();
    Rows::of(settings)
        .text("Of", |one| one.setting.kind.title.into())
        .text("Setting", |one| Cell::Log(one.setting.name.into()))
        .mono()
        .text("Value", |one| Cell::Log(short(one.setting.value).into()))
        .mono()
        .unsorted("What it does", |one| one.about.map(|about| Cell::from(about).class("soft")).into())
        .filtered(filter, |one| one.words().into())
        .anchored(move |at, one| starts.contains(&at).then(|| one.setting.kind.id.to_owned()))
        .first(LONG_TABLE, Others::Elsewhere("are in report.json"))
        .listing("settings", "All settings", "")
}

/// A setting of the most used configuration of its kind.
#[derive(Clone, Copy)]
struct Setting<'k> {
    kind: &'k Kind,
    name: &'k str,
    value: &'k str,
}

fn settings(kinds: &[Kind]) -> impl Iterator<Item = Setting<'_>> {
    let first = kinds.iter().filter_map(|kind| Some((kind, kind.configs.first()?)));
    first.flat_map(|(kind, config)| {
        config.settings.iter().map(move |(name, value)| Setting { kind, name, value })
    })
}

/// Filters of the list besides the kinds: the word in the row, and the label.
const CHOICES: [(&str, &str); 4] =
    [("changed", "changed"), ("explained", "explained"), ("on", "on or with a value"), ("off", "off")];

/// Room for the words that select a setting: `dynamo changed explained on`.
const WORDS_BYTES: usize = 32;

/// A setting with its properties for the filter.
struct Selected<'k> {
    setting: Setting<'k>,
    is_changed: bool,
    /// What it does, if known.
    about: Option<&'static str>,
}

impl<'k> Selected<'k> {
    fn of(setting: Setting<'k>, compared: &Compared<'_>) -> Selected<'k> {
        let Setting { kind, name, .. } = setting;
        let is_changed = compared.is_changed(kind.kind, name);
        Selected { setting, is_changed, about: about(kind.kind, name) }
    }

    /// The words of [`CHOICES`] that select it.
    fn choices(&self) -> impl Iterator<Item = &'static str> {
        let is_off = OFF.contains(&self.setting.value);
        let holds = [self.is_changed, self.about.is_some(), !is_off, is_off];
        CHOICES.iter().zip(holds).filter(|(_, holds)| *holds).map(|((word, _), _)| *word)
    }

    /// All words that select it, with spaces between them.
    fn words(&self) -> String {
        let mut words = String::with_capacity(WORDS_BYTES);
        words.push_str(self.setting.kind.id);
        for choice in self.choices() {
            words.push(' ');
            words.push_str(choice);
        }
        words
    }
}
