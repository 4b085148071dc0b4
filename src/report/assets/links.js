// Links, on every page. Every page is complete without it.
(() => {
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
  const within = e => e.querySelectorAll('a[href]').forEach(carry);
  within(document);
  document.querySelectorAll('form').forEach(f => new URLSearchParams(kept.join('&')).forEach((value, name) => f.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))));
  new MutationObserver(list => list.forEach(m => m.addedNodes.forEach(n => {
    if (n.nodeType !== 1) return;
    if (n.matches('a[href]')) carry(n);
    within(n);
  }))).observe(document, { childList: true, subtree: true });
})();
