import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { test } from 'vitest';
import { ListSlotsResponseSchema } from '@/gen/booking/v1/booking_service_pb';
import { expectShape } from '@/testing/shape-check';
import { SLOTS_ANSWER } from './read-slots';

test('the starts of some days are read as the contract writes them', () => {
  const startsAt = timestampFromDate(new Date('2026-11-24T05:30:00Z'));
  const endsAt = timestampFromDate(new Date('2026-11-24T06:15:00Z'));
  expectShape(ListSlotsResponseSchema, SLOTS_ANSWER, {
    days: [
      { date: '2026-11-24', slots: [{ startsAt, endsAt, available: true }, { startsAt }] },
      { date: '2026-11-25', closed: true },
    ],
    timeZone: 'Asia/Kolkata',
    timeZoneLabel: 'IST',
    nextAvailableAt: startsAt,
    lastDate: '2027-01-20',
  });
});
