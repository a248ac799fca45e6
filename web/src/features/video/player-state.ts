/** What a player shows, as a function of its video's events; knows no element and no clock. */

export const VOLUME_DEFAULT = 0.7;
export const SEEK_SECONDS = 1;

export type PlayerStatus = 'loading' | 'ready' | 'playing' | 'paused' | 'error';

export type PlayerState = {
  status: PlayerStatus;
  /** Whether it plays or will play as soon as it can: what the play button turns off. */
  going: boolean;
  /** Why it failed, in words for people; null outside of "error". */
  reason: string | null;
  seconds: number;
  duration: number;
  /** How far it is loaded from where it is, in seconds of the video. */
  loadedTo: number;
  volume: number;
  muted: boolean;
  captions: 'off' | 'on' | 'missing';
};

export type PlayerEvent =
  | { type: 'loading' }
  | { type: 'ready' }
  | { type: 'started' }
  | { type: 'playing' }
  | { type: 'waiting' }
  | { type: 'paused' }
  | { type: 'failed'; reason: string }
  | { type: 'measured'; duration: number }
  | { type: 'moved'; seconds: number }
  | { type: 'loaded'; to: number }
  | { type: 'volume'; volume: number; muted: boolean }
  | { type: 'captions'; captions: PlayerState['captions'] };

export const START: PlayerState = {
  status: 'loading',
  going: false,
  reason: null,
  seconds: 0,
  duration: 0,
  loadedTo: 0,
  volume: VOLUME_DEFAULT,
  muted: false,
  captions: 'off',
};

function onlyPositive(value: number): number {
  return Number.isFinite(value) && value > 0 ? value : 0;
}

/** What changes where the video is on its way between loading and playing. */
function statusAfter(state: PlayerState, type: PlayerEvent['type']): Partial<PlayerState> {
  // Only loading again ends a failure; further events of a failed video are ignored.
  if (state.status === 'error') return {};
  switch (type) {
    case 'ready':
      return state.status === 'loading' ? { status: 'ready' } : {};
    case 'started':
      return { going: true };
    case 'playing':
      return { status: 'playing', going: true };
    case 'waiting':
      return state.status === 'playing' ? { status: 'loading' } : {};
    case 'paused':
      return { status: 'paused', going: false };
    default:
      return {};
  }
}

export function playerStep(state: PlayerState, event: PlayerEvent): PlayerState {
  switch (event.type) {
    case 'loading':
      return { ...state, status: 'loading', reason: null, seconds: 0, loadedTo: 0 };
    case 'failed':
      return { ...state, status: 'error', going: false, reason: event.reason };
    case 'measured':
      return { ...state, duration: onlyPositive(event.duration) };
    case 'moved':
      return { ...state, seconds: onlyPositive(event.seconds) };
    case 'loaded':
      return { ...state, loadedTo: onlyPositive(event.to) };
    case 'volume':
      return { ...state, volume: event.volume, muted: event.muted };
    case 'captions':
      return { ...state, captions: event.captions };
    default:
      return { ...state, ...statusAfter(state, event.type) };
  }
}

/** Where a step of some seconds leads; never before the begin or behind the end. */
export function secondsAfter(seconds: number, by: number, duration: number): number {
  return Math.min(Math.max(seconds + by, 0), onlyPositive(duration));
}

/** The volume after a step, in whole hundredths, so that ten steps make exactly one. */
export function volumeAfter(volume: number, by: number): number {
  return Math.min(1, Math.max(0, Math.round((volume + by) * 100) / 100));
}
