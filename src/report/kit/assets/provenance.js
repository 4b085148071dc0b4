// The linked panes of the provenance page: source, pre-grad graph, post-grad graph, generated code, kernels.
// A line that is selected marks the lines it came from and the lines it became. The page is complete without
// this script: its table names the lines.
//
// A text is one of TEXTS; a pane shows one text, or the pane of generated code one of several. Lines that
// lead somewhere have ids, such as `post-12`. Events are handled on the frame, so a graph of any length adds
// no listeners.
'use strict';
(() => {
  const { all, byId, noun, isCommand } = tlparse;

  const frame = document.querySelector('.linked-panes');
  const index = byId('maps');
  if (!frame || !index) return;
  const { source, kernels, maps, first: firstKernel } = JSON.parse(index.textContent);

  // ---- What the page calls things ----

  // The texts from left to right.
  const TEXTS = ['source', 'pre', 'post', 'py', 'cpp', 'kernels'];
  const GRAPHS_AND_TABLES = ['source', 'pre', 'post', 'kernels'];
  const CODE_TEXTS = ['py', 'cpp'];
  const LINE_NOUN = {
    source: 'source line',
    pre: 'pre-grad line',
    post: 'post-grad line',
    py: 'call',
    cpp: 'call',
    kernels: 'kernel',
  };

  // Selectors.
  const LINKED_LINE = '.linked-panes pre .mapped';
  const TEXT_BOX = '.linked-panes pre';
  const PANE_SWITCH = '.pane-switch';
  const DIVIDER_CLASS = 'divider';

  // Classes that this script sets: on a line that belongs to the selection, on the selected line, and on the
  // one of several that the reader is at; on the frame when it is ready and when it wraps long lines; on
  // panes.
  const HIT_CLASS = 'hit';
  const SELECTED_CLASS = 'selected';
  const CURRENT_CLASS = 'stepped-to';
  const READY_CLASS = 'one-pane';
  const WRAP_CLASS = 'wrapped';
  const SHUT_CLASS = 'shut';
  const SHOWN_CLASS = 'shown';

  // Milliseconds for which the mouse rests on a line before it is selected.
  const HOVER_DELAY = 90;
  const NARROW_WINDOW = '(max-width:900px)';
  // Pixels: the least width of a pane, and how far a key moves a divider.
  const LEAST_PANE_WIDTH = 90;
  const DIVIDER_STEP = 24;

  // ---- Panes, texts and lines ----

  const boxes = all('pre[data-text]', frame);
  // The element that holds a text.
  const boxOf = Object.fromEntries(boxes.map(box => [box.dataset.text, box]));

  function paneOf(text) {
    return boxOf[text]?.closest('section');
  }

  // The texts of a pane.
  function textsOf(pane) {
    return boxes.map(box => box.dataset.text).filter(text => paneOf(text) === pane);
  }

  // The text of these that is shown.
  function shownText(texts) {
    return texts.find(text => boxOf[text] && !boxOf[text].hidden);
  }

  function lineElement(text, line) {
    return byId(`${text}-${line}`);
  }

  // Text and number of a line's element: the inverse of lineElement.
  function placeOf(element) {
    const dash = element.id.lastIndexOf('-');
    return { text: element.id.slice(0, dash), line: Number(element.id.slice(dash + 1)) };
  }

  // The linked line on which an event happened.
  function linePlaceAt(event) {
    const element = event.target.closest?.(LINKED_LINE);
    return element ? placeOf(element) : null;
  }

  // ---- Which lines belong together ----
  //
  // Edges lead from one text to another on its right: {from, to, lines}, where `lines` holds, for a line of
  // `from`, the lines of `to`.

  // Adds to the list that an object has under a key.
  function addTo(lists, key, value) {
    (lists[key] ||= []).push(value);
  }

  // For each source line, by number from 1, the lines that `linesOf` gives.
  function fromSource(linesOf) {
    return Object.fromEntries(source.map((entry, place) => [place + 1, linesOf(entry)]));
  }

  // For each source line, the lines of a file of code that call its kernels.
  function callsFromSource(file) {
    return fromSource(entry => {
      const called = entry.calls.map(number => kernels[number - 1]);
      return called.filter(kernel => kernel.file === file).map(kernel => kernel.line);
    });
  }

  // For each line of a file of code, the kernels that it calls.
  function kernelsCalledFrom(file) {
    const called = {};
    kernels.forEach((kernel, place) => {
      if (kernel.file === file) addTo(called, kernel.line, place + 1);
    });
    return called;
  }

  function inverse({ from, to, lines }) {
    const inverted = {};
    for (const [line, targets] of Object.entries(lines)) {
      targets.forEach(target => addTo(inverted, target, Number(line)));
    }
    return { from: to, to: from, lines: inverted };
  }

  const edges = [
    { from: 'source', to: 'pre', lines: fromSource(entry => entry.pre || []) },
    { from: 'source', to: 'post', lines: fromSource(entry => entry.post || []) },
    { from: 'source', to: 'py', lines: callsFromSource('py') },
    { from: 'source', to: 'cpp', lines: callsFromSource('cpp') },
    { from: 'pre', to: 'post', lines: maps.preToPost },
    { from: 'post', to: 'py', lines: maps.postToPyCode },
    { from: 'post', to: 'cpp', lines: maps.postToCppCode },
    { from: 'py', to: 'kernels', lines: kernelsCalledFrom('py') },
    { from: 'cpp', to: 'kernels', lines: kernelsCalledFrom('cpp') },
  ];
  const edgesBack = edges.map(inverse);

  // The lines that are reached from one line along edges, by text. `texts` are those on the way, in order.
  function walk(usedEdges, texts, text, line) {
    const reached = { [text]: new Set([line]) };
    for (const from of texts) {
      for (const edge of usedEdges) {
        if (edge.from !== from || !reached[from]) continue;
        const targets = reached[edge.to] ||= new Set();
        for (const start of reached[from]) {
          (edge.lines[start] || []).forEach(target => targets.add(target));
        }
      }
    }
    return reached;
  }

  // All lines that belong to one line, by text, ascending: its sources on the left and its results on the
  // right. A path never turns, else everything would belong to everything.
  function relatedLines(text, line) {
    const place = TEXTS.indexOf(text);
    const right = walk(edges, TEXTS.slice(place), text, line);
    const left = walk(edgesBack, TEXTS.slice(0, place + 1).reverse(), text, line);
    return Object.fromEntries(TEXTS.map(other => {
      const found = new Set([...right[other] || [], ...left[other] || []]);
      return [other, [...found].sort((one, next) => one - next)];
    }));
  }

  // ---- The selection ----

  // The selected line {text, line}; null before there is one.
  let selected = null;
  // The lines that belong to it, by text, and which of them the reader is at: a place in that list.
  let hits = {};
  let current = {};
  // Whether a click fixed it, so that the mouse does not change it.
  let isPinned = false;
  // The text that the keys n and p step through.
  let steppedText = null;
  // The classes that are set now: {element, className}.
  let marks = [];

  const statusLine = byId('says');
  const releaseButton = byId('free');

  function mark(element, className) {
    if (!element) return;
    element.classList.add(className);
    marks.push({ element, className });
  }

  function markText(text) {
    const lines = hits[text] || [];
    lines.forEach(line => mark(lineElement(text, line), HIT_CLASS));
    const className = selected?.text === text ? SELECTED_CLASS : CURRENT_CLASS;
    if (lines.length > 0) mark(lineElement(text, lines[current[text]]), className);
  }

  // What the head of a pane says: the selected line, or which of several is shown.
  function positionIn(text) {
    if (!selected) return '';
    const count = (hits[text] || []).length;
    if (count === 0) return 'none';
    if (text !== selected.text) return `${current[text] + 1} of ${count}`;
    return lineElement(text, selected.line)?.dataset.n || `line ${selected.line}`;
  }

  function paintPane(pane) {
    const texts = textsOf(pane);
    texts.forEach(markText);
    const shown = shownText(texts);
    pane.querySelector('[data-at]').textContent = positionIn(shown);
    all('[data-step]', pane).forEach(button => {
      button.hidden = (hits[shown] || []).length < 2;
    });
    const badge = document.querySelector(`${PANE_SWITCH} [data-pane="${pane.id}"] span`);
    const total = texts.reduce((sum, text) => sum + (hits[text]?.length || 0), 0);
    if (badge) badge.textContent = total || '';
  }

  function paint() {
    marks.forEach(({ element, className }) => element.classList.remove(className));
    marks = [];
    new Set(boxes.map(box => paneOf(box.dataset.text))).forEach(paintPane);
  }

  // Scrolls a line into sight inside its pane; the page itself stays where it is.
  function scrollInPane(text, line) {
    const box = boxOf[text];
    const element = lineElement(text, line);
    if (!box || !element || box.hidden) return;
    const boxPlace = box.getBoundingClientRect();
    const linePlace = element.getBoundingClientRect();
    const isInSight = linePlace.top >= boxPlace.top && linePlace.bottom <= boxPlace.top + box.clientHeight;
    if (!isInSight) box.scrollTop += linePlace.top - boxPlace.top - box.clientHeight / 2;
  }

  function scrollToCurrent(text) {
    if (hits[text]?.length) scrollInPane(text, hits[text][current[text]]);
  }

  // Shows one of the texts of a pane, where it has several.
  const fileButtons = all('button[data-file]', frame);
  function openText(text) {
    const siblings = boxes.filter(box => paneOf(box.dataset.text) === paneOf(text));
    if (!boxOf[text] || siblings.length < 2) return;
    siblings.forEach(box => {
      box.hidden = box !== boxOf[text];
    });
    fileButtons.forEach(button => button.setAttribute('aria-pressed', button.dataset.file === text));
  }

  // Opens the file of code that has lines of the selection, if possible the one that is open.
  function openCodeOfSelection() {
    const present = CODE_TEXTS.filter(text => boxOf[text]);
    if (present.length === 0 || present.includes(selected.text)) return;
    const withHits = present.filter(text => hits[text].length > 0);
    openText(shownText(withHits) || withHits[0] || shownText(present) || present[0]);
  }

  // The first line of a kernel's text stands for the kernel's first call, unless it is a call itself.
  function kernelDefinedAt(text, line) {
    const kernel = lineElement(text, line)?.dataset.k;
    const isCall = kernels.some(call => call.file === text && call.line === line);
    return kernel && !isCall ? Number(kernel) : null;
  }

  function select(place, isPinning) {
    const kernel = kernelDefinedAt(place.text, place.line);
    selected = kernel === null ? place : { text: 'kernels', line: kernel };
    const { text, line } = selected;
    hits = relatedLines(text, line);
    current = Object.fromEntries(TEXTS.map(other => [other, 0]));
    isPinned = isPinning;
    releaseButton.hidden = !isPinned;
    const others = TEXTS.filter(other => other !== text);
    steppedText = [...others].sort((one, next) => hits[next].length - hits[one].length)[0];
    openCodeOfSelection();
    paint();
    others.forEach(scrollToCurrent);
    statusLine.textContent = describeSelection(others);
    if (isPinned) writeAddress(`#${text}-${line}`);
  }

  function describeSelection(others) {
    const { text, line } = selected;
    const number = lineElement(text, line)?.dataset.n || line;
    const kernel = text === 'kernels' && kernels[line - 1];
    const name = kernel ? kernel.label : `${LINE_NOUN[text]} ${number}`;
    const counts = others.filter(other => boxOf[other]).map(other => {
      const count = hits[other].length;
      return `${count} ${noun(count, LINE_NOUN[other], `${LINE_NOUN[other]}s`)}`;
    });
    return `${name}: ${counts.join(', ')}`;
  }

  function writeAddress(anchor) {
    try {
      history.replaceState(null, '', anchor);
    } catch {
      // A page that is shown in a frame has no address.
    }
  }

  // Goes to the next (1) or previous (-1) line of the selection in a text, from the last one to the first.
  function step(text, by) {
    const count = hits[text]?.length;
    if (!count) return;
    steppedText = text;
    current[text] = (current[text] + by + count) % count;
    paint();
    scrollToCurrent(text);
  }

  function release() {
    isPinned = false;
    releaseButton.hidden = true;
  }

  // ---- Mouse ----

  let hoverTimer;

  function onPointerOver(event) {
    clearTimeout(hoverTimer);
    if (isPinned || event.pointerType !== 'mouse') return;
    const place = linePlaceAt(event);
    if (place) hoverTimer = setTimeout(() => select(place, false), HOVER_DELAY);
  }

  // Folds a pane into a strip, or unfolds it. The widths that dividers gave do not fit any more.
  function toggleShut(pane, button) {
    const isShut = pane.classList.toggle(SHUT_CLASS);
    [...frame.children].forEach(child => {
      child.style.flexGrow = '';
    });
    button.setAttribute('aria-expanded', !isShut);
    button.textContent = isShut ? '+' : '–';
  }

  function onClick(event) {
    const { step: stepBy, file, shut } = event.target.closest('button')?.dataset ?? {};
    const pane = event.target.closest('section');
    if (stepBy) {
      step(shownText(textsOf(pane)), Number(stepBy));
    } else if (file) {
      openText(file);
      paint();
    } else if (shut) {
      toggleShut(pane, event.target.closest('button'));
    } else {
      const place = linePlaceAt(event);
      if (place) select(place, true);
    }
  }

  // ---- Keyboard: n and p step, Escape releases, arrows go from line to line and from pane to pane ----

  function selectNeighbor(box, goesDown) {
    const text = box.dataset.text;
    const from = selected?.text === text ? selected.line : hits[text]?.[current[text]];
    const lines = all('.mapped', box);
    const here = lines.indexOf(lineElement(text, from));
    // Without a line to start from, both ways lead to the first one.
    const isNowhere = here < 0;
    const next = lines[goesDown || isNowhere ? here + 1 : here - 1];
    if (!next) return false;
    const place = placeOf(next);
    select(place, true);
    scrollInPane(place.text, place.line);
    return true;
  }

  function focusNeighbor(box, goesRight) {
    const visible = boxes.filter(other => other.offsetParent);
    const next = visible[visible.indexOf(box) + (goesRight ? 1 : -1)];
    next?.focus({ preventScroll: true });
    return next !== undefined;
  }

  // Arrow keys inside a text. Gives whether there was something to go to.
  function onArrow(box, key) {
    switch (key) {
      case 'ArrowDown': return selectNeighbor(box, true);
      case 'ArrowUp': return selectNeighbor(box, false);
      case 'ArrowRight': return focusNeighbor(box, true);
      case 'ArrowLeft': return focusNeighbor(box, false);
      default: return false;
    }
  }

  function onKey(event) {
    if (isCommand(event) || /INPUT|SELECT/.test(event.target.tagName)) return;
    const box = event.target.closest(TEXT_BOX);
    if (event.key === 'n') step(steppedText, 1);
    else if (event.key === 'p') step(steppedText, -1);
    else if (event.key === 'Escape') release();
    else if (box && onArrow(box, event.key)) event.preventDefault();
  }

  // ---- Dividers: dragged, or moved with the arrow keys ----

  // Moves a divider to the right by so many pixels, which the pane on its right loses.
  function moveDivider(divider, pixels) {
    fixWidths();
    const left = divider.previousElementSibling;
    const right = divider.nextElementSibling;
    const both = left.offsetWidth + right.offsetWidth;
    const mostWidth = both - LEAST_PANE_WIDTH;
    const leftWidth = Math.max(LEAST_PANE_WIDTH, Math.min(mostWidth, left.offsetWidth + pixels));
    left.style.flexGrow = leftWidth;
    right.style.flexGrow = both - leftWidth;
    divider.setAttribute('aria-valuenow', Math.round(leftWidth / both * 100));
  }

  // Lets all panes grow as wide as they are now. All are measured before the first is changed.
  function fixWidths() {
    const panes = [...frame.children].filter(child => child.className !== DIVIDER_CLASS);
    const measured = panes.map(pane => ({ pane, width: pane.offsetWidth }));
    measured.forEach(({ pane, width }) => {
      if (!pane.classList.contains(SHUT_CLASS)) pane.style.flexGrow = width;
    });
  }

  function setUpDivider(divider) {
    // Where the pointer was last while it drags.
    let lastX = null;
    const stopDragging = () => {
      lastX = null;
    };
    divider.onpointerdown = event => {
      lastX = event.clientX;
      divider.setPointerCapture(event.pointerId);
    };
    divider.onpointermove = event => {
      if (lastX === null) return;
      moveDivider(divider, event.clientX - lastX);
      lastX = event.clientX;
    };
    divider.onpointerup = stopDragging;
    divider.onpointercancel = stopDragging;
    divider.onkeydown = event => {
      if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
      moveDivider(divider, event.key === 'ArrowLeft' ? -DIVIDER_STEP : DIVIDER_STEP);
      event.preventDefault();
    };
  }

  // ---- Narrow windows show one pane, and a switch ----

  const paneButtons = all(`${PANE_SWITCH} button`);

  function turnTo(paneId) {
    const pane = byId(paneId);
    if (!pane) return;
    all('section', frame).forEach(other => other.classList.toggle(SHOWN_CLASS, other === pane));
    paneButtons.forEach(button => button.setAttribute('aria-pressed', button.dataset.pane === paneId));
    scrollToCurrent(shownText(textsOf(pane)));
  }

  // ---- Start ----

  // Shows the line that the address names; gives whether there is one.
  function followAddress() {
    const [, text, number] = /^#([a-z]+)-(\d+)$/.exec(location.hash) || [];
    const line = Number(number);
    if (!text || !lineElement(text, number)?.matches(LINKED_LINE)) return false;
    openText(text);
    select({ text, line }, true);
    scrollInPane(selected.text, selected.line);
    turnTo(paneOf(selected.text).id);
    return true;
  }

  // Without an address the first kernel is selected, so that the page shows what it is for.
  function showFirstKernel() {
    if (kernels.length > 0 && boxOf.kernels) select({ text: 'kernels', line: firstKernel || 1 }, false);
    if (boxOf.post) turnTo('post');
    else if (boxes.length > 0) turnTo(paneOf(boxes[0].dataset.text).id);
  }

  frame.addEventListener('pointerover', onPointerOver);
  frame.addEventListener('click', onClick);
  addEventListener('keydown', onKey);
  addEventListener('hashchange', followAddress);
  releaseButton.onclick = release;
  all(`.${DIVIDER_CLASS}`, frame).forEach(setUpDivider);
  paneButtons.forEach(button => {
    button.onclick = () => turnTo(button.dataset.pane);
  });
  const wrapButton = byId('wrap');
  wrapButton.onclick = () => wrapButton.setAttribute('aria-pressed', frame.classList.toggle(WRAP_CLASS));

  frame.classList.add(READY_CLASS);
  if (matchMedia(NARROW_WINDOW).matches) wrapButton.click();
  const firstCode = boxes.find(box => !GRAPHS_AND_TABLES.includes(box.dataset.text));
  if (firstCode) openText(firstCode.dataset.text);
  if (!followAddress()) showFirstKernel();
})();
