import { type RefObject, useEffect, useState } from 'react';

/** Telephones of one maker give the whole screen to a video only, and to nothing else. */
type TelephoneVideo = HTMLVideoElement & { webkitEnterFullscreen?: () => void };

function leave(): void {
  document.exitFullscreen().catch(() => {
    // It was left already.
  });
}

function enter(frame: HTMLElement, video: TelephoneVideo | null): void {
  if (!frame.requestFullscreen) {
    video?.webkitEnterFullscreen?.();
    return;
  }
  frame.requestFullscreen().catch(() => {
    // The browser or its owner does not want it; the video goes on where it is.
  });
}

type FullScreen = { full: boolean; toggle: () => void };

export function useFullScreen(
  frame: RefObject<HTMLElement | null>,
  video: RefObject<HTMLVideoElement | null>,
): FullScreen {
  const [full, setFull] = useState(false);
  useEffect(() => {
    const tell = () => {
      setFull(frame.current !== null && document.fullscreenElement === frame.current);
    };
    document.addEventListener('fullscreenchange', tell);
    return () => document.removeEventListener('fullscreenchange', tell);
  }, [frame]);
  const toggle = () => {
    if (full) leave();
    else if (frame.current) enter(frame.current, video.current);
  };
  return { full, toggle };
}
