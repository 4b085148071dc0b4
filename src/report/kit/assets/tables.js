// Sorting, filtering and long tables, on pages that have any. Every page is complete without it.
(() => {
  const all = (s, e = document) => [...e.querySelectorAll(s)];
  // Names come from data attributes, so they are compared, never put into a selector.
  const named = (s, key, name) => all(s).filter(e => e.dataset[key] === name);

  // Tables: a header with data-sort becomes a button; cells carry their number in data-v or show it, maybe with a
  // unit. Unknown numbers are least.
  const units = { us: 1, ms: 1e3, s: 1e6, byte: 1, bytes: 1, KB: 1024, MB: 2 ** 20, GB: 2 ** 30, TB: 2 ** 40, '%': 1 };
  const number = v => {
    const [, n, unit = '%'] = /^([-\d,.e+]+)(?:\s(\S+))?$/.exec(v) ?? [], x = n && units[unit] * n.replace(/,/g, '');
    return x || x === 0 ? x : -Infinity;
  };
  all('th[data-sort]').forEach(th => {
    const b = document.createElement('button');
    b.className = 'by';
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
    const rows = list.tBodies ? [...list.tBodies[0].rows] : all('[data-row]', list);
    rows.forEach(r => {
      const ok = r.textContent.toLowerCase().includes(text) && (!status || (r.dataset.row || '').split(' ').includes(status));
      r.hidden = !ok;
      shown += ok;
    });
    named('output', 'for', id).forEach(o => { o.textContent = shown === rows.length ? '' : `${shown} of ${rows.length}`; });
    if (list.tagName === 'TABLE') cap(list);
  };
  all('input[data-for],select[data-for]').forEach(e => e.addEventListener('input', () => filter(e.dataset.for)));
})();
