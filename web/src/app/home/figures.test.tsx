/** The figures of the home page: the practice's own, and the rating of its reviews. */
import { screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { renderApp } from '@/testing/render-app';
import { CountedFigures } from '../routes/home';

/** Answers the statistics of the reviews; everything else has no network. */
function answer(verifiedCountsByRating: string[]): void {
  vi.mocked(fetch).mockImplementation(async (address) => {
    if (!String(address).includes('GetStatistics')) throw new TypeError('no network in tests');
    // What anyone may have written moves nothing.
    const countsByRating = ['900', '0', '0', '0', '0'];
    return Response.json({ countsByRating, verifiedCountsByRating });
  });
}

function told(): (string | null)[] {
  return screen.getAllByRole('definition').map(({ textContent }) => textContent);
}

test('the rating is that of verified reviews as soon as there are three', async () => {
  answer(['1', '0', '0', '1', '7']);
  renderApp(<CountedFigures />);
  await screen.findByText('The rating is from 9 verified reviews. The others are our own figures.');
  expect(told()).toEqual(['200+', '15+', '4.4', '500+']);
  await expectAccessible();
});

test.each([[[]], [['0', '0', '0', '0', '2']]])(
  'with too few of them the practice’s own figure stands, and is called so',
  async (counts) => {
    answer(counts);
    renderApp(<CountedFigures />);
    await waitFor(() => expect(screen.getByText('4.9').className).not.toContain('invisible'));
    expect(told()).toEqual(['200+', '15+', '4.9', '500+']);
    expect(screen.getAllByRole('term').map(({ textContent }) => textContent)).toEqual([
      'Happy clients',
      'Years experience',
      'Average rating',
      'Lives transformed',
    ]);
    expect(screen.getByRole('region', { name: 'Sukoon in figures' })).toBeTruthy();
    expect(screen.getByText('These are our own figures.')).toBeTruthy();
  },
);

test('without an answer the practice’s own figure comes back', async () => {
  renderApp(<CountedFigures />);
  expect(screen.getByText('4.9').className).toContain('invisible');
  await waitFor(() => expect(screen.getByText('4.9').className).not.toContain('invisible'));
});
