// Draws the flame chart and its map: what is seen of the items, their colors and texts.
'use strict';
tlparse.timeDrawing = (() => {
  const { byId, timeline, timeWords } = tlparse;
  const { NO_ITEM, items, tracks, rows, total } = timeline;
  const { starts, ends } = items;

  const chart = byId('flame-chart');
  const canvas = chart.querySelector('canvas');
  const pen = canvas.getContext('2d');
  const map = byId('flame-map');
  const mapCanvas = map.querySelector('canvas');
  const mapWindow = map.querySelector('.window');

  // Pixels: the height of the axis, of a track's label, of a row and of the map, and the gap below a track.
  const AXIS_HEIGHT = 22;
  const LABEL_HEIGHT = 19;
  const ROW_HEIGHT = 18;
  const TRACK_GAP = 8;
  const MAP_HEIGHT = 40;
  // A span that is not wider than this has no dashed frame, and no gap to the next one.
  const LEAST_WIDTH_WITH_GAP = 3;
  // A span that shows no more than this has no text.
  const LEAST_WIDTH_WITH_TEXT = 30;
  // How far beyond the right and left end of the canvas spans and frames are drawn, so that their ends stay
  // out of sight.
  const SPAN_OVERHANG = 2;
  const FRAME_OVERHANG = 4;

  const LABEL_FONT = '12px system-ui,sans-serif';
  const SPAN_FONT = '11px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace';
  const FADED = 0.35;

  // Custom properties of the style sheet: the colors of the chart, and those of the parts of a compile.
  const COLOR_PROPERTIES = ['bg', 'text', 'soft', 'line', 'accent', 'error', 'empty-ground'];
  const PART_PROPERTIES = [
    'phase-other',
    'phase-dynamo',
    'phase-aotautograd',
    'phase-inductor',
    'phase-codegen',
    'phase-builds',
    'phase-autotuning',
  ];

  // What is seen: the times at the left and right end, and what they make of the canvas.
  const view = { from: 0, to: total, width: 1, pixelRatio: 1, pixelsPerTime: 1 };
  // What is marked: the item under the pointer, the one that was chosen, and for each item whether the search
  // found it (1) or not (0); null when nothing is looked for.
  const marks = { hovered: NO_ITEM, chosen: NO_ITEM, matches: null };

  // Tracks from top to bottom: for each track the top of its label, and for each row its top.
  const labelTops = [];
  const rowTops = [];
  let height = AXIS_HEIGHT;
  tracks.forEach(track => {
    labelTops.push(height);
    height += LABEL_HEIGHT;
    for (let lane = 0; lane < track.lanes; lane++) {
      rowTops.push(height);
      height += ROW_HEIGHT;
    }
    height += TRACK_GAP;
  });

  function xOf(time) {
    return (time - view.from) * view.pixelsPerTime;
  }

  function timeAt(x) {
    return view.from + x / view.pixelsPerTime;
  }

  // The item at a place; thin ones are hit from two pixels beside them too.
  function itemAt(x, y) {
    const row = rows[rowTops.findIndex(top => y >= top && y < top + ROW_HEIGHT)] || [];
    for (const slack of [0, 2]) {
      const item = row[timeline.firstEndingAfter(row, timeAt(x - slack))];
      if (item !== undefined && xOf(starts[item]) <= x + slack) return item;
    }
    return NO_ITEM;
  }

  let colors;
  // The width of a letter in the spans' font.
  let letterWidth;
  let waitingFrame = 0;

  // Draws before the next frame is shown, once for all changes until then.
  function drawSoon() {
    waitingFrame ||= requestAnimationFrame(draw);
  }

  function readColors() {
    const style = getComputedStyle(document.documentElement);
    const colorOf = property => style.getPropertyValue(`--${property}`).trim();
    const named = Object.fromEntries(COLOR_PROPERTIES.map(property => [property, colorOf(property)]));
    const parts = { ...PART_PROPERTIES.map(colorOf), [timeline.PART_OF_COMPILE]: named['empty-ground'] };
    return { ...named, parts };
  }

  // The distance of ticks: 1, 2 or 5 times a power of ten, and at least 110 pixels.
  function tickDistance() {
    const least = (view.to - view.from) / Math.max(2, view.width / 110);
    const power = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map(factor => factor * power).find(distance => distance >= least) || least;
  }

  function drawAxis() {
    const distance = tickDistance();
    pen.fillStyle = colors.soft;
    pen.strokeStyle = colors.line;
    pen.beginPath();
    for (let time = Math.ceil(view.from / distance) * distance; time <= view.to; time += distance) {
      // Half a pixel to the right a line of one pixel is sharp.
      const x = Math.round(xOf(time)) + 0.5;
      pen.moveTo(x, 0);
      pen.lineTo(x, height);
      const text = timeWords.describeTick(time, view.to);
      if (x < view.width - 30) pen.fillText(text, x + 4, AXIS_HEIGHT / 2);
    }
    pen.stroke();
  }

  function drawLabel({ label }, trackNumber) {
    const top = labelTops[trackNumber];
    pen.fillStyle = colors.bg;
    pen.fillRect(0, top + 1, pen.measureText(label).width + 12, LABEL_HEIGHT - 2);
    pen.fillStyle = colors.soft;
    pen.fillText(label, 6, top + LABEL_HEIGHT / 2);
  }

  function drawFrame(item, color, lineWidth = 1, dashes = []) {
    const left = Math.max(xOf(starts[item]), -FRAME_OVERHANG);
    const right = Math.min(xOf(ends[item]), view.width + FRAME_OVERHANG);
    pen.strokeStyle = color;
    pen.lineWidth = lineWidth;
    pen.setLineDash(dashes);
    const top = rowTops[items.rows[item]];
    pen.strokeRect(left + 0.5, top + 0.5, Math.max(right - left - 2, 1), ROW_HEIGHT - 2);
  }

  // Name and length if both fit, else as much of the name as does.
  function drawItemText(item, left, room, top) {
    const name = timeline.nameOf(item);
    const nameAndLength = `${name} ${timeWords.describeTime(timeline.lengthOf(item))}`;
    const most = Math.floor((room - 9) / letterWidth);
    let text = `${name.slice(0, most - 1)}\u2026`;
    if (name.length <= most) text = name;
    if (nameAndLength.length <= most) text = nameAndLength;
    pen.fillStyle = colors.text;
    pen.fillText(text, Math.max(left, 0) + 4, top + ROW_HEIGHT / 2);
  }

  function hasMatch(row, start, end) {
    for (let place = start; place < end; place++) {
      if (marks.matches[row[place]]) return true;
    }
    return false;
  }

  // Draws the item at a place of a row, or a mark for all items that are within one pixel there. Gives the
  // next place.
  function drawItem(row, place, top) {
    const item = row[place];
    const start = xOf(starts[item]);
    const width = xOf(ends[item]) - start;
    const isThin = width < 1;
    const left = Math.max(start, -SPAN_OVERHANG);
    const room = Math.min(start + width, view.width + SPAN_OVERHANG) - left;
    const next = isThin ? timeline.firstEndingAfter(row, timeAt(Math.floor(start) + 1), place + 1) : place + 1;
    const isMatch = marks.matches !== null && hasMatch(row, place, next);
    const gap = width > LEAST_WIDTH_WITH_GAP ? 1 : 0;

    pen.globalAlpha = marks.matches !== null && !isMatch ? FADED : 1;
    pen.fillStyle = isThin && isMatch ? colors.accent : colors.parts[timeline.partOf(item)];
    pen.fillRect(left, top, Math.max(room - gap, 1), ROW_HEIGHT - 1);
    if (width > LEAST_WIDTH_WITH_GAP && items.open.has(item)) drawFrame(item, colors.error, 1, [3, 3]);
    if (!isThin && isMatch) drawFrame(item, colors.accent);
    if (room > LEAST_WIDTH_WITH_TEXT) drawItemText(item, left, room, top);
    return next;
  }

  function drawRow(row, rowNumber) {
    let place = timeline.firstEndingAfter(row, view.from);
    while (place < row.length && xOf(starts[row[place]]) <= view.width) {
      place = drawItem(row, place, rowTops[rowNumber]);
    }
    pen.globalAlpha = 1;
  }

  function clear() {
    pen.setTransform(view.pixelRatio, 0, 0, view.pixelRatio, 0, 0);
    pen.fillStyle = colors.bg;
    pen.fillRect(0, 0, view.width, height);
    pen.lineWidth = 1;
    pen.setLineDash([]);
    pen.textBaseline = 'middle';
  }

  function draw() {
    waitingFrame = 0;
    view.pixelsPerTime = view.width / (view.to - view.from);
    clear();
    pen.font = LABEL_FONT;
    drawAxis();
    tracks.forEach(drawLabel);
    pen.font = SPAN_FONT;
    letterWidth = pen.measureText('m').width;
    rows.forEach(drawRow);
    if (marks.hovered !== NO_ITEM) drawFrame(marks.hovered, colors.text);
    if (marks.chosen !== NO_ITEM) drawFrame(marks.chosen, colors.text, 2);
    mapWindow.style.left = `${view.from / total * 100}%`;
    mapWindow.style.width = `${(view.to - view.from) / total * 100}%`;
    canvas.dataset.from = Math.round(view.from);
    canvas.dataset.to = Math.round(view.to);
  }

  // The map shows the whole log: each row of the chart is some pixels high, and it is drawn once for a width.
  function drawMap() {
    const mapPen = mapCanvas.getContext('2d');
    const rowHeight = MAP_HEIGHT / rows.length;
    const pixelsPerTime = mapCanvas.width / total;
    mapPen.fillStyle = colors.bg;
    mapPen.fillRect(0, 0, mapCanvas.width, mapCanvas.height);
    rows.forEach((row, rowNumber) => {
      for (let place = 0; place < row.length;) {
        const item = row[place];
        const left = Math.floor(starts[item] * pixelsPerTime);
        const width = Math.max(1, timeline.lengthOf(item) * pixelsPerTime);
        mapPen.fillStyle = colors.parts[timeline.partOf(item)];
        mapPen.fillRect(left, rowNumber * rowHeight, width, Math.max(rowHeight, 1));
        place = timeline.firstEndingAfter(row, (left + width) / pixelsPerTime, place + 1);
      }
    });
  }

  // Takes over the width of the page, the pixels of the screen and the colors of the scheme. A resized canvas is
  // empty, so drawing cannot wait.
  function redraw() {
    view.width = Math.max(chart.clientWidth, 50);
    view.pixelRatio = devicePixelRatio || 1;
    canvas.width = Math.round(view.width * view.pixelRatio);
    canvas.height = Math.round(height * view.pixelRatio);
    canvas.style.height = `${height}px`;
    mapCanvas.width = Math.round(view.width);
    mapCanvas.height = MAP_HEIGHT;
    colors = readColors();
    cancelAnimationFrame(waitingFrame);
    drawMap();
    draw();
  }

  return { chart, canvas, map, view, marks, height, xOf, timeAt, itemAt, drawSoon, redraw };
})();
