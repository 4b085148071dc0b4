// Folding: data-fold names the region whose details open and close together. Every page is complete without it.
document.querySelectorAll('[data-fold]').forEach(b => {
  b.onclick = () => {
    const list = [...document.getElementById(b.dataset.fold).querySelectorAll('details')], open = list.some(d => !d.open);
    list.forEach(d => { d.open = open; });
    b.textContent = open ? 'Fold all' : 'Open all';
  };
});
