import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { renderApp } from '@/testing/render-app';
import { Twice } from './twice';

/** Whether the words of the button were in sight for long enough. */
let ready = false;

vi.mock('@/lib/use-steady-press', () => ({
  useSteadyPress: (_words: string, act: () => void) => ({ ready, press: () => ready && act() }),
}));

test('a double click does nothing that cannot be taken back', async () => {
  const done = vi.fn();
  const twice = (
    <Twice label="Give back ₹500" sure="Give ₹500 back for good" busy={false} onSure={done} />
  );
  renderApp(twice);
  const person = userEvent.setup();
  const first = screen.getByRole('button', { name: 'Give back ₹500' });
  expect(first.getAttribute('aria-disabled')).toBeNull();
  await person.dblClick(first);
  const second = screen.getByRole('button', { name: 'Give ₹500 back for good' });
  expect(second.getAttribute('aria-disabled')).toBe('true');
  expect(done).not.toHaveBeenCalled();
  ready = true;
  await person.click(second);
  expect(done).toHaveBeenCalledTimes(1);
});
