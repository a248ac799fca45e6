/** The choices of /book in its address, so that a reload and a second tab show the same. */
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { placesIn, placesText, toInstant, validDate, validInstant } from '@/lib/instant';
import { validReportId } from '@/lib/report-id';
import { toDate } from '@/lib/time';

const BOOK_PATH = '/book';

/** The steps that have an address; without one the page shows sessions and free times. */
const STEPS = ['calendar-terms', 'auth', 'payment', 'confirmation'] as const;
export type BookStepId = (typeof STEPS)[number];

export type BookUrl = {
  serviceId: string;
  /** The chosen package's id, or empty for a single session. */
  packageId: string;
  /** The day that the dates of a package are chosen from, "2026-11-24", or empty. */
  date: string;
  /** The chosen start as an instant, "2026-11-24T05:30:00Z", or empty. */
  slot: string;
  /** The starts of a package's sessions in their places, empty where none is chosen. */
  slots: readonly string[];
  /** The chosen practitioner's id, or empty for anyone. */
  practitioner: string;
  step: BookStepId | undefined;
  bookingId: string;
  /** The client left the sign-in without signing in. */
  cancelled: boolean;
  /** The client accepted the consent and was sent to the sign-in. */
  returned: boolean;
  /** By which the widget on another site, where this began, learns of the booking; or empty. */
  report: string;
};

export const NOTHING_CHOSEN: BookUrl = {
  serviceId: '',
  packageId: '',
  date: '',
  slot: '',
  slots: [],
  practitioner: '',
  step: undefined,
  bookingId: '',
  cancelled: false,
  returned: false,
  report: '',
};

function isStep(value: string | null): value is BookStepId {
  return STEPS.some((step) => step === value);
}

/** Reads the address. Whatever makes no sense is as if it were not there. */
export function parseBookUrl(query: URLSearchParams): BookUrl {
  const step = query.get('step');
  return {
    serviceId: query.get('service') ?? '',
    packageId: query.get('package') ?? '',
    date: validDate(query.get('date') ?? ''),
    slot: validInstant(query.get('slot') ?? ''),
    slots: placesIn(query.get('slots') ?? ''),
    practitioner: query.get('practitioner') ?? '',
    step: isStep(step) ? step : undefined,
    bookingId: query.get('b') ?? '',
    cancelled: query.get('auth') === 'cancelled',
    returned: query.get('returned') === 'true',
    report: validReportId(query.get('report') ?? ''),
  };
}

function withQuery(path: string, entries: Record<string, string>): string {
  const query = new URLSearchParams(Object.entries(entries).filter(([, value]) => value));
  // Colons and commas are allowed in a query, and times are easier to read with them.
  const text = query.toString().replaceAll('%3A', ':').replaceAll('%2C', ',');
  return text ? `${path}?${text}` : path;
}

/** The address of /book-session with a chosen time. */
export function bookSessionPath({ serviceId, slot, practitioner, cancelled }: BookUrl): string {
  const auth = cancelled ? 'cancelled' : '';
  return withQuery('/book-session', { service: serviceId, slot, practitioner, auth });
}

/** The address of a point in /book. Once there is a booking, its id alone finds everything again. */
export function bookPath(url: BookUrl): string {
  const held = url.bookingId !== '';
  return withQuery(BOOK_PATH, {
    service: held ? '' : url.serviceId,
    package: held ? '' : url.packageId,
    date: held ? '' : url.date,
    slot: held ? '' : url.slot,
    slots: held ? '' : placesText(url.slots),
    practitioner: held ? '' : url.practitioner,
    step: url.step ?? '',
    b: url.bookingId,
    auth: url.cancelled ? 'cancelled' : '',
    returned: url.returned && !held ? 'true' : '',
    report: url.report,
  });
}

/** The address at which a chosen time is gone on with, and told of by a report, if there is one. */
export function bookSlotPath(
  serviceId: string,
  startsAt: Date,
  practitioner = '',
  report = '',
): string {
  const chosen = { serviceId, slot: toInstant(startsAt), practitioner, report };
  return bookPath({ ...NOTHING_CHOSEN, ...chosen, step: 'calendar-terms' });
}

/** The choices that led to a booking, for the way back to the calendar. */
export function bookChoicesOf(
  { serviceId, sessions, package: booked }: Booking,
  practitioner: string,
): Partial<BookUrl> {
  const starts = sessions.map(({ startsAt }) => (startsAt ? toInstant(toDate(startsAt)) : ''));
  const packageId = booked?.packageId ?? '';
  const [slot, slots] = packageId ? ['', starts] : [starts[0] ?? '', []];
  return { serviceId, packageId, date: '', slot, slots, practitioner };
}
