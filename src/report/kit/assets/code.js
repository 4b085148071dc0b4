// Pages of code. The style sheet draws the number of a line in front of it; a click on the number makes the
// line the address of the page.
'use strict';
(() => {
  // A line of code that has an address.
  const LINE = '.lines > [id]';

  // The number is the line's `::before`, so a click on it is a click on the left end of the line.
  function isOnNumber(line, event) {
    const fromLeft = event.clientX - line.getBoundingClientRect().left;
    return fromLeft < parseFloat(getComputedStyle(line, '::before').width);
  }

  addEventListener('click', event => {
    const line = event.target;
    // A click may also hit the document, which has no `matches`.
    if (line.matches?.(LINE) && isOnNumber(line, event)) location.hash = line.id;
  });
})();
