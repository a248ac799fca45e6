/** The meditation guide that is offered to visitors who are about to leave the home page. */
import type { Locator, Page } from '@playwright/test';
import { fitsTheWidth, look } from './support/look';
import { newPerson } from './support/people';
import { expect, expectToast, test } from './support/test';

// This test waits for what others put away.
test.use({ invitations: true });

const NOON = new Date('2026-11-21T12:00:00+05:30');
const ASK = '/rpc/notifications.v1.NotificationsService/RequestMeditationGuide';
const DELAY_MS = 30_000;
const TABS_MAX = 120;

const popup = (page: Page) => page.getByRole('dialog', { name: 'Ten quiet minutes for you' });
const field = (page: Page) => popup(page).getByLabel('Email');
const opener = (page: Page) => page.getByRole('button', { name: /quiz/i });
const quizStart = (page: Page) => page.getByRole('button', { name: 'Start Your Assessment' });

/** The quiz opens, so the page is hydrated and its timers run. */
async function untilAwake(page: Page): Promise<void> {
  await opener(page).click();
  await expect(quizStart(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(quizStart(page)).toBeHidden();
}

/** On the home page, with a clock that only the test moves. */
async function openAtRest(page: Page): Promise<void> {
  await page.clock.install({ time: NOON });
  await page.clock.pauseAt(new Date(NOON.getTime() + 1000));
  await page.goto('/');
  await untilAwake(page);
}

async function leaveThroughTop(page: Page): Promise<void> {
  await page.mouse.move(500, 300);
  await page.mouse.move(500, 2);
  await page.mouse.move(500, -5);
}

async function walkTo(page: Page, target: Locator): Promise<void> {
  for (let step = 0; step < TABS_MAX; step += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('The Tab key does not reach it.');
}

function flagOf(page: Page): Promise<string | null> {
  return page.evaluate(() => sessionStorage.getItem('exitPopupShown'));
}

test('it opens 30,000 ms after the load, beside what is read @phone', async ({ page }) => {
  await openAtRest(page);
  await opener(page).focus();
  await page.clock.runFor(DELAY_MS - 1);
  await expect(popup(page)).toHaveCount(0);
  expect(await flagOf(page)).toBeNull();
  await page.clock.runFor(1);
  await expect(popup(page)).toBeVisible();
  await expect(popup(page)).toContainText('5-step meditation guide that works in 10 minutes');
  await expect(opener(page)).toBeFocused();
  expect(await flagOf(page)).toBe('true');
  const told = page.getByRole('status').filter({ hasText: 'Escape closes the offer.' });
  await expect(told).toHaveCount(1);
  await page.clock.resume();
  await look(page, 'exit-popup');

  // It is not modal: the page scrolls, and all of it can be reached.
  await page.getByRole('contentinfo').scrollIntoViewIfNeeded();
  expect(await page.evaluate(() => window.scrollY)).toBeGreaterThan(500);
  await page.emulateMedia({ media: 'print' });
  await expect(popup(page)).toBeHidden();
  await page.emulateMedia({ media: null });
  await popup(page).getByRole('button', { name: 'Close' }).click();
  await expect(popup(page)).toHaveCount(0);
});

test('it opens when the mouse leaves through the top, and at no other side', async ({ page }) => {
  await page.goto('/');
  await untilAwake(page);
  await page.mouse.move(500, 300);
  await page.mouse.move(-5, 300);
  await page.mouse.move(500, 300);
  await page.mouse.move(500, 900);
  await expect(popup(page)).toHaveCount(0);
  expect(await flagOf(page)).toBeNull();
  await leaveThroughTop(page);
  await expect(popup(page)).toBeVisible();
});

test('a finger never leaves through the top @phone-only @phone', async ({ page }) => {
  await openAtRest(page);
  await leaveThroughTop(page);
  await page.clock.runFor(DELAY_MS - 1);
  await expect(popup(page)).toHaveCount(0);
  await page.clock.runFor(1);
  await expect(popup(page)).toBeVisible();
  const [card, screen] = await Promise.all([popup(page).boundingBox(), page.viewportSize()]);
  expect(card?.height, 'it leaves more than half of the screen').toBeLessThan(
    (screen?.height ?? 0) / 2,
  );
});

/** How many stops of the Tab key are checked. */
const STOPS = 12;

/** What is left of the window between the header and the offer. */
async function freeHeight(page: Page): Promise<number> {
  const header = await page.getByRole('banner').boundingBox();
  const card = await popup(page).boundingBox();
  return (card?.y ?? 0) - (header?.y ?? 0) - (header?.height ?? Number.POSITIVE_INFINITY);
}

/** Whether what has the focus shows a line of itself, unless it is a part of header or offer. */
function focusIsSeen(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const at = document.activeElement;
    const card = document.querySelector('dialog[open]');
    const header = document.querySelector('header');
    if (!at || !card || !header) return false;
    if (at.closest('header, dialog[open]')) return true;
    const { top, bottom, height } = at.getBoundingClientRect();
    const from = Math.max(top, header.getBoundingClientRect().bottom);
    const to = Math.min(bottom, card.getBoundingClientRect().top);
    return to - from >= Math.min(height, 24) - 1;
  });
}

for (const viewport of [
  { width: 740, height: 360 },
  { width: 320, height: 256 },
]) {
  test.describe(`in a window of ${viewport.width} x ${viewport.height}`, () => {
    test.use({ viewport });

    test('it is one line, which opens when it is asked to', async ({ page }) => {
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await openAtRest(page);
      await page.clock.runFor(DELAY_MS);
      await expect(popup(page)).toBeVisible();
      await expect(field(page)).toBeHidden();
      expect(await freeHeight(page)).toBeGreaterThanOrEqual(viewport.height / 2);
      for (let stop = 0; stop < STOPS; stop += 1) {
        await page.keyboard.press('Tab');
        await expect.poll(() => focusIsSeen(page), `stop ${stop} is seen`).toBe(true);
      }
      await fitsTheWidth(page);

      await opener(page).focus();
      await popup(page).getByRole('button', { name: 'Open' }).click();
      await expect(popup(page).getByRole('heading')).toBeFocused();
      await expect(field(page)).toBeVisible();
      const opened = await popup(page).boundingBox();
      expect(opened?.y).toBeGreaterThanOrEqual(0);
      await page.keyboard.press('Escape');
      await expect(popup(page)).toHaveCount(0);
    });
  });
}

test('once in a session, over reload and navigation', async ({ page }) => {
  await openAtRest(page);
  await leaveThroughTop(page);
  await popup(page).getByRole('button', { name: 'Close' }).click();
  await expect(popup(page)).toHaveCount(0);
  await leaveThroughTop(page);
  await page.clock.runFor(2 * DELAY_MS);
  await expect(popup(page)).toHaveCount(0);

  await page.reload();
  await untilAwake(page);
  await leaveThroughTop(page);
  await page.clock.runFor(2 * DELAY_MS);
  await expect(popup(page)).toHaveCount(0);

  const menu = page.getByRole('navigation', { name: 'Main' });
  await menu.getByRole('link', { name: 'Services' }).click();
  await expect(page).toHaveURL(/\/services$/);
  await menu.getByRole('link', { name: 'Home' }).click();
  await untilAwake(page);
  await leaveThroughTop(page);
  await page.clock.runFor(2 * DELAY_MS);
  await expect(popup(page)).toHaveCount(0);
});

test('other pages have none', async ({ page }) => {
  await page.clock.install({ time: NOON });
  await page.goto('/services');
  await page.getByRole('button', { name: 'Energy Healing' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await leaveThroughTop(page);
  await page.clock.runFor(2 * DELAY_MS);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(await flagOf(page)).toBeNull();
});

test('it waits until the quiz is closed', async ({ page }) => {
  await openAtRest(page);
  await opener(page).click();
  await expect(quizStart(page)).toBeVisible();
  await page.clock.runFor(2 * DELAY_MS);
  await expect(popup(page)).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(quizStart(page)).toBeHidden();
  await page.clock.runFor(1_000);
  await expect(popup(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(popup(page)).toHaveCount(0);
  await expect(opener(page)).toBeFocused();
});

test('the guide is asked for, and it closes @phone', async ({ page, sandbox }) => {
  const { email } = newPerson('Divya');
  await openAtRest(page);
  await page.clock.runFor(DELAY_MS);
  await field(page).fill(email);
  await popup(page).getByRole('button', { name: 'Send Me the Guide' }).click();
  await expectToast(page, 'Success!');
  await expect(page.getByTestId('toasts')).toContainText(
    'Your 5-step meditation guide is on its way to your inbox.',
  );
  await expect(popup(page)).toHaveCount(0);
  await sandbox.mail(email, /./);
  expect(await sandbox.inbox(email)).toHaveLength(1);
});

test('a failure keeps what was typed', async ({ page, complaints }) => {
  complaints.expect(/RequestMeditationGuide.*ERR_INTERNET_DISCONNECTED/);
  complaints.expect(/ERR_INTERNET_DISCONNECTED.*RequestMeditationGuide/);
  await page.route(`**${ASK}`, (route) => route.abort('internetdisconnected'));
  const { email } = newPerson('Esha');
  await openAtRest(page);
  await page.clock.runFor(DELAY_MS);
  await field(page).fill(email);
  await popup(page).getByRole('button', { name: 'Send Me the Guide' }).click();
  await expectToast(page, 'Error');
  await expect(page.getByTestId('toasts')).toContainText(
    'Failed to send the guide. Please try again.',
  );
  await expect(field(page)).toHaveValue(email);
  await fitsTheWidth(page);
  await page.clock.resume();
  await look(page, 'exit-popup-failed');
});

test('everything can be done with the keyboard', async ({ page, sandbox }) => {
  const { email } = newPerson('Farah');
  await openAtRest(page);
  await page.clock.runFor(DELAY_MS);
  await expect(popup(page)).toBeVisible();
  await walkTo(page, field(page));
  await page.keyboard.type('asha');
  await page.keyboard.press('Enter');
  await expect(popup(page).locator('input[type="email"]:invalid')).toBeFocused();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
  await expectToast(page, 'Success!');
  await expect(popup(page)).toHaveCount(0);
  const inMain = await page.evaluate(
    () => document.getElementById('main')?.contains(document.activeElement) ?? false,
  );
  expect(inMain, 'the focus is where it was before').toBe(true);
  await sandbox.mail(email, /./);
});
