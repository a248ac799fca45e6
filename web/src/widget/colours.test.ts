import { expect, test } from 'vitest';
import { CONTRAST_MIN, chooseColours, contrast, parseColour } from './colours';

const NONE = { primary: '', background: '', text: '' };

test('a colour is six hexadecimal digits and nothing else', () => {
  expect(parseColour('#2B6355')).toBe('#2b6355');
  expect(parseColour('2b6355')).toBe('#2b6355');
  for (const wrong of [
    '',
    '#fff',
    'red',
    '#2b63556',
    'rgb(0 0 0)',
    '#2b6355;x',
    'url(//a.example)',
  ]) {
    expect(parseColour(wrong)).toBeUndefined();
  }
});

test('contrast is that of the guidelines', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
  expect(contrast('#ffffff', '#767676')).toBeCloseTo(4.54, 2);
});

test('a brand is taken in the schemes in which it can be read', () => {
  const dark = chooseColours({ ...NONE, primary: '#7a1f4b' }, 'auto');
  expect(dark.ignored).toEqual([]);
  expect(dark.properties['--brand']).toBe('light-dark(#7a1f4b, #8ccbb6)');
  expect(dark.properties['--on-brand']).toBe('light-dark(#ffffff, #0e1f1a)');
  const light = chooseColours({ ...NONE, primary: '#ffd166' }, 'auto');
  expect(light.properties['--brand']).toBe('light-dark(#2b6355, #ffd166)');
  expect(light.properties['--on-brand']).toBe('light-dark(#ffffff, #000000)');
});

test('a brand that can be read in no scheme is told, and not taken', () => {
  const { properties, ignored } = chooseColours({ ...NONE, primary: '#ffd166' }, 'light');
  expect(properties).toEqual({});
  expect(ignored).toEqual([
    { name: 'primary', reason: 'its contrast to the background is below 4.5' },
  ]);
});

test('a background comes with its text, and everything on it can be read', () => {
  const own = chooseColours({ primary: '', background: '#101820', text: '#fee715' }, 'light');
  expect(own.theme).toBe('dark');
  expect(own.properties['--paper']).toBe('#101820');
  expect(own.properties['--ink-2']).toBe('#fee715');
  // The usual brand would be a guess on this background.
  expect(own.properties['--brand']).toBe('light-dark(#fee715, #fee715)');
  const pale = chooseColours({ primary: '', background: '#ffffff', text: '#999999' }, 'auto');
  expect(pale.properties).toEqual({});
  expect(pale.ignored[0]?.name).toBe('background');
  const alone = chooseColours({ ...NONE, text: '#123456' }, 'auto');
  expect(alone.ignored).toEqual([{ name: 'text', reason: 'background and text go together' }]);
});

test('text on a brand can always be read', () => {
  for (let grey = 0; grey < 256; grey += 5) {
    const colour = `#${grey.toString(16).padStart(2, '0').repeat(3)}`;
    const best = Math.max(contrast(colour, '#ffffff'), contrast(colour, '#000000'));
    expect(best).toBeGreaterThanOrEqual(CONTRAST_MIN);
  }
});

test('what is no colour is told by its name', () => {
  const { ignored } = chooseColours({ primary: 'red', background: '', text: 'x' }, 'auto');
  expect(ignored.map(({ name }) => name)).toEqual(['primary', 'text']);
});
