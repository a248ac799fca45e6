/**
 * The meditation guide that is offered to visitors who are about to leave the home page: where it
 * lies, and what it leaves free. When it opens and how it closes is tested in `src/features/guide`.
 */
import type { Page } from '@playwright/test';
import { walkTo } from './support/keyboard';
import { fitsTheWidth } from './support/look';
import { newPerson } from './support/people';
import { expect, expectToast, test } from './support/test';

// This test waits for what others put away.
test.use({ invitations: true });

const NOON = new Date('2026-11-21T12:00:00+05:30');
const DELAY_MS = 30_000;

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

/** A clock that only the test moves. */
async function stopTheClock(page: Page): Promise<void> {
  await page.clock.install({ time: NOON });
  await page.clock.pauseAt(new Date(NOON.getTime() + 1000));
}

async function openAtRest(page: Page): Promise<void> {
  await stopTheClock(page);
  await page.goto('/');
  await untilAwake(page);
}

async function leaveThroughTop(page: Page): Promise<void> {
  await page.mouse.move(500, 300);
  await page.mouse.move(500, 2);
  await page.mouse.move(500, -5);
}

async function leaveElsewhere(page: Page): Promise<void> {
  await page.mouse.move(500, 300);
  await page.mouse.move(-5, 300);
  await page.mouse.move(500, 300);
  await page.mouse.move(500, 900);
}

function flagOf(page: Page): Promise<string | null> {
  return page.evaluate(() => sessionStorage.getItem('exitPopupShown'));
}

test('it opens when the mouse leaves or the time is over, beside what is read @phone', async ({
  page,
}, { project }) => {
  await openAtRest(page);
  await opener(page).focus();
  const onPhone = project.name === 'phone';
  // A finger never leaves through the top.
  if (onPhone) await leaveThroughTop(page);
  else await leaveElsewhere(page);
  await page.clock.runFor(DELAY_MS - 1);
  await expect(popup(page)).toHaveCount(0);
  expect(await flagOf(page)).toBeNull();
  if (onPhone) await page.clock.runFor(1);
  else await leaveThroughTop(page);
  await expect(popup(page)).toBeVisible();
  await expect(opener(page)).toBeFocused();
  expect(await flagOf(page)).toBe('true');
  await fitsTheWidth(page);
  const [card, screen] = await Promise.all([popup(page).boundingBox(), page.viewportSize()]);
  expect(card?.height, 'it leaves more than half of the screen').toBeLessThan(
    (screen?.height ?? 0) / 2,
  );
  await page.clock.resume();

  // It is not modal: the page scrolls, and all of it can be reached.
  await page.getByRole('contentinfo').scrollIntoViewIfNeeded();
  expect(await page.evaluate(() => window.scrollY)).toBeGreaterThan(500);
  await page.emulateMedia({ media: 'print' });
  await expect(popup(page)).toBeHidden();
  await page.emulateMedia({ media: null });
  await popup(page).getByRole('button', { name: 'Close' }).click();
  await expect(popup(page)).toHaveCount(0);
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

const LOW_WINDOWS = [
  { width: 740, height: 360 },
  { width: 320, height: 256 },
];

test('in a low window it is one line, which opens when it is asked to', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await stopTheClock(page);
  for (const viewport of LOW_WINDOWS) {
    await test.step(`${viewport.width} x ${viewport.height}`, async () => {
      await page.setViewportSize(viewport);
      await page.goto('/');
      await untilAwake(page);
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
      // The next window is another visitor's.
      await page.evaluate(() => {
        sessionStorage.clear();
        localStorage.clear();
      });
    });
  }
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
  expect(await sandbox.inbox(email)).toHaveLength(1);
});
