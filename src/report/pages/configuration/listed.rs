//! All settings of a configuration, without markup a setting: there are nearly a thousand.

use crate::report::kit::formats::{clipped, counted, whole};
use crate::report::kit::html::Html;
use crate::report::kit::log_settings::Kind;
use crate::report::kit::log_settings::LISTED;
use crate::report::kit::log_settings::OFF;
use crate::report::kit::markup::{Element, close_section, put, soft_paragraph, span, strong};
use crate::report::kit::view::View;
use crate::report::pages::configuration::NOTABLE;
use indexmap::IndexMap;
use std::io::Write;

/// Characters of a value; two recorded ones have more, lists of names with 300 and 550. report.json has them whole.
const LONGEST: usize = 120;

/// The value of what is on.
const ON: &str = "true";

/// Characters that a beginning in common must spare before it stands once, above the names that have it.
const SPARED: usize = 10;

/// Settings that two or more beginnings must share to stand once for all of them.
const SHARED: usize = 3;

/// The settings of the most used configuration that have a value or are on, and how many are not; notable ones stand
/// in a table of their own.
pub(crate) fn write(view: View<'_>, out: &mut dyn Write, kind: &Kind) -> anyhow::Result<()> {
    let Some(config) = kind.configs.first() else { return Ok(()) };
    let count = config.settings.len();
    let notable = |name: &str| NOTABLE.iter().any(|one| one.kind == kind.kind && one.name == name);
    let all: Vec<(&str, &str)> = config
        .settings
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .filter(|(name, _)| !notable(name))
        .collect();
    let compiles = counted(config.compiles.len(), "compilation", "compilations");
    let mut about = format!("{}, as {compiles} had it", kind.module);
    match kind.configs.len() - 1 + kind.unread {
        0 => {}
        n => about.push_str(&format!(
            "; {} as shown above",
            counted(n, "other configuration differs", "other configurations differ")
        )),
    }
    if all.len() < count {
        about.push_str(&format!(
            "; {} stand above",
            counted(count - all.len(), "notable one", "notable ones")
        ));
    }
    view.open_section(out, (kind.id, kind.title, &about), Some(whole(count)), Html::default())?;
    let listed = || all.iter().take(LISTED).copied();
    let own = listed().filter(|(_, value)| *value != ON && !OFF.contains(value));
    let own: Vec<(&str, String)> = own.map(|(name, value)| (name, with_value(value))).collect();
    write_list(out, own.iter().map(|(name, value)| (*name, value.as_str())))?;
    let on: Vec<_> = listed().filter(|(_, value)| *value == ON).map(|(name, _)| (name, "")).collect();
    if !on.is_empty() {
        let heading = Html::joined([view.code(ON), span("count", whole(on.len()))], " ");
        put(out, &Element::new("h3").class("space-around").around(heading))?;
        write_list(out, on.into_iter())?;
    }
    let off = OFF.map(|off| (off, listed().filter(|(_, value)| *value == off).count()));
    let off: Vec<_> =
        off.into_iter().filter(|(_, n)| *n > 0).map(|(off, n)| format!("{} {off}", whole(n))).collect();
    if !off.is_empty() {
        let off = format!("Off, and not listed here: {}. The ", off.join(", "));
        let search = view.link("search.html", "search");
        soft_paragraph(out, Html::joined([off.into(), search, " finds each by its name.".into()], ""))?;
    }
    view.left_out(out, all.len(), LISTED, "stand in report.json")?;
    close_section(out)?;
    Ok(())
}

/// What stands behind a name.
fn with_value(value: &str) -> String {
    let (start, cut) = clipped(value, LONGEST);
    format!(" = {start}{}", if cut { " …" } else { "" })
}

/// Whole names first, then those that stand below the beginning that they have in common.
fn write_list<'s>(
    out: &mut dyn Write,
    settings: impl Iterator<Item = (&'s str, &'s str)>,
) -> anyhow::Result<()> {
    let mut pieces = Vec::new();
    for (beginnings, rests) in groups(settings) {
        if !beginnings.is_empty() {
            pieces.push(strong(beginnings));
        } else if rests.is_empty() {
            continue;
        }
        pieces.push(
            rests
                .join(
                    "
",
                )
                .into(),
        );
    }
    if !pieces.is_empty() {
        put(out, &Element::new("pre").class("value-list").around(Html::joined(pieces, "")))?;
    }
    Ok(())
}

/// Settings (name and what stands behind it) by the beginning of their names, up to the first point: `cuda.` with
/// `arch` and `version`. Those with no beginning, or alone with it, come first. Beginnings that have the same names
/// with the same values share a group: `cuda. xpu.`.
fn groups<'s>(settings: impl Iterator<Item = (&'s str, &'s str)>) -> IndexMap<String, Vec<String>> {
    let mut beginnings: IndexMap<(&str, &str), Vec<&str>> = IndexMap::new();
    for (name, value) in settings {
        let (beginning, rest) = name.split_at(name.find('.').map_or(0, |point| point + 1));
        beginnings.entry((rest, value)).or_default().push(beginning);
    }
    let mut shared: IndexMap<Vec<&str>, Vec<(&str, &str)>> = IndexMap::new();
    for (setting, of) in beginnings {
        shared.entry(of).or_default().push(setting);
    }
    let mut alone: IndexMap<&str, Vec<(&str, &str)>> = IndexMap::new();
    let mut found: IndexMap<String, Vec<String>> = IndexMap::from([(String::new(), Vec::new())]);
    let line = |beginning: &str, (rest, value): &(&str, &str)| format!("{beginning}{rest}{value}");
    for (of, settings) in shared {
        if of.len() > 1 && settings.len() >= SHARED && !of.contains(&"") {
            found.insert(of.join(" "), settings.iter().map(|setting| line("", setting)).collect());
        } else {
            of.iter().for_each(|one| alone.entry(one).or_default().extend(&settings));
        }
    }
    for (beginning, settings) in alone {
        let spares = beginning.len() * (settings.len() - 1) >= SPARED;
        let (group, before) = if spares { (beginning, "") } else { ("", beginning) };
        let group = found.entry(group.to_owned()).or_default();
        group.extend(settings.iter().map(|setting| line(before, setting)));
    }
    if let Some(whole) = found.get_mut("") {
        whole.sort();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_begin_alike_stand_below_their_beginning() {
        let settings = [
            ("a", " = 1"),
            ("triton.cudagraphs", ""),
            ("triton.multi_kernel", ""),
            ("triton.spill_threshold", ""),
            ("xpu.one", ""),
            ("cuda.x", ""),
            ("cuda.y", ""),
            ("cuda.z", ""),
            ("mtia.x", ""),
            ("mtia.y", ""),
            ("mtia.z", ""),
        ];
        let found: Vec<_> = groups(settings.into_iter()).into_iter().collect();
        let of = |beginning: &str, rests: &[&str]| {
            (beginning.to_owned(), rests.iter().map(|rest| (*rest).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(
            found,
            [
                of("", &["a = 1", "xpu.one"]),
                of("cuda. mtia.", &["x", "y", "z"]),
                of("triton.", &["cudagraphs", "multi_kernel", "spill_threshold"]),
            ]
        );
    }

    #[test]
    fn a_setting_named_twice_in_the_same_group_is_not_lost() {
        let found = groups([("a.b", ""), ("b", "")].into_iter());
        assert_eq!(found.into_values().flatten().collect::<Vec<_>>(), ["a.b", "b"]);
    }
}
