import { expect, test } from 'vitest';
import { at, bookingFixture } from '@/testing/booking-fixture';
import { choicesOf, NO_CHOICES, parseChoices } from './choices';

const SLOT = '2026-11-24T05:30:00Z';
const LATER = '2026-12-08T05:30:00Z';

test.each([
  ['service=meditation', { serviceId: 'meditation' }],
  ['date=24-11-2026', {}],
  ['date=2026-13-45', {}],
  ['date=2026-11-31', {}],
  ['date=2028-02-29', { date: '2028-02-29' }],
  ['slot=2026-11-31T05:30:00Z', {}],
  ['slot=tomorrow', {}],
  ['slot=2026-11-24T99:00:00Z', {}],
  ['slot=2026-11-24T05:30:00.000Z', { slot: SLOT }],
  ['slot=2026-11-24T05:30Z', { slot: SLOT }],
])('of %s is taken what makes sense', (query, taken) => {
  expect(parseChoices(new URLSearchParams(query))).toEqual({ ...NO_CHOICES, ...taken });
});

test('a booking leads back to the choices that it came of', () => {
  expect(choicesOf(bookingFixture(), 'ravi')).toEqual({
    serviceId: 'general-consultation',
    packageId: '',
    date: '',
    slot: SLOT,
    slots: [],
    practitioner: 'ravi',
  });
  const sessions = [SLOT, LATER].map((start) => ({ startsAt: at(start) }));
  const booking = bookingFixture({ sessions, package: { packageId: 'starter' } });
  expect(choicesOf(booking, '')).toMatchObject({
    packageId: 'starter',
    slot: '',
    slots: [SLOT, LATER],
  });
});
