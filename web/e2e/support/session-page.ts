/** The page of a booking to which a mail leads by its key, and the mails that do. */
import type { Locator, Page } from '@playwright/test';
import { until } from './practice';
import { codeOf, type Mail, type Sandbox } from './sandbox';
import { expect } from './test';
import { chooseByValue } from './times';

/** What the page says. */
export const WORDS = {
  title: 'Your Session',
  cancel: 'Cancel this session',
  cancelDialog: 'Cancel this session?',
  cancelAll: 'Cancel and get ₹500 back',
  cancelLate: 'Cancel without a refund',
  undo: 'Undo',
  move: 'Move this session',
  moveTo: /^Move to /,
  sendCode: 'Send me a code',
  code: '6-digit code',
} as const;

/** The one mail with digits that a page without a sign-in has sent. */
const CODE_MAIL = /\bcode\b/i;

/** The link of most mails, and that of a time to choose. */
export const SESSION_LINK = /https?:\/\/\S+\/session#key=[\w-]{43}(?![\w&-])/;
export const CHOOSE_LINK = /https?:\/\/\S+\/session#key=[\w-]{43}&choose=[\w:%.-]+Z/g;

/** The newest mail to an address with such a link, as soon as there is one. */
export function mailWith(sandbox: Sandbox, email: string, link: RegExp): Promise<Mail> {
  return until(async () => (await sandbox.inbox(email)).find(({ text }) => text.search(link) >= 0));
}

/** The address to which the newest of those mails leads. */
export async function sessionLink(sandbox: Sandbox, email: string): Promise<string> {
  const { text } = await mailWith(sandbox, email, SESSION_LINK);
  return SESSION_LINK.exec(text)?.[0] ?? '';
}

export function button(within: Page | Locator, name: string | RegExp): Locator {
  return within.getByRole('button', { name, exact: true });
}

export function dialogOf(page: Page, name: string): Locator {
  return page.getByRole('dialog', { name });
}

async function codeMails(sandbox: Sandbox, email: string): Promise<Mail[]> {
  return (await sandbox.inbox(email)).filter(({ subject }) => CODE_MAIL.test(subject));
}

/** Types the code of the mail that a press has sent; before it there were so many. */
export async function typeMailedCode(
  form: Locator,
  { sandbox, email, before }: { sandbox: Sandbox; email: string; before: number },
): Promise<void> {
  const [newest] = await until(async () => {
    const all = await codeMails(sandbox, email);
    return all.length > before ? all : undefined;
  });
  await form.getByLabel(WORDS.code).fill(newest ? codeOf(newest) : '');
}

/** Asks for a code by mail, and types that of the mail that comes then. */
export async function askAndTypeCode(
  form: Locator,
  sandbox: Sandbox,
  email: string,
): Promise<void> {
  const before = (await codeMails(sandbox, email)).length;
  await button(form, WORDS.sendCode).click();
  await typeMailedCode(form, { sandbox, email, before });
}

/** Cancels where everything comes back: by two presses, without a code. */
export async function cancelByTwoPresses(page: Page): Promise<void> {
  await button(page, WORDS.cancel).click();
  const dialog = dialogOf(page, WORDS.cancelDialog);
  await expect(button(dialog, WORDS.cancelAll)).toBeVisible();
  await expect(button(dialog, WORDS.sendCode)).toHaveCount(0);
  await button(dialog, WORDS.cancelAll).click();
  await expect(button(page, WORDS.undo)).toBeVisible();
}

export async function undo(page: Page): Promise<void> {
  await button(page, WORDS.undo).click();
  await expect(button(page, WORDS.undo)).toHaveCount(0);
  await expect(button(page, WORDS.cancel)).toBeVisible();
}

/** Opens the free times and chooses one; says the dialog. */
export async function chooseMove(page: Page, to: Date): Promise<Locator> {
  await button(page, WORDS.move).click();
  const dialog = dialogOf(page, WORDS.move);
  await chooseByValue(dialog, to);
  return dialog;
}
