/** /account/waiting for an account whose address was never proved, with a server that a test plays. */
import { Code } from '@connectrpc/connect';
import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { beginEach, openPage } from '@/testing/booking-page';
import { OwnSessionsServer } from '@/testing/own-sessions-server';
import { ASHA } from '@/testing/played-client';
import { refusal } from '@/testing/refusal';
import OwnWaitingRoute from './own-waiting';
// Loaded with the tests, so that none of them waits for it.
import '@/features/account/components/prove-address';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

beginEach({ user: ASHA });

test('the proof says why the wait list asks for it', async () => {
  const server = new OwnSessionsServer();
  server.waiting.refusals = [refusal(Code.FailedPrecondition, 'ADDRESS_NOT_PROVED')];
  const path = '/account/waiting?service=general-consultation';
  const person = openPage(OwnWaitingRoute, { path, transport: server.transport() });
  await person.click(await screen.findByRole('button', { name: 'Join the wait list' }));
  await screen.findByText(/We write to you when a time is free\. Please show that/);
  expect(screen.queryByText(/free once/)).toBeNull();
});
