// The flame chart of a whole log: zoom, pan, search, hover, selection, and the way to Perfetto. The tables below it say
// the same without this script.
(() => {
  const id = name => document.getElementById(name);
  const box = id('flame-chart'), canvas = box.querySelector('canvas'), g = canvas.getContext('2d');
  const D = JSON.parse(id('chart-data').textContent), N = D.lengths.length, total = Math.max(D.total, 1);

  // Spans by start. A row holds spans that do not overlap, so ends ascend in it too.
  const start = new Float64Array(N), end = new Float64Array(N), rowOf = new Uint16Array(N);
  const rows = [], tops = [];
  D.compiles = D.compiles.map(([number, id, name, folder]) => ({ number, id, name, page: `${folder}/compile.html` }));
  let at = 0, of = 0;
  for (let i = 0; i < N; i++) {
    at += D.starts[i];
    D.compile[i] = of += D.compile[i];
    start[i] = at;
    end[i] = at + D.lengths[i];
    rowOf[i] = D.places[i] >> 4;
    (rows[rowOf[i]] ??= []).push(i);
  }
  const isOpen = i => D.places[i] & 1, part = i => D.places[i] >> 1 & 7, name = i => D.names[D.name[i]];
  const compile = i => D.compiles[D.compile[i]];

  const AXIS = 22, LABEL = 19, ROW = 18, GAP = 8;
  let height = AXIS;
  const labels = [], trackOf = [];
  D.tracks.forEach((track, t) => {
    labels.push(height);
    height += LABEL;
    for (let lane = 0; lane < track.lanes; lane++, height += ROW) { tops.push(height); trackOf.push(t); }
    height += GAP;
  });

  // Times as the tables have them.
  const time = us => {
    const s = Math.abs(us);
    if (s < 999.5) return `${Math.round(us)}\u00a0us`;
    if (s < 999500) return `${(us / 1e3).toFixed(s < 9950 ? 1 : 0)}\u00a0ms`;
    return `${(us / 1e6).toFixed(s < 9995000 ? 2 : 1)}\u00a0s`;
  };

  let a = 0, b = total, width = 1, ratio = 1, colours = {}, waiting = 0, hover = -1, chosen = -1, matches = null, match = -1;
  const palette = () => {
    const style = getComputedStyle(document.documentElement);
    for (const key of ['bg', 'text', 'soft', 'hair', 'accent', 'error', 'p0', 'p1', 'p2', 'p3', 'p4']) colours[key] = style.getPropertyValue(`--${key}`).trim();
  };
  const later = () => { waiting ||= requestAnimationFrame(draw); };
  // The first place in a row for which the values, ascending, pass.
  const first = (row, values, least, from = 0) => {
    let low = from, high = row.length;
    while (low < high) {
      const middle = low + high >> 1;
      if (values[row[middle]] > least) high = middle; else low = middle + 1;
    }
    return low;
  };

  const MONO = '11px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace';
  let letter = 6.6;
  const step = () => {
    const rough = (b - a) / Math.max(2, width / 110), power = 10 ** Math.floor(Math.log10(rough));
    return [1, 2, 5, 10].map(n => n * power).find(n => n >= rough) || rough;
  };
  const ticks = k => {
    const every = step();
    g.fillStyle = colours.soft;
    g.strokeStyle = colours.hair;
    g.beginPath();
    for (let t = Math.ceil(a / every) * every; t <= b; t += every) {
      const x = Math.round((t - a) * k) + 0.5;
      g.moveTo(x, 0);
      g.lineTo(x, height);
      const text = b < 1e3 ? `${Math.round(t)}\u00a0us` : b < 1e6 ? `${+(t / 1e3).toFixed(3)}\u00a0ms` : `${+(t / 1e6).toFixed(6)}\u00a0s`;
      if (x < width - 30) g.fillText(text, x + 4, AXIS / 2);
    }
    g.stroke();
  };
  const words = (i, x, w) => {
    const left = Math.max(x, 0), room = Math.min(x + w, width) - left - 7;
    const text = name(i), long = `${text} ${time(end[i] - start[i])}`;
    const most = Math.floor(room / letter);
    if (most < 3) return;
    g.fillStyle = colours.text;
    g.fillText(long.length <= most ? long : text.length <= most ? text : `${text.slice(0, most - 1)}\u2026`, left + 4, tops[rowOf[i]] + ROW / 2);
  };
  const drawRow = (row, y, k) => {
    for (let p = first(row, end, a); p < row.length;) {
      const i = row[p], x = (start[i] - a) * k, w = (end[i] - a) * k - x;
      if (x > width) break;
      let next = p + 1, hit = matches && matches[i];
      if (w < 1) {
        // All spans within one pixel are one mark.
        next = first(row, end, a + (Math.floor(x) + 1) / k, next);
        for (let q = p; matches && !hit && q < next; q++) hit = matches[row[q]];
      }
      g.globalAlpha = matches && !hit ? 0.35 : 1;
      g.fillStyle = w < 1 && hit ? colours.accent : colours[`p${part(i)}`];
      const left = Math.max(x, -2), right = Math.min(x + w, width + 2);
      g.fillRect(left, y, Math.max(right - left - (w > 3 ? 1 : 0), 1), ROW - 1);
      if (isOpen(i) && w > 3) frame(left, right, y, colours.error, [3, 3]);
      if (hit && w >= 1) frame(left, right, y, colours.accent, []);
      if (w > 30) words(i, x, w);
      p = next;
    }
    g.globalAlpha = 1;
  };
  const frame = (left, right, y, colour, dash, line = 1) => {
    g.strokeStyle = colour;
    g.lineWidth = line;
    g.setLineDash(dash);
    g.strokeRect(left + 0.5, y + 0.5, Math.max(right - left - 2, 1), ROW - 2);
    g.setLineDash([]);
    g.lineWidth = 1;
  };
  const draw = () => {
    waiting = 0;
    const k = width / (b - a);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.fillStyle = colours.bg;
    g.fillRect(0, 0, width, height);
    g.font = MONO;
    g.textBaseline = 'middle';
    ticks(k);
    g.font = '12px system-ui,sans-serif';
    D.tracks.forEach((track, t) => {
      g.fillStyle = colours.bg;
      g.fillRect(0, labels[t] + 1, g.measureText(track.label).width + 12, LABEL - 2);
      g.fillStyle = colours.soft;
      g.fillText(track.label, 6, labels[t] + LABEL / 2);
    });
    g.font = MONO;
    letter = g.measureText('mmmmmmmmmm').width / 10;
    rows.forEach((row, r) => drawRow(row, tops[r], k));
    for (const [i, line] of [[hover, 1], [chosen, 2]]) {
      if (i < 0 || end[i] < a || start[i] > b) continue;
      const left = Math.max((start[i] - a) * k, -4);
      frame(left, Math.min((end[i] - a) * k + 1, width + 4), tops[rowOf[i]], colours.text, [], line);
    }
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
  const zoom = (factor, x = width / 2) => {
    const t = a + x / width * (b - a);
    show(t - (t - a) * factor, t + (b - t) * factor);
  };
  const pan = share => show(a + (b - a) * share, b + (b - a) * share);
  const all = () => show(0, total);
  const around = (from, to) => { const rim = Math.max((to - from) * 0.05, 10); show(from - rim, to + rim); };

  // What is told of a span.
  const about = (i, element) => {
    const line = (tag, text) => { const e = document.createElement(tag); e.textContent = text; element.append(e); };
    const of = compile(i);
    line('b', name(i));
    line('div', `${time(end[i] - start[i])}, from ${time(start[i])}`);
    line('div', of ? `compile ${of.id}${of.name ? `, ${of.name}` : ''}` : 'no compile id');
    if (isOpen(i)) line('div', 'left open in the log; it ends here with the span around it, or with its process');
  };
  const tips = box.querySelector('.tip');
  const tip = (i, x = 0, y = 0) => {
    if (i !== hover) later();
    hover = i;
    tips.hidden = i < 0;
    if (i < 0) return;
    tips.replaceChildren();
    about(i, tips);
    tips.style.left = `${Math.max(0, Math.min(x + 14, width - tips.offsetWidth - 4))}px`;
    tips.style.top = `${y + 18 + tips.offsetHeight > height ? Math.max(0, y - tips.offsetHeight - 8) : y + 18}px`;
  };
  const choose = i => {
    chosen = i;
    const to = id('chart-chosen');
    to.replaceChildren();
    later();
    if (i < 0) return;
    about(i, to);
    const of = compile(i);
    if (of) {
      const link = document.createElement('a');
      link.href = of.page;
      link.textContent = `page of ${of.id}`;
      to.append(link);
    }
    const button = document.createElement('button');
    button.className = 'btn';
    button.textContent = 'Zoom to it';
    button.onclick = () => around(start[i], end[i]);
    to.append(button);
  };
  // The span at a place, two pixels of slack beside those that are thin.
  const hit = (x, y) => {
    const r = tops.findIndex(top => y >= top && y < top + ROW), row = rows[r];
    if (!row) return -1;
    const k = width / (b - a), t = a + x / k, p = first(row, end, t - 2 / k);
    if (p >= row.length || start[row[p]] > t + 2 / k) return -1;
    const exact = first(row, end, t);
    return exact < row.length && start[row[exact]] <= t ? row[exact] : row[p];
  };
  const seen = i => {
    if (start[i] < a || end[i] > b || (end[i] - start[i]) / (b - a) * width < 3) {
      const wide = Math.max((end[i] - start[i]) * 4, Math.min(b - a, (end[i] - start[i]) * 100)), middle = (start[i] + end[i]) / 2;
      show(middle - wide / 2, middle + wide / 2);
    }
  };

  // Search: names, or a compile's id as a whole.
  const input = id('chart-find'), found = id('chart-found');
  const search = () => {
    const text = input.value.trim().toLowerCase();
    match = -1;
    matches = null;
    found.textContent = '';
    if (text) {
      const hits = D.names.map(n => n.toLowerCase().includes(text)), ids = D.compiles.map(c => c.id.toLowerCase() === text);
      matches = new Uint8Array(N);
      let n = 0;
      for (let i = 0; i < N; i++) if (hits[D.name[i]] || ids[D.compile[i]]) { matches[i] = 1; n++; }
      found.textContent = `${n.toLocaleString('en')} of ${N.toLocaleString('en')} spans`;
    }
    later();
  };
  input.addEventListener('input', search);
  input.addEventListener('keydown', e => {
    if (e.key === 'Escape') { input.value = ''; search(); }
    if (e.key !== 'Enter' || !matches) return;
    e.preventDefault();
    const by = e.shiftKey ? -1 : 1, from = match < 0 ? (by > 0 ? -1 : N) : match;
    for (let n = 1; n <= N; n++) {
      const i = (from + by * n + 2 * N) % N;
      if (matches[i]) { match = i; choose(i); seen(i); break; }
    }
  });

  // Pointer, wheel, keys, buttons.
  let drag = null;
  const point = e => { const r = canvas.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; };
  canvas.addEventListener('pointerdown', e => {
    if (e.button) return;
    canvas.setPointerCapture(e.pointerId);
    drag = { x: e.clientX, a, b, moved: false };
    tip(-1);
  });
  canvas.addEventListener('pointermove', e => {
    if (!drag) { const [x, y] = point(e); tip(hit(x, y), x, y); return; }
    const by = e.clientX - drag.x;
    drag.moved ||= Math.abs(by) > 3;
    if (drag.moved) { const t = by / width * (drag.b - drag.a); show(drag.a - t, drag.b - t); }
  });
  const drop = e => {
    if (drag && !drag.moved && e.type === 'pointerup') choose(hit(...point(e)));
    drag = null;
  };
  canvas.addEventListener('pointerup', drop);
  canvas.addEventListener('pointercancel', drop);
  canvas.addEventListener('pointerleave', () => { if (!drag) tip(-1); });
  canvas.addEventListener('click', () => box.focus({ preventScroll: true }));
  canvas.addEventListener('dblclick', () => { if (chosen >= 0) around(start[chosen], end[chosen]); });
  canvas.addEventListener('wheel', e => {
    const unit = e.deltaMode ? 30 : 1, sideways = e.deltaX || (e.shiftKey && e.deltaY);
    if (sideways) pan(sideways * unit / width);
    else if (e.ctrlKey || e.metaKey || document.activeElement === box) zoom(Math.exp(Math.max(-2, Math.min(2, e.deltaY * unit / 400))), point(e)[0]);
    else return;
    e.preventDefault();
  }, { passive: false });

  // The neighbour in the row, or the span above or below the selected one.
  const neighbour = (by, rowBy) => {
    if (chosen < 0) { const row = rows.find(r => r) || []; return row[Math.min(first(row, end, a), row.length - 1)] ?? -1; }
    const row = rows[rowOf[chosen] + rowBy];
    if (!row || trackOf[rowOf[chosen]] !== trackOf[rowOf[chosen] + rowBy]) return chosen;
    if (by) return row[row.indexOf(chosen) + by] ?? chosen;
    const i = row[first(row, end, start[chosen])];
    return i !== undefined && start[i] < Math.max(end[chosen], start[chosen] + 1) ? i : chosen;
  };
  const move = (by, rowBy) => { const i = neighbour(by, rowBy); choose(i); if (i >= 0) seen(i); };
  const actions = {
    in: () => zoom(0.6), out: () => zoom(1 / 0.6), left: () => pan(-0.2), right: () => pan(0.2), all,
    zoom: () => { if (chosen >= 0) around(start[chosen], end[chosen]); },
  };
  const keys = {
    ArrowLeft: 'left', a: 'left', ArrowRight: 'right', d: 'right', ArrowUp: 'in', w: 'in', '+': 'in', '=': 'in',
    ArrowDown: 'out', s: 'out', '-': 'out', Home: 'all', 0: 'all', Escape: 'all', Enter: 'zoom',
  };
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  box.addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.shiftKey && steps[e.key]) move(...steps[e.key]);
    else if (keys[e.key]) actions[keys[e.key]]();
    else return;
    e.preventDefault();
  });
  document.querySelectorAll('[data-chart]').forEach(button => { button.onclick = actions[button.dataset.chart]; });

  // Perfetto: a window of its site, which answers when it is ready; then it gets the trace as a message.
  const trace = () => {
    const events = [];
    D.tracks.forEach((track, t) => {
      events.push({ ph: 'M', name: 'process_name', pid: track.pid, args: { name: `process ${track.pid}` } });
      events.push({ ph: 'M', name: 'thread_name', pid: track.pid, tid: t + 1, args: { name: track.label } });
    });
    for (let i = 0; i < N; i++) {
      const t = trackOf[rowOf[i]], args = { compile_id: compile(i)?.id ?? 'None' };
      if (isOpen(i)) args.open = true;
      events.push({ ph: 'X', name: name(i), cat: 'compile', ts: start[i], dur: end[i] - start[i], pid: D.tracks[t].pid, tid: t + 1, args });
    }
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
      other.postMessage({ perfetto: { buffer: trace(), title: document.title, keepApiOpen: false } }, site);
      stop('Perfetto has the trace.');
    };
    const timer = setInterval(() => {
      // Half a minute at 100 ms.
      if (++asked > 300) stop('Perfetto did not answer: is there a network?');
      else other.postMessage('PING', site);
    }, 100);
    addEventListener('message', answer);
  };

  // Size, colours, and what the address asks for: #at-7 is the compile with that number.
  const fit = () => {
    width = Math.max(box.clientWidth, 50);
    ratio = devicePixelRatio || 1;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
    if (waiting) cancelAnimationFrame(waiting);
    draw();
  };
  const address = () => {
    const number = /^#at-(\d+)$/.exec(location.hash), c = number ? D.compiles.findIndex(of => of.number === +number[1]) : -1;
    if (c < 0) return;
    let from = Infinity, to = 0;
    for (let i = 0; i < N; i++) if (D.compile[i] === c) { from = Math.min(from, start[i]); to = Math.max(to, end[i]); }
    input.value = D.compiles[c].id;
    search();
    if (to > 0) around(from, to);
  };
  palette();
  fit();
  address();
  addEventListener('hashchange', address);
  new ResizeObserver(fit).observe(box);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { palette(); draw(); });
})();
