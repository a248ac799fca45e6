/** What a late cancellation kept, and is given back of it, in words. */
import { type Booking, BookingState } from '@/gen/booking/v1/booking_service_pb';
import { refusalWords, type Words } from './refusal-words';

/** Money can have been kept: the booking was cancelled, or a session of it. */
export function mayKeep({ state, sessions }: Booking): boolean {
  return state === BookingState.CANCELLED || sessions.some(({ cancelled }) => cancelled);
}

const WORDS: Record<string, Words> = {
  NOTHING_KEPT: {
    title: 'Nothing is kept any more',
    message: 'It was given back already, or the sum went another way.',
  },
  AMOUNT_NOT_KEPT: {
    title: 'Another sum is kept',
    message: 'Nothing was given back. What you see now is how it stands.',
  },
};

export function keptRefusalWords(reason: string): Words | undefined {
  return WORDS[reason] ?? refusalWords(reason);
}
