import {
  type Dispatch,
  type RefObject,
  type SyntheticEvent,
  useEffect,
  useReducer,
  useRef,
} from 'react';
import type { PlayerCommand } from '../player-keys';
import {
  type PlayerEvent,
  type PlayerState,
  playerStep,
  START,
  secondsAfter,
  VOLUME_DEFAULT,
  volumeAfter,
} from '../player-state';
import { reasonOf } from '../video-messages';
import { useAutoPause } from './use-auto-pause';
import { toggleCaptions, useCaptions } from './use-captions';
import { useFullScreen } from './use-full-screen';

/** A refusal to play needs no message: the video stays where it is and reports its own errors. */
function play(video: HTMLVideoElement): void {
  video.play().catch(() => {});
}

/** How far the part that is played now is loaded. */
function loadedTo({ buffered, currentTime }: HTMLVideoElement): number {
  for (let index = 0; index < buffered.length; index += 1) {
    if (buffered.start(index) <= currentTime && currentTime <= buffered.end(index)) {
      return buffered.end(index);
    }
  }
  return 0;
}

function setVolume(video: HTMLVideoElement, volume: number): void {
  video.volume = volume;
  video.muted = volume === 0;
}

function obey(video: HTMLVideoElement, command: PlayerCommand): void {
  switch (command.type) {
    case 'toggle':
      if (video.paused) play(video);
      else video.pause();
      return;
    case 'seek-by':
      video.currentTime = secondsAfter(video.currentTime, command.seconds, video.duration);
      return;
    case 'seek-to':
      video.currentTime = secondsAfter(0, command.seconds, video.duration);
      return;
    case 'seek-end':
      video.currentTime = secondsAfter(0, video.duration, video.duration);
      return;
    case 'volume-by':
      setVolume(video, volumeAfter(video.muted ? 0 : video.volume, command.by));
      return;
    case 'volume-to':
      setVolume(video, command.volume);
      return;
    case 'mute':
      // Sound that was turned down to nothing comes back as loud as it was at first.
      if (video.muted && video.volume === 0) video.volume = VOLUME_DEFAULT;
      video.muted = !video.muted;
      return;
    case 'captions':
      toggleCaptions(video);
  }
}

type VideoEvents = Record<`on${string}`, (event: SyntheticEvent<HTMLVideoElement>) => void>;

/** The video's events, handed to the state. */
function eventsOf(send: Dispatch<PlayerEvent>): VideoEvents {
  const moved = ({ currentTarget: video }: SyntheticEvent<HTMLVideoElement>) => {
    send({ type: 'moved', seconds: video.currentTime });
    send({ type: 'loaded', to: loadedTo(video) });
  };
  return {
    onLoadStart: () => send({ type: 'loading' }),
    onDurationChange: (event) => send({ type: 'measured', duration: event.currentTarget.duration }),
    onCanPlay: () => send({ type: 'ready' }),
    onPlay: () => send({ type: 'started' }),
    onPlaying: () => send({ type: 'playing' }),
    onWaiting: () => send({ type: 'waiting' }),
    onPause: () => send({ type: 'paused' }),
    onSeeking: moved,
    onTimeUpdate: moved,
    onProgress: moved,
    onVolumeChange: ({ currentTarget: { volume, muted } }) =>
      send({ type: 'volume', volume, muted }),
    onError: ({ currentTarget }) =>
      send({ type: 'failed', reason: reasonOf(currentTarget.error?.code, navigator.onLine) }),
  };
}

export type Player = {
  frame: RefObject<HTMLElement | null>;
  video: RefObject<HTMLVideoElement | null>;
  state: PlayerState;
  full: boolean;
  events: VideoEvents;
  run: (command: PlayerCommand) => void;
  retry: () => void;
};

/** A player that was opened by a press: it begins to play as soon as it can. */
export function usePlayer(): Player {
  const frame = useRef<HTMLElement>(null);
  const video = useRef<HTMLVideoElement>(null);
  const [state, send] = useReducer(playerStep, START);
  const { full, toggle } = useFullScreen(frame, video);
  useAutoPause(video);
  useCaptions(video, send);
  useEffect(() => {
    if (!video.current) return;
    video.current.volume = VOLUME_DEFAULT;
    play(video.current);
  }, []);
  return {
    frame,
    video,
    state,
    full,
    events: eventsOf(send),
    run: (command) => {
      if (command.type === 'full-screen') toggle();
      else if (video.current) obey(video.current, command);
    },
    retry: () => {
      if (!video.current) return;
      send({ type: 'loading' });
      video.current.load();
      play(video.current);
    },
  };
}
