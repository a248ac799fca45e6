/** Bookings and days as the server would send them, for tests. */
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  type Booking,
  BookingSchema,
  BookingState,
  type ListSlotsResponse,
  ListSlotsResponseSchema,
  PaymentState,
  RefundStepSchema,
  type RequestBookingRequest,
  SessionMode,
} from '@/gen/booking/v1/booking_service_pb';
import { type CancellationPolicy, CancellationPolicySchema } from '@/gen/common/v1/cancellation_pb';

const HALF_HOUR_MS = 1_800_000;
const NOTICE_HOURS = 24;
const SESSION_MS = 2_700_000;

export const BOOKING_ID = `bkg_${'a1'.repeat(16)}`;

export function at(instant: string) {
  return timestampFromDate(new Date(instant));
}

/** A held booking of General Consultation for 24 November, 11:00 am IST. */
export function bookingFixture(changes: MessageInitShape<typeof BookingSchema> = {}): Booking {
  const startsAt = new Date('2026-11-24T05:30:00Z');
  const init: MessageInitShape<typeof BookingSchema> = {
    bookingId: BOOKING_ID,
    serviceId: 'general-consultation',
    serviceTitle: 'General Consultation',
    sessions: [
      {
        startsAt: timestampFromDate(startsAt),
        endsAt: timestampFromDate(new Date(startsAt.getTime() + SESSION_MS)),
      },
    ],
    timeZone: 'Asia/Kolkata',
    mode: SessionMode.ONLINE,
    price: { minorUnits: 50_000n, currencyCode: 'INR' },
    state: BookingState.HELD,
    heldUntilAt: timestampFromDate(new Date(Date.now() + HALF_HOUR_MS)),
    paymentState: PaymentState.PENDING,
    contact: { firstName: 'Asha', lastName: 'Rao', email: 'asha@example.org' },
    version: 1n,
    practitionerName: 'Meera Joshi',
  };
  return withPolicy(create(BookingSchema, { ...init, ...changes } as typeof init));
}

const HOUR_SECONDS = 3600n;

/** All of the price until so many hours before the start, and then nothing. */
export function noticeOf(untilHours: number): CancellationPolicy {
  return create(CancellationPolicySchema, {
    tiers: [
      { untilHours, refundPercent: 100 },
      { untilHours: 0, refundPercent: 0 },
    ],
  });
}

/** A day's notice, where nothing else is said, with the steps that follow. */
function withPolicy(booking: Booking): Booking {
  booking.cancellationPolicy ??= noticeOf(NOTICE_HOURS);
  const { price, sessions } = booking;
  for (const session of sessions) {
    const { startsAt, cancelled, refundSteps } = session;
    if (!startsAt || !price || price.minorUnits === 0n || cancelled || refundSteps.length > 0) {
      continue;
    }
    const minorUnits = price.minorUnits / BigInt(sessions.length);
    session.refundSteps = booking.cancellationPolicy.tiers.map((tier) =>
      create(RefundStepSchema, {
        untilAt: {
          ...startsAt,
          seconds: startsAt.seconds - BigInt(tier.untilHours) * HOUR_SECONDS,
        },
        refund: {
          minorUnits: (minorUnits * BigInt(tier.refundPercent)) / 100n,
          currencyCode: price.currencyCode,
        },
      }),
    );
  }
  return booking;
}

type PackageInit = {
  packageId: string;
  contact?: RequestBookingRequest['contact'];
  noticeHours?: number;
};

/** A held booking of a package, whose sessions start at these times. */
export function packageFixture(
  times: readonly Date[],
  { packageId, contact, noticeHours = NOTICE_HOURS }: PackageInit = { packageId: 'starter' },
): Booking {
  return bookingFixture({
    serviceId: 'mental-health',
    serviceTitle: 'Mental Health Therapy',
    package: { packageId, title: 'Starter Package', noticeHours },
    cancellationPolicy: noticeOf(noticeHours),
    sessions: times.map((time) => ({
      startsAt: timestampFromDate(time),
      endsAt: timestampFromDate(new Date(time.getTime() + SESSION_MS)),
    })),
    price: { minorUnits: 450_000n, currencyCode: 'INR' },
    ...(contact && { contact }),
  });
}

/** What costs nothing is confirmed at once. */
export const FREE_SESSION = {
  serviceId: 'free-consultation',
  serviceTitle: 'Free Consultation',
  price: { minorUnits: 0n, currencyCode: 'INR' },
  state: BookingState.CONFIRMED,
  paymentState: PaymentState.UNSPECIFIED,
  version: 2n,
} as const;

type Start = { hour: number; available?: boolean };

function slotOf(date: string, { hour, available = true }: Start) {
  const startsAt = new Date(`${date}T${String(hour).padStart(2, '0')}:00:00+05:30`);
  return {
    startsAt: timestampFromDate(startsAt),
    endsAt: timestampFromDate(new Date(startsAt.getTime() + SESSION_MS)),
    available,
  };
}

export type DayInit = { date: string; starts?: Start[]; closed?: boolean };

/** An answer of ListSlots; its first day is today. */
export function slotsFixture(days: DayInit[]): ListSlotsResponse {
  const listed = days.map(({ date, starts = [], closed = false }) => ({
    date,
    closed,
    slots: starts.map((start) => slotOf(date, start)),
  }));
  const first = listed.flatMap((day) => day.slots).find((slot) => slot.available);
  return create(ListSlotsResponseSchema, {
    days: listed,
    timeZone: 'Asia/Kolkata',
    timeZoneLabel: 'IST',
    nextAvailableAt: first?.startsAt,
    lastDate: '2027-01-23',
  });
}
