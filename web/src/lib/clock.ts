/**
 * What time it is. Points in time that the server names (the end of a hold, a limit, a start) are
 * compared with the server's clock: a device's may be an hour off. How far, is measured from the
 * `Date` of answers. A length of time that begins and ends in this page is taken from the device.
 */

/** The header has whole seconds, and an answer takes its time: less than this is no difference. */
const TOLERANCE_MS = 5_000;
/** A small file that each server of this site has. */
const ASKED = '/robots.txt';

let offset = 0;
let measured = false;
const listeners = new Set<() => void>();

/** The device's clock, for lengths of time only. */
export function deviceMs(): number {
  return Date.now();
}

/** The time by the server's clock. */
export function serverNow(): number {
  return Date.now() + offset;
}

export function serverDate(): Date {
  return new Date(serverNow());
}

/** Calls back whenever the difference between the two clocks is measured anew. */
export function onClockSet(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What the browser kept has the date of long ago. */
function isFresh(answer: Response, init: RequestInit | undefined): boolean {
  if (init?.cache === 'no-store') return true;
  if ((init?.method ?? 'GET') !== 'GET') return true;
  return /no-store|no-cache/.test(answer.headers.get('cache-control') ?? '');
}

function learn(answer: Response, askedAt: number): void {
  const written = Date.parse(answer.headers.get('date') ?? '');
  if (Number.isNaN(written)) return;
  const answeredAt = Date.now();
  const found = written + 500 - (askedAt + answeredAt) / 2;
  const doubt = TOLERANCE_MS + (answeredAt - askedAt) / 2;
  const next = Math.abs(found) < doubt ? 0 : found;
  const news = !measured || Math.abs(next - offset) > doubt;
  measured = true;
  if (!news) return;
  offset = next;
  for (const listener of listeners) listener();
}

/** `fetch`, which learns the server's time from the answers. */
export const clockedFetch: typeof fetch = async (input, init) => {
  const askedAt = Date.now();
  const answer = await fetch(input, init);
  if (isFresh(answer, init)) learn(answer, askedAt);
  return answer;
};

/** Asks for the server's time where no answer has told it yet. */
export async function measureClock(): Promise<void> {
  if (measured) return;
  try {
    await clockedFetch(ASKED, { method: 'HEAD', cache: 'no-store' });
  } catch {
    // Without a connection the device's clock is all there is.
  }
}
