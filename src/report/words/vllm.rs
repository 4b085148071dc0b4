//! Names of vLLM's pieces.

use crate::analysis::vllm::{Sizes, VllmPiece};
use crate::limits::QUOTE;
use crate::report::kit::formats::{clipped, count};

/// `submod_0, 1 to 8,192`: a short name of the piece.
pub(crate) fn piece_words(piece: &VllmPiece<'_>) -> String {
    let name = piece.start.submodule.as_deref().unwrap_or("a piece");
    let name = clipped(name, QUOTE).0;
    match piece.sizes() {
        Some(sizes) => format!("{name}, {}", size_words(sizes)),
        None => name.to_owned(),
    }
}

pub(crate) fn size_words(sizes: Sizes) -> String {
    match sizes {
        Sizes::One(size) => format!("size {}", count(size as f64)),
        Sizes::Range(from, to) => format!("{} to {}", count(from as f64), count(to as f64)),
    }
}
