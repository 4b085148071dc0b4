//! How kernels are judged: their limit, the bounds between verdicts, and the device with the source of its figures.

use super::limits::Limits;
use crate::analysis::performance::{
    FAR, IMPOSSIBLE, IMPOSSIBLE_BANDWIDTH, LAUNCH_US, LONG_US, NEAR, Performance, SUSPICIOUS,
    SUSPICIOUS_BANDWIDTH, WRONG,
};
use crate::report::doc::{Block, Cell, Fact, Section};
use crate::report::kit::prelude::*;
use crate::report::words::performance::figures;

/// The section; without a known device, nothing is judged.
pub(super) fn section(found: &Performance) -> Option<Block<'_>> {
    let device = found.peaks.as_ref().filter(|_| !found.kernels.is_empty())?;
    let share = |of: f64| percent(of, 1.0, false);
    let verdicts = format!(
        "Near a limit from {}, room from {}, far below. Over {} of a peak or {} of the bandwidth a figure is to be \
         checked, over {} or {} it cannot be true, unless the cache of the device holds all bytes of a launch; under {} of both \
         limits in over {LONG_US} us, its counts are probably wrong. Below {LAUNCH_US} us a kernel is too short to be called \
         far from a limit.",
        share(NEAR),
        share(FAR),
        share(SUSPICIOUS),
        share(SUSPICIOUS_BANDWIDTH),
        share(IMPOSSIBLE),
        share(IMPOSSIBLE_BANDWIDTH),
        share(WRONG)
    );
    let figures = "Times cover all runs, rates are for the mean run. Bytes are the minimum that a run must move: each tensor once, \
                   twice if it is updated in place. Real traffic may be higher, or lower if the data is still in a cache.";
    let to_gain = "The time above what the limit would need, for all runs. It is a bound, not a promise, and such bounds do \
                   not add up.";
    let source = format!(
        "{}: {}. Choose another device with `--device`, and set its clock with `--clock`.",
        device.name,
        device.source.trim_end_matches('.')
    );
    let facts = [
        ("Limit", limit(found)),
        ("Verdict", verdicts),
        ("Figures", figures.to_owned()),
        ("To gain", to_gain.to_owned()),
        ("Device", source),
    ];
    let facts = facts.map(|(label, words)| Fact::new(label, Cell::Prose(words.into()))).into();
    Some(Block::Section(Section::new(
        "judged",
        "How it is judged",
        vec![Block::More { summary: "Times, rates and verdicts".into(), blocks: vec![Block::Facts(facts)] }],
    )))
}

/// `The smaller of 990 TFLOP/s in bf16 and of 3.35 TB/s times the FLOPs per byte. Where no FLOPs are counted, the bandwidth.`
fn limit(found: &Performance) -> String {
    let Some(limits) = Limits::of(found, found.kernels.iter()) else {
        return "The bandwidth or the peak, whichever is known of the device.".to_owned();
    };
    let peaks = limits.peaks().map(|peak| format!("{} in {}", figures::flop_rate(peak.tflops), peak.kind));
    let peaks = peaks.collect::<Vec<_>>().join(" or ");
    let bandwidth = figures::byte_rate(limits.gbps);
    format!(
        "The smaller of {peaks} and of {bandwidth} times the FLOPs per byte. Where no FLOPs are counted, the bandwidth."
    )
}
