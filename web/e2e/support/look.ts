/** Looks at a state of a page as a picky eye would: by axe, and by pictures on request. */
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';

/** What a theme can change: it swaps colours, and nothing of the structure. */
const RULES_OF_COLOUR = ['color-contrast', 'link-in-text-block'];
/** What a small screen can change. */
const RULES_OF_SCREEN = ['scrollable-region-focusable'];
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

type Asked = 'all' | 'colours' | 'screen';

async function inspect(page: Page, name: string, theme: string, asked: Asked): Promise<void> {
  await atRest(page);
  if (PICTURES) {
    const path = `screenshots/${test.info().project.name}/${name}-${theme}.png`;
    await page.screenshot({ path, fullPage: true });
  }
  const axe = new AxeBuilder({ page });
  // Frames are joined in a page of axe's own, which costs a fifth of a look where there are none.
  axe.setLegacyMode(page.frames().length === 1);
  if (asked === 'all') axe.withTags(RULES);
  else axe.withRules(asked === 'colours' ? RULES_OF_COLOUR : RULES_OF_SCREEN);
  const { violations } = await axe.analyze();
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

/**
 * Whether this run looks at the state on a small screen only for what the screen changes: the run on
 * the desk has looked at the rest.
 */
function isSeenOnTheDesk(): boolean {
  const { project, title } = test.info();
  return project.name === 'phone' && !title.includes('@phone-only');
}

/** Looks at a state as it is and, with `both`, at what the other theme changes of it. */
async function lookAt(page: Page, name: string, asked: Asked, both: boolean): Promise<void> {
  await test.step(`look at ${name}`, async () => {
    await fitsTheWidth(page);
    // A toast that comes now is shown at once, and not caught half faded in.
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const dark = await page.evaluate(() => document.documentElement.classList.contains('dark'));
    const flip = () => page.evaluate(() => document.documentElement.classList.toggle('dark'));
    await inspect(page, name, dark ? 'dark' : 'light', asked);
    if (both) {
      await flip();
      await inspect(page, name, dark ? 'light' : 'dark', 'colours');
      await flip();
    }
    await page.emulateMedia({ reducedMotion: null });
  });
}

/** The state in the theme that is on; the colours of both have a test of their own. */
export async function look(page: Page, name: string): Promise<void> {
  await lookAt(page, name, isSeenOnTheDesk() ? 'screen' : 'all', PICTURES);
}

/** The state in the theme that is on, and what a theme can change of it in the other one. */
export async function lookInThemes(page: Page, name: string): Promise<void> {
  await lookAt(page, name, 'all', true);
}

/** The state in both colour schemes of the system, which a frame of ours follows. */
export async function lookInSchemes(page: Page, name: string): Promise<void> {
  await test.step(`look at ${name}`, async () => {
    await fitsTheWidth(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ reducedMotion: 'reduce', colorScheme });
      await inspect(page, name, colorScheme, 'all');
    }
    await page.emulateMedia({ reducedMotion: null, colorScheme: null });
  });
}
