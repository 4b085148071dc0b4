//! Spans laid out over wall time: a span is below another only if it is inside it.
//!
//! All events of torch have thread 0, so the log does not say which thread a span ran on. Its name says enough for a chart:
//! backward compilation, compiled autograd and work while the model runs have tracks of their own, and a span that overlaps
//! one that it is not inside opens another track.

use super::spans::Spans;
use crate::limits::LONG_LIST;
use crate::model::{CompileIndex, CompilerPart, TraceSpan};
use fxhash::FxHashMap;

/// Limits on tracks and lanes, so that a hostile log cannot make an endless chart. Recorded logs have up to four tracks of
/// up to seventeen lanes per process.
const MOST_TRACKS: usize = 48;

/// Limit on the spans that are laid out, the longest ones: their page stays below 2 MB.
const MOST_SPANS: usize = 55_000;

/// What the spans of a track were doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TrackKind {
    /// Compiles functions.
    Forward,
    /// Compiles backward graphs, on a thread of autograd.
    Backward,
    /// Compiled autograd, with what it compiles.
    Autograd,
    /// Tunes and records while the model runs.
    Runtime,
}

impl TrackKind {
    pub fn words(self) -> &'static str {
        match self {
            TrackKind::Forward => "forward",
            TrackKind::Backward => "backward",
            TrackKind::Autograd => "compiled autograd",
            TrackKind::Runtime => "while the model runs",
        }
    }
}

/// Lanes that belong together: lane 0 has the outermost spans, the lanes below have the spans inside them.
#[derive(Debug, Clone)]
pub struct Track {
    /// Process of its spans.
    pub pid: u64,
    /// What they did.
    pub kind: TrackKind,
    /// 1 for the first track of a process and kind; overlapping spans go to further tracks.
    pub number: usize,
    /// Where the last span of each lane ends, microseconds.
    ends: Vec<f64>,
}

impl Track {
    /// How many lanes it has.
    pub fn lanes(&self) -> usize {
        self.ends.len()
    }
}

/// The position of a span.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Its track, an index into [`Timeline::tracks`].
    pub track: u16,
    /// Lane in that track, 0 at the top.
    pub lane: u16,
}

/// A span with its position.
#[derive(Debug, Clone, Copy)]
pub struct LaidSpan {
    /// Its place among the spans of the model.
    pub span: usize,
    /// Its track and lane.
    pub place: Place,
    pub part: Option<CompilerPart>,
    pub compile: Option<CompileIndex>,
}

/// All spans of a log over wall time.
#[derive(Debug, Default)]
pub struct Timeline {
    /// Where the first span begins, microseconds since 1970.
    pub start_us: f64,
    /// Where the last one ends.
    pub end_us: f64,
    /// Tracks by process and kind.
    pub tracks: Vec<Track>,
    /// By start; spans of one lane do not overlap.
    pub spans: Vec<LaidSpan>,
    /// Number of spans left out for lack of room: the shortest, or those that overlap too many others.
    pub left_out: usize,
}

impl Timeline {
    /// Lays out the spans of a log.
    pub fn of(all: &Spans<'_>) -> Timeline {
        let model = all.model;
        let mut timeline = Timeline {
            start_us: model.spans.iter().map(|s| s.start_us).fold(f64::INFINITY, f64::min),
            end_us: model.spans.iter().map(|s| s.end_us).fold(f64::NEG_INFINITY, f64::max),
            ..Timeline::default()
        };
        let mut order: Vec<(usize, &TraceSpan)> = model.spans.iter().enumerate().collect();
        // A span comes before those inside it: the longer one first if two begin together. The sort is stable.
        order.sort_by(|(_, a), (_, b)| a.start_us.total_cmp(&b.start_us).then(b.end_us.total_cmp(&a.end_us)));
        let mut places: Vec<Option<Place>> = vec![None; model.spans.len()];
        for (index, span) in order {
            let below = span
                .parent()
                .and_then(|parent| below(span, model.spans.get(parent)?, (*places.get(parent)?)?));
            let Some(place) = timeline.place(span, below) else { continue };
            if let Some(known) = places.get_mut(index) {
                *known = Some(place);
            }
            let owner = all.owners.get(index).copied().unwrap_or_default();
            timeline.spans.push(LaidSpan { span: index, place, part: owner.part, compile: owner.compile });
        }
        timeline.keep_longest(&model.spans);
        timeline.sort_tracks();
        timeline.left_out = model.spans.len() - timeline.spans.len();
        timeline
    }

    /// The position of a span: below its parent at `below`, or outermost; None if there is no room.
    fn place(&mut self, span: &TraceSpan, below: Option<Place>) -> Option<Place> {
        let own = kind_of(&span.name);
        if let Some(place) = below
            && let Some(track) = self.tracks.get(usize::from(place.track))
            && track.pid == span.pid
            && belongs(&span.name, track.kind)
            && self.fits(place, span)
        {
            return Some(place);
        }
        let kind = own.unwrap_or(TrackKind::Forward);
        let is_free = |t: &Track| t.ends.iter().all(|end| *end <= span.start_us);
        let same = |t: &Track| t.pid == span.pid && t.kind == kind;
        let known = self.tracks.iter().position(|t| same(t) && is_free(t));
        let track = match known {
            Some(track) => track,
            None if self.tracks.len() < MOST_TRACKS => {
                let number = 1 + self.tracks.iter().filter(|t| same(t)).count();
                self.tracks.push(Track { pid: span.pid, kind, number, ends: Vec::new() });
                self.tracks.len() - 1
            }
            None => return None,
        };
        let place = Place { track: u16::try_from(track).ok()?, lane: 0 };
        self.fits(place, span).then_some(place)
    }

    /// Takes the position if it is free.
    fn fits(&mut self, Place { track, lane }: Place, span: &TraceSpan) -> bool {
        let lanes: usize = self.tracks.iter().map(Track::lanes).sum();
        let Some(track) = self.tracks.get_mut(usize::from(track)) else { return false };
        match track.ends.get_mut(usize::from(lane)) {
            Some(end) if *end > span.start_us => return false,
            Some(end) => *end = span.end_us,
            // A new lane below the others.
            None if lanes >= LONG_LIST => return false,
            None => track.ends.push(span.end_us),
        }
        true
    }

    fn keep_longest(&mut self, spans: &[TraceSpan]) {
        if self.spans.len() <= MOST_SPANS {
            return;
        }
        let length = |laid: &LaidSpan| spans.get(laid.span).map_or(0.0, |span| span.end_us - span.start_us);
        let mut order: Vec<(usize, LaidSpan)> =
            std::mem::take(&mut self.spans).into_iter().enumerate().collect();
        order.sort_by(|(_, a), (_, b)| length(b).total_cmp(&length(a)));
        order.truncate(MOST_SPANS);
        order.sort_unstable_by_key(|(position, _)| *position);
        self.spans = order.into_iter().map(|(_, laid)| laid).collect();
    }

    /// Processes in order of appearance, the tracks of each together.
    fn sort_tracks(&mut self) {
        let mut pids: Vec<u64> = Vec::new();
        for track in &self.tracks {
            if !pids.contains(&track.pid) {
                pids.push(track.pid);
            }
        }
        let key = |t: &Track| (pids.iter().position(|pid| *pid == t.pid), t.kind, t.number);
        let mut order: Vec<(u16, Track)> = (0..).zip(std::mem::take(&mut self.tracks)).collect();
        order.sort_by_key(|(_, track)| key(track));
        let new_place: FxHashMap<u16, u16> = order.iter().map(|(old, _)| *old).zip(0..).collect();
        self.tracks = order.into_iter().map(|(_, track)| track).collect();
        for LaidSpan { place: Place { track, .. }, .. } in &mut self.spans {
            *track = new_place.get(track).copied().unwrap_or(0);
        }
    }
}

/// The position below a parent, for a span that is inside it.
fn below(span: &TraceSpan, parent: &TraceSpan, place: Place) -> Option<Place> {
    let is_within = span.start_us >= parent.start_us && span.end_us <= parent.end_us;
    is_within.then_some(Place { lane: place.lane + 1, ..place })
}

/// The kind of track that a span of this name opens; None if it goes with the span around it.
fn kind_of(name: &str) -> Option<TrackKind> {
    let starts = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    if starts(&["entire_backward_compile", "compile_fx.<locals>.bw_compiler"]) {
        Some(TrackKind::Backward)
    } else if starts(&["compiled_autograd"]) {
        Some(TrackKind::Autograd)
    } else if starts(&["CachingAutotuner.", "cudagraphify", "benchmark_"])
        || name.ends_with("_template_autotuning")
    {
        Some(TrackKind::Runtime)
    } else {
        None
    }
}

/// Whether a span of this name may be in a track of that kind. A lazily compiled backward graph is compiled on autograd's
/// thread, so that it is not part of a forward span during which it runs; neither is compiled autograd.
fn belongs(name: &str, track: TrackKind) -> bool {
    match kind_of(name) {
        Some(TrackKind::Autograd) => track == TrackKind::Autograd,
        Some(TrackKind::Backward) if name.starts_with("entire_backward") => {
            matches!(track, TrackKind::Backward | TrackKind::Autograd)
        }
        _ => true,
    }
}
