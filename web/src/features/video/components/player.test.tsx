/** The open player by keys, buttons and sliders, with a video whose events a test plays. */
import { act, fireEvent, render, screen, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { MediaPlayer } from './media-player';

const DURATION = 24;

/** The captions of the video, as a browser tells of them. */
class Track {
  current = 'disabled';

  get mode(): string {
    return this.current;
  }

  set mode(mode: string) {
    this.current = mode;
    tracks.dispatchEvent(new Event('change'));
  }
}

let track: Track;
let tracks: EventTarget;

beforeEach(() => {
  track = new Track();
  tracks = Object.assign(new EventTarget(), { 0: track, length: 1 });
  vi.spyOn(HTMLMediaElement.prototype, 'textTracks', 'get').mockImplementation(
    () => tracks as TextTrackList,
  );
  vi.spyOn(HTMLMediaElement.prototype, 'duration', 'get').mockReturnValue(DURATION);
});

afterEach(() => {
  vi.restoreAllMocks();
});

function open() {
  return render(
    <main>
      <MediaPlayer src="/media/quiet.mp4" captions="/media/quiet.vtt" title="Quiet" />
    </main>,
  );
}

const player = () => screen.getByRole('region', { name: 'Video: Quiet' });
const state = () => player().dataset.state;
const control = (name: string) => within(player()).getByRole('button', { name });
const slider = (name: string) => screen.getByRole<HTMLInputElement>('slider', { name });

function video(): HTMLVideoElement {
  const found = player().querySelector('video');
  if (!found) throw new Error('There is no video.');
  return found;
}

/** What a browser's video tells of after it was changed. */
function tell(...names: string[]): void {
  for (const name of names) fireEvent(video(), new Event(name));
}

/** Presses a key where the focus is. */
function press(key: string): void {
  fireEvent.keyDown(document.activeElement ?? document.body, { key });
  tell('timeupdate', 'volumechange');
}

/** Plays and pauses, as the focus is on the play button then. */
function openPaused() {
  const rendered = open();
  tell('durationchange');
  fireEvent.click(control('Pause'));
  return rendered;
}

test('it plays at volume 0.7 at once, and its play button has the focus', async () => {
  open();
  expect(state()).toBe('playing');
  expect(video().volume).toBe(0.7);
  expect(video().muted).toBe(false);
  expect(slider('Volume').value).toBe('0.7');
  expect(document.activeElement).toBe(control('Pause'));
  fireEvent.click(control('Pause'));
  expect(state()).toBe('paused');
  expect(video().paused).toBe(true);
  expect(control('Play')).toBeTruthy();
  await expectAccessible();
  press('k');
  expect(state()).toBe('playing');
});

test('it says that it loads until it plays', async () => {
  open();
  const status = within(player()).getByRole('status');
  tell('waiting');
  expect(state()).toBe('loading');
  expect(status.textContent?.trim()).toBe('Loading video…');
  await expectAccessible();
  tell('playing');
  expect(state()).toBe('playing');
  expect(status.textContent).toBe('');
});

test('keys and buttons seek by one second', () => {
  openPaused();
  video().currentTime = 3;
  press('ArrowRight');
  press('ArrowRight');
  expect(video().currentTime).toBe(5);
  press('ArrowLeft');
  expect(video().currentTime).toBe(4);
  fireEvent.click(control('Forward 1 second'));
  expect(video().currentTime).toBe(5);
  fireEvent.click(control('Back 1 second'));
  expect(video().currentTime).toBe(4);

  press('Home');
  press('ArrowLeft');
  expect(video().currentTime).toBe(0);
  const position = slider('Position');
  position.focus();
  press('ArrowUp');
  expect(video().currentTime).toBe(1);
  expect(position.step).toBe('1');
  expect(position.value).toBe('1');
  expect(position.getAttribute('aria-valuetext')).toBe('0:01 of 0:24');
  fireEvent.change(position, { target: { value: '12' } });
  expect(video().currentTime).toBe(12);
  press('End');
  expect(video().currentTime).toBe(DURATION);
});

test('the sound is changed with keys, the slider and the mute button', () => {
  openPaused();
  const volume = slider('Volume');
  press('ArrowUp');
  expect(volume.value).toBe('0.8');
  press('ArrowDown');
  press('ArrowDown');
  expect(volume.value).toBe('0.6');
  fireEvent.change(volume, { target: { value: '0.25' } });
  tell('volumechange');
  expect(video().volume).toBe(0.25);
  expect(volume.getAttribute('aria-valuetext')).toBe('25 percent');

  press('m');
  expect(control('Mute').getAttribute('aria-pressed')).toBe('true');
  expect(volume.value).toBe('0');
  expect(video().muted).toBe(true);
  fireEvent.click(control('Mute'));
  tell('volumechange');
  expect(control('Mute').getAttribute('aria-pressed')).toBe('false');
  expect(volume.value).toBe('0.25');
});

test('captions are off until they are wanted, and the choice is remembered', async () => {
  const { unmount } = openPaused();
  const pressed = () => control('Captions').getAttribute('aria-pressed');
  expect(pressed()).toBe('false');
  press('c');
  expect(track.mode).toBe('showing');
  expect(pressed()).toBe('true');
  await expectAccessible();
  unmount();

  track.current = 'disabled';
  const again = openPaused();
  expect(track.mode).toBe('showing');
  fireEvent.click(control('Captions'));
  expect(pressed()).toBe('false');
  again.unmount();

  track.current = 'showing';
  openPaused();
  expect(track.mode).toBe('disabled');
});

test('captions that do not come are no reason to stop', () => {
  openPaused();
  const element = video().querySelector('track');
  if (element) fireEvent.error(element);
  expect(within(player()).getByText('The captions could not be loaded.')).toBeTruthy();
  expect(within(player()).queryByRole('button', { name: 'Captions' })).toBeNull();
  press('k');
  expect(state()).toBe('playing');
});

test('it pauses in a hidden tab and when something else plays', () => {
  open();
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
  act(() => void document.dispatchEvent(new Event('visibilitychange')));
  expect(state()).toBe('paused');
  hidden.mockReturnValue(false);

  press('k');
  expect(state()).toBe('playing');
  const other = document.body.appendChild(document.createElement('audio'));
  act(() => void other.dispatchEvent(new Event('play')));
  expect(state()).toBe('paused');
  other.remove();
});

test('a file that does not come has its message, and another try plays it', async () => {
  open();
  const load = vi.spyOn(video(), 'load').mockImplementation(() => {});
  vi.spyOn(video(), 'error', 'get').mockReturnValue({ code: 4 } as MediaError);
  tell('error');
  expect(state()).toBe('error');
  const told = screen.getByRole('alert');
  const reason = 'the file was not found, or this browser cannot play it';
  expect(within(told).getByText(`Failed to load video: ${reason}`)).toBeTruthy();
  const fallback = 'Unable to load video. Please check the video file exists and try again.';
  expect(within(told).getByText(fallback)).toBeTruthy();
  const again = within(told).getByRole('button', { name: 'Try again' });
  expect(document.activeElement).toBe(again);
  expect(screen.queryByRole('slider')).toBeNull();
  await expectAccessible();

  press('m');
  expect(video().muted).toBe(false);
  fireEvent.click(again);
  expect(load).toHaveBeenCalledTimes(1);
  expect(state()).toBe('loading');
  tell('canplay', 'playing');
  expect(state()).toBe('playing');
  expect(screen.queryByRole('alert')).toBeNull();
  expect(document.activeElement).toBe(control('Pause'));
});
