/**
 * The days on which a spec books. The specs of a worker share one practice, in an order that depends
 * on how quick each is; on days of its own none finds its day full or its time taken by another.
 */
import { basename } from 'node:path';
import { test } from '@playwright/test';
import { addDays, WEEK_DAYS } from '../../src/features/booking/shared/slots';

/**
 * Each has two days from next week on, three specs to a week. The week that begins today is left to
 * tests that want the next free time, and its last day to keyboard.spec.ts.
 */
const SHARED = [
  'payment',
  'book',
  'bank',
  'device',
  'booking',
  'slots',
  'bad-days',
  'sign-in',
  'policy',
  'receipt',
  'payment-link',
  'phone-booking',
  'shop-window',
  'free-session',
  'contrast',
  'budgets',
  'own-sessions',
  'moves',
];
const SPECS_OF_A_WEEK = 3;

/** A package has the last day of its week and of the two that follow. */
const PACKAGES = ['packages', 'book-package'];
const WEEKS_OF_A_PACKAGE = 3;

/** These start a practice of their own, in which no other spec books. */
const ALONE = [
  'papers',
  'practitioners',
  'reviews',
  'desk',
  'waiting',
  'refund-requests',
  'session-page',
  'practice-moves',
  'mail-preferences',
  'session-taps',
];

/** How far ahead the sample practice is booked (`horizon_days`). */
const HORIZON_DAYS = 60;

export type Place = {
  /** Which run of seven days, counted from the one that begins today. */
  week: number;
  /** Which days of it, 0 to 6. */
  days: readonly number[];
};

function findPlace(spec: string): Place {
  if (ALONE.includes(spec)) return { week: 1, days: [0, 1] };
  const ofPackages = PACKAGES.indexOf(spec);
  if (ofPackages >= 0) return { week: 1 + ofPackages * WEEKS_OF_A_PACKAGE, days: [6] };
  const index = SHARED.indexOf(spec);
  if (index < 0) throw new Error(`Give ${spec}.spec.ts days of its own in support/own-days.ts.`);
  const first = (index % SPECS_OF_A_WEEK) * 2;
  return { week: 1 + Math.floor(index / SPECS_OF_A_WEEK), days: [first, first + 1] };
}

/** Where the days of the spec that runs lie. */
export function ownPlace(): Place {
  const place = findPlace(basename(test.info().file, '.spec.ts'));
  if ((place.week + 1) * WEEK_DAYS > HORIZON_DAYS) throw new Error('There are not so many days.');
  return place;
}

type SlotDay = { date: string; slots?: { startsAt: string; available?: boolean }[] };

async function listDays(site: string, asked: object): Promise<SlotDay[]> {
  const answer = await fetch(`${site}/rpc/booking.v1.BookingService/ListSlots`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(asked),
  });
  if (!answer.ok) throw new Error(`ListSlots answered ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { days: SlotDay[] }).days;
}

/** The dates of the spec's days, by the clock and in the zone of the practice. */
export async function ownDates(site: string, serviceId: string): Promise<string[]> {
  const { week, days } = ownPlace();
  const [today] = await listDays(site, { serviceId, days: 1 });
  return days.map((day) => addDays(today?.date ?? '', week * WEEK_DAYS + day));
}

/** The free starts of the spec's days, as instants, earliest first. */
export async function ownStarts(site: string, serviceId: string): Promise<string[]> {
  const dates = await ownDates(site, serviceId);
  const days = await listDays(site, { serviceId, fromDate: dates[0], days: dates.length });
  const slots = days.flatMap(({ slots: all = [] }) => all);
  return slots.filter(({ available }) => available).map(({ startsAt }) => startsAt);
}

/** The first free start of the spec's days, as an instant. */
export async function ownStart(site: string, serviceId: string): Promise<string> {
  const [free] = await ownStarts(site, serviceId);
  if (!free) throw new Error('No time is left on the days of this spec.');
  return free;
}
