// Who comes back to a page finds it as he left it: filters, sorted and whole tables, folds, the place.
// Browsers that keep the page itself need none of this. Every page is complete without this script.
'use strict';
(() => {
  const { all, byId, filter, showWhole, sortBy } = tlparse;

  const MEMORY = `tlparse back ${location.pathname}`;
  const FIELDS = 'input[data-for], select[data-for]';

  // Kinds of navigation after which the reader expects the page that he left.
  const RETURNS = ['back_forward', 'reload'];

  function sortedHeads() {
    return all('th[aria-sort]').map(head => [all('th').indexOf(head), head.getAttribute('aria-sort') === 'descending']);
  }

  function remember() {
    const state = {
      fields: all(FIELDS).map(field => field.value),
      whole: all('table[data-whole]').map(table => table.id),
      sorted: sortedHeads(),
      folds: all('details').map(fold => Number(fold.open)).join(''),
      top: scrollY,
    };
    try {
      sessionStorage.setItem(MEMORY, JSON.stringify(state));
    } catch {
      // Storage may be forbidden or full.
    }
  }

  function remembered() {
    try {
      return JSON.parse(sessionStorage.getItem(MEMORY));
    } catch {
      return null;
    }
  }

  function restore({ fields, whole, sorted, folds, top }) {
    all('details').forEach((fold, place) => {
      if (folds.length > place) fold.open = folds[place] === '1';
    });
    whole.map(byId).forEach(table => table && showWhole(table));
    const heads = all('th');
    sorted.forEach(([place, down]) => heads[place] && sortBy(heads[place], down));
    const filters = all(FIELDS);
    filters.forEach((field, place) => {
      field.value = fields[place] ?? '';
    });
    new Set(filters.map(field => field.dataset.for)).forEach(filter);
    scrollTo(0, top);
  }

  addEventListener('pagehide', remember);
  addEventListener('pageshow', event => {
    const [navigation] = performance.getEntriesByType('navigation');
    if (event.persisted || !RETURNS.includes(navigation?.type)) return;
    const state = remembered();
    if (state) restore(state);
  });
})();
