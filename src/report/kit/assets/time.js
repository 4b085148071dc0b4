// The flame chart of a whole log: zoom, pan, search, hover, selection, and the way to Perfetto. The tables below it say
// the same without this script.
(() => {
  const id = name => document.getElementById(name);
  const box = id('flame-chart'), canvas = box.querySelector('canvas'), g = canvas.getContext('2d');
  const D = JSON.parse(id('chart-data').textContent), N = D.lengths.length, total = Math.max(D.total, 1), isOpen = new Set(D.open);
  const compiles = D.compiles.map(([number, id, name, folder]) => ({ number, id, name, page: `${folder ?? `-_${id.replace('/', '_')}_0`}/compile.html` }));

  // Spans by start. A row holds spans that do not overlap, so ends ascend in it too.
  const start = new Float64Array(N), end = new Float64Array(N), compileOf = [], rows = [];
  let at = 0;
  for (const [count, of] of D.runs) for (let n = 0; n < count; n++) compileOf.push(of);
  const rowOf = D.starts.map((_, i) => D.rows.charCodeAt(i) - 64);
  rowOf.forEach((row, i) => {
    start[i] = at += D.starts[i];
    end[i] = at + D.lengths[i];
    (rows[row] ??= []).push(i);
  });
  const name = i => D.names[D.phase[i]], compile = i => compiles[compileOf[i]];

  const AXIS = 22, LABEL = 19, ROW = 18, GAP = 8;
  const tops = [], trackOf = [];
  let height = AXIS;
  for (const track of D.tracks) {
    track.top = height;
    height += LABEL;
    for (let lane = 0; lane < track.lanes; lane++, height += ROW) { tops.push(height); trackOf.push(track); }
    height += GAP;
  }

  // Times as the tables have them.
  const time = us => {
    const s = Math.abs(us);
    if (s < 999.5) return `${Math.round(us)}\u00a0us`;
    if (s < 999500) return `${(us / 1e3).toFixed(s < 9950 ? 1 : 0)}\u00a0ms`;
    return `${(us / 1e6).toFixed(s < 9995000 ? 2 : 1)}\u00a0s`;
  };

  let a = 0, b = total, width = 1, ratio = 1, scale = 1, waiting = 0, hover = -1, chosen = -1, matches = null, match = -1, letter, colours;
  const later = () => { waiting ||= requestAnimationFrame(draw); };
  const x = t => (t - a) * scale;
  // The first place in a row whose span ends after a time.
  const first = (row, after, low = 0) => {
    let high = row.length;
    while (low < high) {
      const middle = low + high >> 1;
      if (end[row[middle]] > after) high = middle; else low = middle + 1;
    }
    return low;
  };

  const ticks = () => {
    const rough = (b - a) / Math.max(2, width / 110), power = 10 ** Math.floor(Math.log10(rough));
    const every = [1, 2, 5, 10].map(n => n * power).find(n => n >= rough) || rough;
    g.fillStyle = colours.soft;
    g.strokeStyle = colours.line;
    g.beginPath();
    for (let t = Math.ceil(a / every) * every; t <= b; t += every) {
      const at = Math.round(x(t)) + 0.5;
      g.moveTo(at, 0);
      g.lineTo(at, height);
      const text = b < 1e3 ? `${Math.round(t)}\u00a0us` : b < 1e6 ? `${+(t / 1e3).toFixed(3)}\u00a0ms` : `${+(t / 1e6).toFixed(6)}\u00a0s`;
      if (at < width - 30) g.fillText(text, at + 4, AXIS / 2);
    }
    g.stroke();
  };
  const frame = (i, colour, line = 1, dash = []) => {
    const left = Math.max(x(start[i]), -4), right = Math.min(x(end[i]), width + 4);
    g.strokeStyle = colour;
    g.lineWidth = line;
    g.setLineDash(dash);
    g.strokeRect(left + 0.5, tops[rowOf[i]] + 0.5, Math.max(right - left - 2, 1), ROW - 2);
  };
  const drawRow = (row, r) => {
    for (let p = first(row, a); p < row.length;) {
      const i = row[p], from = x(start[i]), w = x(end[i]) - from, left = Math.max(from, -2), room = Math.min(from + w, width + 2) - left;
      if (from > width) break;
      let next = p + 1, hit = matches?.[i];
      if (w < 1) {
        // All spans within one pixel are one mark.
        next = first(row, a + (Math.floor(from) + 1) / scale, next);
        for (let q = p; matches && !hit && q < next; q++) hit = matches[row[q]];
      }
      g.globalAlpha = matches && !hit ? 0.35 : 1;
      g.fillStyle = w < 1 && hit ? colours.accent : colours.parts[D.parts[D.phase[i]]];
      g.fillRect(left, tops[r], Math.max(room - (w > 3), 1), ROW - 1);
      if (w > 3 && isOpen.has(i)) frame(i, colours.error, 1, [3, 3]);
      if (w >= 1 && hit) frame(i, colours.accent);
      if (room > 30) {
        const text = name(i), long = `${text} ${time(end[i] - start[i])}`, most = Math.floor((room - 9) / letter);
        g.fillStyle = colours.text;
        g.fillText(long.length <= most ? long : text.length <= most ? text : `${text.slice(0, most - 1)}\u2026`, Math.max(left, 0) + 4, tops[r] + ROW / 2);
      }
      p = next;
    }
    g.globalAlpha = 1;
  };
  const draw = () => {
    waiting = 0;
    scale = width / (b - a);
    const style = getComputedStyle(document.documentElement), colour = key => style.getPropertyValue(`--${key}`).trim();
    colours = { parts: ['p0', 'p1', 'p2', 'p3', 'p4'].map(colour) };
    for (const key of ['bg', 'text', 'soft', 'line', 'accent', 'error']) colours[key] = colour(key);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.fillStyle = colours.bg;
    g.fillRect(0, 0, width, height);
    g.lineWidth = 1;
    g.setLineDash([]);
    g.textBaseline = 'middle';
    g.font = '12px system-ui,sans-serif';
    ticks();
    for (const { label, top } of D.tracks) {
      g.fillStyle = colours.bg;
      g.fillRect(0, top + 1, g.measureText(label).width + 12, LABEL - 2);
      g.fillStyle = colours.soft;
      g.fillText(label, 6, top + LABEL / 2);
    }
    g.font = '11px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace';
    letter = g.measureText('m').width;
    rows.forEach(drawRow);
    if (hover >= 0) frame(hover, colours.text);
    if (chosen >= 0) frame(chosen, colours.text, 2);
    canvas.dataset.from = Math.round(a);
    canvas.dataset.to = Math.round(b);
    id('chart-range').textContent = a <= 0 && b >= total ? `all ${time(total)}` : `${time(b - a)} from ${time(a)}, of ${time(total)}`;
  };

  // What is seen: never beyond the log, never narrower than 20 us.
  const show = (from, to) => {
    const span = Math.min(Math.max(to - from, Math.min(20, total)), total);
    a = Math.min(Math.max((from + to - span) / 2, 0), total - span);
    b = a + span;
    tip(-1);
    later();
  };
  const zoom = (factor, at = width / 2) => {
    const t = a + at / scale;
    show(t - (t - a) * factor, t + (b - t) * factor);
  };
  const pan = share => show(a + (b - a) * share, b + (b - a) * share);
  const around = (from, to) => { const rim = Math.max((to - from) * 0.05, 10); show(from - rim, to + rim); };
  const zoomed = () => { if (chosen >= 0) around(start[chosen], end[chosen]); };

  // What is told of a span.
  const add = (to, tag, of) => to.appendChild(Object.assign(document.createElement(tag), of));
  const about = (i, to) => {
    const of = compile(i);
    to.replaceChildren();
    if (i < 0) return;
    add(to, 'b', { textContent: name(i) });
    add(to, 'div', { textContent: `${time(end[i] - start[i])}, from ${time(start[i])}` });
    add(to, 'div', { textContent: of ? `compile ${of.id}${of.name ? `, ${of.name}` : ''}` : 'no compile id' });
    if (isOpen.has(i)) add(to, 'div', { textContent: 'left open in the log; it ends here with the span around it, or with its process' });
  };
  const tips = box.querySelector('.tip');
  const tip = (i, left, top) => {
    if (i !== hover) later();
    hover = i;
    tips.hidden = i < 0;
    about(i, tips);
    if (i < 0) return;
    tips.style.left = `${Math.max(0, Math.min(left + 14, width - tips.offsetWidth - 4))}px`;
    tips.style.top = `${top + 18 + tips.offsetHeight > height ? Math.max(0, top - tips.offsetHeight - 8) : top + 18}px`;
  };
  const choose = i => {
    const to = id('chart-chosen'), of = compile(i);
    chosen = i;
    later();
    about(i, to);
    if (of) add(to, 'a', { href: of.page, textContent: `page of ${of.id}` });
    if (i >= 0) add(to, 'button', { className: 'btn', textContent: 'Zoom to it', onclick: zoomed });
  };
  // The span at a place, two pixels of slack beside those that are thin.
  const hit = (left, top) => {
    const row = rows[tops.findIndex(y => top >= y && top < y + ROW)] || [];
    return [0, 2].map(slack => row[first(row, a + (left - slack) / scale)]).find((i, n) => x(start[i]) <= left + 2 * n) ?? -1;
  };

  // Search: names, or a compile's id as a whole.
  const input = id('chart-find'), found = id('chart-found');
  const search = () => {
    const text = input.value.trim().toLowerCase();
    match = -1;
    matches = null;
    found.textContent = '';
    if (text) {
      const names = D.names.map(name => name.toLowerCase().includes(text)), ids = compiles.map(of => of.id.toLowerCase() === text);
      matches = Uint8Array.from(D.phase, (phase, i) => names[phase] || ids[compileOf[i]]);
      found.textContent = `${matches.reduce((sum, n) => sum + n, 0).toLocaleString('en')} of ${N.toLocaleString('en')} spans`;
    }
    later();
  };
  input.oninput = search;
  input.onkeydown = e => {
    if (e.key === 'Escape') { input.value = ''; search(); }
    if (e.key !== 'Enter' || !matches) return;
    e.preventDefault();
    const back = e.shiftKey;
    match = back ? matches.lastIndexOf(1, match < 0 ? N : match - 1) : matches.indexOf(1, match + 1);
    if (match < 0) match = back ? matches.lastIndexOf(1) : matches.indexOf(1);
    choose(match);
    if (match < 0) return;
    const from = start[match], to = end[match], length = to - from;
    if (from < a || to > b || length * scale < 3) {
      const rim = Math.max(length * 4, Math.min(b - a, length * 100)) / 2;
      show((from + to) / 2 - rim, (from + to) / 2 + rim);
    }
  };

  // Pointer, wheel, keys, buttons.
  let drag = null;
  canvas.onpointerdown = e => {
    if (e.button) return;
    canvas.setPointerCapture(e.pointerId);
    drag = { x: e.clientX, a, b };
    tip(-1);
  };
  canvas.onpointermove = e => {
    if (!drag) return tip(hit(e.offsetX, e.offsetY), e.offsetX, e.offsetY);
    const by = e.clientX - drag.x, t = by / width * (drag.b - drag.a);
    drag.moved ||= Math.abs(by) > 3;
    if (drag.moved) show(drag.a - t, drag.b - t);
  };
  canvas.onpointerup = canvas.onpointercancel = e => {
    if (drag && !drag.moved && e.type === 'pointerup') choose(hit(e.offsetX, e.offsetY));
    drag = null;
  };
  canvas.onpointerleave = () => { if (!drag) tip(-1); };
  canvas.onclick = () => box.focus({ preventScroll: true });
  canvas.ondblclick = zoomed;
  canvas.addEventListener('wheel', e => {
    const unit = e.deltaMode ? 30 : 1, sideways = e.deltaX || (e.shiftKey && e.deltaY);
    if (sideways) pan(sideways * unit / width);
    else if (e.ctrlKey || e.metaKey || document.activeElement === box) zoom(Math.exp(Math.max(-2, Math.min(2, e.deltaY * unit / 400))), e.offsetX);
    else return;
    e.preventDefault();
  }, { passive: false });
  const actions = {
    in: () => zoom(0.6), out: () => zoom(1 / 0.6), left: () => pan(-0.2), right: () => pan(0.2), all: () => show(0, total), zoomed,
  };
  const keys = {
    ArrowLeft: 'left', a: 'left', ArrowRight: 'right', d: 'right', ArrowUp: 'in', w: 'in', '+': 'in',
    ArrowDown: 'out', s: 'out', '-': 'out', Escape: 'all', Enter: 'zoomed',
  };
  box.onkeydown = e => {
    if (e.ctrlKey || e.metaKey || e.altKey || !keys[e.key]) return;
    actions[keys[e.key]]();
    e.preventDefault();
  };
  document.querySelectorAll('[data-chart]').forEach(button => { button.onclick = actions[button.dataset.chart]; });

  // Perfetto: a window of its site, which answers when it is ready; then it gets the trace as a message.
  const trace = () => {
    const events = D.tracks.map(({ pid, label }, t) => ({ ph: 'M', name: 'thread_name', pid, tid: t + 1, args: { name: label } }));
    rowOf.forEach((row, i) => {
      const track = trackOf[row], args = { compile_id: compile(i)?.id ?? 'None' };
      if (isOpen.has(i)) args.open = true;
      events.push({ ph: 'X', name: name(i), cat: 'compile', ts: start[i], dur: end[i] - start[i], pid: track.pid, tid: D.tracks.indexOf(track) + 1, args });
    });
    return new TextEncoder().encode(JSON.stringify({ traceEvents: events })).buffer;
  };
  const perfetto = id('chart-perfetto'), said = id('chart-said');
  perfetto.onclick = () => {
    const site = perfetto.dataset.site, other = open(site);
    if (!other) { said.textContent = 'The browser did not let a window open.'; return; }
    said.textContent = 'Waiting for Perfetto to answer.';
    let asked = 0;
    const stop = text => { clearInterval(timer); removeEventListener('message', answer); said.textContent = text; };
    const answer = e => {
      if (e.source !== other || e.origin !== site || e.data !== 'PONG') return;
      other.postMessage({ perfetto: { buffer: trace(), title: document.title } }, site);
      stop('Perfetto has the trace.');
    };
    const timer = setInterval(() => {
      // Half a minute at 100 ms.
      if (++asked > 300) stop('Perfetto did not answer: is there a network?');
      else other.postMessage('PING', site);
    }, 100);
    addEventListener('message', answer);
  };

  // Size, and what the address asks for: #at-7 is the compile with that number.
  const fit = () => {
    width = Math.max(box.clientWidth, 50);
    ratio = devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
    cancelAnimationFrame(waiting);
    draw();
  };
  const address = () => {
    const number = /^#at-(\d+)$/.exec(location.hash), c = number ? compiles.findIndex(of => of.number === +number[1]) : -1;
    if (c < 0) return;
    let from = Infinity, to = 0;
    compileOf.forEach((of, i) => { if (of === c) { from = Math.min(from, start[i]); to = Math.max(to, end[i]); } });
    input.value = compiles[c].id;
    search();
    around(from, to);
  };
  fit();
  address();
  addEventListener('hashchange', address);
  new ResizeObserver(fit).observe(box);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
})();
