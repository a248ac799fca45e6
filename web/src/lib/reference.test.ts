import { expect, test } from 'vitest';
import { bookingReference } from './reference';

test('a booking has the reference that its mails say', () => {
  expect(bookingReference('bkg_019340000000700080000000000a2b3c')).toBe('000A2B3C');
});

test('what is no id of a booking is said as it is', () => {
  expect(bookingReference('bkg_1')).toBe('BKG_1');
  expect(bookingReference('')).toBe('');
});
