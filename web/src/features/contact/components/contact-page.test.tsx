/** Writing to the practice, with a server that a test plays. */
import { Code, type ConnectError, createRouterTransport } from '@connectrpc/connect';
import { TransportProvider } from '@connectrpc/connect-query';
import { act, cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { renderToString } from 'react-dom/server';
import { MemoryRouter } from 'react-router';
import { beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import {
  NotificationsService,
  type SendContactMessageRequest,
} from '@/gen/notifications/v1/notifications_service_pb';
import type { AuthState } from '@/lib/auth';
import { PracticeProvider } from '@/lib/practice';
import { expectAccessible } from '@/testing/accessible';
import { practiceFixture } from '@/testing/practice-fixture';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import { ContactPage } from './contact-page';

const auth = vi.hoisted((): { state: AuthState } => ({
  state: { status: 'signed-out', user: undefined },
}));
vi.mock('@/lib/auth', () => ({ useAuth: () => auth.state }));

const server: {
  taken: SendContactMessageRequest[];
  refusals: ConnectError[];
  gate: Promise<void> | undefined;
} = { taken: [], refusals: [], gate: undefined };

const scrolled = vi.fn();

beforeEach(() => {
  Object.assign(server, { taken: [], refusals: [], gate: undefined });
  auth.state = { status: 'signed-out', user: undefined };
  scrolled.mockReset();
  vi.spyOn(window, 'scrollTo').mockImplementation(scrolled);
});

const transport = createRouterTransport(({ service }) =>
  service(NotificationsService, {
    sendContactMessage: async (request) => {
      server.taken.push(request);
      await server.gate;
      const refused = server.refusals.shift();
      if (refused) throw refused;
      return {};
    },
  }),
);

function open() {
  const page = (
    <main>
      <ContactPage />
      <Toaster />
    </main>
  );
  renderApp(page, { path: '/contact', transport });
  return userEvent.setup();
}

type Person = ReturnType<typeof userEvent.setup>;
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label);
const button = () => screen.getByRole('button', { name: /^Send/ });

async function fill(person: Person) {
  await person.type(field('Name'), 'Asha Rao');
  await person.type(field('Email'), 'asha@example.org');
  await person.type(field('Message'), 'May I come by?');
}

const FAILED = 'Failed to send message. Please try again or contact us directly.';

test('the page says every way to reach the practice', () => {
  open();
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Get in Touch');
  for (const name of ['Address', 'Phone', 'E-mail', 'Hours', 'WhatsApp']) {
    expect(screen.getByRole('heading', { name })).toBeTruthy();
  }
  expect(screen.getByText(/Bhopal, Madhya Pradesh/)).toBeTruthy();
  expect(screen.getByText('Mon-Fri 9am-6pm')).toBeTruthy();
  const chat = screen.getByRole('link', { name: /WhatsApp/ });
  expect(chat.getAttribute('href')).toBe('https://wa.me/917555550100');
  expect(screen.getByText(/Tele-MANAS/)).toBeTruthy();
  expect(document.body.textContent).not.toMatch(/still being written/i);
});

test('empty fields are asked for, and the first of them has the focus', async () => {
  const person = open();
  await person.type(field('Name'), '  ');
  await person.type(field('Message'), 'May I come by?');
  await person.click(button());
  expect(screen.getByRole('alert').textContent).toBe('Please fill in all fields');
  expect(document.activeElement).toBe(field('Name'));
  expect(field('Name').getAttribute('aria-invalid')).toBe('true');
  expect(field('Email').getAttribute('aria-invalid')).toBe('true');
  expect(field('Message').getAttribute('aria-invalid')).toBeNull();
  await expectAccessible();
  await person.type(field('Name'), 'Asha');
  await person.click(button());
  expect(document.activeElement).toBe(field('Email'));
  await person.type(field('Email'), 'asha@example.org');
  expect(screen.queryByRole('alert')).toBeNull();
  expect(server.taken).toHaveLength(0);
});

test('a message is sent; thanks, an empty form, and the top of the page', async () => {
  const person = open();
  await person.type(field('Name'), ' Asha Rao ');
  await person.type(field('Email'), 'asha@example.org');
  await person.type(field('Message'), 'May I come by?\n');
  await person.click(button());
  await within(screen.getByTestId('toasts')).findByText('Thank you for your message!');
  for (const label of ['Name', 'Email', 'Message']) {
    expect(field(label).value).toBe('');
    expect(field(label).getAttribute('aria-invalid')).toBeNull();
  }
  expect(screen.getByText("Thanks, we've got your message")).toBeTruthy();
  // An unsubscribed address gets no confirmation mail, so none is promised.
  expect(screen.getByText(/^We read and answer messages Mon-Fri/)).toBeTruthy();
  expect(document.body.textContent).not.toMatch(/on its way|inbox/);
  expect(scrolled).toHaveBeenCalledWith({ top: 0, behavior: 'smooth' });
  expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1 }));
  await expectAccessible();
  expect(sessionStorage.length).toBe(0);
  expect(server.taken[0]).toMatchObject({
    name: 'Asha Rao',
    email: 'asha@example.org',
    message: 'May I come by?',
    website: '',
  });
});

test('while it is sent fields are locked, and a second press does nothing', async () => {
  let answer = () => {};
  server.gate = new Promise((resolve) => {
    answer = resolve;
  });
  const person = open();
  await fill(person);
  await person.dblClick(button());
  await waitFor(() => expect(button().textContent).toBe('Sending...'));
  expect(field('Message').readOnly).toBe(true);
  await person.click(button());
  await person.type(field('Name'), '{Enter}');
  act(answer);
  await screen.findByText("Thanks, we've got your message");
  expect(server.taken).toHaveLength(1);
});

/** An answer that comes when the test says so. */
function holdAnswers(): () => void {
  let answer = () => {};
  server.gate = new Promise((resolve) => {
    answer = resolve;
  });
  return () => act(answer);
}

test('coming back before the answer shows the form sending, and then empty', async () => {
  const answer = holdAnswers();
  const person = open();
  await fill(person);
  await person.click(button());
  await waitFor(() => expect(server.taken).toHaveLength(1));
  cleanup();
  const back = open();
  await waitFor(() => expect(field('Message').value).toBe('May I come by?'));
  expect(button().textContent).toBe('Sending...');
  expect(field('Message').readOnly).toBe(true);
  await back.click(button());
  answer();
  await screen.findByText("Thanks, we've got your message");
  for (const label of ['Name', 'Email', 'Message']) expect(field(label).value).toBe('');
  await back.click(button());
  expect(screen.getByRole('alert').textContent).toBe('Please fill in all fields');
  expect(server.taken).toHaveLength(1);
  expect(sessionStorage.length).toBe(0);
});

test('a failure is shown, whether it comes before or after the return', async () => {
  for (const early of [true, false]) {
    sessionStorage.clear();
    const answer = holdAnswers();
    server.refusals = [refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE')];
    const person = open();
    await fill(person);
    await person.click(button());
    await waitFor(() => expect(button().textContent).toBe('Sending...'));
    cleanup();
    render(<Toaster />);
    if (early) {
      answer();
      await screen.findByText('Your message was not sent');
    }
    cleanup();
    open();
    if (!early) answer();
    await screen.findByText(FAILED);
    expect(field('Message').value).toBe('May I come by?');
    expect(button().textContent).toBe('Send Message');
    cleanup();
  }
});

test('a failure keeps every letter, and trying again is the same message', async () => {
  server.refusals = [
    refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE', { referenceId: 'ref-7' }),
    refusal(Code.Internal, 'INTERNAL'),
  ];
  const person = open();
  await fill(person);
  await person.click(button());
  const alert = await screen.findByRole('alert');
  expect(within(alert).getByText(FAILED)).toBeTruthy();
  expect(within(alert).getByText('ref-7')).toBeTruthy();
  await expectAccessible();
  expect(field('Message').value).toBe('May I come by?');
  await person.click(button());
  await screen.findByText(FAILED);
  await person.click(button());
  await screen.findByText("Thanks, we've got your message");
  const keys = server.taken.map(({ idempotencyKey }) => idempotencyKey);
  expect(keys).toHaveLength(3);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(keys).size).toBe(1);
});

test('a message can be written without a mouse', async () => {
  const person = open();
  field('Name').focus();
  await person.keyboard('Asha Rao');
  for (const [label, words] of [
    ['Email', 'asha@example.org'],
    ['Message', 'Hello.'],
  ] as const) {
    await person.tab();
    expect(document.activeElement).toBe(field(label));
    await person.keyboard(words);
  }
  await person.tab();
  expect(document.activeElement).toBe(button());
  await person.keyboard('{Enter}');
  await screen.findByText("Thanks, we've got your message");
  expect(server.taken[0]).toMatchObject({ name: 'Asha Rao', message: 'Hello.' });
});

test('the next message has a key of its own, even with the same words', async () => {
  const person = open();
  for (const many of [1, 2]) {
    await fill(person);
    await person.click(button());
    await waitFor(() => expect(server.taken).toHaveLength(many));
    await waitFor(() => expect(field('Message').value).toBe(''));
  }
  expect(server.taken[0]?.idempotencyKey).not.toBe(server.taken[1]?.idempotencyKey);
});

test('too many messages are answered kindly', async () => {
  server.refusals = [refusal(Code.ResourceExhausted, 'TOO_MANY_REQUESTS')];
  const person = open();
  await fill(person);
  await person.click(button());
  await screen.findByText(/please send it again a little later, or call us/);
  expect(screen.queryByText(FAILED)).toBeNull();
  expect(field('Message').value).toBe('May I come by?');
  await expectAccessible();
});

test('an error of the server is shown at its field', async () => {
  const message = 'Please check this address';
  server.refusals = [refusal(Code.InvalidArgument, 'INVALID_EMAIL', { field: 'email', message })];
  const person = open();
  await fill(person);
  await person.click(button());
  await screen.findByText(message);
  await waitFor(() => expect(document.activeElement).toBe(field('Email')));
  expect(field('Email').getAttribute('aria-invalid')).toBe('true');
  await person.type(field('Email'), '.in');
  expect(screen.queryByText(message)).toBeNull();
});

test('what was typed survives a reload', async () => {
  sessionStorage.setItem('contactDraft', JSON.stringify({ name: 'Asha', message: 'Half a sent' }));
  open();
  await waitFor(() => expect(field('Message').value).toBe('Half a sent'));
  expect(field('Name').value).toBe('Asha');
});

test('an account fills in name and address, which the tab does not keep', async () => {
  const user = { id: 'u1', email: 'ravi@example.org', firstName: 'Ravi', lastName: '', phone: '' };
  auth.state = { status: 'signed-in', user };
  const person = open();
  await waitFor(() => expect(field('Email').value).toBe(user.email));
  expect(field('Name').value).toBe('Ravi');
  await person.type(field('Message'), 'Hello');
  expect(sessionStorage.getItem('contactDraft')).not.toMatch(/ravi/i);
});

test('the field for programs is hidden and out of reach, and its content is sent', async () => {
  const person = open();
  const trap = document.querySelector<HTMLInputElement>('input[name="topic"]');
  if (!trap) throw new Error('There is no such field.');
  expect(trap.closest('[aria-hidden="true"]')).not.toBeNull();
  expect(trap.tabIndex).toBe(-1);
  expect(trap.autocomplete).toBe('off');
  expect(trap.dataset.lpignore).toBe('true');
  await fill(person);
  await person.type(trap, 'https://spam.example');
  await person.click(button());
  await screen.findByText("Thanks, we've got your message");
  expect(server.taken[0]?.website).toBe('https://spam.example');
});

test('prerendered fields take nothing that hydration would wipe out', () => {
  const html = document.createElement('div');
  html.innerHTML = renderToString(
    <MemoryRouter>
      <TransportProvider transport={transport}>
        <PracticeProvider snapshot={practiceFixture()}>
          <ContactPage />
        </PracticeProvider>
      </TransportProvider>
    </MemoryRouter>,
  );
  const fields = [...html.querySelectorAll('form :is(input, textarea)')];
  expect(fields).toHaveLength(4);
  expect(fields.filter((one) => one.closest('[disabled]') === null)).toEqual([]);
});
