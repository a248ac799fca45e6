/** The scheduling provider's widget on /book, with a frame that a test speaks for. */
import { Code, type ConnectError, createRouterTransport } from '@connectrpc/connect';
import { act, fireEvent, screen } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { scheduledEventOf } from '@/features/booking/book-page/scheduled-event';
import {
  BookingCalendarService,
  type TakeScheduledEventRequest,
} from '@/gen/booking/v1/booking_calendar_service_pb';
import { expectAccessible } from '@/testing/accessible';
import { address, openPage } from '@/testing/booking-page';
import { practiceFixture } from '@/testing/practice-fixture';
import { refusal } from '@/testing/refusal';
import BookPage from '../routes/book';
// Loaded with the tests, so that none of them waits for it.
import './book-steps';
import '@/features/booking/book-page/components/scheduling-frame';

vi.mock('@/lib/auth', () => ({
  useAuth: () => ({ status: 'signed-out', user: undefined }),
  authClient: async () => ({}),
}));

const WIDGET = 'https://calendly.com/asha/session';
const EVENT = 'https://api.calendly.com/scheduled_events/AAAA';
const INVITEE = `${EVENT}/invitees/BBBB`;
const SLOT = '2026-11-24T05:30:00Z';
const MESSAGE = {
  event: 'calendly.event_scheduled',
  payload: { event: { uri: EVENT }, invitee: { uri: INVITEE } },
};

const FRAME_WINDOW = {} as Window;
const VISIT = '0123456789abcdef'.repeat(2);

let asked: TakeScheduledEventRequest[];
/** What the next calls are refused with. */
let refusals: ConnectError[];

beforeEach(() => {
  asked = [];
  refusals = [];
});

async function open() {
  const snapshot = practiceFixture();
  for (const service of snapshot.services) {
    if (service.serviceId === 'meditation') service.schedulingUrl = WIDGET;
  }
  const transport = createRouterTransport(({ service }) => {
    service(BookingCalendarService, {
      openSchedulingVisit: ({ serviceId }) => {
        expect(serviceId).toBe('meditation');
        return { visitId: VISIT, visitToken: 'token-of-the-visit' };
      },
      takeScheduledEvent: (request) => {
        asked.push(request);
        const refused = refusals.shift();
        if (refused) throw refused;
        const seconds = BigInt(Date.parse(SLOT) / 1000);
        return { startsAt: { seconds, nanos: 0 } };
      },
    });
  });
  openPage(BookPage, { path: '/book?service=meditation', transport, snapshot });
  const frame = await screen.findByTitle<HTMLIFrameElement>(/^Choose a time for/);
  // The frame loads nothing in tests, so it gets its window here.
  Object.defineProperty(frame, 'contentWindow', { value: FRAME_WINDOW });
  return frame;
}

function say(frame: HTMLIFrameElement, from: Partial<MessageEventInit> = {}) {
  const said = { data: MESSAGE, origin: 'https://calendly.com', source: frame.contentWindow };
  act(() => {
    dispatchEvent(new MessageEvent('message', { ...said, ...from }));
  });
}

test('a message of the frame leads to the next step with the time that the server says', async () => {
  const frame = await open();
  const visitId = new URL(frame.src).searchParams.get('utm_content') ?? '';
  expect(visitId).toBe(VISIT);
  say(frame);
  const next = `/book?service=meditation&slot=${SLOT}&step=calendar-terms`;
  await vi.waitFor(() => expect(address()).toBe(next));
  const [request] = asked;
  expect(asked).toHaveLength(1);
  expect(request).toMatchObject({ serviceId: 'meditation', eventUri: EVENT, visitId });
  expect(request?.inviteeUri).toBe(INVITEE);
  expect(request?.visitToken).toBe('token-of-the-visit');
  expect(scheduledEventOf('meditation', SLOT)).toBe(EVENT);
});

test('a message from another origin, another window or of another kind is passed over', async () => {
  const frame = await open();
  say(frame, { origin: 'https://evil.example' });
  say(frame, { origin: 'https://calendly.com.evil.example' });
  say(frame, { origin: 'null' });
  say(frame, { source: window });
  say(frame, { source: null });
  say(frame, { data: { event: 'calendly.date_and_time_selected', payload: {} } });
  say(frame, { data: JSON.stringify(MESSAGE) });
  // Had one been heard, its call would be before this one.
  say(frame);
  await vi.waitFor(() => expect(address()).toContain('step=calendar-terms'));
  expect(asked).toHaveLength(1);
});

test.each([
  [Code.Unavailable, 'EVENT_TYPES_UNAVAILABLE', 'Failed to fetch event types'],
  [Code.FailedPrecondition, 'NO_EVENT_TYPES', 'No event types found'],
  [Code.Unavailable, 'SCHEDULED_EVENT_UNAVAILABLE', 'Failed to create booking: Unknown error'],
  [Code.NotFound, 'SCHEDULED_EVENT_NOT_FOUND', 'Failed to create booking: The calendar has none.'],
] as const)('%s %s is said to the letter, and the step stays', async (code, reason, told) => {
  const frame = await open();
  refusals = [refusal(code, reason, { message: told })];
  say(frame);
  expect(await screen.findByText(told)).toBeTruthy();
  expect(address()).toBe('/book?service=meditation');
  expect(scheduledEventOf('meditation', SLOT)).toBe('');
  await expectAccessible();
  if (code !== Code.Unavailable) return;
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await vi.waitFor(() => expect(address()).toContain('step=calendar-terms'));
  expect(asked).toHaveLength(2);
});

test('another session is chosen in our own calendar', async () => {
  await open();
  fireEvent.change(screen.getByLabelText('Session'), { target: { value: 'energy-healing' } });
  expect(screen.queryByTitle(/^Choose a time for/)).toBeNull();
});
