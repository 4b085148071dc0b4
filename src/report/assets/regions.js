// Folding, code and flame charts, on pages that have any. Every page is complete without it.
(() => {
  const all = (s, e = document) => [...e.querySelectorAll(s)];
  // Names come from data attributes, so they are compared, never put into a selector.
  const named = (s, key, name) => all(s).filter(e => e.dataset[key] === name);

  // Folding: data-fold names the region whose details open and close together.
  all('[data-fold]').forEach(b => {
    b.onclick = () => {
      const list = all('details', document.getElementById(b.dataset.fold)), open = list.some(d => !d.open);
      list.forEach(d => { d.open = open; });
      b.textContent = open ? 'Fold all' : 'Open all';
    };
  });

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
})();
