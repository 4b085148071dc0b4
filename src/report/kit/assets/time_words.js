// Times and spans of the flame chart in words.
'use strict';
tlparse.timeWords = (() => {
  const { element, timeline } = tlparse;
  const { NO_ITEM, items } = timeline;

  // Seconds and milliseconds in microseconds.
  const SECOND = 1e6;
  const MILLISECOND = 1e3;
  const NBSP = '\u00a0';
  const OPEN_SPAN_NOTE = 'left open in the log; it ends here with the span around it, or with its process';
  const UNFINISHED_NOTE = 'still open at the end of the log';

  // A length of time as the tables have it: three digits at most.
  function describeTime(time) {
    const size = Math.abs(time);
    if (size < 999.5) return `${Math.round(time)}${NBSP}us`;
    if (size < 999.5 * MILLISECOND) return `${(time / MILLISECOND).toFixed(size < 9950 ? 1 : 0)}${NBSP}ms`;
    return `${(time / SECOND).toFixed(size < 9.995 * SECOND ? 2 : 1)}${NBSP}s`;
  }

  // A time on the axis, in the unit that fits the end of the view.
  function describeTick(time, end) {
    if (end < MILLISECOND) return `${Math.round(time)}${NBSP}us`;
    if (end < SECOND) return `${Number((time / MILLISECOND).toFixed(3))}${NBSP}ms`;
    return `${Number((time / SECOND).toFixed(6))}${NBSP}s`;
  }

  // Total time, and of a phase how much of it no phase below covers.
  function describeLength(item) {
    const isPhase = !timeline.isCompile(item);
    const least = items.unfinished.has(item) ? 'at least ' : '';
    const parts = [
      `${isPhase ? 'total ' : ''}${least}${describeTime(timeline.lengthOf(item))}`,
      isPhase && `self ${describeTime(timeline.selfTimeOf(item))}`,
      `from ${describeTime(items.starts[item])}`,
    ];
    return parts.filter(Boolean).join(', ');
  }

  function describeCompile(item) {
    const compile = timeline.compileOf(item);
    if (!compile) return 'no compile id';
    return compile.name ? `compile ${compile.id}, ${compile.name}` : `compile ${compile.id}`;
  }

  // Puts what is known of an item into `place`, its name first; nothing if there is no item.
  function describe(item, place) {
    place.replaceChildren();
    if (item === NO_ITEM) return;
    const kernel = timeline.kernelOf(item);
    const lines = [
      describeLength(item),
      timeline.meaningOf(item),
      kernel && `kernel ${kernel}`,
      !timeline.isCompile(item) && describeCompile(item),
      items.open.has(item) && (items.unfinished.has(item) ? UNFINISHED_NOTE : OPEN_SPAN_NOTE),
    ];
    place.append(element('b', { textContent: timeline.nameOf(item) }));
    lines.filter(Boolean).forEach(textContent => place.append(element('div', { textContent })));
  }

  return { describeTime, describeTick, describe };
})();
