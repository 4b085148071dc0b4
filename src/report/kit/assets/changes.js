// Leads from change to change on a page with texts side by side: n to the next one, p to the one before.
'use strict';
(() => {
  const { all, isCommand } = tlparse;

  // Classes that the style sheet knows.
  const CURRENT_CLASS = 'at-change';

  // Keys, and by how many changes they move.
  const STEPS = { n: 1, p: -1 };

  const isChanged = row => row?.querySelector(':scope > .old, :scope > .new') != null;
  // The first row of each run of rows that differ.
  const changes = all('.sides > .pair').filter(row => isChanged(row) && !isChanged(row.previousElementSibling));
  let current = -1;

  function goTo(change) {
    changes[current]?.classList.remove(CURRENT_CLASS);
    current = (change + changes.length) % changes.length;
    changes[current].classList.add(CURRENT_CLASS);
    changes[current].scrollIntoView({ block: 'center' });
  }

  addEventListener('keydown', event => {
    const step = STEPS[event.key];
    const isTyping = event.target.matches('input, textarea, select');
    if (!step || isTyping || isCommand(event) || changes.length === 0) return;
    goTo(current < 0 && step < 0 ? changes.length - 1 : current + step);
  });
})();
