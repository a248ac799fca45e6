import { expect, test } from 'vitest';
import { posterOf } from './poster';

test('only a video of the media folder has its poster beside it', () => {
  expect(posterOf('/media/meditation.mp4')).toBe('/media/meditation.jpg');
  expect(posterOf('/media/films/a.mp4.mp4')).toBe('/media/films/a.mp4.jpg');
  expect(posterOf('https://films.example/a.mp4')).toBeUndefined();
  expect(posterOf('/media/meditation.webm')).toBeUndefined();
});
