//! `performance.html`: what a torch.profiler trace says about kernels: which lines of the program take the device's
//! time, and how far each kernel is from the limits of the device.

mod head;
mod judged;
mod kernels;
mod limits;
mod lines;
mod notes;
mod regions;
mod roofline;
mod scale;

use crate::analysis::performance::Performance;
use crate::report::kit::inductor_runs;
use crate::report::kit::links::kernel_of_code_anchor;
use crate::report::kit::prelude::*;
use fxhash::FxHashMap;

/// Whether the report was given a trace.
pub(crate) fn present(report: Report<'_>) -> bool {
    report.found.performance.is_some()
}

/// The page, if the report was given a trace.
pub(crate) fn pages(report: Report<'_>) -> Vec<Page<'_, Worker>> {
    let Some(found) = &report.found.performance else { return Vec::new() };
    let page = |name: &'static str| {
        let shell = move || Shell { delivery: Delivery::of(name), ..Shell::top(report, "Performance") };
        Page::rendered(RelPath::of_parts(&[name]), move |worker, out| {
            write((report, found), shell(), worker, out)
        })
    };
    let mut pages = vec![page(links::PERFORMANCE)];
    // Without a log there is nothing else to begin with.
    pages.extend(report.is_trace_alone().then(|| page(paths::landing(report.settings))));
    pages
}

fn write(
    (report, found): (Report<'_>, &Performance),
    mut shell: Shell<'_>,
    worker: &mut Worker,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let notes = notes::count(report, found);
    let mut section = |id: &str, text: &str, count: usize| {
        if count > 0 {
            shell.tabs.push(Tab::section(id, text, Some(whole(count))));
        }
    };
    let points = roofline::points(found).len();
    section("notes", "What stands out", notes);
    section("lines", "Lines", found.lines.len());
    section("roofline", "Roofline", if roofline::present(found) { points } else { 0 });
    section("kernels", "Kernels", found.kernels.len());
    section("regions", "Compiled regions", found.regions.len());
    section("operators", "Operators", regions::shown_operators(found).len());
    if judged::present(found) {
        shell.tabs.push(Tab::section("judged", "How it is judged", None));
    }
    write_page(worker, out, &shell, |worker, out| {
        let view = View::new(report, worker, 0);
        let in_code = places_in_code(view, found);
        head::write(view, found, out)?;
        notes::write(view, found, out)?;
        lines::write(view, found, out)?;
        roofline::write(view, found, out)?;
        kernels::Kernels { view, found, in_code: &in_code }.write(out)?;
        regions::write(view, found, out)?;
        regions::operators(view, found, out)?;
        judged::write(view, found, out)
    })
}

/// The address of each kernel on the page of all kernels.
fn places_in_code(view: View<'_>, found: &Performance) -> Vec<Option<String>> {
    let runs = inductor_runs::all(view.report);
    let place_of = |run: (usize, &inductor_runs::Run<'_>)| {
        let compile = view.report.model.by_id.get(&run.1.compile.id)?;
        Some(((*compile, (run.1.run.attempt, run.1.run.order)), run.0))
    };
    let places: FxHashMap<_, usize> = runs.iter().enumerate().filter_map(place_of).collect();
    let mut hrefs = vec![None; found.kernels.len()];
    for call in &found.calls {
        let (Some(run), Some(slot)) = (places.get(&(call.compile, call.run)), hrefs.get_mut(call.kernel))
        else {
            continue;
        };
        if slot.is_none() {
            let page = view.href_of(links::KERNELS);
            *slot = Some(format!("{page}#{}", kernel_of_code_anchor(*run, call.first)));
        }
    }
    hrefs
}
