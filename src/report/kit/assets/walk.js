// The list of compiles beside the page of one, and the keys that walk through it: j and k to the next and the previous one
// that the list shows, J and K to the next and the previous version of the function, f to the filter.
// The page is complete without this script: it has links to its neighbours and to the versions.
'use strict';
(() => {
  const { all, byId, element, isCommand } = tlparse;
  const walk = byId('walk');
  if (!walk) return;

  const { here, all: count, versions, rows } = JSON.parse(byId('walk-data').textContent);

  // The statuses by their numbers in the rows, each with its sign.
  const STATUSES = [['ok', '●'], ['break', '◆'], ['empty', '○'], ['error', '■'], ['missing', '◌']];
  const FIELDS = 'input, textarea, select, [contenteditable]';
  // Milliseconds from which on a time is shown in seconds.
  const SECOND = 1000;

  const [opener, orderButton] = all('button', walk);
  const [field, statusList] = all('input, select', walk);
  const [place] = all('.walk-rows', walk);
  const [total] = all('output', walk);
  // Names begin below each other, behind the longest id.
  place.style.setProperty('--id', `${Math.max(...rows.map(([id]) => id.length))}ch`);
  const note = walk.querySelector('.walk-rows + p');

  // The rows that the list shows, in its order.
  let shown = rows;

  // ---- What the reader chose stays while he walks ----

  const memory = `tlparse walk ${location.pathname.split('/').slice(0, -2).join('/')}`;

  function remembered() {
    try {
      return JSON.parse(sessionStorage.getItem(memory)) ?? {};
    } catch {
      // Storage may be forbidden.
      return {};
    }
  }

  function remember() {
    const choice = { text: field.value, status: statusList.value, byTime: isByTime() };
    try {
      sessionStorage.setItem(memory, JSON.stringify(choice));
    } catch {
      // Then the next page begins anew.
    }
  }

  // ---- Rows ----

  function isByTime() {
    return orderButton.getAttribute('aria-pressed') === 'true';
  }

  function timeText(ms) {
    if (ms === null) return '–';
    if (ms >= SECOND) return `${(ms / SECOND).toFixed(2)}\u00a0s`;
    return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)}\u00a0ms`;
  }

  // `-_14_1_0` of `14/1`, `1_0_0_0` of `!1/0/0`; a row of another id has its folder.
  function pageOf([id, , , , folder]) {
    const [autograd, frame = '-', compile = '-'] = id.startsWith('!') ? id.slice(1).split('/') : ['-', ...id.split('/')];
    return `../${folder ?? `${autograd}_${frame}_${compile}_0`}/compile.html`;
  }

  function linkOf(row) {
    const [id, status, name, ms] = row;
    const [word, sign] = STATUSES[status];
    const dot = element('span', { className: `status-${word}`, role: 'img', ariaLabel: word, title: word }, sign);
    const cells = [id, name, timeText(ms)].map(text => element('span', {}, text));
    const link = element('a', { href: pageOf(row), title: name, tabIndex: -1 }, dot, ...cells);
    if (id === here) link.setAttribute('aria-current', 'page');
    return link;
  }

  function fits([id, status, name]) {
    const text = field.value.toLowerCase();
    const hasText = `${id} ${name}`.toLowerCase().includes(text);
    return hasText && (statusList.value === '' || STATUSES[status][0] === statusList.value);
  }

  function draw() {
    shown = rows.filter(fits);
    if (isByTime()) shown.sort((left, right) => (right[3] ?? -1) - (left[3] ?? -1));
    place.replaceChildren(...shown.map(linkOf));
    const current = place.querySelector('[aria-current]') ?? place.firstElementChild;
    if (current) {
      current.tabIndex = 0;
      place.scrollTop = current.offsetTop - place.offsetTop - place.clientHeight / 2;
    }
    const isAll = shown.length === count;
    total.textContent = isAll ? `${count} compiles` : `${shown.length} of ${count} compiles`;
    if (rows.length < count) drawNote();
  }

  // What the list lacks, the search has.
  function drawNote() {
    const query = encodeURIComponent(field.value);
    const link = element('a', { href: `../search.html?q=${query}` }, 'Search all');
    note.replaceChildren('Those around this one, and the costliest.', link);
  }

  // ---- Walking ----

  function go(page) {
    // The link has the parameters of this page that a host needs.
    const link = page && all('a', place).find(one => one.getAttribute('href').startsWith(page));
    if (page) location.href = link?.href ?? page;
  }

  function neighbor(step) {
    const at = shown.findIndex(([id]) => id === here);
    const row = at < 0 ? shown[0] : shown[at + step];
    return row && pageOf(row);
  }

  const KEYS = {
    j: () => go(neighbor(1)),
    k: () => go(neighbor(-1)),
    J: () => go(versions[1]),
    K: () => go(versions[0]),
    f: () => {
      open(true);
      field.focus();
    },
  };

  function onKey(event) {
    const action = KEYS[event.key];
    if (!action || isCommand(event) || event.target.matches(FIELDS)) return;
    event.preventDefault();
    action();
  }

  // The arrows move between rows; only one of them is a stop of the Tab key.
  function onArrow(event) {
    const next = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key];
    const link = event.target.closest('a')?.[next];
    if (!link) return;
    event.preventDefault();
    event.target.closest('a').tabIndex = -1;
    link.tabIndex = 0;
    link.focus();
  }

  function open(isOpen) {
    opener.setAttribute('aria-expanded', isOpen);
    draw();
  }

  function change() {
    draw();
    remember();
  }

  // ---- Start ----

  const options = STATUSES.map(([word]) => word).filter(word => rows.some(row => STATUSES[row[1]][0] === word));
  statusList.append(new Option('all', ''), ...options.map(word => new Option(word)));
  const { text = '', status = '', byTime = false } = remembered();
  field.value = text;
  statusList.value = status;
  if (statusList.selectedIndex < 0) statusList.value = '';
  orderButton.setAttribute('aria-pressed', byTime === true);
  walk.hidden = false;
  draw();
  field.addEventListener('input', change);
  statusList.addEventListener('input', change);
  orderButton.addEventListener('click', () => {
    orderButton.setAttribute('aria-pressed', !isByTime());
    change();
  });
  opener.addEventListener('click', () => open(opener.getAttribute('aria-expanded') !== 'true'));
  place.addEventListener('keydown', onArrow);
  addEventListener('keydown', onKey);
})();
