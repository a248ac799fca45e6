/** The flow's choices in the address, so that a reload keeps them. */
import type { Booking } from '@/gen/booking/v1/booking_service_pb';
import { toInstant, validInstant } from '@/lib/instant';
import { toDate } from '@/lib/time';
import { isStepId, type StepId } from './steps';

const FLOW_PATH = '/booking-flow';

export type FlowUrl = {
  serviceId: string;
  /** Local date in the practice's zone, "2026-11-24", or empty. */
  date: string;
  /** The chosen start as an instant, "2026-11-24T05:30:00Z", or empty. */
  slot: string;
  /** The chosen practitioner's id, or empty for anyone. */
  practitioner: string;
  step: StepId | undefined;
  bookingId: string;
};

type Choice = 'serviceId' | 'date' | 'slot' | 'practitioner';
const NO_CHOICES: Pick<FlowUrl, Choice> = { serviceId: '', date: '', slot: '', practitioner: '' };

const DATE = /^\d{4}-\d{2}-\d{2}$/;

function validDate(text: string): string {
  return DATE.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`)) ? text : '';
}

/** Reads the address. Whatever makes no sense is as if it were not there. */
export function parseFlowUrl(query: URLSearchParams): FlowUrl {
  const step = query.get('step');
  return {
    serviceId: query.get('service') ?? '',
    date: validDate(query.get('date') ?? ''),
    slot: validInstant(query.get('slot') ?? ''),
    practitioner: query.get('practitioner') ?? '',
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
    step: url.step ?? '',
    b: url.bookingId,
  };
  for (const [key, value] of Object.entries(entries)) if (value) query.set(key, value);
  return query;
}

/** Whether an address says more than the point in the flow that it leads to needs. */
export function saysTooMuch(query: URLSearchParams): boolean {
  const more = ['service', 'date', 'slot', 'practitioner'].some((name) => query.has(name));
  return more && showsBooking(parseFlowUrl(query));
}

/** The choices that led to a booking, for the way back to the calendar. */
export function choicesOf(
  { serviceId, sessions }: Booking,
  practitioner: string,
): Pick<FlowUrl, Choice> {
  const startsAt = sessions[0]?.startsAt;
  const slot = startsAt ? toInstant(toDate(startsAt)) : '';
  return { serviceId, date: '', slot, practitioner };
}

/** The address of a point in the flow. */
export function flowPath(url: FlowUrl): string {
  // Colons are allowed in a query, and a time is easier to read with them.
  return `${FLOW_PATH}?${flowQuery(url).toString().replaceAll('%3A', ':')}`;
}
