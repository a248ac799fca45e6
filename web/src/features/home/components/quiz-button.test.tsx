/** The button of the quiz, with a quiz that a test plays. */
import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useLocation, useNavigate } from 'react-router';
import { expect, test, vi } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { renderApp } from '@/testing/render-app';
import { QuizButton, type QuizDialog } from './quiz-button';

const PlayedQuiz: QuizDialog = ({ open, onClose }) =>
  open ? (
    <button type="button" onClick={onClose}>
      The quiz is open
    </button>
  ) : null;

const NAME = 'Take the 90-second quiz';

test('the quiz is fetched on hover or focus, and opened by a press only', async () => {
  const load = vi.fn(() => Promise.resolve(PlayedQuiz));
  renderApp(<QuizButton load={load} />);
  const person = userEvent.setup();
  expect(load).not.toHaveBeenCalled();
  await person.hover(screen.getByRole('button', { name: NAME }));
  expect(load).toHaveBeenCalledTimes(1);
  expect(screen.queryByText('The quiz is open')).toBeNull();
  await person.click(screen.getByRole('button', { name: NAME }));
  await person.click(await screen.findByText('The quiz is open'));
  expect(screen.queryByText('The quiz is open')).toBeNull();
  await person.click(screen.getByRole('button', { name: NAME }));
  await screen.findByText('The quiz is open');
  expect(load).toHaveBeenCalledTimes(1);
});

test('a quiz that cannot be fetched says so, and the next press tries again', async () => {
  let away = true;
  const load = async () => {
    if (away) throw new TypeError('Failed to fetch');
    return PlayedQuiz;
  };
  renderApp(<QuizButton load={load} />);
  const person = userEvent.setup();
  await person.hover(screen.getByRole('button', { name: NAME }));
  expect(screen.queryByRole('alert')).toBeNull();
  await person.click(screen.getByRole('button', { name: NAME }));
  expect((await screen.findByRole('alert')).textContent).toContain('The quiz did not open');
  await expectAccessible();
  away = false;
  await person.click(screen.getByRole('button', { name: NAME }));
  await screen.findByText('The quiz is open');
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});

function Place() {
  const { search } = useLocation();
  const navigate = useNavigate();
  return (
    <button type="button" onClick={() => void navigate(-1)}>
      Back from {search}
    </button>
  );
}

test('the address says that the quiz is open, and Back closes it', async () => {
  renderApp(
    <>
      <QuizButton load={async () => PlayedQuiz} />
      <Place />
    </>,
  );
  const person = userEvent.setup();
  await person.click(screen.getByRole('button', { name: NAME }));
  await screen.findByText('The quiz is open');
  await person.click(screen.getByRole('button', { name: 'Back from ?quiz' }));
  expect(screen.queryByText('The quiz is open')).toBeNull();
});

test('a press right after Escape opens the quiz, also before the page knows that it was closed', async () => {
  renderApp(
    <>
      <QuizButton load={async () => PlayedQuiz} />
      <Place />
    </>,
  );
  const person = userEvent.setup();
  const opener = screen.getByRole('button', { name: NAME });
  await person.click(opener);
  const quiz = await screen.findByText('The quiz is open');
  await act(async () => {
    opener.click();
    // The press has read what the page knew; the browser's own closing comes through now.
    await Promise.resolve();
    quiz.click();
  });
  await screen.findByText('The quiz is open');
  screen.getByText('Back from ?quiz');
  await person.click(screen.getByText('The quiz is open'));
  expect(screen.queryByText('The quiz is open')).toBeNull();
});

test('an address that asks for the quiz opens it', async () => {
  renderApp(<QuizButton load={async () => PlayedQuiz} />, { path: '/?quiz' });
  await screen.findByText('The quiz is open');
});
