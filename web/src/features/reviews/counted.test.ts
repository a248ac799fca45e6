/** What reviews come to, against figures that only a practice states. */
import { expect, test } from 'vitest';
import { countedOf, trustedOf } from './counted';

test('the mean, the share of the content and the number are of all reviews', () => {
  expect(countedOf([1n, 0n, 0n, 1n, 7n])).toEqual({
    average: '4.4',
    content: '88%',
    reviews: '9 reviews',
  });
});

test('a mean in the middle of two tenths is the upper one', () => {
  // 4.35, 4.45 and 1.15
  expect(countedOf([0n, 0n, 0n, 13n, 7n])?.average).toBe('4.4');
  expect(countedOf([0n, 0n, 0n, 11n, 9n])?.average).toBe('4.5');
  expect(countedOf([17n, 3n, 0n, 0n, 0n])?.average).toBe('1.2');
  expect(countedOf([0n, 0n, 0n, 14n, 7n])?.average).toBe('4.3');
});

test('a share is never rounded up', () => {
  expect(countedOf([1n, 0n, 0n, 0n, 999n])?.content).toBe('99%');
});

test('one review is one', () => {
  expect(countedOf([0n, 0n, 0n, 0n, 1n])).toEqual({
    average: '5.0',
    content: '100%',
    reviews: '1 review',
  });
});

test('without reviews there is nothing to count', () => {
  expect(countedOf([])).toBeNull();
  expect(countedOf([0n, 0n, 0n, 0n, 0n])).toBeNull();
});

test('nothing is stated from fewer than three verified reviews', () => {
  expect(trustedOf([])).toBeNull();
  expect(trustedOf([0n, 0n, 0n, 0n, 2n])).toBeNull();
  expect(trustedOf([0n, 0n, 0n, 1n, 2n])).toMatchObject({
    average: '4.7',
    reviews: '3 verified reviews',
  });
});
