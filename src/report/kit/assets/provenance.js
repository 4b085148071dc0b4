// Linked panes: source, pre-grad graph, post-grad graph, code, kernels. Lines that lead somewhere have ids; listeners sit
// on the frame, so a graph of any length costs none. The page is complete without this file: its table names the lines.
(() => {
  const frame = document.querySelector('.prov'), maps = document.getElementById('maps');
  if (!frame || !maps) return;
  const data = JSON.parse(maps.textContent);
  const ids = ['source', 'pre', 'post', 'py', 'cpp', 'kernels'];
  const word = { source: 'source line', pre: 'pre-grad line', post: 'post-grad line', py: 'call', cpp: 'call', kernels: 'kernel' };
  const texts = [...frame.querySelectorAll('pre[data-text]')];
  const pane = Object.fromEntries(texts.map(p => [p.dataset.text, p]));
  const box = id => pane[id]?.closest('section');
  const line = (id, n) => document.getElementById(`${id}-${n}`);
  const place = span => { const at = span.id.lastIndexOf('-'); return [span.id.slice(0, at), +span.id.slice(at + 1)]; };

  // Edges go from left to right: [from, to, {line: [lines]}]; back holds the inverse.
  const table = (list, key) => Object.fromEntries(list.map((s, i) => [i + 1, s[key] || []]));
  const calls = file => data.source.map(s => ({ calls: s.calls.map(k => data.kernels[k - 1]).filter(k => k.file === file).map(k => k.line) }));
  const called = file => {
    const map = {};
    data.kernels.forEach((k, i) => { if (k.file === file) (map[k.line] ||= []).push(i + 1); });
    return map;
  };
  const edges = [['source', 'pre', table(data.source, 'pre')], ['source', 'post', table(data.source, 'post')],
    ['source', 'py', table(calls('py'), 'calls')], ['source', 'cpp', table(calls('cpp'), 'calls')],
    ['pre', 'post', data.maps.preToPost], ['post', 'py', data.maps.postToPyCode], ['post', 'cpp', data.maps.postToCppCode],
    ['py', 'kernels', called('py')], ['cpp', 'kernels', called('cpp')]];
  const back = edges.map(([a, b, map]) => {
    const inverse = {};
    for (const [n, to] of Object.entries(map)) for (const t of to) (inverse[t] ||= []).push(+n);
    return [b, a, inverse];
  });
  // From one line to its sources on the left and its results on the right, never back again.
  const reach = (id, n) => {
    const out = Object.fromEntries(ids.map(k => [k, new Set()]));
    const walk = (list, from) => {
      const seen = { [id]: new Set([n]) };
      for (const k of from) {
        for (const [a, b, map] of list) if (a === k && seen[a]) for (const x of seen[a]) for (const y of map[x] || []) (seen[b] ||= new Set()).add(y);
        if (k !== id) for (const x of seen[k] || []) out[k].add(x);
      }
    };
    walk(edges, ids.slice(ids.indexOf(id)));
    walk(back, ids.slice(0, ids.indexOf(id) + 1).reverse());
    out[id].add(n);
    return Object.fromEntries(ids.map(k => [k, [...out[k]].sort((x, y) => x - y)]));
  };

  let marked = [], hits = {}, at = {}, own = null, pinned = false, active = null;
  const says = document.getElementById('says'), free = document.getElementById('free');
  const mark = (span, name) => { if (span) { span.classList.add(name); marked.push([span, name]); } };
  // Scrolls inside the pane only: the page itself stays where it is.
  const show = (id, n) => {
    const p = pane[id], s = line(id, n);
    if (!p || !s || p.hidden) return;
    const from = p.getBoundingClientRect(), to = s.getBoundingClientRect();
    if (to.top >= from.top && to.bottom <= from.top + p.clientHeight) return;
    p.scrollTop += to.top - from.top - p.clientHeight / 2;
  };
  // One file of generated code is open at a time.
  const files = [...frame.querySelectorAll('button[data-file]')];
  const open = id => {
    const others = texts.filter(p => box(p.dataset.text) === box(id));
    if (!pane[id] || others.length < 2) return;
    others.forEach(p => { p.hidden = p !== pane[id]; });
    files.forEach(b => b.setAttribute('aria-pressed', b.dataset.file === id));
  };
  const shown = list => list.find(id => pane[id] && !pane[id].hidden);
  const of = section => texts.filter(p => box(p.dataset.text) === section).map(p => p.dataset.text);
  const paint = () => {
    marked.forEach(([s, name]) => s.classList.remove(name));
    marked = [];
    for (const section of new Set(texts.map(p => box(p.dataset.text)))) {
      const all = of(section);
      for (const id of all) {
        const list = hits[id] || [];
        list.forEach(n => mark(line(id, n), 'hit'));
        if (list.length) mark(line(id, list[at[id]]), id === own?.[0] ? 'sel' : 'cur');
      }
      const id = shown(all), list = hits[id] || [];
      const text = !list.length ? 'none' : id === own[0] ? line(id, own[1])?.dataset.n || `line ${own[1]}` : `${at[id] + 1} of ${list.length}`;
      section.querySelector('[data-at]').textContent = own ? text : '';
      section.querySelectorAll('[data-step]').forEach(b => { b.hidden = list.length < 2; });
      const tab = document.querySelector(`.switch [data-pane="${section.id}"] span`);
      if (tab) tab.textContent = all.reduce((sum, k) => sum + (hits[k]?.length || 0), 0) || '';
    }
  };
  const select = (id, n, pin) => {
    const kernel = line(id, n)?.dataset.k; // the first line of a kernel's text stands for its first call
    if (kernel && !data.kernels.some(k => k.file === id && k.line === n)) return select('kernels', +kernel, pin);
    own = [id, n];
    hits = reach(id, n);
    at = Object.fromEntries(ids.map(k => [k, 0]));
    pinned = pin;
    free.hidden = !pin;
    active = ids.filter(k => k !== id).sort((a, b) => hits[b].length - hits[a].length)[0];
    const code = ['py', 'cpp'].filter(k => pane[k]);
    if (code.length && !code.includes(id)) open(code.find(k => hits[k].length && !pane[k].hidden) || code.find(k => hits[k].length) || shown(code) || code[0]);
    paint();
    ids.forEach(k => hits[k].length && k !== id && show(k, hits[k][0]));
    const count = k => `${hits[k].length} ${word[k]}${hits[k].length === 1 ? '' : 's'}`;
    const k = id === 'kernels' && data.kernels[n - 1];
    says.textContent = `${k ? k.label : `${word[id]} ${line(id, n)?.dataset.n || n}`}: ${ids.filter(x => x !== id && pane[x]).map(count).join(', ')}`;
    if (pin) try { history.replaceState(null, '', `#${id}-${n}`); } catch { /* a page that is shown in a frame has no address */ }
  };
  const step = (id, by) => {
    if (!id || !hits[id]?.length) return;
    active = id;
    at[id] = (at[id] + by + hits[id].length) % hits[id].length;
    paint();
    show(id, hits[id][at[id]]);
  };
  const hit = e => { const s = e.target.closest?.('.prov pre .to'); return s && place(s); };

  let wait;
  frame.addEventListener('pointerover', e => {
    clearTimeout(wait);
    const h = !pinned && e.pointerType === 'mouse' && hit(e);
    if (h) wait = setTimeout(() => select(...h, false), 90);
  });
  frame.addEventListener('click', e => {
    const b = e.target.closest('button'), section = e.target.closest('section');
    if (b?.dataset.step) return step(shown(of(section)), +b.dataset.step);
    if (b?.dataset.file) { open(b.dataset.file); return paint(); }
    if (b?.dataset.shut) {
      const shut = section.classList.toggle('shut');
      [...frame.children].forEach(c => { c.style.flexGrow = ''; });
      b.setAttribute('aria-expanded', !shut);
      b.textContent = shut ? '+' : '–';
      return;
    }
    const h = hit(e);
    if (h) select(...h, true);
  });
  const release = () => { pinned = false; free.hidden = true; };
  free.onclick = release;
  addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey || /INPUT|SELECT/.test(e.target.tagName)) return;
    const inside = e.target.closest('.prov pre'), id = inside?.dataset.text;
    if (e.key === 'n' || e.key === 'p') step(active, e.key === 'n' ? 1 : -1);
    else if (e.key === 'Escape') release();
    else if (inside && /^Arrow(Up|Down)$/.test(e.key)) {
      const all = [...inside.querySelectorAll('.to')];
      const from = own?.[0] === id ? own[1] : hits[id]?.[at[id]];
      const now = all.indexOf(line(id, from)), s = all[e.key === 'ArrowDown' ? now + 1 : now < 0 ? 0 : now - 1];
      if (s) { const h = place(s); select(...h, true); show(...h); e.preventDefault(); }
    } else if (inside && /^Arrow(Left|Right)$/.test(e.key)) {
      const open = texts.filter(p => p.offsetParent), p = open[open.indexOf(inside) + (e.key === 'ArrowRight' ? 1 : -1)];
      if (p) { p.focus({ preventScroll: true }); e.preventDefault(); }
    }
  });

  // Dividers: drag, or arrow keys on the focused divider.
  const resize = (grip, by) => {
    const columns = [...frame.children].filter(c => c.className !== 'grip');
    columns.map(c => [c, c.offsetWidth]).forEach(([c, w]) => { if (!c.classList.contains('shut')) c.style.flexGrow = w; });
    const a = grip.previousElementSibling, b = grip.nextElementSibling, sum = a.offsetWidth + b.offsetWidth;
    const w = Math.max(90, Math.min(sum - 90, a.offsetWidth + by));
    a.style.flexGrow = w;
    b.style.flexGrow = sum - w;
    grip.setAttribute('aria-valuenow', Math.round(w / sum * 100));
  };
  frame.querySelectorAll('.grip').forEach(g => {
    let x = null;
    g.onpointerdown = e => { x = e.clientX; g.setPointerCapture(e.pointerId); };
    g.onpointermove = e => { if (x !== null) { resize(g, e.clientX - x); x = e.clientX; } };
    g.onpointerup = g.onpointercancel = () => { x = null; };
    g.onkeydown = e => { if (/^Arrow(Left|Right)$/.test(e.key)) { resize(g, e.key === 'ArrowLeft' ? -24 : 24); e.preventDefault(); } };
  });

  // Narrow windows show one pane and a switch.
  const turn = id => {
    const section = document.getElementById(id);
    if (!section) return;
    frame.querySelectorAll('section').forEach(s => s.classList.toggle('now', s === section));
    document.querySelectorAll('.switch button').forEach(b => b.setAttribute('aria-pressed', b.dataset.pane === id));
    const text = shown(of(section));
    if (hits[text]?.length) show(text, hits[text][at[text]]);
  };
  document.querySelectorAll('.switch button').forEach(b => { b.onclick = () => turn(b.dataset.pane); });
  const wrap = document.getElementById('wrap');
  wrap.onclick = () => wrap.setAttribute('aria-pressed', frame.classList.toggle('wrap'));
  frame.classList.add('one');
  if (matchMedia('(max-width:900px)').matches) wrap.click();
  const first = texts.find(p => !['source', 'pre', 'post', 'kernels'].includes(p.dataset.text));
  if (first) open(first.dataset.text);

  // A link names a pane and a line; else the first kernel stands selected.
  const start = () => {
    const [, id, n] = location.hash.match(/^#([a-z]+)-(\d+)$/) || [], s = id && line(id, n);
    if (!s?.matches('.prov .to')) return null;
    open(id);
    select(id, +n, true);
    show(...own);
    turn(box(own[0]).id);
    return id;
  };
  if (!start()) {
    const name = data.kernels.length ? 'kernels' : '';
    if (name && pane[name]) select(name, data.first || 1, false);
    turn(pane.post ? 'post' : texts[0] && box(texts[0].dataset.text).id);
  }
  addEventListener('hashchange', start);
})();
