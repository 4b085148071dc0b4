// The link that shows the spans of the flame chart in Perfetto: it opens a window of Perfetto's site, which
// answers when it is ready, and then gets the trace as a message.
'use strict';
(() => {
  const { byId, timeline } = tlparse;
  const { items, tracks, phaseNameOf, compileOf, trackOf, lengthOf } = timeline;

  const link = byId('chart-perfetto');
  const statusPlace = byId('chart-said');
  // Half a minute, in milliseconds.
  const PAUSE = 100;
  const MOST_PINGS = 300;

  // A span as an event of Chrome's trace format.
  function traceEvent(span) {
    const track = trackOf(span);
    const args = { compile_id: compileOf(span)?.id ?? 'None' };
    if (items.open.has(span)) args.open = true;
    return {
      ph: 'X',
      name: phaseNameOf(span),
      cat: 'compile',
      ts: items.starts[span],
      dur: lengthOf(span),
      pid: track.pid,
      tid: tracks.indexOf(track) + 1,
      args,
    };
  }

  function traceBuffer() {
    const trackNames = tracks.map(({ pid, label }, place) => (
      { ph: 'M', name: 'thread_name', pid, tid: place + 1, args: { name: label } }
    ));
    // Behind the spans stand the compiles, which repeat the outermost of them.
    const spans = [...Array(items.spanCount).keys()];
    const traceEvents = [...trackNames, ...spans.map(traceEvent)];
    return new TextEncoder().encode(JSON.stringify({ traceEvents })).buffer;
  }

  function openPerfetto(event) {
    event.preventDefault();
    const site = link.origin;
    const perfetto = open(site);
    if (!perfetto) {
      statusPlace.textContent = 'The browser did not let a window open.';
      return;
    }
    statusPlace.textContent = 'Waiting for Perfetto to answer.';
    let pings = 0;
    const timer = setInterval(ping, PAUSE);
    addEventListener('message', onAnswer);

    function ping() {
      pings++;
      if (pings > MOST_PINGS) stop('Perfetto did not answer: is there a network?');
      else perfetto.postMessage('PING', site);
    }

    function onAnswer(event) {
      const isFromPerfetto = event.source === perfetto && event.origin === site;
      if (!isFromPerfetto || event.data !== 'PONG') return;
      perfetto.postMessage({ perfetto: { buffer: traceBuffer(), title: document.title } }, site);
      stop('Perfetto has the trace.');
    }

    function stop(status) {
      clearInterval(timer);
      removeEventListener('message', onAnswer);
      statusPlace.textContent = status;
    }
  }

  link.onclick = openPerfetto;
})();
