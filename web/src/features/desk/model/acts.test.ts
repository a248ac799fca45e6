/** What each role may do with a session, and what the card at the top is about. */
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { BookingState, PaymentState, SessionMode } from '@/gen/booking/v1/booking_service_pb';
import {
  Attendance,
  SessionMarkSchema,
  StaffRole,
} from '@/gen/booking/v1/booking_staff_service_pb';
import { staffBooking } from '@/testing/desk-server';
import { rupees } from '@/testing/receipt-fixture';
import { actsFor } from './acts';
import { cancelButton, moneySentence } from './cancel-words';
import { type SessionRow, sessionRows } from './day';
import { nextUp, untilWords } from './next-up';
import { paymentMessage, whatsappLink, whatsappNumber } from './whatsapp';

const START = new Date('2026-11-24T05:30:00Z');
const MINUTE = 60_000;
const after = (minutes: number) => START.getTime() + minutes * MINUTE;

type Changes = Parameters<typeof staffBooking>[2];
type Staff = Parameters<typeof staffBooking>[3];

function row(changes: Changes = {}, staff: Staff = {}, startsAt = START): SessionRow {
  const [found] = sessionRows([staffBooking(startsAt.getTime() % 97, startsAt, changes, staff)]);
  if (!found) throw new Error('no row');
  return found;
}

const MARK = (attendance: Attendance) => ({
  marks: [create(SessionMarkSchema, { sessionNumber: 1, attendance })],
});

test('a session is marked from its start on, until fourteen days after its end', () => {
  const marks = (minutes: number) =>
    actsFor(StaffRole.FRONT_DESK, row(), after(minutes)).includes('came');
  expect(marks(-1)).toBe(false);
  expect(marks(0)).toBe(true);
  expect(marks(60 + 14 * 1440 - 1)).toBe(true);
  expect(marks(60 + 14 * 1440)).toBe(false);
});

test('the mark that stands is not offered again, and can be taken back', () => {
  const acts = actsFor(StaffRole.OWNER, row({}, MARK(Attendance.NO_SHOW)), after(5));
  expect(acts.slice(0, 3)).toEqual(['came', 'late', 'unmark']);
});

test('only owners and admins cancel for the practice, choose what goes back, and refund', () => {
  const managers = ['cancel-by-practice', 'choose-refund', 'refund'] as const;
  for (const role of [StaffRole.OWNER, StaffRole.ADMIN]) {
    expect(actsFor(role, row(), after(-60))).toEqual(expect.arrayContaining([...managers]));
  }
  for (const role of [StaffRole.PRACTITIONER, StaffRole.FRONT_DESK]) {
    const acts = actsFor(role, row(), after(-60));
    expect(acts).toContain('cancel-by-client');
    expect(acts).toContain('move');
    for (const act of managers) expect(acts).not.toContain(act);
  }
});

test('a held time is released or paid for, and not cancelled; its claim is for managers', () => {
  const claimed = row({ state: BookingState.AWAITING_PAYMENT, paymentState: PaymentState.CLAIMED });
  const desk = actsFor(StaffRole.FRONT_DESK, claimed, after(-60));
  expect(desk).toEqual(['call', 'whatsapp', 'send-page', 'desk-payment', 'release']);
  expect(actsFor(StaffRole.ADMIN, claimed, after(-60))).toContain('accept-claim');
});

test('what is over is not cancelled, and who left no number is not called', () => {
  const acts = actsFor(StaffRole.OWNER, row({ contact: { firstName: 'A' } } as never), after(61));
  expect(acts).not.toContain('cancel-by-client');
  expect(acts).not.toContain('move');
  expect(acts).not.toContain('call');
});

test('the card: joining from ten minutes before, and the mark that is missing after the end', () => {
  const one = row();
  const at = (minutes: number) => nextUp([one], after(minutes));
  expect(at(-60)).toMatchObject({ moment: 'next', act: 'call' });
  expect(at(-10)).toMatchObject({ moment: 'next', act: 'join' });
  expect(at(30)).toMatchObject({ moment: 'now', act: 'join' });
  expect(at(60)).toMatchObject({ moment: 'unmarked', act: 'mark' });
  expect(nextUp([row({}, MARK(Attendance.CAME))], after(60))).toBeUndefined();
  expect(nextUp([row({ state: BookingState.HELD })], after(-5))).toBeUndefined();
});

test('in person it is marked where it is held, and what begins soon comes before a missing mark', () => {
  const here = row({ mode: SessionMode.IN_PERSON });
  expect(nextUp([here], after(5))).toMatchObject({ moment: 'now', act: 'mark' });
  const later = row({}, {}, new Date(after(90)));
  expect(nextUp([here, later], after(70))).toMatchObject({ moment: 'unmarked', row: here });
  expect(nextUp([here, later], after(80))).toMatchObject({ moment: 'next', row: later });
});

test('how long until it begins', () => {
  const words = [0, 12, 60, 125].map((minutes) => untilWords(new Date(minutes * MINUTE), 0));
  expect(words).toEqual(['now', 'in 12 min', 'in 1 h', 'in 2 h 5 min']);
});

test('the sum stands on the button', () => {
  expect(cancelButton({ refund: rupees(150_000n), unpaid: false })).toBe(
    'Cancel and give ₹1,500 back',
  );
  expect(cancelButton({ refund: rupees(0n), unpaid: false })).toBe('Cancel, nothing goes back');
  expect(moneySentence({ refund: rupees(150_000n), unpaid: true })).toContain(
    'No payment was seen',
  );
});

test('numbers as India writes them open WhatsApp, and no service is named', () => {
  expect(whatsappNumber('98765 43210')).toBe('919876543210');
  expect(whatsappNumber('098765-43210')).toBe('919876543210');
  expect(whatsappNumber('+44 20 7946 0958')).toBe('442079460958');
  expect(whatsappNumber('112')).toBeUndefined();
  const zone = { timeZone: 'Asia/Kolkata', label: 'IST' };
  const greeting = { firstName: 'Asha', practice: 'Sukoon', startsAt: START, zone };
  const words = paymentMessage(greeting, 'https://s.example/pay/booking#key=k');
  expect(words).toContain('Hello Asha, this is Sukoon about your session on Tuesday, 24 November');
  expect(whatsappLink('98765 43210', words)).toContain('%23key%3Dk');
});
