/** Looks at a rendered state for what keeps people from using it, as far as a simulated browser can tell. */
import axe from 'axe-core';
import { expect } from 'vitest';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What needs a layout, colours or a whole page; `e2e/access.spec.ts` and `site-colours` hold it. */
const NEEDS_A_BROWSER = ['color-contrast', 'link-in-text-block', 'target-size', 'region'];

/**
 * Expects that axe finds nothing in `root`, by default the whole document with its dialogs.
 *
 * @throws When a rule is broken; the message names the rule, its help and each element.
 */
export async function expectAccessible(root: Element = document.body): Promise<void> {
  const { violations } = await axe.run(root, {
    runOnly: { type: 'tag', values: RULES },
    rules: Object.fromEntries(NEEDS_A_BROWSER.map((rule) => [rule, { enabled: false }])),
    resultTypes: ['violations'],
    // No frame is loaded here.
    iframes: false,
  });
  const found = violations.map(({ id, help, nodes }) => ({
    id,
    help,
    nodes: nodes.map((node) => node.html),
  }));
  expect(found).toEqual([]);
}
