/** /invitations as an invited person goes through it, with a server that a test plays. */
import { Code, createRouterTransport } from '@connectrpc/connect';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import { InvitationState, OrganisationService } from '@/gen/booking/v1/organisation_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { at } from '@/testing/booking-fixture';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import InvitationsPage from './invitations';

const auth = vi.hoisted(() => ({ current: {} as object, signOut: vi.fn() }));
vi.mock('@/lib/auth', () => ({
  useAuth: () => auth.current,
  signOut: auth.signOut,
  authClient: async () => ({}),
}));
const secondStep = vi.hoisted(() => ({ has: true }));
vi.mock('@/features/account/second-factor', () => ({
  hasSecondStep: async () => secondStep.has,
}));
vi.mock('@/features/account/components/prove-address', () => ({
  ProveAddress: ({ email, onProved }: { email: string; onProved: () => void }) => (
    <button type="button" onClick={onProved}>
      Prove {email}
    </button>
  ),
}));

const KEY = 'Ab_-'.repeat(11).slice(0, 43);
const ADDRESS = 'priya@practice.example';

const server = { state: InvitationState.PENDING, proved: true, answers: 0 };

function signIn(email: string) {
  auth.current = { status: 'signed-in', user: { id: 'u1', email } };
}

beforeEach(() => {
  localStorage.clear();
  signIn(ADDRESS);
  server.state = InvitationState.PENDING;
  server.proved = true;
  server.answers = 0;
  secondStep.has = true;
});

function answer(state: InvitationState) {
  server.answers += 1;
  if (!server.proved) throw refusal(Code.FailedPrecondition, 'ADDRESS_NOT_PROVED');
  server.state = state;
  return {};
}

const transport = createRouterTransport(({ service }) => {
  service(OrganisationService, {
    getInvitation: ({ key }) => {
      if (key !== KEY) throw refusal(Code.NotFound, 'INVITATION_NOT_FOUND');
      return {
        invitation: {
          practiceName: 'Sukoon',
          email: ADDRESS,
          role: StaffRole.FRONT_DESK,
          invitedBy: 'meera@practice.example',
          state: server.state,
          expiresAt: at('2026-11-24T05:30:00Z'),
        },
      };
    },
    acceptInvitation: () => answer(InvitationState.ACCEPTED),
    declineInvitation: () => answer(InvitationState.DECLINED),
  });
});

function open(path = `/invitations#key=${KEY}`) {
  renderApp(
    <main>
      <InvitationsPage />
    </main>,
    { path, transport },
  );
  return userEvent.setup();
}

test('the invitation says what it is about, and nothing happens by opening it', async () => {
  open();
  for (const told of ['Sukoon', 'Front desk', 'meera@practice.example', ADDRESS]) {
    expect(await screen.findByText(told)).toBeTruthy();
  }
  await expectAccessible();
  expect(server.answers).toBe(0);
});

test('accepting makes a member, and the key is forgotten', async () => {
  const person = open();
  await person.click(await screen.findByRole('button', { name: 'Accept' }));
  expect(await screen.findByText('This invitation is accepted')).toBeTruthy();
  await expectAccessible();
  const link = screen.getByRole('link', { name: 'Go to the practice' });
  expect(link.getAttribute('href')).toBe('/organisation');
  await waitFor(() => expect(localStorage.getItem('invitationKey')).toBeNull());
});

test('an account without a second step sets one up before it accepts', async () => {
  secondStep.has = false;
  const person = open();
  await person.click(await screen.findByRole('button', { name: 'Accept' }));
  const link = await screen.findByRole('link', { name: 'Set it up now' });
  await expectAccessible();
  expect(link.getAttribute('href')).toBe('/account?return=%2Finvitations#second-step');
  expect(server.answers).toBe(0);
  secondStep.has = true;
  await person.click(screen.getByRole('button', { name: 'Accept' }));
  expect(await screen.findByText('This invitation is accepted')).toBeTruthy();
});

test('declining ends it', async () => {
  const person = open();
  await person.click(await screen.findByRole('button', { name: 'Decline' }));
  expect(await screen.findByText('This invitation is declined')).toBeTruthy();
});

test('a visitor signs in or up first, and comes back without the key in the address', async () => {
  auth.current = { status: 'signed-out', user: undefined };
  open();
  for (const [name, path] of [
    ['Sign In', '/sign-in'],
    ['Create an account', '/sign-up'],
  ] as const) {
    const link = await screen.findByRole('link', { name });
    expect(link.getAttribute('href')).toBe(`${path}?return=%2Finvitations`);
  }
  await expectAccessible();
  // The way back has no key, and this browser remembers it.
  expect(localStorage.getItem('invitationKey')).toBe(KEY);
});

test('the key leaves the address bar', async () => {
  window.history.replaceState(null, '', `/invitations#key=${KEY}`);
  open();
  await screen.findByRole('button', { name: 'Accept' });
  expect(window.location.href).not.toContain(KEY);
  expect(localStorage.getItem('invitationKey')).toBe(KEY);
});

test('the remembered key is used where the address has none', async () => {
  localStorage.setItem('invitationKey', KEY);
  open('/invitations');
  expect(await screen.findByRole('button', { name: 'Accept' })).toBeTruthy();
});

test('an account of another address is asked to sign out', async () => {
  signIn('mallory@example.org');
  const person = open();
  expect(await screen.findByText('This invitation is for another address')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Accept' })).toBeNull();
  await person.click(screen.getByRole('button', { name: 'Sign out' }));
  expect(auth.signOut).toHaveBeenCalled();
});

test('an unproved address is proved first, and the answer follows by itself', async () => {
  server.proved = false;
  const person = open();
  await person.click(await screen.findByRole('button', { name: 'Accept' }));
  const prove = await screen.findByRole('button', { name: `Prove ${ADDRESS}` });
  expect(server.state).toBe(InvitationState.PENDING);
  server.proved = true;
  await person.click(prove);
  expect(await screen.findByText('This invitation is accepted')).toBeTruthy();
});

test.each([
  [InvitationState.EXPIRED, 'This invitation is too old'],
  [InvitationState.WITHDRAWN, 'This invitation was withdrawn'],
])('an invitation that ended says why (%s)', async (state, title) => {
  server.state = state;
  open();
  expect(await screen.findByText(title)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Accept' })).toBeNull();
});

test.each([
  ['/invitations', 'This address is not complete'],
  ['/invitations#key=short', 'This address is not complete'],
  [`/invitations#key=${'x'.repeat(43)}`, 'We do not know this invitation'],
])('a wrong address says so (%s)', async (path, title) => {
  open(path);
  expect(await screen.findByText(title)).toBeTruthy();
});
