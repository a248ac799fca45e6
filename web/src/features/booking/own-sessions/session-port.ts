/**
 * What a client does with a booking of their own, by the sign-in of an account or by the key of a
 * mail. The parts of the pages call these acts and know no service.
 */
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { createClient, type Transport } from '@connectrpc/connect';
import { useTransport } from '@connectrpc/connect-query';
import { createContext, useContext, useMemo } from 'react';
import {
  type Booking,
  BookingService,
  type PreviewOwnCancellationResponse,
  type PreviewOwnMoveResponse,
} from '@/gen/booking/v1/booking_service_pb';
import type { Money } from '@/gen/common/v1/money_pb';

/** What a cancellation would do, and whether it needs a code that is mailed. */
export type CancellationPreview = {
  cancellation: PreviewOwnCancellationResponse;
  codeNeeded: boolean;
};

export type Cancellation = {
  idempotencyKey: string;
  /** From 1; 0 for all sessions to come. */
  sessionNumber: number;
  expectedVersion: bigint;
  shownRefund: Money | undefined;
  /** The digits of the mail, or empty. */
  code: string;
};

/** The times to which a session can be moved, and whether that needs a code that is mailed. */
export type MovePreview = { move: PreviewOwnMoveResponse; codeNeeded: boolean };

/** `sessionNumber` is 0 for the one of a single booking. */
export type MoveRange = { sessionNumber: number; fromDate: string; days: number };

export type Move = {
  idempotencyKey: string;
  sessionNumber: number;
  shownStartsAt: Timestamp;
  startsAt: Timestamp;
  /** The digits of the mail, or empty. */
  code: string;
};

type Late = { sessionNumber: number; minutes: number };
type CalendarFile = { filename: string; content: string };

export type SessionPort = {
  /** Whether the client is signed in; what only an account has is not offered otherwise. */
  ofAccount: boolean;
  read: (booking: Booking) => Promise<Booking>;
  previewCancellation: (booking: Booking, sessionNumber: number) => Promise<CancellationPreview>;
  cancel: (booking: Booking, cancellation: Cancellation) => Promise<Booking>;
  undo: (booking: Booking, idempotencyKey: string) => Promise<Booking>;
  previewMove: (booking: Booking, range: MoveRange, signal?: AbortSignal) => Promise<MovePreview>;
  move: (booking: Booking, move: Move) => Promise<Booking>;
  tellLate: (booking: Booking, late: Late) => Promise<Booking>;
  /** Brings the file of its sessions without a sign-in. */
  calendarFile?: () => Promise<CalendarFile>;
  /** The page that leads into its room; empty for none. */
  joinPath: (booking: Booking) => string;
  /** Has a code mailed; nothing where no act needs one. */
  requestCode?: () => Promise<{ validMinutes: number }>;
};

/** The booking of an answer, which always has one. */
export function bookingIn({ booking }: { booking?: Booking | undefined }): Booking {
  if (!booking) throw new Error('The answer holds no booking.');
  return booking;
}

/** The acts of a client who is signed in. */
function accountPort(transport: Transport): SessionPort {
  const client = createClient(BookingService, transport);
  return {
    ofAccount: true,
    read: async ({ bookingId }) => bookingIn(await client.getBooking({ bookingId })),
    previewCancellation: async ({ bookingId }, sessionNumber) => ({
      cancellation: await client.previewOwnCancellation({ bookingId, sessionNumber }),
      codeNeeded: false,
    }),
    cancel: async ({ bookingId }, { code: _none, shownRefund, ...asked }) =>
      bookingIn(
        await client.cancelOwnBooking({
          bookingId,
          ...asked,
          ...(shownRefund && { shownRefund }),
        }),
      ),
    undo: async ({ bookingId }, idempotencyKey) =>
      bookingIn(await client.undoCancellation({ bookingId, idempotencyKey })),
    previewMove: async ({ bookingId }, range, signal) => ({
      move: await client.previewOwnMove({ bookingId, ...range }, signal ? { signal } : {}),
      codeNeeded: false,
    }),
    move: async ({ bookingId }, { code: _none, ...asked }) =>
      bookingIn(await client.moveOwnBooking({ bookingId, ...asked })),
    tellLate: async ({ bookingId }, late) =>
      bookingIn(await client.tellLate({ bookingId, ...late })),
    joinPath: ({ bookingId }) => `/join/${bookingId}`,
  };
}

/** A page that lets in by a key gives its own. */
export const SessionPortContext = createContext<SessionPort | undefined>(undefined);

export function useSessionPort(): SessionPort {
  const transport = useTransport();
  const given = useContext(SessionPortContext);
  return useMemo(() => given ?? accountPort(transport), [given, transport]);
}
