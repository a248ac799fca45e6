/** The price, the length and the day that the first screen says. */
import { afterEach, expect, test, vi } from 'vitest';
import type { Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { practiceFixture } from '@/testing/practice-fixture';
import { firstService, serviceFacts, sessionFacts, whenText } from './first-facts';

const IST = { timeZone: 'Asia/Kolkata', label: 'IST' };
const { services } = practiceFixture();

function changed(serviceId: string, facts: Partial<Service>): Service[] {
  return services.map((one) => (one.serviceId === serviceId ? { ...one, ...facts } : one));
}

function price(minorUnits: bigint): Service['price'] {
  return { $typeName: 'common.v1.Money', minorUnits, currencyCode: 'INR' };
}

afterEach(() => vi.restoreAllMocks());

test('sessions are from the lowest price, and as short and as long as they are written', () => {
  expect(sessionFacts(services)).toBe('Sessions from ₹500 · 30–90 min');
  const general = firstService(services) as Service;
  expect(serviceFacts(general)).toBe('General Consultation, 45 min, ₹500');
});

test('a length in other words counts as what a session reserves', () => {
  const hour = changed('karmic-healing', { durationText: '2 hours', durationMinutes: 120 });
  expect(sessionFacts(hour)).toBe('Sessions from ₹500 · 30–120 min');
});

test('what is free of charge is not the price from which sessions begin', () => {
  const free = changed('meditation', { price: price(0n) });
  expect(sessionFacts(free)).toBe('Sessions from ₹500 · 30–90 min');
  expect(firstService(free)?.serviceId).toBe('general-consultation');
});

test('of two that cost the same the first of the list is shown', () => {
  const equal = changed('meditation', { price: price(50_000n) });
  expect(firstService(equal)?.serviceId).toBe('general-consultation');
  expect(firstService([...equal].reverse())?.serviceId).toBe('meditation');
});

test('without services nothing is said', () => {
  expect(sessionFacts([])).toBe('');
  expect(firstService([])).toBeUndefined();
});

test('the day is a word where it is near, in the practice’s zone', () => {
  readerIn('Asia/Kolkata');
  const now = new Date('2026-11-22T20:00:00Z');
  // 01:30 on the 23rd in Bhopal.
  expect(whenText(new Date('2026-11-23T05:30:00Z'), now, IST)).toBe('today 11:00 am IST');
  expect(whenText(new Date('2026-11-24T05:30:00Z'), now, IST)).toBe('tomorrow 11:00 am IST');
  const later = whenText(new Date('2026-11-25T05:30:00Z'), now, IST);
  expect(later).toMatch(/^Wed, 25 Nov, 11:00 am IST$/);
});

test('where the reader’s day is another one, the date is said', () => {
  readerIn('America/Los_Angeles');
  const now = new Date('2026-11-22T20:00:00Z');
  // Today in Bhopal is the 23rd; in Los Angeles it is the 22nd, and so is the session's start.
  expect(whenText(new Date('2026-11-23T05:30:00Z'), now, IST)).toBe('today 11:00 am IST');
  // The start is tomorrow in Los Angeles, and today in Bhopal.
  const evening = whenText(new Date('2026-11-23T11:30:00Z'), now, IST);
  expect(evening).toMatch(/^Mon, 23 Nov, 5:00 pm IST$/);
});

test.each(['Etc/Unknown', undefined])('a reader in zone %s reads the date', (zone) => {
  readerIn(zone as string);
  const now = new Date('2026-11-23T04:00:00Z');
  const text = whenText(new Date('2026-11-23T05:30:00Z'), now, IST);
  expect(text).toBe('Mon, 23 Nov, 11:00 am IST');
});

/** Makes the browser's own zone this one. */
function readerIn(timeZone: string): void {
  const real = Intl.DateTimeFormat;
  const own = { ...new real().resolvedOptions(), timeZone };
  vi.spyOn(real.prototype, 'resolvedOptions').mockReturnValue(own);
}
