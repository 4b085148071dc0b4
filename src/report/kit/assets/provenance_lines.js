// Which lines of the provenance page belong together: from a source line through both graphs to code and kernels.
// It knows the maps only, not the page.
'use strict';
tlparse.linkedTexts = (() => {
  // The texts from left to right.
  const TEXTS = ['source', 'pre', 'post', 'py', 'cpp', 'kernels'];
  // Further files of code, which may hold the sources of kernels.
  const BODY_TEXTS = ['kernelcode', 'header'];
  const ALL_TEXTS = [...TEXTS, ...BODY_TEXTS];

  // The functions that tell it, from the data of a page.
  function linesOf({ source, kernels, maps }) {
    // Edges lead from one text to another on its right: {from, to, lines}, where `lines` holds, for a line of
    // `from`, the lines of `to`.

    // Adds to the list that an object has under a key.
    function addTo(lists, key, value) {
      (lists[key] ||= []).push(value);
    }

    // For each source line, by number from 1, the lines that `give` gives.
    function fromSource(give) {
      return Object.fromEntries(source.map((entry, place) => [place + 1, give(entry)]));
    }

    // For each source line, the lines of a file of code that call its kernels.
    function callsFromSource(file) {
      return fromSource(entry => {
        const called = entry.calls.map(number => kernels[number - 1]);
        return called.filter(kernel => kernel.file === file).map(kernel => kernel.line);
      });
    }

    // For each line of a file of code, the kernels that it calls.
    function kernelsCalledFrom(file) {
      const called = {};
      kernels.forEach((kernel, place) => {
        if (kernel.file === file) addTo(called, kernel.line, place + 1);
      });
      return called;
    }

    function inverse({ from, to, lines }) {
      const inverted = {};
      for (const [line, targets] of Object.entries(lines)) {
        targets.forEach(target => addTo(inverted, target, Number(line)));
      }
      return { from: to, to: from, lines: inverted };
    }

    const edges = [
      { from: 'source', to: 'pre', lines: fromSource(entry => entry.pre || []) },
      { from: 'source', to: 'post', lines: fromSource(entry => entry.post || []) },
      { from: 'source', to: 'py', lines: callsFromSource('py') },
      { from: 'source', to: 'cpp', lines: callsFromSource('cpp') },
      { from: 'pre', to: 'post', lines: maps.preToPost },
      { from: 'post', to: 'py', lines: maps.postToPyCode },
      { from: 'post', to: 'cpp', lines: maps.postToCppCode },
      { from: 'py', to: 'kernels', lines: kernelsCalledFrom('py') },
      { from: 'cpp', to: 'kernels', lines: kernelsCalledFrom('cpp') },
    ];
    const edgesBack = edges.map(inverse);

    // The lines that are reached from some lines of a text along edges, by text. `texts` are those on the way, in order.
    function walk(usedEdges, texts, text, lines) {
      const reached = { [text]: new Set(lines) };
      for (const from of texts) {
        for (const edge of usedEdges) {
          if (edge.from !== from || !reached[from]) continue;
          const targets = reached[edge.to] ||= new Set();
          for (const start of reached[from]) {
            (edge.lines[start] || []).forEach(target => targets.add(target));
          }
        }
      }
      return reached;
    }

    // All lines that belong to some lines of one text, by text: their sources on the left and their results on the
    // right. A path never turns, else everything would belong to everything.
    function relatedLines(text, lines) {
      const place = TEXTS.indexOf(text);
      const right = walk(edges, TEXTS.slice(place), text, lines);
      const left = walk(edgesBack, TEXTS.slice(0, place + 1).reverse(), text, lines);
      return Object.fromEntries(ALL_TEXTS.map(other => (
        [other, new Set([...right[other] || [], ...left[other] || []])]
      )));
    }

    // The numbers of the kernels in whose source a line stands. A call there counts as a call.
    function kernelsWithSourceAt(text, line) {
      if (kernels.some(kernel => kernel.file === text && kernel.line === line)) return [];
      const holds = ({ body }) => body && body[0] === text && body[1] <= line && line <= body[2];
      return kernels.map((kernel, place) => holds(kernel) ? place + 1 : 0).filter(number => number > 0);
    }

    // Lines as runs of neighbors, ascending: {from, to, isBody}.
    function runsOf(lines) {
      const runs = [];
      [...lines].sort((one, next) => one - next).forEach(line => {
        if (runs.at(-1)?.to === line - 1) runs.at(-1).to = line;
        else runs.push({ from: line, to: line, isBody: false });
      });
      return runs;
    }

    // The runs of all texts; the source of each kernel is a run, behind all others of its text.
    function runsOfTexts(related) {
      const runs = Object.fromEntries(ALL_TEXTS.map(text => [text, runsOf(related[text])]));
      const seen = new Set();
      related.kernels.forEach(number => {
        const { body } = kernels[number - 1];
        if (!body || seen.has(String(body))) return;
        seen.add(String(body));
        const [text, from, to] = body;
        runs[text].push({ from, to, isBody: true });
      });
      return runs;
    }

    return { relatedLines, kernelsWithSourceAt, runsOfTexts };
  }

  return { TEXTS, ALL_TEXTS, linesOf };
})();
