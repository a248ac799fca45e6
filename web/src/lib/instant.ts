/** Instants and dates as addresses write them: "2026-11-24T05:30:00Z", "2026-11-24". */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** Of the date that an instant begins with. */
export const DATE_LENGTH = 10;

/** The most sessions that a package can have. */
const PLACES_MAX = 20;

/** Whether there is such a day. Some browsers read 30 February as 2 March, others as no date. */
export function isDay(date: string): boolean {
  const at = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(date);
}

/** An instant as it is written in the address, without a fraction of seconds. */
export function toInstant(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** The same of a text, or empty where it is no instant. */
export function validInstant(text: string): string {
  if (!INSTANT.test(text) || !isDay(text.slice(0, DATE_LENGTH))) return '';
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? '' : toInstant(at);
}

/** A date, or empty where the text is none. */
export function validDate(text: string): string {
  return DATE.test(text) && isDay(text) ? text : '';
}

/** The instants of several places, "a,,b"; a place is empty where the text has none. */
export function placesIn(text: string): string[] {
  return text === '' ? [] : text.split(',', PLACES_MAX).map(validInstant);
}

/** The same as text; empty where no place has an instant. */
export function placesText(places: readonly string[]): string {
  return places.some((place) => place !== '') ? places.join(',') : '';
}
