import { beforeEach, expect, test } from 'vitest';
import {
  bookingOfKey,
  isRememberedBooking,
  knownPageKey,
  pageKeyIn,
  rememberPageKey,
} from './page-key';

const PAGE_KEY = 'Ab_-'.repeat(11).slice(0, 43);

beforeEach(() => localStorage.clear());

test('only what can be a key is taken for one', () => {
  expect(pageKeyIn('')).toBeUndefined();
  expect(pageKeyIn(`#key=${PAGE_KEY}`)).toBe(PAGE_KEY);
  expect(pageKeyIn(`#a=1&key=${PAGE_KEY}&b=2`)).toBe(PAGE_KEY);
  expect(pageKeyIn(`#key=${PAGE_KEY}x`)).toBeUndefined();
  expect(pageKeyIn('#key=')).toBeUndefined();
});

test('the page that was opened last is known without its address', () => {
  expect(knownPageKey('')).toBeUndefined();
  rememberPageKey(PAGE_KEY);
  expect(knownPageKey('')).toBe(PAGE_KEY);
  // A key that was cut off is never taken for the last one.
  expect(knownPageKey('#key=abc')).toBeUndefined();
});

test('a key tells whose booking it is of', () => {
  // Sixteen bytes of an id and sixteen of its signature.
  const key = btoa('\u0001'.repeat(16) + '\u00ff'.repeat(16))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
  const bookingId = `bkg_${'01'.repeat(16)}`;
  expect(key).toHaveLength(43);
  expect(bookingOfKey(key)).toBe(bookingId);
  expect(bookingOfKey('%')).toBeUndefined();
  expect(isRememberedBooking(bookingId)).toBe(false);
  rememberPageKey(key);
  expect(isRememberedBooking(bookingId)).toBe(true);
  expect(isRememberedBooking(`bkg_${'02'.repeat(16)}`)).toBe(false);
  expect(isRememberedBooking('')).toBe(false);
});
