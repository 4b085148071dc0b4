// The flame chart of a whole log: zoom, pan, search, hover and selection. The tables below it say the same
// without this script.
//
// A span is known by its number, and times are microseconds from the start of the log, as in time_data.js.
'use strict';
(() => {
  const { all, byId, element, isCommand, firstThat, timeline } = tlparse;
  const { total, spans, names, compiles, tracks, rows, nameOf, compileOf, lengthOf } = timeline;
  const { starts, ends } = spans;

  const chart = byId('flame-chart');
  const canvas = chart.querySelector('canvas');
  const pen = canvas.getContext('2d');
  const tooltip = chart.querySelector('.tip');
  const BUTTON_CLASS = 'button';

  const NO_SPAN = -1;
  // Seconds and milliseconds in microseconds, and the narrowest view.
  const SECOND = 1e6;
  const MILLISECOND = 1e3;
  const NARROWEST_VIEW = 20;

  // Pixels: the height of the axis, of a track's label and of a row, and the gap below a track.
  const AXIS_HEIGHT = 22;
  const LABEL_HEIGHT = 19;
  const ROW_HEIGHT = 18;
  const TRACK_GAP = 8;
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
  const COLOR_PROPERTIES = ['bg', 'text', 'soft', 'line', 'accent', 'error'];
  const PART_PROPERTIES = [
    'phase-other',
    'phase-dynamo',
    'phase-aotautograd',
    'phase-inductor',
    'phase-codegen',
    'phase-builds',
    'phase-autotuning',
  ];

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

  function clamp(value, least, most) {
    return Math.min(Math.max(value, least), most);
  }

  // ---- What is seen ----

  // The times at the left and right end, and what they make of the canvas.
  const view = { from: 0, to: total, width: 1, pixelRatio: 1, pixelsPerTime: 1 };
  // The span under the pointer, and the one that was clicked or found.
  let hovered = NO_SPAN;
  let chosen = NO_SPAN;
  // For each span whether the search found it (1) or not (0); null when nothing is looked for.
  let matches = null;
  // The match that Enter went to.
  let currentMatch = NO_SPAN;

  function xOf(time) {
    return (time - view.from) * view.pixelsPerTime;
  }

  function timeAt(x) {
    return view.from + x / view.pixelsPerTime;
  }

  // The first place in a row, from `start` on, whose span ends after a time.
  function firstEndingAfter(row, time, start = 0) {
    return firstThat(place => ends[row[place]] > time, start, row.length);
  }

  // The span at a place; thin ones are hit from two pixels beside them too.
  function spanAt(x, y) {
    const row = rows[rowTops.findIndex(top => y >= top && y < top + ROW_HEIGHT)] || [];
    for (const slack of [0, 2]) {
      const span = row[firstEndingAfter(row, timeAt(x - slack))];
      if (span !== undefined && xOf(starts[span]) <= x + slack) return span;
    }
    return NO_SPAN;
  }

  // ---- Times in words ----

  const NBSP = '\u00a0';

  // A length of time as the tables have it: three digits at most.
  function describeTime(time) {
    const size = Math.abs(time);
    if (size < 999.5) return `${Math.round(time)}${NBSP}us`;
    if (size < 999.5 * MILLISECOND) return `${(time / MILLISECOND).toFixed(size < 9950 ? 1 : 0)}${NBSP}ms`;
    return `${(time / SECOND).toFixed(size < 9.995 * SECOND ? 2 : 1)}${NBSP}s`;
  }

  // A time on the axis, in the unit that fits the end of the view.
  function describeTick(time) {
    if (view.to < MILLISECOND) return `${Math.round(time)}${NBSP}us`;
    if (view.to < SECOND) return `${Number((time / MILLISECOND).toFixed(3))}${NBSP}ms`;
    return `${Number((time / SECOND).toFixed(6))}${NBSP}s`;
  }

  function describeView() {
    const isWhole = view.from <= 0 && view.to >= total;
    if (isWhole) return `all ${describeTime(total)}`;
    return `${describeTime(view.to - view.from)} from ${describeTime(view.from)}, of ${describeTime(total)}`;
  }

  // ---- Drawing ----

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
    return { ...named, parts: PART_PROPERTIES.map(colorOf) };
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
      if (x < view.width - 30) pen.fillText(describeTick(time), x + 4, AXIS_HEIGHT / 2);
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

  function drawFrame(span, color, lineWidth = 1, dashes = []) {
    const left = Math.max(xOf(starts[span]), -FRAME_OVERHANG);
    const right = Math.min(xOf(ends[span]), view.width + FRAME_OVERHANG);
    pen.strokeStyle = color;
    pen.lineWidth = lineWidth;
    pen.setLineDash(dashes);
    const top = rowTops[spans.rows[span]];
    pen.strokeRect(left + 0.5, top + 0.5, Math.max(right - left - 2, 1), ROW_HEIGHT - 2);
  }

  // Name and length if both fit, else as much of the name as does.
  function drawSpanText(span, left, room, top) {
    const name = nameOf(span);
    const nameAndLength = `${name} ${describeTime(lengthOf(span))}`;
    const most = Math.floor((room - 9) / letterWidth);
    let text = `${name.slice(0, most - 1)}\u2026`;
    if (name.length <= most) text = name;
    if (nameAndLength.length <= most) text = nameAndLength;
    pen.fillStyle = colors.text;
    pen.fillText(text, Math.max(left, 0) + 4, top + ROW_HEIGHT / 2);
  }

  function hasMatch(row, start, end) {
    for (let place = start; place < end; place++) {
      if (matches[row[place]]) return true;
    }
    return false;
  }

  // Draws the span at a place of a row, or a mark for all spans that are within one pixel there. Gives the
  // next place.
  function drawSpan(row, place, top) {
    const span = row[place];
    const start = xOf(starts[span]);
    const width = xOf(ends[span]) - start;
    const isThin = width < 1;
    const left = Math.max(start, -SPAN_OVERHANG);
    const room = Math.min(start + width, view.width + SPAN_OVERHANG) - left;
    const next = isThin ? firstEndingAfter(row, timeAt(Math.floor(start) + 1), place + 1) : place + 1;
    const isMatch = matches !== null && hasMatch(row, place, next);
    const gap = width > LEAST_WIDTH_WITH_GAP ? 1 : 0;

    pen.globalAlpha = matches !== null && !isMatch ? FADED : 1;
    pen.fillStyle = isThin && isMatch ? colors.accent : colors.parts[timeline.partOf(span)];
    pen.fillRect(left, top, Math.max(room - gap, 1), ROW_HEIGHT - 1);
    if (width > LEAST_WIDTH_WITH_GAP && spans.open.has(span)) drawFrame(span, colors.error, 1, [3, 3]);
    if (!isThin && isMatch) drawFrame(span, colors.accent);
    if (room > LEAST_WIDTH_WITH_TEXT) drawSpanText(span, left, room, top);
    return next;
  }

  function drawRow(row, rowNumber) {
    let place = firstEndingAfter(row, view.from);
    while (place < row.length && xOf(starts[row[place]]) <= view.width) {
      place = drawSpan(row, place, rowTops[rowNumber]);
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
    colors = readColors();
    clear();
    pen.font = LABEL_FONT;
    drawAxis();
    tracks.forEach(drawLabel);
    pen.font = SPAN_FONT;
    letterWidth = pen.measureText('m').width;
    rows.forEach(drawRow);
    if (hovered !== NO_SPAN) drawFrame(hovered, colors.text);
    if (chosen !== NO_SPAN) drawFrame(chosen, colors.text, 2);
    canvas.dataset.from = Math.round(view.from);
    canvas.dataset.to = Math.round(view.to);
    byId('chart-range').textContent = describeView();
  }

  // Takes over the width of the page and the pixels of the screen.
  function resize() {
    view.width = Math.max(chart.clientWidth, 50);
    view.pixelRatio = devicePixelRatio || 1;
    canvas.width = Math.round(view.width * view.pixelRatio);
    canvas.height = Math.round(height * view.pixelRatio);
    canvas.style.height = `${height}px`;
    // A resized canvas is empty, so drawing cannot wait.
    cancelAnimationFrame(waitingFrame);
    draw();
  }

  // ---- Zoom and pan ----

  // Shows these times, but nothing beyond the log.
  function show(from, to) {
    const length = clamp(to - from, Math.min(NARROWEST_VIEW, total), total);
    view.from = clamp((from + to - length) / 2, 0, total - length);
    view.to = view.from + length;
    hideTooltip();
    drawSoon();
  }

  // Shows `factor` times as much; what is at x stays there.
  function zoom(factor, x = view.width / 2) {
    const time = timeAt(x);
    show(time - (time - view.from) * factor, time + (view.to - time) * factor);
  }

  // Moves by this share of what is seen; to the right if it is positive.
  function pan(share) {
    const distance = (view.to - view.from) * share;
    show(view.from + distance, view.to + distance);
  }

  // Shows these times and a little around them.
  function showAround(from, to) {
    const margin = Math.max((to - from) * 0.05, 10);
    show(from - margin, to + margin);
  }

  function showChosen() {
    if (chosen !== NO_SPAN) showAround(starts[chosen], ends[chosen]);
  }

  // ---- What is told of a span ----

  const OPEN_SPAN_NOTE = 'left open in the log; it ends here with the span around it, or with its process';

  // Puts what is known of a span into `place`; nothing if there is no span.
  function describe(span, place) {
    place.replaceChildren();
    if (span === NO_SPAN) return;
    const compile = compileOf(span);
    const name = compile?.name ? `, ${compile.name}` : '';
    const addLine = text => place.append(element('div', { textContent: text }));
    place.append(element('b', { textContent: nameOf(span) }));
    addLine(`${describeTime(lengthOf(span))}, from ${describeTime(starts[span])}`);
    addLine(compile ? `compile ${compile.id}${name}` : 'no compile id');
    if (spans.open.has(span)) addLine(OPEN_SPAN_NOTE);
  }

  function setHovered(span) {
    if (span !== hovered) drawSoon();
    hovered = span;
    tooltip.hidden = span === NO_SPAN;
    describe(span, tooltip);
  }

  function hideTooltip() {
    setHovered(NO_SPAN);
  }

  // Tells of the span under the pointer: below it on the right, or where there is room for the tooltip.
  function showTooltipAt(x, y) {
    const span = spanAt(x, y);
    setHovered(span);
    if (span === NO_SPAN) return;
    const mostLeft = view.width - tooltip.offsetWidth - 4;
    const below = y + 18;
    const above = Math.max(0, y - tooltip.offsetHeight - 8);
    tooltip.style.left = `${Math.max(0, Math.min(x + 14, mostLeft))}px`;
    tooltip.style.top = `${below + tooltip.offsetHeight > height ? above : below}px`;
  }

  function choose(span) {
    chosen = span;
    drawSoon();
    const place = byId('chart-chosen');
    describe(span, place);
    if (span === NO_SPAN) return;
    const compile = compileOf(span);
    if (compile) place.append(element('a', { href: compile.page, textContent: `page of ${compile.id}` }));
    const button = element('button', { className: BUTTON_CLASS, textContent: 'Zoom to it' });
    button.onclick = showChosen;
    place.append(button);
  }

  // ---- Search: a part of a span's name, or the whole id of a compile ----

  const searchField = byId('chart-find');
  const searchResult = byId('chart-found');

  function findMatches(text) {
    const isNameFound = names.map(name => name.toLowerCase().includes(text));
    const isCompileFound = compiles.map(compile => compile.id.toLowerCase() === text);
    const isMatch = (name, span) => isNameFound[name] || isCompileFound[spans.compiles[span]];
    return Uint8Array.from(spans.names, isMatch);
  }

  function search() {
    const text = searchField.value.trim().toLowerCase();
    currentMatch = NO_SPAN;
    matches = text ? findMatches(text) : null;
    searchResult.textContent = text ? describeMatches() : '';
    drawSoon();
  }

  function describeMatches() {
    const found = matches.reduce((sum, isMatch) => sum + isMatch, 0);
    return `${found.toLocaleString('en')} of ${spans.count.toLocaleString('en')} spans`;
  }

  // The match after the current one, from the last to the first; NO_SPAN if there is none.
  function nextMatch() {
    const next = matches.indexOf(1, currentMatch + 1);
    return next === NO_SPAN ? matches.indexOf(1) : next;
  }

  // The match before the current one, from the first to the last.
  function previousMatch() {
    const before = currentMatch === NO_SPAN ? spans.count : currentMatch - 1;
    const previous = matches.lastIndexOf(1, before);
    return previous === NO_SPAN ? matches.lastIndexOf(1) : previous;
  }

  // Brings a span into sight, wide enough to be seen.
  function reveal(span) {
    const from = starts[span];
    const to = ends[span];
    const isInside = from >= view.from && to <= view.to;
    const isWide = (to - from) * view.pixelsPerTime >= 3;
    if (isInside && isWide) return;
    const length = to - from;
    const margin = Math.max(length * 4, Math.min(view.to - view.from, length * 100)) / 2;
    const middle = (from + to) / 2;
    show(middle - margin, middle + margin);
  }

  function goToMatch(span) {
    currentMatch = span;
    choose(span);
    if (span !== NO_SPAN) reveal(span);
  }

  function onSearchKey(event) {
    if (event.key === 'Escape') {
      searchField.value = '';
      search();
    }
    if (event.key === 'Enter' && matches) {
      event.preventDefault();
      goToMatch(event.shiftKey ? previousMatch() : nextMatch());
    }
  }

  // ---- Pointer ----

  // Where a drag began, and what was seen then; null when nothing is dragged.
  let drag = null;

  function startDrag(event) {
    const isMainButton = event.button === 0;
    if (!isMainButton) return;
    canvas.setPointerCapture(event.pointerId);
    drag = { x: event.clientX, from: view.from, to: view.to, hasMoved: false };
    hideTooltip();
  }

  function onPointerMove(event) {
    if (drag) moveDrag(event.clientX - drag.x);
    else showTooltipAt(event.offsetX, event.offsetY);
  }

  function moveDrag(pixels) {
    // A hand that clicks moves a little.
    if (Math.abs(pixels) > 3) drag.hasMoved = true;
    if (!drag.hasMoved) return;
    const time = pixels / view.width * (drag.to - drag.from);
    show(drag.from - time, drag.to - time);
  }

  // A drag that did not move is a click.
  function endDrag(event) {
    if (drag && !drag.hasMoved) choose(spanAt(event.offsetX, event.offsetY));
    drag = null;
  }

  function cancelDrag() {
    drag = null;
  }

  function onPointerLeave() {
    if (!drag) hideTooltip();
  }

  // Sideways pans; up and down zooms with a key, or once the chart has the focus: until then the page
  // scrolls.
  function onWheel(event) {
    // Some browsers count lines instead of pixels.
    const unit = event.deltaMode ? 30 : 1;
    const sideways = event.deltaX || (event.shiftKey && event.deltaY);
    const isZoom = event.ctrlKey || event.metaKey || document.activeElement === chart;
    if (sideways) pan(sideways * unit / view.width);
    else if (isZoom) zoom(Math.exp(clamp(event.deltaY * unit / 400, -2, 2)), event.offsetX);
    else return;
    event.preventDefault();
  }

  // ---- Keys and buttons ----

  // By the names that buttons have in data-chart.
  const ACTIONS = {
    in: () => zoom(0.6),
    out: () => zoom(1 / 0.6),
    left: () => pan(-0.2),
    right: () => pan(0.2),
    all: () => show(0, total),
    zoomed: showChosen,
  };
  const ACTION_OF_KEY = {
    ArrowLeft: 'left', a: 'left',
    ArrowRight: 'right', d: 'right',
    ArrowUp: 'in', w: 'in', '+': 'in',
    ArrowDown: 'out', s: 'out', '-': 'out',
    Escape: 'all',
    Enter: 'zoomed',
  };

  function onChartKey(event) {
    const action = ACTION_OF_KEY[event.key];
    if (!action || isCommand(event)) return;
    ACTIONS[action]();
    event.preventDefault();
  }

  // ---- The address: #at-7 shows the compile with that number ----

  function compileInAddress() {
    const found = /^#at-(\d+)$/.exec(location.hash);
    return found ? compiles.findIndex(compile => compile.number === Number(found[1])) : -1;
  }

  function followAddress() {
    const compile = compileInAddress();
    if (compile < 0) return;
    let from = Infinity;
    let to = 0;
    spans.compiles.forEach((other, span) => {
      if (other !== compile) return;
      from = Math.min(from, starts[span]);
      to = Math.max(to, ends[span]);
    });
    searchField.value = compiles[compile].id;
    search();
    showAround(from, to);
  }

  // ---- Start ----

  searchField.oninput = search;
  searchField.onkeydown = onSearchKey;
  canvas.onpointerdown = startDrag;
  canvas.onpointermove = onPointerMove;
  canvas.onpointerup = endDrag;
  canvas.onpointercancel = cancelDrag;
  canvas.onpointerleave = onPointerLeave;
  canvas.onclick = () => chart.focus({ preventScroll: true });
  canvas.ondblclick = showChosen;
  // Not passive, because the page must not scroll while the chart zooms.
  canvas.addEventListener('wheel', onWheel, { passive: false });
  chart.onkeydown = onChartKey;
  all('[data-chart]').forEach(button => {
    button.onclick = ACTIONS[button.dataset.chart];
  });

  resize();
  followAddress();
  addEventListener('hashchange', followAddress);
  new ResizeObserver(resize).observe(chart);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
})();
