/** Bookings that staff make for a client on the phone. */
import { expect } from '@playwright/test';
import { SERVICE } from './flow';
import { ownStart } from './own-days';
import type { Person } from './people';
import type { Practice } from './practice';

/** A free start in the practice's zone: "2026-11-24T11:00". */
async function freeStart({ url }: Practice): Promise<string> {
  const start = Date.parse(await ownStart(url, SERVICE));
  const india = new Date(start + 330 * 60_000);
  return india.toISOString().slice(0, 16);
}

/** The page of payment. */
export const PAGE_ADDRESS = /https?:\/\/\S+\/pay\/booking#key=[\w-]{43}/;

/** Books the first time of the spec's own days; says the address that staff may read aloud. */
export async function bookByPhone(
  practice: Practice,
  { firstName, lastName, email }: Person,
  ...more: string[]
) {
  const start = await freeStart(practice);
  const who = ['--first-name', firstName, '--last-name', lastName, '--email', email];
  const said = practice.staff('phone-booking', SERVICE, start, ...who, ...more, '--mail');
  const bookingId = /bkg_[0-9a-f]{32}/.exec(said)?.[0] ?? '';
  const address = PAGE_ADDRESS.exec(said)?.[0] ?? '';
  expect(bookingId).not.toBe('');
  return { bookingId, address };
}
