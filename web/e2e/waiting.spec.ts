/**
 * The wait list through all services: a time that becomes free is offered by mail, and is taken and paid
 * for, moved to, or given to the next client.
 */
import type { Locator, Page } from '@playwright/test';
import { formatClock } from '../src/lib/time';
import {
  agree,
  CALENDAR,
  expectConfirmed,
  expectStep,
  openCheckout,
  payByCard,
  SERVICE,
  toPayment,
} from './support/flow';
import { look } from './support/look';
import { ownDates, ownStart, ownStarts } from './support/own-days';
import { ownPracticeTest, passTime, wake } from './support/own-practice';
import { signInOwner } from './support/owner';
import { newPerson, proveAddress, signUpByCode, signUpQuietly } from './support/people';
import type { Practice } from './support/practice';
import { bookSession, joinWaiting } from './support/rpc';
import type { Sandbox } from './support/sandbox';
import { expect, expectToast } from './support/test';
import { chooseByValue, timeOnPage, ZONE } from './support/times';
import { refusal } from './support/watch';

const test = ownPracticeTest('waiting');

// Several clients, each in a browser, and looks at what they see.
test.describe.configure({ timeout: 300_000 });

const TITLE = 'General Consultation';
const OFFERED = /^A time is free: /;
const WAITS_FOR_NOTHING = /^You wait for nothing\./;

test.beforeEach(({ practice, page, otherPage }) => wake(practice, [page, otherPage]));

async function join(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Join the wait list' }).click();
}

async function expectJoined(page: Page): Promise<void> {
  await expect(page.getByText(`You are on the wait list for ${TITLE}`)).toBeVisible();
}

/** Joins the list from the page where times are chosen, for one day. */
async function joinFor(page: Page, date: string): Promise<void> {
  await page.goto(CALENDAR);
  await expectStep(page, 'Book Your Session');
  await page.getByRole('link', { name: 'Join the wait list' }).click();
  await expectStep(page, 'Your Wait List');
  await page.getByLabel('From', { exact: true }).fill(date);
  await page.getByLabel('Until', { exact: true }).fill(date);
  await look(page, 'waiting-join');
  await join(page);
}

/** A client cancels a booking, and the time for taking that back passes. */
async function cancel(page: Page, practice: Practice, bookingId: string): Promise<void> {
  await page.goto(`/account/sessions/${bookingId}`);
  await page.getByRole('button', { name: /^Cancel/ }).click();
  await page.getByRole('button', { name: 'Cancel and get ₹500 back' }).click();
  await expect(page.getByRole('button', { name: 'Undo' })).toBeVisible();
  await passTime(practice, 4, [page]);
}

function offerOn(page: Page): Locator {
  return page.getByRole('article', { name: `A time is free for you: ${TITLE}` });
}

/** Opens the page to which the mail of an offer leads. */
async function openOffer(page: Page, sandbox: Sandbox, email: string, at: Date): Promise<void> {
  const mail = await sandbox.mail(email, OFFERED);
  expect(mail.subject).toContain(formatClock(at, ZONE));
  const link = /https?:\/\/\S+\/account\/waiting/.exec(mail.text)?.[0] ?? '';
  await page.goto(link);
  await expect(offerOn(page).getByText(/^Held for you alone until /)).toBeVisible();
}

test('a client takes the time that another one gave up, and pays for it @phone', async ({
  page,
  otherPage,
  practice,
  sandbox,
  complaints,
}) => {
  // The first attempt to join, of an address that is not proved.
  complaints.expect(refusal('/rpc/booking.v1.WaitingService/JoinWaiting'));
  const [asha, bela] = [newPerson('Asha'), newPerson('Bela')];
  const token = await signUpQuietly(otherPage, practice.url, asha);
  const start = await ownStart(practice.url, SERVICE);
  const bookingId = await bookSession(practice, sandbox, { person: asha, token });

  await signUpQuietly(page, practice.url, bela);
  await joinFor(page, start.slice(0, 10));
  await proveAddress(page, sandbox, bela);
  await expectJoined(page);

  await cancel(otherPage, practice, bookingId);
  await openOffer(page, sandbox, bela.email, new Date(start));
  await look(page, 'waiting-offer');

  // All others see it as taken.
  expect(await ownStarts(practice.url, SERVICE)).not.toContain(start);
  await otherPage.goto(`${CALENDAR}&slot=${start}`);
  await expect(otherPage.getByText(/ was just taken$/)).toBeVisible();

  await offerOn(page).getByRole('link', { name: 'Take this time' }).click();
  await expectStep(page, 'Book Your Session');
  await expect(page.getByText(/^Held for you until /)).toBeVisible();
  await expect(page.getByTestId('times').locator('input:checked')).toHaveValue(start);
  await look(page, 'waiting-take');
  await agree(page);
  await toPayment(page);
  await payByCard(await openCheckout(page));
  await expectConfirmed(page);
  await sandbox.mail(bela.email, /^Your session is confirmed/);

  await page.goto('/account/waiting');
  await expect(page.getByText(WAITS_FOR_NOTHING)).toBeVisible();
});

test('a client moves a session to an earlier time in two presses @phone-only', async ({
  page,
  otherPage,
  practice,
  sandbox,
}) => {
  const [chandra, divya] = [newPerson('Chandra'), newPerson('Divya')];
  const tokenOf = {
    chandra: await signUpQuietly(otherPage, practice.url, chandra),
    divya: await signUpByCode(page, { url: practice.url, sandbox }, divya),
  };
  const earlier = new Date(await ownStart(practice.url, SERVICE));
  const first = await bookSession(practice, sandbox, { person: chandra, token: tokenOf.chandra });
  const own = await bookSession(practice, sandbox, { person: divya, token: tokenOf.divya });

  await page.goto(`/account/sessions/${own}`);
  await page.getByRole('link', { name: 'Tell me if an earlier time becomes free' }).click();
  await join(page);
  await expectJoined(page);

  await cancel(otherPage, practice, first);
  await openOffer(page, sandbox, divya.email, earlier);
  await expect(offerOn(page).getByText(/^In place of /)).toBeVisible();

  // Two presses.
  await offerOn(page).getByRole('button', { name: 'Take this time' }).click();
  const dialog = page.getByRole('dialog', { name: 'Move your session to this time?' });
  const move = dialog.getByRole('button', { name: /^Move to / });
  const words = ((await move.textContent()) ?? '').replace('Move to ', '');
  expect(words).toContain(formatClock(earlier, ZONE));
  await move.click();

  await expect(page.getByText(`Moved to ${words}`)).toBeVisible();
  await expect(page.getByText(WAITS_FOR_NOTHING)).toBeVisible();
  await sandbox.mail(divya.email, /^Your session has a new time: /);
  await page.getByRole('link', { name: 'See the session' }).click();
  await expect(page.getByText(timeOnPage(earlier))).toBeVisible();
});

test('staff offer a time out of the order, and its client gives it to the next one', async ({
  page,
  otherPage,
  browser,
  contextOptions,
  practice,
  sandbox,
}) => {
  const [esha, farah] = [newPerson('Esha'), newPerson('Farah')];
  const where = { url: practice.url, sandbox };
  const eshas = await browser.newContext({ ...contextOptions, baseURL: practice.url });
  const tokenOf = {
    esha: await signUpByCode(await eshas.newPage(), where, esha),
    farah: await signUpByCode(otherPage, where, farah),
  };
  await eshas.close();
  await joinWaiting(practice, { person: esha, token: tokenOf.esha });
  await joinWaiting(practice, { person: farah, token: tokenOf.farah });
  const [date = ''] = await ownDates(practice.url, SERVICE);
  const start = (await ownStarts(practice.url, SERVICE)).findLast((one) => one.startsWith(date));
  const at = new Date(start ?? '');

  await signInOwner(page, practice);
  await page.goto('/desk/waiting');
  const names = page.getByRole('article').getByRole('heading');
  await expect(names).toHaveText(['1. Esha', '2. Farah']);
  const entry = page.getByRole('article', { name: '2. Farah' });
  await entry.getByRole('button', { name: 'Offer a time…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Offer a time to Farah' });
  await chooseByValue(dialog, at);
  await dialog.getByLabel('Why this client comes first').fill('Promised on the phone');
  const offer = dialog.getByRole('button', { name: /^Offer .+ to Farah$/ });
  const words = /^Offer (.+) to Farah$/.exec((await offer.textContent()) ?? '')?.[1] ?? '';
  await offer.click();
  await expectToast(page, `${words} is offered to Farah`);
  await expect(entry.getByText(/^Offered .+, held until /)).toBeVisible();
  await expect(entry.getByRole('button', { name: 'Offer a time…' })).toHaveCount(0);
  await look(page, 'desk-waiting');

  await openOffer(otherPage, sandbox, farah.email, at);
  const mails = await sandbox.inbox(esha.email);
  expect(mails.filter(({ subject }) => OFFERED.test(subject))).toEqual([]);
  const decline = offerOn(otherPage).getByRole('button', { name: /^No thanks/ });
  await decline.click();
  await expect(otherPage.getByText('The time goes to the next person')).toBeVisible();
  await expect(offerOn(otherPage)).toHaveCount(0);
  await expect(otherPage.getByRole('article', { name: TITLE, exact: true })).toBeVisible();

  // It goes to the first in the order, and its client still waits.
  await sandbox.mail(esha.email, OFFERED);
  await page.reload();
  await expect(entry.getByRole('button', { name: 'Offer a time…' })).toBeVisible();
  await expect(
    page.getByRole('article', { name: '1. Esha' }).getByText(/^Offered .+, held until /),
  ).toBeVisible();
});
