//! Sentences on a trace of torch.profiler.

pub(crate) mod figures;
pub(crate) mod notes;
pub(crate) mod stands_out;

use crate::analysis::performance::{Judgement, MeasuredKernel, Performance};
use crate::model::{capital, short_kernel};
use crate::report::kit::formats::{counted, micros, percent, short_path};

/// Share of the wall time that a kernel must be able to give back to be named first.
const WORTH: f64 = 0.01;

/// Characters of a kernel's name in a sentence.
const LONGEST_NAME: usize = 48;

#[derive(Debug, PartialEq)]
pub(crate) enum SentencePiece {
    /// Words between the figures.
    Words(String),
    Figure(String),
    /// A line of the program: its index in the trace, and its name.
    Line(usize, String),
    /// A kernel: its index in the trace, and its name.
    Kernel(usize, String),
}

/// `Attention reaches 19 % of what the device can do: up to 2.2 ms of 50 ms to gain. The device was busy for 92 % of the time.`
pub(crate) fn sentence_of(found: &Performance) -> String {
    let text = |piece: SentencePiece| match piece {
        SentencePiece::Words(text)
        | SentencePiece::Figure(text)
        | SentencePiece::Line(_, text)
        | SentencePiece::Kernel(_, text) => text,
    };
    let sentence = |pieces: Vec<_>| pieces.into_iter().map(text).collect::<String>();
    sentences_of(found).into_iter().map(sentence).collect::<Vec<_>>().join(" ")
}

/// The same with marked figures, sentence by sentence; the first is the headline.
pub(crate) fn sentences_of(found: &Performance) -> Vec<Vec<SentencePiece>> {
    use SentencePiece::{Figure, Line, Words};
    let words = |text: &str| Words(text.to_owned());
    let mut sentences = foreign(found);
    if found.kernels.is_empty() {
        if sentences.is_empty() {
            sentences.push(vec![words("The trace contains no kernel runs.")]);
        }
        return sentences;
    }
    let is_idle = is_idle(found);
    sentences.extend(gain(found).filter(|_| !is_idle));
    sentences.push(busy(found, is_idle));
    if let Some(first) = found.lines.first().filter(|line| line.us > 0.0) {
        let place = format!("{}:{}", short_path(&first.file), first.line);
        let share = percent(first.us, found.time.busy_us, false);
        sentences.push(vec![Line(0, place), words(" takes "), Figure(share), words(".")]);
    }
    sentences.extend(is_idle.then(|| vec![words("The profiler slows the host.")]));
    sentences
}

/// `The device was idle for 9 ms of 10 ms (93 %), and busy for 726 us, 89 % of it in compiled kernels.`
fn busy(found: &Performance, is_idle: bool) -> Vec<SentencePiece> {
    use SentencePiece::{Figure, Words};
    let time = &found.time;
    let (what, us) = match (is_idle, found.on_device) {
        (true, _) => ("The device was idle for ", time.idle_us),
        (false, true) => ("The device was busy for ", time.busy_us),
        (false, false) => ("Kernels ran for ", time.busy_us),
    };
    let mut pieces = vec![
        Words(what.to_owned()),
        Figure(micros(us)),
        Words(" of ".to_owned()),
        Figure(micros(time.wall_us)),
        Words(format!(" ({})", percent(us, time.wall_us, false))),
    ];
    if is_idle {
        pieces.extend([Words(", and busy for ".to_owned()), Figure(micros(time.busy_us))]);
    }
    if time.compiled_us > 0.0 {
        let share = Figure(percent(time.compiled_us, time.busy_us, false));
        let at_least = if figures::launches_are_known(found) { ", " } else { ", at least " };
        pieces.extend([Words(at_least.to_owned()), share, Words(" of it in compiled kernels".to_owned())]);
    }
    pieces.push(Words(".".to_owned()));
    pieces
}

/// That the trace is of another run, if it is.
fn foreign(found: &Performance) -> Vec<Vec<SentencePiece>> {
    use SentencePiece::{Figure, Words};
    let Some(graphs) = found.foreign_graphs else { return Vec::new() };
    let file = short_path(&found.trace.file);
    let first = vec![
        Words(format!("{file} is of another run: of the ")),
        Figure(counted(graphs, "graph", "graphs")),
        Words(" that it calls, none is in this log.".to_owned()),
    ];
    let then = match found.kernels.is_empty() {
        true => "Give the trace of the same run, or `--force` to read this one by itself.",
        false => "What follows is of the trace alone.",
    };
    vec![first, vec![Words(then.to_owned())]]
}

/// Whether the device mostly waits, and that is more than its kernels could give back.
fn is_idle(found: &Performance) -> bool {
    let far = found.kernels.iter().filter(|kernel| kernel.judgement == Some(Judgement::Far));
    let gains: f64 = far.filter_map(|kernel| kernel.gain_us).sum();
    found.on_device && found.time.idle_us > found.time.wall_us / 2.0 && found.time.idle_us > gains
}

/// What can be gained at the kernel that is far from its limit and could give back most.
fn gain(found: &Performance) -> Option<Vec<SentencePiece>> {
    use SentencePiece::{Figure, Kernel, Words};
    let far = found.kernels.iter().enumerate();
    let far = far.filter(|(_, kernel)| kernel.judgement == Some(Judgement::Far));
    let gains = far.filter_map(|(place, kernel)| Some((place, kernel, kernel.gain_us?)));
    let most = gains.max_by(|one, other| one.2.total_cmp(&other.2));
    let (place, kernel, gain_us) = most.filter(|most| most.2 >= WORTH * found.time.wall_us)?;
    let reached = figures::share(kernel.best_share().unwrap_or_default());
    Some(vec![
        Kernel(place, capitalized(&subject_of(kernel))),
        Words(" reaches ".to_owned()),
        Figure(reached),
        Words(" of what the device can do: up to ".to_owned()),
        Figure(micros(gain_us)),
        Words(" of ".to_owned()),
        Figure(micros(found.time.wall_us)),
        Words(" to gain.".to_owned()),
    ])
}

/// What a kernel is, in a word: `attention`, `a matrix product`, `gelu`, or its name.
pub(crate) fn subject_of(kernel: &MeasuredKernel) -> String {
    let operator = match kernel.operators.as_slice() {
        [only] if kernel.called.is_none() => only.rsplit("::").next().unwrap_or(only).trim(),
        _ => "",
    };
    match operator {
        "" => short_kernel(kernel.shown_name(), LONGEST_NAME),
        "mm" | "addmm" | "bmm" | "baddbmm" => "a matrix product".to_owned(),
        name if name.contains("attention") => "attention".to_owned(),
        name if name.contains("convolution") => "a convolution".to_owned(),
        name => name.trim_matches('_').to_owned(),
    }
}

/// Names of generated kernels stay as they are.
pub(crate) fn capitalized(text: &str) -> String {
    if text.contains("::") || text.contains('_') {
        return text.to_owned();
    }
    capital(text)
}
