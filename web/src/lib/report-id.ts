/** The id by which the widget on another site learns what becomes of a booking: 32 hex digits. */
const REPORT_ID = /^[0-9a-f]{32}$/;

/** The id of a text, or empty where it is none. */
export function validReportId(text: string): string {
  return REPORT_ID.test(text) ? text : '';
}
