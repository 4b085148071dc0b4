// Code: the number of a line stands in front of it, drawn by the style sheet; a click on it makes the line the address.
addEventListener('click', e => {
  const l = e.target;
  if (l.matches?.('.in>[id]') && e.clientX - l.getBoundingClientRect().left < parseFloat(getComputedStyle(l, '::before').width)) location.hash = l.id;
});
