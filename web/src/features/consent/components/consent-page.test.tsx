/** /consent: what was agreed to, its file, and its withdrawal. */
import { createRouterTransport } from '@connectrpc/connect';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { ConsentChannel } from '@/gen/booking/v1/consent_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { ConsentServer } from '@/testing/consent-server';
import { renderApp } from '@/testing/render-app';
import { ConsentPage } from './consent-page';

const auth = vi.hoisted(() => ({ current: {} as object }));
const saved = vi.hoisted(() => vi.fn());

vi.mock('@/lib/auth', () => ({ useAuth: () => auth.current, signOut: () => undefined }));
vi.mock('@/lib/save-file', () => ({ saveFile: saved }));

let desk: ConsentServer;

beforeEach(() => {
  auth.current = { status: 'signed-in', user: { id: 'u1' } };
  desk = new ConsentServer();
  saved.mockReset();
});

function open() {
  const transport = createRouterTransport(({ service }) => desk.serve(service));
  renderApp(
    <main>
      <ConsentPage />
      <Toaster />
    </main>,
    { path: '/consent', transport },
  );
  return userEvent.setup();
}

test('a visitor is asked to sign in, and comes back', () => {
  auth.current = { status: 'signed-out', user: undefined };
  open();
  const link = screen.getByRole('link', { name: 'Sign In' });
  expect(link.getAttribute('href')).toBe('/sign-in?return=%2Fconsent');
});

test('without a consent the page says when it is asked for', async () => {
  open();
  expect(await screen.findByText(/haven't given a consent yet/)).toBeTruthy();
});

test('a consent says by which way it was given', async () => {
  desk.giveBefore();
  const record = desk.records[0];
  if (record) {
    record.channel = ConsentChannel.PAGE;
    record.codeMailedTo = 'asha@example.org';
    record.network = '192.0.2.0/24';
  }
  open();
  expect(await screen.findByText('On the page of a booking made on the phone')).toBeTruthy();
  expect(screen.getByText('192.0.2.0/24')).toBeTruthy();
});

test('of a consent of before the way is not known', async () => {
  desk.giveBefore();
  open();
  expect(await screen.findByText(/^Not known/)).toBeTruthy();
});

test('a consent is saved as the file that the server writes', async () => {
  desk.giveBefore();
  const person = open();
  await person.click(await screen.findByRole('button', { name: 'Download Consent' }));
  await waitFor(() =>
    expect(saved).toHaveBeenCalledWith(
      'consent-2026-11-22.txt',
      'Record: cns_1',
      'text/plain;charset=utf-8',
    ),
  );
});

test('a withdrawal says what it means, asks once, and is written down', async () => {
  desk.giveBefore();
  const person = open();
  const withdraw = await screen.findByRole('button', { name: 'Withdraw Consent' });
  await expectAccessible();
  await person.click(withdraw);
  const dialog = within(screen.getByRole('dialog'));
  expect(dialog.getByText(/are not cancelled by this/)).toBeTruthy();
  await expectAccessible();
  await person.click(dialog.getByRole('button', { name: 'Keep it' }));
  expect(desk.records[0]?.withdrawnAt).toBeUndefined();
  await person.click(screen.getByRole('button', { name: 'Withdraw Consent' }));
  await person.click(screen.getByRole('button', { name: 'Yes, withdraw it' }));
  expect(await screen.findByText('You have withdrawn this consent')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Withdraw Consent' })).toBeNull();
  expect(within(screen.getByTestId('toasts')).getByText('Consent withdrawn')).toBeTruthy();
  await expectAccessible();
});

test('a consent to earlier terms says so', async () => {
  desk.giveBefore('2026-01-01.a');
  open();
  expect(await screen.findByText('Our terms have changed since then')).toBeTruthy();
});
