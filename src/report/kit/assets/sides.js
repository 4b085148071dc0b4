// Two graphs side by side: equal lines folded, a line that went on the left, one that came on the right, and hatched
// ground beside a line without a counterpart. In a narrow window both sides stand in one column.
'use strict';
tlparse.sides = (() => {
  const { all, element, noun, diff, graphText } = tlparse;

  // Classes that the style sheet knows.
  const ROW_CLASS = 'pair';
  const SIDE_CLASS = 'one-side';
  const GONE_CLASS = 'old';
  const NEW_CLASS = 'new';
  const FILLER_CLASS = 'filler';
  const FOLD_CLASS = 'fold-row';
  const HEAD_CLASS = 'sides-head';
  const CURRENT_CLASS = 'at-change';
  const CHANGED_TAG = 'b';

  // Changed rows that are drawn at once; the rest waits for a click, or for a key that leads there.
  const MOST_DRAWN = 400;
  // Equal lines that stay visible beside a change, and the shortest run that is worth a fold.
  const CONTEXT = 3;
  const SHORTEST_FOLD = 4;

  // ---- A line: its tokens in color, and in them the words that its counterpart does not have ----

  function drawToken(text, className, isChanged) {
    const content = className ? element('span', { className }, text) : text;
    return isChanged ? element(CHANGED_TAG, {}, content) : content;
  }

  // The pieces of a token that begins at a place of its line, cut where changed parts begin and end.
  function cutToken({ text, className }, start, changed) {
    const cuts = changed.flat().filter(cut => start < cut && cut < start + text.length);
    const ends = [...cuts, start + text.length];
    let from = start;
    return ends.map(end => {
      const isChanged = changed.some(([first, last]) => first <= from && from < last);
      const piece = drawToken(text.slice(from - start, end - start), className, isChanged);
      from = end;
      return piece;
    });
  }

  function contentOf(line, counterpart) {
    const changed = counterpart === undefined ? [] : diff.changedParts(line, counterpart);
    let start = 0;
    return graphText.highlight(line).flatMap(token => {
      const pieces = cutToken(token, start, changed);
      start += token.text.length;
      return pieces;
    });
  }

  function drawSide(side, other, className, sign) {
    if (!side) return element('div', { className: `${SIDE_CLASS} ${FILLER_CLASS}` });
    const isEqual = other !== null && other.text === side.text;
    const counterpart = isEqual || other === null ? undefined : other.text;
    const classes = isEqual ? SIDE_CLASS : `${SIDE_CLASS} ${className}`;
    const drawn = element('div', { className: classes }, ...contentOf(side.text, counterpart));
    drawn.dataset.n = side.number;
    drawn.dataset.sign = isEqual ? '' : sign;
    return drawn;
  }

  function drawRow({ left, right, change }) {
    const row = element('div', { className: ROW_CLASS });
    row.append(drawSide(left, right, GONE_CLASS, '−'), drawSide(right, left, NEW_CLASS, '+'));
    if (change) row.dataset.change = change;
    return row;
  }

  // ---- Folds ----

  function drawFold(rows) {
    const fold = element('button', { className: FOLD_CLASS }, `${rows.length} equal lines`);
    fold.onclick = () => fold.replaceWith(...rows.map(drawRow));
    return fold;
  }

  // Equal lines, folded but for those beside a change.
  function drawEqual(rows, isFirst, isLast) {
    const start = isFirst ? 0 : CONTEXT;
    const end = isLast ? rows.length : rows.length - CONTEXT;
    if (end - start < SHORTEST_FOLD) return rows.map(drawRow);
    return [
      ...rows.slice(0, start).map(drawRow),
      drawFold(rows.slice(start, end)),
      ...rows.slice(end).map(drawRow),
    ];
  }

  // The place after a run of rows that are all equal, or all changed.
  function endOfRun(rows, start) {
    const isEqual = rows[start].change === 0;
    let end = start;
    while (end < rows.length && (rows[end].change === 0) === isEqual) end++;
    return end;
  }

  // ---- The comparison that is shown ----

  class Comparison {
    constructor(place, rows) {
      this.place = place;
      this.rows = rows;
      this.changes = rows.reduce((most, { change }) => Math.max(most, change), 0);
      // The change that the reader is at, from 1; 0 before the first.
      this.current = 0;
      this.drawn = 0;
    }

    // Draws so many further changed rows, and the equal ones between them.
    drawMore() {
      this.rest?.remove();
      const parts = [];
      let room = MOST_DRAWN;
      while (this.drawn < this.rows.length && room > 0) {
        const end = endOfRun(this.rows, this.drawn);
        const isEqual = this.rows[this.drawn].change === 0;
        const rows = this.rows.slice(this.drawn, isEqual ? end : Math.min(end, this.drawn + room));
        const isLast = this.drawn + rows.length === this.rows.length;
        parts.push(...isEqual ? drawEqual(rows, this.drawn === 0, isLast) : rows.map(drawRow));
        if (!isEqual) room -= rows.length;
        this.drawn += rows.length;
      }
      this.place.append(...parts);
      if (this.drawn < this.rows.length) this.place.append(this.drawRest());
    }

    drawRest() {
      const rest = this.rows.slice(this.drawn);
      const changed = rest.filter(({ change }) => change > 0).length;
      const words = `${rest.length} further lines, ${changed} of them changed`;
      this.rest = element('button', { className: FOLD_CLASS }, words);
      this.rest.onclick = () => this.drawMore();
      return this.rest;
    }

    rowsOfChange(change) {
      return all(`[data-change="${change}"]`, this.place);
    }

    // Goes to a change, from the last one to the first; gives which one it is.
    goTo(change) {
      if (this.changes === 0) return 0;
      this.current = (change - 1 + this.changes) % this.changes + 1;
      while (this.rowsOfChange(this.current).length === 0 && this.drawn < this.rows.length) this.drawMore();
      all(`.${CURRENT_CLASS}`, this.place).forEach(row => row.classList.remove(CURRENT_CLASS));
      const rows = this.rowsOfChange(this.current);
      rows.forEach(row => row.classList.add(CURRENT_CLASS));
      const isLong = rows[0].offsetHeight * rows.length > innerHeight / 2;
      rows[0].scrollIntoView({ block: isLong ? 'start' : 'center' });
      return this.current;
    }
  }

  // ---- The head: what stands on each side, and the way from change to change ----

  function drawHead(titles, comparison, onMove) {
    const position = element('span', { className: 'soft' });
    const say = () => {
      const { current, changes } = comparison;
      const total = `${changes} ${noun(changes, 'change', 'changes')}`;
      position.textContent = current ? `change ${current} of ${changes}` : total;
    };
    const button = (words, key, by) => {
      const drawn = element('button', { className: 'button' }, key);
      drawn.setAttribute('aria-label', words);
      drawn.title = `${words} (${key})`;
      drawn.onclick = () => onMove(by);
      return drawn;
    };
    say();
    const [left, right] = titles.map(title => element('div', {}, element('b', {}, title)));
    if (comparison.changes > 0) {
      right.append(position, button('Previous change', 'p', -1), button('Next change', 'n', 1));
    }
    return { head: element('div', { className: HEAD_CLASS }, left, right), say };
  }

  // The head stays below the tabs of the page, which take as many lines as they need.
  function keepBelowTabs(head) {
    const tabs = document.querySelector('.tabs');
    const isSticky = tabs && getComputedStyle(tabs).position === 'sticky';
    head.style.top = `${isSticky ? tabs.offsetHeight : 0}px`;
  }

  // Puts the comparison of two lists of lines into `place`. `titles` are the two headings; `onChange` is told the change
  // that the reader went to. Gives the numbers of lines that went and came, what is to be said of how they were compared,
  // how many changes there are, and `move` and `goTo`.
  function show(place, [before, after], titles, onChange) {
    const { rows, removed, added, note } = diff.compareTexts(before, after);
    place.replaceChildren();
    const comparison = new Comparison(place, rows);
    const goTo = change => {
      const reached = comparison.goTo(change);
      say();
      if (reached) onChange(reached);
    };
    const move = by => goTo(comparison.current === 0 && by < 0 ? 0 : comparison.current + by);
    const { head, say } = drawHead(titles, comparison, move);
    place.append(head);
    keepBelowTabs(head);
    comparison.drawMore();
    return { removed, added, note, changes: comparison.changes, move, goTo };
  }

  return { show };
})();
