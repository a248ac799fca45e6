/** Mails and where each stands, in plain words. */

import { MailKind } from '@/gen/notifications/v1/notifications_events_pb';
import { DeliveryState } from '@/gen/notifications/v1/notifications_staff_service_pb';

const KINDS: Partial<Record<MailKind, string>> = {
  [MailKind.BOOKING_CONFIRMED]: 'Confirmation',
  [MailKind.PRACTICE_NOTICE]: 'Notice to the practice',
  [MailKind.MEETING_LINK]: 'Link to the room',
  [MailKind.HOLD_ENDED]: 'The time was released',
  [MailKind.REFUND_STARTED]: 'Money is on its way back',
  [MailKind.REFUND_DONE]: 'The money went back',
  [MailKind.BOOKING_CANCELLED]: 'Cancellation',
  [MailKind.CANCELLATION_NOTICE]: 'Cancellation, to the practice',
  [MailKind.BOOKING_MOVED]: 'Another time',
  [MailKind.MOVE_NOTICE]: 'Another time, to the practice',
  [MailKind.MOVE_PROPOSED]: 'Asked to choose another time',
  [MailKind.MOVE_PROPOSAL_WITHDRAWN]: 'The session keeps its time',
  [MailKind.PAGE_CODE]: 'Code for the booking’s page',
  [MailKind.WAITING_OFFER]: 'A time is free',
  [MailKind.REFUND_ASKED]: 'Request for a refund',
  [MailKind.REFUND_ASKED_NOTICE]: 'Request for a refund, to the practice',
  [MailKind.REFUND_ANSWERED]: 'Answer to a request for a refund',
  [MailKind.RECEIPT]: 'Receipt',
  [MailKind.REMINDER]: 'Reminder',
  [MailKind.SECOND_REMINDER]: 'Second reminder',
  [MailKind.FOLLOW_UP]: 'Thanks after the session',
  [MailKind.CONTACT_MESSAGE]: 'Message of the contact form',
  [MailKind.DAY_SHEET]: 'Day sheet',
  [MailKind.PAYMENT_PAGE]: 'Payment page',
};

const STATES: Partial<Record<DeliveryState, string>> = {
  [DeliveryState.QUEUED]: 'waits for its time',
  [DeliveryState.SENDING]: 'being sent',
  [DeliveryState.SENT]: 'sent',
  [DeliveryState.RETRYING]: 'tried again soon',
  [DeliveryState.FAILED]: 'failed',
  [DeliveryState.DROPPED]: 'not needed any more',
  [DeliveryState.SETTLED]: 'failed, dealt with',
};

export function mailWord(kind: MailKind): string {
  return KINDS[kind] ?? 'Mail';
}

export function mailStateWord(state: DeliveryState): string {
  return STATES[state] ?? '';
}
