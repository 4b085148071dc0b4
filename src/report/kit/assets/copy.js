// Buttons that copy the text in their data-copy, or else the code before them. Every page is complete without this
// script, and has no such button then.
'use strict';
(() => {
  const { all, element } = tlparse;

  // Milliseconds for which a button says what it did.
  const TOLD_FOR = 1500;
  const LONGEST_LABEL = 80;

  function textOf(button) {
    return button.dataset.copy || button.previousElementSibling.textContent;
  }

  // A page opened from disk may not reach the clipboard: then the text is selected and copied as a reader would.
  function copySelected(text) {
    const field = element('textarea', { className: 'copied', value: text });
    document.body.append(field);
    field.select();
    const copied = document.execCommand('copy');
    field.remove();
    return copied;
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return copySelected(text);
    }
  }

  async function onClick(event) {
    const button = event.target.closest('[data-copy]');
    if (!button) return;
    // Within a summary a click would fold it too.
    event.preventDefault();
    const copied = await copy(textOf(button));
    button.focus();
    const name = button.dataset.name ??= button.textContent;
    button.textContent = copied ? 'Copied' : 'Not copied';
    setTimeout(() => {
      button.textContent = name;
    }, TOLD_FOR);
  }

  all('[data-copy]').forEach(button => {
    // The name begins with what the button shows: a voice command is what is seen.
    button.setAttribute('aria-label', `${button.textContent} ${textOf(button).slice(0, LONGEST_LABEL)}`);
    button.setAttribute('aria-live', 'polite');
  });
  addEventListener('click', onClick);
})();
