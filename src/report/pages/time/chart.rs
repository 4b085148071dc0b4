//! The chart: its controls, and its spans as data for the script.

use crate::analysis::{Found, Timeline, Track};
use crate::limits::{CELL, KEPT, KERNELS_LISTED};
use crate::model::{Compile, CompileIndex, CompilerPart, Model};
use crate::report::kit::bars::color;
use crate::report::kit::editor::Editor;
use crate::report::kit::formats::micros_with_work;
use crate::report::kit::markup::{open_data, script_json};
use crate::report::kit::prelude::*;
use crate::report::pages::time::kernels::kernels_built;
use crate::report::pages::time::times::Times;
use crate::report::words::phases::phase_meaning;
use fxhash::FxHashMap;
use serde::ser::{SerializeSeq, Serializer};

/// Largest integer that JavaScript numbers represent exactly: 2^53.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The character for row 0. With at most 9,600 rows, no row is an invalid character, and hardly any is escaped in JSON
/// or HTML.
const FIRST_ROW: u32 = 64;

#[derive(Serialize)]
struct Chart {
    parts: Vec<LegendEntry>,
    notes: Vec<String>,
}

/// A color of the chart: its part of the compiler, and the self time of that part's phases.
#[derive(Serialize)]
struct LegendEntry {
    class: &'static str,
    name: &'static str,
    time: String,
    share: String,
}

/// What the script reads. The lists from `starts` on have one entry per span.
#[derive(Default, Serialize)]
struct Data<'m> {
    /// Microseconds from the start of the first span to the end of the last.
    total: u64,
    tracks: Vec<TrackData>,
    names: Vec<&'m str>,
    /// What the compiler does in each; empty if unknown.
    meanings: Vec<&'static str>,
    /// One digit per name: the part of the compiler, 0 for none.
    parts: String,
    compiles: Vec<CompileData>,
    /// Runs of spans of one compile: their number, and the index into `compiles`, -1 for none.
    runs: Vec<(usize, i64)>,
    /// Spans that the log leaves open, and those still open at its end.
    open: Vec<usize>,
    unfinished: Vec<usize>,
    /// Microseconds since the start of the previous span.
    starts: Vec<u64>,
    /// Microseconds.
    lengths: Vec<u64>,
    /// Index into `names`.
    phase: Vec<usize>,
    /// Spans with a known kernel.
    kernels: Vec<(usize, String)>,
    /// One character per span: its row on the chart, over all tracks, starting at `@`. It takes a third of a number.
    rows: String,
}

#[derive(Serialize)]
struct TrackData {
    label: String,
    pid: u64,
    lanes: usize,
}

/// A compile. It is written as a list, without what is unknown at its end: there may be thousands of them.
struct CompileData {
    /// Its place in the model.
    place: usize,
    id: String,
    function: Option<String>,
    /// The folder of its page if that is not the usual one.
    folder: Option<String>,
    /// The place of the function if an editor can open it.
    in_editor: Option<String>,
}

impl Serialize for CompileData {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let texts = [&self.function, &self.folder, &self.in_editor];
        let known = texts.iter().rposition(|text| text.is_some()).map_or(0, |last| last + 1);
        let mut list = serializer.serialize_seq(Some(2 + known))?;
        list.serialize_element(&self.place)?;
        list.serialize_element(&self.id)?;
        texts.iter().take(known).try_for_each(|text| list.serialize_element(text))?;
        list.end()
    }
}

pub(crate) fn write(view: View<'_>, times: Times<'_>, out: &mut dyn Write) -> anyhow::Result<()> {
    let model = view.report.model;
    let about = "the phases of the compiler as they ran";
    let count = Some(counted(model.spans.len(), "span", "spans"));
    view.open_section(out, ("chart", "Wall time", about), count, Html::default())?;
    let data = data(view, times.timeline)?;
    // Links to a compile on the chart go here; without a script they still reach the section.
    let spans = &view.report.found.spans.of_compile;
    for number in model.compiles.indices().take(KEPT).filter(|number| !spans.at(*number).is_empty()) {
        write_line(out, &Element::new("span").id(&format!("at-{number}")).empty())?;
    }
    let chart = Chart { parts: parts(view.report.found), notes: notes(times) };
    write_line(out, &view.render("time_chart", &chart)?)?;
    Editor::write_pattern(view.report.settings.editor.as_ref(), out)?;
    open_data(out, "chart-data")?;
    out.write_all(script_json(&data)?.as_bytes())?;
    close(out, "script")?;
    Ok(close_section(out)?)
}

/// Time by part of the compiler, then of all other phases.
fn parts(found: &Found<'_>) -> Vec<LegendEntry> {
    let total = found.split.total_us();
    let part = |(part, us): (Option<CompilerPart>, f64)| LegendEntry {
        class: color(part),
        name: part.map_or("other", CompilerPart::name),
        time: micros_with_work(us, found.builds.work_of_part_us(part, us)),
        share: percent(us, total, true),
    };
    found.split.listed().map(part).collect()
}

/// What the reader has to know about the drawing.
fn notes(times: Times<'_>) -> Vec<String> {
    let mut notes = vec![
        "The first row of each track shows compiles, the rows below it their phases. Times in the legend are the self \
         times of a part's phases; each instant counts once. The log does not name threads: a span below another ran \
         during it. Backward compilation, compiled autograd, work while the model runs, and overlapping spans have \
         separate tracks."
            .to_owned(),
    ];
    if times.account.open > 0 {
        notes.push(format!(
            "{} no end in the log, as after an exception or a restart: drawn with a dashed edge, up to the end of the \
             enclosing span or the last event of the process.",
            counted(times.account.open, "span has", "spans have")
        ));
    }
    if times.timeline.left_out > 0 {
        notes.push(format!(
            "{} not drawn, being too short or overlapping too many others; the tables and chromium_events.json include \
             them.",
            counted(times.timeline.left_out, "span is", "spans are")
        ));
    }
    notes
}

fn data<'m>(view: View<'m>, timeline: &Timeline) -> anyhow::Result<Data<'m>> {
    let model = view.report.model;
    let kernels = kernels_built(view.report)?;
    let (mut phases, mut compiles) = (FxHashMap::default(), FxHashMap::default());
    let since = |us: f64| (us - timeline.start_us).clamp(0.0, EXACT).round() as u64;
    let rows: Vec<usize> = first_rows(&timeline.tracks);
    let mut data = Data { total: since(timeline.end_us), ..Data::default() };
    data.tracks = tracks(model, timeline);
    let end = view.report.found.end.as_ref();
    let mut reach = 0;
    for laid in &timeline.spans {
        let Some(span) = model.spans.get(laid.span) else { continue };
        let start = since(span.start_us);
        let kernel = kernels.get(&laid.span).filter(|_| data.kernels.len() < KERNELS_LISTED);
        data.kernels.extend(kernel.map(|name| (data.starts.len(), clipped(name, CELL).0.to_owned())));
        data.open.extend(span.is_open().then_some(data.starts.len()));
        let ends_log = end.is_some_and(|end| end.is_open(laid.span));
        data.unfinished.extend(ends_log.then_some(data.starts.len()));
        data.starts.push(start.saturating_sub(reach));
        data.lengths.push(since(span.end_us).saturating_sub(start));
        reach = start;
        let part = laid.part.map_or(0, |part| part as usize + 1);
        let phase = *phases.entry((&*span.name, part)).or_insert_with(|| {
            data.names.push(clipped(&span.name, CELL).0);
            data.meanings.push(phase_meaning(&span.name));
            data.parts.push_str(&part.to_string());
            data.names.len() - 1
        });
        data.phase.push(phase);
        let compile = laid.compile.map_or(-1, |index| {
            *compiles.entry(index).or_insert_with(|| {
                data.compiles.extend(compile_data(view, index));
                data.compiles.len() as i64 - 1
            })
        });
        match data.runs.last_mut() {
            Some((count, of)) if *of == compile => *count += 1,
            _ => data.runs.push((1, compile)),
        }
        let row =
            rows.get(usize::from(laid.place.track)).copied().unwrap_or(0) + usize::from(laid.place.lane);
        data.rows
            .extend(u32::try_from(row).ok().and_then(|row| char::from_u32(FIRST_ROW + row)).or(Some('@')));
    }
    Ok(data)
}

/// The row of each track's first lane.
fn first_rows(tracks: &[Track]) -> Vec<usize> {
    let mut next = 0;
    let rows = tracks.iter().map(|track| {
        let row = next;
        next += track.lanes();
        row
    });
    rows.collect()
}

fn tracks(model: &Model, timeline: &Timeline) -> Vec<TrackData> {
    let several = model.log.pids.len() > 1;
    let tracks = timeline.tracks.iter().map(|track| {
        let process = if several { format!("process {}, ", track.pid) } else { String::new() };
        let further =
            if track.number > 1 { format!(", overlapping {}", track.number - 1) } else { String::new() };
        let label = format!("{process}{}{further}", track.kind.words());
        TrackData { label, pid: track.pid, lanes: track.lanes() }
    });
    tracks.collect()
}

fn compile_data(view: View<'_>, index: CompileIndex) -> Option<CompileData> {
    let compile = view.report.model.compiles.get(index)?;
    let id = compile.id.as_ref().map_or_else(|| "no id".to_owned(), ToString::to_string);
    let function = view.function_name(compile).map(|name| clipped(&name.plain(), CELL).0.to_owned());
    let folder = links::encoded(&compile.folder(0));
    // As the script derives it from the id.
    let usual = folder == format!("-_{}_0", id.replacen('/', "_", 1));
    let folder = (!usual).then_some(folder);
    let in_editor = place_in_editor(view, compile);
    Some(CompileData { place: index.place(), id, function, folder, in_editor })
}

/// `/app/model.py:12`: the place of a compile's function; None if no editor would open it.
fn place_in_editor(view: View<'_>, compile: &Compile) -> Option<String> {
    let called = view.function_name(compile).and_then(|name| name.called.as_ref());
    let (file, line) = match (called, &compile.function) {
        (Some(call), _) => (call.file.as_deref()?, call.line?),
        (None, Some(function)) => (function.file.as_deref()?, function.line?),
        (None, None) => return None,
    };
    view.report.settings.editor.as_ref()?.href(file, Some(line))?;
    Some(format!("{file}:{line}"))
}
