/** What has happened to a booking and its money, and why, as one list by true time in plain words. */
import type { MoveReason } from '@/gen/booking/v1/booking_staff_service_pb';
import type { HistoryEntry } from '@/gen/common/v1/history_pb';
import { formatPrice } from '@/lib/money';
import { toDate } from '@/lib/time';

export type HistoryLine = { key: string; at: Date; words: string };

const WORDS: Record<string, string> = {
  BookingRequested: 'Booked; the time is held',
  BookingAdopted: 'Now belongs to the client’s account',
  PaymentPageRequested: 'The payment page was asked for',
  ConsentCodeRequested: 'A code for the consent was asked for',
  BookingCheckoutOpened: 'The client opened the payment',
  BookingConfirmed: 'Confirmed',
  MeetingScheduled: 'The meeting room is there',
  BookingPaid: 'The payment was seen',
  BookingExpired: 'Not paid in time; the time is free',
  BookingReleased: 'The time was released',
  BookingCancellationRequested: 'A cancellation was asked for',
  BookingCancellationUndone: 'The cancellation was taken back',
  BookingMoved: 'A session was moved',
  BookingMoveProposed: 'The client was asked for another time',
  BookingMoveProposalWithdrawn: 'A session keeps its time after all',
  PageCodeRequested: 'A code for the booking’s page was asked for',
  BookingUnplaced: 'Paid when the time was gone',
  BookingSessionCompleted: 'A session is over',
  BookingSessionCancelled: 'A session was cancelled',
  BookingCompleted: 'Over',
  BookingCancelled: 'Cancelled',
  BookingAttendanceMarked: 'Marked whether the client came',
  CollectionOpened: 'The payment was prepared',
  OrderCreated: 'An order was opened at the provider',
  PaymentLinkCreated: 'A payment link was made',
  PaymentLinkWithdrawn: 'The payment link was withdrawn',
  PaymentClaimed: 'The client says that it is paid',
  PaymentObserved: 'The provider told of a payment',
  PaymentVerified: 'Paid',
  PaymentFailed: 'A payment failed',
  RefundRequested: 'A refund was asked for',
  RefundAsked: 'The client asked for a refund',
  RefundRequestAnswered: 'The client’s request for a refund was answered',
  RefundReleased: 'A waiting refund was let go',
  RefundAccepted: 'The provider took the refund',
  RefundProcessed: 'The money went back',
  RefundFailed: 'A refund failed',
  DisputeObserved: 'The client’s bank disputes the payment',
  PaymentEarned: 'Earned',
  PaymentRetained: 'Kept after a late cancellation',
  ReceiptIssued: 'A receipt was made',
  DeskPaymentRecorded: 'Paid at the desk',
  DeskRefundRecorded: 'Given back at the desk',
};

/** "PaymentLinkAbsent" as "Payment link absent". */
function plain(event: string): string {
  const words = event.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function wordsOf({ event, amount, detail }: HistoryEntry): string {
  const more = [formatPrice(amount), detail.toLowerCase().replaceAll('_', ' ')].filter(Boolean);
  return [WORDS[event] ?? plain(event), ...more].join(' · ');
}

/** "Session 2. Why, by Meera Joshi: “The doctor is ill”" */
function reasonWords({ sessionNumber, userId, reason }: MoveReason, said: Saying): string {
  const which = said.several ? `Session ${sessionNumber}. ` : '';
  return `${which}Why, by ${said.nameOf(userId)}: “${reason}”`;
}

export type Saying = {
  reasons: readonly MoveReason[];
  /** The booking has several sessions. */
  several: boolean;
  /** The name of a member. */
  nameOf: (userId: string) => string;
};

const NOTHING_SAID: Saying = { reasons: [], several: false, nameOf: (userId) => userId };

/** All as one list; what has the same time stays in the order in which it was recorded. */
export function historyLines(
  booking: readonly HistoryEntry[],
  money: readonly HistoryEntry[],
  said: Saying = NOTHING_SAID,
): HistoryLine[] {
  const lines = [...booking, ...money].flatMap((entry, index) =>
    entry.recordedAt
      ? [{ key: `${index}`, at: toDate(entry.recordedAt), words: wordsOf(entry) }]
      : [],
  );
  const why = said.reasons.flatMap((reason, index) =>
    reason.saidAt
      ? [{ key: `why/${index}`, at: toDate(reason.saidAt), words: reasonWords(reason, said) }]
      : [],
  );
  return [...lines, ...why].sort((one, other) => one.at.getTime() - other.at.getTime());
}
