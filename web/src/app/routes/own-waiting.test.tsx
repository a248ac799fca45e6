/** /account/waiting of an account whose address was never proved: joining asks for the proof. */
import { Code } from '@connectrpc/connect';
import { screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { expectAccessible } from '@/testing/accessible';
import { beginEach, openPage } from '@/testing/booking-page';
import { OwnSessionsServer } from '@/testing/own-sessions-server';
import { ASHA } from '@/testing/played-client';
import { refusal } from '@/testing/refusal';
// Loaded with the tests, so that none of them waits for it.
import '@/features/account/components/prove-address';
import OwnWaitingRoute from './own-waiting';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-client')).playedAuth());

beginEach({ user: ASHA });

test('the proof says that it is asked for because of the mails, and of no free session', async () => {
  const server = new OwnSessionsServer();
  server.waiting.refusals = [refusal(Code.FailedPrecondition, 'ADDRESS_NOT_PROVED')];
  const path = '/account/waiting?service=general-consultation';
  const person = openPage(OwnWaitingRoute, { path, transport: server.transport() });
  await person.click(await screen.findByRole('button', { name: 'Join the wait list' }));
  await screen.findByRole('heading', { name: 'Confirm Your Email' });
  expect(screen.getByText(/^A time that becomes free is offered to you by e-mail\./)).toBeTruthy();
  expect(screen.queryByText(/free once/)).toBeNull();
  await expectAccessible();
});
