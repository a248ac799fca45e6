import { render, screen } from '@testing-library/react';
import { renderToString } from 'react-dom/server';
import { expect, test } from 'vitest';
import { VideoPlayer } from './video-player';

const PLAYER = (
  <VideoPlayer
    src="/media/quiet.mp4"
    captions="/media/quiet.vtt"
    title="Quiet"
    cover={<span data-testid="cover" />}
  />
);

test('the written page has a cover and a link to the file, and nothing that loads', () => {
  const html = renderToString(PLAYER);
  expect(html).toContain('data-testid="cover"');
  expect(html).toMatch(/<a href="\/media\/quiet\.mp4" aria-label="Play video: Quiet"/);
  expect(html).not.toMatch(/<video|<img|style=/);
});

test('in a running page the cover is a button, and there is no video before it is pressed', () => {
  const { container } = render(PLAYER);
  expect(screen.getByRole('button', { name: 'Play video: Quiet' })).toBeDefined();
  expect(screen.queryByRole('link')).toBeNull();
  expect(container.querySelector('video')).toBeNull();
});
