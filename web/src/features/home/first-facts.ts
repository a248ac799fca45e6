/** What a visitor wants to know first, worked out from the services: the price, the length, the day. */
import type { Service } from '@/gen/catalogue/v1/catalogue_service_pb';
import { formatPrice } from '@/lib/money';
import { formatShortDate, formatTime, localDate, readersZone, type Zone } from '@/lib/time';

const DAY_MS = 86_400_000;
/** "45 minutes", "45-60 minutes" and "30 mins"; anything else says nothing about minutes. */
const MINUTES = /^(\d+)(?:\s*[-–]\s*(\d+))?\s*min/i;

type Length = { from: number; to: number };

/** The length as it is written; where that says no minutes, what a session reserves. */
function lengthOf({ durationText, durationMinutes }: Service): Length {
  const [, from, to] = MINUTES.exec(durationText.trim()) ?? [];
  if (!from) return { from: durationMinutes, to: durationMinutes };
  return { from: Number(from), to: Number(to ?? from) };
}

function lengthText({ from, to }: Length): string {
  return from === to ? `${from} min` : `${from}–${to} min`;
}

function paid(services: readonly Service[]): Service[] {
  return services.filter(({ price }) => price !== undefined && price.minorUnits > 0n);
}

function minorUnits({ price }: Service): bigint {
  return price?.minorUnits ?? 0n;
}

/**
 * The service whose next free time is shown: the one with the lowest price, which is what a first
 * visit is for; of equals the first in the practice's order. One is enough: the other services
 * begin at about the same time, and asking for seven lists to say one time would be too much.
 */
export function firstService(services: readonly Service[]): Service | undefined {
  return paid(services).reduce<Service | undefined>(
    (least, one) => (least && minorUnits(least) <= minorUnits(one) ? least : one),
    undefined,
  );
}

/** "Sessions from ₹500 · 30–90 min", or nothing where there is nothing to buy. */
export function sessionFacts(services: readonly Service[]): string {
  const first = firstService(services);
  if (!first) return '';
  const lengths = paid(services).map(lengthOf);
  const from = Math.min(...lengths.map((length) => length.from));
  const to = Math.max(...lengths.map((length) => length.to));
  return `Sessions from ${formatPrice(first.price)} · ${lengthText({ from, to })}`;
}

/** "General Consultation, 45 min, ₹500" */
export function serviceFacts(service: Service): string {
  return `${service.title}, ${lengthText(lengthOf(service))}, ${formatPrice(service.price)}`;
}

function nextDay(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + DAY_MS).toISOString().slice(0, 10);
}

function dayWord(at: Date, now: Date, timeZone: string): 'today' | 'tomorrow' | undefined {
  const today = localDate(now, timeZone);
  const date = localDate(at, timeZone);
  if (date === today) return 'today';
  return date === nextDay(today) ? 'tomorrow' : undefined;
}

/**
 * "today 11:00 am IST", "tomorrow 11:00 am IST" or "Tue, 24 Nov, 11:00 am IST". The word is said
 * only where it is the same day for the practice and for the reader.
 */
export function whenText(at: Date, now: Date, zone: Zone): string {
  const own = readersZone();
  const word = dayWord(at, now, zone.timeZone);
  const time = formatTime(at, zone);
  if (word && own && word === dayWord(at, now, own)) return `${word} ${time}`;
  return `${formatShortDate(at, zone)}, ${time}`;
}
