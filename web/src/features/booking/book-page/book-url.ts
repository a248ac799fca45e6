/** The choices of /book in its address, so that a reload and a second tab show the same. */
import { placesText, toInstant } from '@/lib/instant';
import { validReportId } from '@/lib/report-id';
import { type Choices, NO_CHOICES, parseChoices, queryText } from '../shared/choices';

const BOOK_PATH = '/book';

/** The steps that have an address; without one the page shows sessions and free times. */
const STEPS = ['calendar-terms', 'auth', 'payment', 'confirmation'] as const;
export type BookStepId = (typeof STEPS)[number];

export type BookUrl = Choices & {
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
  ...NO_CHOICES,
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
    ...parseChoices(query),
    step: isStep(step) ? step : undefined,
    bookingId: query.get('b') ?? '',
    cancelled: query.get('auth') === 'cancelled',
    returned: query.get('returned') === 'true',
    report: validReportId(query.get('report') ?? ''),
  };
}

function withQuery(path: string, entries: Record<string, string>): string {
  const given = Object.entries(entries).filter(([, value]) => value);
  const text = queryText(new URLSearchParams(given));
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
