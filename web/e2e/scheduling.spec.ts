/**
 * The scheduling provider's own widget on /book, in a frame of another origin. What each refusal says is
 * in src/app/book-page/scheduling-frame.test.tsx and book.test.tsx, what is believed and given back in
 * services/booking/tests/it/scheduling_widget.rs.
 */
import { rmSync } from 'node:fs';
import type { FrameLocator, Page } from '@playwright/test';
import { expectTrouble, RPC } from './support/answers';
import { BOOK, giveConsent, payInTab, proceed } from './support/book';
import { expectStep, payByCard } from './support/flow';
import { look } from './support/look';
import { newPerson, type Person, signInByCode } from './support/people';
import { Practice, START_MS_MAX, startPractice } from './support/practice';
import { freeStarts } from './support/rpc';
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

// The first one: event types that were read are known for some minutes.
test('a time of the scheduling widget is held, paid and confirmed', async ({
  page,
  widgets,
  complaints,
}) => {
  const { practice, provider } = widgets;
  const person = newPerson('Asha');
  const answer = await page.goto(`${practice.url}${BOOK}`);
  const policy = answer?.headers()['content-security-policy'] ?? '';
  expect(policy).toMatch(/frame-src http:\/\/localhost:\d+/);
  await expect(widgetOn(page).getByRole('heading', { name: 'Choose a time' })).toBeVisible();
  await look(page, 'scheduling-frame');
  expectTrouble(complaints, RPC.takeScheduledEvent);
  await provider.order({ target: 'scheduling.event_types', kind: 'status' });
  const start = await startFor(widgets);
  await schedule(page, person, start);
  await expect(page.getByText('Failed to fetch event types', { exact: true })).toBeVisible();
  expect(page.url()).not.toContain('step=');
  await page.getByRole('button', { name: 'Try again' }).click();
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
