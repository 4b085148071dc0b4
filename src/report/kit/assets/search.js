// Finds words in the index of the page. The index: groups and found (kind, facts), files, texts as lists of lines.
(() => {
  const by = id => document.getElementById(id);
  const box = by('query'), place = by('found'), data = JSON.parse(by('index').textContent);
  const FIRST = 12, MOST = 400, PLACES = 60;

  // Files: folder and compile stand only where they change.
  let folder = '', compile = '';
  const files = data.files.map(f => {
    if (f.length > 2) [folder, compile] = [f[2], f[3]];
    return { name: f[0], anchored: f[1], compile, path: [folder, f[0]].filter(p => p).map(encodeURIComponent).join('/') };
  });
  const link = (file, line) => files[file].path + (files[file].anchored && line ? `#L${line}` : '');

  // Lines: line 0 is empty; in a text, a string is a new line, a number a known one, a negative number as many more.
  const lines = [''], copies = new Map();
  data.texts.forEach(([file, items], n) => {
    if (typeof items === 'number') copies.set(items, [...(copies.get(items) || []), file]);
    else items.forEach(item => { if (typeof item === 'string') lines.push(item); });
  });

  // Where some lines stand: by line, files with the number of the line there.
  const places = wanted => {
    const found = new Map(wanted.map(id => [id, []]));
    let next = 1;
    data.texts.forEach(([file, items], n) => {
      if (typeof items === 'number') return;
      let number = 0, last = 0;
      const at = id => {
        number++;
        last = id;
        const list = found.get(id);
        if (list) [file, ...(copies.get(n) || [])].forEach(f => list.push([f, number]));
      };
      items.forEach(item => {
        if (typeof item === 'string') at(next++);
        else if (item >= 0) at(item);
        else for (let i = item; i < 0; i++) at(last + 1);
      });
    });
    return found;
  };

  const element = (tag, text, properties) => {
    const e = document.createElement(tag);
    if (text !== undefined) e.textContent = text;
    return Object.assign(e, properties);
  };
  const counted = (n, one, more) => `${n.toLocaleString('en')} ${n === 1 ? one : more}`;

  // The text with what was looked for marked.
  const marked = (tag, text, words, properties) => {
    const e = element(tag, undefined, properties), low = text.toLowerCase();
    let at = 0;
    // A letter whose small form is longer would shift all marks.
    while (at < text.length && low.length === text.length) {
      const next = words.map(w => [low.indexOf(w, at), w.length]).filter(([i]) => i >= 0).sort((a, b) => a[0] - b[0] || b[1] - a[1])[0];
      if (!next) break;
      e.append(text.slice(at, next[0]), element('mark', text.slice(next[0], next[0] + next[1])));
      at = next[0] + next[1];
    }
    e.append(text.slice(at));
    return e;
  };

  // "two words" are one; [0/1] is the compile 0/1.
  const wordsOf = text => {
    const plain = text.trim().toLowerCase().replace(/^\[([^\s[\]]*)\]$/, '$1');
    return [...plain.matchAll(/"([^"]+)"|(\S+)/g)].map(m => m[1] || m[2]);
  };
  const tester = words => {
    const tests = words.map(w => new RegExp(w.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'i'));
    return text => tests.every(t => t.test(text));
  };

  const factItem = (fact, words) => {
    const li = element('li');
    li.append(marked('a', fact[0] || 'unnamed', words, { href: fact[2] }), marked('small', fact[1], words));
    return li;
  };
  const placeLink = ([file, line]) => {
    const f = files[file], name = f.anchored ? `${f.name} line ${line}` : `${f.name}, line ${line}`;
    return element('a', `${f.compile} ${name}`, { href: link(file, line) });
  };
  const lineItem = ([id, list], words) => {
    const li = element('li'), small = element('small');
    li.append(marked('code', lines[id], words), small);
    list.slice(0, 1).forEach(p => small.append(placeLink(p)));
    if (list.length > 1) {
      const d = element('details'), rest = element('div');
      d.append(element('summary', `and ${counted(list.length - 1, 'other place', 'other places')}`), rest);
      d.ontoggle = () => {
        if (rest.firstChild) return;
        list.slice(1, PLACES).forEach(p => { const row = element('div'); row.append(placeLink(p)); rest.append(row); });
        if (list.length > PLACES) rest.append(`${counted(list.length - PLACES, 'more', 'more')}`);
      };
      small.append(d);
    }
    return li;
  };

  const section = (title, all, make, words) => {
    const s = element('section'), head = element('div', undefined, { className: 'sh' }), h = element('h2', `${title} `);
    const ul = element('ul');
    h.append(element('span', all.length.toLocaleString('en'), { className: 'n' }));
    head.append(h);
    const add = (from, to) => make(all.slice(from, to)).forEach(item => ul.append(item));
    add(0, FIRST);
    s.append(head, ul);
    if (all.length > FIRST) {
      const b = element('button', all.length > MOST ? `Show the first ${MOST}` : `Show all ${all.length}`, { className: 'btn' });
      b.onclick = () => {
        const first = ul.children.length;
        add(FIRST, MOST);
        b.remove();
        ul.children[first]?.querySelector('a,summary')?.focus();
      };
      s.append(b);
    }
    return s;
  };

  const search = text => {
    const words = wordsOf(text), fits = tester(words), said = [];
    let total = 0;
    place.textContent = '';
    by('count').textContent = '';
    if (!words.length) return;
    const exact = words.join(' '), rank = f => {
      const name = f[0].toLowerCase();
      return name === exact ? 0 : name.startsWith(words[0]) ? 1 : name.includes(words[0]) ? 2 : 3;
    };
    const show = (title, all, make) => {
      if (!all.length) return;
      place.append(section(title, all, make, words));
      total += all.length;
      said.push(`${title.toLowerCase()} ${all.length.toLocaleString('en')}`);
    };
    const facts = (title, rows) => {
      const all = rows.filter(f => fits(`${f[0]} ${f[1]}`)).map(f => [rank(f), f]).sort((a, b) => a[0] - b[0]).map(r => r[1]);
      show(title, all, part => part.map(f => factItem(f, words)));
    };
    const located = rows => rows.map(([name, detail, at]) => {
      const [file, line] = at.split(':').map(Number);
      return [name, `${detail} of ${files[file].name} · ${files[file].compile}`, link(file, line)];
    });
    // What code calls by name comes before places and tables, which are many.
    const late = data.groups.filter(g => /^(Places|Tables) /.test(g[0]));
    data.groups.filter(g => !late.includes(g)).forEach(([title, rows]) => facts(title, rows));
    data.found.forEach(([title, rows]) => facts(title, located(rows)));
    late.forEach(([title, rows]) => facts(title, rows));
    facts('Files', files.map(f => [f.name, f.compile, f.path]));
    const ids = [];
    lines.forEach((line, id) => { if (id && fits(line)) ids.push(id); });
    show('Lines of files', ids, part => {
      const at = places(part);
      return part.map(id => lineItem([id, at.get(id)], words));
    });
    by('count').textContent = said.length ? `${counted(total, 'result', 'results')}: ${said.join(', ')}.`
      : `Nothing that this page searches contains ${words.map(w => `“${w}”`).join(' and ')}.`;
  };

  let timer;
  box.oninput = () => { clearTimeout(timer); timer = setTimeout(() => search(box.value), 200); };
  box.value = new URLSearchParams(location.search).get('q') || '';
  search(box.value);

  // Arrows walk through the results; a slash leads back to the words.
  addEventListener('keydown', e => {
    const typing = document.activeElement === box;
    if (e.key === '/' && !typing) { e.preventDefault(); box.select(); return; }
    if (e.key !== 'ArrowDown' && e.key !== 'ArrowUp') return;
    const stops = [...place.querySelectorAll('a,summary,button')].filter(s => s.checkVisibility());
    const at = stops.indexOf(document.activeElement);
    if (!typing && at < 0) return;
    const to = e.key === 'ArrowDown' ? stops[at + 1] : stops[at - 1] || (at === 0 && box);
    if (to) { e.preventDefault(); to.focus(); }
  });
})();
