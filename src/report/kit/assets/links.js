// Keeps the query string of a page on its links and forms: a host may need it on every page of a report.
// Every page is complete without this script.
'use strict';
(() => {
  const { all, byId, element } = tlparse;

  // What was searched for; it stays on the search page.
  const SEARCH_PARAMETER = 'q';
  // Path, query and anchor of a link.
  const LINK = /^([^?#]*)\??([^#]*)(.*)/s;
  // The beginning of a link that leads out of the report: a scheme, or a path from the root.
  const LEADS_OUT = /^([a-z][a-z\d+.-]*:|[/\\])/i;

  function parametersOf(query) {
    return query.split('&').filter(parameter => parameter !== '');
  }

  function nameOf(parameter) {
    return parameter.split('=')[0];
  }

  // The parameters of this page that its links and forms take along. The page of a job tells those of its ranks, whose
  // reports do not know it, which ranks there are.
  const { ranks } = byId('main')?.dataset ?? {};
  const ofJob = ranks === undefined ? [] : [`ranks=${ranks}`];
  const left = [SEARCH_PARAMETER, ...ofJob.map(nameOf)];
  const ownParameters = parametersOf(location.search.slice(1));
  const kept = [...ownParameters.filter(parameter => !left.includes(nameOf(parameter))), ...ofJob];
  if (kept.length === 0) return;

  // A link's own parameters stand first, and win over kept ones of the same name.
  function extendLink(link) {
    const [, path, query, anchor] = LINK.exec(link.getAttribute('href'));
    const staysOnPage = path === '' && query === '';
    if (staysOnPage || LEADS_OUT.test(path)) return;
    const own = parametersOf(query);
    const ownNames = own.map(nameOf);
    const added = kept.filter(parameter => !ownNames.includes(nameOf(parameter)));
    link.href = `${path}?${[...own, ...added].join('&')}${anchor}`;
  }

  function extendLinksBelow(root) {
    all('a[href]', root).forEach(extendLink);
  }

  function extendForm(form) {
    for (const [name, value] of new URLSearchParams(kept.join('&'))) {
      form.append(element('input', { type: 'hidden', name, value }));
    }
  }

  // Other scripts add links while the page is used.
  function onChange(mutations) {
    const changed = new Set(mutations.map(mutation => mutation.target));
    changed.forEach(extendLinksBelow);
  }

  extendLinksBelow(document);
  [...document.forms].forEach(extendForm);
  new MutationObserver(onChange).observe(document, { childList: true, subtree: true });
})();
