// Shows what is hidden or folded when the reader asks for it. Every page is complete without this script.
'use strict';
(() => {
  const { all, byId, element } = tlparse;

  // Controls that need scripts; pages hide them until one runs.
  const NEEDS_SCRIPT = '.needs-script';

  // A row that a link can name shows that link.
  function anchorRows(rows) {
    for (const row of rows.filter(one => one.id !== '')) {
      const properties = { className: 'anchor', href: `#${encodeURIComponent(row.id)}`, ariaLabel: 'Link to this row' };
      row.cells[0]?.append(element('a', properties));
    }
  }

  // The id that the address names, or an empty string.
  function idInAddress() {
    const anchor = location.hash.slice(1);
    try {
      return decodeURIComponent(anchor);
    } catch {
      // An anchor with a bare percent sign stands as it is.
      return anchor;
    }
  }

  // Opens the folds and shows the table rows that `element` stands in.
  function uncover(element) {
    for (let place = element; place; place = place.parentElement) {
      if (place.tagName === 'DETAILS') place.open = true;
      if (place.tagName === 'TR') {
        // A filter hides rows by attribute, a long table by style.
        place.hidden = false;
        place.style.display = '';
      }
    }
  }

  // A link into a folded place opens it.
  function showTarget() {
    const id = idInAddress();
    if (id === '') return;
    if (!byId(id)) tlparse.completeFor?.(id);
    const target = byId(id);
    if (!target) return;
    uncover(target);
    target.scrollIntoView();
  }

  function openAllFolds() {
    all('details').forEach(fold => {
      fold.open = true;
    });
  }

  anchorRows(all('tbody > tr[id]'));
  Object.assign(tlparse, { anchorRows });
  all(NEEDS_SCRIPT).forEach(control => {
    control.hidden = false;
  });
  showTarget();
  addEventListener('hashchange', showTarget);
  // On paper nothing can be unfolded.
  addEventListener('beforeprint', openAllFolds);
})();
