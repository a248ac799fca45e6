/** The desk on a phone: a member sees the day, marks who came, and cancels with the sum in sight. */
import type { BrowserContext } from '@playwright/test';
import { signInOwner } from './support/owner';
import { newPerson, signUpQuietly } from './support/people';
import { Practice, startPractice } from './support/practice';
import { bookSession } from './support/rpc';
import { Sandbox } from './support/sandbox';
import { expect, expectToast, ready, test } from './support/test';

/** A client with a paid session, in a browser of its own. */
async function book(context: BrowserContext, practice: Practice, name: string): Promise<string> {
  const person = newPerson(name);
  const token = await signUpQuietly(await context.newPage(), practice.url, person);
  const bookingId = await bookSession(practice, new Sandbox(practice.sandboxUrl), {
    person,
    token,
  });
  await context.close();
  return bookingId;
}

type Listed = { bookings: { booking: { bookingId: string; sessions: { endsAt: string }[] } }[] };

/** When the only session of a booking ends, as the practice's own command says. */
function endOf(practice: Practice, bookingId: string): Date {
  const said = practice.staff('bookings', '--days', '60', '--json');
  const { bookings } = JSON.parse(said) as Listed;
  const found = bookings.find(({ booking }) => booking.bookingId === bookingId);
  return new Date(found?.booking.sessions[0]?.endsAt ?? '');
}

test('a member marks who came and cancels another session @phone-only', async ({
  browser,
  complaints,
  contextOptions,
  viewport,
}) => {
  test.setTimeout(240_000);
  const own = await startPractice('desk');
  const practice = new Practice(own.data);
  const options = { ...contextOptions, baseURL: practice.url, viewport };
  const context = await browser.newContext(options);
  complaints.alsoOf(context);
  await ready(context);
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const held = await book(await browser.newContext(options), practice, 'Asha');
    await book(await browser.newContext(options), practice, 'Rekha');

    // Signed out it leads to the sign-in, and shows nothing of the practice.
    await page.goto('/desk');
    await expect(page.getByText('For members of the practice.')).toBeVisible();
    await signInOwner(page, practice);

    const end = endOf(practice, held);
    const date = end.toISOString().slice(0, 10);
    await practice.passMinutes(Math.ceil((end.getTime() - Date.now()) / 60_000) + 1);
    await page.goto(`/desk/day/${date}`);

    // Two taps.
    await page.getByRole('button', { name: /Asha Verma/ }).click();
    const sheet = page.getByRole('dialog', { name: 'Asha Verma' });
    await sheet.getByRole('button', { name: 'Did not come' }).click();
    await expectToast(page, 'Asha: did not come');
    await page.getByRole('button', { name: 'Undo' }).click();
    await expectToast(page, 'Asha: not marked any more');
    await page.getByRole('button', { name: /Asha Verma/ }).click();
    await sheet.getByRole('button', { name: 'Came', exact: true }).click();
    await expect(page.getByRole('button', { name: /Asha Verma.*Came/ })).toBeVisible();

    // Four taps, and the sum before the last.
    await page.getByRole('button', { name: /Rekha Verma/ }).click();
    await page.getByRole('button', { name: 'Cancel…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel for Rekha Verma' });
    await dialog.getByRole('radio', { name: 'The practice' }).check();
    await dialog.getByRole('button', { name: 'Cancel and give ₹500 back' }).click();
    await expectToast(page, 'Rekha Verma: cancelled. ₹500 goes back.');
    await expect(page.getByRole('button', { name: /Rekha Verma/ })).toHaveCount(0);
  } finally {
    await context.close();
    await own.stop();
  }
});
