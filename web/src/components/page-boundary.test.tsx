import { act, fireEvent, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { PageNotLoaded } from '@/lib/chunk-loads';
import { expectAccessible } from '@/testing/accessible';
import { renderApp } from '@/testing/render-app';
import { ErrorBoundary } from './error-boundary';
import { PageBoundary } from './page-boundary';

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
});

/** How many further attempts it takes until the page's code is there. */
let attemptsLeft = 0;
let first: PageNotLoaded;

async function again(): Promise<void> {
  attemptsLeft -= 1;
  if (attemptsLeft > 0) throw new PageNotLoaded(again, undefined);
}

function Page() {
  if (attemptsLeft > 0) throw first;
  return <h1>Here it is</h1>;
}

function Broken(): never {
  throw new Error('something else');
}

function open(attempts: number) {
  attemptsLeft = attempts;
  first = new PageNotLoaded(again, undefined);
  renderApp(
    <PageBoundary place="/faq">
      <Page />
    </PageBoundary>,
  );
}

function heading(): string | null {
  return screen.getByRole('heading', { level: 1 }).textContent;
}

async function press(name: string): Promise<void> {
  await act(async () => {
    fireEvent.click(screen.getByRole('button', { name }));
  });
}

test('a page whose code did not come can be tried again', async () => {
  open(1);
  expect(heading()).toBe('This page could not be loaded');
  expect(screen.queryByRole('button', { name: 'Refresh Page' })).toBeNull();
  await expectAccessible();
  await press('Try again');
  expect(heading()).toBe('Here it is');
});

test('after a second failure a new document is offered as well', async () => {
  open(2);
  await press('Try again');
  expect(heading()).toBe('This page could not be loaded');
  expect(screen.getByRole('button', { name: 'Refresh Page' })).toBeTruthy();
  await press('Try again');
  expect(heading()).toBe('Here it is');
});

test('it is tried again by itself when the connection is back', async () => {
  open(1);
  await act(async () => {
    window.dispatchEvent(new Event('online'));
  });
  expect(heading()).toBe('Here it is');
});

test('what fails otherwise is not its business', () => {
  renderApp(
    <ErrorBoundary>
      <PageBoundary place="/faq">
        <Broken />
      </PageBoundary>
    </ErrorBoundary>,
  );
  expect(heading()).toBe('Something went wrong');
});
