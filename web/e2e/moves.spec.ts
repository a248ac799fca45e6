/** Moving a session through all services: by its client on a phone, and by a member at the desk. */
import { readFile } from 'node:fs/promises';
import { toInstant } from '../src/lib/instant';
import { formatClock, formatDate } from '../src/lib/time';
import { SERVICE } from './support/flow';
import { ownStarts } from './support/own-days';
import { signInOwner } from './support/owner';
import { newPerson, signUpQuietly } from './support/people';
import { until } from './support/practice';
import { bookSession } from './support/rpc';
import { calendarOf, type Mail } from './support/sandbox';
import { expect, expectToast, test } from './support/test';
import { chooseByValue, timeOnPage, ZONE } from './support/times';

/** The last free time of the spec's own days, where it can be on the day after that of the session. */
async function anotherTime(site: string): Promise<Date> {
  const start = (await ownStarts(site, SERVICE)).at(-1);
  if (!start) throw new Error('No time is left on the days of this spec.');
  return new Date(start);
}

/** How a calendar file writes a start. */
function startLine(at: Date): string {
  return `DTSTART:${toInstant(at).replace(/[-:]/g, '')}`;
}

function uidOf(calendar: string): string {
  return /\r\nUID:(\S+)/.exec(calendar)?.[1] ?? '';
}

function carries(mail: Mail, line: string): boolean {
  return mail.attachments.length > 0 && calendarOf(mail).includes(`${line}\r\n`);
}

test('a client moves a paid session in four taps, and all that was sent has its new time @phone-only', async ({
  page,
  practice,
  sandbox,
}) => {
  const person = newPerson('Kavita');
  const token = await signUpQuietly(page, practice.url, person);
  const bookingId = await bookSession(practice, sandbox, { person, token });
  const confirmed = calendarOf(await sandbox.mail(person.email, /^Your session is confirmed/));
  const to = await anotherTime(practice.url);
  await page.goto(`/account/sessions/${bookingId}`);

  // Four taps.
  await page.getByRole('button', { name: 'Move this session' }).click();
  const dialog = page.getByRole('dialog', { name: 'Move this session' });
  await expect(
    dialog.getByText(/^You can move it until .* Price, payment and receipt stay\.$/),
  ).toBeVisible();
  await chooseByValue(dialog, to);
  const confirm = dialog.getByRole('button', { name: /^Move to / });
  const words = ((await confirm.textContent()) ?? '').replace('Move to ', '');
  expect(words).toContain(formatClock(to, ZONE));
  await confirm.click();

  await expect(page.getByText(`Moved to ${words}`)).toBeVisible();
  await expect(page.locator(':focus')).toContainText(`Moved to ${words}`);
  await expect(dialog).toBeHidden();
  await expect(page.getByText(timeOnPage(to))).toBeVisible();
  await page.reload();
  await expect(page.getByText(timeOnPage(to))).toBeVisible();

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Add to calendar' }).click();
  const file = await readFile(await (await download).path(), 'utf8');
  expect(file).toContain(startLine(to));
  const mail = await until(async () => {
    const mails = await sandbox.inbox(person.email);
    return mails.find((one) => carries(one, startLine(to)));
  });
  expect(mail.text).toContain(formatClock(to, ZONE));
  expect(mail.text).toContain(formatDate(to, ZONE).replace(',', ''));
  // The entry of the old time becomes that of the new one.
  expect(uidOf(confirmed)).not.toBe('');
  expect([uidOf(file.replace(/\r\n[ \t]/g, '')), uidOf(calendarOf(mail))]).toEqual([
    uidOf(confirmed),
    uidOf(confirmed),
  ]);
});

test('a member moves a session at the desk, and takes that back', async ({
  page,
  otherPage,
  practice,
  sandbox,
}) => {
  const person = newPerson('Rohan');
  const token = await signUpQuietly(otherPage, practice.url, person);
  // It is the one that is booked.
  const [from = ''] = await ownStarts(practice.url, SERVICE);
  const bookingId = await bookSession(practice, sandbox, { person, token });
  const to = await anotherTime(practice.url);
  await signInOwner(page, practice);
  await page.goto(`/desk/bookings/${bookingId}`);
  await page.getByRole('button', { name: /^What to do… with/ }).click();
  await page.getByRole('button', { name: 'Move…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Move for Rohan Verma' });
  const now = ((await dialog.getByText(/^Now: /).textContent()) ?? '').slice('Now: '.length);
  await chooseByValue(dialog, to);
  const confirm = dialog.getByRole('button', { name: /^Move Rohan Verma to / });
  const words = ((await confirm.textContent()) ?? '').replace('Move Rohan Verma to ', '');
  await confirm.click();
  await expectToast(page, `Rohan Verma: moved to ${words}`);
  await otherPage.goto(`/account/sessions/${bookingId}`);
  await expect(otherPage.getByText(timeOnPage(to))).toBeVisible();

  await page.getByRole('button', { name: 'Undo' }).click();
  await expectToast(page, `Rohan Verma: back at ${now.replace(/ IST$/, '')}`);
  await otherPage.reload();
  await expect(otherPage.getByText(timeOnPage(new Date(from)))).toBeVisible();
});
