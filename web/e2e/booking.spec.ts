/** The main journey: from the catalogue to a confirmed session, by card and by UPI. */
import type { Browser, Page } from '@playwright/test';
import { expectSizes } from './support/ease';
import {
  agree,
  chooseTime,
  expectConfirmed,
  expectReady,
  expectStep,
  openCheckout,
  payByCard,
  payByUpi,
  toPayment,
} from './support/flow';
import { look } from './support/look';
import { signInOwner } from './support/owner';
import { newPerson, type Person, signUp } from './support/people';
import { type Practice, until } from './support/practice';
import { calendarOf, type Sandbox } from './support/sandbox';
import { expect, expectToast, ready, test } from './support/test';

const NOTICES = 'bookings@sukoon.example';
const NOTES = 'I sleep badly.';

/** Returns the addresses of the session's page: the client's, and the practice's own. */
async function expectMails(sandbox: Sandbox, person: Person) {
  const mail = await sandbox.mail(person.email, /^Your session is confirmed/);
  expect(mail.subject).not.toContain('General Consultation');
  const join = /https?:\/\/\S+\/join#key=[\w-]{43}/.exec(mail.text)?.[0] ?? '';
  expect(join).not.toBe('');
  const calendar = calendarOf(mail);
  // Neither has the room: the page leads there in its time.
  expect(calendar.replaceAll('\r\n ', '')).toContain(`LOCATION:${join}`);
  expect(`${mail.text}${calendar}`).not.toContain('/m/');
  expect(calendar).toMatch(/^BEGIN:VCALENDAR\r\n/);
  expect(calendar).toMatch(/\r\nUID:\S+/);
  expect(calendar).toMatch(/\r\nDTSTART[^:]*:\d{8}T\d{6}/);
  expect(calendar.trimEnd()).toMatch(/END:VCALENDAR$/);

  // The practice gets the client's name and the way to the note, which stays behind a sign-in.
  const notice = await until(async () => {
    const notices = await sandbox.inbox(NOTICES);
    return notices.find(({ text }) => text.includes(person.email));
  });
  expect(notice.subject).toMatch(/^New booking/);
  expect(notice.text).not.toContain(NOTES);
  const address = /https?:\/\/\S+\/join\/bkg_[0-9a-f]{32}/.exec(notice.text)?.[0] ?? '';
  expect(address).not.toBe('');
  return { join, address };
}

/** The mail's link leads to the session without an account, and its key leaves the address bar. */
async function expectSessionOfMail(browser: Browser, practice: Practice, join: string) {
  const context = await browser.newContext({ baseURL: practice.url });
  await ready(context);
  const page = await context.newPage();
  await page.goto(join);
  await expect(page.getByRole('heading', { level: 1, name: 'Your Session' })).toBeVisible();
  await expect(page.getByText(/^The room opens here 10 minutes before/)).toBeVisible();
  await expect(page.getByRole('link', { name: /^Call \+91/ })).toBeVisible();
  await expect(page.getByRole('main')).not.toContainText('General Consultation');
  await expect(page).toHaveURL(`${practice.url}/join`);
  await expectSizes(page, 'join-client', page.getByRole('main'));
  await page.reload();
  await expect(page.getByText(/^The room opens here 10 minutes before/)).toBeVisible();
  await page.goto(`${practice.url}/join#key=abc`);
  await expect(page.getByText('This address is not complete')).toBeVisible();
  await context.close();
}

/** The owner reads the note on the page that the notice leads to. */
async function expectNoteAtDesk(browser: Browser, practice: Practice, address: string) {
  const context = await browser.newContext({ baseURL: practice.url });
  await ready(context);
  const page = await context.newPage();
  await page.goto(address);
  await expect(page.getByRole('main').getByRole('link', { name: 'Sign In' })).toBeVisible();
  await signInOwner(page, practice);
  await page.goto(address);
  await expect(page.getByRole('heading', { name: /^General Consultation with / })).toBeVisible();
  await expect(page.getByText(NOTES)).toBeVisible();
  await expect(page.getByText(/^The room opens here/)).toBeVisible();
  await expectSizes(page, 'join', page.getByRole('main'));
  await context.close();
}

/** Checks a step's sizes: what a thumb presses, and enlarged text. */
function seeStep(page: Page, name: string): Promise<void> {
  return expectSizes(page, name, page.getByRole('main'));
}

test('a visitor books, pays and is confirmed @phone', async ({ browser, page, practice, sandbox }, {
  project,
}) => {
  const person = newPerson();
  const byUpi = project.name === 'phone';

  await page.goto('/services');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();

  await page.getByRole('button', { name: 'General Consultation' }).click();
  await expect(page.getByRole('dialog', { name: 'General Consultation' })).toBeVisible();
  await page.getByRole('link', { name: 'View Full Details' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'General Consultation' })).toBeVisible();
  await expect(page.getByText('All times are in IST')).toBeVisible();

  await page.getByRole('link', { name: 'Book & Pay Now - ₹500' }).click();
  await expectStep(page, 'Sign In Required');
  await page.getByRole('link', { name: 'Create New Account' }).click();
  await expectStep(page, 'Create Your Account');
  await signUp(page, person);

  await expectStep(page, 'Book Your Session');
  await expect(page.getByLabel('First name')).toHaveValue(person.firstName);
  await expect(page.getByLabel('Email')).toHaveValue(person.email);
  await page.getByRole('button', { name: 'Continue to Payment' }).click();
  await expectToast(page, 'Please select a time');
  await chooseTime(page);
  await page.getByRole('button', { name: 'Continue to Payment' }).click();
  await expectToast(page, 'Agreement required');
  await seeStep(page, 'step-2-incomplete');
  await page.getByLabel('Anything we should know?').fill(NOTES);
  await agree(page);
  await expect(page.getByText('Ready to book!')).toBeVisible();
  await seeStep(page, 'step-2-ready');

  await toPayment(page);
  await expect(page.getByText('Your time is kept until')).toBeVisible();
  await expect(page.getByText('Total')).toBeVisible();
  await expectReady(page);
  await seeStep(page, 'step-3');
  const checkout = await openCheckout(page);
  await look(page, 'step-3-checkout');
  await (byUpi ? payByUpi(checkout) : payByCard(checkout));

  await expectConfirmed(page);
  await expectToast(page, 'Payment Successful!');
  await expectToast(page, 'Payment Verified!');
  await expectToast(page, 'Email Sent!');
  const link = page.getByRole('link', { name: "Open the session's page" });
  await expect(link).toHaveAttribute('href', /^\/join\/bkg_[0-9a-f]{32}$/);
  await expect(page.getByText(`We have sent the confirmation`)).toBeVisible();
  await seeStep(page, 'step-5-confirmed');
  const { join, address } = await expectMails(sandbox, person);
  await expectSessionOfMail(browser, practice, join);
  await expectNoteAtDesk(browser, practice, address);
  // Signed in, the client joins by the booking's own address.
  const own = await page.context().newPage();
  await own.goto((await link.getAttribute('href')) ?? '');
  await expect(own.getByText(/^The room opens here 10 minutes before/)).toBeVisible();
  await own.close();

  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Add to calendar' }).click();
  expect((await download).suggestedFilename()).toMatch(/\.ics$/);

  await page.getByRole('button', { name: 'Complete Booking' }).click();
  await expect(page).toHaveURL(/:\d+\/services$/);
  await expectToast(page, 'Booking Complete!');
  const kept = await page.evaluate(() => Object.keys(sessionStorage));
  expect(kept).not.toContain('selectedService');
  expect(kept).not.toContain('selectedDateTime');
  expect(kept).not.toContain('paymentLinkId');
});
