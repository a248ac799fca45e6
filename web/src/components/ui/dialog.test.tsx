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

/** A browser's click goes to what holds both ends of the press. */
function pressAndRelease(from: Element, to: Element) {
  fireEvent.pointerDown(from);
  fireEvent.pointerUp(to);
  fireEvent.click(from === to ? from : screen.getByRole('dialog'));
}

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
  pressAndRelease(dialog, dialog);
  fireEvent(dialog, new Event('close'));
  expect(onClose).toHaveBeenCalledTimes(3);
});

test('a press that begins or ends inside does not ask to close', () => {
  const onClose = vi.fn();
  render(
    <Dialog open onClose={onClose} title="Details">
      <p>Words</p>
    </Dialog>,
  );
  const dialog = screen.getByRole('dialog');
  pressAndRelease(screen.getByText('Words'), dialog);
  pressAndRelease(dialog, screen.getByText('Words'));
  expect(onClose).not.toHaveBeenCalled();
});
