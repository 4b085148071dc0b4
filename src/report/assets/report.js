// Sorting, filtering, folding, zoom and links. Every page is complete without it.
(() => {
  const all = (s, e = document) => [...e.querySelectorAll(s)];
  // Names come from data attributes, so they are compared, never put into a selector.
  const named = (s, key, name) => all(s).filter(e => e.dataset[key] === name);
  all('.js').forEach(e => { e.hidden = false; });

  // Tables: a header with data-sort becomes a button; cells may carry their number in data-v. Unknown numbers are least.
  const number = v => v === '' || isNaN(v) ? -Infinity : +v;
  all('th[data-sort]').forEach(th => {
    const b = document.createElement('button');
    b.append(...th.childNodes);
    th.append(b);
    b.onclick = () => {
      const table = th.closest('table'), body = table.tBodies[0], i = th.cellIndex;
      const down = th.getAttribute('aria-sort') ? th.getAttribute('aria-sort') !== 'descending' : th.dataset.sort === 'num';
      all('th', th.parentNode).forEach(h => h.removeAttribute('aria-sort'));
      th.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const text = r => { const c = r.cells[i]; return c ? c.dataset.v ?? c.textContent.trim() : ''; };
      const words = new Intl.Collator(undefined, { numeric: true }).compare;
      const cmp = th.dataset.sort === 'num' ? (a, b) => { const x = number(a), y = number(b); return x > y ? 1 : x < y ? -1 : 0; } : words;
      const rows = [...body.rows].map(r => [text(r), r]);
      body.append(...rows.sort((a, b) => down ? cmp(b[0], a[0]) : cmp(a[0], b[0])).map(r => r[1]));
      cap(table);
    };
  });

  // Long tables: data-cap names how many rows stand there until the button below is pressed.
  const cap = table => {
    if (!table.dataset.cap) return;
    const rows = [...table.tBodies[0].rows].filter(r => !r.hidden), more = rows.length - table.dataset.cap;
    rows.forEach((r, i) => { r.style.display = i < table.dataset.cap ? '' : 'none'; });
    named('[data-more]', 'more', table.id).forEach(b => {
      b.hidden = more <= 0;
      b.textContent = `Show ${more} more`;
    });
  };
  all('table[data-cap]').forEach(cap);
  all('[data-more]').forEach(b => {
    b.onclick = () => { const t = document.getElementById(b.dataset.more); t.dataset.cap = 1e9; cap(t); };
  });

  // Filters: data-for names the list; a row shows when it has the text and the status.
  const filter = id => {
    const list = document.getElementById(id);
    const value = s => named(s, 'for', id).map(e => e.value)[0] || '';
    const text = value('input').toLowerCase(), status = value('select');
    let shown = 0;
    const rows = all('[data-row]', list);
    rows.forEach(r => {
      const ok = r.textContent.toLowerCase().includes(text) && (!status || r.dataset.row.split(' ').includes(status));
      r.hidden = !ok;
      shown += ok;
    });
    named('output', 'for', id).forEach(o => { o.textContent = shown === rows.length ? '' : `${shown} of ${rows.length}`; });
    if (list.tagName === 'TABLE') cap(list);
  };
  all('input[data-for],select[data-for]').forEach(e => e.addEventListener('input', () => filter(e.dataset.for)));

  // Folding: data-fold names the region whose details open and close together.
  all('[data-fold]').forEach(b => {
    b.onclick = () => {
      const list = all('details', document.getElementById(b.dataset.fold)), open = list.some(d => !d.open);
      list.forEach(d => { d.open = open; });
      b.textContent = open ? 'Fold all' : 'Open all';
    };
  });

  // A link into a folded place opens it; printing opens everything.
  const reveal = () => {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* an anchor with a bare per cent sign stands as it is */ }
    const t = id && document.getElementById(id);
    for (let e = t; e; e = e.parentElement) {
      if (e.tagName === 'DETAILS') e.open = true;
      if (e.tagName === 'TR') { e.hidden = false; e.style.display = ''; }
    }
    if (t) t.scrollIntoView();
  };
  addEventListener('hashchange', reveal);
  if (location.hash) reveal();
  addEventListener('beforeprint', () => all('details').forEach(d => { d.open = true; }));

  // Code: the number of a line stands in front of it, drawn by the style sheet; a click on it makes the line the address.
  addEventListener('click', e => {
    const l = e.target;
    if (!l.matches?.('.l[id]')) return;
    const number = parseFloat(getComputedStyle(l, '::before').width);
    if (e.clientX - l.getBoundingClientRect().left < number) location.hash = l.id;
  });

  // Flame chart: a click zooms to the span, Escape or the button goes back.
  all('.flame').forEach(box => {
    const inner = box.firstElementChild;
    const zoom = (l, w) => {
      inner.style.width = `${1e4 / Math.max(w, 0.2)}%`;
      box.scrollLeft = l / 100 * inner.offsetWidth;
    };
    inner.onclick = e => {
      const s = e.target.closest('i');
      if (s) zoom(parseFloat(s.style.left), parseFloat(s.style.width));
    };
    const out = () => { inner.style.width = ''; };
    box.addEventListener('keydown', e => { if (e.key === 'Escape') out(); });
    named('[data-zoom]', 'zoom', box.id).forEach(b => { b.onclick = out; });
  });

  // A host may need its query string on every relative link, also on those that scripts add. A link's own parameters win.
  // What a search looked for stays on its page; its form takes the host's part along.
  const given = new URLSearchParams(location.search), asked = given.has('q');
  if (asked) given.delete('q');
  const page = !asked ? location.search : `${given}` && `?${given}`;
  const carry = a => {
    const h = a.getAttribute('href');
    if (!h || /^([a-z][a-z0-9+.-]*:|#|\/|\\)/i.test(h)) return;
    const at = h.includes('#') ? h.indexOf('#') : h.length, q = h.slice(0, at).indexOf('?');
    let query = page;
    if (q >= 0) {
      const own = new URLSearchParams(h.slice(q, at)), rest = new URLSearchParams(page);
      for (const k of own.keys()) rest.delete(k);
      query = h.slice(q, at) + (`${rest}` ? `&${rest}` : '');
    }
    const to = h.slice(0, q < 0 ? at : q) + query + h.slice(at);
    if (to !== h) a.setAttribute('href', to);
  };
  if (page) {
    all('a[href]').forEach(carry);
    all('form').forEach(f => given.forEach((value, name) => f.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))));
    new MutationObserver(list => list.forEach(m => m.addedNodes.forEach(n => {
      if (n.nodeType !== 1) return;
      if (n.matches('a[href]')) carry(n);
      all('a[href]', n).forEach(carry);
    }))).observe(document, { childList: true, subtree: true });
  }
})();
