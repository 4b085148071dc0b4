// The flame chart of a whole log: zoom, pan, search, hover and selection, by pointer and by keyboard. The tables
// below it say the same without this script.
//
// What is seen stands in the address, so that a link shows the same view: #from=0&to=9000&span=7&find=gc.
'use strict';
(() => {
  const { all, byId, editor, element, isCommand, timeline, timeWords, timeDrawing, timeTables } = tlparse;
  const { NO_ITEM, total, items, names, compiles } = timeline;
  const { chart, canvas, map, view, marks, drawSoon } = timeDrawing;
  const { starts, ends } = items;
  const { describeTime } = timeWords;

  const tooltip = chart.querySelector('.tip');
  const panel = byId('chart-chosen');
  const BUTTON_CLASS = 'button';

  // The narrowest view, in microseconds.
  const NARROWEST_VIEW = 20;
  // Milliseconds without a change after which the address is written: browsers limit how often it may be.
  const ADDRESS_PAUSE = 250;

  function clamp(value, least, most) {
    return Math.min(Math.max(value, least), most);
  }

  function isWhole() {
    return view.from <= 0 && view.to >= total;
  }

  function describeView() {
    if (isWhole()) return `all ${describeTime(total)}`;
    return `${describeTime(view.to - view.from)} from ${describeTime(view.from)}, of ${describeTime(total)}`;
  }

  // ---- Zoom and pan ----

  // Shows these times, but nothing beyond the log.
  function show(from, to) {
    const length = clamp(to - from, Math.min(NARROWEST_VIEW, total), total);
    view.from = clamp((from + to - length) / 2, 0, total - length);
    view.to = view.from + length;
    byId('chart-range').textContent = describeView();
    hideTooltip();
    drawSoon();
    followViewSoon();
  }

  // Shows `factor` times as much; what is at x stays there.
  function zoom(factor, x = view.width / 2) {
    const time = timeDrawing.timeAt(x);
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
    if (marks.chosen !== NO_ITEM) showAround(starts[marks.chosen], ends[marks.chosen]);
  }

  // Brings an item into sight, wide enough to be seen.
  function reveal(item) {
    const from = starts[item];
    const to = ends[item];
    const length = to - from;
    const isSeen = from < view.to && to > view.from;
    const isInside = from >= view.from && to <= view.to;
    const isWide = length * view.width >= 3 * (view.to - view.from);
    if (isSeen && isWide && (isInside || length > view.to - view.from)) return;
    const margin = Math.max(length * 4, Math.min(view.to - view.from, length * 100)) / 2;
    const middle = (from + to) / 2;
    show(middle - margin, middle + margin);
  }

  function showAll() {
    choose(NO_ITEM);
    show(0, total);
  }

  // ---- What is told of an item ----

  function setHovered(item) {
    if (item !== marks.hovered) drawSoon();
    marks.hovered = item;
    tooltip.hidden = item === NO_ITEM;
    timeWords.describe(item, tooltip);
  }

  function hideTooltip() {
    setHovered(NO_ITEM);
  }

  // Tells of the item under the pointer: below it on the right, or where there is room for the tooltip.
  function showTooltipAt(x, y) {
    const item = timeDrawing.itemAt(x, y);
    setHovered(item);
    if (item === NO_ITEM) return;
    const mostLeft = view.width - tooltip.offsetWidth - 4;
    const below = y + 18;
    const above = Math.max(0, y - tooltip.offsetHeight - 8);
    tooltip.style.left = `${Math.max(0, Math.min(x + 14, mostLeft))}px`;
    tooltip.style.top = `${below + tooltip.offsetHeight > timeDrawing.height ? above : below}px`;
  }

  function addButton(textContent, onclick) {
    const button = element('button', { className: BUTTON_CLASS, textContent });
    button.onclick = onclick;
    panel.append(button);
  }

  function choose(wanted) {
    const item = timeline.drawnFor(wanted);
    marks.chosen = item;
    drawSoon();
    followViewSoon();
    timeWords.describe(item, panel);
    if (item === NO_ITEM) return;
    const compile = timeline.compileOf(item);
    if (compile) panel.append(element('a', { href: compile.page, textContent: `page of ${compile.id}` }));
    if (compile?.place) panel.append(element('div', {}, editor.linkToPlace(compile.place)));
    addButton('Zoom to it', showChosen);
    if (!timeline.isCompile(item)) {
      addButton('Find all of this phase', () => setSearch(quoted(timeline.phaseNameOf(timeline.innermostOf(item)))));
    }
  }

  function chooseAndReveal(item) {
    choose(item);
    if (item !== NO_ITEM) reveal(item);
  }

  // ---- Search: a part of a phase's name, a whole name in quotes, or the whole id of a compile ----

  const searchField = byId('chart-find');
  const searchResult = byId('chart-found');

  // Spans that were found. Some of them are shown in the row of another.
  let spansFound = 0;

  function quoted(name) {
    return `"${name}"`;
  }

  function findMatches(text) {
    const exact = /^"(.*)"$/.exec(text)?.[1];
    const isNameFound = names.map(name => {
      const lower = name.toLowerCase();
      return exact === undefined ? lower.includes(text) : lower === exact;
    });
    const isCompileFound = compiles.map(compile => compile.id.toLowerCase() === text);
    const isFound = item => isNameFound[timeline.phaseOf(item)] || isCompileFound[items.compiles[item]];
    spansFound = 0;
    const matches = new Uint8Array(items.count);
    for (let item = 0; item < items.count; item++) {
      if (!isFound(item)) continue;
      if (item < items.spanCount) spansFound += 1;
      matches[timeline.drawnFor(item)] = 1;
    }
    return matches;
  }

  function search() {
    const text = searchField.value.trim().toLowerCase();
    marks.matches = text ? findMatches(text) : null;
    searchResult.textContent = text ? describeMatches() : '';
    drawSoon();
    followViewSoon();
  }

  function setSearch(text) {
    searchField.value = text;
    search();
  }

  function describeMatches() {
    return `${spansFound.toLocaleString('en')} of ${items.spanCount.toLocaleString('en')} spans`;
  }

  // The match behind the chosen item, from the last to the first; NO_ITEM if there is none.
  function nextMatch() {
    const next = marks.matches.indexOf(1, marks.chosen + 1);
    return next === NO_ITEM ? marks.matches.indexOf(1) : next;
  }

  // The match before the chosen item, from the first to the last.
  function previousMatch() {
    const before = marks.chosen === NO_ITEM ? items.count : marks.chosen - 1;
    const previous = before < 0 ? NO_ITEM : marks.matches.lastIndexOf(1, before);
    return previous === NO_ITEM ? marks.matches.lastIndexOf(1) : previous;
  }

  function onSearchKey(event) {
    if (event.key === 'Escape') setSearch('');
    if (event.key === 'Enter' && marks.matches) {
      event.preventDefault();
      chooseAndReveal(event.shiftKey ? previousMatch() : nextMatch());
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
    if (drag && !drag.hasMoved) choose(timeDrawing.itemAt(event.offsetX, event.offsetY));
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

  // ---- The map of the whole log: a click or drag moves what is seen ----

  function followMap(event) {
    const isPressed = event.buttons === 1;
    if (!isPressed) return;
    const { left, width } = map.getBoundingClientRect();
    const middle = (event.clientX - left) / width * total;
    const half = (view.to - view.from) / 2;
    show(middle - half, middle + half);
  }

  function startMapDrag(event) {
    map.setPointerCapture(event.pointerId);
    followMap(event);
  }

  // ---- Keys and buttons ----

  // What the first arrow key chooses: the first compile that is seen, or the first item.
  function firstSeen() {
    const isSeen = item => ends[item] > view.from && starts[item] < view.to;
    for (let item = items.spanCount; item < items.count; item++) {
      if (isSeen(item)) return item;
    }
    return items.count > 0 ? 0 : NO_ITEM;
  }

  // The longest item right below; NO_ITEM if there is none.
  function longestBelow(item) {
    const longest = (one, other) => (timeline.lengthOf(other) > timeline.lengthOf(one) ? other : one);
    const below = timeline.childrenOf(item);
    return below.length > 0 ? below.reduce(longest) : NO_ITEM;
  }

  function walk(findNext) {
    const next = marks.chosen === NO_ITEM ? firstSeen() : findNext(marks.chosen);
    if (next !== NO_ITEM) chooseAndReveal(next);
  }

  // By the names that buttons have in data-chart.
  const ACTIONS = {
    in: () => zoom(0.6),
    out: () => zoom(1 / 0.6),
    left: () => pan(-0.2),
    right: () => pan(0.2),
    all: showAll,
    zoomed: showChosen,
    before: () => walk(item => timeline.neighborOf(item, -1)),
    after: () => walk(item => timeline.neighborOf(item, 1)),
    above: () => walk(timeline.parentOf),
    below: () => walk(longestBelow),
  };
  const ACTION_OF_KEY = {
    ArrowLeft: 'before', ArrowRight: 'after', ArrowUp: 'above', ArrowDown: 'below',
    a: 'left', d: 'right', w: 'in', s: 'out',
    '+': 'in', '=': 'in', '-': 'out',
    Escape: 'all',
    Enter: 'zoomed',
  };

  function onChartKey(event) {
    const action = ACTION_OF_KEY[event.key];
    if (!action || isCommand(event)) return;
    ACTIONS[action]();
    event.preventDefault();
  }

  // ---- The address ----

  // #at-7 shows the compile with that number; #phase=gc, or the anchor of its row, the longest span of a phase.
  const COMPILE_ADDRESS = /^#at-(\d+)$/;
  const PHASE_ROW_ADDRESS = /^#(phase-\d+)$/;
  let waitingAddress = 0;

  function addressOfView() {
    const parameters = new URLSearchParams();
    if (!isWhole()) {
      parameters.set('from', Math.round(view.from));
      parameters.set('to', Math.round(view.to));
    }
    if (marks.chosen !== NO_ITEM) parameters.set('span', marks.chosen);
    const text = searchField.value.trim();
    if (text) parameters.set('find', text);
    return parameters.toString();
  }

  function writeAddress() {
    const address = addressOfView();
    history.replaceState(null, '', address ? `#${address}` : location.pathname + location.search);
  }

  // The address and the tables follow once the view stays.
  function followViewSoon() {
    clearTimeout(waitingAddress);
    waitingAddress = setTimeout(() => {
      writeAddress();
      timeTables.follow(view.from, view.to, isWhole());
    }, ADDRESS_PAUSE);
  }

  function showCompile(number) {
    const compile = compiles.findIndex(one => one.number === number);
    if (compile < 0) return;
    let from = Infinity;
    let to = 0;
    items.compiles.forEach((other, item) => {
      if (other !== compile) return;
      from = Math.min(from, starts[item]);
      to = Math.max(to, ends[item]);
    });
    setSearch(compiles[compile].id);
    choose(items.compiles.indexOf(compile, items.spanCount));
    showAround(from, to);
  }

  function showPhase(name) {
    const phase = timeline.phaseOfName(name);
    if (phase < 0) return;
    let longest = NO_ITEM;
    for (let item = 0; item < items.spanCount; item++) {
      const isLonger = longest === NO_ITEM || timeline.lengthOf(item) > timeline.lengthOf(longest);
      if (timeline.phaseOf(item) === phase && isLonger) longest = item;
    }
    setSearch(quoted(name));
    choose(longest);
    showChosen();
    chart.focus({ preventScroll: true });
    byId('chart').scrollIntoView();
  }

  // A number of the address that is one, else another.
  function numberOr(text, other) {
    const number = Number(text);
    return text === null || text === '' || !Number.isFinite(number) ? other : number;
  }

  function showView(parameters) {
    const span = numberOr(parameters.get('span'), NO_ITEM);
    setSearch(parameters.get('find') ?? '');
    choose(Number.isInteger(span) && span >= 0 && span < items.count ? span : NO_ITEM);
    show(numberOr(parameters.get('from'), 0), numberOr(parameters.get('to'), total));
  }

  function followAddress() {
    const compile = COMPILE_ADDRESS.exec(location.hash);
    const row = PHASE_ROW_ADDRESS.exec(location.hash);
    const ofRow = row && byId(row[1])?.querySelector('.phase-code');
    const parameters = new URLSearchParams(location.hash.slice(1));
    const isView = ['from', 'to', 'span', 'find'].some(name => parameters.has(name));
    if (compile) showCompile(Number(compile[1]));
    else if (ofRow) showPhase(ofRow.dataset.phase);
    else if (parameters.has('phase')) showPhase(parameters.get('phase'));
    else if (isView) showView(parameters);
  }

  // ---- The tables: names of phases lead to their spans ----

  function linkPhase(code) {
    const name = code.dataset.phase;
    if (timeline.phaseOfName(name) < 0) return;
    const href = `#${new URLSearchParams({ phase: name })}`;
    const link = element('a', { href, title: 'Show the longest span on the chart' });
    code.replaceWith(link);
    link.append(code);
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
  map.onpointerdown = startMapDrag;
  map.onpointermove = followMap;
  chart.onkeydown = onChartKey;
  all('[data-chart]').forEach(button => {
    button.onclick = ACTIONS[button.dataset.chart];
  });
  all('.phase-code').forEach(linkPhase);

  timeDrawing.redraw();
  byId('chart-range').textContent = describeView();
  followAddress();
  addEventListener('hashchange', followAddress);
  new ResizeObserver(timeDrawing.redraw).observe(chart);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', timeDrawing.redraw);
})();
