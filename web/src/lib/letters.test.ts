import { afterEach, expect, test, vi } from 'vitest';
import { fewMarks, lettersOf } from './letters';

const WORDS = ['Asha', 'é́a', '👩‍💻!', 'नमस्ते', 'a\nb', ''];

afterEach(() => vi.unstubAllGlobals());

test('without a segmenter no sign is lost, and marks stay with their letter', () => {
  vi.stubGlobal('Intl', { ...Intl, Segmenter: undefined });
  for (const word of WORDS) expect([...lettersOf(word)].join('')).toBe(word);
  expect([...lettersOf('é́a')]).toHaveLength(2);
  expect([...lettersOf('👩‍💻!')]).toHaveLength(2);
  expect([...lettersOf('a\nb')]).toHaveLength(3);
});

test('with one, letters are what readers count', () => {
  for (const word of WORDS) expect([...lettersOf(word)].join('')).toBe(word);
});

test('a letter keeps four marks, and no word of any script loses one', () => {
  expect(fewMarks(`a${'\u0301'.repeat(40)}b`)).toBe(`a${'\u0301'.repeat(4)}b`);
  const ringed = '\u0301\u0301\u0301\u0301\u0489';
  expect(fewMarks(`a${ringed.repeat(9)}b`)).toBe(`a${'\u0301'.repeat(4)}b`);
  const marked = ['1\ufe0f\u20e3', 'กี่', 'สื่อ', 'বাংলা', 'مُحَمَّدٌ'];
  for (const word of [...WORDS, ...marked]) expect(fewMarks(word)).toBe(word);
});
