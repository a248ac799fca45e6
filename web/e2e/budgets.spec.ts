/**
 * The bytes of a page before anything is pressed: the built site as it is served, until the idle
 * work is done and the network is silent. Bytes are gzip bytes, a kB has a thousand.
 */
import { gzipSync } from 'node:zlib';
import type { Browser, Page, Response } from '@playwright/test';
import { CONSENT } from './support/book';
import { CALENDAR, expectReady, expectStep } from './support/flow';
import { expectSome } from './support/lists';
import { signInOwner } from './support/owner';
import { BOOKING, LEGAL_PATHS, PATHS, pathOf } from './support/pages';
import { newPerson, signUpQuietly } from './support/people';
import type { Practice } from './support/practice';
import { holdTime, writeReview } from './support/rpc';
import { expect, test } from './support/test';

const KB = 1000;
/** What a page may weigh above its limit before a change fails; limits are drawn in at releases. */
const SLACK = 1.05;

/** For a visitor who is not signed in; a session needs more code. */
const PUBLIC_SCRIPTS_MAX = 140 * KB;
/** The page that holds a form, a list, and figures that are counted from what the list holds. */
const REVIEWS_SCRIPTS_MAX = 142 * KB;
/** For each step that has an address, signed in or not. 3 of these keep the session in the cookie. */
const BOOKING_SCRIPTS_MAX = 213 * KB;
/** What an account needs, and the day of the practice; tasks and further screens come by themselves. */
const DESK_SCRIPTS_MAX = 215 * KB;
const STYLES_MAX = 15 * KB;
const FONTS_MAX = 70 * KB;
/** The steps of a booking come near to it; public pages stay below 240. */
const PAGE_MAX = 315 * KB;
/** For the widget in a frame of another site, with everything that it loads and reads, and its script. */
const WIDGET_MAX = 25 * KB;
/** For pages that read nothing of their own. 1.5 of these know whether the cookie holds a session. */
const PLAIN_SCRIPTS_MAX = 122 * KB;
const PLAIN = [
  ...['about', 'services', 'faq', 'cancellation-policy', 'unsubscribe'].map(pathOf),
  ...LEGAL_PATHS,
];

/** What belongs to one customer, and is opened from a mail or from the account's menu. */
const OWN = [
  ...['receipt', 'consent', 'pay/booking', 'session', 'join', 'organisation', 'invitations'],
  ...['account', 'account/sessions', 'account/waiting', 'account/receipts', 'desk'],
].map(pathOf);
const REVIEWS = pathOf('reviews');

const COMPRESSED = /^(?:text\/|image\/svg|application\/(?:javascript|json|manifest))/;

type Place = {
  name: string;
  scriptsMax: number;
  /** Opens a session and so on, where it has to, and says the path. */
  path: (page: Page) => string | Promise<string>;
  /** What is waited for, where the refresh of the practice is not the last thing that comes. */
  settled?: (page: Page) => Promise<void>;
  /** A person is signed in by then. */
  signedIn?: boolean;
  /** Another origin that may be called beside the practice. */
  provider?: string;
};

type Weight = {
  name: string;
  scriptsMax: number;
  scripts: number;
  styles: number;
  fonts: number;
  all: number;
  requests: number;
};

const KINDS: Record<string, 'scripts' | 'styles' | 'fonts'> = {
  script: 'scripts',
  stylesheet: 'styles',
  font: 'fonts',
};

function limitOf(path: string): number {
  if (OWN.includes(path)) return BOOKING_SCRIPTS_MAX;
  if (path === REVIEWS) return REVIEWS_SCRIPTS_MAX;
  return PLAIN.includes(path) ? PLAIN_SCRIPTS_MAX : PUBLIC_SCRIPTS_MAX;
}

/** Every page that stays at its path, and one service as all are alike. */
function publicPlaces(): Place[] {
  return [...PATHS, '/service/karmic-healing'].map((path) => ({
    name: path,
    scriptsMax: limitOf(path),
    path: () => path,
  }));
}

/** What is read of this page comes from the practice, so there has to be something. */
function reviewPlace(practice: Practice): Place {
  const words = 'I was heard, and I came again.';
  return {
    name: '/reviews/{id}',
    scriptsMax: PUBLIC_SCRIPTS_MAX,
    path: async () => {
      const { reviewId } = await writeReview(practice.url, newPerson('Rekha'), words);
      return `/reviews/${reviewId}`;
    },
    settled: (page) => expect(page.getByText(words)).toBeVisible(),
  };
}

/** The first step behind the free times of /book. */
function consentPlace(): Place {
  return {
    name: '/book, the consent',
    scriptsMax: BOOKING_SCRIPTS_MAX,
    path: () => CONSENT,
    settled: (page) => expect(page.getByLabel('Signature')).toBeVisible(),
  };
}

/** The dates of a package, which a single session does not load. */
function packagePlace(): Place {
  return {
    name: '/book, a package',
    scriptsMax: BOOKING_SCRIPTS_MAX,
    path: () => '/book?package=starter',
    settled: (page) => expect(page.getByTestId('times')).toBeVisible(),
  };
}

/** The account of a signed-in client, before anything of it is changed. */
function accountPlace(practice: Practice): Place {
  return {
    name: '/account, signed in',
    scriptsMax: BOOKING_SCRIPTS_MAX,
    path: async (page) => {
      await signUpQuietly(page, practice.url, newPerson('Sudha'));
      return pathOf('account');
    },
    settled: (page) => expect(page.getByLabel('First name')).toBeVisible(),
    signedIn: true,
  };
}

/** The day of the practice; the number of tasks comes five seconds later, and is not of it. */
function deskPlace(practice: Practice): Place {
  return {
    name: '/desk, a member',
    scriptsMax: DESK_SCRIPTS_MAX,
    path: async (page) => {
      await signInOwner(page, practice);
      return pathOf('desk');
    },
    settled: (page) => expect(page.getByRole('button', { name: 'Close a time…' })).toBeVisible(),
    signedIn: true,
  };
}

/** The flow of a new visitor, and the two steps at which a signed-in customer may begin. */
function bookingPlaces(practice: Practice): Place[] {
  const scriptsMax = BOOKING_SCRIPTS_MAX;
  const signUp = async (page: Page) => {
    const person = newPerson('Sudha');
    return { person, token: await signUpQuietly(page, practice.url, person) };
  };
  return [
    {
      name: `${BOOKING}, a stranger`,
      scriptsMax,
      path: () => `${BOOKING}?service=meditation`,
      settled: (page) => expectStep(page, 'Sign In Required'),
    },
    {
      name: `${BOOKING}, the calendar`,
      scriptsMax,
      path: async (page) => {
        await signUp(page);
        return CALENDAR;
      },
      settled: (page) => expect(page.getByTestId('times')).toBeVisible(),
      signedIn: true,
    },
    {
      name: `${BOOKING}, the payment`,
      scriptsMax,
      path: async (page) => {
        const bookingId = await holdTime(practice, await signUp(page));
        return `${CALENDAR}&step=payment&b=${bookingId}`;
      },
      settled: expectReady,
      signedIn: true,
      provider: practice.sandboxUrl,
    },
  ];
}

async function bytesOf(response: Response): Promise<number> {
  const type = (await response.headerValue('content-type')) ?? '';
  if (COMPRESSED.test(type)) {
    const body = await response.body().catch((cause: unknown) => {
      throw new Error(`${response.url()} has no body`, { cause });
    });
    return gzipSync(body).length;
  }
  return (await response.request().sizes()).responseBodySize;
}

/** Whether these are the scripts of the session, which are fetched in an idle moment. */
async function keepsSignedIn(response: Response): Promise<boolean> {
  if (response.request().resourceType() !== 'script') return false;
  return (await response.text()).includes('GoTrueClient instances');
}

/** Opens a place without a cache, and waits until nothing comes any more. */
async function load(page: Page, { path, settled, signedIn }: Place): Promise<Response[]> {
  const address = await path(page);
  const responses: Response[] = [];
  page.on('response', (response) => responses.push(response));
  // The news of a booking has no end, and while they come no network is silent.
  await page.route('**/booking.v1.BookingService/WatchBooking**', (route) => route.abort());
  // The refresh of what the practice says is the last thing that waits for an idle moment.
  const idle = page.waitForResponse(/\/rpc\/catalogue\.v1\.CatalogueService\/ListFaqs/);
  const woken = signedIn ? page.waitForResponse(keepsSignedIn) : undefined;
  await page.goto(address);
  await idle;
  await woken;
  await settled?.(page);
  await page.waitForLoadState('networkidle');
  return responses;
}

/** The checkout's own script comes from its provider, and is not ours to weigh. */
async function weigh(page: Page, place: Place, origin: string): Promise<Weight> {
  const { name, scriptsMax } = place;
  const weight = { name, scriptsMax, scripts: 0, styles: 0, fonts: 0, all: 0, requests: 0 };
  for (const response of await load(page, place)) {
    if (!response.url().startsWith(origin)) continue;
    // A page ends the calls that it needs no more; what has come of them cannot be read.
    if (response.request().failure()) continue;
    const bytes = await bytesOf(response);
    const kind = KINDS[response.request().resourceType()];
    if (kind) weight[kind] += bytes;
    weight.all += bytes;
    weight.requests += 1;
  }
  return weight;
}

function table(weights: readonly Weight[]): string {
  const kb = (bytes: number) => (bytes / KB).toFixed(1).padStart(8);
  const head = `${'page (kB gzip)'.padEnd(34)} scripts  styles   fonts     all  requests`;
  const rows = weights.map(
    ({ name, scripts, styles, fonts, all, requests }) =>
      `${name.padEnd(33)}${kb(scripts)}${kb(styles)}${kb(fonts)}${kb(all)}  ${requests}`,
  );
  return `\n${[head, ...rows].join('\n')}\n`;
}

async function weighAll(browser: Browser, practice: Practice): Promise<Weight[]> {
  const baseURL = practice.url;
  const viewport = { width: 1280, height: 800 };
  const weights: Weight[] = [];
  const places = [
    ...publicPlaces(),
    reviewPlace(practice),
    consentPlace(),
    packagePlace(),
    accountPlace(practice),
    deskPlace(practice),
    ...bookingPlaces(practice),
  ];
  for (const place of places) {
    const context = await browser.newContext({ baseURL, viewport });
    const page = await context.newPage();
    const strangers: string[] = [];
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      const away =
        protocol !== 'data:' && protocol !== 'blob:' && ![baseURL, place.provider].includes(origin);
      if (away) strangers.push(request.url());
    });
    weights.push(await test.step(place.name, () => weigh(page, place, baseURL)));
    expect(strangers, `${place.name} asks nobody else`).toEqual([]);
    await context.close();
  }
  return weights;
}

test('no page weighs more than it may', async ({ browser, practice }) => {
  // Some thirty pages, each in a browser without a cache.
  test.setTimeout(600_000);
  const weights = await weighAll(browser, practice);
  process.stdout.write(table(weights));
  for (const { name, scriptsMax, scripts, styles, fonts, all } of weights) {
    expect.soft(scripts, `scripts of ${name}`).toBeLessThanOrEqual(scriptsMax * SLACK);
    expect.soft(styles, `styles of ${name}`).toBeLessThanOrEqual(STYLES_MAX * SLACK);
    expect.soft(fonts, `fonts of ${name}`).toBeLessThanOrEqual(FONTS_MAX * SLACK);
    expect.soft(all, `all of ${name}`).toBeLessThanOrEqual(PAGE_MAX * SLACK);
  }
});

test('the widget weighs no more than it may before it is touched', async ({ page, practice }) => {
  const responses: Response[] = [];
  page.on('response', (response) => responses.push(response));
  await page.goto('/embed/book', { waitUntil: 'load' });
  await expectSome(page.getByRole('link', { name: / IST, / }));
  await page.waitForLoadState('networkidle');
  const script = await page.request.get('/embed.js');
  let bytes = gzipSync(await script.body()).length;
  const parts = [`embed.js ${bytes}`];
  for (const response of responses) {
    const { origin, pathname } = new URL(response.url());
    expect(origin).toBe(practice.url);
    const own = await bytesOf(response);
    // The icon of a page is not asked for in a frame.
    if (pathname === '/favicon.svg') continue;
    parts.push(`${pathname} ${own}`);
    bytes += own;
  }
  process.stdout.write(`\nthe widget: ${bytes} bytes (${parts.join(', ')})\n`);
  expect(bytes).toBeLessThanOrEqual(WIDGET_MAX * SLACK);
});
