/** Days and starts as the picker shows them. */
import type { Slot, SlotDay } from '@/gen/booking/v1/booking_service_pb';
import { toInstant } from '@/lib/instant';
import { localDate, localHour, toDate, type Zone } from '@/lib/time';

export const WEEK_DAYS = 7;
const DAY_MS = 86_400_000;
const NOON = 12;
const EVENING = 17;

export type Start = {
  /** The instant as the address writes it. */
  instant: string;
  at: Date;
  endsAt: Date;
  available: boolean;
};

export type StartGroup = { name: 'Morning' | 'Afternoon' | 'Evening'; starts: Start[] };

function toStart(slot: Slot): Start[] {
  if (!slot.startsAt || !slot.endsAt) return [];
  const at = toDate(slot.startsAt);
  return [{ instant: toInstant(at), at, endsAt: toDate(slot.endsAt), available: slot.available }];
}

export function startsOf(day: SlotDay | undefined): Start[] {
  return day?.slots.flatMap(toStart) ?? [];
}

export function hasFree(day: SlotDay): boolean {
  return !day.closed && day.slots.some((slot) => slot.available);
}

function nameOf(at: Date, zone: Zone): StartGroup['name'] {
  const hour = localHour(at, zone.timeZone);
  if (hour < NOON) return 'Morning';
  return hour < EVENING ? 'Afternoon' : 'Evening';
}

/** Starts under the part of the day in which they lie; empty parts are left out. */
export function groupStarts(starts: readonly Start[], zone: Zone): StartGroup[] {
  const groups: StartGroup[] = [];
  for (const start of starts) {
    const name = nameOf(start.at, zone);
    const group = groups.find((one) => one.name === name);
    if (group) group.starts.push(start);
    else groups.push({ name, starts: [start] });
  }
  return groups;
}

/** Adds days to a calendar date without any zone arithmetic. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS);
}

/** Which run of seven days, counted from today, holds the date. */
export function weekOf(today: string, date: string): number {
  return date ? Math.max(0, Math.floor(daysBetween(today, date) / WEEK_DAYS)) : 0;
}

/** The free starts closest to one that was lost, earliest first. */
export function nearestFree(days: readonly SlotDay[], lost: Date, count: number): Start[] {
  const free = days.flatMap(startsOf).filter((start) => start.available);
  const distance = (start: Start) => Math.abs(start.at.getTime() - lost.getTime());
  return [...free]
    .sort((a, b) => distance(a) - distance(b))
    .slice(0, count)
    .sort((a, b) => a.at.getTime() - b.at.getTime());
}

/**
 * Whether a chosen start is gone: its day is listed, and there it is missing or not free. A day
 * that is not among those listed says nothing.
 */
export function isLost(days: readonly SlotDay[], instant: string, zone: Zone): boolean {
  if (!instant) return false;
  const date = localDate(new Date(instant), zone.timeZone);
  const day = days.find((one) => one.date === date);
  if (!day) return false;
  return !startsOf(day).some((start) => start.instant === instant && start.available);
}
