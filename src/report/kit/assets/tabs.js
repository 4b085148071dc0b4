// Anchors stop below the tabs, which stay at the top. Every page is complete without this script.
'use strict';
(() => {
  const tabs = document.querySelector('.tabs');

  // Pixels between the tabs and what an anchor leads to.
  const ROOM_BELOW_TABS = 12;

  // The tabs take as many lines as they need.
  function keepAnchorsBelowTabs() {
    const { style } = document.documentElement;
    style.scrollPaddingTop = `${tabs.offsetHeight + ROOM_BELOW_TABS}px`;
    // Lists that stay beside the page begin below the tabs.
    style.setProperty('--tabs', `${tabs.offsetHeight}px`);
  }

  if (tabs) {
    keepAnchorsBelowTabs();
    addEventListener('resize', keepAnchorsBelowTabs);
  }
})();
