// The roofline: one stop for Tab, arrows walk through the points by time, and a card says what is known of one.
// Without this script each point is a link to its row, and the card is that of the first.
'use strict';
(() => {
  const { all, byId, element, isCommand } = tlparse;

  const SHOWN_CLASS = 'shown';
  // What an arrow key adds to the place of a point.
  const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

  // The search of a job knows the name of a kernel, and not its row: `#find=triton_poi_fused_add_0`.
  const FIND = '#find=';
  if (location.hash.startsWith(FIND)) {
    const name = decodeURIComponent(location.hash.slice(FIND.length));
    const found = all('tbody tr[id]').find(row => row.cells[0].textContent.trim().startsWith(name));
    if (found) location.replace(`#${found.id}`);
  }

  const data = byId('points');
  if (!data) return;
  const cards = JSON.parse(data.textContent);
  const points = all('.point');
  const plot = points[0].ownerSVGElement;
  const card = byId('point-card');

  // The row that a point leads to has the id that ends its address.
  function rowIdOf(point) {
    return point.getAttribute('href').slice(1);
  }

  function pointOf(rowId) {
    return points.find(point => rowIdOf(point) === rowId);
  }

  function show(point) {
    const { title, facts } = cards[rowIdOf(point)];
    card.querySelector('h3').replaceChildren(element('code', { textContent: title }));
    card.querySelector('dl').replaceChildren(...facts.flatMap(([label, value]) => [
      element('dt', { textContent: label }), element('dd', { textContent: value })]));
    all(`.${SHOWN_CLASS}`).forEach(other => other.classList.remove(SHOWN_CLASS));
    point.classList.add(SHOWN_CLASS);
    byId(rowIdOf(point))?.classList.add(SHOWN_CLASS);
  }

  // The one point that Tab reaches.
  function makeStop(point) {
    points.forEach(other => other.setAttribute('tabindex', other === point ? 0 : -1));
  }

  function showFor(target) {
    const point = target.closest('.point');
    if (point) show(point);
  }

  plot.addEventListener('pointerover', event => showFor(event.target));
  plot.addEventListener('focusin', event => {
    showFor(event.target);
    makeStop(event.target.closest('.point'));
  });
  plot.addEventListener('keydown', event => {
    const step = STEPS[event.key];
    const place = points.indexOf(event.target.closest('.point'));
    if (!step || place < 0 || isCommand(event)) return;
    event.preventDefault();
    points[(place + step + points.length) % points.length].focus();
  });

  // A row shows its point.
  byId('kernels-table').addEventListener('pointerover', event => {
    const row = event.target.closest('tbody tr');
    const point = row && pointOf(row.id);
    if (point) show(point);
  });

  // The address names a row, and so its point.
  function showAddressed() {
    const point = pointOf(location.hash.slice(1));
    if (!point) return false;
    show(point);
    makeStop(point);
    return true;
  }

  addEventListener('hashchange', showAddressed);
  if (!showAddressed()) {
    show(points[0]);
    makeStop(points[0]);
  }

  // In a narrow window the longest kernel is in view.
  const frame = plot.parentElement;
  const right = points[0].getBoundingClientRect().right - frame.getBoundingClientRect().left;
  if (right > frame.clientWidth) frame.scrollLeft = right - frame.clientWidth * 0.8;
})();
