/** What is announced, and where the focus goes, when a page comes in two steps. */
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { Link, Route, Routes } from 'react-router';
import { expect, test } from 'vitest';
import { PageHeading } from '@/components/ui/page-heading';
import { usePageTitle } from '@/lib/use-page-title';
import { renderApp } from '@/testing/render-app';
import { reviewId } from '@/testing/review-fixture';
import { PageEffects } from './page-effects';

const PATH = `/reviews/${reviewId(1)}`;

/** Shows what it is about when its button is pressed, as a page does when its answer comes. */
function TwoSteps() {
  const [words, setWords] = useState<string>();
  usePageTitle(words);
  return (
    <>
      {words ? <PageHeading>{words}</PageHeading> : <h1 className="sr-only">Review</h1>}
      <button type="button" onClick={() => setWords('Asha on Energy Healing')}>
        The answer comes
      </button>
      <button type="button" onClick={() => setWords('Review Not Found')}>
        There is none
      </button>
    </>
  );
}

async function openFromList(): Promise<void> {
  renderApp(
    <>
      <PageEffects />
      <main tabIndex={-1}>
        <Routes>
          <Route path="/reviews" element={<Link to={PATH}>Read it</Link>} />
          <Route path="/reviews/:reviewId" element={<TwoSteps />} />
        </Routes>
      </main>
    </>,
    { path: '/reviews' },
  );
  await press('Read it');
  await says(/^Review · /);
  expect(document.activeElement).toBe(screen.getByRole('main'));
}

async function press(words: string): Promise<void> {
  await act(async () => {
    fireEvent.click(screen.getByText(words));
  });
}

async function says(words: RegExp): Promise<void> {
  await waitFor(() => expect(screen.getByTestId('page-news').textContent).toMatch(words));
}

test('the content that replaces a skeleton is announced, and its heading has the focus', async () => {
  await openFromList();
  await press('The answer comes');
  await says(/^Asha on Energy Healing · /);
  expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 }));
});

test('a missing review is announced as well', async () => {
  await openFromList();
  await press('There is none');
  await says(/^Review Not Found · /);
  expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 }));
});

test('a focus that is on another element stays there', async () => {
  await openFromList();
  const button = screen.getByText('The answer comes');
  button.focus();
  await press('The answer comes');
  await says(/^Asha on Energy Healing · /);
  expect(document.activeElement).toBe(button);
});
