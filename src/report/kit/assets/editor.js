// Links that open a line of the user's program in the editor that was named when the report was written. The page
// holds the pattern of their addresses once, as JSON; without an editor there are no such links.
'use strict';
tlparse.editor = (() => {
  const { byId, element } = tlparse;

  // An address with {file} and {line} in it.
  const pattern = JSON.parse(byId('editor')?.textContent ?? 'null');

  // A path on a disk, on Windows too. What else the log names as a file, such as `<string>`, cannot be opened.
  const ON_DISK = /^(?:\/|[A-Za-z]:\/)/;

  // As paths stand in all links of the report: what has a meaning in an address stands in percent signs.
  function encoded(path) {
    const codeOf = letter => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
    const strict = encodeURIComponent(path).replace(/[*'()]/g, codeOf);
    return strict.replaceAll('%2F', '/').replaceAll('%2B', '+').replaceAll('%2C', ',');
  }

  // The address of a line; null where there is none.
  function hrefOf(file, line) {
    const path = file.replaceAll('\\', '/');
    if (!pattern || !ON_DISK.test(path)) return null;
    const rooted = path.startsWith('/') ? path : `/${path}`;
    // Texts are joined, since in a replacement a dollar sign would have a meaning.
    return pattern.split('{line}').join(line).split('{file}').join(encoded(rooted));
  }

  // A link to a line of a file; an empty text where there is none, which appends nothing.
  function linkTo(file, line) {
    const href = hrefOf(file, line);
    if (!href) return '';
    const textContent = `open ${file.split(/[\\/]/).pop()}:${line}`;
    return element('a', { href, textContent, title: `${file}:${line}`, className: 'in-editor' });
  }

  // The same for a place such as `/app/model.py:12`.
  function linkToPlace(place) {
    const [, file, line] = /^(.+):(\d+)$/.exec(place) ?? [];
    return file ? linkTo(file, line) : '';
  }

  return { hrefOf, linkTo, linkToPlace };
})();
