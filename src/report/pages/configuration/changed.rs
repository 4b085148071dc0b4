//! Settings that differ from torch's defaults, which readers look at first.

use crate::analysis::configs::NOTABLE;
use crate::analysis::defaults::{Against, Choice, Defaults};
use crate::limits::{CELL, LONG_TABLE, NAMED};
use crate::model::{Compile, CompileIndex};
use crate::report::doc::{Block, Cell, Listing, Others, Rows, Section, own};
use crate::report::kit::config_kinds::{Config, Kind};
use crate::report::kit::formats::{and_more, clipped};
use crate::report::subject::Report;

/// A value of a setting that is not torch's default, or that torch computes.
pub(crate) struct Setting<'k> {
    /// Its configuration.
    pub kind: &'k Kind,
    pub name: &'k str,
    /// Its value as JSON.
    pub value: &'k str,
    /// How it compares.
    pub against: Against,
    /// The compiles that had it; empty if all had it.
    pub compiles: Vec<CompileIndex>,
}

/// The settings of a log compared with torch's defaults.
pub(crate) struct Compared<'k> {
    /// The defaults; None if none are known for this torch.
    pub defaults: Option<Defaults>,
    /// Changed settings.
    pub changed: Vec<Setting<'k>>,
    /// Settings that torch computes from the machine, or sets by itself.
    pub of_machine: Vec<Setting<'k>>,
}

impl<'k> Compared<'k> {
    /// Compares the settings of all configurations.
    pub fn of(torch: Option<&str>, kinds: &'k [Kind]) -> Compared<'k> {
        let first = kinds.iter().filter_map(|kind| Some((kind.kind, &kind.configs.first()?.settings)));
        let first: Vec<_> = first.collect();
        let defaults = if first.is_empty() { None } else { Defaults::for_log(torch, &first) };
        let mut compared = Compared { defaults, changed: Vec::new(), of_machine: Vec::new() };
        let Some(defaults) = &compared.defaults else { return compared };
        for setting in kinds.iter().flat_map(|kind| values(defaults, kind)) {
            match setting.against {
                Against::Changed(_) => compared.changed.push(setting),
                Against::OfMachine => compared.of_machine.push(setting),
                Against::Default | Against::Unknown => {}
            }
        }
        // Explained settings first, in the order of explanations.
        compared.changed.sort_by_key(|one| notable(one).unwrap_or(NOTABLE.len()));
        compared
    }

    /// Whether a setting was changed in any configuration.
    pub fn is_changed(&self, kind: &str, name: &str) -> bool {
        self.changed.iter().any(|one| one.kind.kind == kind && one.name == name)
    }

    /// How many settings were changed.
    pub fn count(&self) -> usize {
        let mut names: Vec<(&str, &str)> = self.changed.iter().map(|one| (one.kind.kind, one.name)).collect();
        names.sort_unstable();
        names.dedup();
        names.len()
    }
}

/// The values of a kind's settings that are not the default, each once.
fn values<'k>(defaults: &Defaults, kind: &'k Kind) -> Vec<Setting<'k>> {
    let mut found: Vec<Setting<'k>> = Vec::new();
    for config in &kind.configs {
        for (name, value) in &config.settings {
            let against = defaults.against(kind.kind, name, value);
            if !matches!(against, Against::Changed(_) | Against::OfMachine) {
                continue;
            }
            let compiles = config.compiles.iter().copied();
            match found.iter_mut().find(|one| one.name == name && one.value == value) {
                Some(known) => known.compiles.extend(compiles),
                None => found.push(Setting { kind, name, value, against, compiles: compiles.collect() }),
            }
        }
    }
    // A value that all configurations have needs no list of compiles.
    for one in &mut found {
        let has = |config: &Config| config.settings.get(one.name).is_some_and(|value| value == one.value);
        if kind.configs.iter().all(has) {
            one.compiles.clear();
        }
        one.compiles.sort_unstable();
        one.compiles.dedup();
    }
    found
}

/// The place of a setting among the explained ones.
fn notable(one: &Setting<'_>) -> Option<usize> {
    NOTABLE.iter().position(|notable| notable.name == one.name && notable.kind == one.kind.kind)
}

/// What a setting does, if known.
pub(crate) fn about(kind: &str, name: &str) -> Option<&'static str> {
    // The name is compared first, as it almost always decides.
    NOTABLE.iter().find(|notable| notable.name == name && notable.kind == kind).map(|notable| notable.about)
}

/// Where the defaults come from, in a sentence.
pub(crate) fn source<'m>(compared: &Compared<'_>) -> Cell<'m> {
    let Some(Defaults { choice, torch, .. }) = &compared.defaults else {
        return "The defaults of this torch are unknown, so nothing is compared.".into();
    };
    own(match choice {
        Choice::Same => format!("Compared with the defaults of torch {torch}."),
        Choice::NearestBelow => format!(
            "The defaults of this torch are unknown: compared with the nearest older version, torch {torch}, and the next \
             newer one if known. A default that existed only in between looks like a change."
        ),
        Choice::BySettings => format!(
            "The log does not name its torch version: compared with the defaults of torch {torch}, whose settings match the \
             log best."
        ),
    })
}

/// The section: changed settings, then those that cannot be compared.
pub(crate) fn section<'m>(report: Report<'m>, compared: &'m Compared<'m>) -> Option<Block<'m>> {
    compared.defaults.as_ref()?;
    let mut blocks = vec![match compared.changed.is_empty() {
        true => Block::Paragraph("All settings of this log are torch's defaults.".into()),
        false => Block::Table(changed(report, compared)),
    }];
    if !compared.of_machine.is_empty() {
        let listed = compared.of_machine.iter().take(NAMED);
        let listed = listed.map(|one| Cell::Code(format!("{} = {}", one.name, short(one.value)).into()));
        let before = "Not compared, as torch computes them from the machine or sets them while compiling: ";
        let more = own(format!("{}.", and_more(compared.of_machine.len(), NAMED)));
        let cells = vec![before.into(), Cell::Beside(listed.collect(), ", "), more];
        blocks.push(Block::Paragraph(Cell::Beside(cells, "").class("soft")));
    }
    let about = "settings that are not torch's defaults";
    Some(Block::Section(Section::new("changed", "Changed", blocks).about(about).counted(compared.count())))
}

fn changed<'m>(report: Report<'m>, compared: &'m Compared<'m>) -> Listing<'m> {
    let some = compared.changed.iter().any(|one| !one.compiles.is_empty());
    Rows::of(compared.changed.iter().collect::<Vec<&'m Setting<'m>>>())
        .unsorted("Of", |one| one.kind.title.into())
        .unsorted("Setting", |one| Cell::Log(one.name.into()))
        .mono()
        .unsorted("Value", |one| Cell::Log(short(one.value).into()).class("warn"))
        .mono()
        .unsorted("Default", |one| match &one.against {
            Against::Changed(default) => Cell::Log(short(default).into()),
            _ => Cell::Unknown,
        })
        .mono()
        .unsorted("What it does", |one| {
            about(one.kind.kind, one.name).map(|about| Cell::from(about).class("soft")).into()
        })
        .unsorted("Compiles", move |one| match one.compiles.is_empty() {
            _ if !some => Cell::Unknown,
            true => Cell::from("all").class("soft"),
            false => compiles(report, one.compiles.iter().copied(), NAMED),
        })
        .first(LONG_TABLE, Others::Elsewhere("are in report.json"))
        .listing("changed", "Settings that were changed", "")
}

pub(super) fn short(value: &str) -> String {
    let (short, cut) = clipped(value, CELL);
    format!("{short}{}", if cut { " …" } else { "" })
}

/// The first of these compiles.
pub(super) fn compiles<'m>(
    report: Report<'m>,
    indices: impl IntoIterator<Item = CompileIndex>,
    most: usize,
) -> Cell<'m> {
    let compiles: Vec<&'m Compile> =
        indices.into_iter().filter_map(|index| report.model.compiles.get(index)).collect();
    Cell::SomeCompiles { compiles, most, beside_names: false }
}
