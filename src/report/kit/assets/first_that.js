// A search by halves, for scripts that need it.
'use strict';
tlparse.firstThat = (() => {
  // The first number from `low` on that passes the test; `high` if none below it does. All numbers after the
  // first must pass too.
  function firstThat(passes, low, high) {
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (passes(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  return firstThat;
})();
