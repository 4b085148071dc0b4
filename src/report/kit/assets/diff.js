// Compares two lists of lines, and shows what differs. Nothing is computed before it is asked for.
globalThis.tlparseDiff = (() => {
  // Edits after which two texts have no more in common than chance: Myers' algorithm takes time and memory in their square.
  const MOST_EDITS = 2000;
  // Changed lines that are drawn at once; the rest waits behind a fold.
  const MOST_DRAWN = 2000;

  // Myers' greedy algorithm: the shortest list of equal, removed and added entries; null beyond the limit.
  const edits = (a, b, limit) => {
    const max = Math.min(a.length + b.length, limit), off = max + 1, v = new Int32Array(2 * max + 3), trace = [];
    for (let d = 0; d <= max; d++) {
      trace.push(v.slice(off - d - 1, off + d + 2));
      for (let k = -d; k <= d; k += 2) {
        let x = k === -d || k !== d && v[off + k - 1] < v[off + k + 1] ? v[off + k + 1] : v[off + k - 1] + 1, y = x - k;
        while (x < a.length && y < b.length && a[x] === b[y]) { x++; y++; }
        v[off + k] = x;
        if (x < a.length || y < b.length) continue;
        const rows = [];
        for (let e = d; e >= 0; e--) {
          const w = i => trace[e][i + e + 1], q = x - y, from = q === -e || q !== e && w(q - 1) < w(q + 1) ? q + 1 : q - 1;
          const px = e ? w(from) : 0, py = e ? px - from : 0;
          while (x > px && y > py) { rows.push([' ', a[--x]]); y--; }
          if (e) rows.push(x > px ? ['-', a[--x]] : ['+', b[--y]]);
        }
        return rows.reverse();
      }
    }
    return null;
  };

  // Entries that stand once in each list, as many of them as keep their order: [place in a, place in b].
  const landmarks = (a, b) => {
    const once = list => {
      const places = new Map();
      list.forEach((entry, i) => places.set(entry, places.has(entry) ? -1 : i));
      return places;
    };
    const inB = once(b), both = [];
    once(a).forEach((i, entry) => { if (i >= 0 && inB.get(entry) >= 0) both.push([i, inB.get(entry), null]); });
    both.sort((x, y) => x[0] - y[0]);
    const tops = [];
    both.forEach(one => {
      let lo = 0, hi = tops.length;
      while (lo < hi) {
        const middle = lo + hi >> 1;
        if (tops[middle][1] < one[1]) lo = middle + 1;
        else hi = middle;
      }
      one[2] = tops[lo - 1] || null;
      tops[lo] = one;
    });
    const chain = [];
    for (let one = tops[tops.length - 1]; one; one = one[2]) chain.push(one);
    return chain.reverse();
  };

  // Equal beginnings and ends first; the middle as a whole, else from landmark to landmark, else as replaced.
  const trimmed = (a, b, middle) => {
    let start = 0, end = 0;
    const least = Math.min(a.length, b.length);
    while (start < least && a[start] === b[start]) start++;
    while (end < least - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
    const equal = entries => entries.map(l => [' ', l]);
    return equal(a.slice(0, start)).concat(middle(a.slice(start, a.length - end), b.slice(start, b.length - end)), equal(a.slice(a.length - end)));
  };
  const replaced = (a, b) => a.map(l => ['-', l]).concat(b.map(l => ['+', l]));
  const compare = (a, b, limit = MOST_EDITS, told = {}) => trimmed(a, b, (x, y) => {
    const whole = edits(x, y, limit);
    if (whole) return whole;
    const marks = landmarks(x, y), parts = [];
    told.rough = true;
    let i = 0, j = 0;
    marks.concat([[x.length, y.length]]).forEach(([p, q]) => {
      const [from, to] = [x.slice(i, p), y.slice(j, q)];
      parts.push(trimmed(from, to, (f, t) => edits(f, t, 60) || replaced(f, t)));
      if (p < x.length) parts.push([[' ', x[p]]]);
      i = p + 1;
      j = q + 1;
    });
    return parts.flat();
  });
  // Lines as numbers, which are compared faster.
  const compareLines = (a, b, told) => {
    const numbers = new Map(), lines = [];
    const number = line => {
      if (!numbers.has(line)) { numbers.set(line, lines.length); lines.push(line); }
      return numbers.get(line);
    };
    return compare(a.map(number), b.map(number), MOST_EDITS, told).map(([sign, n]) => [sign, lines[n]]);
  };

  const row = ([sign, text, other]) => {
    const s = document.createElement('span'), mark = document.createElement('i');
    s.className = sign === ' ' ? 'l' : sign === '-' ? 'l old' : 'l new';
    mark.textContent = sign === '-' ? '−' : sign;
    s.append(mark);
    if (other === undefined) s.append(text);
    else for (const [kind, token] of compare(text.split(/\b/), other.split(/\b/))) {
      if (kind === '+') continue;
      const b = document.createElement('b');
      b.textContent = token;
      s.append(kind === '-' ? b : token);
    }
    return s;
  };
  // A removed and an added line that are mostly equal show in bold what differs.
  const pair = block => {
    const old = block.filter(r => r[0] === '-'), now = block.filter(r => r[0] === '+');
    if (old.length === now.length && old.length <= 500) old.forEach((r, i) => {
      const q = now[i];
      if (r[1].length + q[1].length > 4000) return;
      const same = compare(r[1].split(/\b/), q[1].split(/\b/)).filter(x => x[0] === ' ').map(x => x[1]).join('').length;
      if (same * 2 > Math.max(r[1].length, q[1].length)) { r[2] = q[1]; q[2] = r[1]; }
    });
    return old.concat(now);
  };

  // A fold that is filled when it is first opened.
  const fold = (words, rows) => {
    const d = document.createElement('details'), s = document.createElement('summary');
    s.className = 'soft';
    s.textContent = words;
    d.append(s);
    d.addEventListener('toggle', () => { if (d.open) d.append(...rows.splice(0).map(row)); });
    return d;
  };

  const count = (rows, sign) => rows.reduce((sum, r) => sum + (r[0] === sign), 0);
  const changed = rows => rows.length - count(rows, ' ');

  // Puts the difference into `out`; equal runs are folded but for three lines on each side. Gives how many lines went and
  // came, and what is to be said of how they were compared.
  const show = (out, a, b) => {
    const told = {}, rows = compareLines(a, b, told), parts = [];
    let room = MOST_DRAWN;
    for (let i = 0; i < rows.length;) {
      let j = i;
      while (j < rows.length && rows[j][0] === ' ') j++;
      const lo = i ? i + 3 : i, hi = j < rows.length ? j - 3 : j;
      if (hi - lo > 3) parts.push(...rows.slice(i, lo).map(row), fold(`${hi - lo} equal lines`, rows.slice(lo, hi)), ...rows.slice(hi, j).map(row));
      else parts.push(...rows.slice(i, j).map(row));
      for (i = j; j < rows.length && rows[j][0] !== ' ';) j++;
      if (j - i > room) {
        const end = i + room, rest = rows.slice(end);
        parts.push(...rows.slice(i, end).map(row), fold(`${rest.length} further lines, ${changed(rest)} of them changed`, rest));
        break;
      }
      parts.push(...pair(rows.slice(i, j)).map(row));
      room -= j - i;
      i = j;
    }
    out.replaceChildren(...parts);
    const how = told.rough ? ' They differ much: compared between lines that stand once in both, so a smaller difference may exist.' : '';
    return { gone: count(rows, '-'), come: count(rows, '+'), how };
  };
  return { show };
})();
