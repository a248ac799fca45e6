import { beforeEach, expect, test, vi } from 'vitest';
import {
  forgetPage,
  isRememberedBooking,
  knownPageKey,
  pageKeyIn,
  rememberPageBooking,
  rememberPageKey,
} from './page-key';

const PAGE_KEY = 'Ab_-'.repeat(11).slice(0, 43);

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

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

test('the key leaves the address and what outlives the tab', () => {
  localStorage.setItem('paymentPageKey', PAGE_KEY);
  window.history.replaceState({ idx: 3 }, '', `/pay/booking?a=1#key=${PAGE_KEY}`);
  rememberPageKey(PAGE_KEY);
  expect(window.location.href).not.toContain(PAGE_KEY);
  expect(window.location.search).toBe('?a=1');
  expect(window.history.state).toEqual({ idx: 3 });
  expect(JSON.stringify({ ...localStorage })).not.toContain(PAGE_KEY);
  expect(knownPageKey(window.location.hash)).toBe(PAGE_KEY);
});

test('where nothing is kept, the address keeps its key', () => {
  const setItem = () => {
    throw new DOMException('', 'SecurityError');
  };
  vi.stubGlobal('sessionStorage', { setItem });
  window.history.replaceState(null, '', `/pay/booking#key=${PAGE_KEY}`);
  rememberPageKey(PAGE_KEY);
  expect(window.location.hash).toContain(PAGE_KEY);
  vi.unstubAllGlobals();
});

test('the booking of the page is known until the page is forgotten', () => {
  const bookingId = `bkg_${'01'.repeat(16)}`;
  expect(isRememberedBooking(bookingId)).toBe(false);
  rememberPageKey(PAGE_KEY);
  rememberPageBooking(bookingId);
  expect(isRememberedBooking(bookingId)).toBe(true);
  expect(isRememberedBooking(`bkg_${'02'.repeat(16)}`)).toBe(false);
  expect(isRememberedBooking('')).toBe(false);
  forgetPage();
  expect(isRememberedBooking(bookingId)).toBe(false);
  expect(knownPageKey('')).toBeUndefined();
  expect(JSON.stringify({ ...sessionStorage })).not.toContain(PAGE_KEY);
});
