// The graphs of a compile. The page holds each text once; a graph is taken apart when it is first shown.
(() => {
  const data = document.getElementById('graphs-data');
  if (!data) return;
  const { texts, graphs, pairs: suggested, sizes, code } = JSON.parse(data.textContent);
  const [left, right, pairs, side, said, box] = ['left', 'right', 'pairs', 'side', 'said', 'graph'].map(id => document.getElementById(id));
  const make = (tag, className, ...content) => {
    const e = document.createElement(tag);
    if (className) e.className = className;
    e.append(...content);
    return e;
  };
  const label = g => `${g.name} ${g.number}${g.attempt ? ` (attempt ${g.attempt})` : ''}`;
  const file = path => path.split('/').pop();

  // A graph's lines: tokens, values with definition and uses, and the user's line that each line comes from.
  // A name means one value within a `def`; a graph may hold further graphs below itself.
  const TOKEN = /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(#.*$)|([A-Za-z_]\w*)|(\d[\w.]*)|(\s+|.)/g;
  const MARK = /^\s*# File: (.+?):(\d+) in (.+?)(?:, code: (.*))?$/;
  const parse = text => {
    const lines = [], values = new Map(), marks = new Map();
    let scope = 0, head = false, mark = null, output = false;
    const define = (name, line, type) => {
      const key = `${scope} ${name}`;
      if (!values.has(key)) values.set(key, { name, line, type, uses: [], freed: [] });
    };
    const raw = text.split('\n');
    raw.forEach((line, i) => {
      if (/^\s*(?:async )?def /.test(line)) { scope = i; head = true; mark = null; output = false; }
      const found = MARK.exec(line);
      if (found) {
        mark = `${found[1]}:${found[2]}`;
        if (!marks.has(mark)) marks.set(mark, { place: mark, code: found[4], in: found[3], lines: [] });
      } else if (/^\s*(?:class |return\b|# No stacktrace)/.test(line)) mark = null;
      if (/^\s*return\b/.test(line)) output = true;
      if (mark && line.trim()) marks.get(mark).lines.push(i);
      if (head) {
        for (const p of line.replace(/^\s*def \w+\(/, '').replace(/#.*/, '').matchAll(/(?:^|[,(])\s*([A-Za-z_]\w*)\s*(?::\s*"([^"]*)")?(?=\s*[,)=]|$)/g)) {
          if (p[1] !== 'self') define(p[1], i, p[2]);
        }
        if (/\)[^"]*:\s*$/.test(line.replace(/#.*/, ''))) head = false;
      } else if (!found && !output) {
        const d = /^\s*%?([A-Za-z_]\w*)\s*(?::\s*"([^"]*)"\s*(?=[=#]|$)|(?=(?:,\s*\w+\s*)*,?\s*=[^=])|:\s(?=\[))/.exec(line);
        if (d && d[1] !== 'return') {
          define(d[1], i, d[2]);
          const more = /^\s*\w+((?:,\s*\w+)+),?\s*=/.exec(line);
          if (more) for (const n of more[1].matchAll(/\w+/g)) define(n[0], i);
        }
      }
      lines.push({ text: line, scope, output, mark: found ? mark : null });
    });
    lines.forEach((line, i) => {
      const free = /;\s+(?:\w+ = )+None\s*$/.exec(line.text), end = free ? free.index : line.text.length;
      line.tokens = [];
      if (line.mark) return;
      let depth = 0, last = '';
      for (const m of line.text.matchAll(TOKEN)) {
        const token = m[0];
        let kind = m[1] ? 's' : m[2] ? 'c' : m[4] ? 'm' : '', value = null;
        if (m[3]) {
          value = last === '.' ? null : values.get(`${line.scope} ${token}`);
          if (value && depth && m.index !== 0 && /^\s*=[^=]/.test(line.text.slice(m.index + token.length)) && m.index < end) value = null;
          if (!value && /^(?:class|def|return|None|True|False|import|from|as|with|for|in|if|else|not|is|lambda)$/.test(token)) kind = 'k';
        }
        if ('([{'.includes(token)) depth++;
        if (')]}'.includes(token)) depth--;
        if (value && i !== value.line) {
          const list = m.index >= end ? value.freed : value.uses;
          if (list[list.length - 1] !== i) list.push(i);
        }
        line.tokens.push([token, m.index >= end ? 'c' : kind, value]);
        if (token.trim()) last = token;
      }
    });
    return { lines, values, marks, raw };
  };
  const parsed = [];
  const of = g => parsed[g.text] ||= parse(texts[g.text]);

  // `f32[16, 64][64, 1]cpu` has 4,096 bytes.
  const BYTES = { f64: 8, i64: 8, c64: 8, f32: 4, i32: 4, u32: 4, f16: 2, bf16: 2, i16: 2, u16: 2, b8: 1, i8: 1, u8: 1, f8e4m3fn: 1, f8e5m2: 1, c128: 16, u64: 8 };
  const size = type => {
    const t = /^(\w+)\[([\d, ]*)\]/.exec(type || '');
    if (!t || !BYTES[t[1]]) return '';
    const n = t[2].split(',').reduce((all, d) => d.trim() ? all * +d : all, BYTES[t[1]]);
    const step = n >= 2 ** 30 ? [2 ** 30, 'GB'] : n >= 2 ** 20 ? [2 ** 20, 'MB'] : n >= 1024 ? [1024, 'KB'] : [1, 'bytes'];
    return `${+(n / step[0]).toPrecision(3)} ${step[1]}`;
  };

  let at = graphs.find(g => g.text !== null) || graphs[0], elements = new Map(), rows = [], lit = [];
  const anchor = (g, line) => `#${g.number}-L${line + 1}`;
  const unlit = () => { lit.forEach(e => e.classList.remove('hit')); lit = []; };
  const light = list => { unlit(); lit = list; lit.forEach(e => e.classList.add('hit')); };

  const item = (href, text, note) => {
    const a = make('a', '', make('code', '', text), make('span', 'soft', note));
    a.href = href;
    return make('li', '', a);
  };
  const group = (title, count, ...content) => {
    const h = make('h2', '', title);
    if (count) h.append(' ', make('span', 'n', String(count)));
    return make('div', '', h, ...content);
  };
  // A group of lines that folds: long ones are folded at first.
  const folding = (title, items) => {
    const summary = make('summary', '', title, ' ', make('span', 'n', String(items.length)));
    const d = make('details', '', summary, list(items));
    d.open = items.length <= 12;
    return d;
  };
  const MOST = 200;
  const list = (items, className) => {
    const ul = make('ul', className, ...items.slice(0, MOST));
    if (items.length > MOST) ul.append(make('li', 'soft', `${items.length - MOST} more`));
    return ul;
  };

  // What a line defines, in short.
  const what = (p, line) => {
    const def = [...p.values.values()].find(v => v.line === line);
    return p.lines[line].output ? 'output' : def ? def.name : p.raw[line].trim().split(/[\s(,]/)[0];
  };
  const showValue = value => {
    light(elements.get(value) || []);
    const p = of(at), type = value.type || sizes[value.name] || '';
    const about = [type, size(type)].filter(Boolean).join(', ');
    const items = [item(anchor(at, value.line), value.name, `defined, line ${value.line + 1}`)];
    value.uses.forEach(l => items.push(item(anchor(at, l), what(p, l), `used, line ${l + 1}`)));
    value.freed.forEach(l => items.push(item(anchor(at, l), what(p, l), `freed, line ${l + 1}`)));
    const uses = list(items);
    uses.id = 'uses';
    const block = group(value.name, 0, make('p', 'soft', about), uses);
    block.id = 'value';
    block.firstChild.classList.add('mono');
    overview(block);
    said.textContent = `${value.name}${about ? `: ${about}` : ''}. Defined in line ${value.line + 1}, used in ${value.uses.length} ${value.uses.length === 1 ? 'line' : 'lines'}.`;
  };

  // A line of the user's code: its lines in every graph, and where generated code names it or a value made by it.
  let makers = null;
  const maker = () => {
    if (makers) return makers;
    makers = new Map();
    graphs.filter(g => g.text !== null).forEach(g => {
      const p = of(g);
      p.marks.forEach(m => m.lines.forEach(l => {
        const name = /^\s*%?(\w+)\s*[:=]/.exec(p.raw[l]);
        if (name && !makers.has(name[1])) makers.set(name[1], m.place);
      }));
    });
    return makers;
  };
  const showMark = key => {
    const blocks = [], first = of(at).marks.get(key), seen = new Set();
    light(first ? first.lines.map(l => rows[l]).filter(Boolean) : []);
    const intro = group(file(key), 0);
    intro.id = 'value';
    intro.className = 'all';
    intro.firstChild.title = key;
    let source = null, graphsWith = 0;
    graphs.forEach(g => {
      if (g.text === null) return;
      const p = of(g), m = p.marks.get(key);
      if (!m) return;
      graphsWith++;
      source ||= m;
      if (seen.has(g.text)) return;
      seen.add(g.text);
      const lines = m.lines.filter(l => p.raw[l].trim() && !MARK.test(p.raw[l]));
      blocks.push(folding(label(g), lines.map(l => item(anchor(g, l), what(p, l), `line ${l + 1}`))));
    });
    code.forEach(c => {
      const hits = c.places.filter(x => x[1] === key).map(x => [x[0], file(key)]);
      c.nodes.forEach(([line, names]) => {
        const own = names.split(', ').filter(n => maker().get(n) === key);
        if (own.length) hits.push([line, own.join(', ')]);
      });
      hits.sort((a, b) => a[0] - b[0]);
      if (hits.length) blocks.push(folding(`Output code ${c.number}`, hits.map(([line, text]) => item(`${c.href}#L${line}`, text, `line ${line}`))));
    });
    if (source) intro.append(make('p', 'soft', `in ${source.in}`), ...(source.code ? [make('code', '', source.code)] : []));
    overview(intro, ...blocks);
    said.textContent = `${key}: in ${graphsWith} of ${graphs.length} ${graphs.length === 1 ? 'graph' : 'graphs'}.`;
  };

  // Beside the graph: a field to choose a value by its name, what was chosen, lines of source, operators.
  const overview = (...chosen) => {
    const p = of(at), names = make('datalist'), field = make('input'), ops = new Map();
    names.id = 'names';
    const known = new Map();
    p.values.forEach(v => { if (!known.has(v.name)) known.set(v.name, v); });
    names.append(...[...known.keys()].slice(0, 2000).map(n => new Option(n)));
    field.setAttribute('list', 'names');
    field.placeholder = 'Name of a value';
    field.setAttribute('aria-label', 'Name of a value');
    field.onchange = () => {
      const v = known.get(field.value.trim());
      if (!v) return;
      showValue(v);
      rows[v.line]?.scrollIntoView({ block: 'center' });
      side.querySelector('input').focus();
    };
    p.raw.forEach(l => {
      const op = /= (?:torch\.(?:ops\.)?)((?:[\w]+\.)*\w+)\(/.exec(l);
      if (op) ops.set(op[1], (ops.get(op[1]) || 0) + 1);
    });
    const marks = [...p.marks.values()].map(m => {
      const b = make('button', '', make('code', '', file(m.place)), make('span', 'soft', String(m.lines.filter(l => !p.lines[l].mark).length)));
      b.title = m.code || m.place;
      b.onclick = () => showMark(m.place);
      return make('li', '', b);
    });
    const parts = [make('div', '', field, names), ...chosen];
    if (marks.length) parts.push(group('Lines of source', marks.length, list(marks)));
    const total = [...ops.values()].reduce((a, b) => a + b, 0);
    const most = [...ops].sort((a, b) => b[1] - a[1]).map(([n, c]) => make('li', '', make('span', '', make('code', '', n), make('span', 'soft', String(c)))));
    if (most.length) parts.push(group('Operators', total, list(most)));
    side.replaceChildren(...parts);
  };

  const drawGraph = () => {
    elements = new Map();
    const p = of(at);
    rows = p.lines.map((line, i) => {
      const row = make('span', 'l');
      row.id = anchor(at, i).slice(1);
      if (line.mark) {
        const b = make('button', 'mark', line.text.trim());
        b.onclick = () => showMark(line.mark);
        row.append(line.text.slice(0, line.text.length - line.text.trimStart().length), b);
      }
      let plain = '';
      const flush = () => { if (plain) row.append(plain); plain = ''; };
      line.tokens.forEach(([token, kind, value]) => {
        if (!value && !kind) { plain += token; return; }
        flush();
        const e = make('span', value ? `v${i === value.line ? ' def' : ''}${kind ? ` ${kind}` : ''}` : kind, token);
        if (value) {
          e.of = value;
          if (elements.has(value)) elements.get(value).push(e);
          else elements.set(value, [e]);
        }
        row.append(e);
      });
      flush();
      if (!row.firstChild) row.append(' ');
      return row;
    });
    box.replaceChildren(...rows);
    const types = [...p.values.values()].length;
    said.textContent = `${at.about ? `${at.about[0].toUpperCase()}${at.about.slice(1)}. ` : ''}${p.raw.length} lines, ${types} values. A click on a value marks its definition and uses.`;
    overview();
  };
  const draw = () => {
    lit = [];
    const other = graphs[right.value];
    const missing = [at, other].find(g => g && g.text === null);
    if (missing) {
      rows = [];
      side.replaceChildren();
      box.replaceChildren();
      const a = make('a', '', 'its file');
      a.href = missing.href;
      said.replaceChildren(`${label(missing)} is too large to be shown here; see `, a, '.');
    } else if (other) {
      rows = [];
      side.replaceChildren();
      const { gone, come, how } = tlparseDiff.show(box, texts[at.text].split('\n'), texts[other.text].split('\n'));
      const both = at.group && at.group === other.group ? ` Both of ${at.group}.` : '';
      said.textContent = gone + come ? `From ${label(at)} to ${label(other)}: ${gone} ${gone === 1 ? 'line' : 'lines'} removed, ${come} added.${both}${how}` : `${label(at)} and ${label(other)} are equal.${both}`;
    } else drawGraph();
    side.hidden = !side.firstChild;
    const shown = `${left.value} ${right.value}`;
    document.querySelectorAll('#pairs button').forEach(b => b.classList.toggle('on', b.dataset.pair === shown));
    document.querySelectorAll('#pairs select').forEach(s => { s.value = shown; if (s.selectedIndex < 0) s.value = ''; });
  };
  const choose = (l, r) => {
    left.value = l;
    at = graphs[l];
    offer();
    right.value = r;
    draw();
  };

  // A list of graphs, those of one piece or producer together.
  const options = list => {
    const parts = [];
    let last = null, group = null;
    list.forEach(i => {
      const g = graphs[i], option = new Option(label(g), i);
      if (g.group !== last) {
        last = g.group;
        group = last && make('optgroup');
        if (group) { group.label = last; parts.push(group); }
      }
      if (group) group.append(option);
      else parts.push(option);
    });
    return parts;
  };
  // What the graph at hand is worth comparing with comes first.
  const every = graphs.map((g, i) => i);
  const offer = () => {
    const i = graphs.indexOf(at), near = suggested.filter(p => p[0] === i).map(p => p[1]);
    const first = make('optgroup', '', ...near.map(j => new Option(label(graphs[j]), j)));
    first.label = 'What became of it';
    right.replaceChildren(new Option('nothing', ''), ...(near.length ? [first] : []), ...options(every));
  };

  // Graphs that stand for before and after: a button each, or a list where there are many.
  const BUTTONS = 12;
  const described = ([i, j, words]) => `${words.replace(/_/g, ' ')} ${graphs[i].number}${graphs[i].text !== null && graphs[i].text === graphs[j].text ? ' (equal)' : ''}`;
  if (suggested.length > BUTTONS) {
    const list = make('select'), parts = [new Option(`${suggested.length} pairs`, '')];
    let last = null;
    suggested.forEach(p => {
      const group = graphs[p[1]].group;
      if (group && group !== last) parts.push(make('optgroup'));
      if (group && group !== last) parts[parts.length - 1].label = group;
      last = group;
      const option = new Option(described(p), `${p[0]} ${p[1]}`);
      if (group) parts[parts.length - 1].append(option);
      else parts.push(option);
    });
    list.append(...parts);
    list.onchange = () => { if (list.value) choose(...list.value.split(' ')); };
    pairs.append(make('label', '', 'Before and after ', list));
  } else if (suggested.length) {
    pairs.append(make('span', 'soft', 'Before and after:'));
    suggested.forEach(p => {
      const b = make('button', 'btn', described(p));
      b.dataset.pair = `${p[0]} ${p[1]}`;
      b.title = `${label(graphs[p[0]])} and ${label(graphs[p[1]])}`;
      b.onclick = () => choose(p[0], p[1]);
      pairs.append(b);
    });
  }
  left.append(...options(every));
  left.onchange = right.onchange = () => choose(left.value, right.value);

  box.addEventListener('click', e => {
    const v = e.target.closest('.v');
    if (v?.of) showValue(v.of);
  });
  document.addEventListener('keydown', e => {
    if (e.key === 'Escape' && lit.length) { unlit(); overview(); }
  });

  // `#8` is the graph with that number, `#8-L15` its line, `#a=8&b=9` two of them compared.
  const index = number => graphs.findIndex(g => g.number === +number);
  const follow = () => {
    const two = /^#a=(\d+)&b=(\d+)$/.exec(location.hash), [l, r] = two ? [index(two[1]), index(two[2])] : [-1, -1];
    if (l >= 0 && r >= 0) {
      choose(l, r);
      return true;
    }
    const m = /^#(\d+)(?:-L(\d+))?$/.exec(location.hash), i = m ? index(m[1]) : -1;
    if (i < 0) return false;
    if (graphs[i] !== at || right.value !== '' || !rows.length) choose(i, '');
    if (!m[2]) document.getElementById('viewer').scrollIntoView();
    else {
      const row = rows[m[2] - 1];
      row?.scrollIntoView({ block: 'center' });
      if (row && !lit.some(e => row === e || row.contains(e))) light([row]);
    }
    return true;
  };
  addEventListener('hashchange', follow);
  if (!follow()) choose(graphs.indexOf(at), '');
})();
