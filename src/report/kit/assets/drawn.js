// The drawing of a graph. Its sheets are part of the page; this script shows one of them, moves the view, and fills the
// panel with what is known about a box.
'use strict';
(() => {
  const { all, byId, element, noun, isCommand } = tlparse;

  // `blocks`, `operators`, `inputs` and `places` are objects by number, as in the names of boxes: `b2`, `o4`, `i0`;
  // `kernels` is a list; `others` has the operators that are drawn for those of further equal layers.
  const dataElement = byId('drawn-data');
  if (!dataElement) return;
  const facts = JSON.parse(dataElement.textContent);

  const stage = byId('drawn-stage');
  const panel = byId('drawn-about');
  const trail = byId('drawn-trail');
  const sheets = all('svg', stage);

  // Classes that the style sheet knows.
  const CHOSEN_CLASS = 'chosen';
  const NEXT_CLASS = 'next';
  const KERNEL_CLASS = 'of-kernel';
  const SAME_KERNEL_CLASS = 'same-kernel';
  const BUTTON_CLASS = 'button';
  const SOFT_CLASS = 'soft';

  // How far a step of a button or a key zooms, and the smallest and largest scale.
  const ZOOM_STEP = 0.8;
  const SMALLEST_SCALE = 0.12;
  const LARGEST_SCALE = 3;
  // A sheet is first shown at these scales: its smallest names have 11 pixels.
  const SMALLEST_FIT = 1;
  const LARGEST_FIT = 1.1;
  // Pixels: around a sheet, a move with the keyboard, a click that is not a drag.
  const MARGIN = 12;
  const MOVE = 60;
  const CLICK = 5;
  const LEAST_HEIGHT = 220;
  // Kernels with a button each; buttons of neighbors of a node.
  const MOST_KEYS = 60;
  const MOST_NEIGHBORS = 24;
  const MOST_LINES = 8;
  const TINTS = 8;

  // What the panel says while nothing is chosen.
  const restOfPanel = [...panel.childNodes];

  // ---- The view: a scale, and the point of the sheet at the upper left corner of the stage ----

  let sheet = sheets[0];
  let view = { x: 0, y: 0, scale: 1 };

  function sizeOf(shown) {
    return { width: Number(shown.getAttribute('width')), height: Number(shown.getAttribute('height')) };
  }

  function applyView() {
    const { clientWidth: width, clientHeight: height } = stage;
    const box = [view.x, view.y, width / view.scale, height / view.scale];
    sheet.setAttribute('viewBox', box.map(value => value.toFixed(1)).join(' '));
  }

  // The stage is as high as the sheet, up to most of the window.
  function fit() {
    const { width, height } = sizeOf(sheet);
    const narrow = innerWidth <= 900;
    const most = innerHeight * (narrow ? 0.66 : 0.86);
    const across = (stage.clientWidth - 2 * MARGIN) / width;
    const down = (most - 2 * MARGIN) / height;
    // A sheet that would be too small as a whole is shown from its first box on.
    const scale = Math.min(LARGEST_FIT, Math.max(SMALLEST_FIT, Math.min(across, down)));
    stage.style.height = `${Math.round(Math.min(most, Math.max(LEAST_HEIGHT, height * scale + 2 * MARGIN)))}px`;
    const [seenWidth, seenHeight] = [stage.clientWidth / scale, stage.clientHeight / scale];
    // The sheet's own coordinates begin at its margin.
    const origin = 16;
    view = {
      scale,
      x: (width - seenWidth) / 2 - origin,
      y: height < seenHeight ? (height - seenHeight) / 2 - origin : -origin - MARGIN / scale,
    };
    applyView();
    if (width > seenWidth) {
      const middle = view.x + (centerOf(boxes()[0]).x - stage.getBoundingClientRect().left) / scale;
      view.x = Math.max(-origin, Math.min(middle - seenWidth / 2, width - origin - seenWidth));
      applyView();
    }
  }

  // Zooms around a point of the stage, which stays where it is.
  function zoom(factor, x = stage.clientWidth / 2, y = stage.clientHeight / 2) {
    const scale = Math.min(LARGEST_SCALE, Math.max(SMALLEST_SCALE, view.scale / factor));
    view.x += x / view.scale - x / scale;
    view.y += y / view.scale - y / scale;
    view.scale = scale;
    applyView();
  }

  function move(x, y) {
    view.x += x / view.scale;
    view.y += y / view.scale;
    applyView();
  }

  function bringIntoView(box) {
    const inner = box.getBoundingClientRect();
    const outer = stage.getBoundingClientRect();
    const over = (low, high, from, to) => (low < from + MARGIN ? low - from - MOVE : high > to - MARGIN ? Math.min(high - to + MOVE, low - from - MOVE) : 0);
    move(over(inner.left, inner.right, outer.left, outer.right), over(inner.top, inner.bottom, outer.top, outer.bottom));
  }

  // ---- Boxes ----

  let chosen = null;
  // Boxes that stay in view when the window gets another size; the last one does in any case.
  let kept = [];

  function keepInView(shown) {
    kept = shown;
    kept.forEach(bringIntoView);
  }

  function boxes() {
    return all('[data-at]', sheet);
  }

  function keyOf(box) {
    return box.dataset.at;
  }

  function boxWithKey(key) {
    return boxes().find(box => keyOf(box) === key);
  }

  function edges() {
    return all('.edges > path', sheet);
  }

  function factsOf(key) {
    const kind = { b: facts.blocks, o: facts.operators, i: facts.inputs }[key[0]];
    return kind[key.slice(1)];
  }

  function nameOf(key) {
    const known = factsOf(key);
    if (!known) return '';
    return key[0] === 'i' ? known[0] : known.name;
  }

  // The part of the address that names a box.
  function addressOf(key) {
    const known = factsOf(key);
    return key[0] === 'b' ? known.id : nameOf(key);
  }

  function writeAddress(text) {
    try {
      history.replaceState(null, '', text ? `#${encodeURIComponent(text)}` : location.pathname + location.search);
    } catch {
      // A page that is shown in a frame has no address.
    }
  }

  function unmark() {
    const marks = [CHOSEN_CLASS, NEXT_CLASS, SAME_KERNEL_CLASS];
    all(marks.map(name => `.${name}`).join(), stage).forEach(one => one.classList.remove(...marks));
    stage.classList.remove(KERNEL_CLASS);
  }

  function isOfKernel(box, number) {
    return keyOf(box)[0] === 'o' && factsOf(keyOf(box)).kernels.includes(number);
  }

  function markKernel(number) {
    stage.classList.add(KERNEL_CLASS);
    boxes().filter(box => isOfKernel(box, number)).forEach(box => box.classList.add(SAME_KERNEL_CLASS));
  }

  // Shows what a kernel computes: moves the drawing to its boxes, of another sheet if this one has none, and describes it.
  function chooseKernel(number) {
    const has = one => all('[data-at]', one).some(box => isOfKernel(box, number));
    const next = [sheet, ...sheets].find(has);
    if (next && next !== sheet) show(next);
    unmark();
    chosen = null;
    markKernel(number);
    const own = boxes().filter(box => isOfKernel(box, number));
    keepInView([...own].reverse());
    const hadFocus = panel.contains(document.activeElement);
    panel.replaceChildren(...kernelPanel(number));
    if (hadFocus) panel.lastElementChild.focus();
    writeAddress(`kernel-${number + 1}`);
  }

  function choose(box) {
    unmark();
    chosen = box || null;
    if (!chosen) {
      kept = [];
      panel.replaceChildren(...restOfPanel);
      return;
    }
    const key = keyOf(box);
    box.classList.add(CHOSEN_CLASS);
    for (const edge of edges()) {
      const { from, to } = edge.dataset;
      if (from !== key && to !== key) continue;
      edge.classList.add(NEXT_CLASS);
      boxWithKey(from === key ? to : from)?.classList.add(NEXT_CLASS);
    }
    showPanel(key);
    if (key[0] === 'o' && factsOf(key).kernels.length > 0) markKernel(factsOf(key).kernels[0]);
    keepInView([box]);
    writeAddress(addressOf(key));
  }

  function letGo() {
    choose(null);
    writeAddress(sheet.dataset.block === '0' ? '' : factsOf(`b${sheet.dataset.block}`).id);
  }

  // ---- Sheets ----

  function sheetOf(block) {
    return sheets.find(one => one.dataset.block === String(block));
  }

  function show(next) {
    unmark();
    chosen = null;
    kept = [];
    sheet = next;
    sheets.forEach(one => one.toggleAttribute('hidden', one !== sheet));
    stage.setAttribute('aria-label', `${sheet.getAttribute('aria-label')}. ${KEYS_IN_WORDS}`);
    drawTrail();
    panel.replaceChildren(...restOfPanel);
    fit();
  }

  const KEYS_IN_WORDS = 'Arrow keys walk along the edges, Enter opens a block, Backspace goes up, plus and minus zoom.';

  // Opens the sheet of a block, and describes the block.
  function open(block) {
    const next = sheetOf(block);
    if (!next) return false;
    show(next);
    showPanel(`b${block}`);
    writeAddress(factsOf(`b${block}`).id);
    return true;
  }

  function openRoot() {
    show(sheets[0]);
    writeAddress('');
  }

  function goUp() {
    const block = sheet.dataset.block;
    if (block === '0') return;
    const parent = factsOf(`b${block}`).parent;
    if (parent) open(parent);
    else openRoot();
    const box = boxWithKey(`b${block}`);
    if (box) choose(box);
  }

  // Shows a box: on this sheet, or on one that has it.
  function goTo(key) {
    const here = boxWithKey(key);
    if (here) return choose(here);
    const known = factsOf(key);
    if (!known) return undefined;
    const around = key[0] === 'o' ? known.block : key[0] === 'b' ? known.parent : 0;
    const place = around ? sheetOf(around) : null;
    const next = place || sheets.find(one => one.querySelector(`[data-at="${key}"]`));
    if (!next) return undefined;
    show(next);
    return choose(boxWithKey(key));
  }

  function drawTrail() {
    const parts = [];
    for (let block = sheet.dataset.block; block !== '0';) {
      const known = factsOf(`b${block}`);
      parts.unshift(block);
      block = String(known.parent || 0);
    }
    const step = (text, isLast, onclick) => (isLast ? element('b', { textContent: text }) : element('button', { textContent: text, onclick }));
    const items = [step(facts.root, parts.length === 0, openRoot)];
    parts.forEach((block, place) => {
      items.push(element('span', { className: SOFT_CLASS, textContent: ' / ' }));
      items.push(step(factsOf(`b${block}`).name, place === parts.length - 1, () => open(block)));
    });
    trail.replaceChildren(...items);
  }

  // ---- The panel ----

  function link(text, href) {
    return href ? element('a', { textContent: text, href }) : text;
  }

  // Lines of the program; the file stands before its first line only.
  function lines(places) {
    let fileBefore = '';
    return places.map(place => {
      const [file, number, , href] = facts.places[place];
      const text = file === fileBefore ? String(number) : `${file}:${number}`;
      fileBefore = file;
      return element('code', {}, link(text, href));
    });
  }

  function joined(items, all) {
    const parts = items.flatMap((item, place) => (place > 0 ? [', ', item] : [item]));
    if (all > items.length) parts.push(` and ${all - items.length} more`);
    return parts;
  }

  function neighbor(key) {
    return element('button', { className: BUTTON_CLASS, textContent: nameOf(key), onclick: () => goTo(key) });
  }

  function neighbors(keys) {
    const known = keys.filter(key => factsOf(key));
    const parts = known.slice(0, MOST_NEIGHBORS).map(neighbor);
    if (known.length > MOST_NEIGHBORS) parts.push(`and ${known.length - MOST_NEIGHBORS} more`);
    return parts;
  }

  function weight(number) {
    const [name, shape, path] = facts.inputs[number];
    return element('code', { textContent: `${path || name} ${shape}` });
  }

  // Where a kernel is in the generated code.
  function codeOf({ call, body }) {
    const code = [link(`call, line ${call[0]}`, call[1])];
    if (body) code.push(link(`body, line ${body[0]}`, body[1]));
    return code;
  }

  function kernel(number) {
    const { name, panes, time } = facts.kernels[number];
    const parts = [element('code', {}, `${number + 1} `, link(name, panes)), time ? ` ${time}` : ''];
    const code = codeOf(facts.kernels[number]);
    parts.push(element('div', { className: SOFT_CLASS }, ...joined(code, code.length)));
    return element('div', {}, ...parts);
  }

  function drawFacts(rows) {
    const shown = rows.filter(([, parts]) => parts.length > 0);
    return element('dl', { className: 'facts' }, ...shown.flatMap(([label, parts]) => [
      element('dt', { textContent: label }),
      element('dd', {}, ...parts),
    ]));
  }

  function title(name, about) {
    return element('h3', {}, element('code', { textContent: name }), ' ', element('span', { className: SOFT_CLASS, textContent: about }));
  }

  function source(place) {
    const code = facts.places[place][2];
    return code ? [element('pre', { textContent: code })] : [];
  }

  // The weights that an operator reads, also through a permutation or a conversion of one.
  function weightsOf(known) {
    const views = known.from.map(one => facts.operators[one]).filter(one => one && one.from.length === 0);
    const numbers = [known, ...views].flatMap(one => one.inputs);
    return [...new Set(numbers)].filter(one => facts.inputs[one]?.[2]);
  }

  function operatorPanel(key) {
    const known = factsOf(key);
    const number = Number(key.slice(1));
    const uses = Object.keys(facts.operators).filter(one => facts.operators[one].from.includes(number));
    const data = known.inputs.filter(one => facts.inputs[one] && !facts.inputs[one][2]);
    const weights = weightsOf(known);
    const others = Object.keys(facts.others).filter(name => facts.others[name] === number);
    others.sort((left, right) => left.localeCompare(right, 'en', { numeric: true }));
    const block = facts.blocks[known.block];
    const from = [...data.map(one => `i${one}`), ...known.from.map(one => `o${one}`)];
    return [
      title(known.name, known.op === known.name ? '' : known.op),
      ...(known.place === null ? [] : source(known.place)),
      drawFacts([
        ['Line', known.place === null ? [] : lines([known.place])],
        ['Shape', known.shape ? [element('code', { textContent: known.shape })] : []],
        ['Weights', joined(weights.map(weight), weights.length)],
        [noun(known.kernels.length, 'Kernel', 'Kernels'), known.kernels.map(kernel)],
        ['From', neighbors(from)],
        ['To', neighbors(uses.map(one => `o${one}`))],
        ['Block', block.id ? [neighbor(`b${known.block}`)] : []],
        ['In layers', others.length > 0 ? [`also for ${others.slice(0, 8).join(', ')}${others.length > 8 ? ' ..' : ''}`] : []],
        ['In the graph', facts.text ? [link(`line ${known.line}`, facts.text + known.line)] : []],
      ]),
    ];
  }

  function blockPanel(key) {
    const known = factsOf(key);
    const [places, allPlaces] = known.places;
    const [weights, allWeights] = known.weights;
    const number = key.slice(1);
    const parts = [
      title(known.name, known.about),
      drawFacts([
        ['Nodes', [known.times > 1 ? `${known.each} in each of ${known.times} layers` : String(known.each)]],
        ['Lines', joined(lines(places), allPlaces)],
        ['Weights', joined(weights.map(weight), allWeights)],
        [noun(known.kernels.length, 'Kernel', 'Kernels'), known.kernels.slice(0, 8).map(kernel)],
      ]),
    ];
    if (sheet.dataset.block !== number && sheetOf(number)) {
      parts.push(element('button', { className: BUTTON_CLASS, textContent: 'Open this block', onclick: () => open(number) }));
    }
    return parts;
  }

  function kernelPanel(number) {
    const { name, panes, time, operators } = facts.kernels[number];
    const own = Object.keys(facts.operators).filter(one => facts.operators[one].kernels.includes(number));
    const places = [...new Set(own.map(one => facts.operators[one].place).filter(place => place !== null))];
    const code = codeOf(facts.kernels[number]);
    const back = element('button', { className: BUTTON_CLASS, textContent: 'All kernels', onclick: letGo });
    return [
      title(name, `kernel ${number + 1}`),
      drawFacts([
        ['Time', time ? [`${time}, over all runs in the trace`] : []],
        ['Nodes', [String(operators)]],
        ['Computes', neighbors(own.map(one => `o${one}`))],
        ['Lines', joined(lines(places.slice(0, MOST_LINES)), places.length)],
        ['Code', joined(code, code.length)],
        ['Provenance', panes ? [link('source, graphs and code side by side', panes)] : []],
      ]),
      back,
    ];
  }

  function inputPanel(key) {
    const [name, shape] = factsOf(key);
    const number = Number(key.slice(1));
    const uses = Object.keys(facts.operators).filter(one => facts.operators[one].inputs.includes(number));
    return [
      title(name, 'input of the graph'),
      drawFacts([
        ['Shape', shape ? [element('code', { textContent: shape })] : []],
        ['To', neighbors(uses.map(one => `o${one}`))],
      ]),
    ];
  }

  function showPanel(key) {
    const panels = { o: operatorPanel, b: blockPanel, i: inputPanel };
    if (factsOf(key)) panel.replaceChildren(...panels[key[0]](key));
  }

  function counted(operators) {
    return `${operators} ${noun(operators, 'node', 'nodes')}`;
  }

  // A button for each kernel, which shows what it computes.
  function drawKernelKeys() {
    const keys = facts.kernels.slice(0, MOST_KEYS).map(({ name, operators, time }, number) => element('li', {}, element(
      'button',
      { className: `t${number % TINTS + 1}`, title: name, onclick: () => chooseKernel(number) },
      element('b', { textContent: String(number + 1) }),
      element('code', { textContent: name }),
      time || counted(operators),
    )));
    if (keys.length > 0) restOfPanel.push(element('ol', { className: 'kernel-keys' }, ...keys));
  }

  // ---- Pointer: a drag moves, a click chooses, a second click opens a block; two fingers zoom ----

  const pointers = new Map();
  let travelled = 0;
  let pressed = null;

  function distance() {
    const [first, second] = [...pointers.values()];
    return Math.hypot(first.x - second.x, first.y - second.y);
  }

  stage.addEventListener('pointerdown', event => {
    if (event.target.closest('.stage-tools')) return;
    if (pointers.size === 0) {
      travelled = 0;
      pressed = event.target;
    }
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });

  addEventListener('pointermove', event => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const after = { x: event.clientX, y: event.clientY };
    travelled += Math.abs(after.x - before.x) + Math.abs(after.y - before.y);
    if (pointers.size === 2) {
      const old = distance();
      pointers.set(event.pointerId, after);
      const { left, top } = stage.getBoundingClientRect();
      const [first, second] = [...pointers.values()];
      if (old > 0 && distance() > 0) zoom(old / distance(), (first.x + second.x) / 2 - left, (first.y + second.y) / 2 - top);
      return;
    }
    pointers.set(event.pointerId, after);
    if (travelled > CLICK) move(before.x - after.x, before.y - after.y);
  });

  addEventListener('pointercancel', event => pointers.delete(event.pointerId));

  addEventListener('pointerup', event => {
    if (!pointers.delete(event.pointerId) || pointers.size > 0 || travelled > CLICK) return;
    stage.focus({ preventScroll: true });
    const box = pressed.closest('[data-at]');
    if (box && box === chosen && keyOf(box)[0] === 'b') open(keyOf(box).slice(1));
    else if (box) choose(box);
    else letGo();
  });

  stage.addEventListener('wheel', event => {
    if (document.activeElement !== stage && !isCommand(event)) return;
    event.preventDefault();
    const { left, top } = stage.getBoundingClientRect();
    zoom(Math.exp(event.deltaY / 600), event.clientX - left, event.clientY - top);
  }, { passive: false });

  // ---- Keys ----

  function centerOf(box) {
    const { left, top, width, height } = box.getBoundingClientRect();
    return { x: left + width / 2, y: top + height / 2 };
  }

  // The boxes that a key leads to: along an edge, or beside the chosen one in its block.
  function boxesInDirection(key) {
    const own = keyOf(chosen);
    const ends = { ArrowDown: ['from', 'to'], ArrowUp: ['to', 'from'] }[key];
    if (ends) {
      const linked = edges().filter(edge => edge.dataset[ends[0]] === own).map(edge => edge.dataset[ends[1]]);
      return linked.map(boxWithKey).filter(Boolean);
    }
    const { x, y } = centerOf(chosen);
    const isBeside = box => {
      const center = centerOf(box);
      const side = key === 'ArrowRight' ? center.x - x : x - center.x;
      return box !== chosen && side > 1 && Math.abs(center.y - y) < 40 * view.scale;
    };
    return boxes().filter(box => !box.classList.contains('open') && isBeside(box));
  }

  function walk(key) {
    if (!chosen) return choose(boxes()[0]);
    const { x, y } = centerOf(chosen);
    const away = box => Math.hypot(centerOf(box).x - x, (centerOf(box).y - y) / 4);
    const next = boxesInDirection(key).sort((left, right) => away(left) - away(right));
    return next.length > 0 ? choose(next[0]) : undefined;
  }

  const MOVES = { ArrowLeft: [-MOVE, 0], ArrowRight: [MOVE, 0], ArrowUp: [0, -MOVE], ArrowDown: [0, MOVE] };
  const ACTIONS = {
    '+': () => zoom(ZOOM_STEP),
    '=': () => zoom(ZOOM_STEP),
    '-': () => zoom(1 / ZOOM_STEP),
    0: fit,
    Enter: () => chosen && keyOf(chosen)[0] === 'b' && open(keyOf(chosen).slice(1)),
    Backspace: goUp,
    Escape: letGo,
  };

  stage.addEventListener('keydown', event => {
    if (isCommand(event) || event.target !== stage) return;
    const step = MOVES[event.key];
    const action = ACTIONS[event.key];
    if (step && event.shiftKey) move(...step);
    else if (step) walk(event.key);
    else if (action) action();
    else return;
    event.preventDefault();
  });

  // ---- Addresses ----

  // Follows `#layers.self_attn` and `#add_3`.
  function followAddress() {
    let name = location.hash.slice(1);
    try {
      name = decodeURIComponent(name);
    } catch {
      // As it is.
    }
    if (!name) return false;
    const kernelNumber = Number(/^kernel-(\d+)$/.exec(name)?.[1]) - 1;
    if (facts.kernels[kernelNumber]) {
      chooseKernel(kernelNumber);
      return true;
    }
    const block = Object.keys(facts.blocks).find(one => facts.blocks[one].id === name);
    if (block && block !== '0') {
      if (!open(block)) goTo(`b${block}`);
      return true;
    }
    const operators = Object.keys(facts.operators);
    const operator = operators.find(one => facts.operators[one].name === name) ?? (Object.hasOwn(facts.others, name) ? facts.others[name] : undefined);
    if (operator === undefined) return false;
    goTo(`o${operator}`);
    return true;
  }

  function onAddress() {
    if (followAddress()) stage.scrollIntoView({ block: 'nearest' });
  }

  const TOOLS = { in: () => zoom(ZOOM_STEP), out: () => zoom(1 / ZOOM_STEP), fit };
  all('[data-do]', stage).forEach(button => { button.onclick = TOOLS[button.dataset.do]; });
  addEventListener('hashchange', onAddress);
  addEventListener('resize', () => {
    fit();
    keepInView(kept);
  });

  stage.classList.add('live');
  stage.setAttribute('role', 'application');
  drawKernelKeys();
  show(sheet);
  onAddress();
})();
