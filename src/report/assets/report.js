// Links, on every page. Every page is complete without it.
(() => {
  const each = (s, f, e = document) => e.querySelectorAll(s).forEach(f);
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

  // A host may need its query string on every relative link, also on those that scripts add. A link's own parameters win.
  // What a search looked for stays on its page; its form takes the host's part along.
  const key = p => p.split('=')[0], parts = query => query.split('&').filter(p => p);
  const kept = parts(location.search.slice(1)).filter(p => key(p) !== 'q');
  if (!kept[0]) return;
  const carry = a => {
    const [, path, own, hash] = /^([^?#]*)\??([^#]*)(.*)/s.exec(a.getAttribute('href'));
    if (!(path || own) || /^([a-z][a-z0-9+.-]*:|\/|\\)/i.test(path)) return;
    const mine = parts(own), names = mine.map(key);
    a.setAttribute('href', `${path}?${[...mine, ...kept.filter(p => !names.includes(key(p)))].join('&')}${hash}`);
  };
  each('a[href]', carry);
  each('form', f => new URLSearchParams(kept.join('&')).forEach((value, name) => f.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))));
  new MutationObserver(list => list.forEach(m => m.addedNodes.forEach(n => {
    if (n.nodeType !== 1) return;
    if (n.matches('a[href]')) carry(n);
    each('a[href]', carry, n);
  }))).observe(document, { childList: true, subtree: true });
})();
