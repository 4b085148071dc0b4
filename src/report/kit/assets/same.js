// The way from the page of a compile to the same compile of the ranks beside this one: their first pages are asked for it.
'use strict';
(() => {
  const { all, byId } = tlparse;

  const same = byId('main').dataset.same;
  if (!same) return;
  all('#beside a').forEach(link => {
    link.hash = `same=${same}`;
    link.title = 'The same compile there, if it has one';
  });
})();
