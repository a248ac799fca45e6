import { expect, test } from 'vitest';
import {
  type PlayerEvent,
  type PlayerState,
  playerStep,
  START,
  secondsAfter,
  volumeAfter,
} from './player-state';

function after(...events: PlayerEvent[]): PlayerState {
  return events.reduce(playerStep, START);
}

const PLAYING: PlayerEvent[] = [
  { type: 'loading' },
  { type: 'started' },
  { type: 'ready' },
  { type: 'playing' },
];

test('a player begins by loading, at volume 0.7', () => {
  expect(START).toMatchObject({ status: 'loading', going: false, volume: 0.7, muted: false });
});

test('loading, ready, playing, paused', () => {
  const seen = PLAYING.map((_, index) => after(...PLAYING.slice(0, index + 1)).status);
  expect(seen).toEqual(['loading', 'loading', 'ready', 'playing']);
  expect(after(...PLAYING, { type: 'paused' })).toMatchObject({ status: 'paused', going: false });
});

test('the play button offers a pause from the moment that playing was asked for', () => {
  expect(after({ type: 'started' }).going).toBe(true);
  expect(after({ type: 'started' }, { type: 'paused' }).going).toBe(false);
});

test('a player that waits for the network is loading, and one that stands still does not wait', () => {
  expect(after(...PLAYING, { type: 'waiting' })).toMatchObject({ status: 'loading', going: true });
  expect(after(...PLAYING, { type: 'waiting' }, { type: 'playing' }).status).toBe('playing');
  expect(after(...PLAYING, { type: 'paused' }, { type: 'waiting' }).status).toBe('paused');
});

test('being ready says nothing to a player that plays or was paused', () => {
  expect(after(...PLAYING, { type: 'ready' }).status).toBe('playing');
  expect(after({ type: 'paused' }, { type: 'ready' }).status).toBe('paused');
});

test('a failure says why and stays until the video is loaded anew', () => {
  const failed = after(...PLAYING, { type: 'failed', reason: 'the file is damaged' });
  expect(failed).toMatchObject({ status: 'error', going: false, reason: 'the file is damaged' });
  for (const type of ['ready', 'started', 'playing', 'waiting', 'paused'] as const) {
    expect(playerStep(failed, { type })).toMatchObject({ status: 'error', going: false });
  }
  expect(playerStep(failed, { type: 'loading' })).toMatchObject({
    status: 'loading',
    reason: null,
    seconds: 0,
  });
});

test('the video’s own data is taken over, and impossible values are ignored', () => {
  expect(after({ type: 'measured', duration: 24 }).duration).toBe(24);
  expect(after({ type: 'measured', duration: Number.NaN }).duration).toBe(0);
  expect(after({ type: 'measured', duration: Number.POSITIVE_INFINITY }).duration).toBe(0);
  expect(after({ type: 'moved', seconds: 3.5 }).seconds).toBe(3.5);
  expect(after({ type: 'loaded', to: 12 }).loadedTo).toBe(12);
  expect(after({ type: 'volume', volume: 0.4, muted: true })).toMatchObject({
    volume: 0.4,
    muted: true,
  });
  expect(after({ type: 'captions', captions: 'on' }).captions).toBe('on');
});

test('a step of a second ends at the begin and at the end', () => {
  expect(secondsAfter(3.5, 1, 24)).toBe(4.5);
  expect(secondsAfter(0.4, -1, 24)).toBe(0);
  expect(secondsAfter(23.4, 1, 24)).toBe(24);
  expect(secondsAfter(0, 1, Number.NaN)).toBe(0);
});

test('the volume stays between nothing and all', () => {
  expect(volumeAfter(0.7, 0.1)).toBe(0.8);
  expect(volumeAfter(0.95, 0.1)).toBe(1);
  expect(volumeAfter(0.05, -0.1)).toBe(0);
  const steps = Array.from({ length: 7 });
  expect(steps.reduce<number>((volume) => volumeAfter(volume, -0.1), 0.7)).toBe(0);
});
