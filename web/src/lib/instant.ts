/** Instants as addresses write them: "2026-11-24T05:30:00Z". */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z$/;

/** An instant as it is written in the address, without a fraction of seconds. */
export function toInstant(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** The same of a text, or empty where it is no instant. */
export function validInstant(text: string): string {
  if (!INSTANT.test(text)) return '';
  const at = new Date(text);
  return Number.isNaN(at.getTime()) ? '' : toInstant(at);
}
