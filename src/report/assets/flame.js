// Flame chart of a compile: a click zooms to the span, Escape or the button goes back. The chart is complete without it.
document.querySelectorAll('.flame').forEach(box => {
  const inner = box.firstElementChild, out = () => { inner.style.width = ''; };
  inner.onclick = e => {
    const s = e.target.closest('i');
    if (!s) return;
    inner.style.width = `${1e4 / Math.max(parseFloat(s.style.width), 0.2)}%`;
    box.scrollLeft = parseFloat(s.style.left) / 100 * inner.offsetWidth;
  };
  box.onkeydown = e => { if (e.key === 'Escape') out(); };
  // Names come from data attributes, so they are compared, never put into a selector.
  document.querySelectorAll('[data-zoom]').forEach(b => { if (b.dataset.zoom === box.id) b.onclick = out; });
});
