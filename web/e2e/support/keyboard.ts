/** The way through a page without a mouse. */
import type { Locator, Page } from '@playwright/test';
import { expect } from './test';

const STEPS_MAX = 120;

/** Walks with the Tab key until the element has the focus. */
export async function walkTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeAttached();
  for (let step = 0; step < STEPS_MAX; step += 1) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The Tab key does not reach ${target}.`);
}
