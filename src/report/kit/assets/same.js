// The way from the page of a compile to the same compile of the ranks beside this one. Their first pages lead on to it,
// or say that there is none. Every page is complete without this script.
'use strict';
(() => {
  const { all, byId, element } = tlparse;

  const main = byId('main');
  // How a page asks for the same compile: behind its id eight digits tell the function.
  const WANTED = /^#same=(\[[^[\]]*\])[0-9a-f]{8}$/;

  function askFor(same) {
    all('#beside a').forEach(link => {
      link.hash = `same=${same}`;
      link.title = 'The same compile there, if it has one';
    });
  }

  function answer(id, wanted) {
    const entry = byId(id);
    const link = entry?.matches('a') ? entry : entry?.querySelector('.spaced-links a');
    if (link && entry.dataset.same === wanted) {
      const next = element('a', { href: link.href });
      // Of a long log, the files are on a page of their own, which is asked in turn.
      if (entry === link) next.hash = location.hash;
      location.replace(next.href);
      return;
    }
    const text = `This rank has no compile ${id.slice(1, -1)} of the same function. This is what it has.`;
    main.prepend(element('p', { className: 'warn', role: 'status', textContent: text }));
  }

  if (main.dataset.same) askFor(main.dataset.same);
  const [hash, id] = WANTED.exec(location.hash) ?? [];
  if (id) answer(id, hash.slice('#same='.length));
})();
