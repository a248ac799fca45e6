/**
 * Forced colours, as in Windows' contrast themes: the browser removes our backgrounds, and the
 * selected one of several choices still has to look different from the others.
 */
import type { Locator, Page } from '@playwright/test';
import { CALENDAR, chooseTime, expectStep } from './support/flow';
import { firstOf, lastOf } from './support/lists';
import { newPerson, signUpQuietly } from './support/people';
import { expect, test } from './support/test';

type Colours = { ground: string; words: string };

/** What the system marks with that is chosen, in the browser's own notation. */
function systemColours(page: Page): Promise<Colours> {
  return page.evaluate(() => {
    const probe = document.createElement('i');
    probe.style.backgroundColor = 'Highlight';
    probe.style.color = 'HighlightText';
    probe.style.setProperty('forced-color-adjust', 'none');
    document.body.append(probe);
    const { backgroundColor: ground, color: words } = getComputedStyle(probe);
    probe.remove();
    return { ground, words };
  });
}

async function expectTold(page: Page, chosen: Locator, other: Locator): Promise<void> {
  const { ground, words } = await systemColours(page);
  await expect(chosen).toHaveCSS('background-color', ground);
  await expect(chosen).toHaveCSS('color', words);
  await expect(other).not.toHaveCSS('background-color', ground);
}

/** Of native radio buttons, what is drawn beside the chosen one and beside another. */
async function expectRadiosTold(page: Page, group: Locator): Promise<void> {
  const chosen = group.locator('input:checked + span');
  const other = firstOf(group.locator('input:enabled:not(:checked) + span'));
  await expectTold(page, chosen, other);
}

/** Something is drawn around it, in another colour than the page has. */
async function expectEdge(filled: Locator, ground: string): Promise<void> {
  await expect(filled).toHaveCSS('border-top-style', 'solid');
  await expect(filled).toHaveCSS('border-top-width', '1px');
  await expect(filled).not.toHaveCSS('border-top-color', ground);
  await expect(filled).not.toHaveCSS('border-top-color', 'rgba(0, 0, 0, 0)');
}

test.beforeEach(async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' });
});

test('what is chosen, the current page, buttons and badges', async ({ page }) => {
  await test.step('the day whose free times are shown', async () => {
    await page.goto('/service/meditation');
    const times = page.getByRole('region', { name: 'Free times' });
    const chosen = times.locator('button[aria-pressed="true"]');
    const other = firstOf(times.locator('button[aria-pressed="false"]:enabled'));
    await expectTold(page, chosen, other);
  });

  await test.step('a filled button and a badge have an edge', async () => {
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await expectEdge(page.getByRole('link', { name: 'Book & Pay Now - ₹750' }), ground);
    await page.goto('/services');
    const card = firstOf(page.getByRole('main').getByRole('article'));
    await expectEdge(firstOf(card.locator('span.rounded-full')), ground);
  });

  await test.step('which reviews are shown', async () => {
    await page.goto('/reviews');
    await expectRadiosTold(page, page.getByRole('group', { name: 'Which reviews to show' }));
  });

  await test.step('the current page', async () => {
    await page.goto('/faq');
    const bar = page.getByRole('navigation', { name: 'Main' });
    const line = 'text-decoration-line';
    await expect(bar.getByRole('link', { name: 'FAQ' })).toHaveCSS(line, 'underline');
    await expect(bar.getByRole('link', { name: 'Contact' })).toHaveCSS(line, 'none');
  });
});

test('the day, the time, the way to meet and the step of a booking', async ({ page, practice }) => {
  await signUpQuietly(page, practice.url, newPerson('Usha'));
  await page.goto(CALENDAR);
  await expectStep(page, 'Book Your Session');
  await chooseTime(page);
  await expectRadiosTold(page, page.getByRole('group', { name: 'Day', exact: true }));
  await expectRadiosTold(page, page.getByTestId('times'));
  await expectRadiosTold(page, page.getByRole('group', { name: 'How would you like to meet?' }));
  const steps = page.getByRole('navigation', { name: 'Booking steps' }).getByRole('list');
  const current = steps.locator('[aria-current="step"] > .rounded-full');
  const ahead = lastOf(steps.locator('li:not([aria-current]) > .rounded-full'));
  await expectTold(page, current, ahead);
});
