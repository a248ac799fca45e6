/** The meditation guide: to read, to print, and to be sent by mail. */
import type { Page } from '@playwright/test';
import { fitsTheWidth, look } from './support/look';
import { newPerson } from './support/people';
import type { Mail } from './support/sandbox';
import { expect, expectToast, test } from './support/test';
import { refusal } from './support/watch';

const PATH = '/meditation-guide';
const READ = '/rpc/catalogue.v1.CatalogueService/GetMeditationGuide';
const ASK = '/rpc/notifications.v1.NotificationsService/RequestMeditationGuide';
const STEPS_MAX = 60;

const field = (page: Page) => page.getByLabel('Email');
const send = (page: Page) => page.getByRole('main').getByRole('button', { name: /^Send/ });

async function open(page: Page): Promise<void> {
  await page.goto(PATH);
  await expect(send(page)).toBeEnabled();
}

/** What the page says in its steps: every title and every paragraph. */
async function wordsOf(page: Page): Promise<string[]> {
  const items = page.getByRole('main').locator('ol > li');
  const titles = await items.locator('h3').allTextContents();
  const texts = await items.locator('p').allTextContents();
  return [...titles.map((title) => title.replace(/^Step \d+: /, '')), ...texts];
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').toLowerCase();
}

function expectWhole({ text, html }: Mail, words: string[]): void {
  const plain = onOneLine(text);
  for (const word of words) expect(plain).toContain(onOneLine(word));
  expect(html).toContain('<');
}

/** Walks with the Tab key until the element has the focus. */
async function walkTo(page: Page, name: string, role: 'button' | 'textbox'): Promise<void> {
  const target = page.getByRole('main').getByRole(role, { name });
  for (let step = 0; step < STEPS_MAX; step += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The Tab key does not reach ${name}.`);
}

test('the guide is read, asked for, and arrives whole @phone', async ({ page, sandbox }) => {
  await open(page);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Ten Quiet Minutes');
  await expect(page.getByRole('main').locator('ol > li')).toHaveCount(5);
  await look(page, 'guide');
  const words = await wordsOf(page);
  expect(words.length).toBeGreaterThan(15);

  const { email } = newPerson('Asha');
  await field(page).fill(email);
  await send(page).click();
  await expectToast(page, 'Success!');
  const said = 'Your 5-step meditation guide is on its way to your inbox.';
  await expect(page.getByTestId('toasts')).toContainText(said);
  await expect(field(page)).toHaveValue('');
  await look(page, 'guide-sent');
  expectWhole(await sandbox.mail(email, /./), words);
  expect(await sandbox.inbox(email)).toHaveLength(1);
});

test('an address that is none is not sent', async ({ page, complaints }) => {
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith(ASK)) asked.push(request.url());
  });
  await open(page);
  for (const wrong of ['', 'asha', 'asha@', '@example.com']) {
    await field(page).fill(wrong);
    await send(page).click();
    await expect(page.locator('input[type="email"]:invalid')).toBeFocused();
  }
  expect(asked).toEqual([]);

  // What the browser lets pass, the practice looks at once more.
  complaints.expect(refusal(ASK));
  await field(page).fill('asha@example');
  await send(page).click();
  await expect(field(page)).toHaveAttribute('aria-invalid', 'true');
  await expect(field(page)).toBeFocused();
  await expect(field(page)).toHaveValue('asha@example');
  await look(page, 'guide-invalid');
});

test('while the mail desk is down the address stays, and the guide comes once', async ({
  page,
  complaints,
  practice,
  sandbox,
}) => {
  const { email } = newPerson('Bela');
  complaints.expect(refusal(ASK));
  await open(page);
  const desk = practice.keepDown('notifications');
  await field(page).fill(email);
  await send(page).click();
  await expectToast(page, 'Error');
  await expect(page.getByTestId('toasts')).toContainText(
    'Failed to send the guide. Please try again.',
  );
  await expect(field(page)).toHaveValue(email);
  await expect(page.getByText('The guide was not sent')).toBeVisible();
  await look(page, 'guide-not-sent');
  await desk.release();
  await expect(async () => {
    await send(page).click();
    await expect(field(page)).toHaveValue('', { timeout: 5_000 });
  }).toPass();
  await expectToast(page, 'Success!');
  await sandbox.mail(email, /./);
  expect(await sandbox.inbox(email)).toHaveLength(1);
});

test('a page that was led to reads the guide, and says when it cannot', async ({
  page,
  complaints,
}) => {
  complaints.expect(/GetMeditationGuide.*ERR_INTERNET_DISCONNECTED/);
  complaints.expect(/ERR_INTERNET_DISCONNECTED.*GetMeditationGuide/);
  let answer: 'wait' | 'fail' | 'go' = 'wait';
  const waiting: (() => void)[] = [];
  await page.route(`**${READ}**`, async (route) => {
    if (answer === 'wait') await new Promise<void>((resolve) => waiting.push(resolve));
    if (answer === 'fail') return route.abort('internetdisconnected');
    return route.continue();
  });
  await page.goto('/faq');
  await page.getByRole('link', { name: 'Our 5-step meditation guide' }).click();
  await expect(page.getByText('Loading the guide…')).toBeAttached();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expect(page).toHaveTitle('Meditation Guide · Sukoon');
  await look(page, 'guide-loading');

  answer = 'fail';
  for (const go of waiting) go();
  const told = page.getByRole('alert').filter({ hasText: 'The guide could not be loaded' });
  await expect(told).toBeVisible();
  await expect(field(page)).toBeVisible();
  await look(page, 'guide-not-there');

  answer = 'go';
  await told.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Ten Quiet Minutes');
  await expect(told).toBeHidden();
});

test('everything can be done with the keyboard', async ({ page, sandbox }) => {
  const { email } = newPerson('Charu');
  await page.clock.install();
  await open(page);
  await walkTo(page, 'Start 10 minutes', 'button');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Rest' })).toBeFocused();
  await page.clock.fastForward('02:30');
  await expect(page.getByText('Step 2 of 5', { exact: true })).toBeVisible();
  await expect(page.locator('li[aria-current="step"]')).toContainText('Follow your breath');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Go on' })).toBeFocused();
  await look(page, 'guide-timer');
  await walkTo(page, 'Next step', 'button');
  for (const number of [3, 4, 5]) {
    await page.keyboard.press('Space');
    await expect(page.getByText(`Step ${number} of 5`, { exact: true })).toBeVisible();
  }
  await page.keyboard.press('Space');
  await expect(page.getByText(/^That was all\./)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Set it back' })).toBeFocused();
  await look(page, 'guide-timer-over');

  await walkTo(page, 'Email', 'textbox');
  await page.keyboard.type(email);
  await page.keyboard.press('Enter');
  await expectToast(page, 'Success!');
  await sandbox.mail(email, /./);
});

test('only the guide is printed, in light colours and on two sheets', async ({ page }) => {
  await page.addInitScript(() => localStorage.setItem('theme', 'dark'));
  await open(page);
  await page.emulateMedia({ media: 'print' });
  for (const role of ['banner', 'contentinfo', 'form', 'navigation'] as const) {
    await expect(page.getByRole(role)).toHaveCount(0);
  }
  await expect(page.getByRole('button')).toHaveCount(0);
  await expect(page.getByRole('main').locator('ol > li:visible')).toHaveCount(5);
  await expect(page.getByText('Sukoon · Meditation guide')).toBeVisible();
  await expect(page.getByRole('main').getByText(/Tele-MANAS/)).toBeVisible();
  const colours = await page.evaluate(() => {
    const { backgroundColor, color } = getComputedStyle(document.body);
    return [backgroundColor, color];
  });
  expect(colours).toEqual(['rgb(255, 255, 255)', 'rgb(34, 48, 43)']);
  const paper = await page.pdf({ preferCSSPageSize: true });
  expect(paper.toString('latin1')).toMatch(/\/Count 2\b/);
  expect(paper.toString('latin1')).toMatch(/\/MediaBox \[0 0 59[45]\S* 84[12]\S*\]/);
});

test('the words are in the document itself, which search engines leave alone', async ({
  browser,
  practice,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  const answer = await page.goto(`${practice.url}${PATH}`);
  expect(answer?.status()).toBe(200);
  await expect(page.locator('meta[name="robots"]')).toHaveAttribute('content', 'noindex');
  await expect(
    page.getByRole('heading', { level: 3, name: 'Step 5: Return gently' }),
  ).toBeVisible();
  await context.close();
});

test.describe('the narrowest screens', () => {
  test.use({ viewport: { width: 320, height: 640 } });

  test('scroll in one direction only', async ({ page }) => {
    await open(page);
    await fitsTheWidth(page);
    await page.getByRole('button', { name: 'Start 10 minutes' }).click();
    await expect(page.getByRole('timer')).toBeVisible();
    await fitsTheWidth(page);
  });
});
