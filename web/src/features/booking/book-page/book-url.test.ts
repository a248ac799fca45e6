import { expect, test } from 'vitest';
import {
  type BookUrl,
  bookPath,
  bookSessionPath,
  bookSlotPath,
  NOTHING_CHOSEN,
  parseBookUrl,
} from './book-url';

const SLOT = '2026-11-24T05:30:00Z';
const LATER = '2026-12-08T05:30:00Z';

function parse(query: string): BookUrl {
  return parseBookUrl(new URLSearchParams(query));
}

test.each([
  ['', {}],
  ['service=meditation', { serviceId: 'meditation' }],
  ['package=starter', { packageId: 'starter' }],
  ['service=meditation&auth=cancelled', { serviceId: 'meditation', cancelled: true }],
  ['returned=true', { returned: true }],
  [
    `service=meditation&slot=${SLOT}&step=auth`,
    { serviceId: 'meditation', slot: SLOT, step: 'auth' },
  ],
  [
    `service=meditation&slot=${SLOT}&practitioner=ravi`,
    { serviceId: 'meditation', slot: SLOT, practitioner: 'ravi' },
  ],
  [
    `service=meditation&package=starter&date=2026-12-01&slots=${SLOT},,${LATER}`,
    {
      serviceId: 'meditation',
      packageId: 'starter',
      date: '2026-12-01',
      slots: [SLOT, '', LATER],
    },
  ],
  [
    `package=starter&slots=${SLOT},${LATER}&step=auth&returned=true&report=${'a'.repeat(32)}`,
    {
      packageId: 'starter',
      slots: [SLOT, LATER],
      step: 'auth',
      returned: true,
      report: 'a'.repeat(32),
    },
  ],
  [
    `service=meditation&slot=${SLOT}&step=calendar-terms&report=${'a'.repeat(32)}`,
    { serviceId: 'meditation', slot: SLOT, step: 'calendar-terms', report: 'a'.repeat(32) },
  ],
  [
    `step=payment&b=bkg_1&report=${'a'.repeat(32)}`,
    { step: 'payment', bookingId: 'bkg_1', report: 'a'.repeat(32) },
  ],
  ['step=confirmation&b=bkg_1', { step: 'confirmation', bookingId: 'bkg_1' }],
] satisfies [string, Partial<BookUrl>][])(
  '"%s" survives the way through the address',
  (query, said) => {
    const url = { ...NOTHING_CHOSEN, ...said };
    expect(parse(query)).toEqual(url);
    expect(bookPath(url)).toBe(query ? `/book?${query}` : '/book');
  },
);

test.each([
  ...['auth=yes', 'returned=1', 'step=card', 'slot=tomorrow', 'date=tomorrow'],
  ...['report=1', `report=${'A'.repeat(32)}`],
])('%s is as if it were not there', (query) => expect(parse(query)).toEqual(NOTHING_CHOSEN));

test('what is booked and when does not stand beside a booking', () => {
  const url: BookUrl = {
    ...NOTHING_CHOSEN,
    serviceId: 'meditation',
    packageId: 'starter',
    date: '2026-12-01',
    slot: SLOT,
    slots: [SLOT, LATER],
    practitioner: 'ravi',
    returned: true,
    step: 'payment',
    bookingId: 'bkg_1',
  };
  expect(bookPath(url)).toBe('/book?step=payment&b=bkg_1');
});

test('a chosen time leads to the consent, and at /book-session to its gate', () => {
  const startsAt = new Date(SLOT);
  expect(bookSlotPath('meditation', startsAt)).toBe(
    `/book?service=meditation&slot=${SLOT}&step=calendar-terms`,
  );
  expect(bookSlotPath('meditation', startsAt, 'ravi')).toBe(
    `/book?service=meditation&slot=${SLOT}&practitioner=ravi&step=calendar-terms`,
  );
  const url = { ...NOTHING_CHOSEN, serviceId: 'meditation', slot: SLOT };
  expect(bookSessionPath(url)).toBe(`/book-session?service=meditation&slot=${SLOT}`);
  expect(bookSessionPath({ ...NOTHING_CHOSEN, cancelled: true })).toBe(
    '/book-session?auth=cancelled',
  );
});
