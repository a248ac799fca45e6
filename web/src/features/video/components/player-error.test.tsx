/** A video that cannot be had: the words of the specification, and a way to try again. */
import { fireEvent, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { renderApp } from '@/testing/render-app';
import { MediaPlayer } from './media-player';

beforeEach(() => {
  vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue();
  vi.spyOn(HTMLMediaElement.prototype, 'load').mockImplementation(() => {});
});

test('a file that cannot be had has its message, and is asked for again', async () => {
  const player = <MediaPlayer src="/media/quiet.mp4" captions="" title="Quiet" />;
  renderApp(<main>{player}</main>);
  const video = document.querySelector('video') as HTMLVideoElement;
  fireEvent.error(video);
  expect(screen.getByRole('alert').textContent).toContain('Failed to load video: ');
  const fallback = 'Unable to load video. Please check the video file exists and try again.';
  expect(screen.getByText(fallback)).toBeTruthy();
  const again = screen.getByRole('button', { name: 'Try again' });
  expect(document.activeElement).toBe(again);
  await expectAccessible();
  fireEvent.click(again);
  expect(video.load).toHaveBeenCalled();
  fireEvent.canPlay(video);
  fireEvent.playing(video);
  expect(screen.queryByRole('alert')).toBeNull();
});
