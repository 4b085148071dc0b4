// The viewer of a compile's graphs: shows a graph with its values and its lines of the user's code, or
// compares two. The page holds each text once; a graph is taken apart when it is first shown.
'use strict';
(() => {
  const { all, byId, editor, element, noun, isCommand, graphText, sides } = tlparse;
  const { soft, codeAndNote, drawLinkItem, drawList, drawGroup, drawCountedGroup, drawFold } = tlparse.graphParts;

  // `graphs` have {name, number, attempt, group, about, href, text, compile}, where `text` is a place in `texts`, or
  // null if the text is too large for this page, and `compile` is set on graphs of an earlier compile; `pairs` are [before, after, words] with places in `graphs`;
  // `sizes` has types of values by name; `code` has, for each output code, which lines come from where.
  const dataElement = byId('graphs-data');
  if (!dataElement) return;
  const { texts, graphs, pairs, sizes, code } = JSON.parse(dataElement.textContent);

  // The lists in which graphs are chosen, and the places that this script fills.
  const leftList = byId('left');
  const rightList = byId('right');
  const pairsPlace = byId('pairs');
  const sidePlace = byId('side');
  const statusPlace = byId('said');
  const graphPlace = byId('graph');
  const singlePlace = byId('single');
  const sidesPlace = byId('sides');

  // Classes that the style sheet knows.
  const LINE_CLASS = 'line';
  const VALUE_CLASS = 'value';
  const DEFINITION_CLASS = 'definition';
  const SOURCE_BUTTON_CLASS = 'source-mark';
  const HIT_CLASS = 'hit';
  const SOFT_CLASS = 'soft';
  const MONO_CLASS = 'mono';
  const BUTTON_CLASS = 'button';
  const CURRENT_PAIR_CLASS = 'current';
  const SOURCE_HEAD_CLASS = 'all';

  const FOLDED_CLASS = 'folded-line';
  const UNFOLD_CLASS = 'unfold';
  // The token of a function's name.
  const DEFINED_CLASS = 'd';

  // Fewer parameters, or lines of them, are not folded.
  const LEAST_FOLDED = 4;
  // Names that the field offers.
  const MOST_NAMES = 2000;
  // Pairs that get a button each; more stand in a list.
  const MOST_PAIR_BUTTONS = 12;

  // ---- Graphs ----

  // The graph that is shown, or the left one of two.
  let shownGraph = graphs.find(graph => graph.text !== null) || graphs[0];

  const parsedTexts = [];
  function parsed(graph) {
    return parsedTexts[graph.text] ||= graphText.parse(texts[graph.text]);
  }

  function labelOf(graph) {
    const attempt = graph.attempt ? ` (attempt ${graph.attempt})` : '';
    const compile = graph.compile ? ` of ${graph.compile}` : '';
    return `${graph.name} ${graph.number}${attempt}${compile}`;
  }

  function fileName(path) {
    return path.split('/').pop();
  }

  // The address of a line of a graph on this page.
  function addressOf(graph, line) {
    return `#${graph.number}-L${line + 1}`;
  }

  // What is chosen becomes the address, so that a link shows the same; before anything is chosen it stays as it is.
  let writesAddress = false;
  function writeAddress(address) {
    if (!writesAddress) return;
    try {
      history.replaceState(null, '', address);
    } catch {
      // A page that is shown in a frame has no address.
    }
  }

  // A name or a place as a part of the address. A path stays readable.
  function asParameter(text) {
    return encodeURIComponent(text).replaceAll('%2F', '/').replaceAll('%3A', ':');
  }

  // ---- What is marked in the graph ----

  // The lines of the graph as elements, and the elements of each value.
  let lineElements = [];
  let valueElements = new Map();
  // The elements that are marked.
  let marked = [];

  function unmark() {
    marked.forEach(one => one.classList.remove(HIT_CLASS));
    marked = [];
  }

  function mark(elements) {
    unmark();
    marked = elements;
    marked.forEach(one => one.classList.add(HIT_CLASS));
  }

  // ---- The side: a field for a value's name, what was chosen, lines of source, operators ----

  function showSide(...chosen) {
    const { lines, values, sources } = parsed(shownGraph);
    const parts = [drawValueField(values), ...chosen];
    if (sources.size > 0) parts.push(drawSources(lines, [...sources.values()]));
    const operators = countOperators(lines);
    if (operators.size > 0) parts.push(drawOperators(operators));
    sidePlace.replaceChildren(...parts);
  }

  function drawValueField(values) {
    const byName = new Map();
    values.forEach(value => {
      if (!byName.has(value.name)) byName.set(value.name, value);
    });
    const options = [...byName.keys()].slice(0, MOST_NAMES).map(name => new Option(name));
    const names = element('datalist', { id: 'names' }, ...options);
    const field = element('input', { placeholder: 'Name of a value' });
    field.setAttribute('list', names.id);
    field.setAttribute('aria-label', field.placeholder);
    field.onchange = () => {
      const value = byName.get(field.value.trim());
      if (value) goToValue(value);
    };
    return element('div', {}, field, names);
  }

  function goToValue(value) {
    showValue(value);
    const line = lineElements[value.line];
    if (line) goToLine(line);
    // The side was drawn anew; its field takes the focus over.
    sidePlace.querySelector('input').focus();
  }

  function drawSources(lines, sources) {
    const items = sources.map(source => {
      const count = source.lines.filter(line => !lines[line].source).length;
      const button = element('button', {}, ...codeAndNote(fileName(source.place), String(count)));
      button.title = source.code || source.place;
      button.onclick = () => showSource(source.place);
      return element('li', {}, button);
    });
    return drawCountedGroup('Lines of source', sources.length, items);
  }

  // How often each operator is called.
  function countOperators(lines) {
    const counts = new Map();
    lines.forEach(({ text }) => {
      const operator = graphText.operatorIn(text);
      if (operator) counts.set(operator, (counts.get(operator) || 0) + 1);
    });
    return counts;
  }

  function drawOperators(counts) {
    const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const mostCalledFirst = [...counts].sort(([, count], [, otherCount]) => otherCount - count);
    const items = mostCalledFirst.map(([operator, count]) => (
      element('li', {}, element('span', {}, ...codeAndNote(operator, String(count))))
    ));
    return drawCountedGroup('Operators', total, items);
  }

  // ---- A value: its type, its definition and its uses ----

  // What a line is about, in short: the value that it defines, or its first word.
  function describeLine({ lines, values }, line) {
    if (lines[line].isOutput) return 'output';
    const defined = values.find(value => value.line === line);
    return defined ? defined.name : lines[line].text.trim().split(/[\s(,]/)[0];
  }

  function showValue(value) {
    mark(valueElements.get(value) || []);
    const type = value.type || sizes[value.name] || '';
    const about = [type, graphText.sizeOf(type)].filter(Boolean).join(', ');
    showSide(drawValue(value, about));
    const colon = about ? `: ${about}` : '';
    writeAddress(`${addressOf(shownGraph, value.line)}&value=${asParameter(value.name)}`);
    const uses = `${value.uses.length} ${noun(value.uses.length, 'line', 'lines')}`;
    statusPlace.textContent = `${value.name}${colon}. Defined in line ${value.line + 1}, used in ${uses}.`;
  }

  function drawValue(value, about) {
    const graph = parsed(shownGraph);
    const drawItem = (line, text, note) => (
      drawLinkItem(addressOf(shownGraph, line), text, `${note}, line ${line + 1}`)
    );
    const uses = drawList([
      drawItem(value.line, value.name, 'defined'),
      ...value.uses.map(line => drawItem(line, describeLine(graph, line), 'used')),
      ...value.freed.map(line => drawItem(line, describeLine(graph, line), 'freed')),
    ]);
    uses.id = 'uses';
    const group = drawGroup(value.name, element('p', { className: SOFT_CLASS }, about), uses);
    group.id = 'value';
    group.firstChild.classList.add(MONO_CLASS);
    return group;
  }

  // ---- A line of the user's code: its lines in every graph, and where generated code has them ----

  function showSource(place) {
    const here = parsed(shownGraph).sources.get(place);
    mark(here ? here.lines.map(line => lineElements[line]).filter(Boolean) : []);
    const places = sourceInGraphs(place);
    const head = drawSourceHead(place, places[0]?.source);
    showSide(head, ...drawSourceInGraphs(places), ...drawSourceInCode(place));
    writeAddress(`#${shownGraph.number}&source=${asParameter(place)}`);
    const total = `${graphs.length} ${noun(graphs.length, 'graph', 'graphs')}`;
    statusPlace.textContent = `${place}: in ${places.length} of ${total}.`;
  }

  // The graphs that have lines of a place in the user's code, each with these lines.
  function sourceInGraphs(place) {
    const readable = graphs.filter(graph => graph.text !== null);
    const found = readable.map(graph => ({ graph, source: parsed(graph).sources.get(place) }));
    return found.filter(({ source }) => source !== undefined);
  }

  function drawSourceHead(place, source) {
    const head = drawGroup(fileName(place));
    head.id = 'value';
    head.className = SOURCE_HEAD_CLASS;
    head.firstChild.title = place;
    if (source) head.append(element('p', { className: SOFT_CLASS }, `in ${source.functionName}`));
    if (source?.code) head.append(element('code', {}, source.code));
    const opened = editor.linkToPlace(place);
    if (opened) head.append(element('p', {}, opened));
    return head;
  }

  // A fold per graph, but one only for graphs of the same text.
  function drawSourceInGraphs(places) {
    const textsBefore = new Set();
    const isFirstOfText = ({ graph }) => {
      const isFirst = !textsBefore.has(graph.text);
      textsBefore.add(graph.text);
      return isFirst;
    };
    return places.filter(isFirstOfText).map(({ graph, source }) => {
      const parsedGraph = parsed(graph);
      const lines = source.lines.filter(line => {
        const { text } = parsedGraph.lines[line];
        return text.trim() && !graphText.isSourceComment(text);
      });
      return drawFold(labelOf(graph), lines.map(line => (
        drawLinkItem(addressOf(graph, line), describeLine(parsedGraph, line), `line ${line + 1}`)
      )));
    });
  }

  // For each value of any graph, by name, the place in the user's code that it comes from. Taken down when
  // first asked.
  let placesByValue = null;
  function placeOfValue(name) {
    placesByValue ||= readPlacesByValue();
    return placesByValue.get(name);
  }

  function readPlacesByValue() {
    const places = new Map();
    graphs.filter(graph => graph.text !== null).forEach(graph => {
      const { lines, sources } = parsed(graph);
      sources.forEach(source => source.lines.forEach(line => {
        const name = graphText.nameDefinedIn(lines[line].text);
        if (name && !places.has(name)) places.set(name, source.place);
      }));
    });
    return places;
  }

  // The lines of an output code that name the place, or values that come from it: {line, text}, ascending.
  function codeLinesOf(outputCode, place) {
    const namingPlace = outputCode.places
      .filter(([, otherPlace]) => otherPlace === place)
      .map(([line]) => ({ line, text: fileName(place) }));
    const namingValues = outputCode.nodes.map(([line, names]) => {
      const ofPlace = names.split(', ').filter(name => placeOfValue(name) === place);
      return { line, text: ofPlace.join(', ') };
    });
    const found = [...namingPlace, ...namingValues.filter(({ text }) => text !== '')];
    return found.sort((one, other) => one.line - other.line);
  }

  function drawSourceInCode(place) {
    const found = code.map(outputCode => ({ outputCode, lines: codeLinesOf(outputCode, place) }));
    return found.filter(({ lines }) => lines.length > 0).map(({ outputCode, lines }) => {
      const addressOfLine = line => `${outputCode.href}#L${line}`;
      const items = lines.map(({ line, text }) => drawLinkItem(addressOfLine(line), text, `line ${line}`));
      return drawFold(`Output code ${outputCode.number}`, items);
    });
  }

  // ---- Drawing a graph ----

  function drawToken({ text, className, value }, isDefinition) {
    if (!value) return element('span', { className }, text);
    const classes = [VALUE_CLASS, isDefinition && DEFINITION_CLASS, className].filter(Boolean);
    const drawn = element('span', { className: classes.join(' ') }, text);
    // A click on it asks for its value.
    drawn.of = value;
    if (valueElements.has(value)) valueElements.get(value).push(drawn);
    else valueElements.set(value, [drawn]);
    return drawn;
  }

  // Tokens without class or value become one text, so that a large graph has few elements.
  function drawTokens(tokens, number) {
    const drawn = [];
    let plain = '';
    const finishPlain = () => {
      if (plain) drawn.push(plain);
      plain = '';
    };
    tokens.forEach(token => {
      if (!token.value && !token.className) {
        plain += token.text;
        return;
      }
      finishPlain();
      drawn.push(drawToken(token, token.value?.line === number));
    });
    finishPlain();
    return drawn;
  }

  // A comment that names a line of the user's code: a button behind the comment's indentation.
  function drawSourceComment({ text, source }) {
    const indentation = text.slice(0, text.length - text.trimStart().length);
    const button = element('button', { className: SOURCE_BUTTON_CLASS }, text.trim());
    button.onclick = () => showSource(source);
    return [indentation, button];
  }

  function drawLine(line, number) {
    const drawn = element('span', { className: LINE_CLASS, id: addressOf(shownGraph, number).slice(1) });
    drawn.append(...(line.source ? drawSourceComment(line) : drawTokens(line.tokens, number)));
    // An empty line has a height too.
    if (!drawn.firstChild) drawn.append(' ');
    return drawn;
  }

  // ---- Parameters: the graph of a model begins with its weights, often with a hundred lines of them ----

  // Hides elements behind a button at the end of a line, if it does not have one yet.
  function fold(line, elements, textContent) {
    elements.forEach(one => one.classList.add(FOLDED_CLASS));
    if (line.querySelector(`.${UNFOLD_CLASS}`)) return;
    line.append(element('button', { className: UNFOLD_CLASS, textContent, onclick: unfold }));
  }

  function unfold() {
    all(`.${FOLDED_CLASS}`, graphPlace).forEach(one => one.classList.remove(FOLDED_CLASS));
    all(`.${UNFOLD_CLASS}`, graphPlace).forEach(button => button.remove());
  }

  // The parameters in a function's head.
  function foldHead(line, values) {
    const name = line.querySelector(`.${DEFINED_CLASS}`);
    if (values.length < LEAST_FOLDED || !name) return;
    const parameters = element('span');
    while (name.nextSibling) parameters.append(name.nextSibling);
    line.append(parameters);
    fold(line, [parameters], `(${values.length} parameters)`);
  }

  function foldParameters(lines, values) {
    let first = 0;
    lines.forEach(({ isParameter, text }, number) => {
      if (isParameter) return;
      // The lines of parameters before this one.
      const own = lineElements.slice(first, number);
      if (first > 0 && own.length >= LEAST_FOLDED) fold(lineElements[first - 1], own, ` ${own.length} lines of parameters`);
      first = number + 1;
      if (graphText.isHead(text)) foldHead(lineElements[number], values.filter(({ line }) => line === number));
    });
  }

  function showGraph() {
    clear();
    const { lines, values } = parsed(shownGraph);
    valueElements = new Map();
    lineElements = lines.map(drawLine);
    graphPlace.replaceChildren(...lineElements);
    foldParameters(lines, values);
    const { about } = shownGraph;
    const sentence = about ? `${about[0].toUpperCase()}${about.slice(1)}. ` : '';
    const hint = 'A click on a value marks its definition and uses.';
    statusPlace.textContent = `${sentence}${lines.length} lines, ${values.length} values. ${hint}`;
    writeAddress(`#${shownGraph.number}`);
    showSide();
  }

  // ---- Comparing, and graphs that are not here ----

  // Leaves nothing of the graph that was shown.
  function clear() {
    lineElements = [];
    sidePlace.replaceChildren();
    graphPlace.replaceChildren();
    sidesPlace.replaceChildren();
    comparison = null;
  }

  // The comparison that is shown, with its way from change to change; null while one graph is shown.
  let comparison = null;

  function showComparison(left, right, change) {
    clear();
    const address = `#a=${left.number}&b=${right.number}`;
    const lines = [left, right].map(graph => texts[graph.text].split('\n'));
    const titles = [left, right].map(labelOf);
    comparison = sides.show(sidesPlace, lines, titles, reached => writeAddress(`${address}&change=${reached}`));
    writeAddress(address);
    statusPlace.textContent = describeComparison(left, right);
    if (change) comparison.goTo(change);
  }

  function describeComparison(left, right) {
    const { removed, added, note } = comparison;
    const group = left.group && left.group === right.group ? ` Both of ${left.group}.` : '';
    if (removed + added === 0) return `${labelOf(left)} and ${labelOf(right)} are equal.${group}`;
    const counts = `${removed} ${noun(removed, 'line', 'lines')} removed, ${added} added`;
    return `From ${labelOf(left)} to ${labelOf(right)}: ${counts}.${group}${note}`;
  }

  function showMissing(graph) {
    clear();
    const link = element('a', { href: graph.href }, 'its file');
    statusPlace.replaceChildren(`${labelOf(graph)} is too large to be shown here; see `, link, '.');
  }

  // ---- Choosing graphs ----

  // Shows what is chosen in the lists; of two graphs, at one of their changes if it is given.
  function show(change) {
    marked = [];
    const other = graphs[rightList.value];
    const missing = [shownGraph, other].find(graph => graph && graph.text === null);
    if (missing) showMissing(missing);
    else if (other) showComparison(shownGraph, other, change);
    else showGraph();
    singlePlace.hidden = !graphPlace.firstChild;
    markCurrentPair(`${leftList.value} ${rightList.value}`);
  }

  // Shows the graph at a place, beside the one at another place unless that is empty.
  function choose(left, right, change) {
    leftList.value = left;
    shownGraph = graphs[left];
    offerRight();
    rightList.value = right;
    show(change);
  }

  function optionFor(place) {
    return new Option(labelOf(graphs[place]), place);
  }

  // Puts what is adjacent and of one group into an optgroup; what has no group stands for itself.
  function inGroups(entries, groupOf, optionOf) {
    const parts = [];
    let lastName = null;
    let last = null;
    entries.forEach(entry => {
      const name = groupOf(entry);
      if (name !== lastName) last = name ? element('optgroup', { label: name }) : null;
      if (name !== lastName && last) parts.push(last);
      lastName = name;
      if (last) last.append(optionOf(entry));
      else parts.push(optionOf(entry));
    });
    return parts;
  }

  // A list of all graphs.
  function graphOptions() {
    const groupOf = ({ group, compile }) => compile ? `Earlier compile ${compile}` : group;
    return inGroups([...graphs.keys()], place => groupOf(graphs[place]), optionFor);
  }

  // What the graph is worth comparing with comes first.
  function offerRight() {
    const here = graphs.indexOf(shownGraph);
    const successors = pairs.filter(([before]) => before === here).map(([, after]) => after);
    const parts = [new Option('nothing', '')];
    if (successors.length > 0) {
      parts.push(element('optgroup', { label: 'What became of it' }, ...successors.map(optionFor)));
    }
    rightList.replaceChildren(...parts, ...graphOptions());
  }

  // ---- Pairs that stand for before and after: a button each, or a list where there are many ----

  function describePair([before, after, words]) {
    const text = graphs[before].text;
    const isEqual = text !== null && text === graphs[after].text;
    // What was compiled earlier has its id in the words.
    const number = graphs[before].compile ? '' : ` ${graphs[before].number}`;
    return `${words.replaceAll('_', ' ')}${number}${isEqual ? ' (equal)' : ''}`;
  }

  function keyOfPair([before, after]) {
    return `${before} ${after}`;
  }

  function drawPairList() {
    const groupOf = ([, after]) => graphs[after].group;
    const optionOf = pair => new Option(describePair(pair), keyOfPair(pair));
    const options = inGroups(pairs, groupOf, optionOf);
    const list = element('select', {}, new Option(`${pairs.length} pairs`, ''), ...options);
    list.onchange = () => {
      if (list.value) choose(...list.value.split(' '));
    };
    return element('label', {}, 'Before and after ', list);
  }

  function drawPairButton(pair) {
    const [before, after] = pair;
    const button = element('button', { className: BUTTON_CLASS }, describePair(pair));
    button.dataset.pair = keyOfPair(pair);
    button.title = `${labelOf(graphs[before])} and ${labelOf(graphs[after])}`;
    button.onclick = () => choose(before, after);
    return button;
  }

  function drawPairs() {
    if (pairs.length > MOST_PAIR_BUTTONS) pairsPlace.append(drawPairList());
    else if (pairs.length > 0) pairsPlace.append(soft('Before and after:'), ...pairs.map(drawPairButton));
  }

  // Marks the button or item of the pair that is shown, if it is one.
  function markCurrentPair(key) {
    all('button', pairsPlace).forEach(button => {
      button.classList.toggle(CURRENT_PAIR_CLASS, button.dataset.pair === key);
    });
    all('select', pairsPlace).forEach(list => {
      list.value = key;
      if (list.selectedIndex < 0) list.value = '';
    });
  }

  // ---- The address: #8 is the graph with that number, #8-L15 its line, #8-L15&value=mul a value, #8&source=x.py:6 a
  // line of the user's code; #a=8&b=9 are two graphs compared, &change=3 one of their changes ----

  // The place of the graph with a number; -1 if there is none.
  function graphWithNumber(number) {
    return graphs.findIndex(graph => graph.number === Number(number));
  }

  // What stands behind the first part of an address: `value=mul` as {value: 'mul'}.
  function parametersOf(address) {
    return Object.fromEntries(new URLSearchParams(address.split('&').slice(1).join('&')));
  }

  // Shows what the address names; gives whether it names anything.
  function followAddress() {
    const address = location.hash.slice(1);
    return followPairAddress(address) || followGraphAddress(address);
  }

  function followPairAddress(address) {
    const { a, b, change } = Object.fromEntries(new URLSearchParams(address));
    const [left, right] = [a, b].map(graphWithNumber);
    if (left < 0 || right < 0) return false;
    choose(left, right, Number(change));
    return true;
  }

  function followGraphAddress(address) {
    const found = /^(\d+)(?:-L(\d+))?(?:&|$)/.exec(address);
    if (!found) return false;
    const [, number, lineNumber] = found;
    const place = graphWithNumber(number);
    if (place < 0) return false;
    const isShown = graphs[place] === shownGraph && rightList.value === '' && lineElements.length > 0;
    if (!isShown) choose(place, '');
    const { value: name, source } = parametersOf(address);
    const { values, sources } = parsed(shownGraph);
    const value = values.find(one => one.name === name && one.line === lineNumber - 1);
    if (value) showValue(value);
    else if (sources.has(source)) showSource(source);
    const line = lineNumber ? lineElements[lineNumber - 1] : marked[0];
    if (line) goToLine(line);
    else byId('viewer').scrollIntoView();
    return true;
  }

  // A line that is marked, or has a marked value, keeps the marks as they are.
  function goToLine(line) {
    if (line.querySelector(`.${UNFOLD_CLASS}`) || line.classList.contains(FOLDED_CLASS)) unfold();
    line.scrollIntoView({ block: 'center' });
    const isMarked = marked.some(one => line === one || line.contains(one));
    if (!isMarked) mark([line]);
  }

  // ---- Start ----

  leftList.append(...graphOptions());
  const chooseFromLists = () => choose(leftList.value, rightList.value);
  leftList.onchange = chooseFromLists;
  rightList.onchange = chooseFromLists;

  graphPlace.addEventListener('click', event => {
    const value = event.target.closest(`.${VALUE_CLASS}`)?.of;
    if (value) showValue(value);
  });
  // n and p go from change to change of two graphs; Escape takes marks away.
  function onKey(event) {
    if (isCommand(event) || /INPUT|SELECT/.test(event.target.tagName) && event.key !== 'Escape') return;
    if (comparison && event.key === 'n') comparison.move(1);
    else if (comparison && event.key === 'p') comparison.move(-1);
    if (event.key !== 'Escape' || marked.length === 0) return;
    unmark();
    writeAddress(`#${shownGraph.number}`);
    showSide();
  }

  document.addEventListener('keydown', onKey);
  drawPairs();
  addEventListener('hashchange', followAddress);
  if (!followAddress()) choose(graphs.indexOf(shownGraph), '');
  writesAddress = true;
})();
