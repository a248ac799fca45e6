/** Which key asks the player for what; keys are heard only while the focus is inside of it. */
import { SEEK_SECONDS } from './player-state';

export type PlayerCommand =
  | { type: 'toggle' }
  | { type: 'seek-by'; seconds: number }
  | { type: 'seek-to'; seconds: number }
  | { type: 'seek-end' }
  | { type: 'volume-by'; by: number }
  | { type: 'volume-to'; volume: number }
  | { type: 'mute' }
  | { type: 'captions' }
  | { type: 'full-screen' };

/** What has the focus: a button and a slider use some keys themselves. */
export type KeyTarget = 'button' | 'seek' | 'volume' | 'other';

export type Key = { key: string; ctrlKey: boolean; altKey: boolean; metaKey: boolean };

const VOLUME_STEP = 0.1;

const BACK: PlayerCommand = { type: 'seek-by', seconds: -SEEK_SECONDS };
const FORWARD: PlayerCommand = { type: 'seek-by', seconds: SEEK_SECONDS };
const LOUDER: PlayerCommand = { type: 'volume-by', by: VOLUME_STEP };
const QUIETER: PlayerCommand = { type: 'volume-by', by: -VOLUME_STEP };

type Keys = ReadonlyMap<string, PlayerCommand>;

const LETTERS: Keys = new Map<string, PlayerCommand>([
  ['k', { type: 'toggle' }],
  ['m', { type: 'mute' }],
  ['c', { type: 'captions' }],
  ['f', { type: 'full-screen' }],
]);

function arrows(left: PlayerCommand, right: PlayerCommand): [string, PlayerCommand][] {
  return [
    ['ArrowLeft', left],
    ['ArrowRight', right],
  ];
}

function upright(down: PlayerCommand, up: PlayerCommand): [string, PlayerCommand][] {
  return [
    ['ArrowDown', down],
    ['ArrowUp', up],
  ];
}

const ENDS: [string, PlayerCommand][] = [
  ['Home', { type: 'seek-to', seconds: 0 }],
  ['End', { type: 'seek-end' }],
];

/** A slider's four arrows all move that slider, as everywhere else. */
const MOVES: Record<KeyTarget, Keys> = {
  button: new Map([...arrows(BACK, FORWARD), ...upright(QUIETER, LOUDER), ...ENDS]),
  other: new Map([...arrows(BACK, FORWARD), ...upright(QUIETER, LOUDER), ...ENDS]),
  seek: new Map([...arrows(BACK, FORWARD), ...upright(BACK, FORWARD), ...ENDS]),
  volume: new Map<string, PlayerCommand>([
    ...arrows(QUIETER, LOUDER),
    ...upright(QUIETER, LOUDER),
    ['Home', { type: 'volume-to', volume: 0 }],
    ['End', { type: 'volume-to', volume: 1 }],
  ]),
};

/** The command of a key, or undefined when the key is the browser's. */
export function commandOf(pressed: Key, target: KeyTarget): PlayerCommand | undefined {
  if (pressed.ctrlKey || pressed.altKey || pressed.metaKey) return undefined;
  // The space key presses the button that has the focus.
  if (pressed.key === ' ') return target === 'button' ? undefined : { type: 'toggle' };
  return LETTERS.get(pressed.key.toLowerCase()) ?? MOVES[target].get(pressed.key);
}
