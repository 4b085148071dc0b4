// Sorts, shortens and filters tables. Every page is complete without this script.
//
// Names of tables come from data attributes, so they are compared and never put into a selector.
'use strict';
(() => {
  const { all, byId, element } = tlparse;

  // The button in the head of a column that can be sorted.
  const SORT_BUTTON_CLASS = 'sort-button';

  function rowsOf(table) {
    return [...table.tBodies[0].rows];
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

  function sortBy(head) {
    const table = head.closest('table');
    const isNumeric = head.dataset.sort === 'num';
    const compare = isNumeric ? compareNumbers : new Intl.Collator(undefined, { numeric: true }).compare;
    const keyOf = row => {
      const text = sortText(row.cells[head.cellIndex]);
      return isNumeric ? numberOf(text) : text;
    };
    const down = sortsDown(head);
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
    const rows = rowsOf(table).filter(row => !row.hidden);
    rows.forEach((row, place) => {
      row.style.display = place < most ? '' : 'none';
    });
    const left = rows.length - most;
    all('[data-more]').filter(button => button.dataset.more === table.id).forEach(button => {
      button.hidden = left <= 0;
      button.textContent = `Show ${left} more`;
    });
  }

  function showWhole(table) {
    table.dataset.cap = 1e9;
    shorten(table);
  }

  // ---- Filters ----
  //
  // A field names its table or list in data-for. A row shows if it has the text and the status.

  // The fields or outputs of a kind that name a list.
  function partsFor(tag, listId) {
    return all(tag).filter(part => part.dataset.for === listId);
  }

  function valueFor(tag, listId) {
    const field = partsFor(tag, listId)[0];
    return field ? field.value : '';
  }

  function hasStatus(row, status) {
    return (row.dataset.row || '').split(' ').includes(status);
  }

  function filter(listId) {
    const list = byId(listId);
    const text = valueFor('input', listId).toLowerCase();
    const status = valueFor('select', listId);
    const isTable = list.tagName === 'TABLE';
    const rows = isTable ? rowsOf(list) : all('[data-row]', list);
    rows.forEach(row => {
      const hasText = row.textContent.toLowerCase().includes(text);
      row.hidden = !hasText || (status !== '' && !hasStatus(row, status));
    });
    const shown = rows.filter(row => !row.hidden).length;
    partsFor('output', listId).forEach(output => {
      output.textContent = shown === rows.length ? '' : `${shown} of ${rows.length}`;
    });
    if (isTable) shorten(list);
    sayNothingFits(list, shown === 0 && rows.length > 0);
  }

  const NOTHING_FITS_CLASS = 'nothing-fits';

  // An empty list says why it is empty, and how it is filled again.
  function sayNothingFits(list, isEmpty) {
    const place = list.tagName === 'TABLE' ? list.parentElement : list;
    let note = place.nextElementSibling;
    if (!note || note.className !== NOTHING_FITS_CLASS) {
      const clear = element('button', { className: 'button' }, 'Clear the filter');
      clear.onclick = () => clearFilter(list.id);
      note = element('p', { className: NOTHING_FITS_CLASS }, 'Nothing here fits the filter. ', clear);
      place.after(note);
    }
    note.hidden = !isEmpty;
  }

  function clearFilter(listId) {
    const fields = [...partsFor('input', listId), ...partsFor('select', listId)];
    fields.forEach(field => {
      field.value = '';
    });
    filter(listId);
    fields[0].focus();
  }

  // ---- Start ----

  all('th[data-sort]').forEach(makeSortable);
  all('table[data-cap]').forEach(shorten);
  all('[data-more]').forEach(button => {
    button.onclick = () => showWhole(byId(button.dataset.more));
  });
  all('input[data-for], select[data-for]').forEach(field => {
    field.addEventListener('input', () => filter(field.dataset.for));
  });
})();
