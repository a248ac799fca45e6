/** What a client waits for: how it is asked for, and in words. */
import { SessionMode } from '@/gen/booking/v1/booking_service_pb';
import { DayPart, type Waiting } from '@/gen/booking/v1/waiting_service_pb';
import { formatCalendarDate, formatDate, toDate, type Zone } from '@/lib/time';
import type { SummaryRow } from '../shared/components/booking-summary';
import { shortTime } from './refund-words';

export const OWN_WAITING = '/account/waiting';

/** For how many days a client waits at most. */
export const WAIT_DAYS_MAX = 60;

export const WEEKDAYS = [
  { value: 1, label: 'Mon', spoken: 'Monday' },
  { value: 2, label: 'Tue', spoken: 'Tuesday' },
  { value: 3, label: 'Wed', spoken: 'Wednesday' },
  { value: 4, label: 'Thu', spoken: 'Thursday' },
  { value: 5, label: 'Fri', spoken: 'Friday' },
  { value: 6, label: 'Sat', spoken: 'Saturday' },
  { value: 7, label: 'Sun', spoken: 'Sunday' },
] as const;

export const DAY_PARTS = [
  { value: DayPart.MORNING, label: 'Morning', spoken: 'Morning, before 12 pm' },
  { value: DayPart.AFTERNOON, label: 'Afternoon', spoken: 'Afternoon, 12 pm to 5 pm' },
  { value: DayPart.EVENING, label: 'Evening', spoken: 'Evening, from 5 pm' },
] as const;

/** How long before a session a client can be told of it at the latest, in minutes. */
export const NOTICES = [60, 180, 720, 1440, 2880].map((minutes) => ({
  value: String(minutes),
  label: noticeWords(minutes),
}));

/** What most can arrange. */
export const USUAL_NOTICE = '180';

/** How an offer comes about, wherever something can be waited for. */
export const HOW_OFFERED =
  'A time that becomes free is offered to the first person whom it fits, and held for that person ' +
  'alone for up to two hours. We write to you by e-mail, and not at night, from 9 pm to 8 am.';

/** What the address asks to wait for: a service, or an earlier time than that of a booking. */
export type Wanted = { serviceId: string; practitioner: string; earlierThan: string };

export function wantedIn(query: URLSearchParams): Wanted {
  return {
    serviceId: query.get('service') ?? '',
    practitioner: query.get('practitioner') ?? '',
    earlierThan: query.get('earlier') ?? '',
  };
}

/** Where a client asks for an earlier time than that of a booking. */
export function earlierPath(bookingId: string): string {
  return `${OWN_WAITING}?${new URLSearchParams({ earlier: bookingId })}`;
}

/** "1 hour", "3 hours" */
function noticeWords(minutes: number): string {
  const hours = Math.round((minutes / 60) * 10) / 10;
  return hours === 1 ? '1 hour before' : `${hours} hours before`;
}

/** "Mondays", "Mondays and Tuesdays", "Mondays, Tuesdays and Fridays" */
function listWords(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

function weekdayWords(weekdays: readonly number[]): string {
  const named = WEEKDAYS.filter(({ value }) => weekdays.includes(value));
  if (named.length === 0 || named.length === WEEKDAYS.length) return 'Any day';
  return listWords(named.map(({ spoken }) => `${spoken}s`));
}

function partWords(parts: readonly DayPart[]): string {
  const named = DAY_PARTS.filter(({ value }) => parts.includes(value));
  if (named.length === 0 || named.length === DAY_PARTS.length) return 'any time of day';
  return listWords(named.map(({ label }) => `${label.toLowerCase()}s`));
}

/** "Mondays and Fridays, mornings" */
export function daysWords(weekdays: readonly number[], parts: readonly DayPart[]): string {
  return `${weekdayWords(weekdays)}, ${partWords(parts)}`;
}

function untilWords({ wish, endsAt }: Waiting, zone: Zone): string {
  if (wish?.untilDate) return formatCalendarDate(wish.untilDate);
  return endsAt ? formatDate(toDate(endsAt), zone) : '';
}

function datesWords(waiting: Waiting, zone: Zone): string {
  const from = waiting.wish?.fromDate ? formatCalendarDate(waiting.wish.fromDate) : '';
  const until = untilWords(waiting, zone);
  if (!until) return from ? `From ${from}` : 'Any date';
  if (from === until) return from;
  return from ? `${from} to ${until}` : `Until ${until}`;
}

function withWords({ practitionerName }: Waiting): string {
  return practitionerName || 'Anyone';
}

/** The wish of an entry, and since when it stands. */
export function wishRows(waiting: Waiting, zone: Zone): SummaryRow[] {
  const { wish, joinedAt, earlierThanAt } = waiting;
  const { weekdays = [], dayParts = [], noticeMinutes = 0 } = wish ?? {};
  const earlier = earlierThanAt && shortTime(toDate(earlierThanAt), zone);
  return [
    ...(earlier ? [{ label: 'Earlier than', value: earlier }] : []),
    { label: 'When', value: daysWords(weekdays, dayParts) },
    { label: 'Dates', value: datesWords(waiting, zone) },
    ...(noticeMinutes > 0
      ? [{ label: 'Told at the latest', value: noticeWords(noticeMinutes) }]
      : []),
    { label: 'How', value: wish?.mode === SessionMode.IN_PERSON ? 'In person' : 'Online' },
    { label: 'With', value: withWords(waiting) },
    ...(joinedAt
      ? [{ label: 'On the list since', value: formatDate(toDate(joinedAt), zone) }]
      : []),
  ];
}
