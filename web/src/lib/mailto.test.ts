import { expect, test } from 'vitest';
import { mailto } from './mailto';

test('an address is linked as it is', () => {
  expect(mailto('asha.rao+x@example.org')).toBe('mailto:asha.rao%2Bx@example.org');
});

test('an address adds nothing to the mail', () => {
  for (const sly of [
    'a@b?cc=x@evil.example&body=sent',
    'a@b?bcc=everybody@evil.example',
    'a@b%0d%0aBcc:x@evil.example',
    'a,x@b.example',
    'a@b#fragment',
  ]) {
    const url = new URL(mailto(sly));
    expect(url.search + url.hash).toBe('');
    expect(url.pathname).not.toMatch(/[,?&\r\n]/);
    expect(decodeURIComponent(url.pathname)).toBe(sly);
  }
});
