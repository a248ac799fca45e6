/** A page of a booking in a test, with the address below it, and what a person does on it. */
import type { Transport } from '@connectrpc/connect';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ComponentType } from 'react';
import { useLocation } from 'react-router';
import { afterEach, beforeEach, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import type { AuthUser } from '@/lib/auth';
import type { Snapshot } from '@/lib/snapshot';
import { beginAs } from './played-client';
import { renderApp } from './render-app';

export type Person = ReturnType<typeof userEvent.setup>;

type Begin = { user?: AuthUser; now?: string };

/** Each test begins when the times of the fixtures lie two days ahead, whenever the tests run. */
export function beginEach({ user, now = '2026-11-22T05:30:00Z' }: Begin = {}): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(now) });
    beginAs(user);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
}

function Address() {
  const { pathname, search } = useLocation();
  return <data data-testid="address" value={`${pathname}${search}`} />;
}

type Options = { path: string; transport: Transport; snapshot?: Snapshot };

export function openPage(Page: ComponentType, options: Options): Person {
  renderApp(
    <main>
      <Page />
      <Address />
      <Toaster />
    </main>,
    options,
  );
  return userEvent.setup();
}

export function address(): string {
  return screen.getByTestId('address').getAttribute('value') ?? '';
}

/** The starts in the address, in their places. */
export function slots(): string[] {
  return (new URLSearchParams(address().split('?')[1]).get('slots') ?? '').split(',');
}

export function heading(name: string): Promise<HTMLElement> {
  return screen.findByRole('heading', { level: 1, name });
}
