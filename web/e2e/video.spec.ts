/**
 * The video of a service as a browser plays it. Its states, keys and sliders are tested in
 * `src/features/video`.
 */
import type { Locator, Page } from '@playwright/test';
import { standIn } from './support/answers';
import { chunkPath } from './support/chunks';
import { fitsTheWidth } from './support/look';
import { expect, test } from './support/test';
import { refusal } from './support/watch';

const PATH = '/service/meditation';
const FILE = '/media/meditation.mp4';
const FALLBACK = 'Unable to load video. Please check the video file exists and try again.';
const REASON = 'the file was not found, or this browser cannot play it';
const SERVICES = [
  'general-consultation',
  'energy-healing',
  'meditation',
  'vedic-astrology',
  'mental-health',
  'relationship-counseling',
  'karmic-healing',
];

function cover(page: Page): Locator {
  return page.getByRole('button', { name: /^Play video: / });
}

function player(page: Page): Locator {
  return page.getByRole('region', { name: /^Video: / });
}

function control(page: Page, name: string): Locator {
  return player(page).getByRole('button', { name, exact: true });
}

async function isIn(page: Page, state: string): Promise<void> {
  await expect(player(page)).toHaveAttribute('data-state', state);
}

/** The position in the document of what is below the player, independent of scrolling. */
function below(page: Page): Promise<number> {
  return page
    .getByText('If you have tried to meditate')
    .evaluate((element) => element.getBoundingClientRect().top + window.scrollY);
}

type Video = { time: number; duration: number; volume: number; muted: boolean; captions: string };

function video(page: Page): Promise<Video> {
  return page.locator('video').evaluate((element) => {
    const { currentTime, duration, volume, muted, textTracks } = element as HTMLVideoElement;
    const captions = textTracks[0]?.mode ?? 'none';
    return { time: currentTime, duration, volume, muted, captions };
  });
}

async function isAt(page: Page, seconds: number): Promise<void> {
  await expect.poll(async () => (await video(page)).time).toBeCloseTo(seconds, 2);
}

/** Plays and pauses, so that the time is fixed and the play button has the focus. */
async function openPaused(page: Page): Promise<number> {
  await page.goto(PATH);
  await cover(page).click();
  await isIn(page, 'playing');
  await page.keyboard.press('k');
  await isIn(page, 'paused');
  return (await video(page)).time;
}

/** Notes whatever belongs to the video: its files, and the player's own code. */
function noteAsked(page: Page): string[] {
  const asked: string[] = [];
  const code = chunkPath('media-player');
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/media/') || pathname === code) asked.push(pathname);
  });
  return asked;
}

test('nothing is loaded before the press, and then it plays at volume 0.7 @phone', async ({
  page,
}) => {
  const asked = noteAsked(page);
  await page.goto(PATH);
  await expect(cover(page)).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(asked).toEqual([]);

  const before = await below(page);
  await cover(page).click();
  await isIn(page, 'playing');
  expect(await below(page)).toBe(before);
  expect(asked).toContain(FILE);
  expect(await video(page)).toMatchObject({ volume: 0.7, muted: false });
  await expect(page.getByRole('slider', { name: 'Volume' })).toHaveValue('0.7');
  await expect(control(page, 'Pause')).toBeFocused();

  await control(page, 'Pause').click();
  await isIn(page, 'paused');
  await expect(control(page, 'Play')).toBeVisible();
  await page.keyboard.press('Space');
  await isIn(page, 'playing');
  await fitsTheWidth(page);
});

test('it seeks, is muted, shows its captions and fills the screen', async ({ page }) => {
  const begin = await openPaused(page);
  await page.keyboard.press('ArrowRight');
  await isAt(page, begin + 1);
  await control(page, 'Back 1 second').click();
  await isAt(page, begin);
  const position = page.getByRole('slider', { name: 'Position' });
  await position.fill('12');
  await isAt(page, 12);
  await expect(position).toHaveAttribute('aria-valuetext', '0:12 of 0:24');
  await page.keyboard.press('End');
  await isAt(page, (await video(page)).duration);

  await page.keyboard.press('m');
  await expect(control(page, 'Mute')).toHaveAttribute('aria-pressed', 'true');
  expect((await video(page)).muted).toBe(true);

  expect((await video(page)).captions).toBe('disabled');
  await page.keyboard.press('c');
  await expect(control(page, 'Captions')).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('Home');
  const shown = () =>
    page.locator('video').evaluate((element) => {
      const [cue] = (element as HTMLVideoElement).textTracks[0]?.activeCues ?? [];
      return (cue as VTTCue | undefined)?.text;
    });
  await expect.poll(shown).toMatch(/^\[.*tone.*\]$/);

  await page.keyboard.press('f');
  await expect(control(page, 'Full screen')).toHaveAttribute('aria-pressed', 'true');
  await expect.poll(() => page.evaluate(() => document.fullscreenElement?.tagName)).toBe('SECTION');
  await control(page, 'Full screen').click();
  await expect(control(page, 'Full screen')).toHaveAttribute('aria-pressed', 'false');
  expect(await page.evaluate(() => document.fullscreenElement)).toBeNull();
});

async function isTold(page: Page, reason: string): Promise<void> {
  const told = page.getByRole('alert').filter({ hasText: 'Failed to load video' });
  await expect(told.getByText(`Failed to load video: ${reason}`, { exact: true })).toBeVisible();
  await expect(told.getByText(FALLBACK, { exact: true })).toBeVisible();
  await expect(told.getByRole('button', { name: 'Try again' })).toBeFocused();
}

test('a file that does not come has its message, and comes with another try', async ({
  page,
  complaints,
}) => {
  complaints.expect(/meditation\.mp4.*ERR_FAILED/, /ERR_FAILED.*meditation\.mp4/, refusal(FILE));
  const desk = await standIn(page, FILE, 'lose');
  await page.goto(PATH);
  const before = await below(page);
  await cover(page).click();
  await isIn(page, 'error');
  await isTold(page, REASON);
  expect(await below(page)).toBe(before);
  // The words of the first failure stand there until the press is heard.
  const asked = desk.asked();
  desk.answer(404);
  await page.keyboard.press('Enter');
  await desk.answeredAfter(asked);
  await isTold(page, REASON);
  desk.answer('go');
  await page.keyboard.press('Enter');
  await isIn(page, 'playing');
  await expect(control(page, 'Pause')).toBeFocused();
});

test('every service has a video of its own that plays', async ({ page }) => {
  for (const id of SERVICES) {
    await page.goto(`/service/${id}`);
    await cover(page).click();
    await isIn(page, 'playing');
    const { duration, captions } = await video(page);
    expect(duration, id).toBeGreaterThanOrEqual(20);
    expect(duration, id).toBeLessThanOrEqual(30);
    expect(captions, id).not.toBe('none');
  }
});
