import { expect, test } from 'vitest';
import { NO_PREFILL, parsePrefill, prefillFragment, readPrefill } from './prefill';

test('a name and an address survive the way through the fragment', () => {
  const prefill = { name: 'Asha & Söhne #1', email: 'asha+1@example.org' };
  const fragment = prefillFragment(prefill);
  expect(fragment.startsWith('#')).toBe(true);
  expect(parsePrefill(fragment)).toEqual(prefill);
  expect(prefillFragment(NO_PREFILL)).toBe('');
  expect(parsePrefill('')).toEqual(NO_PREFILL);
});

test.each([
  [{ name: 1, email: null }],
  [{ name: 'a\nb', email: 'a@b\u0000.example' }],
  [{ name: 'x'.repeat(161), email: `${'x'.repeat(250)}@b.example` }],
  [{ email: 'no address' }],
  [{ email: '"><script>@b.example' }],
])('what makes no sense is as if it were not there: %j', (given) => {
  expect(readPrefill(given)).toEqual(NO_PREFILL);
});
