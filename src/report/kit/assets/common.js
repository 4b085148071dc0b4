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

  return { all, byId, element, noun, isCommand };
})();
