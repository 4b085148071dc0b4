// The tables below the flame chart follow what it shows: the times within it, and only rows that have any.
'use strict';
tlparse.timeTables = (() => {
  const { byId, element, timeline, timeWords } = tlparse;
  const { items, compiles } = timeline;
  const { starts, ends } = items;
  const { describeTime } = timeWords;

  // A column of a table whose cells follow, by its place.
  const SELF = 1;
  const SHARE = 2;
  const TOTAL = 3;
  const TIMES = 4;
  const FULL_BAR = 110;

  // The rows with their cells as the page has them; read when the chart first shows less than all of the log.
  let phaseRows;
  let compileRows;

  function readRows() {
    phaseRows = rowsIn('phases-table').map(row => {
      // The outermost first; the last one is the phase of the row.
      const phases = [...row.querySelectorAll('.phase-code')].map(code => code.dataset.phase);
      const bar = row.querySelector('.share-bar');
      const cells = [...row.cells].map(cell => ({ cell, nodes: [...cell.childNodes], value: cell.dataset.v }));
      return { row, phases, cells, bar, width: bar?.style.width };
    });
    compileRows = rowsIn('compiles-table').map(row => {
      const number = /#at-(\d+)$/.exec(row.querySelector('a[href*="#at-"]')?.href)?.[1];
      return { row, compile: compiles.findIndex(one => one.number === Number(number)) };
    });
  }

  function rowsIn(id) {
    const table = byId(id);
    return table ? tlparse.rowsOf(table) : [];
  }

  const notes = ['phases', 'compiles'].map(id => {
    const note = element('p', { className: 'hint', hidden: true });
    byId(`${id}-table`)?.closest('.scroll').before(note);
    return note;
  });

  function lengthWithin(item, from, to) {
    return Math.max(0, Math.min(ends[item], to) - Math.max(starts[item], from));
  }

  // Of each phase its self time, its total time, and how often it runs within these times.
  function sumsWithin(from, to) {
    // A phase may belong to several parts of the compiler, and then its name stands there several times.
    const sums = new Map(timeline.names.map(name => [name, { self: 0, total: 0, times: 0, reach: from }]));
    for (let item = 0; item < items.spanCount; item++) {
      const length = lengthWithin(item, from, to);
      if (length === 0) continue;
      const sum = sums.get(timeline.phaseNameOf(item));
      const below = timeline.spansWithin(item);
      sum.self += below.reduce((left, child) => left - lengthWithin(child, from, to), length);
      // Nested runs of a phase count once; spans are in the order of their starts.
      sum.total += Math.max(0, Math.min(ends[item], to) - Math.max(starts[item], sum.reach));
      sum.reach = Math.max(sum.reach, Math.min(ends[item], to));
      sum.times += 1;
    }
    return sums;
  }

  function showCell(cells, place, text, value, before = []) {
    const { cell } = cells[place];
    cell.replaceChildren(...before, text);
    cell.dataset.v = value;
  }

  function showPhases(from, to) {
    const sums = sumsWithin(from, to);
    const covered = [...sums.values()].reduce((all, sum) => all + sum.self, 0);
    const selfOf = ({ phases }) => phases.reduce((all, phase) => all + (sums.get(phase)?.self ?? 0), 0);
    phaseRows.forEach(one => {
      const { row, phases, cells, bar } = one;
      const [outer, inner] = [phases[0], phases.at(-1)].map(phase => sums.get(phase));
      row.hidden = !inner?.times;
      if (row.hidden) return;
      const sum = { self: selfOf(one), total: outer?.total ?? inner.total, times: inner.times };
      const share = sum.self / covered || 0;
      if (bar) bar.style.width = `${share * FULL_BAR}px`;
      showCell(cells, SELF, describeTime(sum.self), sum.self);
      showCell(cells, SHARE, `${(share * 100).toFixed(1)}\u00a0%`, share, bar ? [bar] : []);
      showCell(cells, TOTAL, describeTime(sum.total), sum.total);
      showCell(cells, TIMES, sum.times.toLocaleString('en'), sum.times);
    });
    arrange([...phaseRows].sort((one, other) => selfOf(other) - selfOf(one)));
  }

  function showCompiles(from, to) {
    const seen = new Set();
    for (let item = 0; item < items.count; item++) {
      if (lengthWithin(item, from, to) > 0) seen.add(items.compiles[item]);
    }
    compileRows.forEach(({ row, compile }) => { row.hidden = !seen.has(compile); });
    return compileRows.filter(({ row }) => !row.hidden).length;
  }

  // The order in which the page has the rows, or that of what the chart shows; the reader's own order stays.
  function arrange(ordered) {
    const table = byId('phases-table');
    if (table.querySelector('[aria-sort]')) return;
    table.tBodies[0].append(...ordered.map(one => one.row));
  }

  // All of the log again, as the page has it.
  function showWhole() {
    phaseRows.forEach(({ row, cells, bar, width }) => {
      row.hidden = false;
      if (bar) bar.style.width = width;
      // The first cell has the name, which never changes.
      cells.slice(SELF).forEach(({ cell, nodes, value }) => {
        cell.replaceChildren(...nodes);
        cell.dataset.v = value;
      });
    });
    compileRows.forEach(({ row }) => { row.hidden = false; });
    arrange(phaseRows);
  }

  let shown = 'whole';

  // Follows the chart, which shows these times.
  function follow(from, to, isWhole) {
    const range = isWhole ? 'whole' : `${from} ${to}`;
    if (range === shown) return;
    shown = range;
    notes.forEach(note => { note.hidden = isWhole; });
    if (!phaseRows) readRows();
    if (isWhole) {
      showWhole();
    } else {
      const within = `${describeTime(to - from)} that the chart shows, from ${describeTime(from)}`;
      showPhases(from, to);
      const count = showCompiles(from, to);
      notes[0].textContent = `Within the ${within}.`;
      notes[1].textContent = `${count} of ${compileRows.length} rows: compiles within the ${within}. Their times are whole.`;
    }
    ['phases-table', 'compiles-table'].map(byId).filter(Boolean).forEach(tlparse.shorten);
  }

  return { follow };
})();
