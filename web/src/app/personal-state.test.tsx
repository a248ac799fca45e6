/** When a session ends, in whichever way, nothing of its person is left in the browser. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { act, render, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { authClient, signOut, useAuth } from '@/lib/auth';
import { useDraftFields } from '@/lib/use-draft-fields';
import { practiceFixture } from '@/testing/practice-fixture';
import { AppProvider } from './provider';

const DRAFTS = {
  bookingDraft: '{"firstName":"Asha"}',
  contactDraft: '{"message":"private"}',
  consentDraft: '{"fullName":"Asha Rao"}',
  bookingHeld: '{"bookingId":"b1"}',
};
const KEPT_ALWAYS = { theme: 'dark', videoCaptions: 'on', deskKeys: 'off' };
const SECRET = 'a page key of a mail';
/** What links of mails have opened. */
const OPENED = { paymentPageKey: SECRET, joinKey: SECRET };

const service = { person: 'u1', ended: false };

function json(status: number, body: unknown): Response {
  const headers = { 'content-type': 'application/json' };
  return new Response(JSON.stringify(body), { status, headers });
}

function session(): Response {
  const user = { id: service.person, email: 'asha@example.org', user_metadata: {} };
  const access_token = `access token of ${service.person}`;
  const refresh_token = 'kept-in-a-cookie';
  return json(200, { access_token, refresh_token, token_type: 'bearer', expires_in: 600, user });
}

beforeEach(() => {
  Object.assign(service, { person: 'u1', ended: false });
  vi.mocked(fetch).mockImplementation(async (url) => {
    if (!String(url).includes('/auth/v1/')) throw new TypeError('no other service here');
    if (String(url).includes('logout')) return new Response(null, { status: 204 });
    return service.ended ? json(403, { error_code: 'session_not_found', msg: 'x' }) : session();
  });
});

const FORM = {
  key: 'contactDraft',
  empty: { name: '', email: '', message: '' },
  validate: () => ({}),
};

/** A page with a form, something that was read for the person, and something public. */
function Page() {
  const { user, status } = useAuth();
  const fields = useDraftFields(FORM, user);
  const queries = useQueryClient();
  const own = useQuery({ queryKey: ['own-account', user?.id], queryFn: () => 'x', enabled: false });
  const read = queries.getQueryData(['own-account', 'u1']);
  return (
    <>
      <p>{status}</p>
      <textarea aria-label="Message" {...fields.input('message')} />
      <p data-testid="own">{own.data}</p>
      <button
        type="button"
        onClick={() => {
          queries.setQueryData(['own-account', 'u1'], 'a phone number');
          queries.setQueryData(['connect-query', { serviceName: 'x' }], 'public');
        }}
      >
        read
      </button>
      <p data-testid="read">{String(read)}</p>
    </>
  );
}

async function signedIn() {
  const view = render(
    <AppProvider snapshot={practiceFixture()}>
      <Page />
    </AppProvider>,
  );
  const client = await authClient();
  await act(() => client.signInWithPassword({ email: 'asha@example.org', password: 'x' }));
  await screen.findByText('signed-in');
  for (const [key, value] of Object.entries(DRAFTS)) sessionStorage.setItem(key, value);
  localStorage.setItem('heldBooking', 'b1');
  localStorage.setItem('of a script of the checkout', 'x');
  for (const [key, value] of Object.entries(OPENED)) sessionStorage.setItem(key, value);
  for (const [key, value] of Object.entries(KEPT_ALWAYS)) localStorage.setItem(key, value);
  act(() => screen.getByRole('button').click());
  await waitFor(() => expect(screen.getByTestId('own').textContent).toBe('a phone number'));
  return { ...view, client };
}

function kept(): Record<string, unknown> {
  return { ...localStorage, ...sessionStorage };
}

function expectForgotten(links: Record<string, string>): void {
  const { session: _mark, ...rest } = kept();
  expect(rest).toEqual({ ...KEPT_ALWAYS, ...links });
  expect(screen.getByLabelText<HTMLTextAreaElement>('Message').value).toBe('');
  expect(screen.getByTestId('own').textContent).toBe('');
  expect(screen.getByTestId('read').textContent).toBe('undefined');
}

async function typeMessage(): Promise<void> {
  const { default: user } = await import('@testing-library/user-event');
  await user.type(screen.getByLabelText('Message'), 'private');
  expect(sessionStorage.getItem('contactDraft')).toContain('private');
}

afterEach(() => signOut());

test('a view that has no storage is signed out all the same', async () => {
  await signedIn();
  vi.stubGlobal('localStorage', null);
  vi.stubGlobal('sessionStorage', null);
  try {
    act(() => signOut('links'));
  } finally {
    vi.unstubAllGlobals();
  }
  await screen.findByText('signed-out');
  await waitFor(() =>
    expect(fetch).toHaveBeenCalledWith(expect.stringContaining('/logout'), expect.anything()),
  );
});

test('a sign-out leaves the choices of the browser, and nothing else', async () => {
  await signedIn();
  await typeMessage();
  act(() => signOut('links'));
  await screen.findByText('signed-out');
  await waitFor(() => expectForgotten({}));
});

test('a person who goes on as another account keeps what a link has opened', async () => {
  await signedIn();
  await typeMessage();
  act(() => signOut());
  await screen.findByText('signed-out');
  await waitFor(() => expectForgotten(OPENED));
});

test('a sign-out in another tab takes the drafts of this one', async () => {
  await signedIn();
  await typeMessage();
  const other = new BroadcastChannel('session');
  localStorage.setItem('session', 'ending');
  other.postMessage('ended');
  await screen.findByText('signed-out');
  await waitFor(() => expectForgotten(OPENED));
  other.close();
});

test('a session that was ended elsewhere takes them, and leaves what a link opened', async () => {
  const { client } = await signedIn();
  await typeMessage();
  service.ended = true;
  await act(() => client.getUser().then(() => undefined));
  await screen.findByText('signed-out');
  await waitFor(() => expectForgotten(OPENED));
});

test('another person finds nothing of the one before', async () => {
  const { client } = await signedIn();
  await typeMessage();
  service.person = 'u2';
  await act(() => client.signInWithPassword({ email: 'bela@example.org', password: 'x' }));
  await waitFor(() => expect(sessionStorage.getItem('draftsOf')).toBe('u2'));
  await waitFor(() => expectForgotten({ ...OPENED, draftsOf: 'u2' }));
});

test('a tab that comes back after the session ended has no drafts', async () => {
  sessionStorage.setItem('draftsOf', 'u1');
  sessionStorage.setItem('bookingDraft', DRAFTS.bookingDraft);
  render(
    <AppProvider snapshot={practiceFixture()}>
      <Page />
    </AppProvider>,
  );
  await screen.findByText('signed-out');
  expect(sessionStorage).toHaveLength(0);
});

test('a visitor keeps what was typed before signing in', async () => {
  sessionStorage.setItem('contactDraft', DRAFTS.contactDraft);
  render(
    <AppProvider snapshot={practiceFixture()}>
      <Page />
    </AppProvider>,
  );
  await screen.findByText('signed-out');
  const client = await authClient();
  await act(() => client.signInWithPassword({ email: 'asha@example.org', password: 'x' }));
  await screen.findByText('signed-in');
  expect(screen.getByLabelText<HTMLTextAreaElement>('Message').value).toBe('private');
});
