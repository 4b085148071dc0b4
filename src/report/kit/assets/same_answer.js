// The first page of a rank leads on to the compile that a page of another rank asks for, or says that there is none.
'use strict';
(() => {
  const { byId, element } = tlparse;

  // How a page asks for the same compile: behind its id eight digits tell the function.
  const WANTED = /^#same=(\[[^[\]]*\])[0-9a-f]{8}$/;

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
    byId('main').prepend(element('p', { className: 'warn', role: 'status', textContent: text }));
  }

  const [hash, id] = WANTED.exec(location.hash) ?? [];
  if (id) answer(id, hash.slice('#same='.length));
})();
