import { expect, test } from 'vitest';
import { bookingReference, callReference } from './reference';

test('a booking has the reference that its mails say', () => {
  expect(bookingReference('bkg_019340000000700080000000000a2b3c')).toBe('000A2B3C');
});

test('of a call the end is said, as the logs write it', () => {
  expect(callReference('0193a5b2c4d6e8f00123456789abcdef')).toBe('89abcdef');
  expect(callReference('ref-1')).toBe('ref-1');
  expect(callReference('')).toBe('');
});

test('what is no id of a booking is said as it is', () => {
  expect(bookingReference('bkg_1')).toBe('BKG_1');
  expect(bookingReference('')).toBe('');
});
