// Filters tables and lists by text and status. Every page is complete without this script.
//
// Names of lists come from data attributes, so they are compared and never put into a selector.
'use strict';
(() => {
  const { all, byId, element, rowsOf, shorten } = tlparse;

  const NOTHING_FITS_CLASS = 'nothing-fits';

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

  all('input[data-for], select[data-for]').forEach(field => {
    field.addEventListener('input', () => filter(field.dataset.for));
  });
  Object.assign(tlparse, { filter });
})();
