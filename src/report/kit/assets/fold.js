// Buttons that open and close all folds of a region. Every page is complete without this script.
'use strict';
(() => {
  const { all, byId } = tlparse;

  // Opens all folds of the region that `data-fold` names, or closes them when all are open.
  function toggleAll(button) {
    const folds = all('details', byId(button.dataset.fold));
    const open = folds.some(fold => !fold.open);
    folds.forEach(fold => {
      fold.open = open;
    });
    button.textContent = open ? 'Fold all' : 'Open all';
  }

  all('[data-fold]').forEach(button => {
    button.onclick = () => toggleAll(button);
  });
})();
