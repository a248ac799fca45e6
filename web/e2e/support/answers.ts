/** Answers that a test gives in place of the practice, for what is hard to bring about. */
import { expect, type Page, type Route } from '@playwright/test';
import type { Complaints } from './watch';
import { refusal } from './watch';

export const RPC = {
  listReviews: '/rpc/reviews.v1.ReviewsService/ListReviews',
  getReview: '/rpc/reviews.v1.ReviewsService/GetReview',
  statistics: '/rpc/reviews.v1.ReviewsService/GetStatistics',
  checkBadge: '/rpc/reviews.v1.ReviewsService/CheckBadge',
  submitReview: '/rpc/reviews.v1.ReviewsService/SubmitReview',
  deleteReview: '/rpc/reviews.v1.ReviewsStaffService/DeleteReview',
  listSlots: '/rpc/booking.v1.BookingService/ListSlots',
  getBooking: '/rpc/booking.v1.BookingService/GetBooking',
  watchBooking: '/rpc/booking.v1.BookingService/WatchBooking',
  requestBooking: '/rpc/booking.v1.BookingService/RequestBooking',
  takeScheduledEvent: '/rpc/booking.v1.BookingCalendarService/TakeScheduledEvent',
  getConsent: '/rpc/booking.v1.ConsentService/GetConsent',
  consentTerms: '/rpc/catalogue.v1.CatalogueService/GetConsentTerms',
  startPayment: '/rpc/payments.v1.PaymentsService/StartPayment',
  checkPayment: '/rpc/payments.v1.PaymentsService/CheckPayment',
  listReceipts: '/rpc/payments.v1.PaymentsService/ListReceipts',
  guide: '/rpc/notifications.v1.NotificationsService/RequestMeditationGuide',
  catalogue: '/rpc/catalogue.v1.CatalogueService/',
} as const;

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

/** The end of a stream that said nothing, as Connect frames it: a flag, a length, an object. */
const NOTHING_MORE = Buffer.from([2, 0, 0, 0, 2, 123, 125]);

/** The page learns another cancellation limit than the practice has, in hours. */
export async function changeLimit(page: Page, cancellationHours: number): Promise<void> {
  await page.context().route('**/catalogue.v1.CatalogueService/GetPractice**', async (route) => {
    const answer = await route.fetch();
    const { practice } = (await answer.json()) as { practice: object };
    await route.fulfill({ json: { practice: { ...practice, cancellationHours } } });
  });
}

async function fetchBooking(route: Route): Promise<object> {
  const answer = await route.fetch();
  expect(answer.status(), 'the practice answers with its booking').toBe(200);
  return ((await answer.json()) as { booking: object }).booking;
}

/**
 * Shows a booking of the practice with some of its facts changed, and no news of it. The practice is
 * asked once: a page whose clock is made to run asks every few milliseconds.
 */
export async function changeBooking(page: Page, facts: object): Promise<void> {
  let first: Promise<object> | undefined;
  await page.route(`**${RPC.getBooking}**`, async (route) => {
    first ??= fetchBooking(route);
    await route.fulfill({ json: { booking: { ...(await first), ...facts } } });
  });
  const contentType = 'application/connect+json';
  await page.route(`**${RPC.watchBooking}**`, (route) =>
    route.fulfill({ contentType, body: NOTHING_MORE }),
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
