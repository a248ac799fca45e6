/** /join/<booking> as members and its own account see it, with a server that a test plays. */
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, createRouterTransport } from '@connectrpc/connect';
import { screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { BookingState, SessionMode } from '@/gen/booking/v1/booking_service_pb';
import {
  BookingStaffService,
  GetJoinPageResponseSchema,
} from '@/gen/booking/v1/booking_staff_service_pb';
import { ClientJoinPageSchema, JoinPageService } from '@/gen/booking/v1/join_page_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { at } from '@/testing/booking-fixture';
import { refusal } from '@/testing/refusal';
import { renderApp } from '@/testing/render-app';
import { JoinPage } from './join-page';

const BOOKING = 'bkg_0192f0c1f0c17000800000000000dd4a';
const auth = vi.hoisted(() => ({ current: {} as object }));
vi.mock('@/lib/auth', () => ({ useAuth: () => auth.current, signOut: () => undefined }));

beforeEach(() => {
  auth.current = { status: 'signed-in', user: { id: 'usr_own' } };
});

type Page = MessageInitShape<typeof GetJoinPageResponseSchema>;

const WHOLE: Page = {
  bookingId: BOOKING,
  state: BookingState.MEETING_SCHEDULED,
  sessions: [{ startsAt: at('2026-12-14T05:30:00Z'), endsAt: at('2026-12-14T06:30:00Z') }],
  serviceTitle: 'Meditation Coaching',
  practitionerName: 'Kavita Rao',
  clientFirstName: 'Asha',
  notes: 'I sleep badly.\nPlease speak slowly.',
  mode: SessionMode.ONLINE,
  roomOpensAt: at('2026-12-14T05:20:00Z'),
};

type OwnPage = MessageInitShape<typeof ClientJoinPageSchema>;

function show(page: Page, refuse?: string, own?: OwnPage) {
  const transport = createRouterTransport(({ service }) => {
    service(JoinPageService, {
      getOwnJoinPage: ({ bookingId }) => {
        expect(bookingId).toBe(BOOKING);
        if (!own) throw refusal(Code.NotFound, 'BOOKING_NOT_FOUND');
        return { page: create(ClientJoinPageSchema, own) };
      },
    });
    service(BookingStaffService, {
      getJoinPage: ({ bookingId }) => {
        if (refuse) throw refusal(Code.PermissionDenied, refuse);
        expect(bookingId).toBe(BOOKING);
        return create(GetJoinPageResponseSchema, page);
      },
    });
  });
  renderApp(
    <main>
      <JoinPage params={{ bookingId: BOOKING }} />
    </main>,
    { transport },
  );
}

test('before the room opens it says when, and shows the client and what they wrote', async () => {
  show(WHOLE);
  expect(
    await screen.findByRole('heading', { name: 'Meditation Coaching with Asha' }),
  ).toBeTruthy();
  expect(screen.getByText(/I sleep badly/).getAttribute('dir')).toBe('auto');
  expect(screen.getByRole('status').textContent).toContain('10:50 am');
  expect(screen.queryByRole('link', { name: 'Open the Meeting Room' })).toBeNull();
  await expectAccessible();
});

test('once it is open, the room is one press away', async () => {
  show({ ...WHOLE, joinUrl: 'https://meet.example/room' });
  const link = await screen.findByRole('link', { name: /Open the Meeting Room/ });
  expect(link.getAttribute('href')).toBe('https://meet.example/room');
});

test('a cancelled booking says so and has no room', async () => {
  show({ ...WHOLE, state: BookingState.CANCELLED, roomOpensAt: undefined, notes: '' });
  expect(await screen.findByText('This booking is cancelled')).toBeTruthy();
  expect(screen.queryByText('What They Wrote for You')).toBeNull();
});

test('in person it says where', async () => {
  show({ ...WHOLE, mode: SessionMode.IN_PERSON, location: '12 Lake Road', roomOpensAt: undefined });
  expect(await screen.findByText('In person: 12 Lake Road')).toBeTruthy();
});

test.each(['STAFF_ONLY', 'BOOKING_NOT_FOUND'])('%s says which account is meant', async (reason) => {
  show(WHOLE, reason);
  expect(await screen.findByText('There is nothing here for this account')).toBeTruthy();
});

test('signed out, it leads to the sign-in and back', async () => {
  auth.current = { status: 'signed-out' };
  show(WHOLE);
  const link = await screen.findByRole('link', { name: 'Sign In' });
  expect(link.getAttribute('href')).toContain('/sign-in?return=');
});

test('the account that booked it joins as a client, and no call of the staff is made', async () => {
  show(WHOLE, 'STAFF_ONLY', {
    bookingId: BOOKING,
    state: BookingState.MEETING_SCHEDULED,
    sessions: WHOLE.sessions ?? [],
    sessionNumber: 1,
    mode: SessionMode.ONLINE,
    practitionerName: 'Kavita Rao',
    roomOpensAt: at('2026-12-14T05:20:00Z'),
    roomUrl: 'https://meet.example/room',
  });
  const link = await screen.findByRole('link', { name: /Open the Meeting Room/ });
  expect(link.getAttribute('href')).toBe('https://meet.example/room');
  expect(screen.queryByText('There is nothing here for this account')).toBeNull();
});
