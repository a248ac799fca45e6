import { expect, test } from 'vitest';
import { FALLBACK, failureTitle, reasonOf, timeText } from './video-messages';

test('a failure has the specified words', () => {
  expect(failureTitle('the file is damaged')).toBe('Failed to load video: the file is damaged');
  expect(failureTitle('')).toBe('Failed to load video: Unknown error');
  expect(failureTitle(null)).toBe('Failed to load video: Unknown error');
  expect(FALLBACK).toBe('Unable to load video. Please check the video file exists and try again.');
});

test('a known reason is said in words, an unknown one is none', () => {
  for (const code of [1, 2, 3, 4]) expect(reasonOf(code, true)).toMatch(/^[a-z]/);
  expect(reasonOf(2, false)).toBe('you are offline');
  expect(reasonOf(9, true)).toBe('');
  expect(reasonOf(undefined, true)).toBe('');
});

test('times are written as minutes and seconds', () => {
  expect([0, 5.9, 24, 61, 754, 3723].map(timeText)).toEqual([
    '0:00',
    '0:05',
    '0:24',
    '1:01',
    '12:34',
    '1:02:03',
  ]);
});
