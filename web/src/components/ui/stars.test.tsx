/** Stars are filled as far as the rating goes, and no further. */
import { render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { filledWidth, Stars } from './stars';

/** How much of each star's square of 20 is filled. */
function drawn(rating: number): number[] {
  const { unmount } = render(<Stars rating={rating} />);
  const widths = [...screen.getByRole('img').children].map((star) => {
    const filled = star.querySelector('.fill-clay');
    if (!filled) return 0;
    return Number(filled.parentElement?.getAttribute('width') ?? 20);
  });
  unmount();
  return widths;
}

test('4.6 stars are four whole ones and a part of the fifth', () => {
  const [first, second, third, fourth, fifth = 0] = drawn(4.6);
  expect([first, second, third, fourth]).toEqual([20, 20, 20, 20]);
  // Six tenths of the shape, which is 16.06 wide and begins at 1.97.
  expect(fifth).toBeCloseTo(1.97 + 0.6 * 16.06, 1);
});

test('whole ratings fill whole stars and leave the others empty', () => {
  expect(drawn(5)).toEqual([20, 20, 20, 20, 20]);
  expect(drawn(3)).toEqual([20, 20, 20, 0, 0]);
  expect(drawn(0)).toEqual([0, 0, 0, 0, 0]);
});

test('more is filled for each tenth more', () => {
  const tenths = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1].map((part) =>
    filledWidth(3 + part, 4),
  );
  expect(tenths).toEqual([...tenths].sort((a, b) => a - b));
  expect(new Set(tenths).size).toBe(tenths.length);
});

test('the name says the rating in words', () => {
  const { rerender } = render(<Stars rating={4.6} />);
  expect(screen.getByRole('img').getAttribute('aria-label')).toBe('4.6 stars of 5');
  rerender(<Stars rating={1} />);
  expect(screen.getByRole('img').getAttribute('aria-label')).toBe('1 star of 5');
});
