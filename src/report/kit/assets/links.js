// Links, on every page. Every page is complete without it.
(() => {
  // A host may need its query string on every relative link, also on those that scripts add. A link's own parameters win.
  // What a search looked for stays on its page; its form takes the host's part along.
  const key = p => p.split('=')[0], parts = q => q.split('&').filter(p => p);
  const kept = parts(location.search.slice(1)).filter(p => key(p) !== 'q');
  if (!kept[0]) return;
  const carry = e => e.querySelectorAll('a[href]').forEach(a => {
    const [, path, own, hash] = /^([^?#]*)\??([^#]*)(.*)/s.exec(a.getAttribute('href')), mine = parts(own);
    if (path + own && !/^([a-z][a-z\d+.-]*:|[/\\])/i.test(path)) a.href = `${path}?${[...mine, ...kept.filter(p => !mine.some(m => key(m) === key(p)))].join('&')}${hash}`;
  });
  carry(document);
  for (const f of document.forms) {
    for (const [name, value] of new URLSearchParams(kept.join('&'))) f.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }));
  }
  new MutationObserver(list => new Set(list.map(m => m.target)).forEach(carry)).observe(document, { childList: true, subtree: true });
})();
