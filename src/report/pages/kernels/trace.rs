//! What the page says of a trace before its lists: how busy the device was and with what, what was matched with the log, and
//! what stands out.

use super::generated;
use super::subject::Subject;
use crate::analysis::performance::Performance;
use crate::facts::Backend;
use crate::limits::LONG_TABLE;
use crate::report::doc::{Block, Cell, Rows, log, own};
use crate::report::kit::links::{measured_kernel_anchor, measured_line_anchor};
use crate::report::kit::prelude::*;
use crate::report::words::performance::notes::notes;
use crate::report::words::performance::stands_out::stands_out;
use crate::report::words::performance::{SentencePiece, figures, sentences_of};

pub(super) fn head<'m>(subject: &'m Subject<'m>, found: &'m Performance) -> Vec<Block<'m>> {
    let piece = |piece| match piece {
        SentencePiece::Words(text) => log(text),
        SentencePiece::Figure(text) => own(text).strong(),
        SentencePiece::Line(place, text) => log(text).linked(format!("#{}", measured_line_anchor(place))),
        SentencePiece::Kernel(place, text) => log(text).linked(format!("#{}", measured_kernel_anchor(place))),
    };
    let sentence = |pieces: Vec<_>| Cell::Beside(pieces.into_iter().map(piece).collect(), "");
    let mut sentences = sentences_of(found).into_iter().map(sentence);
    let first = sentences.next().unwrap_or(Cell::Unknown);
    let others: Vec<_> = sentences.collect();
    let others = (!others.is_empty()).then_some(Cell::Beside(others, " "));
    let notes = notes(subject.report, found).into_iter().map(|note| Cell::Prose(note.into()));
    let notes = others.into_iter().chain(notes).chain(generated::without_data(subject)).collect();
    let mut blocks = vec![Block::Verdict { sentence: first, notes }];
    if !found.kernels.is_empty() {
        blocks.push(Block::Drawn(Box::new(move |_, out| Ok(write_line(out, &bar(found))?))));
    }
    blocks
}

/// What is worth knowing, by its time.
pub(super) fn notable<'m>(subject: &'m Subject<'m>, found: &'m Performance) -> Option<Block<'m>> {
    let list = Rows::of(stands_out(subject.report, found))
        .unsorted("What", |one| own(one.label.to_owned()).class(one.class))
        .unsorted("Why, and what to do", |one| {
            let row = one.kernel.filter(|place| *place < LONG_TABLE);
            let row =
                row.map(|row| Cell::from("Its row").linked(format!("#{}", measured_kernel_anchor(row))));
            let first = [Cell::Prose((&*one.text).into())].into_iter().chain(row).collect();
            let reason = one.reason.as_deref().map(|reason| Cell::Prose(reason.into()).class("soft"));
            Cell::Stacked([Cell::Beside(first, " ")].into_iter().chain(reason).collect()).class("sentence")
        })
        .number("Time", |one| Cell::figure(one.us, |us| figures::gain(us, one.at_most)))
        .fixed()
        .listing("notes", "What stands out", "");
    (list.count() > 0).then_some(Block::List(list))
}

/// A part of the bar: class, words, microseconds.
type BarPart = (&'static str, &'static str, f64);

/// The bar of the device's time, with its legend.
fn bar(found: &Performance) -> Html {
    let parts = if found.time.compiled_us > 0.0 { by_maker(found) } else { by_verdict(found) };
    let total: f64 = parts.iter().map(|(_, _, us)| us).sum();
    let shown: Vec<_> = parts.iter().filter(|(_, _, us)| *us > 0.0).collect();
    let drawn = shown.iter().map(|(class, _, us)| {
        Element::new("span").class(class).style(&format!("width:{:.2}%", 100.0 * us / total)).around("")
    });
    let words = shown.iter().map(|(class, name, us)| {
        let swatch = Element::new("span").class(&format!("swatch {class}")).around("");
        let share = soft(percent(*us, total, false));
        span("part", Html::joined([swatch, format!("{name} {} ", micros(*us)).into(), share], ""))
    });
    let bar = Element::new("div").class("bar big").attribute("aria-hidden", "true");
    let legend = Element::new("div").class("legend").around(Html::joined(words, " "));
    Html::joined([bar.around(Html::joined(drawn, "")), legend], "\n")
}

/// Kernels that no compiled code is known to have launched.
fn others(found: &Performance) -> &'static str {
    if figures::launches_are_known(found) { "eager kernels" } else { "other kernels, of unknown origin" }
}

/// By origin of the kernels, which is what compiling changes.
fn by_maker(found: &Performance) -> Vec<BarPart> {
    let of = |generated: bool| -> f64 {
        let fits = |backend: Backend| matches!(backend, Backend::Triton | Backend::Cpp) == generated;
        let of_compiled = |backend: Backend| backend != Backend::Eager && fits(backend);
        let kernels = found.kernels.iter().filter(|kernel| kernel.backend.is_some_and(of_compiled));
        kernels.map(|kernel| kernel.sum_us).sum()
    };
    let mut parts = vec![
        ("device-library", "library kernels in compiled code", of(false)),
        ("device-generated", "generated kernels", of(true)),
        ("device-eager", others(found), found.time.eager_us),
    ];
    let mut besides = besides(found);
    if !found.on_device {
        // On a CPU nothing else runs meanwhile; on a GPU the wrapper runs ahead of the kernels.
        let regions = found.regions.iter();
        let of = |us: Option<f64>| us.unwrap_or_default();
        let around: f64 = regions.map(|region| of(region.guards_us) + of(region.wrapper_us)).sum();
        let around = around.min(found.time.idle_us);
        parts.push(("device-wrapper", "guards and wrappers around kernels", around));
        besides[2].2 -= around;
    }
    parts.extend(besides);
    parts
}

/// By closeness to the limits, for traces of eager code.
fn by_verdict(found: &Performance) -> Vec<BarPart> {
    let of = |words: &[&str]| -> f64 {
        let kernels = found.kernels.iter().filter(|kernel| words.contains(&figures::verdict_word(kernel)));
        kernels.map(|kernel| kernel.sum_us).sum()
    };
    let known = of(&["near", "between", "far", "check", "implausible", "wrong-counts", "launch"]);
    let mut parts = match known > 0.0 {
        true => vec![
            ("device-library", "near a limit", of(&["near"])),
            ("device-generated", "room, or far from a limit", of(&["between", "far"])),
            ("device-wrong", "figures to check", of(&["check", "implausible", "wrong-counts"])),
            ("device-eager", "too short to judge", of(&["launch"])),
            ("device-unknown", "work unknown", of(&["unknown"])),
        ],
        false => vec![("device-eager", others(found), found.time.eager_us)],
    };
    parts.extend(besides(found));
    parts
}

/// Everything other than computing kernels.
fn besides(found: &Performance) -> [BarPart; 3] {
    let time = &found.time;
    [
        ("device-communication", "exposed communication", time.exposed_communication_us),
        ("device-copy", "copies and fills", time.copy_us),
        ("device-idle", "idle", time.idle_us),
    ]
}
