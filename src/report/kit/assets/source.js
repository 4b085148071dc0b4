// A line of a file is chosen by a click, by keys, or by the address; what happened there is shown beside the file. Without this
// script all of it stands below each other, and each number leads to its own.
'use strict';
(() => {
  const { all, byId, element, isCommand } = tlparse;

  // Where a key writes or chooses.
  const FIELDS = 'input, textarea, select, [contenteditable]';
  const KNOWN = 'tr.known';

  // A known line: its row, its place on the map, and what happened there.
  function lineOf(row) {
    const link = row.querySelector('.number a');
    return { row, link, anchor: link.parentElement.id, told: link.getAttribute('href').slice(1) };
  }

  // A file: its known lines, and which of them is chosen.
  class File {
    constructor(root) {
      this.root = root;
      this.panel = root.querySelector('.happened');
      this.lines = all(KNOWN, root).map(lineOf);
      this.found = this.lines.filter(line => line.row.classList.contains('found'));
      this.marks = new Map(all('.map a', root).map(mark => [mark.getAttribute('href').slice(1), mark]));
      this.title = element('span');
      this.copy = element('button', { className: 'button copy', textContent: 'Copy place', type: 'button' });
      root.classList.add('chooses');
      this.panel.prepend(this.walk());
      // At first the first line with a finding, or else the first line; on a small window nothing covers the page yet.
      this.choose(this.found[0] ?? this.lines[0]);
    }

    // The bar above what happened: which line, and buttons.
    walk() {
      const button = (text, label, act) => {
        const made = element('button', { className: 'button', textContent: text, ariaLabel: label, type: 'button' });
        made.addEventListener('click', act);
        return made;
      };
      const close = button('Close', 'Close', () => this.panel.classList.remove('shown'));
      close.classList.add('close');
      return element(
        'div',
        { className: 'walk' },
        this.title,
        this.copy,
        'finding',
        button('p', 'Previous line with a finding', () => this.step(this.found, -1)),
        button('n', 'Next line with a finding', () => this.step(this.found, 1)),
        'line',
        button('k', 'Previous known line', () => this.step(this.lines, -1)),
        button('j', 'Next known line', () => this.step(this.lines, 1)),
        close,
      );
    }

    // Marks the elements of a line, or removes the mark.
    mark(line, isChosen) {
      for (const part of [line.row, this.marks.get(line.told), byId(line.told)]) {
        part?.classList.toggle('chosen', isChosen);
      }
    }

    choose(line) {
      if (!line) return;
      if (this.chosen) this.mark(this.chosen, false);
      this.chosen = line;
      this.mark(line, true);
      const number = line.link.textContent;
      this.title.textContent = `line ${number}, ${this.lines.indexOf(line) + 1} of ${this.lines.length}`;
      this.copy.dataset.copy = `${this.root.dataset.file}:${number}`;
    }

    // A choice of the reader: the address names it.
    take(line) {
      this.choose(line);
      this.panel.classList.add('shown');
      this.panel.scrollTop = 0;
      history.replaceState(null, '', `#${line.anchor}`);
    }

    // The next of these lines before or behind the chosen one.
    step(lines, by) {
      const at = this.lines.indexOf(this.chosen);
      const places = lines.map(line => this.lines.indexOf(line));
      const next = by > 0 ? places.find(place => place > at) : places.findLast(place => place < at);
      if (next === undefined) return;
      this.take(this.lines[next]);
      this.lines[next].row.scrollIntoView({ block: 'nearest' });
    }

    // The line with this anchor, or what happened at it.
    lineAt(id) {
      return this.lines.find(line => line.anchor === id || line.told === id);
    }
  }

  const files = all('.file').map(root => new File(root));
  // The file that keys move in.
  let current = files[0];

  function takeAddress() {
    const id = location.hash.slice(1);
    for (const file of files) {
      const line = id && file.lineAt(id);
      if (!line) continue;
      current = file;
      const fold = file.root.closest('details');
      if (fold) fold.open = true;
      file.choose(line);
      file.panel.classList.add('shown');
      line.row.scrollIntoView({ block: 'center' });
    }
  }

  function onClick(event) {
    const root = event.target.closest('.file');
    const file = root && files.find(one => one.root === root);
    if (!file) return;
    current = file;
    const link = event.target.closest('.number a, .map a');
    const row = event.target.closest(KNOWN);
    const line = link ? file.lineAt(link.getAttribute('href').slice(1)) : file.lines.find(one => one.row === row);
    // A reader who marks text of a line does not choose it.
    if (!line || (!link && String(getSelection()) !== '')) return;
    event.preventDefault();
    file.take(line);
    if (event.target.closest('.map')) line.row.scrollIntoView({ block: 'center' });
  }

  const MOVES = {
    j: file => file.step(file.lines, 1),
    k: file => file.step(file.lines, -1),
    n: file => file.step(file.found, 1),
    p: file => file.step(file.found, -1),
  };

  function onKey(event) {
    const move = MOVES[event.key];
    if (!move || !current || isCommand(event) || event.target.matches(FIELDS)) return;
    event.preventDefault();
    move(current);
  }

  // Shows whole files, or only lines that the log knows.
  for (const button of all('[data-whole]')) {
    const table = button.closest('section').querySelector('.lined');
    const tell = () => {
      button.textContent = table.classList.contains('whole') ? 'Known lines only' : 'All lines';
    };
    tell();
    button.addEventListener('click', () => {
      table.classList.toggle('whole');
      tell();
    });
  }

  takeAddress();
  addEventListener('hashchange', takeAddress);
  addEventListener('click', onClick);
  addEventListener('keydown', onKey);
})();
