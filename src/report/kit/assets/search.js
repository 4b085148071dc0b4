// Finds words in the index that the search page carries, and lists what has them.
//
// The index holds `groups` (named lists of facts), `settings`, `files`, and `texts` (what the files
// say, line by line). What is looked for stands in the address while it is typed.
'use strict';
(() => {
  const { all, byId, editor, element, noun } = tlparse;

  const field = byId('query');
  const results = byId('found');
  const summary = byId('count');
  const index = JSON.parse(byId('index').textContent);

  const COUNT_CLASS = 'count';
  const HEAD_CLASS = 'section-head';
  const BUTTON_CLASS = 'button';

  // Results of a kind that show at first, and after the button below them was pressed.
  const SHOWN_AT_FIRST = 12;
  const MOST_SHOWN = 400;
  // Places of one line that are listed.
  const MOST_PLACES = 60;
  // Milliseconds without a letter typed after which the search starts.
  const TYPING_PAUSE = 200;
  // What was searched for, in the address.
  const QUERY_PARAMETER = 'q';
  // What stands between the parts of what is known of a fact; a place as it is shown.
  const SEPARATOR = ' · ';
  const SHORT_PLACE = /^(.+):(\d+)$/;
  // Groups of places and tables are long, so they come after what code calls by name.
  const LATE_GROUP = /^(Places|Tables) /;

  function counted(count, one, more) {
    return `${count.toLocaleString('en')} ${noun(count, one, more)}`;
  }

  // ---- The index ----

  // Each file with its name, its compile, its address, and whether its lines have addresses. In the index,
  // folder and compile stand only where they differ from those of the file before.
  function readFiles() {
    let folder = '';
    let compile = '';
    return index.files.map(file => {
      const [name, isAnchored] = file;
      if (file.length > 2) [, , folder, compile] = file;
      const address = [folder, name].filter(Boolean).map(encodeURIComponent).join('/');
      return { name, isAnchored, compile, address };
    });
  }

  // In a text of the index, a string is a line not seen before, and a number one that was; lines are numbered
  // from 1 in the order in which they are first seen. A negative number stands for so many lines that follow
  // the last one. A text that is a number is a copy of the text with that place.
  function isCopy(items) {
    return typeof items === 'number';
  }

  // All lines by number; there is no line 0.
  function readLines() {
    const read = [''];
    index.texts.forEach(([, items]) => {
      if (isCopy(items)) return;
      items.forEach(item => {
        if (typeof item === 'string') read.push(item);
      });
    });
    return read;
  }

  // For each text that has copies, the files that hold them.
  function readCopies() {
    const byText = new Map();
    index.texts.forEach(([file, items]) => {
      if (isCopy(items)) byText.set(items, [...(byText.get(items) || []), file]);
    });
    return byText;
  }

  const files = readFiles();
  const lines = readLines();
  const copies = readCopies();

  function addressOf(file, lineNumber) {
    const { address, isAnchored } = files[file];
    return isAnchored && lineNumber ? `${address}#L${lineNumber}` : address;
  }

  // Calls `visit` with each line of a text in turn; gives the number of the next line not seen before.
  function visitLines(items, nextNew, visit) {
    let last = 0;
    const see = line => {
      last = line;
      visit(line);
    };
    items.forEach(item => {
      if (typeof item === 'string') see(nextNew++);
      else if (item >= 0) see(item);
      else for (let left = -item; left > 0; left--) see(last + 1);
    });
    return nextNew;
  }

  // For each of these lines, where it stands: a list of {file, lineNumber}.
  function placesOf(wantedLines) {
    const places = new Map(wantedLines.map(line => [line, []]));
    let nextNew = 1;
    index.texts.forEach(([file, items], text) => {
      if (isCopy(items)) return;
      const holders = [file, ...(copies.get(text) || [])];
      let lineNumber = 0;
      nextNew = visitLines(items, nextNew, line => {
        lineNumber++;
        const found = places.get(line);
        if (found) found.push(...holders.map(holder => ({ file: holder, lineNumber })));
      });
    });
    return places;
  }

  // ---- What is looked for ----

  // The words of a query: "two words" in quotes are one, and [0/1] is the compile 0/1.
  function wordsOf(query) {
    const plain = query.trim().toLowerCase().replace(/^\[([^\s[\]]*)\]$/, '$1');
    return [...plain.matchAll(/"([^"]+)"|(\S+)/g)].map(([, quoted, bare]) => quoted || bare);
  }

  // A test whether a text has all words, in capitals or not.
  function testFor(words) {
    const patterns = words.map(word => new RegExp(word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'i'));
    return text => patterns.every(pattern => pattern.test(text));
  }

  // How well a name fits, from 0: it is what was asked for, begins with the first word, has it, or does not. The
  // value behind a setting is not part of its name.
  function rankOf(name, words) {
    const lower = name.toLowerCase();
    const [alone] = lower.split(' = ');
    if ([lower, alone].includes(words.join(' '))) return 0;
    if (lower.startsWith(words[0])) return 1;
    return lower.includes(words[0]) ? 2 : 3;
  }

  // ---- Drawing ----

  // The next place from `start` on where a word stands: the first, and there the longest word.
  function nextMatch(text, words, start) {
    const matches = words
      .map(word => ({ start: text.indexOf(word, start), length: word.length }))
      .filter(match => match.start >= 0);
    matches.sort((one, other) => one.start - other.start || other.length - one.length);
    return matches[0];
  }

  // An element with a text in which the words are marked.
  function drawMarked(tag, text, words, properties = {}) {
    const drawn = element(tag, properties);
    const lower = text.toLowerCase();
    // A letter whose small form is longer would shift all marks.
    const isMarkable = lower.length === text.length;
    let end = 0;
    while (isMarkable && end < text.length) {
      const match = nextMatch(lower, words, end);
      if (!match) break;
      const matchEnd = match.start + match.length;
      const mark = element('mark', { textContent: text.slice(match.start, matchEnd) });
      drawn.append(text.slice(end, match.start), mark);
      end = matchEnd;
    }
    drawn.append(text.slice(end));
    return drawn;
  }

  // What is known of a fact names a place twice: short with its line, and the whole path.
  function linkToEditor(known) {
    const parts = known.split(SEPARATOR);
    for (const [at, part] of parts.entries()) {
      const [, short, line] = SHORT_PLACE.exec(part) ?? [];
      const path = short && parts.slice(at + 1).find(other => other.replaceAll('\\', '/').endsWith(`/${short}`));
      if (path) return editor.linkTo(path, line);
    }
    return '';
  }

  // A fact is [name, detail, address].
  function drawFact([name, detail, address], words) {
    const link = drawMarked('a', name || 'unnamed', words, { href: address });
    const about = drawMarked('small', detail, words);
    const opened = linkToEditor(`${name}${SEPARATOR}${detail}`);
    if (opened) about.append(SEPARATOR, opened);
    return element('li', {}, link, about);
  }

  function drawPlace({ file, lineNumber }) {
    const { name, compile, isAnchored } = files[file];
    const place = isAnchored ? `${name} line ${lineNumber}` : `${name}, line ${lineNumber}`;
    return element('a', { textContent: `${compile} ${place}`, href: addressOf(file, lineNumber) });
  }

  // The places of a line but the first, in a fold that is filled when it is first opened.
  function drawOtherPlaces(places) {
    const list = element('div', {});
    const others = counted(places.length - 1, 'other place', 'other places');
    const fold = element('details', {}, element('summary', { textContent: `and ${others}` }), list);
    fold.ontoggle = () => {
      if (list.firstChild) return;
      list.append(...places.slice(1, MOST_PLACES).map(place => element('div', {}, drawPlace(place))));
      if (places.length > MOST_PLACES) list.append(counted(places.length - MOST_PLACES, 'more', 'more'));
    };
    return fold;
  }

  function drawLine(line, places, words) {
    const where = element('small', {});
    if (places.length > 0) where.append(drawPlace(places[0]));
    if (places.length > 1) where.append(drawOtherPlaces(places));
    return element('li', {}, drawMarked('code', lines[line], words), where);
  }

  // A kind of results under its title, the first of them drawn. `draw` makes a part of the results list
  // items.
  function drawSection(title, found, draw) {
    const count = element('span', { textContent: found.length.toLocaleString('en'), className: COUNT_CLASS });
    const head = element('div', { className: HEAD_CLASS }, element('h2', {}, `${title} `, count));
    const list = element('ul', {}, ...draw(found.slice(0, SHOWN_AT_FIRST)));
    const section = element('section', {}, head, list);
    if (found.length > SHOWN_AT_FIRST) section.append(drawMoreButton(found, list, draw));
    return section;
  }

  function drawMoreButton(found, list, draw) {
    const isTooLong = found.length > MOST_SHOWN;
    const textContent = isTooLong ? `Show the first ${MOST_SHOWN}` : `Show all ${found.length}`;
    const button = element('button', { textContent, className: BUTTON_CLASS });
    button.onclick = () => {
      const firstNew = list.children.length;
      list.append(...draw(found.slice(SHOWN_AT_FIRST, MOST_SHOWN)));
      button.remove();
      // The button had the focus; what it brought takes it over.
      list.children[firstNew]?.querySelector('a, summary')?.focus();
    };
    return button;
  }

  // ---- Searching ----

  // The facts that have all words, those with the best fitting names first.
  function findFacts(facts, words) {
    const hasWords = testFor(words);
    const found = facts.filter(([name, detail]) => hasWords(`${name} ${detail}`));
    const ranked = found.map(fact => ({ fact, rank: rankOf(fact[0], words) }));
    ranked.sort((one, other) => one.rank - other.rank);
    return ranked.map(({ fact }) => fact);
  }

  // The lines that have all words.
  function findLines(words) {
    const hasWords = testFor(words);
    return [...lines.keys()].filter(line => line > 0 && hasWords(lines[line]));
  }

  // Settings as facts: of a shared value the names, else each name with its own value.
  function settingFacts(isShared) {
    const groups = index.settings.filter(([, , value]) => (value !== null) === isShared);
    return groups.flatMap(([of, address, value, settings]) => {
      const nameOf = setting => (isShared ? `${setting} = ${value}` : setting);
      return settings.map(setting => [nameOf(setting), `setting of ${of}`, address]);
    });
  }

  // All lists of facts, [title, facts] each, in the order in which they are shown: what the report concludes
  // and names first, then what code and files say.
  function factLists() {
    const late = index.groups.filter(([title]) => LATE_GROUP.test(title));
    const early = index.groups.filter(group => !late.includes(group));
    const settings = [
      ['Settings', settingFacts(false)],
      ['Settings that are off', settingFacts(true)],
    ];
    const ofFiles = ['Files', files.map(file => [file.name, file.compile, file.address])];
    return [...early, ...settings, ...late, ofFiles].filter(([, facts]) => facts.length > 0);
  }

  const lists = factLists();

  // All kinds of results: a title, what was found, and how it is drawn.
  function resultsFor(words) {
    const kinds = lists.map(([title, facts]) => ({
      title,
      found: findFacts(facts, words),
      draw: part => part.map(fact => drawFact(fact, words)),
    }));
    const drawLines = part => {
      const places = placesOf(part);
      return part.map(line => drawLine(line, places.get(line), words));
    };
    kinds.push({ title: 'Lines of files', found: findLines(words), draw: drawLines });
    const hasExactName = ({ found: [first] }) => Array.isArray(first) && rankOf(first[0], words) === 0;
    const present = kinds.filter(({ found }) => found.length > 0);
    // A kind that has what was asked for by name comes first.
    return [...present.filter(hasExactName), ...present.filter(kind => !hasExactName(kind))];
  }

  // What this page searches: each kind with how many there are of it.
  function describeSearched() {
    const counts = lists.map(([title, facts]) => `${title.toLowerCase()} ${facts.length.toLocaleString('en')}`);
    return `This page searches: ${counts.join(', ')}, and ${counted(lines.length - 1, 'line', 'lines')} of files.`;
  }

  function summaryOf(kinds, words) {
    if (kinds.length === 0) {
      const quoted = words.map(word => `\u201c${word}\u201d`).join(' and ');
      return `Nothing that this page searches contains ${quoted}. ${describeSearched()}`;
    }
    const total = kinds.reduce((sum, { found }) => sum + found.length, 0);
    const countOf = ({ title, found }) => `${title.toLowerCase()} ${found.length.toLocaleString('en')}`;
    return `${counted(total, 'result', 'results')}: ${kinds.map(countOf).join(', ')}.`;
  }

  function search(query) {
    const words = wordsOf(query);
    const kinds = words.length > 0 ? resultsFor(words) : [];
    results.replaceChildren(...kinds.map(({ title, found, draw }) => drawSection(title, found, draw)));
    summary.textContent = words.length > 0 ? summaryOf(kinds, words) : describeSearched();
  }

  // ---- The address: a reload, a link and the way back show the same results ----

  function queryInAddress() {
    return new URLSearchParams(location.search).get(QUERY_PARAMETER) || '';
  }

  // Other parameters stay, as the host of the report may need them.
  function writeAddress(query) {
    const parameters = new URLSearchParams(location.search);
    if (query.trim()) parameters.set(QUERY_PARAMETER, query);
    else parameters.delete(QUERY_PARAMETER);
    const text = parameters.toString();
    history.replaceState(null, '', `${location.pathname}${text && `?${text}`}${location.hash}`);
  }

  // ---- Keyboard ----

  // What the arrows stop at.
  function stops() {
    return all('a:not(.in-editor), summary, button', results).filter(stop => stop.checkVisibility());
  }

  // Arrows walk from the field through the results and back.
  function walk(event) {
    const all = stops();
    const here = all.indexOf(document.activeElement);
    const isInField = document.activeElement === field;
    if (here < 0 && !isInField) return;
    const isFirst = here === 0;
    const above = isFirst ? field : all[here - 1];
    const next = event.key === 'ArrowDown' ? all[here + 1] : above;
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  function onKey(event) {
    const isInResults = results.contains(document.activeElement);
    if (event.key === '/' && document.activeElement !== field) {
      event.preventDefault();
      field.select();
    } else if (event.key === 'Escape' && isInResults) {
      field.select();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      walk(event);
    }
  }

  // ---- Start ----

  let timer;

  function searchNow() {
    clearTimeout(timer);
    writeAddress(field.value);
    search(field.value);
  }

  // Enter searches at once and goes to the first result.
  function onSubmit(event) {
    event.preventDefault();
    searchNow();
    stops()[0]?.focus();
  }

  function followAddress() {
    field.value = queryInAddress();
    search(field.value);
  }

  field.oninput = () => {
    clearTimeout(timer);
    timer = setTimeout(searchNow, TYPING_PAUSE);
  };
  field.form.onsubmit = onSubmit;
  addEventListener('keydown', onKey);
  addEventListener('popstate', followAddress);
  followAddress();
})();
