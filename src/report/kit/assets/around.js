// The ways from the report of a rank to its job and to the ranks beside it. Every page is complete without this script.
//
// A report that was written with its job has them in its pages. One that was written alone, and whose job was combined
// later, learns of it from the links of the job: these have a parameter with the numbers of the ranks, which other
// links take along. It leads nowhere but to the folders beside the report's own.
'use strict';
(() => {
  const { all, byId, element } = tlparse;

  const main = byId('main');
  const PARAMETER = 'ranks';
  // `0-7` or `0-3.5`, and the folder of a rank with the page in it.
  const RANKS = /^(\d{1,9}(-\d{1,9})?(\.|$))*$/;
  const FOLDER = /\/rank_(\d{1,9})\/[^/]*$/;
  // How a page asks for the same compile: behind its id eight digits tell the function.
  const WANTED = /^#same=(\[[^[\]]*\])[0-9a-f]{8}$/;

  // ---- To the job ----

  // The way to the top of the report: pages are there or in a folder below.
  function wayUp() {
    const search = all('.page-head form')[0];
    return search?.getAttribute('action').startsWith('../') ? '../' : '';
  }

  // The numbers of the ranks before and after this one, where there are such.
  function neighborsOf(own, text) {
    const ranges = text.split('.').filter(Boolean).map(range => range.split('-').map(Number));
    const before = ranges.map(([first, last = first]) => (first < own ? Math.min(own - 1, last) : -1));
    const after = ranges.map(([first, last = first]) => (last > own ? Math.max(own + 1, first) : Infinity));
    return [Math.max(...before, -1), Math.min(...after)].filter(rank => rank >= 0 && rank < Infinity);
  }

  // Links of a report that was written alone.
  function addLinks(text) {
    const up = wayUp();
    const own = FOLDER.exec(new URL(`${up}index.html`, location.href).pathname)?.[1];
    const crumbs = all('.page-head nav')[0];
    const href = `${up}../index.html`;
    const isKnown = all('a', crumbs).some(link => link.getAttribute('href') === href);
    if (own === undefined || isKnown || !RANKS.test(text)) return;
    const job = element('a', { href, textContent: 'job' });
    crumbs.prepend(job, element('span', { textContent: '/' }));
    const links = neighborsOf(Number(own), text).flatMap(rank => {
      const properties = { href: `${up}../rank_${rank}/index.html`, textContent: `rank ${rank}` };
      return [element('a', properties), ' '];
    });
    crumbs.after(element('div', { id: 'beside', className: 'soft' }, ...links));
  }

  // ---- To the same compile ----

  // The ranks beside this one show the compile that this page is about.
  function askForSame(same) {
    all('#beside a').forEach(link => {
      link.hash = `same=${same}`;
      link.title = 'The same compile there, if it has one';
    });
  }

  // A page that was asked for a compile leads to it, and says so where it has none.
  function answer(id, wanted) {
    const entry = byId(id);
    const link = entry?.matches('a') ? entry : entry?.querySelector('.spaced-links a');
    if (link && entry.dataset.same === wanted) {
      const next = new URL(link.href);
      // Of a long log, the files are on a page of their own, which is asked in turn.
      if (entry === link) next.hash = location.hash;
      location.replace(next);
      return;
    }
    const text = `This rank has no compile ${id.slice(1, -1)} of the same function. This is what it has.`;
    main.prepend(element('p', { className: 'warn', role: 'status', textContent: text }));
  }

  const parameters = new URLSearchParams(location.search);
  if (parameters.has(PARAMETER)) addLinks(parameters.get(PARAMETER));
  if (main?.dataset.same) askForSame(main.dataset.same);
  const [hash, id] = WANTED.exec(location.hash) ?? [];
  if (id) answer(id, hash.slice('#same='.length));
})();
