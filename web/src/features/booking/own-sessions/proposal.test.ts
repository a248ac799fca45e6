import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { MoveProposalSchema } from '@/gen/booking/v1/booking_service_pb';
import { at, FREE_SESSION, packageFixture } from '@/testing/booking-fixture';
import { ownBooking } from '@/testing/own-sessions-server';
import { lateNumber } from './late';
import { standingOf } from './own-booking';
import {
  askedFirst,
  askedWords,
  chooseWords,
  chosenIn,
  isAskedToMove,
  lapseWords,
  openProposal,
  shownTimes,
} from './proposal';

const IST = { timeZone: 'Asia/Kolkata', label: 'IST' };
const NOW = Date.parse('2026-11-22T05:30:00Z');

const moveProposal = create(MoveProposalSchema, {
  sessionNumber: 1,
  chooseUntilAt: at('2026-11-23T05:30:00Z'),
});

const ASKED = ownBooking({ moveProposal });

test('the question names the time, what can be done, and what comes of nothing', () => {
  expect(askedWords(ASKED, 1, IST)).toBe(
    "We can't hold this session on Tue, 24 Nov, 11:00 am IST. Choose another time, or take everything back. We are sorry for the trouble.",
  );
  expect(lapseWords(ASKED, moveProposal, IST)).toBe(
    'If you choose nothing until Mon, 23 Nov, 11:00 am IST, all of your money comes back by itself.',
  );
  expect(chooseWords(ASKED, IST)).toContain('until Mon, 23 Nov, 11:00 am IST');
  const free = ownBooking({ ...FREE_SESSION, moveProposal } as never);
  expect(askedWords(free, 1, IST)).toContain('or cancel it');
  expect(lapseWords(free, moveProposal, IST)).toContain('it is cancelled by itself');
});

test('of a package it is about one session', () => {
  const starts = ['2026-11-24T05:30:00Z', '2026-12-01T05:30:00Z'].map((one) => new Date(one));
  const second = { ...moveProposal, sessionNumber: 2 };
  const booking = { ...packageFixture(starts), moveProposal: second };
  expect([1, 2].map((number) => isAskedToMove(booking, number))).toEqual([false, true]);
  expect(askedWords(booking, 2, IST)).toContain('session 2 of your package on Tue, 1 Dec');
  expect(lapseWords(booking, second, IST)).toContain('all of its price');
});

test('it is open until its end, and not while a cancellation is under way', () => {
  expect(openProposal(ASKED, NOW)).toBe(moveProposal);
  expect(openProposal(ASKED, Date.parse('2026-11-23T05:30:00Z'))).toBeUndefined();
  expect(openProposal(ownBooking(), NOW)).toBeUndefined();
  const pending = ownBooking({ moveProposal, pendingCancellation: { sessionNumber: 0 } });
  expect(openProposal(pending, NOW)).toBeUndefined();
  expect(standingOf(ASKED, NOW).word).toBe('Needs another time');
  // A client is not late for what does not take place.
  const halfHourBefore = Date.parse('2026-11-24T05:00:00Z');
  expect([lateNumber(ownBooking(), halfHourBefore), lateNumber(ASKED, halfHourBefore)]).toEqual([
    1,
    undefined,
  ]);
});

test('what is asked about comes first, each in its order', () => {
  const [one, two] = [ownBooking({ bookingId: 'a' }), ownBooking({ bookingId: 'b' })];
  const { asked, others } = askedFirst([one, ASKED, two], NOW);
  expect(asked).toEqual([ASKED]);
  expect(others.map(({ bookingId }) => bookingId)).toEqual(['a', 'b']);
});

test('a time of a mail is read from its link, and stands first where it is none of the three', () => {
  const time = new Date('2026-12-08T09:30:00Z');
  expect(chosenIn('#key=abc&choose=2026-12-08T09:30:00Z')).toEqual(time);
  expect(chosenIn('#choose=2026-12-08T09%3A30%3A00Z')).toEqual(time);
  for (const hash of ['', '#key=abc', '#choose=soon', '#choose=%E0%A4']) {
    expect(chosenIn(hash)).toBeUndefined();
  }
  const other = new Date('2026-12-09T09:30:00Z');
  expect(shownTimes([other], time)).toEqual([time, other]);
  expect(shownTimes([time, other], new Date(time))).toEqual([time, other]);
  expect(shownTimes([other], undefined)).toEqual([other]);
});
