/** The practice's owner, and the admin panel as the owner uses it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { openSession, showSecondStep } from './people';
import type { Practice } from './practice';

export const STAFF = '/rpc/reviews.v1.ReviewsStaffService';

export type Owner = { email: string; password: string };

/** The account that `sukoon` has made and printed. */
export function ownerOf({ data }: Practice): Owner {
  const words = JSON.parse(readFileSync(join(data, 'secrets/words.json'), 'utf8')) as Record<
    string,
    string
  >;
  const word = words['owner-password'] ?? '';
  // It is shown in four groups of four.
  const password = [0, 4, 8, 12].map((at) => word.slice(at, at + 4)).join('-');
  return { email: 'owner@sukoon.example', password };
}

/** A code of the owner's second step; `sukoon` gives each out once. */
function ownerCode(practice: Practice): string {
  return practice.staff('owner', 'code').trim();
}

/** Signs the owner in, in this browser, with both steps. */
export async function signInOwner(page: Page, practice: Practice): Promise<string> {
  const token = await openSession(page, practice.url, ownerOf(practice));
  return showSecondStep(page, practice.url, token, ownerCode(practice));
}

export function panel(page: Page): Locator {
  return page.getByRole('dialog', { name: 'Admin Panel' });
}

export async function openPanel(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Admin' }).click();
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
  return panel(page);
}

/** Types a password and sends it. */
export async function tryPassword(page: Page, password: string): Promise<void> {
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.keyboard.press('Enter');
}

export async function unlock(page: Page, practice: Practice): Promise<Locator> {
  const dialog = await openPanel(page);
  await tryPassword(page, ownerOf(practice).password);
  await expect(dialog.getByRole('heading', { name: 'Reviews' })).toBeFocused();
  return dialog;
}

/** A staff call as a script of the page could make it: with the browser's cookies. */
export async function callByHand(
  page: Page,
  method: string,
  { body = {}, token }: { body?: unknown; token?: string },
): Promise<{ status: number; text: string }> {
  return page.evaluate(
    async ([path, json, bearer]) => {
      const headers = new Headers({ 'Content-Type': 'application/json' });
      if (bearer) headers.set('Authorization', `Bearer ${bearer}`);
      const answer = await fetch(path, { method: 'POST', headers, body: json });
      return { status: answer.status, text: await answer.text() };
    },
    [`${STAFF}/${method}`, JSON.stringify(body), token ?? ''] as const,
  );
}
