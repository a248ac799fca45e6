/** The video of a service: no request before the press, its states, its keys and its failures. */
import type { Locator, Page } from '@playwright/test';
import { standIn } from './support/answers';
import { chunkAddress, chunkPath, lostChunk } from './support/chunks';
import { look } from './support/look';
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
  await look(page, 'video-cover');

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
  await look(page, 'video-paused');
  await page.keyboard.press('Space');
  await isIn(page, 'playing');
  await look(page, 'video-playing');
});

test('it says that it loads, and plays when the file comes', async ({ page }) => {
  const held: (() => void)[] = [];
  let hold = true;
  await page.route(`**${FILE}`, async (route) => {
    if (hold) await new Promise<void>((go) => held.push(go));
    await route.continue();
  });
  await page.goto(PATH);
  await cover(page).click();
  await isIn(page, 'loading');
  await expect(player(page).getByRole('status')).toContainText('Loading video…');
  await look(page, 'video-loading');
  hold = false;
  for (const go of held) go();
  await isIn(page, 'playing');
  await expect(player(page).getByRole('status')).toHaveText('');
});

test('keys and buttons seek by one second', async ({ page }) => {
  const begin = await openPaused(page);
  await page.keyboard.press('ArrowRight');
  await isAt(page, begin + 1);
  await page.keyboard.press('ArrowRight');
  await isAt(page, begin + 2);
  await page.keyboard.press('ArrowLeft');
  await isAt(page, begin + 1);
  await control(page, 'Forward 1 second').click();
  await isAt(page, begin + 2);
  await control(page, 'Back 1 second').click();
  await isAt(page, begin + 1);

  const position = page.getByRole('slider', { name: 'Position' });
  await page.keyboard.press('Home');
  await isAt(page, 0);
  await page.keyboard.press('ArrowLeft');
  await isAt(page, 0);
  await position.focus();
  await page.keyboard.press('ArrowUp');
  await isAt(page, 1);
  await expect(position).toHaveAttribute('step', '1');
  await expect(position).toHaveValue('1');
  await expect(position).toHaveAttribute('aria-valuetext', '0:01 of 0:24');
  await position.fill('12');
  await isAt(page, 12);
  await page.keyboard.press('End');
  await isAt(page, (await video(page)).duration);
});

test('the sound is changed with keys, the slider and the mute button', async ({ page }) => {
  await openPaused(page);
  const volume = page.getByRole('slider', { name: 'Volume' });
  await page.keyboard.press('ArrowUp');
  await expect(volume).toHaveValue('0.8');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await expect(volume).toHaveValue('0.6');
  await volume.fill('0.25');
  expect((await video(page)).volume).toBe(0.25);
  await expect(volume).toHaveAttribute('aria-valuetext', '25 percent');

  await page.keyboard.press('m');
  await expect(control(page, 'Mute')).toHaveAttribute('aria-pressed', 'true');
  await expect(volume).toHaveValue('0');
  expect((await video(page)).muted).toBe(true);
  await control(page, 'Mute').click();
  await expect(control(page, 'Mute')).toHaveAttribute('aria-pressed', 'false');
  await expect(volume).toHaveValue('0.25');
});

test('captions are off until they are wanted, and the choice is remembered', async ({ page }) => {
  await openPaused(page);
  const captions = control(page, 'Captions');
  await expect(captions).toHaveAttribute('aria-pressed', 'false');
  expect((await video(page)).captions).toBe('disabled');
  await page.keyboard.press('c');
  await expect(captions).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('Home');
  const shown = () =>
    page.locator('video').evaluate((element) => {
      const [cue] = (element as HTMLVideoElement).textTracks[0]?.activeCues ?? [];
      return (cue as VTTCue | undefined)?.text;
    });
  await expect.poll(shown).toMatch(/^\[.*tone.*\]$/);
  await look(page, 'video-captions');

  await openPaused(page);
  expect((await video(page)).captions).toBe('showing');
  await control(page, 'Captions').click();
  await expect(control(page, 'Captions')).toHaveAttribute('aria-pressed', 'false');
  await openPaused(page);
  expect((await video(page)).captions).toBe('disabled');
});

test('it fills the screen and comes back', async ({ page }) => {
  await openPaused(page);
  await page.keyboard.press('f');
  await expect(control(page, 'Full screen')).toHaveAttribute('aria-pressed', 'true');
  await expect.poll(() => page.evaluate(() => document.fullscreenElement?.tagName)).toBe('SECTION');
  await control(page, 'Full screen').click();
  await expect(control(page, 'Full screen')).toHaveAttribute('aria-pressed', 'false');
  expect(await page.evaluate(() => document.fullscreenElement)).toBeNull();
});

test('it pauses in a hidden tab and when something else plays', async ({ page }) => {
  await openPaused(page);
  await page.keyboard.press('k');
  await isIn(page, 'playing');
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await isIn(page, 'paused');

  await page.keyboard.press('k');
  await isIn(page, 'playing');
  await page.evaluate(() => {
    const other = document.body.appendChild(document.createElement('audio'));
    other.dispatchEvent(new Event('play'));
  });
  await isIn(page, 'paused');
});

async function isTold(page: Page, reason: string): Promise<void> {
  const told = page.getByRole('alert').filter({ hasText: 'Failed to load video' });
  await expect(told.getByText(`Failed to load video: ${reason}`, { exact: true })).toBeVisible();
  await expect(told.getByText(FALLBACK, { exact: true })).toBeVisible();
  await expect(told.getByRole('button', { name: 'Try again' })).toBeFocused();
}

test('a file that does not come has its message, and comes with another try @phone', async ({
  page,
  complaints,
}) => {
  complaints.expect(/meditation\.mp4.*ERR_FAILED/, /ERR_FAILED.*meditation\.mp4/);
  const desk = await standIn(page, FILE, 'lose');
  await page.goto(PATH);
  const before = await below(page);
  await cover(page).click();
  await isIn(page, 'error');
  await isTold(page, REASON);
  expect(await below(page)).toBe(before);
  await look(page, 'video-error');
  // The words of the first failure stand there until the press is heard.
  const asked = desk.asked();
  await page.keyboard.press('Enter');
  await desk.answeredAfter(asked);
  await isTold(page, REASON);
  desk.answer('go');
  await page.keyboard.press('Enter');
  await isIn(page, 'playing');
  await expect(control(page, 'Pause')).toBeFocused();
});

test('a missing file has the same message @phone', async ({ page, complaints }) => {
  complaints.expect(refusal(FILE));
  const desk = await standIn(page, FILE, 404);
  await page.goto(PATH);
  await cover(page).click();
  await isIn(page, 'error');
  await isTold(page, REASON);
  desk.answer('go');
  await page.getByRole('button', { name: 'Try again' }).click();
  await isIn(page, 'playing');
});

test('a player whose code does not come is asked for again', async ({ page, complaints }) => {
  complaints.expect(lostChunk('media-player'));
  const desk = await standIn(page, chunkAddress('media-player'), 'lose');
  await page.goto(PATH);
  await cover(page).click();
  await isTold(page, 'the connection was lost');
  await look(page, 'video-no-player');
  desk.answer('go');
  await page.getByRole('button', { name: 'Try again' }).click();
  await isIn(page, 'playing');
});

test('captions that do not come are no reason to stop', async ({ page, complaints }) => {
  complaints.expect(/meditation\.vtt.*ERR_FAILED/, /ERR_FAILED.*meditation\.vtt/);
  await page.route('**/media/*.vtt', (route) => route.abort());
  await openPaused(page);
  await page.keyboard.press('c');
  await expect(player(page).getByText('The captions could not be loaded.')).toBeAttached();
  await expect(control(page, 'Captions')).toHaveCount(0);
  await page.keyboard.press('k');
  await isIn(page, 'playing');
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

test('a service without a video keeps its drawn picture', async ({ page }) => {
  await page.route('**/catalogue.v1.CatalogueService/ListServices*', async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replace(/"videoUrl":\s*"[^"]*"/g, '"videoUrl":""');
    await route.fulfill({ response: answer, body });
  });
  await page.goto(PATH);
  await expect(cover(page)).toHaveCount(0);
  await expect(page.locator('main svg.art')).toBeVisible();
  await look(page, 'service-without-video');
});

test('without scripts the cover is a link to the file', async ({ browser, practice }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${practice.url}${PATH}`);
  const link = page.getByRole('link', { name: 'Play video: Meditation & Mindfulness' });
  await expect(link).toHaveAttribute('href', FILE);
  const answer = await context.request.get(`${practice.url}${FILE}`, {
    headers: { range: 'bytes=0-99' },
  });
  expect(answer.status()).toBe(206);
  expect(answer.headers()['content-type']).toBe('video/mp4');
  expect(await answer.body()).toHaveLength(100);
  await context.close();
});
