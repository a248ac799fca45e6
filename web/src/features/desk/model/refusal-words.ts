/** Refusals in words for the people at the desk: what a client would be told differs. */
export type Words = { title: string; message: string };

const STATE_NOW = 'What you see now is how it stands.';

const WORDS: Record<string, Words> = {
  NOT_MARKABLE: {
    title: 'It cannot be marked now',
    message:
      'A session is marked from its start until 14 days after its end, where it takes place.',
  },
  NOT_CANCELLABLE: {
    title: 'It cannot be cancelled any more',
    message: `It is over, or was cancelled already. ${STATE_NOW}`,
  },
  NOT_BY_PHONE: {
    title: 'This client booked on the site',
    message: 'Its time ends by itself if it is not paid. Only bookings by phone are changed here.',
  },
  HOLD_ENDED: {
    title: 'It is paid, or its time was released',
    message: STATE_NOW,
  },
  ALREADY_PAID: { title: 'It is paid already', message: STATE_NOW },
  NOT_CLAIMED: { title: 'There is no claim any more', message: STATE_NOW },
  SLOT_TAKEN: {
    title: 'Something is in the way',
    message: `A session or a held time lies in it. ${STATE_NOW}`,
  },
  SLOT_NOT_OFFERED: {
    title: 'That time is not offered',
    message: 'Choose one of the times in the list.',
  },
  BLOCK_NOT_FOUND: { title: 'It is open already', message: STATE_NOW },
  NOTHING_TO_REFUND: { title: 'Nothing is left to give back', message: STATE_NOW },
  REFUND_DEDUCTED: {
    title: 'The bank has taken this money',
    message: 'It disputes the payment. What is left can go back when the dispute is over.',
  },
  REFUND_NOT_HELD: { title: 'No refund waits any more', message: STATE_NOW },
  NOTHING_OWED: { title: 'Nothing is owed at the desk any more', message: STATE_NOW },
  INVALID_AMOUNT: {
    title: 'That is more than is left to give back',
    message: 'Type a smaller sum. What waits for the end of a dispute is let go by its own button.',
  },
  AMOUNT_NOT_REFUNDABLE: {
    title: 'The payment provider does not take this sum',
    message: 'At least ₹1 goes back, and either nothing or at least ₹1 stays.',
  },
  AMOUNT_NOT_OWED: { title: 'Another sum is owed', message: STATE_NOW },
  INVALID_REFERENCE: {
    title: 'That is no reference of a bank',
    message: 'It has at most 40 letters, digits, “-” and “/”.',
  },
  ABOVE_DESK_LIMIT: {
    title: 'That is more than the front desk may take',
    message: 'Ask an owner or an admin to record it.',
  },
  CONSENT_REQUIRED: {
    title: 'The client has not agreed to online sessions',
    message:
      'Send the payment page first: the client signs there, and pays at the desk after that.',
  },
  NOTHING_TO_PAY: {
    title: 'This costs nothing',
    message: 'What is free is booked on the site by the client.',
  },
  BOOKING_NOT_FOUND: {
    title: 'There is no such booking',
    message: 'It is not there, or not yours to see.',
  },
  NOT_OWN_CALENDAR: {
    title: 'That is another person’s calendar',
    message: 'You change your own sessions and times only.',
  },
  ROLE_NOT_ALLOWED: {
    title: 'Your role does not allow this',
    message: 'It may have changed a moment ago. Ask an owner or an admin.',
  },
  STAFF_ONLY: {
    title: 'You are no member of the practice any more',
    message: 'Your membership has ended. Ask an owner or an admin.',
  },
};

export function refusalWords(reason: string): Words | undefined {
  return WORDS[reason];
}
