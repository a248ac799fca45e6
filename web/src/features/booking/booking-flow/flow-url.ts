/** The flow's choices in the address, so that a reload keeps them. */
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { placesIn, placesText, toInstant, validDate, validInstant } from '@/lib/instant';
import { toDate } from '@/lib/time';
import { isStepId, type StepId } from '../shared/steps';

const FLOW_PATH = '/booking-flow';

export type FlowUrl = {
  serviceId: string;
  /** Local date in the practice's zone, "2026-11-24", or empty. */
  date: string;
  /** The chosen start as an instant, "2026-11-24T05:30:00Z", or empty. */
  slot: string;
  /** The chosen practitioner's id, or empty for anyone. */
  practitioner: string;
  /** The chosen package's id, or empty for a single session. */
  packageId: string;
  /** The starts of a package's sessions in their places, empty where none is chosen. */
  slots: readonly string[];
  step: StepId | undefined;
  bookingId: string;
};

type Choice = 'serviceId' | 'date' | 'slot' | 'practitioner' | 'packageId' | 'slots';
const NO_CHOICES: Pick<FlowUrl, Choice> = {
  serviceId: '',
  date: '',
  slot: '',
  practitioner: '',
  packageId: '',
  slots: [],
};

/** Reads the address. Whatever makes no sense is as if it were not there. */
export function parseFlowUrl(query: URLSearchParams): FlowUrl {
  const step = query.get('step');
  return {
    serviceId: query.get('service') ?? '',
    date: validDate(query.get('date') ?? ''),
    slot: validInstant(query.get('slot') ?? ''),
    practitioner: query.get('practitioner') ?? '',
    packageId: query.get('package') ?? '',
    slots: placesIn(query.get('slots') ?? ''),
    step: isStepId(step) ? step : undefined,
    bookingId: query.get('b') ?? '',
  };
}

/** Whether a step shows a booking: then its id alone finds everything again. */
function showsBooking({ bookingId, step }: FlowUrl): boolean {
  return bookingId !== '' && step !== 'auth' && step !== 'calendar-terms';
}

/**
 * The query of a point in the flow. The payment provider's script sends the page's address to its
 * servers, with the customer's name; they need not know what is booked and when.
 */
export function flowQuery(url: FlowUrl): URLSearchParams {
  const query = new URLSearchParams();
  const choices = showsBooking(url) ? NO_CHOICES : url;
  const entries = {
    service: choices.serviceId,
    date: choices.date,
    slot: choices.slot,
    practitioner: choices.practitioner,
    package: choices.packageId,
    slots: placesText(choices.slots),
    step: url.step ?? '',
    b: url.bookingId,
  };
  for (const [key, value] of Object.entries(entries)) if (value) query.set(key, value);
  return query;
}

/** Whether an address says more than the point in the flow that it leads to needs. */
export function saysTooMuch(query: URLSearchParams): boolean {
  const more = ['service', 'date', 'slot', 'practitioner', 'package', 'slots'].some((name) =>
    query.has(name),
  );
  return more && showsBooking(parseFlowUrl(query));
}

/** The choices that led to a booking, for the way back to the calendar. */
export function choicesOf(
  { serviceId, sessions, package: booked }: Booking,
  practitioner: string,
): Pick<FlowUrl, Choice> {
  const starts = sessions.map(({ startsAt }) => (startsAt ? toInstant(toDate(startsAt)) : ''));
  const packageId = booked?.packageId ?? '';
  const [slot, slots] = packageId ? ['', starts] : [starts[0] ?? '', []];
  return { serviceId, date: '', slot, practitioner, packageId, slots };
}

/** The address of a point in the flow. */
export function flowPath(url: FlowUrl): string {
  // Colons are allowed in a query, and a time is easier to read with them.
  return `${FLOW_PATH}?${flowQuery(url).toString().replaceAll('%3A', ':').replaceAll('%2C', ',')}`;
}
