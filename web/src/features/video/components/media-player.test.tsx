import { render } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { MediaPlayer } from './media-player';

beforeEach(() => {
  vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue();
});

function corsWith(src: string, captions: string): string | null {
  const { container } = render(<MediaPlayer src={src} captions={captions} title="Quiet" />);
  const video = container.querySelector('video');
  expect(video?.getAttribute('src')).toBe(src);
  expect(video?.querySelector('track')?.getAttribute('src') ?? '').toBe(captions);
  return video?.getAttribute('crossorigin') ?? null;
}

const THERE = 'https://films.example';

test('captions of another site are asked for with CORS, as no browser fetches them otherwise', () => {
  expect(corsWith('/media/quiet.mp4', `${THERE}/quiet.vtt`)).toBe('anonymous');
  expect(corsWith(`${THERE}/quiet.mp4`, `${THERE}/quiet.vtt`)).toBe('anonymous');
});

test('where captions are ours, or there are none, no host has to allow anything', () => {
  expect(corsWith('/media/quiet.mp4', '/media/quiet.vtt')).toBeNull();
  expect(corsWith('/media/quiet.mp4', '')).toBeNull();
  expect(corsWith(`${THERE}/quiet.mp4`, '/media/quiet.vtt')).toBeNull();
});
