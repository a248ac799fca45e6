import { expect, test } from 'vitest';
import { withNumbers } from './phone-numbers';

function numbers(text: string): string[] {
  return withNumbers(text).flatMap(({ number }) => number ?? []);
}

test('the numbers of a note are found as people write them', () => {
  expect(numbers('Call Tele-MANAS on 14416: it is free. In an emergency, call 112.')).toEqual([
    '14416',
    '112',
  ]);
  expect(numbers('Vandrevala: 1860 266 2345 or +91 (755) 555-0100, day and night')).toEqual([
    '18602662345',
    '+917555550100',
  ]);
  expect(numbers('Call 112/108 now')).toEqual(['112', '108']);
  expect(numbers('कॉल करें १४४१६')).toEqual(['14416']);
});

test('hours, amounts, dates and parts of words are no numbers to call', () => {
  for (const text of [
    '24 hours, 7 days',
    '24/7',
    '24/7/365',
    '₹500',
    '9:00',
    '10.30',
    'A4',
    '2,500',
    'x14416',
  ]) {
    expect(numbers(text), text).toEqual([]);
  }
});

test('nothing of the text is lost', () => {
  const text = 'Call 14416 (free). Or 112!';
  expect(
    withNumbers(text)
      .map((piece) => piece.text)
      .join(''),
  ).toBe(text);
  expect(withNumbers('')).toEqual([]);
});
