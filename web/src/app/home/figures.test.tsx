/** The figures of the home page: the practice's own, and the rating of its reviews. */
import { screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { renderApp } from '@/testing/render-app';
import { CountedFigures } from '../routes/home';

/** Answers the statistics of the reviews; everything else has no network. */
function answer(countsByRating: string[]): void {
  vi.mocked(fetch).mockImplementation(async (address) => {
    if (!String(address).includes('GetStatistics')) throw new TypeError('no network in tests');
    return Response.json({ countsByRating });
  });
}

function told(): (string | null)[] {
  return screen.getAllByRole('definition').map(({ textContent }) => textContent);
}

test('the rating is that of the reviews as soon as there are any', async () => {
  answer(['1', '0', '0', '1', '7']);
  renderApp(<CountedFigures />);
  await screen.findByText('The rating is from 9 reviews. The others are our own figures.');
  expect(told()).toEqual(['200+', '15+', '4.4', '500+']);
});

test('without reviews the practice’s own figure stands, and is called so', async () => {
  answer([]);
  renderApp(<CountedFigures />);
  await waitFor(() => expect(screen.getByText('4.9').className).not.toContain('invisible'));
  expect(told()).toEqual(['200+', '15+', '4.9', '500+']);
  expect(screen.getByText('These are our own figures.')).toBeTruthy();
});

test('without an answer the practice’s own figure comes back', async () => {
  renderApp(<CountedFigures />);
  expect(screen.getByText('4.9').className).toContain('invisible');
  await waitFor(() => expect(screen.getByText('4.9').className).not.toContain('invisible'));
});
