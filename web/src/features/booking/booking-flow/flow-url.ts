/** The flow's choices in the address, so that a reload keeps them. */
import { placesText } from '@/lib/instant';
import { type Choices, NO_CHOICES, parseChoices, queryText } from '../shared/choices';
import { isStepId, type StepId } from './steps';

const FLOW_PATH = '/booking-flow';

export type FlowUrl = Choices & {
  step: StepId | undefined;
  bookingId: string;
  /** The time of the wait list that is held for the client, by its id, or empty. */
  offer: string;
};

/** Reads the address. Whatever makes no sense is as if it were not there. */
export function parseFlowUrl(query: URLSearchParams): FlowUrl {
  const step = query.get('step');
  return {
    ...parseChoices(query),
    step: isStepId(step) ? step : undefined,
    bookingId: query.get('b') ?? '',
    offer: query.get('offer') ?? '',
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
  const choices = showsBooking(url) ? { ...NO_CHOICES, offer: '' } : url;
  const entries = {
    service: choices.serviceId,
    date: choices.date,
    slot: choices.slot,
    practitioner: choices.practitioner,
    package: choices.packageId,
    slots: placesText(choices.slots),
    offer: choices.offer,
    step: url.step ?? '',
    b: url.bookingId,
  };
  for (const [key, value] of Object.entries(entries)) if (value) query.set(key, value);
  return query;
}

/** Whether an address says more than the point in the flow that it leads to needs. */
export function saysTooMuch(query: URLSearchParams): boolean {
  const choices = ['service', 'date', 'slot', 'practitioner', 'package', 'slots', 'offer'];
  const more = choices.some((name) => query.has(name));
  return more && showsBooking(parseFlowUrl(query));
}

/** The address of a point in the flow. */
export function flowPath(url: FlowUrl): string {
  return `${FLOW_PATH}?${queryText(flowQuery(url))}`;
}
