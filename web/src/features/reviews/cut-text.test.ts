import { expect, test } from 'vitest';
import { CARD_TEXT_MAX, cutText } from './cut-text';

test('a text of 120 letters stays as it is, one more is cut', () => {
  const full = 'a'.repeat(CARD_TEXT_MAX);
  expect(cutText(full)).toBe(full);
  expect(cutText(`${full}b`)).toBe(`${full}...`);
  expect(cutText('')).toBe('');
});

test('an emoji of several parts is one letter', () => {
  const family = '👨‍👩‍👧‍👦';
  const text = family.repeat(CARD_TEXT_MAX);
  expect(cutText(text)).toBe(text);
  expect(cutText(`${text}${family}`)).toBe(`${text}...`);
  expect(cutText('👍🏽🇮🇳é', 2)).toBe('👍🏽🇮🇳...');
});

test('a combining mark stays with its letter', () => {
  expect(cutText('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301e\u0301...');
});

test('a conjunct of Devanagari is not taken apart', () => {
  expect(cutText('क्षत्रिय', 1)).toBe('क्ष...');
  expect(cutText('क्षत्रिय', 2)).toBe('क्षत्रि...');
  expect(cutText('नमस्ते जी', 3)).toBe('नमस्ते...');
});

test('a conjunct stays whole where the browser would divide it', () => {
  class DividesConjuncts {
    segment(text: string) {
      return (text.match(/\p{L}\p{M}*/gu) ?? []).map((segment) => ({ segment }));
    }
  }
  const own = Intl.Segmenter;
  Object.assign(Intl, { Segmenter: DividesConjuncts });
  try {
    expect(cutText('क्षत्रिय', 1)).toBe('क्ष...');
  } finally {
    Object.assign(Intl, { Segmenter: own });
  }
});
