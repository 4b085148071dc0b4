// The parts of which the side of the graph viewer is made: lists with links, groups and folds.
'use strict';
tlparse.graphParts = (() => {
  const { element } = tlparse;

  // Classes that the style sheet knows.
  const SOFT_CLASS = 'soft';
  const COUNT_CLASS = 'count';

  // Items of a list that are shown, and items up to which a list stands open.
  const MOST_ITEMS = 200;
  const MOST_OPEN_ITEMS = 12;

  function soft(text) {
    return element('span', { className: SOFT_CLASS }, text);
  }

  function drawCount(count) {
    return element('span', { className: COUNT_CLASS }, String(count));
  }

  // A text of code and a note: the content of a link, a button or a row.
  function codeAndNote(text, note) {
    return [element('code', {}, text), soft(note)];
  }

  function drawLinkItem(href, text, note) {
    return element('li', {}, element('a', { href }, ...codeAndNote(text, note)));
  }

  function drawList(items) {
    const list = element('ul', {}, ...items.slice(0, MOST_ITEMS));
    const left = items.length - MOST_ITEMS;
    if (left > 0) list.append(element('li', { className: SOFT_CLASS }, `${left} more`));
    return list;
  }

  function drawGroup(title, ...content) {
    return element('div', {}, element('h2', {}, title), ...content);
  }

  function drawCountedGroup(title, count, items) {
    const group = drawGroup(title, drawList(items));
    group.querySelector('h2').append(' ', drawCount(count));
    return group;
  }

  // A list that is folded at first if it is long.
  function drawFold(title, items) {
    const summary = element('summary', {}, title, ' ', drawCount(items.length));
    return element('details', { open: items.length <= MOST_OPEN_ITEMS }, summary, drawList(items));
  }

  return { soft, codeAndNote, drawLinkItem, drawList, drawGroup, drawCountedGroup, drawFold };
})();
