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

  // ---- Lines before the first kernel: imports and helpers, the same in each file ----

  const FOLDED_CLASS = 'folded-line';
  // Comments and the assignment right above the first kernel belong to it.
  const LINES_ABOVE = 3;

  function foldBeginning(frame) {
    const last = frame.dataset.begins - LINES_ABOVE;
    const folded = [...frame.querySelectorAll('.lines > *')].slice(0, last);
    const button = document.createElement('button');
    button.className = 'button';
    button.textContent = `Show lines 1 to ${last}: imports and helpers`;
    function unfold() {
      folded.forEach(line => line.classList.remove(FOLDED_CLASS));
      button.remove();
    }
    // Folded lines keep their place in the count; a link to one of them shows them.
    const isTarget = () => folded.some(line => line.id !== '' && `#${line.id}` === location.hash);
    if (isTarget()) return;
    folded.forEach(line => line.classList.add(FOLDED_CLASS));
    frame.prepend(button);
    button.onclick = unfold;
    addEventListener('hashchange', () => {
      if (button.isConnected && isTarget()) unfold();
    });
    addEventListener('beforeprint', unfold);
  }

  const frame = document.querySelector('[data-begins]');
  if (frame) foldBeginning(frame);

  addEventListener('click', event => {
    const line = event.target;
    // A click may also hit the document, which has no `matches`.
    if (line.matches?.(LINE) && isOnNumber(line, event)) location.hash = line.id;
  });
})();
