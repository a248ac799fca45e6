/**
 * Members of a list by their place. What a spec presses or reads is found by its name or value,
 * because news may redraw a list; these are for lists that stay as they are while a test looks.
 */
import type { Locator } from '@playwright/test';
import { expect } from './test';

/** Waits until at least one of these can be seen, wherever it stands. */
export async function expectSome(list: Locator): Promise<void> {
  await expect(list.filter({ visible: true })).not.toHaveCount(0);
}

export function firstOf(fixed: Locator): Locator {
  return fixed.first();
}

export function lastOf(fixed: Locator): Locator {
  return fixed.last();
}

/** Counted from 0. */
export function nthOf(fixed: Locator, place: number): Locator {
  return fixed.nth(place);
}
