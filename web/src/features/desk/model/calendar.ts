/** The calendar's choices in its address, and its days. */
import { validDate } from '@/lib/instant';
import { dayAfter } from './day';

export type CalendarUrl = { view: 'day' | 'week'; date: string; who: string };

const WEEK_DAYS = 7;
const WHO = /^[a-z0-9-]{1,40}$/;

/** An empty date is today's. */
export function parseCalendar(query: URLSearchParams): CalendarUrl {
  const who = query.get('who') ?? '';
  return {
    view: query.get('view') === 'week' ? 'week' : 'day',
    date: validDate(query.get('date') ?? ''),
    who: WHO.test(who) ? who : '',
  };
}

export function writeCalendar({ view, date, who }: CalendarUrl): string {
  const query = new URLSearchParams();
  if (view === 'week') query.set('view', view);
  if (date) query.set('date', date);
  if (who) query.set('who', who);
  const text = query.toString();
  return `/desk/calendar${text ? `?${text}` : ''}`;
}

/** The Monday of a date's week. */
function monday(date: string): string {
  const weekday = new Date(`${date}T12:00:00Z`).getUTCDay();
  return dayAfter(date, -((weekday + WEEK_DAYS - 1) % WEEK_DAYS));
}

/** The dates that a view shows. */
export function datesOf(view: CalendarUrl['view'], date: string): string[] {
  if (view === 'day') return [date];
  const first = monday(date);
  return Array.from({ length: WEEK_DAYS }, (_, index) => dayAfter(first, index));
}

/** The date from which the view before or after is shown. */
export function stepFrom(view: CalendarUrl['view'], date: string, steps: 1 | -1): string {
  return dayAfter(date, steps * (view === 'week' ? WEEK_DAYS : 1));
}
