//! The lists that a redacted report shows.

use crate::facts::{JobReport, LogReport, parts_us};
use crate::model::Parts;
use crate::report::doc::Listing;
use crate::report::kit::html::Html;
use crate::report::kit::pills::Pill;
use crate::report::lists::{self, GeneratedKernel, InputOf, compile_anchor};
use std::collections::BTreeMap;

/// The compiles of a page by id, each with its status: ids lead to their rows.
#[derive(Default)]
pub struct Statuses<'r>(BTreeMap<&'r str, &'r str>);

impl<'r> Statuses<'r> {
    pub fn of(log: &'r LogReport<'static>) -> Statuses<'r> {
        let known = log.compiles.iter().filter_map(|one| Some((one.id.as_deref()?, &*one.status)));
        Statuses(known.collect())
    }

    /// An id as on the pages of a whole report.
    pub fn pill(&self, id: &str) -> Html {
        let status = self.0.get(id).copied();
        let href = status.map(|_| format!("#{}", compile_anchor(id)));
        Pill { id, status, href: href.as_deref(), title: None }.html()
    }
}

/// Times of all compiles by part of the compiler.
pub fn sum_of_parts(log: &LogReport<'_>) -> Parts {
    log.compiles.iter().map(|one| parts_us(&one.time.parts)).fold(Parts::default(), Parts::plus)
}

/// What the page of a log shows, in this order.
pub fn of_log<'r>(log: &'r LogReport<'static>) -> Vec<Listing<'r>> {
    let known = lists::of_compiles(log.named_compiles());
    let mut all = vec![
        lists::findings(log.findings.iter().collect()),
        lists::to_do(&log.findings),
        lists::compiles(log.compiles.iter().collect(), &known),
        lists::graph_breaks(log.graph_breaks.iter().collect()),
        lists::recompiles(log.recompiles.iter().collect(), &known),
        lists::failures(log.failures.iter().collect()),
        lists::restarts(log.restarts.iter().collect()),
        lists::cache_lookups(log.caches.iter().collect()),
        lists::parts(&log.compile_time.parts, log.compile_time.total_s),
        lists::phases(&log.compile_time.phases),
    ];
    if let Some(found) = &log.performance {
        all.push(lists::measured_kernels(found.kernels.iter().collect()));
        all.push(lists::measured_operators(&found.ops));
    }
    all.extend([lists::generated_kernels(kernels(log)), lists::collectives(&log.cross_rank), inputs(log)]);
    all
}

/// What the page of a job shows.
pub fn of_job<'r>(job: &'r JobReport<'static>) -> Vec<Listing<'r>> {
    vec![
        lists::ranks_of_facts(&job.ranks),
        lists::findings(job.findings.iter().collect()),
        lists::to_do(&job.findings),
        lists::compared(&job.divergence),
    ]
}

/// Kernels with what the generated code of all compiles has of them.
fn kernels<'r>(log: &'r LogReport<'static>) -> Vec<GeneratedKernel<'r>> {
    let mut kernels: BTreeMap<&str, GeneratedKernel<'_>> = BTreeMap::new();
    for compile in &log.compiles {
        for (name, times) in &compile.kernels {
            let new = || GeneratedKernel { name, times: 0, compiles: Vec::new() };
            let kernel = kernels.entry(name).or_insert_with(new);
            kernel.times = kernel.times.saturating_add(*times);
            kernel.compiles.extend(compile.id.as_deref());
        }
    }
    kernels.into_values().collect()
}

fn inputs<'r>(log: &'r LogReport<'static>) -> Listing<'r> {
    let of_compiles = log.cross_rank.inputs.iter().flatten();
    let inputs = of_compiles.flat_map(|one| {
        let compile_id = one.compile_id.as_deref();
        one.tensors.iter().map(move |tensor| InputOf { compile_id, tensor })
    });
    lists::inputs(inputs.collect())
}
