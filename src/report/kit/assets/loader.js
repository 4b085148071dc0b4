'use strict';
for (const file of ['SCRIPTS OF THE PAGE']) {
  const script = document.createElement('script');
  script.async = false;
  script.src = file + location.search;
  document.body.append(script);
}
// A host may need the query of the page for each file.
if (location.search) {
  for (const link of document.querySelectorAll('link')) if (!link.sheet) link.href += location.search;
}
