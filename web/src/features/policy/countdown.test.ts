import { describe, expect, test } from 'vitest';
import { BookingState } from '@/gen/booking/v1/booking_service_pb';
import { bookingFixture } from '@/testing/booking-fixture';
import { bookingWindow } from './booking-window';
import { cancellationMail } from './cancellation-mail';
import { countdownText, parseBookingTime, shareLeft } from './countdown';

const ZONE = 'Asia/Kolkata';
const NOW = Date.parse('2026-11-21T12:00:00Z');

test('hours, minutes and seconds stand in two digits each', () => {
  expect(countdownText(86_400_000)).toBe('24:00:00');
  expect(countdownText(86_399_001)).toBe('24:00:00');
  expect(countdownText(86_399_000)).toBe('23:59:59');
  expect(countdownText(61_000)).toBe('00:01:01');
  expect(countdownText(1)).toBe('00:00:01');
  expect(countdownText(0)).toBe('00:00:00');
  expect(countdownText(-5000)).toBe('00:00:00');
  expect(countdownText(100 * 3_600_000)).toBe('100:00:00');
});

describe('the time in the address', () => {
  test('is a moment: with its zone, on the practice’s clocks, or as programs count', () => {
    for (const text of [
      '2026-11-21T10:30:00Z',
      '2026-11-21T10:30:00.000Z',
      '2026-11-21T10:30Z',
      '2026-11-21T16:00:00+05:30',
      // The same with a plus sign that was not escaped.
      '2026-11-21T16:00:00 05:30',
      '2026-11-21T16:00:00',
      '2026-11-21T16:00',
      String(Date.parse('2026-11-21T10:30:00Z')),
    ]) {
      expect(parseBookingTime(text, NOW, ZONE)?.toISOString(), text).toBe(
        '2026-11-21T10:30:00.000Z',
      );
    }
  });

  test('is nothing where it cannot be understood', () => {
    for (const text of [
      '',
      'tomorrow',
      '5',
      '2026-11-21',
      '2026-13-41T10:30:00Z',
      '2026-13-41T10:30:00',
      // Not the first of December.
      '2026-11-31T10:30:00Z',
      '2026-11-31T10:30:00',
      '1795257000',
      '9795257000000',
      '<script>',
      '9999-01-01T00:00:00Z',
    ]) {
      expect(parseBookingTime(text, NOW, ZONE), text).toBeUndefined();
    }
  });
});

test('the ring empties with the last hours', () => {
  expect(shareLeft(48 * 3_600_000, 24)).toBe(1);
  expect(shareLeft(6 * 3_600_000, 24)).toBe(0.25);
  expect(shareLeft(-1, 24)).toBe(0);
});

describe('a booking', () => {
  test('that is confirmed counts to the limit before its start', () => {
    for (const state of [BookingState.CONFIRMED, BookingState.MEETING_SCHEDULED]) {
      const booking = bookingFixture({ state });
      expect(bookingWindow(booking)).toEqual({
        kind: 'counting',
        hours: 24,
        limits: [new Date('2026-11-23T05:30:00Z')],
        sessions: booking.sessions,
      });
    }
  });

  test('in any other state says in words why nothing is counted', () => {
    const others = [
      BookingState.HELD,
      BookingState.AWAITING_PAYMENT,
      BookingState.COMPLETED,
      BookingState.NO_SHOW,
      BookingState.EXPIRED,
      BookingState.CANCELLED,
      BookingState.RESCHEDULED,
      BookingState.PAID_UNPLACED,
    ];
    for (const state of others) {
      expect(bookingWindow(bookingFixture({ state })).kind, BookingState[state]).toBe('settled');
    }
    const without = bookingFixture({ state: BookingState.CONFIRMED, sessions: [] });
    expect(bookingWindow(without).kind).toBe('settled');
  });
});

test('the mail asks for all that a cancellation needs', () => {
  const known = { email: 'hello@sukoon.example', service: 'Energy Healing', reference: 'A1A1A1A1' };
  const mail = new URL(cancellationMail(known));
  expect(mail.pathname).toBe('hello@sukoon.example');
  expect(mail.searchParams.get('subject')).toBe('Cancellation of A1A1A1A1');
  const lines = mail.searchParams.get('body')?.split('\r\n');
  expect(lines).toEqual([
    'Name: ',
    'E-mail used for the booking: ',
    'Service: Energy Healing',
    'Booking confirmation: A1A1A1A1',
    'Reason: ',
  ]);
});
