/**
 * Each section whose code comes later, on its page, in a browser that has no connection when it is
 * needed. `lazy-section.test.tsx` has what such a section does.
 */
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { Toaster } from '@/components/ui/toaster';
import { AccountPage } from '@/features/account/components/account-page';
import { FreeTimesSection } from '@/features/catalogue/components/free-times-section';
import { BookingScreen } from '@/features/desk/components/booking-screen';
import { MemberContext } from '@/features/desk/member';
import { AdminButton } from '@/features/moderation/components/admin-button';
import { PolicyPage } from '@/features/policy/components/policy-page';
import { ReviewsPage } from '@/features/reviews/components/reviews-page';
import { VideoPlayer } from '@/features/video/components/video-player';
import { StaffRole } from '@/gen/booking/v1/booking_staff_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { BOOKING_ID } from '@/testing/booking-fixture';
import { BookingServer } from '@/testing/booking-server';
import { DeskServer, deskBookingId, staffBooking } from '@/testing/desk-server';
import { OwnSessionsServer, ownBooking } from '@/testing/own-sessions-server';
import { auth, startAccount } from '@/testing/played-account';
import { practiceFixture } from '@/testing/practice-fixture';
import { refundRequestFixture } from '@/testing/refund-request-server';
import { renderApp } from '@/testing/render-app';
import { reviewFixture } from '@/testing/review-fixture';
import { playedTransport, resetServer, server as reviews } from '@/testing/reviews-server';
import BookPage from './routes/book';
import BookingFlowPage from './routes/booking-flow';
import OwnSessionRoute from './routes/own-session';
// Loaded with the tests, so that none of them waits for it; no page knows it before it asks.
import '@/features/account/components/app-enrolment';
import '@/features/booking/own-sessions/components/contact-dialog';
import '@/features/booking/own-sessions/components/move-dialog';
import '@/features/booking/own-sessions/components/refund-part';
import '@/features/booking/shared/components/month-grid';
import '@/features/catalogue/components/free-times';
import '@/features/desk/components/act-dialogs';
import '@/features/moderation/components/admin-panel';
import '@/features/policy/components/booking-countdown';
import '@/features/reviews/components/badge-offer';
import '@/features/reviews/components/real-rating';
import '@/features/reviews/components/review-list';
import '@/features/video/components/media-player';
import '@/app/book-page/book-steps';
import '@/app/booking-flow/schedule-screen';
import '@/app/booking-flow/sign-in-screen';

vi.mock('@/lib/auth', async () => (await import('@/testing/played-account')).playedAuth());

const HOUR_MS = 3_600_000;
const FLOW = '/booking-flow?service=general-consultation&step=calendar-terms';
const CONSENT = '/book?service=general-consultation&slot=2026-11-24T05:30:00Z&step=calendar-terms';

let online: boolean;

beforeEach(() => {
  startAccount();
  auth.signedIn = false;
  resetServer();
  online = false;
  vi.spyOn(navigator, 'onLine', 'get').mockImplementation(() => online);
});

type Options = Parameters<typeof renderApp>[1];

function open(page: ReactNode, options: Options = {}) {
  const transport = new BookingServer().transport();
  renderApp(<main>{page}</main>, { transport, ...options });
  return userEvent.setup();
}

/** What the page says in the place of the section. */
async function noticeOf(words: string): Promise<HTMLElement> {
  const title = await screen.findByText(words);
  const notice = title.closest<HTMLElement>('[role="alert"]');
  if (!notice) throw new Error(`"${words}" is no alert.`);
  return notice;
}

/** The section says what is missing, the page around it stays, and another try brings it. */
async function expectLate(words: string, heading: string | RegExp = /./): Promise<void> {
  const notice = await noticeOf(words);
  expect(screen.getAllByRole('heading', { name: heading }).length).toBeGreaterThan(0);
  expect(within(notice).queryByRole('button', { name: 'Reload the page' })).toBeNull();
  await expectAccessible();
  online = true;
  await act(async () => within(notice).getByRole('button', { name: 'Try again' }).click());
  await waitFor(() => expect(screen.queryByText(words)).toBeNull());
}

test('the free times of a service', async () => {
  const [service] = practiceFixture().services;
  if (!service) throw new Error('The practice has no services.');
  open(<FreeTimesSection service={service} />);
  await expectLate('The free times could not be loaded', 'Free times');
  await screen.findByRole('link', { name: /^11:00 am IST/ });
});

test('the steps of /book', async () => {
  open(<BookPage />, { path: CONSENT });
  await expectLate('The next step could not be loaded');
  await screen.findByLabelText('Signature');
});

test('the list of reviews, and the figures beside it', async () => {
  reviews.reviews = [reviewFixture(1)];
  open(<ReviewsPage />, { path: '/reviews', transport: playedTransport() });
  await noticeOf('The figures could not be loaded');
  await expectLate('The reviews could not be loaded', 'What people say');
  await screen.findByRole('article');
  online = false;
  await expectLate('The figures could not be loaded', 'What people say');
  await screen.findByRole('heading', { name: 'From the reviews below' });
});

test('the badge that a client is offered', async () => {
  auth.signedIn = true;
  reviews.eligible = true;
  open(<ReviewsPage />, { path: '/reviews', transport: playedTransport() });
  await expectLate('Whether your review carries a badge could not be loaded');
  await screen.findByLabelText('Publish without the badge');
});

test('the countdown of a booking beside the policy', async () => {
  open(<PolicyPage />, { path: `/cancellation-policy?b=${BOOKING_ID}` });
  await expectLate('Your booking could not be looked up', 'Cancellation Policy');
  await screen.findByRole('link', { name: 'Sign In' });
});

test('the calendar of the booking flow, and the month in it', async () => {
  auth.signedIn = true;
  const person = open(<BookingFlowPage />, { path: FLOW });
  await expectLate('The calendar could not be loaded', 'Book Your Session');
  await screen.findByRole('group', { name: 'Day' });
  online = false;
  await person.click(await screen.findByRole('button', { name: 'Pick another date' }));
  await expectLate('The calendar could not be loaded', 'Book Your Session');
  await screen.findByRole('button', { name: 'Month after' });
});

test('the free times to which a session is moved', async () => {
  auth.signedIn = true;
  const server = new OwnSessionsServer();
  const booking = ownBooking();
  const movableUntilAt = timestampFromDate(new Date(Date.now() + HOUR_MS));
  const endsAt = timestampFromDate(new Date(Date.now() + 3 * HOUR_MS));
  const startsAt = timestampFromDate(new Date(Date.now() + 2 * HOUR_MS));
  const [session] = booking.sessions;
  const sessions = session ? [{ ...session, startsAt, endsAt, movableUntilAt, movesLeft: 1 }] : [];
  server.coming = [{ ...booking, sessions }];
  const page = <OwnSessionRoute params={{ bookingId: BOOKING_ID }} />;
  const person = open(page, { transport: server.transport() });
  await person.click(await screen.findByRole('button', { name: 'Move this session' }));
  await expectLate('The free times could not be loaded', 'Your Session');
  await screen.findByRole('dialog', { name: 'Move this session' });
});

/** The page of a paid session of an hour that starts in so many hours. */
function openSession(inHours: number) {
  auth.signedIn = true;
  const server = new OwnSessionsServer();
  const at = (hours: number) => timestampFromDate(new Date(Date.now() + hours * HOUR_MS));
  const booking = ownBooking();
  const times = { startsAt: at(inHours), endsAt: at(inHours + 1) };
  const sessions = booking.sessions.map((session) => ({ ...session, ...times }));
  server.coming = [{ ...booking, sessions }];
  server.refundRequests.request = refundRequestFixture();
  const page = <OwnSessionRoute params={{ bookingId: BOOKING_ID }} />;
  return open(page, { transport: server.transport() });
}

test('the form that corrects the details of a booking', async () => {
  const person = openSession(2);
  await person.click(await screen.findByRole('button', { name: /^Correct name/ }));
  await expectLate('The form could not be loaded', 'Your Session');
  await screen.findByRole('dialog', { name: 'Correct your details' });
});

test('the request for a refund of a session', async () => {
  openSession(-2);
  await expectLate('Whether you can ask for a refund could not be loaded', 'Your Session');
  await screen.findByRole('heading', { name: 'Your refund request R-17' });
});

test('the dialogs of the desk', async () => {
  const server = new DeskServer();
  server.bookings = [staffBooking(7, new Date(Date.now() + HOUR_MS))];
  const page = (
    <MemberContext value={{ userId: 'own', role: StaffRole.OWNER }}>
      <BookingScreen params={{ id: deskBookingId(7) }} />
    </MemberContext>
  );
  const person = open(page, { transport: server.transport() });
  await person.click(await screen.findByRole('button', { name: /^What to do… with/ }));
  await person.click(screen.getByRole('button', { name: 'Move…' }));
  await expectLate('This could not be loaded', 'Asha Rao');
  await screen.findByRole('dialog', { name: 'Move for Asha Rao' });
});

test('the sign-in of the booking flow', async () => {
  open(<BookingFlowPage />, { path: FLOW.replace('calendar-terms', 'auth') });
  await expectLate('This step could not be loaded', 'Sign In Required');
  await screen.findByRole('link', { name: 'Create New Account' });
});

test('an app that is added to an account', async () => {
  auth.signedIn = true;
  const person = open(<AccountPage />, { path: '/account' });
  await person.click(await screen.findByRole('button', { name: 'Add an app' }));
  await expectLate('This step could not be loaded', 'Authenticator app');
  await screen.findByLabelText('Name of the app');
});

test('the panel of the practice says so in a toast, and the next press opens it', async () => {
  const page = (
    <>
      <AdminButton />
      <Toaster />
    </>
  );
  const person = open(page);
  const button = screen.getByRole('button', { name: 'Admin' });
  await person.click(button);
  await within(screen.getByTestId('toasts')).findByText('The panel could not be loaded');
  online = true;
  await person.click(button);
  await screen.findByRole('dialog', { name: 'Admin Panel' });
});

test('the player of a video says so in its own place, and is asked for again', async () => {
  vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue();
  const person = open(
    <VideoPlayer src="/media/quiet.mp4" captions="" title="Quiet" cover={<span />} />,
  );
  await person.click(screen.getByRole('button', { name: 'Play video: Quiet' }));
  await screen.findByText('Failed to load video: the connection was lost');
  await expectAccessible();
  online = true;
  await person.click(within(screen.getByRole('alert')).getByRole('button', { name: 'Try again' }));
  await waitFor(() => expect(document.querySelector('video')).toBeTruthy());
  expect(screen.queryByRole('alert')).toBeNull();
});
