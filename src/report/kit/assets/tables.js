// Sorts and shortens tables. Every page is complete without this script.
//
// Names of tables come from data attributes, so they are compared and never put into a selector.
'use strict';
(() => {
  const { all, byId, element } = tlparse;

  // The button in the head of a column that can be sorted.
  const SORT_BUTTON_CLASS = 'sort-button';

  function rowsOf(table) {
    complete(table);
    return drawnRows(table);
  }

  function drawnRows(table) {
    return [...table.tBodies[0].rows];
  }

  // ---- Rows that wait ----
  //
  // The rows of a long table from the 200th on are the text of a noscript element, until the reader asks for them.

  function waitingFor(table) {
    return all('noscript[data-rows]').find(waiting => waiting.dataset.rows === table.id);
  }

  function complete(table) {
    const waiting = waitingFor(table);
    if (!waiting) return;
    const holder = element('template');
    holder.innerHTML = waiting.textContent;
    const rows = all('tr', holder.content);
    waiting.remove();
    table.tBodies[0].append(...rows);
    tlparse.anchorRows?.(rows);
  }

  // Draws the rows of the table in which an anchor waits.
  function completeFor(id) {
    const waiting = all('noscript[data-rows]').find(one => one.textContent.includes(`id="${id}"`));
    if (waiting) complete(byId(waiting.dataset.rows));
  }

  // ---- Sorting ----
  //
  // A column head with data-sort becomes a button. The column is sorted by numbers if data-sort is "num",
  // else by words.

  // What a unit that cells show stands for, within its kind.
  const UNITS = {
    us: 1, ms: 1e3, s: 1e6,
    byte: 1, bytes: 1, KB: 1024, MB: 2 ** 20, GB: 2 ** 30, TB: 2 ** 40,
    '%': 1,
  };
  const NUMBER_WITH_UNIT = /^([-\d,.e+]+)(?:\s(\S+))?$/;

  // `1,024 KB` as a number; what is no number is less than all numbers.
  function numberOf(text) {
    const found = NUMBER_WITH_UNIT.exec(text);
    if (!found) return -Infinity;
    const [, digits, unit] = found;
    const factor = unit === undefined ? 1 : UNITS[unit];
    const value = Number(digits.replaceAll(',', '')) * factor;
    return Number.isNaN(value) ? -Infinity : value;
  }

  // A cell is sorted by its data-v, else by what it shows.
  function sortText(cell) {
    return cell ? cell.dataset.v ?? cell.textContent.trim() : '';
  }

  function compareNumbers(left, right) {
    if (left === right) return 0;
    return left > right ? 1 : -1;
  }

  // Numbers are sorted from the largest at first, words from the first; another click turns the order round.
  function sortsDown(head) {
    const before = head.getAttribute('aria-sort');
    return before ? before !== 'descending' : head.dataset.sort === 'num';
  }

  function markSorted(head, down) {
    all('th', head.parentNode).forEach(other => other.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
  }

  // Sorts by a column, in the given direction or in the one that follows from the head.
  function sortBy(head, down = sortsDown(head)) {
    const table = head.closest('table');
    const isNumeric = head.dataset.sort === 'num';
    const compare = isNumeric ? compareNumbers : new Intl.Collator(undefined, { numeric: true }).compare;
    const keyOf = row => {
      const text = sortText(row.cells[head.cellIndex]);
      return isNumeric ? numberOf(text) : text;
    };
    markSorted(head, down);
    const entries = rowsOf(table).map(row => ({ row, key: keyOf(row) }));
    entries.sort((left, right) => down ? compare(right.key, left.key) : compare(left.key, right.key));
    table.tBodies[0].append(...entries.map(entry => entry.row));
    shorten(table);
  }

  function makeSortable(head) {
    const button = element('button', { className: SORT_BUTTON_CLASS }, ...head.childNodes);
    button.onclick = () => sortBy(head);
    head.append(button);
  }

  // ---- Long tables ----
  //
  // data-cap says how many rows show until the button is pressed that names the table in data-more.

  function shorten(table) {
    if (!table.dataset.cap) return;
    const most = Number(table.dataset.cap);
    const rows = drawnRows(table).filter(row => !row.hidden);
    rows.forEach((row, place) => {
      row.style.display = place < most ? '' : 'none';
    });
    const left = rows.length + Number(waitingFor(table)?.dataset.count ?? 0) - most;
    all('[data-more]').filter(button => button.dataset.more === table.id).forEach(button => {
      button.hidden = left <= 0;
      button.textContent = `Show ${left} more`;
    });
  }

  function showWhole(table) {
    complete(table);
    table.dataset.whole = '';
    table.dataset.cap = 1e9;
    shorten(table);
  }

  // ---- Start ----

  all('th[data-sort]').forEach(makeSortable);
  all('table[data-cap]').forEach(shorten);
  all('[data-more]').forEach(button => {
    button.onclick = () => showWhole(byId(button.dataset.more));
  });
  addEventListener('beforeprint', () => all('table[data-cap]').forEach(showWhole));
  Object.assign(tlparse, { rowsOf, shorten, showWhole, sortBy, completeFor });
})();
