import { fireEvent, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { Dialog } from './dialog';

test('it opens modally with its title as name, and shows nothing while closed', () => {
  const { rerender } = render(
    <Dialog open={false} onClose={() => {}} title="Details">
      Words
    </Dialog>,
  );
  expect(screen.queryByText('Words')).toBeNull();
  rerender(
    <Dialog open onClose={() => {}} title="Details">
      Words
    </Dialog>,
  );
  const dialog = screen.getByRole('dialog', { name: 'Details' }) as HTMLDialogElement;
  expect(dialog.open).toBe(true);
  expect(dialog.textContent).toContain('Words');
});

test('the close button, Escape and a press beside it ask to close', () => {
  const onClose = vi.fn();
  render(
    <Dialog open onClose={onClose} title="Details">
      <p>Words</p>
    </Dialog>,
  );
  const dialog = screen.getByRole('dialog');
  fireEvent.click(screen.getByText('Words'));
  expect(onClose).not.toHaveBeenCalled();
  fireEvent.click(screen.getByRole('button', { name: 'Close' }));
  fireEvent.click(dialog);
  fireEvent(dialog, new Event('close'));
  expect(onClose).toHaveBeenCalledTimes(3);
});
