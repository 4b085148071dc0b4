// Compares two texts line by line and shows what differs. Nothing is computed before it is asked for.
//
// A comparison is a list of entries {sign, text}: the sign is SAME, GONE (only in the old text) or NEW (only
// in the new one).
'use strict';
tlparse.diff = (() => {
  const { element, firstThat } = tlparse;

  const SAME = ' ';
  const GONE = '-';
  const NEW = '+';

  const LINE_CLASS = { [SAME]: 'line', [GONE]: 'line old', [NEW]: 'line new' };
  const SIGN_CLASS = 'sign';
  const SUMMARY_CLASS = 'soft';

  // Beyond so many edits two texts have no more in common than chance, and the time and memory of Myers'
  // algorithm grow with the square of the edits.
  const MOST_EDITS = 2000;
  // The same between two landmarks.
  const MOST_EDITS_BETWEEN = 60;
  // Changed lines that are drawn at once; the rest waits in a fold.
  const MOST_DRAWN = 2000;
  // Equal lines that stay visible beside a change, and the shortest run that is worth a fold.
  const CONTEXT = 3;
  const SHORTEST_FOLD = 4;
  // What is said of a comparison of texts that differ more.
  const ROUGH_NOTE =
    ' They differ much: compared between lines that stand once in both, so a smaller difference may exist.';
  // Blocks with more lines, and pairs of lines with more letters, are not compared word by word.
  const MOST_LINES_PAIRED = 500;
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

  function areMostlyEqual(line, otherLine) {
    const longest = Math.max(line.length, otherLine.length);
    if (line.length + otherLine.length > MOST_LETTERS_PAIRED) return false;
    const equal = compareWords(line, otherLine).filter(entry => entry.sign === SAME);
    const letters = equal.reduce((sum, entry) => sum + entry.text.length, 0);
    return letters * 2 > longest;
  }

  // Puts the lines of a changed block in order: those that are gone, then the new ones. Where there are as
  // many of both, a line gets the line that took its place as its `counterpart`, if the two are mostly equal.
  function pairedLines(block) {
    const gone = block.filter(entry => entry.sign === GONE);
    const added = block.filter(entry => entry.sign === NEW);
    if (gone.length === added.length && gone.length <= MOST_LINES_PAIRED) {
      gone.forEach((line, place) => {
        const other = added[place];
        if (!areMostlyEqual(line.text, other.text)) return;
        line.counterpart = other.text;
        other.counterpart = line.text;
      });
    }
    return [...gone, ...added];
  }

  function count(entries, sign) {
    return entries.filter(entry => entry.sign === sign).length;
  }

  // ---- Drawing ----

  // A line's words; those that its counterpart does not have are bold.
  function contentOf({ text, counterpart }) {
    if (counterpart === undefined) return [text];
    return compareWords(text, counterpart)
      .filter(word => word.sign !== NEW)
      .map(word => word.sign === GONE ? element('b', {}, word.text) : word.text);
  }

  function drawLine(line) {
    const sign = line.sign === GONE ? '−' : line.sign;
    const mark = element('span', { className: SIGN_CLASS, textContent: sign });
    return element('span', { className: LINE_CLASS[line.sign] }, mark, ...contentOf(line));
  }

  // A fold that is filled when it is first opened.
  function drawFold(title, lines) {
    const fold = element('details', {}, element('summary', { className: SUMMARY_CLASS, textContent: title }));
    fold.addEventListener('toggle', () => {
      if (fold.open) fold.append(...lines.splice(0).map(drawLine));
    });
    return fold;
  }

  // Equal lines, folded but for those beside a change.
  function drawEqual(lines, isFirst, isLast) {
    const foldStart = isFirst ? 0 : CONTEXT;
    const foldEnd = isLast ? lines.length : lines.length - CONTEXT;
    const folded = foldEnd - foldStart;
    if (folded < SHORTEST_FOLD) return lines.map(drawLine);
    return [
      ...lines.slice(0, foldStart).map(drawLine),
      drawFold(`${folded} equal lines`, lines.slice(foldStart, foldEnd)),
      ...lines.slice(foldEnd).map(drawLine),
    ];
  }

  // The place after a run of lines that are all equal, or all changed.
  function endOfRun(lines, start, isEqual) {
    let end = start;
    while (end < lines.length && (lines[end].sign === SAME) === isEqual) end++;
    return end;
  }

  // Everything from the place on where there are too many changed lines.
  function drawRest(lines) {
    const changed = lines.length - count(lines, SAME);
    return drawFold(`${lines.length} further lines, ${changed} of them changed`, lines);
  }

  // All lines as elements: runs of equal and of changed lines in turn.
  function drawLines(lines) {
    const drawn = [];
    let room = MOST_DRAWN;
    let start = 0;
    while (start < lines.length) {
      const equalEnd = endOfRun(lines, start, true);
      drawn.push(...drawEqual(lines.slice(start, equalEnd), start === 0, equalEnd === lines.length));
      const changedEnd = endOfRun(lines, equalEnd, false);
      if (changedEnd - equalEnd > room) {
        const roomEnd = equalEnd + room;
        drawn.push(...lines.slice(equalEnd, roomEnd).map(drawLine), drawRest(lines.slice(roomEnd)));
        break;
      }
      drawn.push(...pairedLines(lines.slice(equalEnd, changedEnd)).map(drawLine));
      room -= changedEnd - equalEnd;
      start = changedEnd;
    }
    return drawn;
  }

  // Puts the comparison of two lists of lines into `place`. Gives how many lines went and came, and what is
  // to be said of how they were compared.
  function show(place, before, after) {
    const { entries, isRough } = compareLines(before, after);
    place.replaceChildren(...drawLines(entries));
    return { removed: count(entries, GONE), added: count(entries, NEW), note: isRough ? ROUGH_NOTE : '' };
  }

  return { show };
})();
