/** Whether a page is easy to read and to press: axe, sizes of targets, and enlarged text. */
import { expect, type Locator, type Page } from '@playwright/test';
import { fitsTheWidth, lookInThemes } from './look';

/** The width of a 1280-pixel window at 200 % and at 400 %. */
const ZOOMED = [640, 320];
const THUMB = 44;
/** Rounding of layouts. */
const TOLERANCE = 0.5;

/** The page is used at a larger size without scrolling sideways. */
async function canBeEnlarged(page: Page): Promise<void> {
  const before = page.viewportSize();
  for (const width of ZOOMED) {
    await page.setViewportSize({ width, height: Math.round((width * 5) / 8) });
    await fitsTheWidth(page);
  }
  if (before) await page.setViewportSize(before);
}

/** The visible buttons, links and fields that are too small to press. */
export async function hardToPress(part: Locator): Promise<string[]> {
  const pressed = part.locator('button, summary, select, textarea, input, a[class*="min-h-"]');
  const found = await pressed.evaluateAll((elements) =>
    elements.map((element) => {
      const input = element instanceof HTMLInputElement ? element : undefined;
      // A choice is pressed at its words as well, and what reaches over a card at the whole card.
      const after = getComputedStyle(element, '::after');
      const reaches = after.content !== 'none' && after.position === 'absolute';
      const card = reaches ? (element as HTMLElement).offsetParent : undefined;
      const targets = [element, ...(input?.labels ?? []), ...(card ? [card] : [])];
      const height = Math.max(...targets.map((one) => one.getBoundingClientRect().height));
      // The field that only programs fill in is not to be pressed.
      const forPeople = !element.closest('[aria-hidden="true"]');
      const seen = forPeople && element.checkVisibility({ visibilityProperty: true }) && height > 1;
      const name = element.getAttribute('aria-label') ?? element.textContent ?? '';
      return { seen, height, name: `${element.tagName} ${name.trim().slice(0, 40)}` };
    }),
  );
  return found
    .filter(({ seen, height }) => seen && height < THUMB - TOLERANCE)
    .map(({ name, height }) => `${name}: ${height}`);
}

/** Checks the sizes of a part of a page, enlarged too; a component test has scanned the state. */
export async function expectSizes(page: Page, name: string, part: Locator): Promise<void> {
  await fitsTheWidth(page);
  expect(await hardToPress(part), `what a thumb misses on ${name}`).toEqual([]);
  await canBeEnlarged(page);
}

/** Checks a part of a page in both themes and at all sizes. */
export async function expectEase(page: Page, name: string, part: Locator): Promise<void> {
  await lookInThemes(page, name);
  await expectSizes(page, name, part);
}
