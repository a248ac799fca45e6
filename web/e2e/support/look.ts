/** Looks at a state of a page as a picky eye would: axe in both themes, and pictures on request. */
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';

/** What a theme can change: it swaps colours, and nothing of the structure. */
const RULES_OF_COLOUR = ['color-contrast', 'link-in-text-block'];
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** `SCREENSHOTS=1` keeps a picture of every state in web/screenshots. */
const PICTURES = process.env.SCREENSHOTS === '1';

/**
 * Ends what is only on its way, in frames too, so that no picture shows half a fade; spinners go on.
 * The page is looked at from its top, where the header covers nothing.
 */
async function atRest(page: Page): Promise<void> {
  await page.evaluate(() => window.scrollTo({ top: 0, behavior: 'instant' }));
  // Asked anew when a frame is removed or leads to another page meanwhile.
  await expect(async () => {
    await Promise.all(page.frames().map((frame) => frame.evaluate(endAnimations)));
  }).toPass();
}

async function endAnimations(): Promise<void> {
  await document.fonts.ready;
  for (const animation of document.getAnimations()) {
    const end = animation.effect?.getComputedTiming().endTime;
    if (end !== Number.POSITIVE_INFINITY) animation.finish();
  }
}

async function inspect(page: Page, name: string, theme: string, whole: boolean): Promise<void> {
  await atRest(page);
  if (PICTURES) {
    const path = `screenshots/${test.info().project.name}/${name}-${theme}.png`;
    await page.screenshot({ path, fullPage: true });
  }
  const axe = new AxeBuilder({ page });
  const asked = whole ? axe.withTags(RULES) : axe.withRules(RULES_OF_COLOUR);
  const { violations } = await asked.analyze();
  const found = violations.map(({ id, help, nodes }) => ({
    id,
    help,
    nodes: nodes.map((node) => `${node.target.join(' ')}: ${node.failureSummary}`),
  }));
  expect(found, `axe on "${name}", ${theme}`).toEqual([]);
}

/** No part of the page may lie beyond the side of the screen. */
export async function fitsTheWidth(page: Page): Promise<void> {
  const [content, screen] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ]);
  expect(content, 'nothing scrolls sideways').toBeLessThanOrEqual(screen ?? 0);
}

/** The state in the theme that is on, and what a theme can change of it in the other one. */
export async function look(page: Page, name: string): Promise<void> {
  await test.step(`look at ${name}`, async () => {
    await fitsTheWidth(page);
    // A toast that comes now is shown at once, and not caught half faded in.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const dark = await page.evaluate(() => document.documentElement.classList.contains('dark'));
    await inspect(page, name, dark ? 'dark' : 'light', true);
    const flip = () => page.evaluate(() => document.documentElement.classList.toggle('dark'));
    await flip();
    await inspect(page, name, dark ? 'light' : 'dark', false);
    await flip();
    await page.emulateMedia({ reducedMotion: null });
  });
}

/** The state in both colour schemes of the system, which a frame of ours follows. */
export async function lookInSchemes(page: Page, name: string): Promise<void> {
  await test.step(`look at ${name}`, async () => {
    await fitsTheWidth(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ reducedMotion: 'reduce', colorScheme });
      await inspect(page, name, colorScheme, true);
    }
    await page.emulateMedia({ reducedMotion: null, colorScheme: null });
  });
}
