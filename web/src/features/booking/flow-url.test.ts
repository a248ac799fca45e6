import { expect, test } from 'vitest';
import { type FlowUrl, flowPath, flowQuery, parseFlowUrl } from './flow-url';

const FULL: FlowUrl = {
  serviceId: 'general-consultation',
  date: '2026-11-24',
  slot: '2026-11-24T05:30:00Z',
  step: 'payment',
  bookingId: 'bkg_1',
};

test('every choice survives the way through the address', () => {
  const path = flowPath(FULL);
  expect(path).toBe(
    '/booking-flow?service=general-consultation&date=2026-11-24' +
      '&slot=2026-11-24T05:30:00Z&step=payment&b=bkg_1',
  );
  expect(parseFlowUrl(new URLSearchParams(path.split('?')[1]))).toEqual(FULL);
});

test('what is not chosen is not written', () => {
  const url = parseFlowUrl(new URLSearchParams('service=meditation'));
  expect(url).toEqual({
    serviceId: 'meditation',
    date: '',
    slot: '',
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
