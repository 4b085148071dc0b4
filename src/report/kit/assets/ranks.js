// The timeline of a job's ranks: one Tab stop, arrow keys walk through the rows, and the line above says in words what
// the row under the pointer or the focus shows. Beside it the field that opens the report of a rank by its number.
'use strict';
(() => {
  const { all, byId } = tlparse;

  const line = byId('rank-says');
  const rows = all('.rank-times .rank-row');

  function say(row) {
    if (row) line.textContent = row.title;
  }

  function rowOf(event) {
    return event.target.closest('.rank-row');
  }

  // The row that an arrow key leads to.
  function rowAfter(key, place) {
    const places = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: rows.length - 1 };
    return rows[places[key]];
  }

  function makeOnlyStop(stop) {
    for (const row of rows) row.tabIndex = row === stop ? 0 : -1;
  }

  function walk(event) {
    const place = rows.indexOf(rowOf(event));
    const next = rowAfter(event.key, place);
    if (place < 0 || !next) return;
    event.preventDefault();
    makeOnlyStop(next);
    next.focus();
    // Also where the window itself has no focus, and so tells of none.
    say(next);
  }

  if (rows.length > 0) {
    const chart = rows[0].closest('.rank-times');
    line.hidden = false;
    makeOnlyStop(rows[0]);
    chart.addEventListener('pointerover', event => say(rowOf(event)));
    chart.addEventListener('focusin', event => say(rowOf(event)));
    chart.addEventListener('keydown', walk);
  }

  const form = byId('rank-by-number');
  if (form) {
    form.hidden = false;
    form.addEventListener('submit', event => {
      event.preventDefault();
      const number = form.elements.rank.value.trim();
      const link = all('.rank-numbers a').find(({ textContent }) => textContent === number);
      if (link) link.click();
      else form.elements.rank.setCustomValidity('This job has no report of that rank.');
      form.elements.rank.reportValidity();
    });
    form.elements.rank.addEventListener('input', () => form.elements.rank.setCustomValidity(''));
  }
})();
