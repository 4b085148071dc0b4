//! `diff.html`: the verdict, the changes, how certain they are, and the tables.

use super::rows::against;
use super::verdict::{doubt, notes, verdict};
use super::view::{DiffView, Side};
use super::{changes, kernels, tables};
use crate::compare::{ChangedFunctions, Comparison, Recording};
use crate::output::{Page, RelPath};
use crate::report::doc::html;
use crate::report::kit::assets::{COMPARE, Delivery};
use crate::report::kit::formats::{counted, day_and_time, micros, whole};
use crate::report::kit::html::Html;
use crate::report::kit::markup::{Element, close_section, strong, write_line};
use crate::report::kit::shell::{Shell, Tab, write_page};
use crate::report::kit::templates::Worker;
use crate::report::kit::verdict::{Hero, Words};
use serde::Serialize;
use std::io::Write;

#[derive(Serialize)]
struct Sides {
    sides: Vec<SideOfPage>,
}

#[derive(Serialize)]
struct SideOfPage {
    name: String,
    log: Html,
    about: String,
}

pub(super) fn page<'c>(
    comparison: &'c Comparison,
    changed: &'c ChangedFunctions<'c>,
    path: RelPath,
) -> Page<'c, Worker> {
    Page::rendered(path, move |worker, out| {
        let mut shell = Shell::of_job("Two runs", None, COMPARE);
        shell.delivery = Delivery::TOP;
        shell.crumbs = vec![(against(comparison), None)];
        let threshold = comparison.threshold;
        shell.aside = format!(
            "tlparse diff · threshold {}\u{a0}%, {}",
            crate::report::kit::formats::count((threshold.share * 1e4).round() / 100.0),
            micros(threshold.seconds * 1e6)
        );
        shell.tabs = tabs(DiffView::new(comparison, changed, worker));
        write_page(worker, out, &shell, |worker, out| {
            let view = DiffView::new(comparison, changed, worker);
            hero(view, out)?;
            if let Some(shown) = comparison.shown() {
                changes::section(view, out)?;
                doubts(view, out)?;
                tables::by_part(view, shown, out)?;
                tables::functions(view, shown, out)?;
                kernels::kernels(view, shown, out)?;
                let lists = [tables::settings(view), tables::ranks(view)];
                let mut known = lists.iter().filter(|list| list.count() > 0);
                known.try_for_each(|list| html::section(view.surface(), out, list))?;
            }
            Ok(())
        })
    })
}

fn tabs(view: DiffView<'_>) -> Vec<Tab> {
    let mut tabs = Vec::new();
    if let Some(shown) = view.comparison.shown() {
        tabs.push(Tab::section("changes", "What changed", None));
        tabs.push(Tab::section("noise", "Noise", None));
        let sections = [
            ("parts", "Time by part", shown.parts.len()),
            ("functions", "Functions", shown.functions.len()),
            ("kernels", "Measured kernels", shown.kernels.len()),
        ];
        let known = sections.into_iter().filter(|(.., count)| *count > 0);
        tabs.extend(known.map(|(id, text, count)| Tab::section(id, text, Some(whole(count)))));
        if view.comparison.logs.len() > 1 {
            tabs.push(Tab::section("ranks", "Ranks", Some(whole(view.comparison.logs.len()))));
        }
    }
    let [a, b] = &view.comparison.names;
    for (side, name) in [(Side::A, a), (Side::B, b)] {
        let name = format!("Report {name}");
        tabs.extend(view.href_in(side, "index.html").map(|href| Tab::away(href, &name, None)));
    }
    tabs
}

fn hero(view: DiffView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let mut sides = Vec::new();
    let [a, b] = &view.comparison.names;
    for (side, name, runs) in [(Side::A, a, &view.comparison.a), (Side::B, b, &view.comparison.b)] {
        for (at, recording) in runs.iter().enumerate() {
            let href = view.href_in(side, "index.html").filter(|_| at == 0);
            let log = match href {
                Some(href) => view.link(&href, &recording.name),
                None => Html::escaped(&recording.name),
            };
            let name = if runs.len() == 1 { name.to_owned() } else { format!("{name}{}", at + 1) };
            sides.push(SideOfPage { name, log, about: about(recording) });
        }
    }
    let bar = view.render("diff_sides", &Sides { sides })?;
    let (pieces, below) = verdict(view.comparison).headline();
    let below = (!below.is_empty()).then(|| Html::joined(below.iter().map(Words::html), ""));
    let notes = below.into_iter().chain(notes(view.comparison).into_iter().map(Html::from)).collect();
    write_line(out, &view.hero(&Hero { pieces, notes, bar })?)?;
    Ok(())
}

/// What wrote a run, and when.
fn about(recording: &Recording) -> String {
    let mut parts = Vec::new();
    if let [log] = recording.logs.as_slice() {
        parts.extend((log.log.file != recording.name).then(|| log.log.file.clone()));
    } else {
        parts.push(counted(recording.logs.len(), "rank", "ranks"));
    }
    let first = recording.logs.first();
    let records: u64 = recording.logs.iter().fold(0, |sum, log| sum.saturating_add(log.log.records));
    match records {
        0 => parts.push("a trace without a log".to_owned()),
        _ => {
            parts.push(format!("torch {}", recording.torch_words()));
            parts.push(counted(records, "record", "records"));
        }
    }
    let time = first.and_then(|log| log.log.first_time.as_deref()).and_then(day_and_time);
    parts.extend(time.map(|(day, time)| format!("{day} {time}")));
    parts.join(" · ")
}

/// How certain the differences are.
fn doubts(view: DiffView<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    view.open_section(out, ("noise", "How certain is this", ""), None, Html::default())?;
    let (runs, rest) = doubt(view.comparison);
    let mut pieces = vec![strong(runs), rest.into()];
    if view.comparison.a.len() + view.comparison.b.len() == 2 {
        pieces.push(view.command("tlparse diff --a A1 A2 A3 --b B1 B2 B3"));
    }
    write_line(out, &Element::new("p").class("advice doubt").around(Html::joined(pieces, " ")))?;
    Ok(close_section(out)?)
}
