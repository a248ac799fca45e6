/** The flow's choices as they stand in the address, so that any reload finds them again. */
import { isStepId, type StepId } from './steps';

const FLOW_PATH = '/booking-flow';

export type FlowUrl = {
  serviceId: string;
  /** Local date in the practice's zone, "2026-11-24", or empty. */
  date: string;
  /** The chosen start as an instant, "2026-11-24T05:30:00Z", or empty. */
  slot: string;
  step: StepId | undefined;
  bookingId: string;
};

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z$/;

function validInstant(text: string): string {
  if (!INSTANT.test(text)) return '';
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? '' : toInstant(at);
}

function validDate(text: string): string {
  return DATE.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`)) ? text : '';
}

/** An instant as it is written in the address, without a fraction of seconds. */
export function toInstant(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Reads the address. Whatever makes no sense is as if it were not there. */
export function parseFlowUrl(query: URLSearchParams): FlowUrl {
  const step = query.get('step');
  return {
    serviceId: query.get('service') ?? '',
    date: validDate(query.get('date') ?? ''),
    slot: validInstant(query.get('slot') ?? ''),
    step: isStepId(step) ? step : undefined,
    bookingId: query.get('b') ?? '',
  };
}

export function flowQuery(url: FlowUrl): URLSearchParams {
  const query = new URLSearchParams();
  const entries = {
    service: url.serviceId,
    date: url.date,
    slot: url.slot,
    step: url.step ?? '',
    b: url.bookingId,
  };
  for (const [key, value] of Object.entries(entries)) if (value) query.set(key, value);
  return query;
}

/** The address of a point in the flow. */
export function flowPath(url: FlowUrl): string {
  // Colons are allowed in a query, and a time is easier to read with them.
  return `${FLOW_PATH}?${flowQuery(url).toString().replaceAll('%3A', ':')}`;
}
