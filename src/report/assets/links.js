// Links, on every page. Every page is complete without it.
(() => {
  // A host may need its query string on every relative link, also on those that scripts add. A link's own parameters win.
  // What a search looked for stays on its page; its form takes the host's part along.
  const key = p => p.split('=')[0], parts = q => q.split('&').filter(p => p);
  const kept = parts(location.search.slice(1)).filter(p => key(p) !== 'q');
  if (!kept[0]) return;
  const carry = e => {
    if (e.matches?.('a[href]')) {
      const [, path, own, hash] = /^([^?#]*)\??([^#]*)(.*)/s.exec(e.getAttribute('href')), mine = parts(own), has = mine.map(key);
      if (path + own && !/^([a-z][a-z\d+.-]*:|\/|\\)/i.test(path)) e.setAttribute('href', `${path}?${[...mine, ...kept.filter(p => !has.includes(key(p)))].join('&')}${hash}`);
    }
    e.querySelectorAll?.('a[href]').forEach(carry);
  };
  carry(document);
  for (const f of document.forms) {
    for (const [name, value] of new URLSearchParams(kept.join('&'))) f.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
  }
  new MutationObserver(list => list.forEach(m => m.addedNodes.forEach(carry))).observe(document, { childList: true, subtree: true });
})();
