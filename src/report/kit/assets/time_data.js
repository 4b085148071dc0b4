// The spans of the flame chart, as the page carries them.
//
// Times are microseconds from the start of the log. A span is known by its number, in order of start. Behind the
// spans come the compiles: one item for each outermost span of a compile, in the first row of its track. A row
// holds items that do not overlap; a track has a label and `lanes` rows. A span that fills the one around it alone
// has no row of its own: both are shown as `outer › inner`.
'use strict';
tlparse.timeline = (() => {
  const { byId, firstThat } = tlparse;
  const data = JSON.parse(byId('chart-data').textContent);
  const { names, meanings } = data;

  const NO_ITEM = -1;
  const MEANING_OF_COMPILE = 'one compile: its phases stand below';
  // What the colors of the chart are known by, beside the parts of the compiler.
  const PART_OF_COMPILE = 'compile';

  // The share of a span from which a span that is alone in it is shown together with it.
  const WHOLE = 0.95;

  // For each lane of the data the place of its track, and its first lane.
  const trackOfLane = data.tracks.flatMap((track, place) => new Array(track.lanes).fill(place));
  const firstLanes = data.tracks.map((_, place) => trackOfLane.indexOf(place));

  // The data has each start as the distance to the one before.
  function readStarts() {
    let start = 0;
    return data.starts.map(distance => start += distance);
  }

  // For each span the place of its compile in `compiles`: the data has runs of spans of one compile.
  function readCompiles() {
    return data.runs.flatMap(([length, compile]) => new Array(length).fill(compile));
  }

  // For each span its row in the data, which has a letter per span, from @ on.
  function readLanes() {
    return [...data.rows].map(letter => letter.codePointAt(0) - '@'.codePointAt(0));
  }

  const spanCount = data.lengths.length;
  const spanStarts = readStarts();
  const spanCompiles = readCompiles();
  const lanes = readLanes();

  // For each span the one in the lane above in which it lies. A span comes before those within it.
  function readParents() {
    const last = [];
    return lanes.map((lane, span) => {
      const above = lane === firstLanes[trackOfLane[lane]] ? undefined : last[lane - 1];
      last[lane] = span;
      const isWithin = above !== undefined && spanStarts[above] + data.lengths[above] >= spanStarts[span];
      return isWithin ? above : NO_ITEM;
    });
  }

  const parents = readParents();
  const spansBelow = lanes.map(() => []);
  parents.forEach((parent, span) => {
    if (parent !== NO_ITEM) spansBelow[parent].push(span);
  });

  // Whether a span only repeats the one around it, in whose row it is shown.
  function isWithinName(span) {
    const parent = parents[span];
    return parent !== NO_ITEM
      && spansBelow[parent].length === 1
      && spanCompiles[parent] === spanCompiles[span]
      && data.lengths[parent] > 0
      && data.lengths[span] >= WHOLE * data.lengths[parent];
  }

  // For each span the one that is drawn for it, and how many rows it stands below the first of its track.
  const shownFor = [];
  const depths = [];
  lanes.forEach((lane, span) => {
    const parent = parents[span];
    const isSame = isWithinName(span);
    shownFor.push(isSame ? shownFor[parent] : span);
    const below = parent === NO_ITEM ? lane - firstLanes[trackOfLane[lane]] : depths[parent] + 1;
    depths.push(isSame ? depths[parent] : below);
  });

  // Each track has a row for its compiles, and those of its spans.
  const depthsOfTracks = data.tracks.map(() => 1);
  lanes.forEach((lane, span) => {
    const track = trackOfLane[lane];
    depthsOfTracks[track] = Math.max(depthsOfTracks[track], depths[span] + 1);
  });
  const tracks = data.tracks.map((track, place) => ({ ...track, lanes: depthsOfTracks[place] + 1 }));
  const firstRows = [];
  let nextRow = 0;
  tracks.forEach(track => {
    firstRows.push(nextRow);
    nextRow += track.lanes;
  });

  // The outermost spans of compiles, for which there is an item in the row of compiles.
  const outermost = [];
  lanes.forEach((lane, span) => {
    const isOutermost = depths[span] === 0 && shownFor[span] === span;
    if (isOutermost && spanCompiles[span] >= 0) outermost.push(span);
  });

  function rowOf(span) {
    return firstRows[trackOfLane[lanes[span]]] + 1 + depths[span];
  }

  // What is known of items, each by the item's number.
  const starts = Float64Array.from([...spanStarts, ...outermost.map(span => spanStarts[span])]);
  const lengths = [...data.lengths, ...outermost.map(span => data.lengths[span])];
  const items = {
    count: lengths.length,
    spanCount,
    starts,
    ends: starts.map((start, item) => start + lengths[item]),
    compiles: [...spanCompiles, ...outermost.map(span => spanCompiles[span])],
    rows: [...lanes.map((_, span) => rowOf(span)), ...outermost.map(span => rowOf(span) - 1)],
    // The spans that the log does not end, and those of them in which it ends itself.
    open: new Set(data.open),
    unfinished: new Set(data.unfinished),
  };
  const { ends } = items;

  // The items of each row. They do not overlap, so their ends ascend too.
  const rows = Array.from({ length: nextRow }, () => []);
  items.rows.forEach((row, item) => {
    if (isDrawn(item)) rows[row].push(item);
  });

  // The track that each row belongs to.
  const trackOfRow = tracks.flatMap(track => new Array(track.lanes).fill(track));

  // Where no folder is given, the id names it.
  const compiles = data.compiles.map(([number, id, name, folder, place]) => {
    const page = `${folder ?? `-_${id.replace('/', '_')}_0`}/compile.html`;
    return { number, id, name, page, place };
  });

  const kernels = new Map(data.kernels);

  // ---- What an item is ----

  function isCompile(item) {
    return item >= spanCount;
  }

  // The compile of an item; undefined for a span outside of compiles.
  function compileOf(item) {
    return compiles[items.compiles[item]];
  }

  // Whether it has a place of its own on the chart.
  function isDrawn(item) {
    return isCompile(item) || shownFor[item] === item;
  }

  // The item that is drawn for a span.
  function drawnFor(item) {
    return shownFor[item] ?? item;
  }

  // A span with those that are shown in its row, the innermost at the end.
  function chainOf(item) {
    const chain = [item];
    for (let below = spansBelow[item]; below?.length === 1 && !isDrawn(below[0]); below = spansBelow[below[0]]) {
      chain.push(below[0]);
    }
    return chain;
  }

  function nameOf(item) {
    if (!isCompile(item)) return chainOf(item).map(phaseNameOf).join(' \u203a ');
    const { id, name } = compileOf(item);
    return name ? `${id} ${name}` : id;
  }

  // The name of a span's own phase.
  function phaseNameOf(span) {
    return names[data.phase[span]];
  }

  // The innermost of the spans in its row, which says most.
  function innermostOf(item) {
    return chainOf(item).at(-1);
  }

  // What the compiler does in it; empty where that is not known.
  function meaningOf(item) {
    return isCompile(item) ? MEANING_OF_COMPILE : meanings[data.phase[innermostOf(item)]];
  }

  // The kernel that a span is about; undefined where the log does not tell one.
  function kernelOf(item) {
    return kernels.get(item) ?? kernels.get(innermostOf(item));
  }

  // The part of the compiler that an item belongs to, as a number; a word for compiles.
  function partOf(item) {
    return isCompile(item) ? PART_OF_COMPILE : data.parts[data.phase[innermostOf(item)]];
  }

  function trackOf(item) {
    return trackOfRow[items.rows[item]];
  }

  function lengthOf(item) {
    return ends[item] - starts[item];
  }

  // ---- What stands around an item ----

  // The first place in a row, from `start` on, whose item ends after a time.
  function firstEndingAfter(row, time, start = 0) {
    return firstThat(place => ends[row[place]] > time, start, row.length);
  }

  function placeInRow(item) {
    const row = rows[items.rows[item]];
    return firstThat(place => row[place] === item || starts[row[place]] > starts[item], 0, row.length);
  }

  // The item so many places behind this one in its row; NO_ITEM at the end of the row.
  function neighborOf(item, distance) {
    return rows[items.rows[item]][placeInRow(item) + distance] ?? NO_ITEM;
  }

  // The row above or below in the same track; undefined at its edge.
  function rowBeside(item, distance) {
    const row = items.rows[item] + distance;
    return trackOfRow[row] === trackOf(item) ? rows[row] : undefined;
  }

  // The spans right within a span, drawn or not.
  function spansWithin(span) {
    return spansBelow[span];
  }

  // The items drawn right below, which lie within this one.
  function childrenOf(item) {
    const row = rowBeside(item, 1);
    if (!row) return [];
    const first = firstThat(place => starts[row[place]] >= starts[item], 0, row.length);
    const end = firstThat(place => starts[row[place]] >= ends[item], first, row.length);
    const children = row.slice(first, Math.max(end, first));
    // A span without length that begins where this one ends belongs to the next.
    return children.filter(child => ends[child] <= ends[item]);
  }

  // The item right above, in which this one lies; NO_ITEM for the topmost.
  function parentOf(item) {
    const row = rowBeside(item, -1);
    if (!row) return NO_ITEM;
    const place = firstThat(at => ends[row[at]] >= ends[item], 0, row.length);
    const above = row[place];
    return above !== undefined && starts[above] <= starts[item] ? above : NO_ITEM;
  }

  // Time that nothing right below it covers.
  function selfTimeOf(item) {
    return childrenOf(item).reduce((left, child) => left - lengthOf(child), lengthOf(item));
  }

  // The place of a name, for all spans of that phase; -1 if there is none.
  function phaseOfName(name) {
    return names.indexOf(name);
  }

  // The place of a span's name in `names`; undefined for a compile.
  function phaseOf(item) {
    return data.phase[item];
  }

  return {
    NO_ITEM, PART_OF_COMPILE,
    // A log without spans has a length too, which can be divided by.
    total: Math.max(data.total, 1),
    items, names, compiles, tracks, rows,
    isCompile, isDrawn, drawnFor, chainOf, nameOf, phaseNameOf, innermostOf, meaningOf, kernelOf, partOf, compileOf,
    trackOf, lengthOf, selfTimeOf, firstEndingAfter, neighborOf, spansWithin, childrenOf, parentOf, phaseOfName, phaseOf,
  };
})();
