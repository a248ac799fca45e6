/** The test of a spec that moves clocks by hours and days: in a practice of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { setServerAhead } from './device';
import { Practice, START_MS_MAX, startPractice } from './practice';
import { test as base, MUCH_WRITTEN } from './test';

type Settings = Record<string, string>;

/**
 * One practice for all tests of a spec in a worker; its settings may need files, for which there is a folder
 * as long as it runs.
 */
export function ownPracticeTest(name: string, settings: (folder: string) => Settings = () => ({})) {
  return base.extend<object, { practice: Practice }>({
    practice: [
      async ({ browserName: _ }, provide, info) => {
        const folder = mkdtempSync(join(tmpdir(), `sukoon-e2e-${name}-`));
        const all = { ...MUCH_WRITTEN, ...settings(folder) };
        const own = await startPractice(`${name}-${info.workerIndex}`, all);
        await provide(new Practice(own.data));
        await own.stop();
        rmSync(folder, { recursive: true, force: true });
      },
      { scope: 'worker', timeout: START_MS_MAX },
    ],
  });
}

/** Lets time pass, also for pages that are loaded from now on. */
export async function passTime(practice: Practice, minutes: number, pages: Page[]): Promise<void> {
  await practice.passMinutes(minutes);
  for (const page of pages) await setServerAhead(page.context(), minutes);
}

/** Lets the practice's clock become this time. */
export async function passUntil(practice: Practice, at: Date, pages: Page[]): Promise<void> {
  const now = Date.now() / 60_000 + (await practice.minutesPassed());
  await passTime(practice, Math.ceil(at.getTime() / 60_000 - now), pages);
}

const [HOUR, DAY] = [60, 24 * 60];
/** How far the practice's clock is ahead of UTC. */
const INDIA = 330;
/** Offers are made from 8:00 to 21:00 by the practice's clock, and held for two hours. */
const [OPENS, CLOSES] = [8.5 * HOUR, 18 * HOUR];

/** By its clock the practice is awake: where it is not, it becomes the next morning. */
export async function wake(practice: Practice, pages: Page[]): Promise<void> {
  const passed = await practice.minutesPassed();
  const now = (Math.floor(Date.now() / 60_000) + passed + INDIA) % DAY;
  const isAwake = now >= OPENS && now < CLOSES;
  const more = isAwake ? 0 : (OPENS - now + DAY) % DAY;
  await practice.passMinutes(more);
  for (const page of pages) await setServerAhead(page.context(), passed + more);
}
