/** Asking for the guide by mail, with a server that a test plays. */
import { Code } from '@connectrpc/connect';
import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { expectAccessible } from '@/testing/accessible';
import { resetServer, server, transport } from '@/testing/guide-server';
import { refusal } from '@/testing/refusal';
import { renderApp, writtenApp } from '@/testing/render-app';
import { GuideForm } from './guide-form';

beforeEach(resetServer);

function open(onSent?: () => void) {
  const form = (
    <>
      <GuideForm {...(onSent ? { onSent } : {})} />
      <Toaster />
    </>
  );
  renderApp(form, { transport });
  return userEvent.setup();
}

const field = () => screen.getByLabelText<HTMLInputElement>('Email');
const button = () => screen.getByRole('button', { name: /^Send/ });
const toasts = () => within(screen.getByTestId('toasts'));
const keys = () => server.asked.map(({ idempotencyKey }) => idempotencyKey);

test('the guide is asked for; the toast says so, the field is empty and the popup may close', async () => {
  const onSent = vi.fn();
  const person = open(onSent);
  await person.type(field(), 'asha@example.org');
  await person.click(button());
  await toasts().findByText('Success!');
  const words = 'Your 5-step meditation guide is on its way to your inbox.';
  expect(toasts().getByText(words)).toBeTruthy();
  expect(field().value).toBe('');
  expect(onSent).toHaveBeenCalledTimes(1);
  await expectAccessible();
  expect(server.asked).toHaveLength(1);
  expect(server.asked[0]).toMatchObject({ email: 'asha@example.org', website: '' });
  expect(keys()[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(sessionStorage.length).toBe(0);
});

test('the browser checks the address itself', () => {
  open();
  expect(field()).toMatchObject({ type: 'email', required: true, autocomplete: 'email' });
  expect(field().form?.noValidate).toBe(false);
});

test('marks of a messenger around an address are no reason for the browser to refuse it', async () => {
  const person = open();
  await person.click(field());
  await person.paste('\u202aasha@example.org\u202c\u200f');
  expect(field().value).toBe('asha@example.org');
  expect(field().validity.valid).toBe(true);
});

test('while it is sent the field is locked, and a second press does nothing', async () => {
  let answer = () => {};
  server.gate = new Promise((resolve) => {
    answer = resolve;
  });
  const person = open();
  await person.type(field(), 'asha@example.org');
  await person.dblClick(button());
  await waitFor(() => expect(button().textContent).toBe('Sending...'));
  expect(button().getAttribute('aria-disabled')).toBe('true');
  expect(field().readOnly).toBe(true);
  await person.type(field(), '{Enter}');
  act(answer);
  await toasts().findByText('Success!');
  expect(server.asked).toHaveLength(1);
});

test('after a return before the answer the form is empty, and nothing is sent twice', async () => {
  let answer = () => {};
  server.gate = new Promise((resolve) => {
    answer = resolve;
  });
  const person = open();
  await person.type(field(), 'asha@example.org');
  await person.click(button());
  await waitFor(() => expect(server.asked).toHaveLength(1));
  cleanup();
  const back = open();
  expect(field().value).toBe('');
  await back.type(field(), 'asha@example.org');
  await back.click(button());
  await waitFor(() => expect(server.asked).toHaveLength(2));
  act(answer);
  await toasts().findByText('Success!');
  await waitFor(() => expect(field().value).toBe(''));
  expect(new Set(keys()).size).toBe(1);
});

test('a failure keeps the address, and trying again is the same wish', async () => {
  server.refusals = [refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE', { referenceId: 'ref-7' })];
  const onSent = vi.fn();
  const person = open(onSent);
  await person.type(field(), 'asha@example.org');
  await person.click(button());
  await toasts().findByText('Failed to send the guide. Please try again.');
  expect(toasts().getByText('Error')).toBeTruthy();
  const card = screen.getByTestId('toasts').querySelector('[data-variant]');
  expect(card?.getAttribute('data-variant')).toBe('destructive');
  expect(screen.getByText('The guide was not sent')).toBeTruthy();
  expect(screen.getByText('ref-7')).toBeTruthy();
  expect(field().value).toBe('asha@example.org');
  expect(onSent).not.toHaveBeenCalled();
  await expectAccessible();
  await person.click(button());
  await toasts().findByText('Success!');
  expect(screen.queryByText('The guide was not sent')).toBeNull();
  expect(new Set(keys()).size).toBe(1);
  await person.type(field(), 'asha@example.org');
  await person.click(button());
  await waitFor(() => expect(new Set(keys()).size).toBe(2));
});

test('another address is another wish', async () => {
  server.refusals = [refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE')];
  const person = open();
  await person.type(field(), 'asha@example.org');
  await person.click(button());
  await screen.findByText('The guide was not sent');
  await person.type(field(), '.in');
  await person.click(button());
  await toasts().findByText('Success!');
  expect(new Set(keys()).size).toBe(2);
});

test('an address that the server refuses is said at its field, which has the focus', async () => {
  const message = 'Please check this address.';
  server.refusals = [
    refusal(Code.InvalidArgument, 'INVALID_EMAIL', { field: 'email', message }),
    refusal(Code.InvalidArgument, 'INVALID_EMAIL', { field: 'email', message }),
  ];
  const person = open();
  await person.type(field(), 'asha@example');
  await person.click(button());
  await screen.findByText(message);
  expect(field().getAttribute('aria-invalid')).toBe('true');
  expect(document.activeElement).toBe(field());
  await expectAccessible();
  button().focus();
  await person.click(button());
  await waitFor(() => expect(server.asked).toHaveLength(2));
  await waitFor(() => expect(document.activeElement).toBe(field()));
  await person.type(field(), '.org');
  expect(field().getAttribute('aria-invalid')).toBeNull();
});

test('too many requests are answered with a wait', async () => {
  server.refusals = [refusal(Code.ResourceExhausted, 'TOO_MANY_REQUESTS')];
  const person = open();
  await person.type(field(), 'asha@example.org');
  await person.click(button());
  await screen.findByText(/try again a little later/);
  expect(field().value).toBe('asha@example.org');
});

test('the hidden field’s content is sent, and people cannot reach the field', async () => {
  const person = open();
  const hidden = document.querySelector<HTMLInputElement>('input[name="topic"]');
  if (!hidden) throw new Error('There is no hidden field.');
  expect(hidden.tabIndex).toBe(-1);
  expect(hidden.closest('[aria-hidden="true"]')).toBeTruthy();
  expect(screen.queryByRole('textbox', { name: 'Topic' })).toBeNull();
  await person.type(hidden, 'https://spam.example');
  await person.type(field(), 'asha@example.org');
  await person.click(button());
  await toasts().findByText('Success!');
  expect(server.asked[0]?.website).toBe('https://spam.example');
});

test('the prerendered form is disabled until the page is hydrated', () => {
  const html = writtenApp(<GuideForm />);
  expect(html).toContain('<fieldset disabled=""');
  expect(html).toMatch(/<button type="submit" disabled=""/);
});
