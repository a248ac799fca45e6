/** The admin panel, with a service that a test plays. */
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, type ConnectError, createRouterTransport } from '@connectrpc/connect';
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import {
  ImageFilter,
  type ListStaffReviewsRequest,
  ReviewsStaffService,
} from '@/gen/reviews/v1/reviews_staff_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import { AdminButton } from './admin-button';

const auth = vi.hoisted(() => ({ status: 'signed-out' }));
vi.mock('@/lib/auth', () => ({ useAuth: () => ({ status: auth.status, user: undefined }) }));

const PASSWORD = 'right as rain';

const denied = () => refusal(Code.PermissionDenied, 'ACCESS_DENIED');

type Stored = { id: string; name: string; image?: boolean; verified?: boolean };

/** A practice's reviews and its grant, as the server keeps them. */
class Desk {
  stored: Stored[] = ['Asha', 'Bina', 'Charu'].map((name, at) => ({ id: `rvw_${at}`, name }));
  deleted = new Set<string>();
  granted = false;
  asked: ListStaffReviewsRequest[] = [];
  pageSize = 20;
  refuse: ConnectError | undefined;
  calls: string[] = [];
  checking: Promise<void> | undefined;

  guard(call: string): void {
    this.calls.push(call);
    if (this.refuse) throw this.refuse;
    if (!this.granted) throw refusal(Code.PermissionDenied, 'GRANT_REQUIRED');
  }

  listed({ id, name, image, verified }: Stored) {
    const picture = { path: `/pictures/${id}-large.webp`, smallPath: `/pictures/${id}-small.webp` };
    const review = {
      reviewId: id,
      name,
      service: 'Energy Healing',
      rating: 4,
      text: `Words of ${name}.`,
      verified: verified ?? false,
      createdAt: timestampFromDate(new Date('2026-11-21T05:30:00Z')),
      image: image ? picture : undefined,
    };
    return { review, email: `${name.toLowerCase()}@example.org` };
  }

  list(request: ListStaffReviewsRequest) {
    this.guard('list');
    this.asked.push(request);
    const from = this.stored.findIndex(({ id }) => id === request.pageToken) + 1;
    const fits = this.stored
      .slice(from)
      .filter(({ id }) => !this.deleted.has(id))
      .filter(({ name }) => name.toLowerCase().includes(request.query.toLowerCase()))
      .map((one) => this.listed(one));
    const reviews = fits.slice(0, this.pageSize);
    const last = reviews.at(-1)?.review.reviewId ?? '';
    return { reviews, nextPageToken: reviews.length < fits.length ? last : '' };
  }

  transport() {
    return createRouterTransport(({ service }) =>
      service(ReviewsStaffService, {
        getModeration: () => ({ signInRequired: true }),
        unlock: async ({ password }) => {
          await this.checking;
          if (this.refuse) throw this.refuse;
          if (password !== PASSWORD) throw denied();
          this.granted = true;
          const at = (minutes: number) =>
            timestampFromDate(new Date(Date.parse('2027-01-01T00:00:00Z') + minutes * 60_000));
          return { idleEndsAt: at(10), endsAt: at(30) };
        },
        listStaffReviews: (request) => this.list(request),
        deleteReview: ({ reviewId }) => {
          this.guard('delete');
          this.deleted.add(reviewId);
          return {};
        },
        restoreReview: ({ reviewId }) => {
          this.guard('restore');
          this.deleted.delete(reviewId);
          return {};
        },
      }),
    );
  }
}

let desk: Desk;
/** The lock, which is all that the panel sends without Connect. */
const sent = vi.fn(async (_path: string, _init: RequestInit) => new Response('{}'));
/** A page of an earlier file may still ask for something; that reaches no server. */
const fetched = async (path: string, init: RequestInit) => {
  if (!path.endsWith('/Lock')) throw new TypeError('no network in tests');
  return sent(path, init);
};

beforeEach(() => {
  desk = new Desk();
  auth.status = 'signed-in';
  sent.mockClear();
  vi.stubGlobal('fetch', fetched);
});
afterEach(() => {
  // Closing the panel gives the grant back, and has to find the same server.
  cleanup();
  vi.unstubAllGlobals();
});

type User = ReturnType<typeof userEvent.setup>;

async function open(user: User): Promise<HTMLElement> {
  renderApp(
    <>
      <AdminButton />
      <Toaster />
    </>,
    { path: '/reviews?filter=recent', transport: desk.transport() },
  );
  await user.click(screen.getByRole('button', { name: 'Admin' }));
  return screen.findByRole('dialog', { name: 'Admin Panel' });
}

async function type(user: User, password: string): Promise<void> {
  await user.type(await screen.findByLabelText('Password'), `${password}{Enter}`);
}

async function unlocked(): Promise<{ user: User; dialog: HTMLElement }> {
  const user = userEvent.setup();
  const dialog = await open(user);
  await type(user, PASSWORD);
  await screen.findByText('Words of Asha.');
  return { user, dialog };
}

function names(): string[] {
  return screen.getAllByRole('article').map((row) => row.querySelector('h4')?.textContent ?? '');
}

async function deleteFirst(user: User): Promise<void> {
  await user.click(screen.getByRole('button', { name: `Delete the review of ${names()[0]}` }));
  await user.click(screen.getByRole('button', { name: 'Yes, delete' }));
}

test('the right password opens the list with everything that staff may see', async () => {
  desk.stored = [{ id: 'rvw_0', name: 'Asha', image: true, verified: true }];
  await unlocked();
  expect(screen.getByText('Admin Access Granted')).toBeTruthy();
  expect(screen.getByText('You can now manage reviews.')).toBeTruthy();
  const row = within(screen.getByRole('article', { name: 'Asha' }));
  expect(row.getByRole('link', { name: 'asha@example.org' }).getAttribute('href')).toBe(
    'mailto:asha@example.org',
  );
  expect(row.getByRole('img', { name: '4 stars of 5' })).toBeTruthy();
  await expectAccessible();
  expect(row.getByText('Verified')).toBeTruthy();
  expect(row.getByText(/21 November,? 2026 at 11:00 am IST/)).toBeTruthy();
  expect(row.getByRole('img', { name: /^From Asha/ }).getAttribute('src')).toMatch(/-small\.webp$/);
  expect(screen.getByText('One review shown.')).toBeTruthy();
  expect(screen.getByText(/Locks by itself in 10 minutes/)).toBeTruthy();
  expect(screen.queryByLabelText('Password')).toBeNull();
});

test('a refused password is said, cleared and asked for again', async () => {
  const user = userEvent.setup();
  await open(user);
  await type(user, 'wrong');
  expect(await screen.findByText('Access Denied')).toBeTruthy();
  await expectAccessible();
  const card = screen.getByText('Access Denied').closest('[data-variant]') as HTMLElement;
  expect(card.dataset.variant).toBe('destructive');
  expect(card.textContent).toContain('Incorrect password.');
  const field = screen.getByLabelText('Password');
  expect(field).toHaveProperty('value', '');
  expect(document.activeElement).toBe(field);
  expect(field.getAttribute('autocomplete')).toBe('current-password');
});

test('a throttled try looks like a wrong one; a service that is down does not', async () => {
  const user = userEvent.setup();
  await open(user);
  desk.refuse = refusal(Code.ResourceExhausted, 'TOO_MANY_REQUESTS');
  await type(user, PASSWORD);
  expect(await screen.findByText('Access Denied')).toBeTruthy();
  desk.refuse = refusal(Code.Unavailable, '');
  await type(user, PASSWORD);
  expect(await screen.findByText('The password could not be checked')).toBeTruthy();
  expect(screen.getByLabelText('Password')).toHaveProperty('value', PASSWORD);
  expect(screen.getByLabelText('Password').getAttribute('aria-invalid')).toBeNull();
});

test('without the second step the panel leads to it, and it leads back', async () => {
  const user = userEvent.setup();
  await open(user);
  desk.refuse = refusal(Code.PermissionDenied, 'SECOND_FACTOR_REQUIRED');
  await type(user, PASSWORD);
  const link = await screen.findByRole('link', { name: 'Use your second step, or set one up' });
  expect(link.getAttribute('href')).toBe('/sign-in?return=%2Freviews%3Ffilter%3Drecent');
  expect(screen.queryByText('Access Denied')).toBeNull();
});

test('without a session the panel asks to sign in first, and signing in leads back', async () => {
  auth.status = 'signed-out';
  const user = userEvent.setup();
  await open(user);
  const link = await screen.findByRole('link', { name: 'Sign in' });
  await expectAccessible();
  expect(link.getAttribute('href')).toBe('/sign-in?return=%2Freviews%3Ffilter%3Drecent');
  expect(link.closest('p')?.textContent).toBe(
    'Sign in with your practice account first, then type your password here.',
  );
  expect(screen.getByLabelText('Password')).toBeTruthy();
});

test('a deletion asks once, leaves at once, and can be undone', async () => {
  const { user } = await unlocked();
  await user.click(screen.getByRole('button', { name: 'Delete the review of Asha' }));
  expect(desk.calls).not.toContain('delete');
  await expectAccessible();
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('button', { name: 'Yes, delete' })).toBeNull();
  expect(document.activeElement?.textContent).toBe('Delete the review of Asha');

  await deleteFirst(user);
  expect(names()).toEqual(['Bina', 'Charu']);
  expect(document.activeElement).toBe(screen.getByRole('article', { name: 'Bina' }));
  expect(await screen.findByText('Review Removed')).toBeTruthy();
  await expectAccessible();
  expect(screen.getByText('The review has been successfully deleted.')).toBeTruthy();
  expect(screen.getByText('2 reviews shown, newest first.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  await screen.findByText('Review Restored');
  expect(names()).toEqual(['Asha', 'Bina', 'Charu']);
  expect(document.activeElement).toBe(screen.getByRole('article', { name: 'Asha' }));
});

test('Ctrl+Z restores the deleted review', async () => {
  const { user } = await unlocked();
  await deleteFirst(user);
  await screen.findByText('Review Removed');
  await user.keyboard('{Control>}z{/Control}');
  await screen.findByText('Review Restored');
  expect(names()).toContain('Asha');
});

test('each of two deletions can be undone', async () => {
  const { user } = await unlocked();
  await deleteFirst(user);
  await screen.findByText('Review Removed');
  await deleteFirst(user);
  await waitFor(() => expect(desk.deleted.size).toBe(2));
  await user.click(await screen.findByRole('button', { name: 'Undo' }));
  await screen.findByText('Review Restored');
  expect(names()).toEqual(['Bina', 'Charu']);
  const again = 'The review of Asha can still be brought back.';
  await screen.findByText(again);
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(desk.deleted.size).toBe(0));
  expect(names()).toEqual(['Asha', 'Bina', 'Charu']);
});

test('a first page that is all deleted gives way to the next one', async () => {
  desk.pageSize = 2;
  const { user } = await unlocked();
  await deleteFirst(user);
  await deleteFirst(user);
  expect(await screen.findByText('Words of Charu.')).toBeTruthy();
  expect(screen.getByText('One review shown.')).toBeTruthy();
});

test('after a sleep nothing is shown any more', async () => {
  await unlocked();
  const late = Date.now() + 11 * 60_000;
  const clock = vi.spyOn(Date, 'now').mockReturnValue(late);
  act(() => void document.dispatchEvent(new Event('visibilitychange')));
  clock.mockRestore();
  expect(await screen.findByText(/locked itself, to be safe/)).toBeTruthy();
  expect(document.body.textContent).not.toContain('@example.org');
  await waitFor(() => expect(sent).toHaveBeenCalledTimes(1));
});

test('a panel that is closed while the password is checked says nothing, and locks', async () => {
  let checked = () => {};
  desk.checking = new Promise((resolve) => {
    checked = resolve;
  });
  const user = userEvent.setup();
  const dialog = await open(user);
  await type(user, PASSWORD);
  await user.click(within(dialog).getByRole('button', { name: 'Close' }));
  checked();
  await waitFor(() => expect(sent).toHaveBeenCalledTimes(1));
  expect(screen.queryByText('Admin Access Granted')).toBeNull();
});

test('a deletion that fails brings the row back', async () => {
  const { user } = await unlocked();
  desk.refuse = refusal(Code.Unavailable, '');
  await deleteFirst(user);
  expect(await screen.findByText('Failed to remove the review.')).toBeTruthy();
  expect(screen.getByText('Error').closest('[data-variant="destructive"]')).toBeTruthy();
  expect(names()).toEqual(['Asha', 'Bina', 'Charu']);
  const row = screen.getByRole('article', { name: 'Asha' });
  await waitFor(() => expect(document.activeElement).toBe(row));
});

test('an undo that comes too late is explained, and the row stays away', async () => {
  const { user } = await unlocked();
  await deleteFirst(user);
  await screen.findByText('Review Removed');
  desk.refuse = refusal(Code.FailedPrecondition, 'UNDO_TOO_LATE');
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  expect(await screen.findByText('Too late to undo')).toBeTruthy();
  expect(names()).toEqual(['Bina', 'Charu']);
});

test('when the grant has ended the panel asks again and shows nothing any more', async () => {
  const { user } = await unlocked();
  desk.refuse = refusal(Code.PermissionDenied, 'GRANT_ENDED');
  await deleteFirst(user);
  expect(await screen.findByText(/locked itself, to be safe/)).toBeTruthy();
  await expectAccessible();
  const field = screen.getByLabelText('Password');
  await waitFor(() => expect(document.activeElement).toBe(field));
  expect(field).toHaveProperty('value', '');
  expect(document.body.textContent).not.toContain('@example.org');
  expect(screen.getByText('Failed to remove the review.')).toBeTruthy();
});

test('closing locks once, clears everything and asks for the password the next time', async () => {
  const { user, dialog } = await unlocked();
  await user.click(within(dialog).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(sent).toHaveBeenCalledTimes(1));
  const [path, init] = sent.mock.calls[0] ?? [];
  expect(path).toBe('/rpc/reviews.v1.ReviewsStaffService/Lock');
  expect(init?.keepalive).toBe(true);
  expect(init?.signal).toBeInstanceOf(AbortSignal);
  expect(screen.queryByText('Words of Asha.')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Admin' }));
  expect(await screen.findByLabelText('Password')).toHaveProperty('value', '');
  expect(desk.calls).toEqual(['list']);
});

test('a page that is left locks as well, and a panel that was never unlocked has no need', async () => {
  const user = userEvent.setup();
  const dialog = await open(user);
  act(() => void window.dispatchEvent(new Event('pagehide')));
  await waitFor(() => expect(dialog.querySelector('form')).toBeNull());
  expect(sent).not.toHaveBeenCalled();

  await user.click(screen.getByRole('button', { name: 'Admin' }));
  await type(user, PASSWORD);
  await screen.findByText('Words of Asha.');
  act(() => void window.dispatchEvent(new Event('pagehide')));
  expect(sent).toHaveBeenCalledTimes(1);
  await waitFor(() => expect(screen.queryByText('Words of Asha.')).toBeNull());
  expect(sent).toHaveBeenCalledTimes(1);
});

test('search and filters are asked of the server, and pages follow one another', async () => {
  desk.pageSize = 2;
  const { user } = await unlocked();
  expect(screen.getByText('2 reviews shown, newest first. There are more.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Load more' }));
  await screen.findByText('Words of Charu.');
  expect(document.activeElement).toBe(screen.getByRole('article', { name: 'Charu' }));
  expect(screen.queryByRole('button', { name: 'Load more' })).toBeNull();

  await user.selectOptions(screen.getByLabelText('Rating'), '5');
  await user.selectOptions(screen.getByLabelText('Photo'), 'With photo');
  await user.selectOptions(screen.getByLabelText('Service'), 'Spiritual Healing');
  await user.type(screen.getByLabelText('Search'), 'nobody');
  expect(await screen.findByText('No review fits.')).toBeTruthy();
  expect(desk.asked.at(-1)).toMatchObject({
    query: 'nobody',
    service: 'Spiritual Healing',
    rating: 5,
    image: ImageFilter.WITH,
    pageToken: '',
  });
  const words = desk.asked.map(({ query }) => query).filter(Boolean);
  expect(words).toEqual(['nobody']);
  await user.click(screen.getByRole('button', { name: 'Show all reviews' }));
  await screen.findByText('Words of Asha.');
});

test('a list that cannot be read says so and can be asked for again', async () => {
  const { user, dialog } = await unlocked();
  desk.refuse = refusal(Code.Unavailable, '');
  await user.type(screen.getByLabelText('Search'), 'asha');
  const retry = await within(dialog).findByRole('button', { name: 'Try again' });
  desk.refuse = undefined;
  fireEvent.click(retry);
  expect(await screen.findByText('Words of Asha.')).toBeTruthy();
});
