import { type Dispatch, type RefObject, useEffect } from 'react';
import { captionsChoice, keepCaptionsChoice } from '../captions-choice';
import type { PlayerEvent } from '../player-state';

type VideoRef = RefObject<HTMLVideoElement | null>;

function firstTrack(video: HTMLVideoElement | null): TextTrack | undefined {
  return video?.textTracks[0];
}

/** Turns captions on or off and remembers it. */
export function toggleCaptions(video: HTMLVideoElement): void {
  const track = firstTrack(video);
  if (!track) return;
  const choice = track.mode === 'showing' ? 'off' : 'on';
  // Disabled, not hidden: hidden captions would still be loaded.
  track.mode = choice === 'on' ? 'showing' : 'disabled';
  keepCaptionsChoice(choice);
}

/**
 * Shows captions as they were chosen last. Without a choice the browser decides: it turns them on
 * for people who asked it, or their system, for captions.
 */
export function useCaptions(ref: VideoRef, send: Dispatch<PlayerEvent>): void {
  useEffect(() => {
    const video = ref.current;
    const track = firstTrack(video);
    if (!video || !track) return;
    const tell = () => {
      send({ type: 'captions', captions: track.mode === 'showing' ? 'on' : 'off' });
    };
    const choice = captionsChoice();
    if (choice) track.mode = choice === 'on' ? 'showing' : 'disabled';
    tell();
    const element = video.querySelector('track');
    const lost = () => send({ type: 'captions', captions: 'missing' });
    video.textTracks.addEventListener('change', tell);
    element?.addEventListener('error', lost);
    return () => {
      video.textTracks.removeEventListener('change', tell);
      element?.removeEventListener('error', lost);
    };
  }, [ref, send]);
}
