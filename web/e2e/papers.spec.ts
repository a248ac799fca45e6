/** A practice that is registered for GST: papers of tax in the payer's name, from money to refund. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from '@playwright/test';
import { ONE_LOOK } from './support/answers';
import { expectConfirmed, openCheckout, payByCard } from './support/flow';
import { newPerson, signUpQuietly } from './support/people';
import { Practice, startPractice } from './support/practice';
import { holdTime } from './support/rpc';
import { Sandbox } from './support/sandbox';
import { expect, ready, test } from './support/test';
import { refusal } from './support/watch';

const USUAL = resolve(import.meta.dirname, '../../deploy/local/practice');
/** What a registered practice sets. */
const REGISTERED: readonly (readonly [before: string, after: string])[] = [
  ['papers = "receipt"', 'papers = "all"'],
  ['tax = "none"', 'tax = "gst"'],
  ['gstin = ""', 'gstin = "23ABCDE1234F1Z5"'],
  ['service_code = ""', 'service_code = "999319"'],
];

function registeredPractice(folder: string): string {
  mkdirSync(folder, { recursive: true });
  let text = readFileSync(join(USUAL, 'practice.toml'), 'utf8');
  for (const [before, after] of REGISTERED) {
    expect(text).toContain(before);
    text = text.replace(before, after);
  }
  writeFileSync(join(folder, 'practice.toml'), text);
  return folder;
}

function dialog(page: Page) {
  return page.getByRole('dialog', { name: 'Billing details' });
}

async function fillIn(page: Page, gstin: string): Promise<void> {
  await dialog(page).getByLabel('Name').fill('Asha Rao Traders');
  await dialog(page).getByLabel('GSTIN').fill(gstin);
  await dialog(page).getByLabel('Address').fill('12 MG Road, Pune 411001');
  await expect(dialog(page).getByLabel('State')).toHaveValue('27');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
}

test('a business pays, and finds its name and its tax on every paper', async ({
  browser,
  complaints,
  contextOptions,
  viewport,
}, { project }) => {
  test.setTimeout(240_000);
  const folder = registeredPractice(test.info().outputPath('practice'));
  const own = await startPractice(`papers-${project.name}`, { PRACTICE_DIR: folder });
  const practice = new Practice(own.data);
  const sandbox = new Sandbox(practice.sandboxUrl);
  const context = await browser.newContext({ ...contextOptions, baseURL: practice.url, viewport });
  complaints.alsoOf(context);
  await ready(context);
  try {
    const page = await context.newPage();
    const person = newPerson('Asha');
    const token = await signUpQuietly(page, practice.url, person);
    const bookingId = await holdTime(practice, { person, token });
    await page.goto(`/booking-flow?service=general-consultation&step=payment&b=${bookingId}`);
    const details = page.getByRole('link', { name: 'Billing details' });
    await expect(details).toBeVisible();
    await details.click();
    await page.getByRole('button', { name: 'Add billing details' }).click();
    complaints.expect(refusal('/rpc/payments.v1.PaymentsService/SetPayer'));
    await fillIn(page, '27aapfu0939f1zu');
    await expect(dialog(page).getByLabel('GSTIN')).toBeFocused();
    await dialog(page).getByLabel('GSTIN').fill('27 AAPFU0939F1ZV');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Billed to Asha Rao Traders, GSTIN 27AAPFU0939F1ZV')).toBeVisible();
    await page.getByRole('link', { name: 'To the booking' }).click();
    await payByCard(await openCheckout(page));
    await expectConfirmed(page);

    await page.goto(`/receipt?b=${bookingId}`);
    const voucher = page.getByRole('article', { name: 'Receipt voucher' });
    await expect(voucher).toContainText('Asha Rao Traders');
    await expect(voucher.getByRole('row', { name: /Integrated tax \(IGST\) 18%/ })).toBeVisible();
    await practice.passMinutes(20 * 24 * 60);
    const invoice = page.getByRole('article', { name: 'Tax invoice' });
    await expect(async () => {
      await page.reload();
      await expect(voucher).toBeVisible();
      await expect(invoice).toBeVisible(ONE_LOOK);
    }).toPass();
    const serial = /SUK\/\d\d-\d\d\/00001/.exec((await voucher.textContent()) ?? '')?.[0] ?? '-';
    for (const words of [serial, 'GSTIN 27AAPFU0939F1ZV', 'Maharashtra', '999319', '₹76.27']) {
      await expect(invoice).toContainText(words);
    }
    // It is on an invoice now.
    await expect(page.getByRole('button', { name: /billing details/ })).toBeHidden();
    const mail = await sandbox.mail(person.email, /^Your tax invoice INV\//);
    expect(mail.text).toContain('Asha Rao Traders');
  } finally {
    await context.close();
    await own.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
