import { expect, test } from 'vitest';
import { bookingFixture } from '@/testing/booking-fixture';
import {
  choicesOf,
  type FlowUrl,
  flowPath,
  flowQuery,
  parseFlowUrl,
  saysTooMuch,
} from './flow-url';

const FULL: FlowUrl = {
  serviceId: 'general-consultation',
  date: '2026-11-24',
  slot: '2026-11-24T05:30:00Z',
  practitioner: 'ravi',
  packageId: '',
  slots: [],
  step: 'calendar-terms',
  bookingId: 'bkg_1',
};
const LONG =
  '/booking-flow?service=general-consultation&date=2026-11-24&slot=2026-11-24T05:30:00Z' +
  '&practitioner=ravi';

test('every choice survives the way through the address', () => {
  const path = flowPath(FULL);
  expect(path).toBe(`${LONG}&step=calendar-terms&b=bkg_1`);
  expect(parseFlowUrl(new URLSearchParams(path.split('?')[1]))).toEqual(FULL);
});

test.each(['payment', 'confirmation', 'confirmed', undefined] as const)(
  'what is booked and when does not stand in the address of step %s',
  (step) => {
    const short = flowPath({ ...FULL, step });
    expect(short).toBe(`/booking-flow?${step ? `step=${step}&` : ''}b=bkg_1`);
    const query = (path: string) => new URLSearchParams(path.split('?')[1]);
    expect(saysTooMuch(query(`${LONG}&b=bkg_1${step ? `&step=${step}` : ''}`))).toBe(true);
    expect(saysTooMuch(query(short))).toBe(false);
    expect(saysTooMuch(query(flowPath({ ...FULL, bookingId: '', step })))).toBe(false);
  },
);

test('a booking leads back to the choices that it came of', () => {
  const booking = bookingFixture();
  const back: FlowUrl = { ...FULL, ...choicesOf(booking, ''), bookingId: '' };
  expect(flowPath(back)).toBe(
    '/booking-flow?service=general-consultation&slot=2026-11-24T05:30:00Z&step=calendar-terms',
  );
});

test('the dates of a package stand in their places', () => {
  const slots = ['2026-11-24T05:30:00Z', '', '2026-12-08T05:30:00Z'];
  const url: FlowUrl = { ...FULL, slot: '', packageId: 'starter', slots, bookingId: '' };
  const path = flowPath(url);
  expect(path).toContain('package=starter&slots=2026-11-24T05:30:00Z,,2026-12-08T05:30:00Z');
  expect(parseFlowUrl(new URLSearchParams(path.split('?')[1]))).toEqual(url);
});

test('what is not chosen is not written', () => {
  const url = parseFlowUrl(new URLSearchParams('service=meditation'));
  expect(url).toEqual({
    serviceId: 'meditation',
    date: '',
    slot: '',
    practitioner: '',
    packageId: '',
    slots: [],
    step: undefined,
    bookingId: '',
  });
  expect(flowQuery(url).toString()).toBe('service=meditation');
});

test.each([
  ['date=24-11-2026', 'date', ''],
  ['date=2026-13-45', 'date', ''],
  ['slot=tomorrow', 'slot', ''],
  ['slot=2026-11-24T99:00:00Z', 'slot', ''],
  ['slot=2026-11-24T05:30:00.000Z', 'slot', '2026-11-24T05:30:00Z'],
  ['slot=2026-11-24T05:30Z', 'slot', '2026-11-24T05:30:00Z'],
  ['step=done', 'step', undefined],
  ['step=calendar-terms', 'step', 'calendar-terms'],
] as const)('%s is read as %s = %s', (query, key, value) => {
  expect(parseFlowUrl(new URLSearchParams(query))[key]).toBe(value);
});
