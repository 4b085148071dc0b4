// Helpers that several scripts of a page share. The page carries this file before them.
'use strict';
globalThis.tlparse = (() => {
  // The elements below `root` that fit a selector, as an array.
  function all(selector, root = document) {
    return [...root.querySelectorAll(selector)];
  }

  function byId(id) {
    return document.getElementById(id);
  }

  // A new element with these properties (`className`, `textContent`, ..) and this content.
  function element(tag, properties, ...content) {
    const created = Object.assign(document.createElement(tag), properties);
    created.append(...content);
    return created;
  }

  // The word for this many things.
  function noun(count, one, more) {
    return count === 1 ? one : more;
  }

  // Whether a key is pressed together with one that makes it a command of the browser or of the system.
  function isCommand(event) {
    return event.ctrlKey || event.metaKey || event.altKey;
  }

  // The first number from `low` on that passes the test; `high` if none below it does. All numbers after the
  // first must pass too.
  function firstThat(passes, low, high) {
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (passes(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  return { all, byId, element, noun, isCommand, firstThat };
})();
