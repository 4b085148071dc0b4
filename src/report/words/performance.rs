//! What a trace of torch.profiler tells, in one sentence.

use crate::analysis::performance::Performance;
use crate::report::kit::formats::{micros, percent, short_path};

/// `The device was busy for 46 ms of 50 ms (92 %), 99 % of it in compiled kernels. x.py:23 takes 50 %.`
pub(crate) fn sentence_of(found: &Performance) -> String {
    let time = &found.time;
    let what = if found.on_device { "The device was busy for" } else { "Kernels ran for" };
    let busy = percent(time.busy_us, time.wall_us, false);
    let mut sentence = format!("{what} {} of {} ({busy})", micros(time.busy_us), micros(time.wall_us));
    if time.compiled_us > 0.0 {
        let share = percent(time.compiled_us, time.busy_us, false);
        sentence.push_str(&format!(", {share} of it in compiled kernels"));
    }
    sentence.push('.');
    if let Some(first) = found.lines.first().filter(|line| line.us > 0.0) {
        let share = percent(first.us, time.busy_us, false);
        let place = format!("{}:{}", short_path(&first.line.file), first.line.line);
        sentence.push_str(&format!(" {place} takes {share}."));
    }
    sentence
}
