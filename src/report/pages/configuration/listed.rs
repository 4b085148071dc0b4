//! All settings of the log in one table, folded: a filter finds each by its name, those that are off too.

use super::changed::{Compared, about};
use crate::report::kit::config_kinds::Kind;
use crate::report::kit::log_settings::{LISTED, OFF};
use crate::report::kit::prelude::*;
use crate::report::kit::tables::TextRow;

/// The anchor.
pub(super) const ID: &str = "settings";

/// Characters of a value; two recorded ones have more, lists of names with 300 and 550. report.json has them whole.
const LONGEST: usize = 120;

/// The settings of the most used configuration of each kind.
pub(super) fn write(
    view: View<'_>,
    out: &mut dyn Write,
    kinds: &[Kind],
    compared: &Compared<'_>,
) -> anyhow::Result<()> {
    let settings: Vec<Selected<'_>> = settings(kinds).map(|one| Selected::of(one, compared)).collect();
    let count = settings.len();
    if count == 0 {
        return Ok(());
    }
    let choices = CHOICES.map(|(word, text)| {
        (word, text, settings.iter().filter(|one| one.choices().any(|choice| choice == word)).count())
    });
    let titles = kinds.iter().map(|kind| {
        (kind.id, kind.title, settings.iter().filter(|one| one.setting.kind.id == kind.id).count())
    });
    let tools = view.narrow("settings-table", "Filter by name", choices.into_iter().chain(titles))?;
    let note = match kinds.iter().any(|kind| kind.configs.len() > 1 || kind.unread > 0) {
        true => "as most compilations had them; those that differ between compilations stand above",
        false => "as all compilations had them",
    };
    view.open_section(out, (ID, "All settings", note), Some(whole(count)), Html::default())?;
    let modules = kinds.iter().map(|kind| view.code(kind.module)).collect::<Vec<_>>();
    soft_paragraph(out, Html::joined([Html::joined(modules, ", "), ".".into()], ""))?;
    open_more(out, format!("{}, those that are off included", counted(count, "setting", "settings")))?;
    crate::report::kit::markup::put(out, &tools)?;
    let heads = vec![
        Head::text("Of"),
        Head::text("Setting").mono(),
        Head::text("Value").mono(),
        Head::unsorted("What it does").soft(),
    ];
    let table = Table { id: "settings-table", label: "All settings", heads };
    let mut anchored: Vec<&str> = Vec::new();
    let rows = settings.iter().take(LISTED).map(|selected| {
        let one = &selected.setting;
        let (value, cut) = clipped(one.value, LONGEST);
        // Links lead to the settings of a module: the first of them has the anchor.
        let is_first = !anchored.contains(&one.kind.id);
        if is_first {
            anchored.push(one.kind.id);
        }
        TextRow {
            id: is_first.then_some(one.kind.id),
            words: selected.words(),
            cells: [
                one.kind.title.into(),
                one.name.into(),
                if cut { format!("{value} …").into() } else { value.into() },
                selected.about.unwrap_or_default().into(),
            ],
        }
    });
    view.text_table(out, &table, rows)?;
    view.left_out(out, count, LISTED, "stand in report.json")?;
    close(out, "details")?;
    close_section(out)?;
    Ok(())
}

/// How many settings there are.
pub(super) fn count(kinds: &[Kind]) -> usize {
    settings(kinds).count()
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

/// What a reader can narrow the list to besides a kind: the word that selects it, and what the reader is offered.
const CHOICES: [(&str, &str); 4] =
    [("changed", "changed"), ("explained", "explained"), ("on", "on or with a value"), ("off", "off")];

/// Bytes of the longest words that select a setting: `dynamo changed explained on`.
const WORDS_BYTES: usize = 32;

/// A setting with what selects it.
struct Selected<'k> {
    setting: Setting<'k>,
    is_changed: bool,
    /// What it does, where that is known.
    about: Option<&'static str>,
}

impl<'k> Selected<'k> {
    fn of(setting: Setting<'k>, compared: &Compared<'_>) -> Selected<'k> {
        let Setting { kind, name, .. } = setting;
        let is_changed = compared.is_changed(kind.kind, name);
        Selected { setting, is_changed, about: about(kind.kind, name) }
    }

    /// Those of [`CHOICES`] that select it.
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
