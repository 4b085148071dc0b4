// Folded and hidden places, on pages that have any. Every page is complete without it.
(() => {
  const each = (s, f) => document.querySelectorAll(s).forEach(f);
  each('.js', e => { e.hidden = false; });

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
  reveal();
  addEventListener('beforeprint', () => each('details', d => { d.open = true; }));
})();
