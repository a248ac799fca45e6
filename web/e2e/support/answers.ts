/** Answers that a test gives in place of the practice, for what is hard to bring about. */
import { expect, type Page, type Route } from '@playwright/test';
import type { Complaints } from './watch';
import { refusal } from './watch';

export const RPC = {
  listReviews: '/rpc/reviews.v1.ReviewsService/ListReviews',
  checkBadge: '/rpc/reviews.v1.ReviewsService/CheckBadge',
  listSlots: '/rpc/booking.v1.BookingService/ListSlots',
  takeScheduledEvent: '/rpc/booking.v1.BookingCalendarService/TakeScheduledEvent',
  startPayment: '/rpc/payments.v1.PaymentsService/StartPayment',
} as const;

/** How long one look takes that is repeated, with a new page, until it has seen what it waits for. */
export const ONE_LOOK = { timeout: 10_000 };

/**
 * `go` asks the practice, `wait` keeps the browser waiting, `refuse` says that a part is away,
 * `cut` is a browser without a network, `lose` a connection that breaks, and a number a refusal with
 * that status. Anything else is the answer itself.
 */
export type Answer = 'go' | 'wait' | 'refuse' | 'cut' | 'lose' | number | object;

const AWAY = { code: 'unavailable', message: 'This part is away.' };

async function give(route: Route, answer: Answer): Promise<void> {
  if (answer === 'go') return route.continue();
  if (answer === 'cut') return route.abort('internetdisconnected');
  if (answer === 'lose') return route.abort();
  if (answer === 'refuse') return route.fulfill({ status: 503, json: AWAY });
  if (typeof answer === 'number') {
    return route.fulfill({ status: answer, json: { code: answer, msg: 'No.' } });
  }
  return route.fulfill({ json: answer });
}

export type StandIn = {
  /** From now on, also for calls that are waiting. */
  answer: (next: Answer) => void;
  /** How often it was asked. */
  asked: () => number;
  /** Returns when one more call than so many was made, and each was given its answer. */
  answeredAfter: (calls: number) => Promise<void>;
};

/**
 * Answers one path in place of the practice, until the browser's context ends. A test that needs it
 * no more lets it `go`: if it were taken back, a call that is late would be another one.
 */
export async function standIn(page: Page, path: string | RegExp, first: Answer): Promise<StandIn> {
  let now = first;
  let count = 0;
  let given = 0;
  let waiting: (() => void)[] = [];
  await page.route(typeof path === 'string' ? `**${path}**` : path, async (route) => {
    count += 1;
    while (now === 'wait') await new Promise<void>((go) => waiting.push(go));
    await give(route, now);
    given += 1;
  });
  return {
    answer: (next) => {
      now = next;
      const told = waiting;
      waiting = [];
      for (const go of told) go();
    },
    asked: () => count,
    answeredAfter: (calls) =>
      expect.poll(() => count > calls && given === count, 'it is asked and answered').toBe(true),
  };
}

/** What a browser says when a path was refused to it, or could not be reached. */
export function expectTrouble(complaints: Complaints, path: string): void {
  const name = path.replace(/[/.]/g, '\\$&');
  complaints.expect(
    refusal(path),
    new RegExp(`${name}.*ERR_INTERNET_DISCONNECTED|ERR_INTERNET_DISCONNECTED.*${name}`),
  );
}

/** A review as the practice answers with it. */
export function reviewAnswer(facts: object = {}): object {
  return {
    reviewId: `rvw_${'0'.repeat(31)}1`,
    name: 'Meera Joshi',
    service: 'Energy Healing',
    rating: 5,
    text: 'I came with three questions and left with a plan.',
    userGenerated: true,
    createdAt: new Date().toISOString(),
    ...facts,
  };
}
