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

  // On the page of a job, in the report of which rank the form searches.
  function chooseReport({ target }) {
    search.form.action = target.value;
    search.setAttribute('aria-label', `Search ${target.selectedOptions[0].text}`);
  }

  if (search) {
    const reports = search.form.querySelector('select');
    search.placeholder = reports ? 'Search a rank (press /)' : 'Search (press /)';
    addEventListener('keydown', goToSearch);
    reports?.addEventListener('change', chooseReport);
  }
})();
