/** The test of this folder: in a running practice, with a console that has to stay silent. */
import { type BrowserContext, test as base, expect, type Page } from '@playwright/test';
import { Practice, START_MS_MAX, startPractice } from './practice';
import { Sandbox } from './sandbox';
import { type Complaints, watch } from './watch';

type OfTest = {
  sandbox: Sandbox;
  complaints: Complaints;
  /** A second person's browser, watched like the first. */
  otherPage: Page;
  /** Whether pages offer the guide and a first session by themselves, over what a test presses. */
  invitations: boolean;
};
type OfWorker = { practice: Practice };

/** All tests write from one address; a person who writes that many is slowed down. */
export const MUCH_WRITTEN = {
  GATEWAY_LIMIT_REVIEWS: '200/200',
  GATEWAY_LIMIT_FORMS: '200/200',
  GATEWAY_LIMIT_FORMS_PER_HOUR: '2000',
  BOOKING_UNPAID_PER_NETWORK: '100000/0',
  GATEWAY_LIMIT_UPLOADS_PER_HOUR: '2000',
  NOTIFICATIONS_CONTACT_LIMIT: '2000',
};

declare global {
  interface Window {
    /** Titles of all toasts that this document has shown. */
    toastsSeen?: string[];
  }
}

/** Toasts come and go; each is noted when it comes, so that no test has to be quick. */
function noteToasts(): void {
  const seen: string[] = [];
  window.toastsSeen = seen;
  let shown: Element | null = null;
  new MutationObserver(() => {
    const card = document.querySelector('[data-testid="toasts"] [data-variant]');
    if (card && card !== shown) seen.push(card.querySelector('p')?.textContent ?? '');
    shown = card;
  }).observe(document, { childList: true, subtree: true });
}

/** A visitor who has put away what is offered after a while. An empty document has no storage. */
function putInvitationsAway(): void {
  if (window.origin === 'null') return;
  sessionStorage.setItem('exitPopupShown', 'true');
  localStorage.setItem('promoBubbleDismissed', 'true');
}

/** Readies a browser: its toasts are noted, and invitations are put away unless they are wanted. */
export async function ready(context: BrowserContext, invitations = false): Promise<void> {
  await context.addInitScript(noteToasts);
  if (!invitations) await context.addInitScript(putInvitationsAway);
}

/** Waits until this document has shown a toast with this title. */
export async function expectToast(page: Page, title: string): Promise<void> {
  await expect.poll(() => page.evaluate(() => window.toastsSeen ?? [])).toContain(title);
}

/** What the app writes on the document when it has taken over the written page. */
const STARTED = 'html[data-app="started"]';

/**
 * Written pages are shown before their code is there. A person looks first and presses then; a test
 * would press at once, so it waits for the app, unless it says by `waitUntil` what it waits for.
 */
function startWithTheApp(page: Page, site: string): Page {
  const started = () => page.waitForSelector(STARTED, { state: 'attached' });
  const goto = page.goto.bind(page);
  page.goto = async (url, options) => {
    const answer = await goto(url, options);
    const isPage = answer?.headers()['content-type']?.includes('html');
    if (!options?.waitUntil && isPage && answer?.url().startsWith(site)) await started();
    return answer;
  };
  const reload = page.reload.bind(page);
  page.reload = async (options) => {
    const answer = await reload(options);
    if (!options?.waitUntil) await started();
    return answer;
  };
  return page;
}

/** The test of what needs no browser. */
export const plainTest = base.extend<object, OfWorker>({
  /** A practice of the worker's own, or the one that runs in the folder `SUKOON_E2E_DATA`. */
  practice: [
    async ({ browserName: _ }, provide) => {
      const running = process.env.SUKOON_E2E_DATA;
      const own = running ? undefined : await startPractice('main', MUCH_WRITTEN);
      await provide(new Practice(running ?? own?.data ?? ''));
      await own?.stop();
    },
    { scope: 'worker', timeout: START_MS_MAX },
  ],
  baseURL: async ({ practice }, provide) => provide(practice.url),
});

export const test = plainTest.extend<OfTest>({
  sandbox: async ({ practice }, provide) => provide(new Sandbox(practice.sandboxUrl)),
  invitations: [false, { option: true }],
  context: async ({ context, invitations }, provide) => {
    await ready(context, invitations);
    await provide(context);
  },
  page: async ({ page, practice }, provide) => {
    await provide(startWithTheApp(page, practice.url));
    // An answer that is still being prepared when the test is over is not needed.
    if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' });
  },
  complaints: [
    async ({ context, practice }, provide) => {
      const complaints = watch(context, practice.url);
      await provide(complaints);
      expect(complaints.unexpected(), 'the console and the network stay silent').toEqual([]);
    },
    { auto: true },
  ],
  otherPage: async (
    { browser, complaints, contextOptions, invitations, practice, viewport },
    provide,
  ) => {
    const context = await browser.newContext({
      ...contextOptions,
      baseURL: practice.url,
      viewport,
    });
    await ready(context, invitations);
    complaints.alsoOf(context);
    await provide(startWithTheApp(await context.newPage(), practice.url));
    await context.close();
  },
});

export { expect };
