/** What is chosen on the pages of a booking, in their addresses, and what a booking was chosen as. */
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { placesIn, toInstant, validDate, validInstant } from '@/lib/instant';
import { toDate } from '@/lib/time';

export type Choices = {
  serviceId: string;
  /** The chosen package's id, or empty for a single session. */
  packageId: string;
  /** The day that times are chosen from, "2026-11-24" in the practice's zone, or empty. */
  date: string;
  /** The chosen start as an instant, "2026-11-24T05:30:00Z", or empty. */
  slot: string;
  /** The starts of a package's sessions in their places, empty where none is chosen. */
  slots: readonly string[];
  /** The chosen practitioner's id, or empty for anyone. */
  practitioner: string;
};

export const NO_CHOICES: Choices = {
  serviceId: '',
  packageId: '',
  date: '',
  slot: '',
  slots: [],
  practitioner: '',
};

/** Reads an address. Whatever makes no sense is as if it were not there. */
export function parseChoices(query: URLSearchParams): Choices {
  return {
    serviceId: query.get('service') ?? '',
    packageId: query.get('package') ?? '',
    date: validDate(query.get('date') ?? ''),
    slot: validInstant(query.get('slot') ?? ''),
    slots: placesIn(query.get('slots') ?? ''),
    practitioner: query.get('practitioner') ?? '',
  };
}

/** Colons and commas are allowed in a query, and times are easier to read with them. */
export function queryText(query: URLSearchParams): string {
  return query.toString().replaceAll('%3A', ':').replaceAll('%2C', ',');
}

/** The choices that led to a booking, for the way back to the calendar. */
export function choicesOf(
  { serviceId, sessions, package: booked }: Booking,
  practitioner: string,
): Choices {
  const starts = sessions.map(({ startsAt }) => (startsAt ? toInstant(toDate(startsAt)) : ''));
  const packageId = booked?.packageId ?? '';
  const [slot, slots] = packageId ? ['', starts] : [starts[0] ?? '', []];
  return { serviceId, packageId, date: '', slot, slots, practitioner };
}
