// Compares two lists of lines, and shows what differs. Nothing is computed before it is asked for.
globalThis.tlparseDiff = (() => {
  // Edits after which two texts have no more in common than chance: Myers' algorithm takes time and memory in their square.
  const MOST_EDITS = 3000;

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
  const compare = (a, b, limit = MOST_EDITS) => {
    let start = 0, end = 0;
    const least = Math.min(a.length, b.length);
    while (start < least && a[start] === b[start]) start++;
    while (end < least - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
    const [x, y] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
    const middle = edits(x, y, limit) || [...x.map(l => ['-', l]), ...y.map(l => ['+', l])];
    return [...a.slice(0, start).map(l => [' ', l]), ...middle, ...a.slice(a.length - end).map(l => [' ', l])];
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
    return [...old, ...now].map(row);
  };

  // Puts the difference into `out`; equal runs are folded but for three lines on each side. Gives how many lines went and came.
  const show = (out, a, b) => {
    const rows = compare(a, b), parts = [];
    for (let i = 0; i < rows.length;) {
      let j = i;
      while (j < rows.length && rows[j][0] === ' ') j++;
      const lo = i ? i + 3 : i, hi = j < rows.length ? j - 3 : j;
      if (hi - lo > 3) {
        const d = document.createElement('details'), s = document.createElement('summary');
        s.className = 'tw soft';
        s.textContent = `${hi - lo} equal lines`;
        d.append(s, ...rows.slice(lo, hi).map(row));
        parts.push(...rows.slice(i, lo).map(row), d, ...rows.slice(hi, j).map(row));
      } else parts.push(...rows.slice(i, j).map(row));
      for (i = j; j < rows.length && rows[j][0] !== ' ';) j++;
      parts.push(...pair(rows.slice(i, j)));
      i = j;
    }
    out.replaceChildren(...parts);
    const n = sign => rows.filter(r => r[0] === sign).length;
    return [n('-'), n('+')];
  };
  return { show };
})();
