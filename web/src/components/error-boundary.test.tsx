import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { renderApp } from '@/testing/render-app';
import { ErrorBoundary } from './error-boundary';

function Broken(): never {
  throw new Error('a secret detail');
}

test('a render error leaves words and a way on, and no detail', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  renderApp(
    <ErrorBoundary>
      <Broken />
    </ErrorBoundary>,
  );
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Something went wrong');
  expect(screen.getByRole('button', { name: 'Refresh Page' })).toBeTruthy();
  expect(document.body.textContent).not.toContain('secret');
  await expectAccessible();
});
