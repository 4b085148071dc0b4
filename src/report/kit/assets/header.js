// The head of a page: anchors stop below its tabs, and `/` leads to its search. Every page is complete without this
// script.
'use strict';
(() => {
  const { isCommand } = tlparse;

  const tabs = document.querySelector('.tabs');
  const search = document.querySelector('.page-head input[type=search]');

  // Pixels between the tabs and what an anchor leads to.
  const ROOM_BELOW_TABS = 12;
  // Where a key writes.
  const FIELDS = 'input, textarea, select, [contenteditable]';

  // The tabs stay at the top, on as many lines as they need.
  function keepAnchorsBelowTabs() {
    document.documentElement.style.scrollPaddingTop = `${tabs.offsetHeight + ROOM_BELOW_TABS}px`;
  }

  function goToSearch(event) {
    if (event.key !== '/' || isCommand(event) || event.target.matches(FIELDS)) return;
    event.preventDefault();
    search.focus();
    search.select();
  }

  if (tabs) {
    keepAnchorsBelowTabs();
    addEventListener('resize', keepAnchorsBelowTabs);
  }
  if (search) {
    search.placeholder = 'Search (press /)';
    addEventListener('keydown', goToSearch);
  }
})();
