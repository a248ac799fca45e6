import { type RefObject, useEffect } from 'react';

/** Pauses in a hidden tab, when another video begins to play, and when the page is left. */
export function useAutoPause(ref: RefObject<HTMLVideoElement | null>): void {
  useEffect(() => {
    const video = ref.current;
    const whenHidden = () => {
      if (document.hidden) video?.pause();
    };
    const whenAnotherPlays = (event: Event) => {
      if (event.target !== video) video?.pause();
    };
    document.addEventListener('visibilitychange', whenHidden);
    // Media events do not bubble, but they can be captured.
    document.addEventListener('play', whenAnotherPlays, true);
    return () => {
      document.removeEventListener('visibilitychange', whenHidden);
      document.removeEventListener('play', whenAnotherPlays, true);
      video?.pause();
    };
  }, [ref]);
}
