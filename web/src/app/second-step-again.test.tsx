/** The dialog between a call that wants a newer second step and the call that is made again. */
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { askForSecondStep } from '@/lib/second-step';
import { renderApp } from '@/testing/render-app';
import { SecondStepAgain } from './second-step-again';

vi.mock('@/features/account/components/own-second-step', () => ({
  OwnSecondStep: ({ onDone }: { onDone: () => void }) => (
    <button type="button" onClick={onDone}>
      Show it
    </button>
  ),
}));

test('it asks only when a call needs it, and says whether the step was done', async () => {
  renderApp(<SecondStepAgain />);
  const person = userEvent.setup();
  expect(screen.queryByRole('dialog')).toBeNull();
  const shown = askForSecondStep();
  await person.click(await screen.findByRole('button', { name: 'Show it' }));
  expect(await shown).toBe(true);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const closed = askForSecondStep();
  await person.click(await screen.findByRole('button', { name: /close/i }));
  expect(await closed).toBe(false);
});
