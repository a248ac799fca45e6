import { expect, test } from 'vitest';
import { type FlowUrl, flowPath, flowQuery, parseFlowUrl, saysTooMuch } from './flow-url';

const FULL: FlowUrl = {
  serviceId: 'general-consultation',
  date: '2026-11-24',
  slot: '2026-11-24T05:30:00Z',
  practitioner: 'ravi',
  packageId: '',
  slots: [],
  step: 'calendar-terms',
  bookingId: 'bkg_1',
  offer: 'blk_1',
};
const LONG =
  '/booking-flow?service=general-consultation&date=2026-11-24&slot=2026-11-24T05:30:00Z' +
  '&practitioner=ravi&offer=blk_1';

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

test('the dates of a package stand in their places', () => {
  const slots = ['2026-11-24T05:30:00Z', '', '2026-12-08T05:30:00Z'];
  const url: FlowUrl = { ...FULL, slot: '', packageId: 'starter', slots, bookingId: '' };
  const path = flowPath(url);
  expect(path).toContain('package=starter&slots=2026-11-24T05:30:00Z,,2026-12-08T05:30:00Z');
  expect(parseFlowUrl(new URLSearchParams(path.split('?')[1]))).toEqual(url);
});

test('what is not chosen is not written', () => {
  const url = parseFlowUrl(new URLSearchParams('service=meditation'));
  expect(flowQuery(url).toString()).toBe('service=meditation');
});

test.each([
  ['step=done', 'step', undefined],
  ['step=calendar-terms', 'step', 'calendar-terms'],
] as const)('%s is read as %s = %s', (query, key, value) => {
  expect(parseFlowUrl(new URLSearchParams(query))[key]).toBe(value);
});
