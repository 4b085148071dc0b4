//! `kernels.html`: kernels by the time that a trace measured, the lines of the program that they come from, and the kernels
//! of the generated code. Of a trace without a log it is the first page, too.

mod generated;
mod judged;
mod limits;
mod lines;
mod measured;
mod roofline;
mod scale;
mod subject;
mod trace;

use crate::limits::{FIRST, LONG_TABLE};
use crate::report::doc::{Block, Listing, Section, own, page};
use crate::report::kit::assets::Delivery;
use crate::report::kit::inductor_runs::{self, Run};
use crate::report::kit::prelude::*;
use crate::report::lists::measured_kernels;
use crate::report::subject::ToSearch;
use subject::Subject;

/// Whether the report was given a trace, or the log has generated code.
pub(crate) fn present(report: Report<'_>) -> bool {
    let has_code = |run: &Run<'_>| !run.run.code.is_empty();
    let mut compiles = report.model.compiles.iter();
    report.found.performance.is_some()
        || compiles.any(|compile| inductor_runs::runs_of(report, compile).iter().any(has_code))
}

/// The page, under the name of the former page of measured kernels, too, and first where there is no log.
pub(crate) fn pages(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let mut names = vec![links::KERNELS];
    names.extend(report.found.performance.is_some().then_some(links::PERFORMANCE));
    names.extend(report.is_trace_alone().then(|| paths::landing(report.settings)));
    let page = |name: &'static str| {
        Page::rendered(RelPath::of_parts(&[name]), move |worker, out| {
            let shell = Shell { delivery: Delivery::of(name), ..Shell::top(report, "Kernels") };
            let subject = Subject::read(report)?;
            let is_landing = name == paths::landing(report.settings);
            page::write_in(shell, report, &blocks(&subject, is_landing), worker, out)
        })
    };
    names.into_iter().map(page).collect()
}

/// The kernels of the generated code, and those that a trace measured.
pub(crate) fn searched(report: Report<'_>, to: &mut ToSearch<'_>) -> anyhow::Result<()> {
    to("Kernels", &[generated::listing(&Subject::read(report)?, "code", "Kernels")])?;
    let measured = report.found.performance.iter().flat_map(|found| &found.kernels);
    to(
        "Measured kernels and operators",
        &[measured_kernels(measured.map(|one| &**one).take(LONG_TABLE).collect())],
    )
}

fn blocks<'m>(subject: &'m Subject<'m>, is_landing: bool) -> Vec<Block<'m>> {
    let Some(found) = subject.measured else {
        let mut blocks =
            vec![generated::headline(subject), generated::kernels(subject, "kernels", "Kernels")];
        blocks.extend(lines::generated(subject));
        return blocks;
    };
    let mut blocks = trace::head(subject, found);
    blocks.extend(trace::notable(subject, found));
    blocks.extend(lines::measured(found).or_else(|| lines::generated(subject)));
    let kernels = measured::kernels(subject, found, "kernels", usize::MAX);
    let roofline = roofline::section(found, &kernels);
    if is_landing {
        blocks.push(longest_first(measured::kernels(subject, found, "longest-kernels", FIRST), kernels));
        blocks.extend(roofline.map(|one| Block::Section(folded(one))));
    } else {
        blocks.extend(roofline.map(Block::Section));
        blocks.push(measured::section(kernels));
    }
    if !subject.runs.is_empty() {
        blocks.push(generated::kernels(subject, "code", "In the generated code"));
    }
    blocks.extend(judged::section(found));
    blocks
}

/// The kernels that took longest, and a fold with all of them.
fn longest_first<'m>(longest: Listing<'m>, all: Listing<'m>) -> Block<'m> {
    if all.count() == longest.count() {
        return measured::section(all);
    }
    let (about, count) = (all.about.clone(), all.count());
    let summary = format!("All {} kernels", whole(count));
    let blocks =
        vec![Block::Table(longest), Block::More { summary: own(summary), blocks: vec![Block::Table(all)] }];
    Block::Section(Section::new("kernels", "Kernels", blocks).about(about).counted(count))
}

/// A section with its content folded below what it is about.
fn folded(section: Section<'_>) -> Section<'_> {
    let summary = "Rates of the kernels against the limits of the device".to_owned();
    Section { blocks: vec![Block::More { summary: own(summary), blocks: section.blocks }], ..section }
}
