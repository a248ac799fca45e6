/** The scheduling provider's own widget on /book, in a frame of another origin. */
import { rmSync } from 'node:fs';
import type { FrameLocator, Page } from '@playwright/test';
import { expectTrouble, RPC } from './support/answers';
import { BOOK, giveConsent, payInTab, proceed } from './support/book';
import { expectStep, payByCard } from './support/flow';
import { look } from './support/look';
import { newPerson, type Person, signInByCode, signUpQuietly } from './support/people';
import { Practice, START_MS_MAX, startPractice } from './support/practice';
import { freeStarts, holdTime } from './support/rpc';
import { Sandbox } from './support/sandbox';
import { practiceWithWidget } from './support/scheduling';
import { test as base, expect } from './support/test';

type OfWorker = { widgets: { practice: Practice; provider: Sandbox } };

/** One practice for all tests of a worker. */
const test = base.extend<object, OfWorker>({
  widgets: [
    async ({ browserName: _ }, provide, info) => {
      const folder = `${info.project.outputDir}/scheduling-${info.workerIndex}`;
      const settings = await practiceWithWidget(folder);
      const running = await startPractice(`scheduling-${info.workerIndex}`, settings);
      const practice = new Practice(running.data);
      await provide({ practice, provider: new Sandbox(practice.sandboxUrl) });
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: START_MS_MAX },
  ],
});

function widgetOn(page: Page): FrameLocator {
  return page.frameLocator('iframe[title^="Choose a time for"]');
}

/** Schedules a time in the widget as a client does. The next step may take the widget away. */
async function schedule(page: Page, { firstName, lastName, email }: Person, start: string) {
  const widget = widgetOn(page);
  await widget.getByLabel('Time').selectOption(start);
  await widget.getByLabel('Name').fill(`${firstName} ${lastName}`);
  await widget.getByLabel('Email').fill(email);
  const scheduled = page.waitForResponse((answer) =>
    answer.url().endsWith('/widget/session/events'),
  );
  await widget.getByRole('button', { name: 'Schedule Event' }).click();
  expect((await scheduled).status()).toBe(201);
}

/** The last start that is free at the provider and, as wanted, in our own day. */
async function startFor({ practice, provider }: OfWorker['widgets']): Promise<string> {
  const ours = new Set(await freeStarts(practice));
  const both = (await provider.freeStarts()).filter((start) => ours.has(start));
  return both.at(-1) ?? '';
}

async function expectFailed(page: Page, told: string): Promise<void> {
  await expect(page.getByText(told, { exact: true })).toBeVisible();
  expect(page.url()).not.toContain('step=');
}

// The first one: event types that were read are known for some minutes.
test('Scheduling: event types that cannot be fetched, and none @phone', async ({
  page,
  widgets,
  complaints,
}) => {
  const { practice, provider } = widgets;
  expectTrouble(complaints, RPC.takeScheduledEvent);
  await page.goto(`${practice.url}${BOOK}`);
  const types = 'scheduling.event_types';
  await provider.order({ target: types, kind: 'status' });
  await schedule(page, newPerson('Asha'), await startFor(widgets));
  await expectFailed(page, 'Failed to fetch event types');
  await provider.order({ target: types, kind: 'empty' });
  await page.getByRole('button', { name: 'Try again' }).click();
  await expectFailed(page, 'No event types found');
  await look(page, 'scheduling-failed');
  // The event is still there, and another one leads on.
  await schedule(page, newPerson('Asha'), await startFor(widgets));
  await expectStep(page, 'Consent to Online Session');
});

test('a time of the scheduling widget is held, paid and confirmed @phone', async ({
  page,
  widgets,
}) => {
  const { practice, provider } = widgets;
  const person = newPerson('Asha');
  const answer = await page.goto(`${practice.url}${BOOK}`);
  const policy = answer?.headers()['content-security-policy'] ?? '';
  expect(policy).toMatch(/frame-src http:\/\/localhost:\d+/);
  await expect(widgetOn(page).getByRole('heading', { name: 'Choose a time' })).toBeVisible();
  await look(page, 'scheduling-frame');
  const start = await startFor(widgets);
  await schedule(page, person, start);
  await giveConsent(page, `${person.firstName} ${person.lastName}`, person.email);
  expect(new URL(page.url()).searchParams.get('slot')).toBe(start);
  await expectStep(page, 'Sign In Required');
  await signInByCode(page, provider, person);
  const tab = await proceed(page);
  await payInTab(tab, payByCard);
  await tab.close();
  await expectStep(page, 'Booking Confirmed!');
  // The event is the booking's, at its time: no second one was made, and none was cancelled.
  expect(await provider.freeStarts()).not.toContain(start);
});

test('what the widget itself did not say is not believed @phone', async ({ page, widgets }) => {
  const { practice, provider } = widgets;
  await page.goto(`${practice.url}${BOOK}`);
  const told: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes(RPC.takeScheduledEvent)) told.push(request.url());
  });
  await provider.order({ target: 'scheduling.widget', kind: 'refuse', code: 'wrong_origin' });
  const posted = page.evaluate(
    () =>
      new Promise<string>((done) => {
        addEventListener('message', ({ data, origin }) => {
          if (data?.event === 'calendly.event_scheduled') done(origin);
        });
      }),
  );
  await schedule(page, newPerson('Asha'), await startFor(widgets));
  expect(await posted, 'the message came, from elsewhere').toBe(practice.sandboxUrl);
  // The page itself can post, too, and is no widget either.
  await page.evaluate(() => postMessage({ event: 'calendly.event_scheduled', payload: {} }, '*'));
  expect(page.url()).not.toContain('step=');
  expect(told).toEqual([]);
});

test('Scheduling: a booking that cannot be created @phone', async ({
  page,
  widgets,
  complaints,
}) => {
  const { practice, provider } = widgets;
  const person = newPerson('Asha');
  for (const path of [RPC.takeScheduledEvent, RPC.requestBooking]) expectTrouble(complaints, path);
  await page.goto(`${practice.url}${BOOK}`);
  const none = 'Failed to create booking: The calendar has no such appointment.';
  const other = 'Failed to create booking: This appointment is of another kind.';
  for (const [code, told] of [
    ['unknown_uri', none],
    ['other_type', other],
  ] as const) {
    await provider.order({ target: 'scheduling.widget', kind: 'refuse', code });
    await schedule(page, person, await startFor(widgets));
    await expectFailed(page, told);
  }
  await provider.order({ target: 'scheduling.event', kind: 'status' });
  await schedule(page, person, await startFor(widgets));
  await expectFailed(page, 'Failed to create booking: Unknown error');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expectStep(page, 'Consent to Online Session');
  // The address of an event that another page took over.
  await page.goto(`${practice.url}${BOOK}`);
  await provider.order({ target: 'scheduling.widget', kind: 'refuse', code: 'used_twice' });
  await schedule(page, person, await startFor(widgets));
  await expectFailed(page, none);
});

test('what our own day refuses is cancelled at the provider @phone', async ({
  page,
  browser,
  widgets,
  complaints,
}) => {
  const { practice, provider } = widgets;
  expectTrouble(complaints, RPC.requestBooking);
  const [first, second] = [newPerson('Asha'), newPerson('Meera')];
  const start = await startFor(widgets);
  const other = await browser.newContext();
  const token = await signUpQuietly(await other.newPage(), practice.url, second);
  await signUpQuietly(page, practice.url, first);
  await page.goto(`${practice.url}${BOOK}`);
  await schedule(page, first, start);
  await giveConsent(page, `${first.firstName} ${first.lastName}`, first.email);
  await expectStep(page, 'Booking Details');
  // Another client takes the time in our own calendar.
  await holdTime(practice, { person: second, token }, start);
  await other.close();
  const opened = page.context().waitForEvent('page');
  await page.getByRole('button', { name: 'Proceed to Payment' }).click();
  await (await opened).close().catch(() => undefined);
  await expect(page.getByText(/^Failed to create booking: /)).toBeVisible();
  await expect(page.getByText('The appointment that you chose is cancelled')).toBeVisible();
  await expect.poll(() => provider.freeStarts(), { timeout: 60_000 }).toContain(start);
});
