/**
 * The widget on a page of the practice's site, on another origin, by each kind of embedding. What it
 * shows and says in each state is in src/widget/widget.test.ts.
 */
import { rmSync } from 'node:fs';
import type { FrameLocator, Page } from '@playwright/test';
import { giveConsent, payInTab, proceed } from './support/book';
import { hardToPress } from './support/ease';
import { expectStep, payByCard, SERVICE } from './support/flow';
import { expectSome, firstOf, lastOf, nthOf } from './support/lists';
import { lookInSchemes } from './support/look';
import { type OtherSite, openSite, practiceThatLists } from './support/other-site';
import { newPerson, type Person } from './support/people';
import { Practice, type Running, START_MS_MAX, startPractice } from './support/practice';
import { test as base, expect } from './support/test';

type OfWorker = { listed: { practice: Practice; site: OtherSite; stranger: OtherSite } };

const WIDGET = `/embed/book?service=${SERVICE}`;

function pagesOf(url: string) {
  const script = `${url}/embed.js`;
  const plain = `<iframe data-sukoon-booking title="Book a session" src="${url}${WIDGET}"`;
  return {
    '/element': {
      body: `<sukoon-booking service="${SERVICE}" name="Asha Verma" email="asha@example.com">
             </sukoon-booking>`,
      scripts: [script],
    },
    '/all': { body: '<sukoon-booking></sukoon-booking>', scripts: [script] },
    '/colours': {
      body: `<sukoon-booking primary="#ffd166" background="#101820" text="#fee715">
             </sukoon-booking><sukoon-booking primary="#eeeeee" theme="light"></sukoon-booking>`,
      scripts: [script],
    },
    '/plain': { body: `${plain} data-name="Asha Verma"></iframe>`, scripts: [script] },
    '/bare': { body: `${plain}></iframe>` },
    '/other-page': { body: `<iframe title="Book" src="${url}/book"></iframe>` },
  };
}

/** One practice for all tests of a worker; its list names the one site, and not the other. */
const test = base.extend<object, OfWorker>({
  listed: [
    async ({ browserName: _ }, provide, info) => {
      const [site, stranger] = [await openSite(), await openSite()];
      const folder = `${info.project.outputDir}/listed-${info.workerIndex}`;
      const settings = practiceThatLists(site.origin, folder);
      const running: Running = await startPractice(`embed-${info.workerIndex}`, settings);
      const practice = new Practice(running.data);
      for (const one of [site, stranger]) one.show(practice.url, pagesOf(practice.url));
      await provide({ practice, site, stranger });
      await running.stop();
      for (const one of [site, stranger]) await one.stop();
      rmSync(folder, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: START_MS_MAX },
  ],
});

function widgetOn(page: Page): FrameLocator {
  return firstOf(page.locator('iframe')).contentFrame();
}

function freeTimes(widget: FrameLocator) {
  return widget.getByRole('link', { name: / IST, .* opens in a new tab$/ });
}

/** Chooses the last free time of the last day in sight; the tab that opened. */
async function choose(page: Page): Promise<Page> {
  const widget = widgetOn(page);
  await expectSome(freeTimes(widget));
  // In this practice only this file books.
  await lastOf(widget.getByRole('group', { name: 'Day' }).locator('button:enabled')).click();
  const opened = page.context().waitForEvent('page');
  await lastOf(freeTimes(widget)).click();
  return opened;
}

/** What the page was told, without sizes. */
async function told(page: Page): Promise<string[]> {
  const messages = await page.evaluate(() => window.messages);
  return messages.map(({ event }) => event).filter((event) => event !== 'sukoon:resize');
}

/** From the consent to the money, in the tab, as a person without an account. */
async function bookInTab(tab: Page, person: Person): Promise<void> {
  await giveConsent(tab, `${person.firstName} ${person.lastName}`, person.email);
  await expectStep(tab, 'Sign In Required');
  await tab.getByRole('main').getByRole('button', { name: 'Create New Account' }).click();
  await tab.getByLabel('First name').fill(person.firstName);
  await tab.getByLabel('Last name').fill(person.lastName);
  await tab.getByLabel('Email').fill(person.email);
  await tab.getByLabel('Phone').fill(person.phone);
  await tab.getByLabel('Password', { exact: true }).fill(person.password);
  await tab.getByRole('button', { name: 'Create Account' }).click();
  const payment = await proceed(tab);
  await payInTab(payment, payByCard);
  await payment.close();
}

test('from a time in the frame to the message that the session is booked @phone', async ({
  page,
  listed: { practice, site },
}) => {
  const person = newPerson('Asha');
  await page.goto(`${site.origin}/element`);
  const widget = widgetOn(page);
  await expectSome(freeTimes(widget));
  await expect(widget.getByLabel('Session')).toHaveCount(0);
  await lookInSchemes(page, 'widget-times');
  expect(await hardToPress(widget.locator('#widget'))).toEqual([]);
  // It is as high as what it shows, so nothing scrolls inside.
  const inside = widget.locator('html');
  await expect.poll(() => inside.evaluate((html) => html.scrollHeight - html.clientHeight)).toBe(0);

  const tab = await choose(page);
  await expect(tab).toHaveURL(new RegExp(`^${practice.url}/book\\?service=${SERVICE}&slot=`));
  expect(await tab.evaluate(() => window.opener)).toBeNull();
  // What the site knew is in the form, and not in the address.
  await expect(tab.getByLabel('Full name')).toHaveValue('Asha Verma');
  await expect(tab.getByLabel('Email')).toHaveValue('asha@example.com');
  expect(tab.url()).not.toContain('#');
  await tab.getByLabel('Email').fill(person.email);
  await expect(widget.getByRole('heading', { name: /goes on in a new tab/ })).toBeVisible();

  await bookInTab(tab, person);
  await page.bringToFront();
  await expect(widget.getByRole('heading', { name: 'Your session is booked' })).toBeVisible();
  const messages = await page.evaluate(() => window.messages);
  for (const { origin } of messages) expect(origin).toBe(practice.url);
  const booked = messages.filter(({ event }) => event === 'sukoon:event_scheduled');
  expect(booked).toHaveLength(1);
  const slot = new URL(tab.url()).searchParams.get('slot');
  expect(slot).toBeNull();
  expect(booked[0]?.payload).toMatchObject({ serviceId: SERVICE });
  // Nothing personal is told, and no booking can be found by it.
  const all = JSON.stringify(messages);
  for (const secret of [person.email, 'Verma', 'bkg_']) expect(all).not.toContain(secret);
  const steps = await page.evaluate(() => window.stepsSeen.map(({ name }) => name));
  expect(steps).toEqual(['ready', 'time_selected', 'booking_opened', 'event_scheduled']);
});

test('a plain frame is resized and filled in by our script, and works without it', async ({
  page,
  listed: { practice, site },
}) => {
  await page.goto(`${site.origin}/plain`);
  await expectSome(freeTimes(widgetOn(page)));
  const frame = page.locator('iframe');
  await expect.poll(async () => (await frame.boundingBox())?.height ?? 0).toBeGreaterThan(400);
  const filled = await choose(page);
  await expect(filled.getByLabel('Full name')).toHaveValue('Asha Verma');
  await expect.poll(() => told(page)).toContain('sukoon:booking_opened');
  await filled.close();

  await page.goto(`${site.origin}/bare`);
  const tab = await choose(page);
  await expectStep(tab, 'Consent to Online Session');
  await expect(tab.getByLabel('Full name')).toHaveValue('');
  await expect
    .poll(() => told(page))
    .toEqual([
      'sukoon:ready',
      'sukoon:day_selected',
      'sukoon:time_selected',
      'sukoon:booking_opened',
    ]);
  const messages = await page.evaluate(() => window.messages);
  expect(new Set(messages.map(({ origin }) => origin))).toEqual(new Set([practice.url]));
});

test('a site that is not listed shows nothing, and no other page of ours is framed', async ({
  page,
  complaints,
  listed: { practice, site, stranger },
}) => {
  complaints.expect(/frame-ancestors/, /postMessage/, /chrome-error/, /request failed: .*\/book/);
  for (const address of [
    `${stranger.origin}/element`,
    `${stranger.origin}/bare`,
    `${site.origin}/other-page`,
  ]) {
    const refused = page.waitForEvent('console', (line) => /frame-ancestors/.test(line.text()));
    await page.goto(address);
    await refused;
    expect(await told(page), address).toEqual([]);
    await expect(freeTimes(widgetOn(page))).toHaveCount(0);
    if (!address.endsWith('/element')) continue;
    // A visitor of such a site is led on.
    const way = page.getByRole('link', { name: /opens in a new tab/ });
    await expect(way).toHaveAttribute('href', new RegExp(`^${practice.url}/book`));
  }
  const answer = await page.request.get(`${practice.url}/embed/book`);
  expect(answer.headers()['content-security-policy']).toContain(`frame-ancestors ${site.origin}`);
});

/** Says what has the focus, inside the frame where it is there, and that it can be seen. */
async function focused(page: Page): Promise<string> {
  for (const frame of page.frames().reverse()) {
    const found = await frame.evaluate(() => {
      const active = document.activeElement;
      if (!active || active === document.body || active instanceof HTMLIFrameElement) return '';
      const ring = getComputedStyle(active).outlineStyle;
      const label = active.getAttribute('aria-label') ?? active.textContent ?? '';
      return `${active.tagName} ${label.trim()} ${active.tagName === 'H2' ? '' : ring}`.trim();
    });
    if (found) return found;
  }
  return '';
}

test('by keyboard alone', async ({ page, listed: { site } }) => {
  await page.goto(`${site.origin}/all`);
  const widget = widgetOn(page);
  await expectSome(freeTimes(widget));
  await page.keyboard.press('Tab');
  expect(await focused(page)).toContain('More about us');
  await page.keyboard.press('Tab');
  expect(await focused(page)).toMatch(/^SELECT .*solid$/);
  // Another session by its first letter, and its times are there.
  await page.keyboard.type('Med');
  await expect.poll(() => told(page)).toContain('sukoon:service_selected');
  await expectSome(freeTimes(widget));
  await page.keyboard.press('Tab');
  expect(await focused(page)).toMatch(/^BUTTON .* free solid$/);
  await page.keyboard.press('Enter');
  await expect.poll(() => told(page)).toContain('sukoon:day_selected');
  const days = await widget.getByRole('group', { name: 'Day' }).locator('button:enabled').count();
  for (let day = 0; day < days; day += 1) await page.keyboard.press('Tab');
  expect(await focused(page)).toMatch(/^A .*opens in a new tab solid$/);
  const opened = page.context().waitForEvent('page');
  await page.keyboard.press('Enter');
  const tab = await opened;
  await expectStep(tab, 'Consent to Online Session');
  await tab.close();
  await page.bringToFront();
  expect(await focused(page)).toBe('H2 Your booking goes on in a new tab');
  await page.keyboard.press('Tab');
  expect(await focused(page)).toContain('A Open it again');
  await page.keyboard.press('Tab');
  expect(await focused(page)).toContain('BUTTON Choose another time');
  await page.keyboard.press('Enter');
  await expect.poll(() => told(page)).toContain('sukoon:closed');
  expect(await focused(page)).toBe('H2 Free times');
});

test('wishes for colours are taken where they can be read, and others are told', async ({
  page,
  listed: { site },
}) => {
  await page.goto(`${site.origin}/colours`);
  const widget = (at: number) => nthOf(page.locator('iframe'), at).contentFrame();
  const paper = (at: number) =>
    widget(at)
      .locator('body')
      .evaluate((body) => getComputedStyle(body).backgroundColor);
  await expectSome(freeTimes(widget(1)));
  expect(await paper(0)).toBe('rgb(16, 24, 32)');
  expect(await paper(1)).toBe('rgb(251, 248, 243)');
  await lookInSchemes(page, 'widget-colours');
  const messages = await page.evaluate(() => window.messages);
  const ignored = messages.filter(({ event }) => event === 'sukoon:setting_ignored');
  expect(ignored.map(({ payload }) => payload)).toEqual([
    { name: 'primary', reason: 'its contrast to the background is below 4.5' },
  ]);
});
