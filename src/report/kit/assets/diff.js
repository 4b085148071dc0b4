// Compares two texts line by line. Nothing is computed before it is asked for.
//
// A comparison is a list of entries {sign, text}: the sign is SAME, GONE (only in the old text) or NEW (only
// in the new one).
'use strict';
tlparse.diff = (() => {
  const { firstThat } = tlparse;

  const SAME = ' ';
  const GONE = '-';
  const NEW = '+';

  // Beyond so many edits two texts have no more in common than chance, and the time and memory of Myers'
  // algorithm grow with the square of the edits.
  const MOST_EDITS = 2000;
  // The same between two landmarks.
  const MOST_EDITS_BETWEEN = 60;
  // What is said of a comparison of texts that differ more.
  const ROUGH_NOTE =
    ' They differ much: compared between lines that stand once in both, so a smaller difference may exist.';
  // Pairs of lines with more letters are not compared word by word.
  const MOST_LETTERS_PAIRED = 4000;

  // ---- The shortest list of edits: Myers' greedy algorithm ----
  //
  // An edit graph has a column per entry of `before` and a row per entry of `after`. A path through it goes
  // right for an entry that is gone, down for a new one, and diagonally for a common one. `k = column - row`
  // names a diagonal. After each round, `furthest.get(k)` is the column that a path with that many edits
  // reaches on diagonal k.

  // The diagonal from which the path with `edits` edits comes that reaches diagonal k the furthest.
  function previousDiagonal(columnOn, k, edits) {
    const comesDown = k === -edits || (k !== edits && columnOn(k - 1) < columnOn(k + 1));
    return comesDown ? k + 1 : k - 1;
  }

  // The entries of the path that ends at the end of both lists, read backward through the rounds.
  function entriesOfPath(before, after, rounds) {
    const entries = [];
    let column = before.length;
    let row = after.length;
    for (let edits = rounds.length - 1; edits >= 0; edits--) {
      const columnOn = k => rounds[edits][k + edits + 1];
      let startColumn = 0;
      let startRow = 0;
      if (edits > 0) {
        const k = previousDiagonal(columnOn, column - row, edits);
        startColumn = columnOn(k);
        startRow = startColumn - k;
      }
      while (column > startColumn && row > startRow) {
        column--;
        row--;
        entries.push({ sign: SAME, text: before[column] });
      }
      if (edits > 0) {
        const isGone = column > startColumn;
        if (isGone) entries.push({ sign: GONE, text: before[--column] });
        else entries.push({ sign: NEW, text: after[--row] });
      }
    }
    return entries.reverse();
  }

  // The comparison with the fewest edits; null when that takes more than `mostEdits`.
  function shortestEdits(before, after, mostEdits) {
    const most = Math.min(before.length + after.length, mostEdits);
    const middle = most + 1;
    const furthest = new Int32Array(2 * most + 3);
    const columnOn = k => furthest[middle + k];
    // What `furthest` held before each round, from diagonal -edits - 1 to edits + 1.
    const rounds = [];
    for (let edits = 0; edits <= most; edits++) {
      rounds.push(furthest.slice(middle - edits - 1, middle + edits + 2));
      for (let k = -edits; k <= edits; k += 2) {
        const from = previousDiagonal(columnOn, k, edits);
        let column = from > k ? columnOn(from) : columnOn(from) + 1;
        let row = column - k;
        while (column < before.length && row < after.length && before[column] === after[row]) {
          column++;
          row++;
        }
        furthest[middle + k] = column;
        if (column >= before.length && row >= after.length) return entriesOfPath(before, after, rounds);
      }
    }
    return null;
  }

  // ---- Texts that differ much: compared between landmarks ----

  // The place of each entry that stands once in a list; -1 for the others.
  function placesOfUnique(list) {
    const places = new Map();
    list.forEach((entry, place) => places.set(entry, places.has(entry) ? -1 : place));
    return places;
  }

  // Entries that stand once in each list, as many of them as keep their order, each with its two places: the
  // longest increasing subsequence, by patience sorting.
  function landmarks(before, after) {
    const placesAfter = placesOfUnique(after);
    const shared = [];
    placesOfUnique(before).forEach((placeBefore, entry) => {
      const placeAfter = placesAfter.get(entry);
      const isUniqueInBoth = placeBefore >= 0 && placeAfter >= 0;
      if (isUniqueInBoth) shared.push({ before: placeBefore, after: placeAfter, previous: null });
    });
    shared.sort((one, other) => one.before - other.before);
    const tops = [];
    shared.forEach(landmark => {
      const pile = firstThat(at => tops[at].after >= landmark.after, 0, tops.length);
      landmark.previous = tops[pile - 1] || null;
      tops[pile] = landmark;
    });
    const chain = [];
    for (let landmark = tops.at(-1); landmark; landmark = landmark.previous) chain.push(landmark);
    return chain.reverse();
  }

  function replaced(before, after) {
    return [
      ...before.map(text => ({ sign: GONE, text })),
      ...after.map(text => ({ sign: NEW, text })),
    ];
  }

  // Each stretch between two landmarks is compared for itself, or counts as replaced.
  function compareBetweenLandmarks(before, after) {
    const parts = [];
    let fromBefore = 0;
    let fromAfter = 0;
    const ends = [...landmarks(before, after), { before: before.length, after: after.length }];
    ends.forEach(end => {
      const stretchBefore = before.slice(fromBefore, end.before);
      const stretchAfter = after.slice(fromAfter, end.after);
      const stretch = trimmed(stretchBefore, stretchAfter, (middleBefore, middleAfter) =>
        shortestEdits(middleBefore, middleAfter, MOST_EDITS_BETWEEN) || replaced(middleBefore, middleAfter));
      parts.push(stretch);
      if (end.before < before.length) parts.push([{ sign: SAME, text: before[end.before] }]);
      fromBefore = end.before + 1;
      fromAfter = end.after + 1;
    });
    return parts.flat();
  }

  // ---- Comparing ----

  // Sets equal beginnings and ends aside, and lets `compareMiddle` compare what is left.
  function trimmed(before, after, compareMiddle) {
    const shorter = Math.min(before.length, after.length);
    let start = 0;
    while (start < shorter && before[start] === after[start]) start++;
    let end = 0;
    while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
    const same = entries => entries.map(text => ({ sign: SAME, text }));
    const endBefore = before.length - end;
    const endAfter = after.length - end;
    return [
      same(before.slice(0, start)),
      compareMiddle(before.slice(start, endBefore), after.slice(start, endAfter)),
      same(before.slice(endBefore)),
    ].flat();
  }

  // The comparison of two lists. `isRough` says whether one with fewer edits may exist.
  function compare(before, after) {
    let isRough = false;
    const entries = trimmed(before, after, (middleBefore, middleAfter) => {
      const shortest = shortestEdits(middleBefore, middleAfter, MOST_EDITS);
      if (shortest) return shortest;
      isRough = true;
      return compareBetweenLandmarks(middleBefore, middleAfter);
    });
    return { entries, isRough };
  }

  // Compares lines as numbers, which is faster than as texts.
  function compareLines(before, after) {
    const numbers = new Map();
    const lines = [];
    const numberOf = line => {
      if (!numbers.has(line)) {
        numbers.set(line, lines.length);
        lines.push(line);
      }
      return numbers.get(line);
    };
    const { entries, isRough } = compare(before.map(numberOf), after.map(numberOf));
    return { entries: entries.map(({ sign, text }) => ({ sign, text: lines[text] })), isRough };
  }

  function wordsOf(line) {
    return line.split(/\b/);
  }

  function compareWords(line, otherLine) {
    return compare(wordsOf(line), wordsOf(otherLine)).entries;
  }

  // Which parts of a line the line in its place does not have: [from, to] in letters. None where the two have little in
  // common, or are too long.
  function changedParts(line, otherLine) {
    if (line.length + otherLine.length > MOST_LETTERS_PAIRED) return [];
    const words = compareWords(line, otherLine);
    const equal = words.filter(({ sign }) => sign === SAME).reduce((sum, { text }) => sum + text.length, 0);
    if (equal * 2 <= Math.max(line.length, otherLine.length)) return [];
    const parts = [];
    let from = 0;
    words.filter(({ sign }) => sign !== NEW).forEach(({ sign, text }) => {
      if (sign === GONE) parts.push([from, from + text.length]);
      from += text.length;
    });
    return parts;
  }

  // ---- Two columns ----

  // The rows of two columns: {left, right, change}. A side is {number, text}, or null beside a line that has no
  // counterpart; `change` counts the runs of lines that differ, from 1, and is 0 where both sides are equal.
  function rowsOf(entries) {
    const rows = [];
    const numbers = { left: 0, right: 0 };
    const sideOf = (side, text) => ({ number: ++numbers[side], text });
    let change = 0;
    let start = 0;
    while (start < entries.length) {
      if (entries[start].sign === SAME) {
        const { text } = entries[start++];
        rows.push({ left: sideOf('left', text), right: sideOf('right', text), change: 0 });
        continue;
      }
      let end = start;
      while (end < entries.length && entries[end].sign !== SAME) end++;
      const run = entries.slice(start, end);
      const left = run.filter(({ sign }) => sign === GONE).map(({ text }) => sideOf('left', text));
      const right = run.filter(({ sign }) => sign === NEW).map(({ text }) => sideOf('right', text));
      change++;
      for (let at = 0; at < Math.max(left.length, right.length); at++) {
        rows.push({ left: left[at] || null, right: right[at] || null, change });
      }
      start = end;
    }
    return rows;
  }

  function count(entries, sign) {
    return entries.filter(entry => entry.sign === sign).length;
  }

  // The comparison of two lists of lines: rows of two columns, how many lines went and came, and what is to be said of
  // how they were compared.
  function compareTexts(before, after) {
    const { entries, isRough } = compareLines(before, after);
    return {
      rows: rowsOf(entries),
      removed: count(entries, GONE),
      added: count(entries, NEW),
      note: isRough ? ROUGH_NOTE : '',
    };
  }

  return { compareTexts, changedParts };
})();
