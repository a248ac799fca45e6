import { expect, test } from 'vitest';
import { commandOf, type Key, type KeyTarget } from './player-keys';

const TARGETS: KeyTarget[] = ['button', 'seek', 'volume', 'other'];

function press(key: string, more: Partial<Key> = {}): Key {
  return { key, ctrlKey: false, altKey: false, metaKey: false, ...more };
}

test('left and right seek by one second, up and down change the volume', () => {
  for (const target of ['button', 'other'] as const) {
    expect(commandOf(press('ArrowLeft'), target)).toEqual({ type: 'seek-by', seconds: -1 });
    expect(commandOf(press('ArrowRight'), target)).toEqual({ type: 'seek-by', seconds: 1 });
    expect(commandOf(press('ArrowUp'), target)).toEqual({ type: 'volume-by', by: 0.1 });
    expect(commandOf(press('ArrowDown'), target)).toEqual({ type: 'volume-by', by: -0.1 });
    expect(commandOf(press('Home'), target)).toEqual({ type: 'seek-to', seconds: 0 });
    expect(commandOf(press('End'), target)).toEqual({ type: 'seek-end' });
  }
});

test('on a slider all four arrows move that slider', () => {
  expect(commandOf(press('ArrowUp'), 'seek')).toEqual({ type: 'seek-by', seconds: 1 });
  expect(commandOf(press('ArrowDown'), 'seek')).toEqual({ type: 'seek-by', seconds: -1 });
  expect(commandOf(press('ArrowLeft'), 'volume')).toEqual({ type: 'volume-by', by: -0.1 });
  expect(commandOf(press('ArrowRight'), 'volume')).toEqual({ type: 'volume-by', by: 0.1 });
  expect(commandOf(press('Home'), 'volume')).toEqual({ type: 'volume-to', volume: 0 });
  expect(commandOf(press('End'), 'volume')).toEqual({ type: 'volume-to', volume: 1 });
});

test('letters work everywhere in the player, in both cases', () => {
  for (const target of TARGETS) {
    expect(commandOf(press('k'), target)).toEqual({ type: 'toggle' });
    expect(commandOf(press('M'), target)).toEqual({ type: 'mute' });
    expect(commandOf(press('c'), target)).toEqual({ type: 'captions' });
    expect(commandOf(press('f'), target)).toEqual({ type: 'full-screen' });
  }
});

test('the space key presses a button that has the focus, and plays or pauses elsewhere', () => {
  expect(commandOf(press(' '), 'button')).toBeUndefined();
  for (const target of ['seek', 'volume', 'other'] as const) {
    expect(commandOf(press(' '), target)).toEqual({ type: 'toggle' });
  }
});

test('keys with a modifier and unknown keys stay the browser’s', () => {
  for (const more of [{ ctrlKey: true }, { altKey: true }, { metaKey: true }]) {
    expect(commandOf(press('f', more), 'other')).toBeUndefined();
    expect(commandOf(press('ArrowLeft', more), 'other')).toBeUndefined();
  }
  for (const key of ['Tab', 'Enter', 'Escape', 'x', 'constructor', 'PageDown']) {
    expect(commandOf(press(key), 'other')).toBeUndefined();
  }
});
