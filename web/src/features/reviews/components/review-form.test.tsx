/** Writing a review, with a server that a test plays. */
import { Code } from '@connectrpc/connect';
import { TransportProvider } from '@connectrpc/connect-query';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { renderToString } from 'react-dom/server';
import { beforeEach, expect, test, vi } from 'vitest';
import type { AuthState } from '@/lib/auth';
import { PracticeProvider } from '@/lib/practice';
import { expectAccessible } from '@/testing/accessible';
import { practiceFixture } from '@/testing/practice-fixture';
import { refusal } from '@/testing/refusal';
import { reviewFixture } from '@/testing/review-fixture';
import {
  fill,
  openPage,
  playedTransport,
  resetServer,
  send,
  server,
  toastSays,
} from '@/testing/reviews-server';
import { ReviewForm } from './review-form';
import { ReviewPage } from './review-page';
import { ReviewsPage } from './reviews-page';

const auth = vi.hoisted((): { state: AuthState } => ({
  state: { status: 'signed-out', user: undefined },
}));
const upload = vi.hoisted(() => vi.fn());

vi.mock('@/lib/auth', () => ({ useAuth: () => auth.state }));
vi.mock('../api/upload-picture', async (original) => ({
  ...(await original<typeof import('../api/upload-picture')>()),
  uploadPicture: upload,
}));

const open = (path: string) => openPage(path, { List: ReviewsPage, One: ReviewPage });

beforeEach(() => {
  auth.state = { status: 'signed-out', user: undefined };
  upload.mockReset();
  resetServer();
});

test('without a rating the form asks for one in words and keeps what was typed', async () => {
  const person = open('/reviews');
  await person.type(screen.getByLabelText('Name'), 'Asha');
  await send(person);
  await toastSays('Please provide a rating', 'Your rating helps us improve our services.');
  expect(screen.getAllByText('Please provide a rating').length).toBeGreaterThan(1);
  await expectAccessible();
  expect(screen.getByLabelText('Name')).toHaveProperty('value', 'Asha');
  expect(server.submitted).toHaveLength(0);
});

test('a review is published, the form is empty again and the new card has the focus', async () => {
  server.reviews = [reviewFixture(1)];
  const person = open('/reviews');
  await fill(person);
  await send(person);
  await toastSays('Thank you for your review!', 'Your feedback helps us serve you better.');
  const card = await screen.findByRole('article', { name: 'Review by Asha Rao' });
  await waitFor(() => expect(document.activeElement).toBe(card));
  await expectAccessible();
  expect(screen.getByLabelText('Your review')).toHaveProperty('value', '');
  expect(sessionStorage.getItem('reviewDraft')).toBeNull();
  expect(document.body.textContent).not.toContain('asha@example.org');
  expect(server.submitted[0]).toMatchObject({
    name: 'Asha Rao',
    email: 'asha@example.org',
    service: 'Energy Healing',
    rating: 4,
    text: 'I slept well.',
    imageId: '',
    withoutBadge: false,
  });
});

test('a failure keeps the form, and trying again has the same key', async () => {
  server.refusals = [refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE')];
  const person = open('/reviews');
  await fill(person);
  await send(person);
  await toastSays('Error submitting review', 'Please try again later.');
  expect(screen.getByLabelText('Your review')).toHaveProperty('value', 'I slept well.');
  await expectAccessible();
  await send(person);
  await screen.findByRole('article', { name: 'Review by Asha Rao' });
  const keys = server.submitted.map(({ idempotencyKey }) => idempotencyKey);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(new Set(keys).size).toBe(1);
});

test('an error of the server is shown at its field', async () => {
  server.refusals = [refusal(Code.InvalidArgument, 'INVALID_EMAIL', { field: 'email' })];
  const person = open('/reviews');
  await fill(person);
  await send(person);
  await waitFor(() =>
    expect(screen.getByLabelText('Email').getAttribute('aria-invalid')).toBe('true'),
  );
});

test('a wrong picture has its message, and the form stays', async () => {
  const person = open('/reviews');
  const field = screen.getByLabelText(/^Photo/);
  await person.type(screen.getByLabelText('Name'), 'Asha');
  const large = new File([new Uint8Array(6 * 1024 * 1024)], 'big.png', { type: 'image/png' });
  await person.upload(field, large);
  await toastSays('Image too large', 'Please select an image smaller than 5MB.');
  const anyKind = userEvent.setup({ applyAccept: false });
  await anyKind.upload(field, new File(['%PDF'], 'a.pdf', { type: 'application/pdf' }));
  await toastSays('Invalid file type', 'Please select a valid image file.');
  expect(screen.getByLabelText('Name')).toHaveProperty('value', 'Asha');
});

test('a wrong second choice leaves the good picture where it is', async () => {
  upload.mockResolvedValue('img_7');
  const person = open('/reviews');
  const field = screen.getByLabelText(/^Photo/);
  await person.upload(field, new File(['x'], 'me.webp', { type: 'image/webp' }));
  const anyKind = userEvent.setup({ applyAccept: false });
  await anyKind.upload(field, new File(['%PDF'], 'a.pdf', { type: 'application/pdf' }));
  await screen.findByText(/The one you chose before stays\./);
  expect(screen.getByText('me.webp')).toBeTruthy();
  await fill(person);
  await send(person);
  await screen.findByRole('article', { name: 'Review by Asha Rao' });
  expect(server.submitted[0]?.imageId).toBe('img_7');
});

test('the picture goes first and once, and can be taken away before', async () => {
  upload.mockResolvedValue('img_7');
  server.refusals = [refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE')];
  const person = open('/reviews');
  const field = screen.getByLabelText(/^Photo/);
  const file = new File(['x'], 'me.webp', { type: 'image/webp' });
  await person.upload(field, file);
  await screen.findByText('me.webp');
  await person.click(screen.getByRole('button', { name: 'Remove photo' }));
  expect(screen.queryByText('me.webp')).toBeNull();
  await person.upload(field, file);
  await fill(person);
  await send(person);
  await toastSays('Error submitting review', 'Please try again later.');
  await send(person);
  await screen.findByRole('article', { name: 'Review by Asha Rao' });
  expect(upload).toHaveBeenCalledTimes(1);
  expect(server.submitted.map(({ imageId }) => imageId)).toEqual(['img_7', 'img_7']);
});

test('what is sent of a picture was read when it was chosen', async () => {
  upload.mockResolvedValue('img_7');
  const person = open('/reviews');
  const file = new File(['x'], 'me.webp', { type: 'image/webp' });
  await person.upload(screen.getByLabelText(/^Photo/), file);
  await screen.findByAltText('What you chose');
  await fill(person);
  await send(person);
  await screen.findByRole('article', { name: 'Review by Asha Rao' });
  const [sent] = upload.mock.calls[0] as [File];
  expect(sent).not.toBe(file);
  expect([sent.name, sent.type, await sent.text()]).toEqual(['me.webp', 'image/webp', 'x']);
});

test('a picture that the device does not give away is not kept', async () => {
  const reads = vi.spyOn(FileReader.prototype, 'readAsArrayBuffer');
  reads.mockImplementationOnce(function (this: FileReader) {
    this.dispatchEvent(new ProgressEvent('error'));
  });
  const person = open('/reviews');
  const file = new File(['x'], 'me.webp', { type: 'image/webp' });
  await person.upload(screen.getByLabelText(/^Photo/), file);
  const wayOn = 'Please save it on your device first, and select it there.';
  await toastSays('Image can’t be read', wayOn);
  expect(screen.queryByText('me.webp')).toBeNull();
  reads.mockRestore();
});

test('a picture that the server has deleted is sent once more', async () => {
  upload.mockResolvedValueOnce('img_1').mockResolvedValueOnce('img_2');
  server.refusals = [
    refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE'),
    refusal(Code.FailedPrecondition, 'IMAGE_NOT_FOUND'),
  ];
  const person = open('/reviews');
  await person.upload(
    screen.getByLabelText(/^Photo/),
    new File(['x'], 'me.png', { type: 'image/png' }),
  );
  await fill(person);
  await send(person);
  await toastSays('Error submitting review', 'Please try again later.');
  await send(person);
  await screen.findByRole('article', { name: 'Review by Asha Rao' });
  expect(server.submitted.map(({ imageId }) => imageId)).toEqual(['img_1', 'img_1', 'img_2']);
});

test('a picture that the server cannot read has the message, and the form stays', async () => {
  const { UploadError } = await import('../api/upload-picture');
  upload.mockRejectedValue(new UploadError('INVALID_IMAGE'));
  const person = open('/reviews');
  await person.upload(
    screen.getByLabelText(/^Photo/),
    new File(['x'], 'me.png', { type: 'image/png' }),
  );
  await fill(person);
  await send(person);
  await toastSays('Invalid file type', 'Please select a valid image file.');
  expect(screen.getByLabelText('Your review')).toHaveProperty('value', 'I slept well.');
  expect(server.submitted).toHaveLength(0);
});

test('an invitation leaves the address at once and offers the badge', async () => {
  const secret = 's'.repeat(43);
  server.eligible = true;
  const person = open(`/reviews?filter=recent#invitation=${secret}`);
  await waitFor(() =>
    expect(screen.getByTestId('where').textContent).toBe('/reviews?filter=recent'),
  );
  await screen.findByText(/tells readers that you have been our client/);
  await expectAccessible();
  expect(server.badgeAsked[0]?.invitation).toBe(secret);
  await fill(person);
  await send(person);
  await screen.findByRole('article', { name: 'Review by Asha Rao' });
  expect(server.submitted[0]).toMatchObject({ invitation: secret, withoutBadge: false });
  expect(sessionStorage.getItem('reviewInvitation')).toBeNull();
});

test('the badge can be left off', async () => {
  server.eligible = true;
  const person = open(`/reviews#invitation=${'s'.repeat(43)}`);
  await person.click(await screen.findByLabelText('Publish without the badge'));
  await fill(person);
  await send(person);
  await screen.findByRole('article', { name: 'Review by Asha Rao' });
  expect(server.submitted[0]).toMatchObject({ invitation: '', withoutBadge: true });
});

test('an invitation that is worth nothing is said to be, and the review can go without', async () => {
  server.refusals = [refusal(Code.FailedPrecondition, 'INVITATION_NOT_VALID')];
  const person = open(`/reviews#invitation=${'s'.repeat(43)}`);
  await fill(person);
  await send(person);
  await screen.findByText('This link gives no badge any more');
  await person.click(screen.getByRole('button', { name: 'Publish without the badge' }));
  await screen.findByRole('article', { name: 'Review by Asha Rao' });
  expect(server.submitted[1]).toMatchObject({ invitation: '', withoutBadge: true });
});

test('a badge that was left off stays off when it is tried again', async () => {
  server.refusals = [
    refusal(Code.FailedPrecondition, 'INVITATION_NOT_VALID'),
    refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE'),
  ];
  const person = open(`/reviews#invitation=${'s'.repeat(43)}`);
  await fill(person);
  await send(person);
  await person.click(await screen.findByRole('button', { name: 'Publish without the badge' }));
  await toastSays('Error submitting review', 'Please try again later.');
  await send(person);
  await screen.findByRole('article', { name: 'Review by Asha Rao' });
  const [, second, third] = server.submitted;
  expect(third).toMatchObject({ withoutBadge: true, idempotencyKey: second?.idempotencyKey });
});

/** Whether a field takes nothing, by its own word or by that of the group around it. */
function stands(field: Element): boolean {
  return field.closest('[disabled]') !== null;
}

test('while a review is sent its fields cannot be changed', async () => {
  let answer = () => {};
  server.gate = new Promise((resolve) => {
    answer = resolve;
  });
  server.refusals = [refusal(Code.Unavailable, 'SERVICE_UNAVAILABLE')];
  const person = open('/reviews');
  await fill(person);
  await send(person);
  for (const label of ['Name', 'Email', 'Your review']) {
    expect(screen.getByLabelText(label)).toHaveProperty('readOnly', true);
  }
  expect(screen.getByLabelText('Service')).toHaveProperty('disabled', true);
  expect(stands(screen.getByRole('radio', { name: '5 stars, Excellent!' }))).toBe(true);
  answer();
  await toastSays('Error submitting review', 'Please try again later.');
  await person.type(screen.getByLabelText('Name'), ' Devi');
  expect(screen.getByLabelText('Name')).toHaveProperty('value', 'Asha Rao Devi');
  expect(stands(screen.getByRole('radio', { name: '5 stars, Excellent!' }))).toBe(false);
});

test('a published review does not lead back from another page', async () => {
  let answer = () => {};
  server.gate = new Promise((resolve) => {
    answer = resolve;
  });
  const person = open('/reviews?filter=verified');
  await fill(person);
  await send(person);
  await waitFor(() => expect(server.submitted).toHaveLength(1));
  await person.click(screen.getByRole('link', { name: 'Elsewhere' }));
  answer();
  await toastSays('Thank you for your review!', 'Your feedback helps us serve you better.');
  expect(screen.getByTestId('where').textContent).toBe('/elsewhere');
});

test('prerendered fields take nothing that hydration would wipe out', () => {
  const invitation = { secret: '', arrivals: 0, forget: () => {} };
  const html = document.createElement('div');
  html.innerHTML = renderToString(
    <TransportProvider transport={playedTransport()}>
      <QueryClientProvider client={new QueryClient()}>
        <PracticeProvider snapshot={practiceFixture()}>
          <ReviewForm invitation={invitation} onPublished={() => {}} />
        </PracticeProvider>
      </QueryClientProvider>
    </TransportProvider>,
  );
  const fields = [...html.querySelectorAll('form :is(input, select, textarea)')];
  expect(fields.length).toBeGreaterThan(8);
  expect(fields.filter((field) => !stands(field))).toEqual([]);
  open('/reviews');
  expect(stands(screen.getByLabelText('Your review'))).toBe(false);
});

test('the account fills the form, and without a past session no badge is shown', async () => {
  const user = {
    id: 'u1',
    email: 'ravi@example.org',
    firstName: 'Ravi',
    lastName: 'Iyer',
    phone: '',
  };
  auth.state = { status: 'signed-in', user };
  open('/reviews');
  await waitFor(() => expect(server.badgeAsked).toHaveLength(1));
  expect(screen.getByLabelText('Name')).toHaveProperty('value', 'Ravi Iyer');
  expect(screen.getByLabelText('Email')).toHaveProperty('value', 'ravi@example.org');
  expect(screen.queryByText(/badge/i)).toBeNull();
});

test('what an account filled in is cleared with it, and is not kept in the tab', async () => {
  const ravi = { id: 'u1', email: 'ravi@example.org', firstName: 'Ravi', lastName: '', phone: '' };
  auth.state = { status: 'signed-in', user: ravi };
  const person = open('/reviews');
  const name = screen.getByLabelText('Name');
  const email = screen.getByLabelText('Email');
  const text = screen.getByLabelText('Your review');
  expect(email).toHaveProperty('value', ravi.email);
  await person.type(text, 'A');
  expect(sessionStorage.getItem('reviewDraft')).toContain('"text":"A"');
  expect(sessionStorage.getItem('reviewDraft')).not.toMatch(/ravi/i);
  await person.type(name, ' I.');
  auth.state = { status: 'signed-in', user: { ...ravi, id: 'u2', email: 'mira@example.org' } };
  await person.type(text, 'B');
  expect(email).toHaveProperty('value', 'mira@example.org');
  auth.state = { status: 'signed-out', user: undefined };
  await person.type(text, 'C');
  expect(email).toHaveProperty('value', '');
  // What the person wrote is the person's own.
  expect(name).toHaveProperty('value', 'Ravi I.');
  expect(text).toHaveProperty('value', 'ABC');
});

test('what was typed survives a reload', async () => {
  sessionStorage.setItem('reviewDraft', JSON.stringify({ text: 'Half a sent', rating: '3' }));
  open('/reviews');
  await waitFor(() =>
    expect(screen.getByLabelText('Your review')).toHaveProperty('value', 'Half a sent'),
  );
  expect(screen.getByRole('radio', { name: '3 stars, Good!' })).toHaveProperty('checked', true);
});
