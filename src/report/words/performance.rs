//! Sentences on a trace of torch.profiler.

use crate::analysis::performance::{Judgement, Limit, Performance, Rates};
use crate::report::kit::formats::{micros, percent, short_path};

/// A piece of the sentence.
#[derive(Debug, PartialEq)]
pub(crate) enum SentencePiece {
    /// Words between the figures.
    Words(String),
    /// A figure.
    Figure(String),
    /// A line of the program: its index in the trace, and its name.
    Line(usize, String),
}

/// `The device was busy for 46 ms of 50 ms (92 %), 99 % of it in compiled kernels. x.py:23 takes 50 %.`
pub(crate) fn sentence_of(found: &Performance) -> String {
    let text = |piece: SentencePiece| match piece {
        SentencePiece::Words(text) | SentencePiece::Figure(text) | SentencePiece::Line(_, text) => text,
    };
    pieces_of(found).into_iter().map(text).collect()
}

/// The same with marked figures.
pub(crate) fn pieces_of(found: &Performance) -> Vec<SentencePiece> {
    use SentencePiece::{Figure, Line, Words};
    let time = &found.time;
    let words = |text: &str| Words(text.to_owned());
    if found.kernels.is_empty() {
        return vec![words("The trace contains no kernel runs.")];
    }
    let what = if found.on_device { "The device was busy for " } else { "Kernels ran for " };
    let busy = percent(time.busy_us, time.wall_us, false);
    let mut pieces =
        vec![words(what), Figure(micros(time.busy_us)), words(" of "), Figure(micros(time.wall_us))];
    pieces.push(Words(format!(" ({busy})")));
    if time.compiled_us > 0.0 {
        let share = percent(time.compiled_us, time.busy_us, false);
        pieces.extend([words(", "), Figure(share), words(" of it in compiled kernels")]);
    }
    pieces.push(words("."));
    if let Some(first) = found.lines.first().filter(|line| line.us > 0.0) {
        let place = format!("{}:{}", short_path(&first.line.file), first.line.line);
        let share = percent(first.us, time.busy_us, false);
        pieces.extend([words(" "), Line(0, place), words(" takes "), Figure(share), words(".")]);
    }
    pieces
}

/// Why a figure is not to be taken as it is, and what would settle it; None where nothing speaks against it.
pub(crate) fn doubt(rates: &Rates) -> Option<&'static str> {
    let (limit, _) = rates.nearest_limit()?;
    Some(match (rates.judgement?, limit) {
        (Judgement::Impossible, Limit::Peak) => {
            "over 100 % of the peak, which cannot be: the clock was above the assumed one, FLOPs are counted that are not \
             computed, or the type or sparsity is another one; `--clock`, `--tf32` and `--device` settle it"
        }
        (Judgement::Impossible, Limit::Bandwidth) => {
            "over 100 % of the memory bandwidth, which memory cannot give: the data was in the cache, or bytes are counted \
             that are not moved; compare the size of the tensors with the cache"
        }
        (Judgement::Suspicious, Limit::Peak) => {
            "over 90 % of the peak, check this figure: the clock may be above the assumed one, the count too high, TF32 or \
             sparsity in use, or the run too short to measure; `--clock`, `--tf32` and more runs settle it"
        }
        (Judgement::Suspicious, Limit::Bandwidth) => {
            "over 90 % of the memory bandwidth, check this figure: part of the data may have been in the cache, the count \
             of bytes may be too high, or the run too short to measure"
        }
        (Judgement::CountsProbablyWrong, _) => {
            "under 1 % of both limits: the counted FLOPs and bytes, or the time, are probably wrong; its code says what else \
             it does"
        }
        (Judgement::Far | Judgement::Near, _) => return None,
    })
}
