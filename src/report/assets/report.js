// Links, on every page. Every page is complete without it.
(() => {
  const all = (s, e = document) => [...e.querySelectorAll(s)];
  all('.js').forEach(e => { e.hidden = false; });

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
