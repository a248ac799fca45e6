/** A day's rows: what stands on it, in which order, and what is free in between. */
import { expect, test } from 'vitest';
import { BookingState } from '@/gen/booking/v1/booking_service_pb';
import { at } from '@/testing/booking-fixture';
import { closedTime, deskBookingId, staffBooking } from '@/testing/desk-server';
import { dayAfter, rowsOfDay, rowsWith, type sessionRows, withGaps } from './day';
import { newsWords, steadyRows } from './steady';

const ZONE = 'Asia/Kolkata';
const DATE = '2026-11-24';
/** An hour and minute of that day in India. */
const on = (time: string) => new Date(`${DATE}T${time}:00+05:30`);

function rows(bookings: Parameters<typeof sessionRows>[0]) {
  return rowsOfDay({ bookings, blocks: [] }, DATE, ZONE);
}

test('a session of a package stands on its own day only, and a cancelled one nowhere', () => {
  const sessions = ['2026-11-24T05:30:00Z', '2026-11-26T07:30:00Z', '2026-11-24T09:30:00Z'].map(
    (start, index) => ({ startsAt: at(start), endsAt: at(start), cancelled: index === 2 }),
  );
  const found = rows([staffBooking(1, on('11:00'), { sessions } as never)]);
  expect(found.map(({ key }) => key)).toEqual([
    `${deskBookingId(1)}/1/${Date.parse('2026-11-24T05:30:00Z')}`,
  ]);
});

test('what does not take place is left out, and what is not paid is a held time', () => {
  const found = rows([
    staffBooking(1, on('15:00'), { state: BookingState.HELD }),
    staffBooking(2, on('11:00')),
    staffBooking(3, on('12:00'), { state: BookingState.CANCELLED }),
    staffBooking(4, on('13:00'), { state: BookingState.EXPIRED }),
  ]);
  expect(found.map(({ kind }) => kind)).toEqual(['session', 'hold']);
});

test('a quarter to midnight in India is of that day, though the day before in UTC', () => {
  expect(rows([staffBooking(1, on('23:45'))])).toHaveLength(1);
});

test('free times stand between rows, and neither before the first nor after the last', () => {
  const blocks = [closedTime(1, on('12:00'), on('13:00'))];
  const bookings = [staffBooking(1, on('11:00')), staffBooking(2, on('15:00'))];
  const found = withGaps(rowsOfDay({ bookings, blocks }, DATE, ZONE));
  expect(found.map(({ kind }) => kind)).toEqual(['session', 'closed', 'gap', 'session']);
  expect(found[2]).toMatchObject({ startsAt: on('13:00'), endsAt: on('15:00') });
});

test('a closed time within a longer one leaves no free time behind it', () => {
  const blocks = [closedTime(1, on('11:00'), on('16:00')), closedTime(2, on('12:00'), on('13:00'))];
  const found = withGaps(rowsOfDay({ bookings: [], blocks }, DATE, ZONE));
  expect(found.map(({ kind }) => kind)).toEqual(['closed', 'closed']);
});

test('a day closed for several days is closed on each of them', () => {
  const blocks = [
    closedTime(1, new Date('2026-11-23T00:00+05:30'), new Date('2026-11-25T00:00+05:30')),
  ];
  const closed = (date: string) => rowsOfDay({ bookings: [], blocks }, date, ZONE).length;
  expect(['2026-11-22', '2026-11-23', '2026-11-24', '2026-11-25'].map(closed)).toEqual([
    0, 1, 1, 0,
  ]);
});

test('rows of one practitioner are chosen, and none chosen means all', () => {
  const found = rows([
    staffBooking(1, on('11:00')),
    staffBooking(2, on('12:00'), { practitionerId: 'ravi' }),
  ]);
  expect(rowsWith(found, 'ravi')).toHaveLength(1);
  expect(rowsWith(found, '')).toHaveLength(2);
});

test('days follow each other over the ends of months and years', () => {
  expect(dayAfter('2026-11-30')).toBe('2026-12-01');
  expect(dayAfter('2027-01-01', -1)).toBe('2026-12-31');
});

test('shown rows keep their places: what is new waits, what is gone says so', () => {
  const shown = rows([staffBooking(1, on('11:00')), staffBooking(2, on('15:00'))]);
  const marked = staffBooking(2, on('15:00'), { serviceTitle: 'Counselling' });
  const latest = rows([staffBooking(3, on('09:00')), marked]);
  const steady = steadyRows(shown, latest);
  expect(steady.rows.map(({ key }) => key)).toEqual(shown.map(({ key }) => key));
  expect(steady.rows.map(({ gone }) => gone === true)).toEqual([true, false]);
  expect(steady.rows[1]).toMatchObject({ booking: { serviceTitle: 'Counselling' } });
  expect(newsWords(steady)).toBe('1 new, 1 gone');
  expect(newsWords(steadyRows(shown, shown))).toBe('');
});

test('a moved session is gone from its place and new at the other', () => {
  const shown = rows([staffBooking(1, on('11:00'))]);
  const steady = steadyRows(shown, rows([staffBooking(1, on('12:00'))]));
  expect([steady.added, steady.gone]).toEqual([1, 1]);
});
