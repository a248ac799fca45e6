/** An entry of the wait list in words: what the client waits for, how, and what is offered. */
import { SessionMode } from '@/gen/booking/v1/booking_service_pb';
import { DayPart, type Waiting, type WaitingOffer } from '@/gen/booking/v1/waiting_service_pb';
import type { FreeDay } from '@/lib/free-days';
import { describeDay, localDate, toDate, type Zone } from '@/lib/time';
import { refusalWords, type Words } from './refusal-words';
import { clockWords } from './time-words';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

const PARTS: readonly (readonly [DayPart, string])[] = [
  [DayPart.MORNING, 'mornings'],
  [DayPart.AFTERNOON, 'afternoons'],
  [DayPart.EVENING, 'evenings'],
];

const HOUR_MINUTES = 60;
const DAY_MINUTES = 1440;

/** "Mon, Wed and Fri" */
function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} and ${last}` : last;
}

/** Days and parts of the day; none means all. */
function daysWords({ wish }: Waiting): string {
  const days = DAYS.filter((_, index) => wish?.weekdays.includes(index + 1));
  const parts = PARTS.filter(([part]) => wish?.dayParts.includes(part)).map(([, word]) => word);
  const isAnyDay = days.length === 0 || days.length === DAYS.length;
  const isAnyTime = parts.length === 0 || parts.length === PARTS.length;
  return `${isAnyDay ? 'Any day' : listed(days)}, ${isAnyTime ? 'at any time' : listed(parts)}`;
}

function dayWords(date: string): string {
  const { day, month } = describeDay(date);
  return `${day} ${month}`;
}

/** "from 24 Nov until 20 Dec", "on 24 Nov" */
function datesWords({ wish, endsAt }: Waiting, { timeZone }: Zone): string {
  const last = wish?.untilDate || (endsAt ? localDate(toDate(endsAt), timeZone) : '');
  if (last && wish?.fromDate === last) return `on ${dayWords(last)}`;
  const words = [
    wish?.fromDate ? `from ${dayWords(wish.fromDate)}` : '',
    last ? `until ${dayWords(last)}` : '',
  ];
  return words.filter(Boolean).join(' ');
}

/** "2 days", "3 h", "90 min" */
function longWords(minutes: number): string {
  const days = minutes / DAY_MINUTES;
  if (Number.isInteger(days)) return days === 1 ? '1 day' : `${days} days`;
  const hours = minutes / HOUR_MINUTES;
  return Number.isInteger(hours) ? `${hours} h` : `${minutes} min`;
}

/** "offered at least 3 h before"; empty where any notice will do. */
function noticeWords({ wish }: Waiting): string {
  const minutes = wish?.noticeMinutes ?? 0;
  return minutes > 0 ? `offered at least ${longWords(minutes)} before` : '';
}

/** "Mon and Wed, mornings, until 20 Dec, offered at least 3 h before" */
export function wishWords(waiting: Waiting, zone: Zone): string {
  const words = [daysWords(waiting), datesWords(waiting, zone), noticeWords(waiting)];
  return words.filter(Boolean).join(', ');
}

/** "Meditation, online, with anyone"; with whom is said where several give sessions. */
export function whatWords({ serviceTitle, practitionerName, wish }: Waiting, several: boolean) {
  const place = wish?.mode === SessionMode.IN_PERSON ? 'in person' : 'online';
  const people = several ? `, with ${practitionerName || 'anyone'}` : '';
  return `${serviceTitle}, ${place}${people}`;
}

/** "held until 1:05 pm", with the day where it is another than today. */
export function heldWords({ heldUntilAt }: WaitingOffer, now: number, zone: Zone): string {
  if (!heldUntilAt) return 'held';
  return `held until ${clockWords(toDate(heldUntilAt), now, zone)}`;
}

/** "2 offers lapsed"; empty where none did. */
export function lapsedWords(count: number): string {
  if (count === 0) return '';
  return count === 1 ? '1 offer lapsed' : `${count} offers lapsed`;
}

/** The free times before an instant; all where there is none. */
export function daysBefore(days: readonly FreeDay[], before: Date | undefined): FreeDay[] {
  if (!before) return [...days];
  return days.flatMap((day) => {
    const parts = day.parts.flatMap((part) => {
      const times = part.times.filter(({ startsAt }) => startsAt < before);
      return times.length > 0 ? [{ ...part, times }] : [];
    });
    const count = parts.reduce((all, { times }) => all + times.length, 0);
    return count > 0 ? [{ ...day, parts, count }] : [];
  });
}

export const REASON_MAX = 200;
const REASON_MIN = 3;

/** What is wrong with a reason, in words; nothing where it is right. */
export function reasonError(reason: string): string | undefined {
  return [...reason.trim()].length < REASON_MIN ? 'Say why, in a word or two' : undefined;
}

const CHOOSE = 'Nothing was offered. Choose another time.';

const WORDS: Record<string, Words> = {
  WAITING_NOT_FOUND: {
    title: 'The client is not on the list any more',
    message: 'A session was booked, or the client left. What you see now is how it stands.',
  },
  HAS_OFFER: {
    title: 'A time is offered to this client already',
    message: 'Each client has one offer at a time. Nothing else was offered.',
  },
  INVALID_REASON: { title: 'The reason is missing', message: 'It has 3 to 200 characters.' },
  SLOT_TAKEN: { title: 'That time was just taken', message: CHOOSE },
  SLOT_PAST: { title: 'That time has passed', message: CHOOSE },
  SLOT_NOT_OFFERED: { title: 'That time cannot be offered', message: CHOOSE },
  OVERLAPS_OWN_SESSION: { title: 'The client has another session then', message: CHOOSE },
};

/** Of the wait list a refusal may mean something else than of other acts. */
export function waitingRefusalWords(reason: string): Words | undefined {
  return WORDS[reason] ?? refusalWords(reason);
}
