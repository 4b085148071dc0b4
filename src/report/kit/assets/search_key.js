// `/` leads to the search in the head of the page. Every page is complete without this script.
'use strict';
(() => {
  const search = document.querySelector('.page-head input[type=search]');

  // Where a key writes.
  const FIELDS = 'input, textarea, select, [contenteditable]';

  function goToSearch(event) {
    if (event.key !== '/' || tlparse.isCommand(event) || event.target.matches(FIELDS)) return;
    event.preventDefault();
    search.focus();
    search.select();
  }

  if (search) {
    search.placeholder = 'Search (press /)';
    addEventListener('keydown', goToSearch);
  }
})();
