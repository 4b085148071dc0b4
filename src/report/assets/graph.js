// Graphs: a click on a value marks its definition and its uses, and lists them beside the graph.
(() => {
  const all = s => [...document.querySelectorAll(s)];
  const side = document.getElementById('uses');
  const entry = x => {
    const l = x.closest('.l'), li = document.createElement('li'), to = document.createElement('a');
    const by = document.createElement('code'), where = document.createElement('span');
    by.textContent = (l.querySelector('.v.def') || { textContent: 'output' }).textContent;
    where.className = 'soft';
    where.textContent = `${x.classList.contains('def') ? 'defined' : 'used'}, line ${l.id.slice(1)}`;
    to.href = `#${l.id}`;
    to.append(by, where);
    li.append(to);
    return li;
  };
  addEventListener('click', e => {
    const a = e.target.closest?.('.v');
    if (!a) return;
    const name = a.textContent, hits = all('.v').filter(x => x.textContent === name);
    all('.v.hit').forEach(x => x.classList.remove('hit'));
    hits.forEach(x => x.classList.add('hit'));
    if (a.classList.contains('def')) e.preventDefault();
    if (!side) return;
    side.replaceChildren(...hits.map(entry));
    side.previousElementSibling.textContent = name;
  });
})();
