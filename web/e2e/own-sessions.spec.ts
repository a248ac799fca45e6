/** "Your sessions": a client finds a booking, cancels it, takes that back, and cancels for good. */
import { newPerson, signUpQuietly } from './support/people';
import { bookSession } from './support/rpc';
import { expect, test } from './support/test';

test('a client cancels a booking, takes it back, and cancels it for good', async ({
  page,
  practice,
  sandbox,
}) => {
  const person = newPerson('Leela');
  const token = await signUpQuietly(page, practice.url, person);
  const bookingId = await bookSession(practice, sandbox, { person, token });
  await page.goto('/account/sessions');
  await expect(page.getByRole('heading', { level: 1, name: 'Your sessions' })).toBeVisible();
  await page.getByRole('link', { name: 'General Consultation', exact: true }).click();
  await expect(page).toHaveURL(`${practice.url}/account/sessions/${bookingId}`);
  await page.getByRole('button', { name: /^Cancel/ }).click();
  await page.getByRole('button', { name: 'Cancel and get ₹500 back' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('button', { name: 'Undo' })).toBeHidden();
  await page.getByRole('button', { name: /^Cancel/ }).click();
  await page.getByRole('button', { name: 'Cancel and get ₹500 back' }).click();
  await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
  await practice.passMinutes(4);
  const cancelled = async () => {
    await page.goto('/account/sessions');
    await expect(page.getByText(/Nothing is coming up|Next/)).toBeVisible();
    return page.getByText('Nothing is coming up').isVisible();
  };
  await expect.poll(cancelled).toBe(true);
  await expect(page.getByText('Cancelled')).toBeVisible();
});
