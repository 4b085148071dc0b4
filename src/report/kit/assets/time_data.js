// The spans of the flame chart, as the page carries them.
//
// Times are microseconds from the start of the log. A span is known by its number, in order of start. A row
// holds spans that do not overlap; a track has a label and `lanes` rows.
'use strict';
tlparse.timeline = (() => {
  const data = JSON.parse(tlparse.byId('chart-data').textContent);
  const { names, tracks } = data;

  // The data has each start as the distance to the one before.
  function readStarts() {
    let start = 0;
    return Float64Array.from(data.starts, distance => start += distance);
  }

  // For each span the place of its compile in `compiles`: the data has runs of spans of one compile.
  function readCompiles() {
    return data.runs.flatMap(([length, compile]) => new Array(length).fill(compile));
  }

  // For each span its row. The data has a letter per span, from @ on.
  function readRows() {
    return [...data.rows].map(letter => letter.codePointAt(0) - '@'.codePointAt(0));
  }

  // What is known of spans, each by the span's number.
  const starts = readStarts();
  const spans = {
    count: data.lengths.length,
    starts,
    ends: starts.map((start, span) => start + data.lengths[span]),
    compiles: readCompiles(),
    // The place of the name in `names`.
    names: data.phase,
    rows: readRows(),
    // The spans that the log does not end.
    open: new Set(data.open),
  };

  // The spans of each row. They do not overlap, so their ends ascend too.
  const rows = [];
  spans.rows.forEach((row, span) => {
    (rows[row] ??= []).push(span);
  });

  // The track that each row belongs to.
  const trackOfRow = tracks.flatMap(track => new Array(track.lanes).fill(track));

  // Where no folder is given, the id names it.
  const compiles = data.compiles.map(([number, id, name, folder]) => {
    const page = `${folder ?? `-_${id.replace('/', '_')}_0`}/compile.html`;
    return { number, id, name, page };
  });

  function nameOf(span) {
    return names[spans.names[span]];
  }

  // The part of a compile that a span belongs to, as a number.
  function partOf(span) {
    return data.parts[spans.names[span]];
  }

  // The compile of a span; undefined for a span outside of compiles.
  function compileOf(span) {
    return compiles[spans.compiles[span]];
  }

  function trackOf(span) {
    return trackOfRow[spans.rows[span]];
  }

  function lengthOf(span) {
    return spans.ends[span] - spans.starts[span];
  }

  // A log without spans has a length too, which can be divided by.
  const total = Math.max(data.total, 1);

  return { total, spans, names, compiles, tracks, rows, nameOf, partOf, compileOf, trackOf, lengthOf };
})();
