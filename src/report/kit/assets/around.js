// The way from the report of a rank to its job. One that was written alone learns of its job from the links of that:
// they have a parameter with the numbers of the ranks, which other links take along.
// Every page is complete without this script.
'use strict';
(() => {
  const { all, element } = tlparse;

  // `0-7` or `0-3.5`, and the folder of a rank with a page in it.
  const RANKS = /^(\d{1,9}(-\d{1,9})?(\.|$))*$/;
  const FOLDER = /\/rank_(\d{1,9})\/[^/]*$/;

  // The numbers of the ranks before and after this one, where there are such.
  function neighborsOf(own, text) {
    const ranges = text.split('.').filter(Boolean).map(range => range.split('-').map(Number));
    const before = ranges.map(([first, last = first]) => (first < own ? Math.min(own - 1, last) : -1));
    const after = ranges.map(([first, last = first]) => (last > own ? Math.max(own + 1, first) : Infinity));
    return [Math.max(...before, -1), Math.min(...after)].filter(rank => rank >= 0 && rank < Infinity);
  }

  function addLinks(text) {
    // The search is at the top of the report; only its own page has no form.
    const up = all('.page-head form')[0]?.getAttribute('action').startsWith('../') ? '../' : '';
    const own = FOLDER.exec(element('a', { href: `${up}index.html` }).pathname)?.[1];
    const crumbs = all('.page-head nav')[0];
    const href = `${up}../index.html`;
    const isKnown = all('a', crumbs).some(link => link.getAttribute('href') === href);
    if (own === undefined || isKnown || !RANKS.test(text)) return;
    crumbs.prepend(element('a', { href, textContent: 'job' }), element('span', { textContent: '/' }));
    const links = neighborsOf(Number(own), text).flatMap(rank => {
      const properties = { href: `${up}../rank_${rank}/index.html`, textContent: `rank ${rank}` };
      return [element('a', properties), ' '];
    });
    crumbs.after(element('div', { id: 'beside', className: 'soft' }, ...links));
  }

  const ranks = new URLSearchParams(location.search).get('ranks');
  if (ranks !== null) addLinks(ranks);
})();
