// The linked panes of the provenance page: source, pre-grad graph, post-grad graph, generated code, kernels.
// Each source line has a tint that its lines carry in every pane before this script runs. A line that is chosen
// takes the tint from all but the lines it came from and the lines it became. The page is complete without this
// script: its tables name the lines.
//
// A text is one of ALL_TEXTS; a pane shows one text, or the pane of generated code one of several. The
// number of a line counts from 1: the lines of a graph or of code, or the entries of a list. Events are handled on
// the frame, so a graph of any length adds no listeners.
'use strict';
(() => {
  const { all, byId, editor, noun, isCommand } = tlparse;

  const frame = document.querySelector('.linked-panes');
  const data = byId('maps');
  if (!frame || !data) return;
  const { source, kernels, maps, first: firstKernel } = JSON.parse(data.textContent);
  const { TEXTS, ALL_TEXTS, linesOf } = tlparse.linkedTexts;
  const { relatedLines, kernelsWithSourceAt, runsOfTexts } = linesOf({ source, kernels, maps });

  // ---- What the page calls things ----

  const LIST_TEXTS = ['source', 'kernels'];
  const CODE_TEXTS = ['py', 'cpp'];
  const LINE_NOUN = {
    source: 'source line',
    pre: 'pre-grad line',
    post: 'post-grad line',
    py: 'call',
    cpp: 'call',
    kernels: 'kernel',
    kernelcode: 'line of kernel code',
    header: 'line of the header',
  };

  // Selectors: a line that leads somewhere, in the source of a kernel too.
  const LINKED_LINE = '.mapped, .inner';
  const TEXT_BOX = '.linked-panes pre';
  const PANE_SWITCH = '.pane-switch';
  const LINE_KEYS = '.line-keys button';
  const DIVIDER_CLASS = 'divider';

  // Classes that this script sets: on a line that belongs to the choice, on the chosen line, and on the one of
  // several that the reader is at; on the frame when it is ready, when something is chosen, and when it wraps
  // long lines; on a list that shows linked lines only; on panes.
  const LINKED_CLASS = 'linked';
  const SELECTED_CLASS = 'selected';
  const CURRENT_CLASS = 'stepped-to';
  const READY_CLASS = 'one-pane';
  const CHOSEN_CLASS = 'chosen';
  const WRAP_CLASS = 'wrapped';
  const LINKED_ONLY_CLASS = 'linked-only';
  const SHUT_CLASS = 'shut';
  const SHOWN_CLASS = 'shown';

  // The tint that lines of several source lines get when one of these is chosen.
  const CHOSEN_TINT = '--chosen-tint';
  const TINTS = 8;

  // Source lines of a choice that the editor can open.
  const MOST_OPENED = 3;

  // Milliseconds for which the mouse rests on a line before it is chosen.
  const HOVER_DELAY = 90;
  const NARROW_WINDOW = '(max-width:900px)';
  // Pixels: the least width of a pane, how far a key moves a divider, and the room above a line that is scrolled to.
  const LEAST_PANE_WIDTH = 90;
  const DIVIDER_STEP = 24;
  const ROOM_ABOVE = 40;

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

  // The entries of a list; the file names between them are none.
  const entriesOf = Object.fromEntries(LIST_TEXTS.map(text => [text, boxOf[text] ? all('.mapped', boxOf[text]) : []]));

  // A long text stands in pieces of as many lines as the first. A choice asks for thousands of lines, so they are
  // counted once.
  const linesInPiece = new Map(boxes.map(box => [box, box.firstElementChild.childElementCount]));

  function lineElement(text, line) {
    if (entriesOf[text]) return entriesOf[text][line - 1];
    const box = boxOf[text];
    if (!box || !(line > 0)) return undefined;
    const before = line - 1;
    const size = linesInPiece.get(box);
    return box.children[Math.floor(before / size)]?.children[before % size];
  }

  // Text and number of a line's element: the inverse of lineElement.
  function placeOf(element) {
    const box = element.closest('pre');
    const { text } = box.dataset;
    if (entriesOf[text]) return { text, line: entriesOf[text].indexOf(element) + 1 };
    const piece = element.parentElement;
    const before = [...box.children].indexOf(piece) * linesInPiece.get(box);
    return { text, line: before + [...piece.children].indexOf(element) + 1 };
  }

  // The linked line on which an event happened.
  function linePlaceAt(event) {
    const element = event.target.closest?.('pre > div > span');
    return element?.matches(LINKED_LINE) ? placeOf(element) : null;
  }

  // ---- The choice ----

  // The chosen line {text, line}; null before there is one.
  let selected = null;
  // How many lines belong to it, by text; their runs; and which run the reader is at: a place in that list.
  let counts = {};
  let hits = {};
  let current = {};
  // Whether a click fixed it, so that the mouse does not change it.
  let isPinned = false;
  // The text that the keys n and p step through.
  let steppedText = null;
  // The classes that are set now: {element, className}.
  let marks = [];

  const statusLine = byId('says');
  const firstStatus = statusLine.textContent;
  const releaseButton = byId('release');

  function mark(element, className) {
    if (!element) return;
    element.classList.add(className);
    marks.push({ element, className });
  }

  function markText(text) {
    const runs = hits[text] || [];
    runs.forEach(({ from, to }) => {
      for (let line = from; line <= to; line++) mark(lineElement(text, line), LINKED_CLASS);
    });
    if (selected?.text === text) mark(lineElement(text, selected.line), SELECTED_CLASS);
    else if (runs.length > 1) mark(lineElement(text, runs[current[text]].from), CURRENT_CLASS);
  }

  // What the head of a pane says: which of several runs is shown.
  function positionIn(text) {
    if (!selected) return '';
    const count = (hits[text] || []).length;
    if (count === 0) return 'none';
    return count > 1 ? `${current[text] + 1} of ${count}` : '';
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
    const total = texts.reduce((sum, text) => sum + (counts[text] || 0), 0);
    if (badge) badge.textContent = total || '';
  }

  function paint() {
    marks.forEach(({ element, className }) => element.classList.remove(className));
    marks = [];
    frame.classList.toggle(CHOSEN_CLASS, selected !== null);
    const isSource = selected?.text === 'source';
    frame.style.setProperty(CHOSEN_TINT, isSource ? `var(--t${(selected.line - 1) % TINTS + 1})` : '');
    if (!isSource) frame.style.removeProperty(CHOSEN_TINT);
    new Set(boxes.map(box => paneOf(box.dataset.text))).forEach(paintPane);
    all(LINE_KEYS).forEach(button => {
      const isChosen = isSource && selected.line === Number(button.dataset.place) + 1;
      button.setAttribute('aria-pressed', isChosen);
    });
  }

  // ---- Scrolling: inside a pane; the page itself stays where it is ----

  // From where to where some runs reach, in pixels of what a box scrolls.
  function extentOf(text, runs) {
    const box = boxOf[text];
    const top = box.getBoundingClientRect().top - box.scrollTop;
    const first = lineElement(text, runs[0].from).getBoundingClientRect();
    const last = lineElement(text, runs.at(-1).to).getBoundingClientRect();
    return { from: first.top - top, to: last.bottom - top };
  }

  function scrollIntoBox(box, { from, to }) {
    if (from >= box.scrollTop && to <= box.scrollTop + box.clientHeight) return;
    const fits = to - from <= box.clientHeight;
    box.scrollTop = fits ? (from + to - box.clientHeight) / 2 : from - ROOM_ABOVE;
  }

  // Brings all linked lines of a text into view where they fit, else the run that the reader is at. The sources of
  // kernels are far from their calls, so these come into view one by one. A list that does not fit drops what is not
  // linked.
  function scrollToLinked(text) {
    const box = boxOf[text];
    if (!box || box.hidden || !box.offsetParent) return;
    box.classList.remove(LINKED_ONLY_CLASS);
    const runs = hits[text] || [];
    if (runs.length === 0) return;
    const run = runs[current[text]];
    const together = run.isBody ? [run] : runs.filter(({ isBody }) => !isBody);
    const fits = () => {
      const { from, to } = extentOf(text, together);
      return to - from <= box.clientHeight;
    };
    if (entriesOf[text] && !fits()) box.classList.add(LINKED_ONLY_CLASS);
    scrollIntoBox(box, extentOf(text, fits() ? together : [run]));
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

  // Opens the file of code that has calls of the choice, if possible the one that is open.
  function openCodeOfSelection() {
    const present = CODE_TEXTS.filter(text => boxOf[text]);
    if (present.length === 0 || ![...TEXTS].includes(selected.text) || present.includes(selected.text)) return;
    const withHits = present.filter(text => hits[text].length > 0);
    openText(shownText(withHits) || withHits[0] || shownText(present) || present[0]);
  }

  // ---- Choosing ----

  function select(place, isPinning) {
    const { text, line } = place;
    const ofKernels = kernelsWithSourceAt(text, line);
    const related = ofKernels.length > 0 ? relatedLines('kernels', ofKernels) : relatedLines(text, [line]);
    selected = place;
    hits = runsOfTexts(related);
    counts = Object.fromEntries(ALL_TEXTS.map(other => [other, related[other].size]));
    current = Object.fromEntries(ALL_TEXTS.map(other => [other, 0]));
    isPinned = isPinning;
    releaseButton.hidden = !isPinned;
    const others = ALL_TEXTS.filter(other => other !== text);
    steppedText = [...others].sort((one, next) => hits[next].length - hits[one].length)[0];
    openCodeOfSelection();
    paint();
    others.forEach(scrollToLinked);
    statusLine.textContent = describeSelection(ofKernels);
    sourceLinesOfChoice().forEach(place => statusLine.append(' ', editor.linkToPlace(place)));
    if (isPinned) writeAddress(`#${anchorOf(place)}`);
  }

  // The lines of the program that belong to the choice, the first of them: `/app/model.py:12`.
  function sourceLinesOfChoice() {
    const linked = (hits.source || []).flatMap(({ from, to }) => (
      Array.from({ length: to - from + 1 }, (_, after) => from + after)
    ));
    const lines = selected.text === 'source' ? [selected.line] : linked.slice(0, MOST_OPENED);
    return lines.map(line => lineElement('source', line)?.title).filter(Boolean);
  }

  function anchorOf({ text, line }) {
    return lineElement(text, line)?.dataset.id || `${text}-${line}`;
  }

  function describeSelection(ofKernels) {
    const { text, line } = selected;
    const counted = TEXTS.filter(other => other !== text && boxOf[other]).map(other => (
      `${counts[other]} ${noun(counts[other], LINE_NOUN[other], `${LINE_NOUN[other]}s`)}`
    ));
    return `${nameOfSelection(ofKernels, text, line)}: ${counted.join(', ')}`;
  }

  function nameOfSelection(ofKernels, text, line) {
    if (text === 'kernels') return kernels[line - 1].label;
    const number = lineElement(text, line)?.dataset.n || line;
    if (ofKernels.length > 0) return `source of ${kernels[ofKernels[0] - 1].label}, line ${number}`;
    return `${LINE_NOUN[text]} ${number}`;
  }

  function writeAddress(address) {
    try {
      history.replaceState(null, '', address);
    } catch {
      // A page that is shown in a frame has no address.
    }
  }

  // Goes to the next (1) or previous (-1) run of the choice in a text, from the last one to the first.
  function step(text, by) {
    const count = hits[text]?.length;
    if (!count) return;
    steppedText = text;
    current[text] = (current[text] + by + count) % count;
    paint();
    const box = boxOf[text];
    if (!box.hidden && box.offsetParent) scrollIntoBox(box, extentOf(text, [hits[text][current[text]]]));
  }

  // All tints come back.
  function release() {
    selected = null;
    hits = {};
    counts = {};
    isPinned = false;
    releaseButton.hidden = true;
    statusLine.textContent = firstStatus;
    LIST_TEXTS.forEach(text => boxOf[text]?.classList.remove(LINKED_ONLY_CLASS));
    writeAddress(location.pathname + location.search);
    paint();
  }

  // ---- Mouse ----

  let hoverTimer;

  function onPointerOver(event) {
    clearTimeout(hoverTimer);
    if (isPinned || event.pointerType !== 'mouse') return;
    const place = linePlaceAt(event);
    if (place) hoverTimer = setTimeout(() => select(place, false), HOVER_DELAY);
  }

  function onPointerLeave() {
    clearTimeout(hoverTimer);
    if (!isPinned && selected) release();
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
    clearTimeout(hoverTimer);
    const { step: stepBy, file, shut } = event.target.closest('button')?.dataset ?? {};
    const pane = event.target.closest('section');
    if (stepBy) {
      step(shownText(textsOf(pane)), Number(stepBy));
    } else if (file) {
      openText(file);
      paint();
      scrollToLinked(file);
    } else if (shut) {
      toggleShut(pane, event.target.closest('button'));
    } else {
      const place = linePlaceAt(event);
      if (place) select(place, true);
    }
  }

  // The button of a source line chooses it, and lets it go again.
  function onLineKey({ currentTarget }) {
    const line = Number(currentTarget.dataset.place) + 1;
    if (isPinned && selected.text === 'source' && selected.line === line) release();
    else select({ text: 'source', line }, true);
  }

  // ---- Keyboard: n and p step, digits choose a source line, Escape releases, arrows go from line to line and from
  // pane to pane ----

  function selectNeighbor(box, goesDown) {
    const { text } = box.dataset;
    const from = selected?.text === text ? selected.line : hits[text]?.[current[text]]?.from;
    const lines = all('.mapped', box);
    const here = from === undefined ? -1 : lines.indexOf(lineElement(text, from));
    // Without a line to start from, both ways lead to the first one.
    const isNowhere = here < 0;
    const next = lines[goesDown || isNowhere ? here + 1 : here - 1];
    if (!next) return false;
    const place = placeOf(next);
    select(place, true);
    scrollToChosen(place);
    return true;
  }

  // The line itself, where its own pane has more of the choice.
  function scrollToChosen({ text, line }) {
    const box = boxOf[text];
    if (!box.hidden && box.offsetParent) scrollIntoBox(box, extentOf(text, [{ from: line, to: line }]));
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
    else if (event.key === 'Escape' && selected) release();
    else if (/^[1-9]$/.test(event.key) && source[event.key - 1]) {
      select({ text: 'source', line: Number(event.key) }, true);
    }
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
      if (!pane.querySelector(`.${SHUT_CLASS}:only-child`)) pane.style.flexGrow = width;
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
    scrollToLinked(shownText(textsOf(pane)));
  }

  // ---- Start ----

  // The line that an address names; `py-120` also where the line leads somewhere with the kernel around it only.
  function lineOfAddress(address) {
    const named = frame.querySelector(`[data-id="${CSS.escape(address)}"]`);
    if (named) return named;
    const [, text, number] = /^([a-z]+)-(\d+)$/.exec(address) || [];
    const line = text && !entriesOf[text] ? lineElement(text, Number(number)) : null;
    return line?.matches(LINKED_LINE) ? line : null;
  }

  // Shows the line that the address names; gives whether there is one.
  function followAddress() {
    const element = lineOfAddress(location.hash.slice(1));
    if (!element) return false;
    const place = placeOf(element);
    openText(place.text);
    turnTo(paneOf(place.text).id);
    select(place, true);
    scrollToChosen(place);
    return true;
  }

  // Without an address all tints are shown. Where no source line is known the first kernel shows what the page is for.
  function showBeginning() {
    if (source.length === 0 && kernels.length > 0) select({ text: 'kernels', line: firstKernel || 1 }, false);
    if (boxOf.post) turnTo('post');
    else if (boxes.length > 0) turnTo(paneOf(boxes[0].dataset.text).id);
    CODE_TEXTS.forEach(scrollToFirstCall);
  }

  // Code opens at its first call, not at its imports.
  function scrollToFirstCall(text) {
    const calls = kernels.filter(kernel => kernel.file === text).map(kernel => kernel.line);
    const box = boxOf[text];
    if (selected || calls.length === 0 || !box || box.hidden || !box.offsetParent) return;
    const line = Math.min(...calls);
    box.scrollTop = extentOf(text, [{ from: line, to: line }]).from - ROOM_ABOVE;
  }

  // Wrapped lines, and panes of another size, put linked lines elsewhere.
  function scrollAllToLinked() {
    if (selected) ALL_TEXTS.forEach(scrollToLinked);
  }

  frame.addEventListener('pointerover', onPointerOver);
  frame.addEventListener('pointerleave', onPointerLeave);
  frame.addEventListener('click', onClick);
  addEventListener('keydown', onKey);
  addEventListener('hashchange', followAddress);
  releaseButton.onclick = release;
  all(`.${DIVIDER_CLASS}`, frame).forEach(setUpDivider);
  paneButtons.forEach(button => {
    button.onclick = () => turnTo(button.dataset.pane);
  });
  all(LINE_KEYS).forEach(button => {
    button.onclick = onLineKey;
  });
  const wrapButton = byId('wrap');
  wrapButton.onclick = () => {
    wrapButton.setAttribute('aria-pressed', frame.classList.toggle(WRAP_CLASS));
    scrollAllToLinked();
  };

  frame.classList.add(READY_CLASS);
  if (matchMedia(NARROW_WINDOW).matches) wrapButton.click();
  const firstCode = boxes.find(box => ![...LIST_TEXTS, 'pre', 'post'].includes(box.dataset.text));
  if (firstCode) openText(firstCode.dataset.text);
  if (!followAddress()) showBeginning();
  new ResizeObserver(scrollAllToLinked).observe(frame);
})();
