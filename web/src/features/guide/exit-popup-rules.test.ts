import { afterEach, beforeEach, expect, test, vi } from 'vitest';

type Rules = typeof import('./exit-popup-rules');

let rules: Rules;

// What a document remembers is forgotten with its modules.
beforeEach(async () => {
  vi.resetModules();
  rules = await import('./exit-popup-rules');
});

afterEach(() => {
  document.body.replaceChildren();
});

test('the tab remembers that it was shown, for the documents after this one as well', async () => {
  expect(rules.wasShown()).toBe(false);
  rules.markShown();
  expect(sessionStorage.getItem('exitPopupShown')).toBe('true');
  expect(rules.wasShown()).toBe(true);
  vi.resetModules();
  const next: Rules = await import('./exit-popup-rules');
  expect(next.wasShown()).toBe(true);
  sessionStorage.clear();
  expect(next.wasShown()).toBe(false);
});

test('where the browser keeps nothing, the document remembers', () => {
  const refuse = () => {
    throw new Error('refused');
  };
  vi.spyOn(Storage.prototype, 'getItem').mockImplementation(refuse);
  vi.spyOn(Storage.prototype, 'setItem').mockImplementation(refuse);
  expect(rules.wasShown()).toBe(false);
  rules.markShown();
  expect(rules.wasShown()).toBe(true);
});

test('an open dialog and a field that is in use are not disturbed', () => {
  expect(rules.isBusy()).toBe(false);
  document.body.innerHTML = '<dialog></dialog><textarea></textarea><button>Go</button>';
  expect(rules.isBusy()).toBe(false);
  document.querySelector('button')?.focus();
  expect(rules.isBusy()).toBe(false);
  document.querySelector('textarea')?.focus();
  expect(rules.isBusy()).toBe(true);
  document.querySelector('button')?.focus();
  document.querySelector('dialog')?.setAttribute('open', '');
  expect(rules.isBusy()).toBe(true);
  expect(rules.isBehind(document.querySelector('dialog'))).toBe(false);
  document.body.innerHTML = '<header><button aria-expanded="true">Menu</button></header>';
  expect(rules.isBusy()).toBe(true);
});
